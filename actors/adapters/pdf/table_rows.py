"""Puts the rows of a table together whose cells were read one by one: the names of its columns, and cells of two lines.

Such a row stands between rows that are on one line each, or above them, and says nothing without them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from actors.adapters.pdf.lines import Line

_LEADING = 1.45
"""In letter sizes: lines of one cell are no further apart."""

_ABOVE = 3.2
"""In letter sizes: the names of columns are no further above the first row."""

_MOST_COLUMNS = 200
"""Each cell is held against every one of them; a page has no room for more."""

_COLUMNS = 3
"""Of a table at least: two are as often a term and what is said of it, and go on like prose."""

_LEVEL = 0.2
"""In letter sizes: cells of one row begin, or end, no further apart."""

_FURTHER = 1.1
"""Times the distance of lines within a cell: that of two rows at least."""

_HIGHEST = 4
"""Lines of a name of a column."""

_LONGEST = 240
_FIGURE = re.compile(r"\W{0,3}\d")
_CAPTION = re.compile(
    r"(?:table|tab\.|tabelle|tableau|tabla|tabella|figure|fig\.|abbildung|abb\.)\s*\w|[表図]\s*\d",
    re.I,
)
_SENTENCE = re.compile(r"[.!?。:;]\Z")

Length = Callable[[list[Line], int], int]


def with_whole_rows(lines: list[Line], table_length: Length) -> list[Line]:
    """The lines, with each row of a table as one of them; `table_length` says how many rows begin at a place."""
    whole: list[Line] = []
    at = 0
    above: list[Line] = []
    while at < len(lines):
        rows = table_length(lines, at) or _last_rows(lines, at, above)
        if not rows:
            whole.append(lines[at])
            at += 1
            continue
        table = lines[at : at + rows]
        between = _since(whole, above)
        if between and (row := _row_between(above[-1], between, table[0])):
            whole[len(whole) - len(between) :] = [row]
        elif not between or not above or above[-1].page != table[0].page:
            _join_names(whole, table)
        whole += table
        above = table
        at += rows
    return whole


def _last_rows(lines: Sequence[Line], at: int, above: Sequence[Line]) -> int:
    """Rows that go on with a table behind one of its cells of several lines: fewer than a table has."""
    if not above or len(above[-1].starts) < _COLUMNS:
        return 0
    count, last = 0, above[-1]
    for place in range(at, len(lines)):
        line = lines[place]
        under = len(line.starts) == len(last.starts) and all(
            abs(start - other) < last.size
            for start, other in zip(line.starts, last.starts, strict=True)
        )
        if len(line.cells) < 2 or not under or line.page != last.page or line.base <= last.base:
            break
        count += 1
    return count


def _since(whole: list[Line], above: list[Line]) -> list[Line]:
    """What stands behind the table before."""
    place = next((at for at in range(len(whole), 0, -1) if above and whole[at - 1] is above[-1]), 0)
    return whole[place:] if place else []


def _row_between(above: Line, cells: Sequence[Line], below: Line) -> Line | None:
    """The row that cells between two rows of a table are, if they are one."""
    starts = [
        start
        for start in above.starts
        if any(abs(start - one) < above.size for one in below.starts)
    ]
    inside = all(
        each.page == above.page == below.page and above.base < each.base < below.base
        for each in cells
    )
    if not inside or len(starts) < max(len(above.starts), _COLUMNS):
        return None
    row = _assembled(cells, above, below)
    return row and replace(row, column=below.column)


def _join_names(whole: list[Line], table: Sequence[Line]) -> None:
    """Make one row of the lines above a table that name its columns, if its own first row does not."""
    first = table[0]
    if len(first.cells) < _COLUMNS or not any(map(_FIGURE.match, first.cells[1:])):
        return
    lowest = first.base - _ABOVE * first.size
    begin = len(whole)
    while (
        begin and _may_name(whole[begin - 1], first) and len(whole) - begin < 4 * len(first.cells)
    ):
        begin -= 1
    found = sorted(whole[begin:], key=lambda line: -line.base)
    if not found or found[0].base < lowest:
        return
    names = [found[0]]
    for line in found[1:]:
        if names[-1].base - line.base > _LEADING * first.size:
            break
        names.append(line)
    known = {id(line) for line in names}
    begin = len(whole) - len(names)
    if any(id(line) not in known for line in whole[begin:]):
        return
    row = _assembled(whole[begin:], first, first)
    if row and all(map(_FIGURE.match, row.cells)):
        return
    if row and len(row.cells) > 1:
        whole[begin:] = [replace(row, column=first.column)]


def _may_name(line: Line, first: Line) -> bool:
    """Whether a line above the first row may be of the names of its columns."""
    near = 0 < first.base - line.base < (_ABOVE + _HIGHEST * _LEADING) * first.size
    inside = line.left > first.left - 2 * first.size and line.right < first.right + 3 * first.size
    said = line.text.strip()
    return (
        line.page == first.page
        and near
        and inside
        and abs(line.size - first.size) < 0.1 * first.size
        and len(said) <= _LONGEST
        and not _SENTENCE.search(said)
        and not _CAPTION.match(said)
    )


def _assembled(lines: Sequence[Line], row: Line, below: Line) -> Line | None:
    """Lines of cells as one row, each under the column that it stands in; nothing where they are none."""
    if len(row.starts) > _MOST_COLUMNS:
        return None
    cells: dict[int, list[tuple[float, str]]] = {}
    for line in sorted(lines, key=lambda line: line.base):
        for start, cell in zip(line.starts, line.cells, strict=True):
            end = line.right if len(line.cells) == 1 else start + _width(cell, line)
            place = _column(start, end, row)
            before = cells.get(place - 1, [(0.0, "")])[-1]
            if before[1].endswith("-") and before[0] < line.base and cell[:1].islower():
                place -= 1  # the rest of a word
            cells.setdefault(place, []).append((line.base, cell))
    lowest = max(line.base for line in lines)
    for told in cells.values():
        steps = [lower - upper for (upper, _), (lower, _) in pairwise(told)]
        if any(not 0.5 * row.size < step <= _LEADING * row.size for step in steps):
            return None
        # Where the next row is no further off than the next line, these are rows themselves.
        if steps and below.base - lowest < _FURTHER * max(steps):
            return None
    if not _are_level(cells.values(), _LEVEL * row.size):
        return None
    last = max(line.right for line in lines)
    if last < row.starts[-1] or (len(lines) > 1 and len(cells) < 2):
        return None
    places = sorted(cells)
    names = [_run_on([cell for _, cell in cells[place]]) for place in places]
    if len(names) == 1 and len(words := names[0].split()) == len(row.cells):
        places, names = list(range(len(words))), words  # with no gap between them that parts cells
    return replace(
        row,
        cells=names,
        starts=tuple(row.starts[place] for place in places),
        base=(min(line.base for line in lines) + lowest) / 2,
        left=min(line.left for line in lines),
        right=last,
        bold=all(line.bold for line in lines),
        italic=all(line.italic for line in lines),
    )


def _are_level(cells: Iterable[list[tuple[float, str]]], most: float) -> bool:
    """Whether cells stand beside each other: at their first lines, their middles, or their last lines."""
    tops, feet = zip(*((told[0][0], told[-1][0]) for told in cells), strict=True)
    middles = [(top + foot) / 2 for top, foot in zip(tops, feet, strict=True)]
    return any(max(places) - min(places) <= most for places in (tops, middles, feet))


def _column(start: float, end: float, row: Line) -> int:
    """The column whose cell stands nearest: by its beginning, its middle or its end."""

    def apart(place: int) -> float:
        left = row.starts[place]
        right = left + _width(row.cells[place], row)
        middle = abs(start + end - left - right) / 2
        return min(abs(start - left), middle, abs(end - right))

    return min(range(len(row.starts)), key=apart)


def _width(cell: str, line: Line) -> float:
    return 0.5 * line.size * len(cell)


def _run_on(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        cut = text.endswith("-") and line[:1].islower()
        text = text[:-1] + line if cut else f"{text} {line}"
    return text
