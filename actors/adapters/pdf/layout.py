"""From words at their places to lines in reading order: columns, rows, and what spans them.

A line is a run of words on one base line. Where lines leave a gutter free over the height of a
page, what is left of it is read before what is right of it; lines across the gutter part the
columns above them from those below.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from actors.adapters.pdf.cells import blocks_of, table_of
from actors.adapters.pdf.initials import with_initials
from actors.adapters.pdf.line_numbers import without_line_numbers
from actors.adapters.pdf.lines import Line, Page, Run, line_of, rows_of, runs_of, without_number
from actors.adapters.pdf.order import Row, in_better_order
from actors.adapters.pdf.spanning import cut_at, is_beside, tabled_rows, text_block

_LEAST_LINES = 4
"""Lines a column has at least."""

_NARROWEST = 0.17
"""Share of the width that the lines of a column have at least, or it is a column of a table."""

_NARROW = 0.1
"""The same where the lines of two columns stand on base lines of their own, as no table's do."""

_TOPMOST = 12
"""Rows at the top of a page among which those above its columns are."""

_HEADLINE = 1.5
"""Times the usual size of a page's letters: those of a headline over several columns."""

_LEVEL = 2.0
"""Points by which the lines of one column may begin apart on two pages."""

_SHORT = 0.62

_APART = 1.7

_COUNT = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-H]\.")

_DEEPEST = 3

_MOST_GUTTERS = 12


@dataclass(slots=True)
class _Found:
    """Rows in reading order, each with the number of its column."""

    rows: list[Row] = field(default_factory=list)
    level: set[int] = field(default_factory=set)
    """Columns that are cells of a table whose rows are level."""

    column: int = 0

    def take(self, blocks: Iterable[list[list[Run]]], *, level: bool = False) -> None:
        """Append rows as those of columns of their own."""
        for rows in blocks:
            self.column += 1
            self.rows += [(self.column, row) for row in rows]
            if level:
                self.level.add(self.column)


def lines_of_page(
    page: Page, before: Sequence[Line] = (), known: Collection[str] = frozenset()
) -> tuple[list[Line], str]:
    """The lines of a page in reading order, and what is written on it in another direction.

    Where a page has too few lines to tell its columns, they are those of the page before. `known`
    are words of the document, of which some are cut at the ends of lines.
    """
    turns = Counter(word.turn for word in page.words)
    main = turns.most_common(1)[0][0] if turns else 0
    sideways = main in {90, 270}
    width, height = (page.height, page.width) if sideways else (page.width, page.height)
    straight = [word for word in page.words if word.turn == main]
    straight = with_initials(without_line_numbers(straight, width))
    turned = [word for word in page.words if word.turn != main]
    found = _Found()
    runs = runs_of(straight)
    if block := text_block([(run.left, run.right) for run in runs], width):
        runs = [Run(part) for run in runs for part in cut_at(run.words, *block)]
        drawn = runs
        beside = [run for run in runs if is_beside(run.words, *block)]
        runs = [run for run in runs if not is_beside(run.words, *block)]
    else:
        drawn, beside = runs, []
    gutter = _same_gutter(runs, before)
    if gutter is None:
        _order(runs, width, 0, found)
    else:
        _columns(runs, gutter, width, 0, found)
    if beside:
        found.take([rows_of(beside)])
    ordered = found.rows
    if page.drawn:
        ordered = in_better_order(ordered, drawn, known, found.level)
    lines = [line_of(runs, column, page.number, height) for column, runs in ordered]
    return lines, " ".join(word.text for word in turned)


def _same_gutter(runs: list[Run], before: Sequence[Line]) -> float | None:
    """The gutter of the page before, where the few lines of this one stand beside it as well."""
    if not runs or len(runs) >= 2 * _LEAST_LINES:
        return None
    columns: dict[int, list[Line]] = {}
    for line in before:
        columns.setdefault(line.column, []).append(line)
    whole = [of for of in columns.values() if len(of) >= _LEAST_LINES]
    for left, right in pairwise(sorted(whole, key=lambda of: min(line.left for line in of))):
        start = min(line.left for line in right)
        gutter = start - 1.5
        after = [run for run in runs if run.left > gutter]
        if (
            max(line.right for line in left) < start
            and 0 < len(after) < len(runs)
            and all(run.right < gutter for run in runs if run.left <= gutter)
            and abs(min(run.left for run in after) - start) < _LEVEL
        ):
            return gutter
    return None


def _order(runs: list[Run], width: float, depth: int, found: _Found) -> None:
    """Take the runs line by line in reading order."""
    if not runs:
        return
    gutter = _gutter(runs, width) if depth < _DEEPEST else None
    if gutter is None:
        found.take(blocks_of(rows_of(runs)))
        return
    band: list[Run] = []
    rows = rows_of(runs)
    heading = _heading_rows(rows, gutter) if depth == 0 else 0
    tabled = tabled_rows([_spans(row) for row in rows], gutter)
    headline = _HEADLINE * median(row[0].words[0].size for row in rows)
    beside = sorted(run.base for run in runs if run.left >= gutter)
    spanning: list[list[Run]] = []
    for place, row in enumerate(rows):
        across = (
            place < heading
            or place in tabled
            or any(run.left < gutter < run.right for run in row)
            or (spanning and _ends_span(rows[place - 1], row, gutter))
            or (row[0].words[0].size > headline and _is_headline(row, gutter, beside))
        )
        if across:
            _columns(band, gutter, width, depth, found)
            band = []
            spanning.append(row)
            continue
        found.take(blocks_of(spanning))
        spanning = []
        band += row
    found.take(blocks_of(spanning))
    _columns(band, gutter, width, depth, found)


