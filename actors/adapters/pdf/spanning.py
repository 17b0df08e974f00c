"""What does not follow the columns of a page: tables across them, and notes in the margin."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from actors.adapters.pdf.word import Word

Span = tuple[float, float]
"""From where to where a run of words reaches."""

_ROWS = 3
"""Rows that a table has at least."""

_NARROW = 0.5
_LOOSE = 0.6
"""Of a column's width, what a cell has at most; of a page's, what a row of cells has."""

_WIDE = 0.45
_LINES = 6
"""Of a page's width, what a line of the text has; and how many such lines there are at least."""

_MOSTLY = 0.35
"""Share of the lines that begin and end where the text does."""

_OUT, _ACROSS = 6.0, 0.1
"""Points by which a line leaves the text; and share of the lines that do so at most."""

_WORD = re.compile(r"[^\W\d_]{3}")


def tabled_rows(rows: Sequence[Sequence[Span]], gutter: float) -> set[int]:
    """Rows of a table that goes on across the gutter between two columns."""
    if not any(rows):
        return set()
    left = min(run[0] for row in rows for run in row)
    right = max(run[1] for row in rows for run in row)
    like = [_is_of_table(row, left, gutter, right) for row in rows]
    found: set[int] = set()
    begin = 0
    for place in range(len(rows) + 1):
        if place < len(rows) and like[place] is not None:
            continue
        full = [at for at in range(begin, place) if like[at]]
        if len(full) >= _ROWS:
            found |= set(range(full[0], full[-1] + 1))
            if full[0] > begin:
                found |= set(range(begin, full[0]))
        begin = place + 1
    return found


def _is_of_table(row: Sequence[Span], left: float, gutter: float, right: float) -> bool | None:
    """Whether a row is of three cells and more on both sides; not, of two; nothing, of text."""
    if len(row) < 2 or any(run[0] < gutter < run[1] for run in row):
        return None
    before = [run for run in row if run[1] <= gutter]
    after = [run for run in row if run[0] >= gutter]
    if not before or not after:
        return None
    narrow = all(
        run[1] - run[0] < _NARROW * side
        for runs, side in ((before, gutter - left), (after, right - gutter))
        for run in runs
    )
    loose = sum(run[1] - run[0] for run in row) < _LOOSE * (right - left)
    return (len(row) >= _ROWS) if narrow and loose else None


def text_block(runs: Sequence[Span], width: float) -> Span | None:
    """Where the lines of a text of one column begin and end; nothing where there is no such text."""
    wide = [run for run in runs if run[1] - run[0] > _WIDE * width]
    if len(wide) < _LINES or len(wide) < _MOSTLY * len(runs):
        return None
    left, begin = Counter(round(run[0]) for run in wide).most_common(1)[0]
    right, end = Counter(round(run[1]) for run in wide).most_common(1)[0]
    if min(begin, end) < max(_ROWS, _MOSTLY * len(wide)):
        return None
    # Lines that begin in a margin and end in the text show that there is no margin.
    across = sum(run[0] < left - _OUT or run[1] > right + _OUT for run in wide)
    return (left, right) if across <= _ACROSS * len(wide) else None


def cut_at(words: Sequence[Word], left: float, right: float) -> Iterator[list[Word]]:
    """The words of a line, those in the margin by themselves."""
    part = [words[0]]
    for before, word in pairwise(words):
        gap = word.left - before.right > 0.5 * word.size
        outward = before.right <= right + 1.5 and word.left > right + 0.5 * word.size
        inward = before.right < left - 0.5 * word.size and word.left >= left - 1.5
        if gap and (outward or inward):
            yield part
            part = []
        part.append(word)
    yield part


def is_beside(words: Sequence[Word], left: float, right: float) -> bool:
    """Whether words stand in the margin; a number before a heading belongs to it."""
    outside = words[-1].right < left or words[0].left > right
    return outside and (len(words) > 1 or bool(_WORD.search(words[0].text)))
