"""Japanese and Chinese that runs from top to bottom, told as words on a page that lies on its side.

So held, its columns are lines, from the right of the page to its left, and are read like any others.
"""

import re
from dataclasses import replace

from actors.adapters.pdf.word import Word

FALLS = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
SIDEWAYS = 270
"""Degrees by which such a page seems to be turned."""

_ABOVE, _BELOW = 0.88, 0.12
"""Of a letter's size, how far it reaches above and below its origin."""

_MOST = 0.5
"""Share of a page's letters that must fall for the others to belong to them."""


def downward(text: str, first: tuple[float, float], last: float, width: float, size: float) -> Word:
    """A word whose letters stand below each other, from the place of its first to its last one."""
    across, down = first
    return Word(
        text=text,
        left=down - _ABOVE * size,
        right=last + _BELOW * size,
        base=width - across,
        size=size,
        bold=False,
        fixed=False,
        turn=SIDEWAYS,
    )


def as_columns(words: list[Word], width: float) -> list[Word]:
    """The words of a page that runs from top to bottom; also those that are too short to fall."""
    letters = sum(len(word.text) for word in words)
    falling = sum(len(word.text) for word in words if word.turn == SIDEWAYS)
    if falling < _MOST * letters:
        return words
    return [_turned(word, width) if word.turn == 0 else word for word in words]


def _turned(word: Word, width: float) -> Word:
    return replace(
        word,
        left=word.base - _ABOVE * word.size,
        right=word.base + _BELOW * word.size,
        base=width - word.left,
        turn=SIDEWAYS,
    )
