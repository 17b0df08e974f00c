"""Pages in many layouts, set from words drawn at random: what a reader would read on them is known."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.pdf_files import HEIGHT, WIDTH, Put

WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 "
    "556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 "
    "667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 "
    "556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
"""Of the letters of Helvetica from the blank on, in thousandths of its size."""

LETTER = [int(each) for each in WIDTHS.split()]
SYLLABLES = [first + second for first in "bdfgklmnprstvw" for second in "aeiou"]
SMALL = (
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "that",
    "for",
    "as",
    "with",
    "by",
    "on",
    "are",
    "from",
)


def width_of(text: str, size: float) -> float:
    """Points that a text takes."""
    return sum(LETTER[ord(letter) - 32] for letter in text) * size / 1000


@dataclass
class Sheet:
    """Pages being set, and what a reader would read on them."""

    chance: random.Random
    pages: list[list[Put]] = field(default_factory=list)
    gold: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    def word(self) -> str:
        """One word."""
        if self.chance.random() < 0.35:
            return self.chance.choice(SMALL)
        return "".join(self.chance.choices(SYLLABLES, k=self.chance.choice((2, 2, 3, 3, 4))))

    def sentence(self) -> str:
        """A sentence of some words."""
        words = [self.word() for _ in range(self.chance.randint(7, 18))]
        return " ".join([words[0].capitalize(), *words[1:]]) + "."

    def paragraph(self, sentences: int = 4) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def title(self, words: int = 4) -> str:
        """Words with capitals."""
        return " ".join(self.word().capitalize() for _ in range(words))


def broken(text: str, width: float, size: float, chance: random.Random) -> list[str]:
    """The lines of a paragraph; some words are cut by a hyphen."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if width_of(longer, size) <= width:
            line = longer
            continue
        cut = len(word) // 2 // 2 * 2
        head = f"{line} {word[:cut]}-".strip()
        if len(word) > 6 and chance.random() < 0.6 and width_of(head, size) <= width:
            lines.append(head)
            line = word[cut:]
        else:
            lines.append(line)
            line = word
    return [*lines, line]


@dataclass
class Frame:
    """A column on a page that is filled from the top."""

    left: float
    top: float
    width: float
    bottom: float
    size: float = 10.0
    leading: float = 12.0

    def room(self) -> int:
        """Lines that still fit."""
        return int((self.top - self.bottom) / self.leading)


def justified(line: str, frame: Frame, y: float) -> list[Put]:
    """A line whose words are set apart so that it ends at the margin."""
    words = line.split()
    taken = sum(width_of(word, frame.size) for word in words)
    gap = (frame.width - taken) / max(len(words) - 1, 1)
    at, puts = frame.left, []
    for word in words:
        puts.append(Put(round(at, 2), y, word, frame.size))
        at += width_of(word, frame.size) + gap
    return puts


def fill(sheet: Sheet, page: list[Put], frame: Frame, *, even: bool = False) -> None:
    """Set headings and paragraphs until the column is full; the last paragraph ends in it."""
    while frame.room() > 5:
        if frame.room() > 14 and sheet.chance.random() < 0.3:
            _heading(sheet, page, frame)
        text = sheet.paragraph(sheet.chance.randint(2, 5))
        lines = broken(text, frame.width, frame.size, sheet.chance)
        while len(lines) > frame.room():
            text = text.rstrip(".").rpartition(". ")[0] + "."
            if text == ".":
                return
            lines = broken(text, frame.width, frame.size, sheet.chance)
        for place, line in enumerate(lines):
            if even and place + 1 < len(lines):
                page += justified(line, frame, frame.top)
            else:
                page.append(Put(frame.left, frame.top, line, frame.size))
            frame.top -= frame.leading
        sheet.gold.append(text)
        frame.top -= 0.5 * frame.leading


def _heading(sheet: Sheet, page: list[Put], frame: Frame) -> None:
    text = sheet.title(sheet.chance.randint(2, 4))
    if sheet.chance.random() < 0.5:
        text = f"{len(sheet.headings) + 1} {text}"
    size = sheet.chance.choice((frame.size, 1.2 * frame.size, 1.4 * frame.size))
    while width_of(text, size) > 0.92 * frame.width:
        text = text.rpartition(" ")[0]
    frame.top -= 0.6 * frame.leading
    page.append(Put(frame.left, frame.top, text, size, "bold"))
    frame.top -= 1.6 * frame.leading
    sheet.gold.append(text)
    sheet.headings.append(text)


# -- layouts ---------------------------------------------------------------------------------------

MARGIN, TOP, BOTTOM = 60.0, 770.0, 80.0
INNER = WIDTH - 2 * MARGIN


def frames(count: int, top: float = TOP, bottom: float = BOTTOM, gap: float = 22.0) -> list[Frame]:
    """Columns beside each other."""
    width = (INNER - gap * (count - 1)) / count
    return [Frame(MARGIN + place * (width + gap), top, width, bottom) for place in range(count)]


def columns(count: int, *, even: bool = False) -> Callable[[Sheet], None]:
    """So many columns, ragged or even."""

    def make(sheet: Sheet) -> None:
        for _ in range(3):
            page: list[Put] = []
            for frame in frames(count):
                fill(sheet, page, frame, even=even)
            sheet.pages.append(page)

    return make


