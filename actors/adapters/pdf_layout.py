"""From words at their places to lines in reading order: columns, rows, and what spans them.

A line is a run of words on one base line. Where lines leave a gutter free over the height of a
page, what is left of it is read before what is right of it; lines across the gutter part the
columns above them from those below.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from actors.adapters.pdf_line_numbers import without_line_numbers
from actors.adapters.pdf_notes import parted_by_note
from actors.adapters.pdf_spanning import cut_at, is_beside, tabled_rows, text_block
from actors.adapters.pdf_word import Word

LARGER = 1.12
"""Times the size of the body: letters of a heading."""

_WIDE = 1.6
"""Times the letter size: a gap between words that parts columns or cells."""

_LEAST_LINES = 4
"""Lines a column has at least."""

_NARROWEST = 0.17
"""Share of the width that the lines of a column have at least, or it is a column of a table."""

_NARROW = 0.1
"""The same where the lines of two columns stand on base lines of their own, as no table's do."""

_TOPMOST = 12
"""Rows at the top of a page among which those above its columns are."""

_SHORT = 0.62
_APART = 1.7
_SPACED = 5
"""Single letters beside each other that are no words."""

_DEEPEST = 3
_MOST_GUTTERS = 12


@dataclass(frozen=True, slots=True)
class Page:
    """The words of a page as the file lists them."""

    number: int
    width: float
    height: float
    words: list[Word]


@dataclass(slots=True)
class Run:
    """Words beside each other with no gap between them."""

    words: list[Word]

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(word.right for word in self.words)

    @property
    def base(self) -> float:
        """The line it stands on: of a mark before it, that of the word."""
        if len(self.words) > 1 and self.words[0].size < 0.85 * self.words[1].size:
            return self.words[1].base
        return self.words[0].base


@dataclass(slots=True)
class Line:
    """What stands on one base line of one column."""

    cells: list[str]
    """Its words; more than one where wide gaps part them."""

    left: float
    right: float
    base: float
    size: float
    bold: bool
    fixed: bool
    column: int
    page: int
    height: float
    """Of the page."""

    starts: tuple[float, ...] = field(default=())
    italic: bool = False

    @property
    def text(self) -> str:
        """Its words, with wide gaps as two blanks."""
        return "  ".join(self.cells)


def lines_of_page(page: Page) -> tuple[list[Line], str]:
    """The lines of a page in reading order, and what is written on it in another direction."""
    turns = Counter(word.turn for word in page.words)
    main = turns.most_common(1)[0][0] if turns else 0
    sideways = main in {90, 270}
    width, height = (page.height, page.width) if sideways else (page.width, page.height)
    straight = without_line_numbers([word for word in page.words if word.turn == main])
    turned = [word for word in page.words if word.turn != main]
    ordered: list[tuple[int, list[Run]]] = []
    column = [0]
    runs = _runs(straight)
    if block := text_block([(run.left, run.right) for run in runs], width):
        runs = [Run(part) for run in runs for part in cut_at(run.words, *block)]
        beside = [run for run in runs if is_beside(run.words, *block)]
        runs = [run for run in runs if not is_beside(run.words, *block)]
    else:
        beside = []
    _order(runs, width, 0, column, ordered)
    if beside:
        column[0] += 1
        ordered += [(column[0], row) for row in _rows(beside)]
    lines = [_line(runs, column, page.number, height) for column, runs in ordered]
    return lines, " ".join(word.text for word in turned)


def _runs(words: list[Word]) -> list[Run]:
    runs: list[Run] = []
    for word in words:
        if runs and _goes_on(runs[-1].words[-1], word):
            runs[-1].words.append(word)
        else:
            runs.append(Run([word]))
    return runs


def _goes_on(before: Word, word: Word) -> bool:
    size = max(before.size, word.size)
    gap = word.left - before.right
    return abs(word.base - before.base) < 0.55 * size and -0.6 * size < gap < _WIDE * size


