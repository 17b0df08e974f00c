"""Words beside each other as runs, runs on one base line as rows, and rows as lines."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from actors.adapters.pdf.notes import parted_by_note
from actors.adapters.pdf.word import Word

LARGER = 1.12
"""Times the size of the body: letters of a heading."""

_WIDE = 1.6
"""Times the letter size: a gap between words that parts columns or cells."""

_SPACED = 5
"""Single letters beside each other that are no words."""


@dataclass(frozen=True, slots=True)
class Page:
    """The words of a page as the file lists them."""

    number: int
    width: float
    height: float
    words: list[Word]
    drawn: bool = True
    """Its words come in the order in which the file draws them, and were not seen in an image."""


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
    colour: int = 0
    centred: bool = False

    @property
    def text(self) -> str:
        """Its words, with wide gaps as two blanks."""
        return "  ".join(self.cells)


def runs_of(words: list[Word]) -> list[Run]:
    """The words of a page, those with no gap between them together."""
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


def rows_of(runs: list[Run]) -> list[list[Run]]:
    """The runs of one column, by the base lines they stand on, each from left to right."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.base, run.left)):
        size = run.words[0].size
        if rows and abs(run.base - rows[-1][0].base) < 0.4 * max(size, rows[-1][0].words[0].size):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [sorted(row, key=lambda run: run.left) for row in rows]


def line_of(runs: list[Run], column: int, page: int, height: float) -> Line:
    """A row as a line of text."""
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
        fixed=all(word.fixed for word in without_number(words)),
        column=column,
        page=page,
        height=height,
        starts=tuple(cell[0].left for cell in cells),
        italic=sum(len(word.text) for word in words if word.italic) > 0.6 * letters,
        colour=words[0].colour if all(word.colour == words[0].colour for word in words) else 0,
    )


def without_number(words: list[Word]) -> list[Word]:
    """Words without the small number that counts a line of code."""
    counted = len(words) > 1 and words[0].text.isdecimal() and words[0].size < words[1].size
    return words[1:] if counted else words


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
