"""Words of strangers, so that nobody who shows Markdown takes them for markup, nor for our own marks. Pure.

Done twice it is the same: words may come by here on their way from one answer to the next.
"""

import re

_NUMBERS = r"\d{1,4}(?:\s?[,–-]\s?\d{1,4})*"
_MARK = re.compile(rf"\\?\[({_NUMBERS}|inference)\]", re.I)
"""How answers refer to their citations; a page's own brackets would look the same."""

_LIVE = re.compile(
    rf"(?<!\\)((?:\\\\)*)(\[(?!(?:{_NUMBERS}|inference|\.\.\.|…)\](?![(\[:]))|<(?=[A-Za-z/!?]))"
)
"""Begins an image, a link, the definition of one, or HTML, unless a backslash takes that from it."""


def inert(text: str) -> str:
    """A text whose images, links and HTML are shown as what was written; marks like [2] stay what they are."""
    return _LIVE.sub(r"\1\\\2", text)


def plainly(text: str) -> str:
    """The same, with the text's own marks in round brackets: none of them is one of ours."""
    return inert(_MARK.sub(r"(\1)", text))
