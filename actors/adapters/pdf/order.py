"""Chooses between two orders of a page's lines: as their places suggest, and as the file draws them.

Most programs draw a text as it is read; some draw it row by row over all columns, or in no order at
all. No rule of places knows every layout. So a page is parted wherever both orders have read the
same lines, and in each part that order is taken from whose lines the text goes on more often: a
sentence that has not ended goes on in small letters, a cut word becomes one that the document has.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from statistics import median

from actors.adapters.pdf.lines import Run
from actors.adapters.pdf.pieces import hyphenated

Row = tuple[int, list[Run]]
"""What stands on one base line of a column, with the number of that column."""

_MARGIN = 1.5
"""By how much places must read better than the file, which is right more often."""

_TABLED = 0.8
"""Share of the rows of a part that are those of a table's cells, where it is one."""

_EDGES = 3
_APART, _LEADING = 1.8, 1.3
"""Rows at the top and foot of a page that may be heads; and how far from the text these stand at
least: in letter sizes, and in distances of lines."""

_LEVEL, _BACK = 0.4, 0.6
"""In letter sizes: how far lines on one base line are off it, and what is no step back on it."""

_GAP = 3.0
"""In letter sizes: a gap within a line that is set to end at the margin."""

_CELL = 4
"""Words of a cell in a table at most."""

_NAMED = 0.8
"""What speaks for a step from the name of a row to what stands beside it."""

_ENDED = re.compile(r"[.!?][\"'”’)\]]{0,3}\Z")
_SHORTENED = re.compile(r"(?:\b\w{1,3}|\d)\.\Z")
"""An abbreviation, or a number with a point: a sentence may go on behind it."""

_OPENING = "\"'“‘([«„"  # noqa: RUF001


def in_better_order(
    by_place: Sequence[Row],
    by_file: Sequence[Run],
    known: Collection[str],
    level: Collection[int] = frozenset(),
) -> list[Row]:
    """The rows of a page as they are read best; `known` are the words of the document.

    `level` are the columns that are cells of a table whose rows are level.
    """
    head, rows, foot = _without_edges(by_place)
    edges = {id(run) for _, row in (*head, *foot) for run in row}
    drawn = [run for run in by_file if id(run) not in edges]
    free = 1 + max((column for column, _ in by_place), default=0)
    chosen: list[Row] = []
    for part, runs in _parts(rows, drawn):
        placed = [run for _, row in part for run in row]
        before = chosen[-1][1][-1:] if chosen else []
        # Some programs draw a table column by column: where its rows are level, places are right.
        tabled = sum(column in level for column, _ in part) > _TABLED * len(part) and (
            _steps_up(runs) < 0.5 * _steps_up(placed)
        )
        margin = -_MARGIN if tabled else _MARGIN
        if all(one is other for one, other in zip(placed, runs, strict=True)) or (
            _gain([*before, *placed], [*before, *runs], known) > margin
        ):
            chosen += part
        else:
            chosen += _as_drawn(runs, part, free)
            free = chosen[-1][0] + 1
    return [*head, *chosen, *foot]


