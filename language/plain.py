"""Words of strangers, so that nobody who shows Markdown takes them for markup, nor for our own marks. Pure.

Done twice it is the same: words may come by here on their way from one answer to the next.
"""

import re
import unicodedata

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


def is_seen(char: str) -> bool:
    """Whether a character leaves a mark: no blank, no control, nothing that only joins or turns others."""
    return unicodedata.category(char)[0] not in "ZC" and char not in _BLANKS


_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""
