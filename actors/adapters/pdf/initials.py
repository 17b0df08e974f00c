"""Puts the large letter that a chapter begins with to the word it belongs to.

Such a letter reaches over two lines or more and stands on the base line of the last of them, so that
the first line would be read behind the others.
"""

from collections.abc import Sequence
from dataclasses import replace

from actors.adapters.pdf.word import Word

LARGE = 1.6
"""Times the size of the letters beside it."""

_CAPITAL = 0.7
_HIGHER = 0.15
"""Of the size of letters: how high capitals are; and how much higher a line beside one may be."""

_CLOSE = 0.5
_MOST = 40
"""Initials of one page at most."""


def with_initials(words: Sequence[Word]) -> list[Word]:
    """The words of a page, those that were parted from their first letter whole."""
    kept = list(words)
    found = [word for word in words if len(word.text) == 1 and word.text.isupper()]
    for letter in found[:_MOST]:
        rest = _rest_of(letter, words)
        if rest is not None and rest in kept:
            kept.remove(letter)
            whole = replace(rest, text=letter.text + rest.text, left=letter.left)
            kept[kept.index(rest)] = whole
    return kept


def _rest_of(letter: Word, words: Sequence[Word]) -> Word | None:
    """The first word of the first line beside a letter that reaches over several lines."""
    # The first line is as high as the letter; a heading above both is higher.
    top = letter.base - _CAPITAL * letter.size - _HIGHER * letter.size
    beside = [
        word
        for word in words
        if letter.size >= LARGE * word.size
        and word.turn == letter.turn
        and -0.1 * letter.size < word.left - letter.right < _CLOSE * letter.size
        and top < word.base - _CAPITAL * word.size
        and word.base < letter.base + 0.2 * word.size
    ]
    first = min(beside, key=lambda word: (word.base, word.left), default=None)
    over = first is not None and letter.base - first.base > 0.6 * first.size
    return first if over else None
