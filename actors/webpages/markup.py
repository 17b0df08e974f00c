"""What is left of HTML when its tags are taken out: for judging a page, never for reading it.

Quick and rough on purpose; bounded, so that a hostile page costs no more than its length.
"""

import html
import re

_HIDDEN = re.compile(
    r"<(script|style|noscript|template|svg|title)\b.*?(?:</\1\s*>|\Z)", re.I | re.S
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_TAG = re.compile(r"<[^<>]{0,5000}>")
_BREAK = re.compile(r"</?(?:p|br|li|div|ul|ol|h[1-6]|tr)\b[^<>]{0,500}>", re.I)
_NO_LETTER = re.compile(r"&#[0-9]{10,}+;?")
"""A number that no letter has; of a very long one Python makes no number at all, but an error."""


def unescaped(markup: str) -> str:
    """Markup with the letters that its character references stand for."""
    return html.unescape(_NO_LETTER.sub("\ufffd", markup))


def untagged(markup: str) -> str:
    """The words between tags, on one line."""
    return " ".join(unescaped(_TAG.sub(" ", markup)).split())


def visible_text(markup: str) -> str:
    """Roughly what a reader sees of a page, on one line."""
    return untagged(_HIDDEN.sub(" ", _COMMENT.sub(" ", markup)))


def broken_lines(markup: str) -> list[str]:
    """The lines that block elements make of a piece of HTML, tags within them still there."""
    return _BREAK.sub("\n", markup).splitlines()


def has_lines(markup: str) -> bool:
    """Whether block elements make lines in a text."""
    return _BREAK.search(markup) is not None
