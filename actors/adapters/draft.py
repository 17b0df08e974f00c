"""Puts the text of a document together, and remembers where each block of it stands."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath
from typing import Literal

from actors.adapters.decoding import without_controls
from actors.ports import Block, Coverage, Parsed
from events.errors import Unreadable

Kind = Literal["heading", "paragraph", "list", "table", "code", "aside"]
Span = tuple[Kind, int, int, int, str, int | None]
"""A block as long as it may be one of millions: kind, start, end, level, title, page."""

LONGEST_TEXT = 120_000_000
"""Characters; nobody's document is longer, and what is would not fit the memory of its readers."""

MOST_BLOCKS = 200_000
"""Beyond this, small neighbours are taken as one block."""

_JOINED = 1000
_MOST_TITLES = 3
"""Rows above the heads of a table; more of them are rows like all others."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


class Draft:
    """A document in the making; each block is added after the last."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._pieces: list[str] = []
        self._length = 0
        self._spans: list[Span] = []

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    def beginning(self, length: int) -> str:
        """The first of its text."""
        pieces: list[str] = []
        for piece in self._pieces:
            if length <= 0:
                break
            pieces.append(piece)
            length -= len(piece)
        return "".join(pieces)

    @property
    def titled(self) -> bool:
        """Whether a heading of the highest level is among its first blocks."""
        return any(span[3] == 1 for span in self._spans[:50])

    def heading(self, level: int, title: str, page: int | None = None) -> None:
        """A heading, written as Markdown writes it."""
        if words := one_line(title):
            level = min(max(level, 1), 6)
            self._add("heading", f"{'#' * level} {words}", page, level=level, title=words)

    def plain_heading(self, level: int, title: str, page: int | None = None) -> None:
        """A heading as it stands in a text without marks."""
        if words := one_line(title):
            self._add("heading", words, page, level=min(max(level, 1), 6), title=words)

    def paragraph(self, text: str, page: int | None = None) -> None:
        """Prose; its line breaks stay, blank lines within it do not."""
        self._add("paragraph", _BLANK_LINES.sub("\n", text), page)

    def continued(self, text: str, page: int | None = None) -> None:
        """The rest of a paragraph that began on the page before: no blank line lies between."""
        self._add("paragraph", text, page, gap="\n")

    def items(self, lines: Iterable[str], page: int | None = None) -> None:
        """A list, one line an item, with its marks."""
        self._add("list", "\n".join(line for line in lines if line.strip()), page)

    def table(self, rows: Iterable[Sequence[str]], page: int | None = None) -> None:
        """A table, written as Markdown writes it; its first row is taken as its head.

        Rows of one cell over those of several are what the table is called, and no heads of its columns.
        """
        titles, body = _titled(rows)
        for title in titles:
            self.paragraph(title, page)
        self._add("table", "\n".join(table_lines(body)), page)

    def grid(self, text: str, page: int | None = None) -> None:
        """A table as it stands, a row a line."""
        self._add("table", text, page)

    def listing(self, text: str, page: int | None = None) -> None:
        """Code as it stands, without fences."""
        self._add("code", text, page)

    def code(self, text: str, page: int | None = None) -> None:
        """Text whose lines and blanks matter, between fences."""
        if text.strip():
            fence = "```" if "```" not in text else "~~~~"
            self._add("code", f"{fence}\n{text.strip(chr(10))}\n{fence}", page)

    def aside(self, text: str, page: int | None = None) -> None:
        """Text that is kept and never found."""
        self._add("aside", text, page)

    def passage(self, text: str, blocks: Iterable[Block]) -> None:
        """A text with blocks of its own, as it stands."""
        for block in blocks:
            self._add(block.kind, text[block.start : block.end], None, block.level, block.title)

    def _add(
        self,
        kind: Kind,
        text: str,
        page: int | None,
        level: int = 0,
        title: str = "",
        gap: str = "\n\n",
    ) -> None:
        text = without_controls(text).strip()
        if not text:
            return
        if self._pieces:
            self._pieces.append(gap)
            self._length += len(gap)
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        if self._length > LONGEST_TEXT:
            raise Unreadable(self._name, f"it holds more than {LONGEST_TEXT:,} characters")
        self._spans.append((kind, start, self._length, level, title, page))

    def parsed(
        self,
        media_type: str,
        title: str | None = None,
        metadata: dict[str, str] | None = None,
        coverage: Coverage | None = None,
    ) -> Parsed:
        """The document as far as it was put together."""
        return document(
            self._name,
            media_type,
            "".join(self._pieces),
            bounded(self._spans),
            title=title,
            metadata=metadata,
            coverage=coverage,
        )


