"""Finds the cells of tables whose cells have several lines, so that each is read down to its end.

Columns of such a table leave strips of the page free, and its rows stand further apart than lines
do. What says that a line goes on below and not beside it is its room: the first word of the line
below would not have fitted behind it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from actors.adapters.pdf.lines import Run
from actors.adapters.pdf.pieces import BULLET, CJK

_STRIP = 0.7
"""In letter sizes: what is free at least between two columns of cells."""

_LOOSE = 1.2
"""Times the distance of lines within a cell: that of two rows at least."""

_WORDS = 3
"""Words of a line at least of which it can be said that it is full."""

_FULL = 0.8
"""Share of the lines that are full, where cells have several lines."""

_STEPS = 3
"""Lines at least that go on below, so that it is no chance."""

_ROWS = 3
_ALIGNED = 0.85
"""Rows of a table at least; and share of the gaps in its columns that lie between its rows."""

_BEGIN = 0.67
"""Share of the lines at most that begin a row, where only its first cell tells that it does."""

_LONG = 6.0
"""In letter sizes: a line of letters that need no blanks between words."""

_AGAINST = 0.6
"""Share of the lines at most that begin with a capital though no sentence has ended."""

_ITEMS = 0.5
"""Share of the cells at most that begin like the items of a list."""

_MOST = 12
"""Columns of a table at most."""

Rows = list[list[Run]]
Span = tuple[float, float]


def blocks_of(rows: Rows) -> Iterator[Rows]:
    """The rows of a column, parted so that each cell of several lines is a block of its own."""
    plain: Rows = []
    for part, spans in _stretches(rows):
        groups = _groups(part, spans) if len(spans) > 1 and not _is_code(part) else []
        if not _goes_on_below(groups, spans):
            plain += part
            continue
        for group in groups:
            cells = _cells(group, spans)
            if _is_across(group, cells):
                plain += group
                continue
            if plain:
                yield plain
            plain = []
            yield from cells
    if plain:
        yield plain


def table_of(rows: Rows) -> list[Rows]:
    """The cells of what stands in columns, if its rows are level over all of them; else nothing."""
    spans = _spans(rows)
    if not 1 < len(spans) <= _MOST or _is_code(rows):
        return []
    apart = _by_gaps(rows, spans)
    groups = _with_names(apart)
    cells = [_cells(group, spans) for group in groups]
    full = [each for each in cells if len(each) > 1]
    level = [each for each in full if abs(each[0][0][0].base - each[1][0][0].base) < 1.0]
    if len(full) < _ROWS or len(level) < _FULL * len(full):
        return []
    if not _are_level(rows, apart, spans) or not _goes_on_below(groups, spans):
        return []
    flat = [cell for each in cells for cell in each]
    items = sum(bool(BULLET.match(cell[0][0].words[0].text + " .")) for cell in flat)
    # Items that stand level by chance are lists beside each other.
    return flat if items <= _ITEMS * len(flat) else []


def _stretches(rows: Rows) -> Iterator[tuple[Rows, list[Span]]]:
    """Rows that leave the same strips free, as long as such a part goes."""
    part: Rows = []
    spans: list[Span] = []
    for row in rows:
        here = _spans([row]) if len(row) <= _MOST else []
        joined = _merged([*spans, *here])
        same = len(spans) <= len(joined) <= _MOST and (len(spans) > 1 or len(joined) == 1)
        if part and here and same:
            part.append(row)
            spans = joined
            continue
        if part:
            yield part, spans
        part, spans = [row], here
    if part:
        yield part, spans


def _spans(rows: Rows) -> list[Span]:
    """From where to where something stands, and the strip that is free behind it at least."""
    return _merged(
        [(run.left, run.right + _STRIP * run.words[0].size) for row in rows for run in row]
    )


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for left, right in sorted(spans):
        if merged and left <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], right))
        else:
            merged.append((left, right))
    return merged


def _is_code(rows: Rows) -> bool:
    return all(word.fixed for row in rows for run in row for word in run.words)


def _cells(rows: Rows, spans: Sequence[Span]) -> list[Rows]:
    """The lines of each column of some rows, without columns that are empty there."""
    columns = ([[run for run in row if _is_in(run, span)] for row in rows] for span in spans)
    return [cell for cell in ([row for row in column if row] for column in columns) if cell]


def _is_in(run: Run, span: Span) -> bool:
    return span[0] <= run.left <= span[1]


def _is_across(rows: Rows, cells: list[Rows]) -> bool:
    """Whether rows say the same in turn as cell by cell: no cell but the last has a second line."""
    across = [id(run) for row in rows for run in row]
    return across == [id(run) for cell in cells for row in cell for run in row]


def _groups(rows: Rows, spans: Sequence[Span]) -> list[Rows]:
    """The lines of each row of a table: by the gaps between rows, else by what begins them."""
    groups = _by_gaps(rows, spans)
    if len(groups) > 1:
        return _with_names(groups)
    begins = [_is_in(row[0], spans[0]) for row in rows]
    if sum(begins) > _BEGIN * len(rows):
        return groups
    return _parted(rows, begins)


def _by_gaps(rows: Rows, spans: Sequence[Span]) -> list[Rows]:
    usual = _leading(rows, spans)
    apart = [below[0].base - row[0].base > _LOOSE * usual for row, below in pairwise(rows)]
    return _parted(rows, [True, *apart])


def _parted(rows: Rows, begins: Sequence[bool]) -> list[Rows]:
    groups: list[Rows] = [[]]
    for row, begin in zip(rows, begins, strict=True):
        if begin and groups[-1]:
            groups.append([])
        groups[-1].append(row)
    return groups


def _leading(rows: Rows, spans: Sequence[Span]) -> float:
    """The distance of the lines within a cell: the least that is usual."""
    distances = sorted(
        below.base - run.base for run, below, _ in _steps(rows, spans) if below.base > run.base
    )
    return distances[len(distances) // 5] if distances else 0.0


def _steps(rows: Rows, spans: Sequence[Span]) -> Iterator[tuple[Run, Run, Span]]:
    """What ends each line of each column, and what begins the next."""
    for span in spans:
        column = [found for row in rows if (found := [run for run in row if _is_in(run, span)])]
        for line, below in pairwise(column):
            yield line[-1], below[0], span


def _are_level(rows: Rows, groups: Sequence[Rows], spans: Sequence[Span]) -> bool:
    """Whether hardly a gap in a column lies elsewhere than between two rows of the table."""
    usual = _LOOSE * _leading(rows, spans)
    gaps, within = (
        sum(
            below.base - run.base > usual for part in parts for run, below, _ in _steps(part, spans)
        )
        for parts in ([rows], groups)
    )
    return gaps > 0 and within <= (1 - _ALIGNED) * gaps


def _with_names(groups: list[Rows]) -> list[Rows]:
    """Rows of cells, each with the names of its cells above it where these stand apart from them."""
    names = [len(group) == 1 and _is_name(group[0]) for group in groups]
    if sum(names) < 2:
        return groups
    joined: list[Rows] = []
    for place, group in enumerate(groups):
        if place and names[place - 1]:
            joined[-1] = joined[-1] + group
        else:
            joined.append(group)
    return joined


def _is_name(row: list[Run]) -> bool:
    return all(word.bold for run in row for word in run.words)


def _goes_on_below(groups: Sequence[Rows], spans: Sequence[Span]) -> bool:
    """Whether the lines of cells are full, and the text goes on from them to those below."""
    steps = full = against = 0
    for group in groups:
        for run, below, span in _steps(group, spans):
            last, first = run.words[-1], below.words[0]
            falls = bool(CJK.match(last.text))
            if len(run.words) < _WORDS and not (falls and run.right - run.left > _LONG * last.size):
                continue
            needed = last.size if falls else first.right - first.left
            steps += 1
            full += run.right + needed > span[1] - _STRIP * last.size
            against += first.text[0].isupper() and last.text[-1].isalnum()
    return steps >= _STEPS and full >= _FULL * steps and against <= _AGAINST * steps
