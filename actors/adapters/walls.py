"""Tells a page from what stands in its place: a login, a payment, an error, a puzzle, an empty shell.

Only what is short is ever taken for a wall: a long text about paywalls, or one with a login form in
its corner, is a page. A phrase alone is never enough for a text of some length.
"""

import re

from actors.adapters.decoding import decode_text
from actors.markup import untagged, visible_text
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
"""Characters of visible text up to which a page can be a mere notice, or a teaser."""

_TITLE = re.compile(r"<title\b[^<>]{0,200}>([^<]{0,500})", re.I)
_TOP_HEADING = re.compile(r"<h1\b[^<>]{0,500}>(.{0,500}?)</h1", re.I | re.S)
_PASSWORD = re.compile(r"<input\b[^<>]{0,500}type\s*=\s*[\"']?password", re.I)
_SCRIPT = re.compile(r"<script\b", re.I)
_APP_ROOT = re.compile(
    r"<(?:div|main)\b[^<>]{0,200}\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|app-root|svelte|react-root)\b",
    re.I,
)
_REFRESH = re.compile(r"<meta\b[^<>]{0,200}http-equiv\s*=\s*[\"']?refresh[^<>]{0,400}url\s*=", re.I)
_NOSCRIPT = re.compile(r"<noscript\b[^<>]{0,200}>(.{0,2000}?)</noscript", re.I | re.S)
_FRAMES = re.compile(r"<frameset\b", re.I)
_NOT_FREE = re.compile(r"\"isAccessibleForFree\"\s*:\s*\"?false", re.I)

_ERROR_TITLE = re.compile(
    r"^(?:error\s*)?(?:4\d\d|5\d\d)\b|\b(?:4\d\d|5\d\d)\s+(?:error|not found|forbidden)"
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
        why = looks_like_wall(decode_text("page.html", raw), status)
    except Unreadable:
        return  # Its parser will say why.
    if why is not None:
        kind = _REFUSED_AS.get(why, UnsupportedContent)
        raise kind(url, why, {"status_code": status, "reason": why})


def needs_scripts(raw: bytes) -> bool:
    """Whether a page shows nothing until a browser has run its scripts."""
    try:
        return looks_like_wall(decode_text("page.html", raw)) == _SCRIPTS
    except Unreadable:
        return False


def looks_like_wall(html_text: str, status: int = 200) -> str | None:
    """What stands in the page's place, or None when it looks like a page of its own."""
    if status >= 400:
        return f"the site answered with status {status}"
    html = html_text[:_READ]
    text = visible_text(html)
    headline = _headline(html[:_BEGINNING])
    if len(text) > _MIDDLING:
        return None
    if _FRAMES.search(html) and len(text) < _SHORT:
        return "it is a page of frames without a text of its own"
    return (
        _challenge(headline, text)
        or _error(headline, text)
        or _paywall(html, text)
        or _login(html, headline, text)
        or _consent(headline, text)
        or _shell(html, text)
    )


def _headline(html: str) -> list[str]:
    found = [match[1] for pattern in (_TITLE, _TOP_HEADING) if (match := pattern.search(html))]
    return [untagged(each) for each in found]


def _challenge(headline: list[str], text: str) -> str | None:
    named = any(_CHALLENGE.search(line) for line in headline)
    if named or (len(text) < _SHORT and _CHALLENGE.search(text)):
        return "it asks to prove that one is human"
    return None


def _error(headline: list[str], text: str) -> str | None:
    if len(text) < _SHORT and any(_ERROR_TITLE.search(line) for line in headline):
        return "it is an error page"
    return None


def _paywall(html: str, text: str) -> str | None:
    phrases = {phrase.casefold() for phrase in _PAY.findall(text)}
    if phrases and (len(text) < _SHORT or len(phrases) > 1 or _NOT_FREE.search(html)):
        return "it is behind a paywall"
    return None


def _login(html: str, headline: list[str], text: str) -> str | None:
    form = _PASSWORD.search(html) is not None
    named = any(_LOGIN.search(line) for line in headline)
    if len(text) < _SHORT and ((form and named) or _MUST_LOGIN.search(text)):
        return "it is behind a login"
    if form and len(text) < _SHORT // 2 and _LOGIN.search(text):
        return "it is behind a login"
    return None


def _consent(headline: list[str], text: str) -> str | None:
    named = any(_CONSENT_TITLE.search(line) for line in headline)
    if (named and _CONSENT.search(text)) or (len(text) < _SHORT // 2 and _CONSENT.search(text)):
        return "it asks for consent to cookies first"
    return None


def _shell(html: str, text: str) -> str | None:
    if _REFRESH.search(html) and len(text) < _SHORT // 2:
        return "it only leads on to another page"
    if not _SCRIPT.search(html):
        return None
    asked = _SCRIPT_NEEDED.search(_noscript(html)) or _SCRIPT_NEEDED.search(text)
    if len(text) < _SHORT // 2 and (asked or _APP_ROOT.search(html)):
        return _SCRIPTS
    return None


def _noscript(html: str) -> str:
    return " ".join(_NOSCRIPT.findall(html[:_BEGINNING]))