def shuffled(count: int) -> Callable[[Sheet], None]:
    """Drawn in no order at all, as some programs do."""

    def make(sheet: Sheet) -> None:
        columns(count)(sheet)
        for page in sheet.pages:
            sheet.chance.shuffle(page)

    return make


def row_by_row(sheet: Sheet) -> None:
    """Two columns, drawn from the top over both."""
    columns(2)(sheet)
    for page in sheet.pages:
        page.sort(key=lambda put: (-put.y, put.x))


def paper(sheet: Sheet) -> None:
    """A title and an abstract across two columns, running heads, page numbers, footnotes."""
    running = sheet.title(5)
    for number in range(1, 5):
        page: list[Put] = []
        top = TOP
        if number == 1:
            title = sheet.title(5)
            page.append(Put(MARGIN + 40, 760, title, 18, "bold"))
            sheet.gold.append(title)
            sheet.headings.append(title)
            abstract = Frame(MARGIN + 30, 725, INNER - 60, 650)
            fill(sheet, page, abstract)
            top = 620.0
        else:
            page.append(Put(MARGIN, 805, running, 8))
        page.append(Put(WIDTH / 2, 40, str(number + 100), 8))
        notes: list[str] = []
        for frame in frames(2, top, 130):
            fill(sheet, page, frame)
            note = sheet.sentence()
            notes.append(note)
            lower = Frame(frame.left, 110, frame.width, 70, 8, 9.5)
            page.append(Put(lower.left, lower.top + 3, str(len(notes)), 5))
            sheet.gold.append(str(len(notes)))
            for line in broken(note, lower.width - 6, 8, sheet.chance):
                page.append(Put(lower.left + 4, lower.top, line, 8))
                lower.top -= lower.leading
            sheet.gold.append(note)
        sheet.pages.append(page)


def float_across(sheet: Sheet) -> None:
    """Columns above and below a caption that spans the page."""
    for number in range(1, 4):
        page: list[Put] = []
        for frame in frames(2, TOP, 460):
            fill(sheet, page, frame)
        caption = f"Figure {number}: " + sheet.sentence() + " " + sheet.sentence()
        middle = Frame(MARGIN, 430, INNER, 380, 9, 11)
        for line in broken(caption, INNER, 9, sheet.chance):
            page.append(Put(MARGIN, middle.top, line, 9))
            middle.top -= middle.leading
        sheet.gold.append(caption)
        for frame in frames(2, 370, BOTTOM):
            fill(sheet, page, frame)
        sheet.pages.append(page)


def book(sheet: Sheet) -> None:
    """Heads that differ on left and right pages, with the number at the outer edge."""
    name, part = sheet.title(4), sheet.title(3)
    for number in range(1, 7):
        page: list[Put] = []
        head = f"{number + 11}    {name}" if number % 2 else f"{part}    {number + 11}"
        page.append(Put(MARGIN if number % 2 else 400, 800, head, 9))
        fill(sheet, page, Frame(MARGIN + 20, TOP, INNER - 40, BOTTOM, 11, 14), even=True)
        sheet.pages.append(page)


def side_note(sheet: Sheet) -> None:
    """A narrow column of notes beside the text."""
    for _ in range(3):
        page: list[Put] = []
        fill(sheet, page, Frame(MARGIN, TOP, 330, BOTTOM))
        fill(sheet, page, Frame(MARGIN + 350, TOP, 120, 500, 8, 9.5))
        sheet.pages.append(page)


def references(sheet: Sheet) -> None:
    """A list of references with hanging indents, in two columns."""
    page: list[Put] = []
    number = 0
    for frame in frames(2):
        while frame.room() > 5:
            number += 1
            text = f"[{number}] {sheet.title(2)}, {sheet.sentence()} {1950 + number}."
            for place, line in enumerate(broken(text, frame.width - 16, 9, sheet.chance)):
                page.append(Put(frame.left + (16 if place else 0), frame.top, line, 9))
                frame.top -= 11
            frame.top -= 3
            sheet.gold.append(text)
    sheet.pages.append(page)


def tabled(sheet: Sheet) -> None:
    """A table between two paragraphs."""
    for _ in range(2):
        page: list[Put] = []
        fill(sheet, page, Frame(MARGIN, TOP, INNER, 500))
        for row in range(8):
            cells = [sheet.word(), *(str(sheet.chance.randint(10, 9999)) for _ in range(4))]
            page += [Put(MARGIN + 90 * at, 480 - 13 * row, cell) for at, cell in enumerate(cells)]
            sheet.gold.append(" ".join(cells))
        fill(sheet, page, Frame(MARGIN, 350, INNER, BOTTOM))
        sheet.pages.append(page)


def turned(sheet: Sheet) -> None:
    """Two columns on pages that lie on their side."""
    columns(2)(sheet)
    for page in sheet.pages:
        page[:] = [
            Put(HEIGHT - put.y - 247, put.x, put.text, put.size, put.font, turned=True)
            for put in page
        ]


LAYOUTS: dict[str, Callable[[Sheet], None]] = {
    "one column": columns(1),
    "one column, justified": columns(1, even=True),
    "two columns": columns(2),
    "two columns, justified": columns(2, even=True),
    "two columns, row by row": row_by_row,
    "two columns, in no order": shuffled(2),
    "three columns": columns(3),
    "three columns, in no order": shuffled(3),
    "paper": paper,
    "figure across": float_across,
    "book": book,
    "notes at the side": side_note,
    "references": references,
    "table": tabled,
    "turned pages": turned,
}
