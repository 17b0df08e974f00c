"""What is left of HTML when its tags are taken out: for judging a page, never for reading it.

Quick and rough on purpose; bounded, so that a hostile page costs no more than its length.
"""

import re
from html import unescape

_HIDDEN = re.compile(
    r"<(script|style|noscript|template|svg|title)\b.*?(?:</\1\s*>|\Z)", re.I | re.S
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_TAG = re.compile(r"<[^<>]{0,5000}>")
_BREAK = re.compile(r"</?(?:p|br|li|div|ul|ol|h[1-6]|tr)\b[^<>]{0,500}>", re.I)


def untagged(html: str) -> str:
    """The words between tags, on one line."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def visible_text(html: str) -> str:
    """Roughly what a reader sees of a page, on one line."""
    return untagged(_HIDDEN.sub(" ", _COMMENT.sub(" ", html)))


def broken_lines(html: str) -> list[str]:
    """The lines that block elements make of a piece of HTML, tags within them still there."""
    return _BREAK.sub("\n", html).splitlines()
