"""Lines amid a text that are no part of it: what else to read, whom to follow, that an advertisement comes.

Judged line by line, because they stand among the paragraphs and are called nothing. A line goes only where its own
words say what it is: a call to follow or to get something is the site's own only where it says whose, and that an
advertisement comes is said by a whole line, never by a word or an item of a list. One that merely has a link stays.
"""

import contextlib
import re
from typing import Any

from actors.adapters.section_names import MORE

_LONGEST = 250
"""Letters of a line that says nothing else."""

_LINKED = 0.5
"""Share of links in a line that leads to something else to read."""

_LINES = ("p", "div", "li", "span", "section", "aside", "figure")
_WITHIN = frozenset({"li", "span"})
"""What may be a word of a sentence or an item among others."""

_INLINE = frozenset(
    {
        *("a", "abbr", "b", "br", "cite", "code", "em", "font", "i", "img", "mark", "q", "s"),
        *("small", "span", "strong", "sub", "sup", "time", "u", "wbr", "svg", "path", "use"),
    }
)
_LEADS_ON = re.compile(
    r"\W*(?:also read|must read|in case you missed it|watch"
    rf"|{MORE})\s*[:\uff1a»\u203a>|–—-]",
    re.I,
)
_CALLS = re.compile(
    r"(?=.{0,160}\b(?:us|our|me|my|newsletters?)\b)"
    r"\W*(?:please |you can (?:also )?)?(?:follow|subscribe|sign up|join|download|click here"
    r"|tap here|like us|get)\b.{0,120}\b(?:newsletters?|channel|whatsapp|telegram|google news"
    r"|facebook|twitter|instagram|youtube|linkedin|our app|mobile app)\b"
    r"|\W*(?:folgen sie uns|abonnieren sie|suivez[- ]nous|abonnez[- ]vous|síguenos|suscríbete"
    r"|siga-nos|seguici)\b"
    r"|.{0,60}(?:フォロー|チャンネル登録|メルマガ登録|友だち追加)(?:は|を)?.{0,12}"
    r"(?:こちら|お願いします|してください)",
    re.I,
)
"""Whom to follow and what to get of the site itself; of others, a text may say the same."""

_NOTICES = re.compile(
    r"\W*(?:advertise?ment|advertising|sponsored(?: content)?"
    r"|(?:story|article) continues below(?: (?:this )?ad(?:vertisement)?)?"
    r"|anzeige|werbung|publicité|publicidad|реклама|広告|スポンサー(?:ド)?リンク)\W*",
    re.I,
)
_READER = re.compile(
    r"(?=.{0,200}adobe\W{0,2}(?:acrobat\W{0,2})?reader)(?=.{0,300}(?:ダウンロード|download))",
    re.I,
)
"""Where to get a program for the documents of a page."""


def drop_asides(tree: Any) -> None:
    """Take out of a parsed page the lines that say of themselves that they are something else."""
    for line in list(tree.iter(*_LINES)):
        if any(child.tag not in _INLINE for child in line if isinstance(child.tag, str)):
            continue
        if _is_aside(line):
            with contextlib.suppress(AssertionError):  # it went with another
                line.drop_tree()


def _is_aside(line: Any) -> bool:
    text = _short_text(line)
    if not text:
        return False
    if _READER.match(text):
        return True
    if line.tag not in _WITHIN and _NOTICES.fullmatch(text):
        return True
    linked = sum(len("".join(link.itertext())) for link in line.iter("a"))
    if _LEADS_ON.match(text):
        return linked >= _LINKED * len(text)
    return bool(linked and _CALLS.match(text))


def _short_text(element: Any) -> str:
    pieces, room = [], _LONGEST
    for piece in element.itertext():
        room -= len(piece.strip())
        if room < 0:
            return ""
        pieces.append(piece)
    return " ".join("".join(pieces).split())