def document(
    name: str,
    media_type: str,
    text: str,
    blocks: Sequence[Block],
    title: str | None = None,
    metadata: dict[str, str] | None = None,
    coverage: Coverage | None = None,
) -> Parsed:
    """A parsed document: titled by what is given, else by its highest heading, else by its name."""
    if len(text) > LONGEST_TEXT:
        raise Unreadable(name, f"it holds more than {LONGEST_TEXT:,} characters")
    headings = [block for block in islice(blocks, 50) if block.kind == "heading"]
    first = min(headings, key=lambda block: block.level).title if headings else ""
    said = {key: one_line(value) for key, value in (metadata or {}).items()}
    return Parsed(
        title=one_line(title or "") or one_line(first) or file_title(name),
        media_type=media_type,
        text=text if blocks else "",
        blocks=tuple(blocks),
        metadata={key: value for key, value in said.items() if value},
        coverage=coverage or Coverage(),
    )


def bounded(spans: Sequence[Span]) -> list[Block]:
    """The spans as blocks, joined where there are more of them than anybody can hold."""
    if len(spans) > MOST_BLOCKS:
        spans = list(_joined(spans))
    return [
        Block(kind=kind, start=start, end=end, level=level, title=title, page=page)
        for kind, start, end, level, title, page in spans
    ]


def _joined(spans: Sequence[Span]) -> Iterator[Span]:
    too_many = sum(span[0] == "heading" for span in spans) > MOST_BLOCKS
    last: Span | None = None
    for span in spans:
        kind, start, end, _, _, page = span
        if too_many and kind == "heading":
            kind = "paragraph"
            span = (kind, start, end, 0, "", page)
        if last and kind == last[0] != "heading" and page == last[5] and end - last[1] <= _JOINED:
            last = (kind, last[1], end, 0, "", page)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def _titled(rows: Iterable[Sequence[str]]) -> tuple[list[str], Iterable[Sequence[str]]]:
    """The few rows at the top that have only their first cell, and the rows without them; where all have only one, few
    of them are no table."""
    remaining = iter(rows)
    first: list[Sequence[str]] = []
    for row in islice(remaining, _MOST_TITLES + 1):
        if any(cell.strip() for cell in row[1:]):
            titles = [" ".join(each[0].split()) for each in first if each]
            return titles, chain([row], remaining)
        first.append(row)
    if len(first) <= _MOST_TITLES:
        return [" ".join(each[0].split()) for each in first if each], ()
    return [], chain(first, remaining)


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The rows of a table as Markdown lines; rows without any words are left out."""
    width = 0
    for row in rows:
        cells = [" ".join(cell.split()).replace("|", "¦") for cell in row]
        if not any(cells):
            continue
        cells += [""] * (width - len(cells))
        yield "| " + " | ".join(cells) + " |"
        if not width:
            width = len(cells)
            yield "|" + " --- |" * width


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Where each line begins, and what it says without its break."""
    return ((m.start(), m.group().rstrip("\r\n")) for m in _LINE.finditer(text))


def one_line(text: str) -> str:
    """A title or value, without breaks and not without end."""
    return " ".join(without_controls(text[:2000]).split())[:200].strip()


def file_title(name: str) -> str:
    """What a file is called, as a person would write it."""
    stem = PurePath(name).stem
    return one_line(re.sub(r"[_-]+", " ", stem)) or one_line(name) or "untitled"
