"""Tells a page from what stands in its place: a login, a payment, an error, a puzzle, an empty shell.

Only what is short is ever taken for a wall: a long text about paywalls, or one with a login form in
its corner, is a page. A phrase alone is never enough for a text of some length.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urljoin

from actors.adapters.addresses import shown
from actors.adapters.decoding import decode_page
from actors.webpages.markup import untagged, visible_text
from actors.webpages.structured_data import described_texts, plain_text
from actors.webpages.tags import address, tags
from events.errors import (
    AccessDenied,
    FetchFailed,
    NeedsJavaScript,
    PageNotFound,
    Unreadable,
    UnsupportedContent,
)

HTML = frozenset({"text/html", "application/xhtml+xml"})
"""Types whose pages can be walls."""

_LEADS_ON = "it only leads on to another page"
_SCRIPTS = "it needs JavaScript to show anything"
_REFUSED_AS: dict[str, type[FetchFailed]] = {
    _SCRIPTS: NeedsJavaScript,
    "it is an error page": PageNotFound,
    "it is behind a login": AccessDenied,
    "it is behind a paywall": AccessDenied,
    "it asks to prove that one is human": AccessDenied,
    "it asks for consent to cookies first": AccessDenied,
}

_READ, _BEGINNING = 2_000_000, 200_000
"""Characters looked at in all, and for what should stand near the beginning."""

_SHORT, _MIDDLING = 700, 2_500
"""Letters of visible text up to which a page can be a mere notice, or a teaser."""

_DENSITY = 2.5
"""What a Japanese character says against a letter."""

_NOTHING = 80
"""Letters that the frame of an empty page still has."""

_TITLE = re.compile(r"<title\b[^<>]{0,200}>([^<]{0,500})", re.I)
_TOP_HEADING = re.compile(r"<h1\b[^<>]{0,500}>(.{0,500}?)</h1", re.I | re.S)
_PASSWORD = re.compile(r"<input\b[^<>]{0,500}type\s*=\s*[\"']?password", re.I)
_SCRIPT = re.compile(r"<script\b", re.I)
_APP_ROOT = re.compile(
    r"<(?:div|main)\b[^<>]{0,200}\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|app-root|svelte|react-root)\b[^<>]{0,500}>",
    re.I,
)
_REFRESH = re.compile(r"<meta\b[^<>]{0,200}http-equiv\s*=\s*[\"']?refresh[^<>]{0,400}url\s*=", re.I)
_WHERETO = re.compile(r"[\s\d.]*+[;,]?\s*+(?:url\s*+=\s*+)?+[\"']?([^\"'<>]{1,2000})", re.I)
_NOSCRIPT = re.compile(r"<noscript\b[^<>]{0,200}>(.{0,2000}?)</noscript", re.I | re.S)
_FRAMES = re.compile(r"<frameset\b", re.I)
_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_NOT_FREE = re.compile(r"\"isAccessibleForFree\"\s*:\s*\"?false", re.I)

_ERROR_TITLE = re.compile(
    r"^(?:error\s*)?(?:4\d\d|5\d\d)(?:\s*(?:$|[-:|–—.!])|\s+(?:error|(?:client|server|gateway) |not |bad |internal"
    r"|forbidden|unauthori[sz]ed|access|service|page|gone|method|request|too many|temporar))"
    r"|\b(?:4\d\d|5\d\d)\s+(?:error|not found|forbidden)"
    r"|^(?:(?:sorry|oops)\W+)?(?:the |this )?page (?:is |was |could |can)?\s*not (?:be )?(?:found|exist|available)"
    r"|\bpage not found\b|^not found$|^forbidden$|^access denied|\binternal server error\b|^bad gateway"
    r"|\bservice (?:temporarily )?unavailable\b|^site (?:under )?maintenance"
    r"|ページが見つかりません|ページは見つかりません|ページが存在しません|お探しのページ|メンテナンス中|アクセスできません",
    re.I,
)
_CHALLENGE = re.compile(
    r"just a moment\.\.\.|attention required! \| cloudflare|checking (?:if the site connection|your browser)"
    r"|verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot\?|i'?m not a robot"
    r"|unusual traffic from your|press (?:and|&) hold|complete the (?:captcha|security check)"
    r"|access to this page has been denied|pardon our interruption|ロボットではありません|不正なアクセス",
    re.I,
)
_SCRIPT_NEEDED = re.compile(
    r"(?:enable|turn on|activate|requires?|needs?|without) (?:\w+ ){0,3}java ?script"
    r"|java ?script (?:\w+ ){0,3}(?:disabled|required|enabled|turned off|not available|not supported)"
    r"|java ?script\s*(?:を|が)\s*(?:有効|オン|無効|必要)",
    re.I,
)
_LOGIN = re.compile(
    r"\b(?:log|sign)[ -]?in\b|\blogin\b|authentication required|members? only"
    r"|ログイン|サインイン|会員専用",
    re.I,
)
_MUST_LOGIN = re.compile(
    r"(?:please |you (?:must|need to|have to) (?:be )?)(?:log|sign|logged|signed)[ -]?in\b"
    r"(?! to (?:post|leave|add|write|submit|reply|comment|vote|rate|like|share)\b)"
    r"|(?:log|sign) in to (?:continue|view|read|see|access)"
    r"|ログインして(?:ください|続き|閲覧)|ログインが必要",
    re.I,
)
_PAY = re.compile(
    r"subscribe (?:now )?to (?:continue|keep|read|unlock|access|view)|subscribers? only|for subscribers\b"
    r"|subscription (?:is )?required|already a subscriber|to (?:continue|keep) reading"
    r"|to read the (?:full|rest|whole)|unlock (?:this|the full) (?:article|story)|premium (?:article|content)"
    r"|you have reached your (?:\w+ ){0,3}limit|free articles? (?:left|remaining|this month)"
    r"|purchase (?:this article|access)"
    r"|有料会員|会員限定|続きを読むには|残り\s*[\d,]+\s*文字|購読(?:する|が必要)",
    re.I,
)
_CONSENT_TITLE = re.compile(
    r"^before you continue|\bcookie (?:consent|settings|preferences)\b|^(?:your )?privacy (?:choices|settings)"
    r"|^consent\b|we value your privacy",
    re.I,
)
_CONSENT = re.compile(
    r"(?:accept|agree to|reject) (?:all|cookies)|we (?:and our partners )?(?:use|store) cookies"
    r"|we value your privacy|同意する|クッキーを使用",
    re.I,
)


def refuse_walls(url: str, raw: bytes, status: int = 200) -> None:
    """Raise a `FetchFailed` where the bytes of a page of HTML are none of the page's own."""
    try:
        page = decode_page("page.html", raw)
        why = looks_like_wall(page, status)
    except Unreadable:
        return  # Its parser will say why.
    if why is None:
        return
    details: dict[str, str | int] = {"status_code": status, "reason": why}
    if why == _LEADS_ON and (target := _refreshed_to(url, page)):
        details["leads_to"] = target
    raise _REFUSED_AS.get(why, UnsupportedContent)(url, why, details)