def _order(
    runs: list[Run], width: float, depth: int, column: list[int], found: list[tuple[int, list[Run]]]
) -> None:
    """Append the runs line by line in reading order, each line with the number of its column."""
    if not runs:
        return
    gutter = _gutter(runs, width) if depth < _DEEPEST else None
    if gutter is None:
        column[0] += 1
        found += [(column[0], row) for row in _rows(runs)]
        return
    band: list[Run] = []
    rows = _rows(runs)
    heading = _heading_rows(rows, gutter) if depth == 0 else 0
    tabled = tabled_rows([[(run.left, run.right) for run in row] for row in rows], gutter)
    spanning = False
    for place, row in enumerate(rows):
        across = place < heading or any(run.left < gutter < run.right for run in row)
        across = (
            across or place in tabled or (spanning and _ends_span(rows[place - 1], row, gutter))
        )
        if not across:
            band += row
            spanning = False
            continue
        _columns(band, gutter, width, depth, column, found)
        band = []
        if not spanning:
            column[0] += 1
        spanning = True
        found.append((column[0], row))
    _columns(band, gutter, width, depth, column, found)


def _ends_span(above: list[Run], row: list[Run], gutter: float) -> bool:
    """Whether a row is the last and short line of what spans the columns above it."""
    size = above[0].words[0].size
    if len(row) > 1 or row[0].left > gutter or above[-1].right < gutter:
        return False
    near = 0 < row[0].base - above[0].base < 1.4 * size
    alike = abs(row[0].words[0].size - size) < 0.05 * size
    goes_on = above[-1].words[-1].text[-1] not in ".!?"
    return near and alike and goes_on and abs(row[0].left - above[0].left) < size


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
        if not titled or not (across or short):
            break
        if distances[place] > _APART * usual:
            last = place + 1
    return last


def _columns(
    band: list[Run],
    gutter: float,
    width: float,
    depth: int,
    column: list[int],
    found: list[tuple[int, list[Run]]],
) -> None:
    for side in ([r for r in band if r.right <= gutter], [r for r in band if r.left >= gutter]):
        _order(side, width, depth + 1, column, found)


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


def _rows(runs: list[Run]) -> list[list[Run]]:
    """The runs of one column, by the base lines they stand on, each from left to right."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.base, run.left)):
        size = run.words[0].size
        if rows and abs(run.base - rows[-1][0].base) < 0.4 * max(size, rows[-1][0].words[0].size):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda run: run.left) for row in rows]


def _line(runs: list[Run], column: int, page: int, height: float) -> Line:
    cells: list[list[Word]] = []
    for run in runs:
        # An index or exponent off the base line is a run of its own, yet no cell.
        near = cells and run.left - max(w.right for w in cells[-1]) < _WIDE * run.words[0].size
        if near:
            cells[-1] += run.words
        else:
            cells.append(list(run.words))
    words = [word for cell in cells for word in cell]
    letters = sum(len(word.text) for word in words) or 1
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[round(word.size, 1)] += len(word.text)
    return Line(
        cells=[_joined(cell) for cell in cells],
        left=min(word.left for word in words),
        right=max(word.right for word in words),
        base=max(runs, key=lambda run: sum(len(word.text) for word in run.words)).base,
        size=sizes.most_common(1)[0][0],
        bold=sum(len(word.text) for word in words if word.bold) > 0.8 * letters,
        fixed=all(word.fixed for word in words),
        column=column,
        page=page,
        height=height,
        starts=tuple(cell[0].left for cell in cells),
        italic=sum(len(word.text) for word in words if word.italic) > 0.6 * letters,
    )


def _joined(words: list[Word]) -> str:
    """The words with blanks between them, except where two touch, as around an exponent."""
    single = sum(len(word.text) == 1 and word.text.isalpha() for word in words)
    if len(words) >= _SPACED and single > 0.8 * len(words):
        return _unspaced(words)
    text = words[0].text
    for before, word in pairwise(words):
        touching = word.left - before.right < 0.08 * word.size
        apart = abs(word.base - before.base) > 0.05 * word.size
        close = word.glued or (touching and apart)
        text += word.text if close and not parted_by_note(before, word) else f" {word.text}"
    return text


def _unspaced(words: list[Word]) -> str:
    """Letters that are set apart for show, as the words that they are."""
    gaps = [after.left - before.right for before, after in pairwise(words)]
    usual = median(gaps)
    text = words[0].text
    for word, gap in zip(words[1:], gaps, strict=True):
        text += f" {word.text}" if gap > 1.6 * usual + 0.1 * word.size else word.text
    return text