def _spans(row: list[Run]) -> list[tuple[float, float]]:
    """From where to where the runs of a row reach; of code, nothing: it makes no table with code."""
    words = [word for run in row for word in without_number(run.words)]
    code = sum(word.fixed for word in words if not word.text.isdecimal())
    drawn = sum(not word.text.isdecimal() for word in words)
    return [] if drawn and code == drawn else [(run.left, run.right) for run in row]


def _ends_span(above: list[Run], row: list[Run], gutter: float) -> bool:
    """Whether a row is the last and short line of what spans the columns above it."""
    size = above[0].words[0].size
    if len(row) > 1 or row[0].left > gutter or above[-1].right < gutter:
        return False
    near = 0 < row[0].base - above[0].base < 1.4 * size
    alike = abs(row[0].words[0].size - size) < 0.05 * size
    goes_on = above[-1].words[-1].text[-1] not in ".!?"
    return near and alike and goes_on and abs(row[0].left - above[0].left) < size


def _is_headline(row: list[Run], gutter: float, beside: list[float]) -> bool:
    """Whether a row of very large letters has nothing beside it, and columns go on below it.

    `beside` are the base lines of what stands right of the gutter, from the top.
    """
    base, size = row[0].base, row[0].words[0].size
    if row[-1].right > gutter:
        return False
    nearest = bisect_right(beside, base - 1.3 * size)
    clear = nearest == len(beside) or beside[nearest] >= base + 0.4 * size
    return clear and bool(beside) and beside[-1] > base


def _heading_rows(rows: list[list[Run]], gutter: float) -> int:
    """Rows above the columns, such as those of authors beside each other: short, and set apart."""
    if len(rows) < 2 * _LEAST_LINES:
        return 0
    distances = [below[0].base - row[0].base for row, below in pairwise(rows)]
    usual = median(distances)
    spread = max(run.right for row in rows for run in row) - min(row[0].left for row in rows)
    last, titled = 0, False
    for place, row in enumerate(rows[:_TOPMOST]):
        sides = {run.left > gutter for run in row}
        across = any(run.left < gutter < run.right for run in row)
        short = len(sides) == 2 and sum(run.right - run.left for run in row) < _SHORT * spread
        titled = titled or across
        if not titled or not (across or short) or all(map(_is_counted_heading, row)):
            break
        if short and not across and _heads_columns(row, rows[place + 1]):
            break
        if distances[place] > _APART * usual:
            last = place + 1
    return last


def _heads_columns(row: list[Run], below: list[Run]) -> bool:
    """Whether a line of text begins below each part of a row, as below headings beside each other."""
    size = row[0].words[0].size
    return len(row) == len(below) and all(
        abs(lower.left - run.left) < 1.5 * size and lower.right > run.right
        for run, lower in zip(row, below, strict=True)
    )


def _is_counted_heading(run: Run) -> bool:
    return run.words[0].bold and bool(_COUNT.fullmatch(run.words[0].text))


def _columns(
    band: list[Run],
    gutter: float,
    width: float,
    depth: int,
    found: _Found,
) -> None:
    if table := table_of(rows_of(band)):
        found.take(table, level=True)
        return
    for side in ([r for r in band if r.right <= gutter], [r for r in band if r.left >= gutter]):
        _order(side, width, depth + 1, found)


def _gutter(runs: list[Run], width: float) -> float | None:
    """Where a gutter lies that parts two columns of text, if there is one."""
    left, right = min(run.left for run in runs), max(run.right for run in runs)
    spread = right - left
    if spread < 0.3 * width or len(runs) < 2 * _LEAST_LINES:
        return None
    best: tuple[int, float, float] | None = None
    starts = Counter(round(run.left) for run in runs)
    for start, lines in starts.most_common(_MOST_GUTTERS):
        # A column begins where several lines do; the gutter lies just left of them.
        gutter = start - 1.5
        if lines < _LEAST_LINES - 1 or not left + 0.2 * spread < gutter < right - 0.2 * spread:
            continue
        if not _parts(runs, gutter, width):
            continue
        across = sum(run.left < gutter < run.right for run in runs)
        middle = abs(gutter - (left + right) / 2)
        if best is None or (across, middle) < best[:2]:
            best = (across, middle, gutter)
    return best[2] if best else None


def _parts(runs: list[Run], gutter: float, width: float) -> bool:
    """Whether there is text enough on both sides, and little across."""
    before = [run for run in runs if run.right <= gutter]
    after = [run for run in runs if run.left >= gutter]
    across = len(runs) - len(before) - len(after)
    if min(len(before), len(after)) < _LEAST_LINES or across > 0.4 * len(runs):
        return False
    least = _NARROWEST if _level(before, after) else _NARROW
    return all(
        median(run.right - run.left for run in side) > least * width for side in (before, after)
    )


def _level(before: list[Run], after: list[Run]) -> bool:
    """Whether most lines of the shorter side stand level with one of the other."""
    short, long = sorted((before, after), key=len)
    bases = {round(run.base) for run in long}
    return sum(not bases.isdisjoint(_about(run.base)) for run in short) > 0.6 * len(short)


def _about(base: float) -> set[int]:
    return {round(base) - 1, round(base), round(base) + 1}