def _without_edges(rows: Sequence[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """The first rows that stand apart above all others, those between, and the same at the foot."""
    first, last = 0, len(rows)
    steps = [below[0].base - row[0].base for (_, row), (_, below) in pairwise(rows)]
    usual = _LEADING * median([step for step in steps if step > 0] or [0.0])
    highest = _running_least([row[0].base for _, row in rows][::-1])[::-1]
    lowest = _running_least([-row[0].base for _, row in rows])
    while first < min(_EDGES, len(rows) - 1):
        run = rows[first][1][0]
        if run.base + max(_APART * run.words[0].size, usual) > highest[first + 1]:
            break
        first += 1
    while last > max(first + 1, len(rows) - _EDGES):
        run = rows[last - 1][1][0]
        if run.base - max(_APART * run.words[0].size, usual) < -lowest[last - 2]:
            break
        last -= 1
    return list(rows[:first]), list(rows[first:last]), list(rows[last:])


def _running_least(values: Sequence[float]) -> list[float]:
    least: list[float] = []
    for value in values:
        least.append(min(value, least[-1]) if least else value)
    return least


def _parts(rows: Sequence[Row], drawn: Sequence[Run]) -> Iterator[tuple[list[Row], list[Run]]]:
    """Rows, and the runs of the file, cut wherever both orders have come to the same ones."""
    waiting: set[int] = set()
    part: list[Row] = []
    begin = end = 0
    for row in rows:
        part.append(row)
        for run in row[1]:
            for each in (run, drawn[end]):
                # What one order has read and the other not yet; read by both, it is settled.
                waiting ^= {id(each)}
            end += 1
        if not waiting:
            yield part, list(drawn[begin:end])
            part, begin = [], end


def _steps_up(runs: Sequence[Run]) -> int:
    """How often what is read next stands higher: cell by cell far more often than by columns."""
    return sum(run.base < before.base - run.words[0].size for before, run in pairwise(runs))


def _gain(placed: Sequence[Run], drawn: Sequence[Run], known: Collection[str]) -> float:
    """By how much more the text goes on from line to line by their places than in the file."""
    by_place = {(id(one), id(next_)): (one, next_) for one, next_ in pairwise(placed)}
    by_file = {(id(one), id(next_)): (one, next_) for one, next_ in pairwise(drawn)}
    gained = sum(_goes_on(*pair, known) for key, pair in by_place.items() if key not in by_file)
    lost = sum(_goes_on(*pair, known) for key, pair in by_file.items() if key not in by_place)
    return gained - lost


def _goes_on(before: Run, after: Run, known: Collection[str]) -> float:
    """How much likelier than by chance a text goes on from one run to another, as a logarithm."""
    said = _by_words(before.words[-1].text, after.words[0].text, known)
    size = max(before.words[0].size, after.words[0].size)
    level = abs(after.base - before.base) < _LEVEL * size
    if level and len(before.words) <= _CELL < len(after.words):
        # The name of a row, and what it names: no sentence has to go on between them.
        said = max(said, 0.0 if _ENDED.search(before.words[-1].text) else _NAMED)
    elif len(after.words) <= _CELL:
        said = max(said, 0.0)  # the name of a row begins as it likes
    return said + _by_place(before, after)


def _by_words(end: str, start: str, known: Collection[str]) -> float:
    first = start.lstrip(_OPENING)[:1]
    if cut := hyphenated(end):
        if not first.islower():
            return -2.0
        rest = re.match(r"[^\W\d_]+", start)
        whole = (cut.group(1) + (rest.group() if rest else "")).casefold()
        return 4.0 if whole in known else 0.3
    if _ENDED.search(end):
        if first.islower():
            return 0.0 if _SHORTENED.search(end) else -3.0
        return 0.8
    if first.islower():
        return 0.2
    return -0.6 if first.isupper() and end[-1].isalpha() else 0.0


def _by_place(before: Run, after: Run) -> float:
    """What speaks against a step: back on a line or up a column, or over a gap within a line."""
    size = max(before.words[0].size, after.words[0].size)
    down = after.base - before.base
    if abs(down) < _LEVEL * size:
        if after.left < before.right - _BACK * size:
            return -3.0
        return 0.0 if min(len(before.words), len(after.words)) <= _CELL else -0.5
    if down > 0 or after.left > before.right - size:
        return 0.0
    return -2.0


def _is_beside(before: Run, after: Run) -> bool:
    size = max(before.words[0].size, after.words[0].size)
    gap = after.left - before.right
    return abs(after.base - before.base) < _LEVEL * size and -_BACK * size < gap < _GAP * size


def _as_drawn(runs: Sequence[Run], part: Sequence[Row], column: int) -> Iterator[Row]:
    """Runs as the file draws them, in rows; a column ends where the next row is not below."""
    level = {id(run): place for place, (_, row) in enumerate(part) for run in row}
    row = [runs[0]]
    for before, run in pairwise(runs):
        together = level[id(before)] == level[id(run)] or _is_beside(before, run)
        if together and run.left > before.left:
            row.append(run)
            continue
        yield column, row
        left, right = row[0].left, max(each.right for each in row)
        below = run.base > row[0].base and run.left < right and run.right > left
        column += not below
        row = [run]
    yield column, row