def needs_scripts(raw: bytes) -> bool:
    """Whether a page shows nothing until a browser has run its scripts."""
    try:
        return looks_like_wall(decode_page("page.html", raw)) == _SCRIPTS
    except Unreadable:
        return False


@dataclass(frozen=True)
class _Seen:
    """What a reader sees of a page."""

    html: str
    text: str
    headline: list[str]

    @cached_property
    def size(self) -> float:
        """How much it says, in letters."""
        return _size(self.text)


def _size(text: str) -> float:
    return len(text) + (_DENSITY - 1) * len(_JAPANESE.findall(text))


def looks_like_wall(html_text: str, status: int = 200) -> str | None:
    """What stands in the page's place, or None when it looks like a page of its own."""
    if status >= 400:
        return f"the site answered with status {status}"
    html = html_text[:_READ]
    seen = _Seen(html, visible_text(html), _headline(html[:_BEGINNING]))
    if seen.size > _MIDDLING:
        return None
    if _FRAMES.search(html) and seen.size < _SHORT:
        return "it is a page of frames without a text of its own"
    return (
        _challenge(seen)
        or _error(seen)
        or _paywall(seen)
        or _login(seen)
        or _consent(seen)
        or _shell(seen)
    )


def _headline(html: str) -> list[str]:
    found = [match[1] for pattern in (_TITLE, _TOP_HEADING) if (match := pattern.search(html))]
    return [untagged(each) for each in found]


def _challenge(seen: _Seen) -> str | None:
    named = any(_CHALLENGE.search(line) for line in seen.headline)
    if named or (seen.size < _SHORT and _CHALLENGE.search(seen.text)):
        return "it asks to prove that one is human"
    return None


def _error(seen: _Seen) -> str | None:
    if seen.size < _SHORT and any(_ERROR_TITLE.search(line) for line in seen.headline):
        return "it is an error page"
    return None


def _paywall(seen: _Seen) -> str | None:
    phrases = {phrase.casefold() for phrase in _PAY.findall(seen.text)}
    if phrases and (seen.size < _SHORT or len(phrases) > 1 or _NOT_FREE.search(seen.html)):
        return "it is behind a paywall"
    return None


def _login(seen: _Seen) -> str | None:
    form = _PASSWORD.search(seen.html) is not None
    named = any(_LOGIN.search(line) for line in seen.headline)
    if seen.size < _SHORT and ((form and named) or _MUST_LOGIN.search(seen.text)):
        return "it is behind a login"
    if form and seen.size < _SHORT / 2 and _LOGIN.search(seen.text):
        return "it is behind a login"
    return None


def _consent(seen: _Seen) -> str | None:
    named = any(_CONSENT_TITLE.search(line) for line in seen.headline)
    asks = _CONSENT.search(seen.text)
    if asks and (named or seen.size < _SHORT / 2):
        return "it asks for consent to cookies first"
    return None


def _shell(seen: _Seen) -> str | None:
    if _REFRESH.search(seen.html) and seen.size < _SHORT / 2:
        return _LEADS_ON
    if not _SCRIPT.search(seen.html) or seen.size >= _SHORT / 2 or _told_to_machines(seen.html):
        return None
    asked = _SCRIPT_NEEDED.search(_noscript(seen.html)) or _SCRIPT_NEEDED.search(seen.text)
    return _SCRIPTS if asked or _empty_root(seen.html) else None


def _refreshed_to(url: str, page: str) -> str | None:
    """Where a page sends its readers by itself."""
    for _, meta in tags(page[:_BEGINNING], "meta"):
        if meta.get("http-equiv", "").strip().casefold() == "refresh":
            whereto = _WHERETO.match(meta.get("content", ""))
            try:
                return shown(urljoin(url, address(whereto[1]))) if whereto else None
            except ValueError:
                return None
    return None


def _empty_root(html: str) -> bool:
    """Whether there is a place for scripts to fill, and nothing in it."""
    root = _APP_ROOT.search(html)
    return root is not None and _size(visible_text(html[root.end() :])) < _NOTHING


def _told_to_machines(html: str) -> bool:
    """Whether the text that scripts will show is described for machines as well."""
    told = map(plain_text, described_texts(html))
    return _size(" ".join(told)) > _SHORT / 2


def _noscript(html: str) -> str:
    return " ".join(_NOSCRIPT.findall(html[:_BEGINNING]))
