"""Finds the numbers that manuscripts and laws have beside their lines."""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from actors.adapters.pdf.word import Word

_LEAST = 6
"""Numbers on a page that are no chance."""

_STEPS = frozenset({1, 5, 10})
_OUTSIDE = 0.02
_ROW = 3.0
"""Points within which words stand on one line."""

_LINES = 1.5
"""Lines to each that is counted, at most: years or paragraphs are counted, not lines, if more."""

_WORDS = 5
_NEAR = 8.0
"""Points from the middle of the page."""


def without_line_numbers(words: list[Word], width: float) -> list[Word]:
    """The words of a page without a column of numbers that counts the lines beside it."""
    numbers = [word for word in words if word.text.isdecimal() and len(word.text) <= 5]
    if len(numbers) < _LEAST:
        return words
    lefts = sorted(word.left for word in words if not word.text.isdecimal())
    rights = sorted(word.right for word in words if not word.text.isdecimal())
    if len(lefts) < _LEAST:
        return words
    # A few words may stand in the margin as well.
    left, right = lefts[int(_OUTSIDE * len(lefts))], rights[-1 - int(_OUTSIDE * len(rights))]
    dropped: set[int] = set()
    for side in (
        [word for word in numbers if word.right < left],
        [word for word in numbers if word.left > right],
    ):
        if _counts(side) and _beside_prose(side, words) and _each_line(side, words, width):
            dropped |= {id(word) for word in side}
    central = _between_columns(numbers, width / 2)
    if _counts(central):
        dropped |= {id(word) for word in central}
    return [word for word in words if id(word) not in dropped] if dropped else words


def _between_columns(numbers: Sequence[Word], middle: float) -> list[Word]:
    """Every fifth line is counted in the middle of a page where two columns share the numbers."""
    fifth = [word for word in numbers if int(word.text) % 5 == 0]
    central = [word for word in fifth if word.left - _NEAR < middle < word.right + _NEAR]
    return central if central and min(int(word.text) for word in central) == 5 else []


def _beside_prose(side: Sequence[Word], words: Sequence[Word]) -> bool:
    """Whether lines of text stand beside numbers, and not the few words of a table's rows."""
    rows = Counter(round(word.base / _ROW) for word in words if not word.text.isdecimal())
    beside = [sum(rows[round(word.base / _ROW) + off] for off in (-1, 0, 1)) for word in side]
    return median(beside) >= _WORDS


def _each_line(side: Sequence[Word], words: Sequence[Word], width: float) -> bool:
    """Whether as many lines stand from number to number as are counted."""
    near = side[0].left < width / 2
    beside = [word for word in words if (word.left < width / 2 if near else word.right > width / 2)]
    rows = sorted({round(word.base / _ROW) for word in beside if not word.text.isdecimal()})
    lines = [row for before, row in pairwise([-_LEAST, *rows]) if row - before > 1]
    counted = sorted((round(word.base / _ROW), int(word.text)) for word in side)
    shares = [
        (bisect(lines, below + 1) - bisect(lines, row + 1)) / (number - before)
        for (row, before), (below, number) in pairwise(counted)
        if number > before
    ]
    return median(shares) <= _LINES


def _counts(side: Sequence[Word]) -> bool:
    """Whether numbers rise by the same step from line to line."""
    if len(side) < _LEAST:
        return False
    ordered = sorted(side, key=lambda word: word.base)
    steps = Counter(int(below.text) - int(word.text) for word, below in pairwise(ordered))
    step, times = steps.most_common(1)[0]
    return step in _STEPS and times >= 0.8 * (len(ordered) - 1)
