"""Reads Word documents (.docx) with python-docx."""

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from actors.adapters.archives import members
from actors.adapters.draft import Draft
from actors.adapters.word_formulas import FORMULA
from actors.adapters.word_formulas import written as formula_in
from actors.ports import Coverage, Parsed

if TYPE_CHECKING:
    from docx.document import Document

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_READING = f"{_W}rt"
"""How a word is read, set small above it; between its letters it would part them."""

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|見出し)\s*(\d)", re.I)
_WORDS = (*(_W + each for each in ("t", "tab", "br", "cr", "noBreakHyphen")), FORMULA)
_NOTES = ("footnote", "endnote")
_WIDEST = 100
"""Columns of a cell; Word itself has no more than 63."""

_DEEPEST = 30
"""Content controls and tables within each other; deeper ones were not made by a person."""


def parse_word(name: str, raw: bytes) -> Parsed:
    """Headings, paragraphs, lists and tables of a Word document, with insertions accepted."""
    members(name, raw)
    from docx import Document

    document = Document(io.BytesIO(raw))
    draft = Draft(name)
    _Body(document, draft).read()
    warnings = _notes(document, draft)
    said = document.core_properties
    metadata = {
        "title": said.title or "",
        "author": said.author or "",
        "date": (said.modified or said.created).date().isoformat()
        if said.modified or said.created
        else "",
        "language": said.language or "",
        "tags": said.keywords or "",
    }
    title = said.title if said.title and not draft.titled else None
    return draft.parsed(MEDIA_TYPE, title, metadata, Coverage(warnings=warnings))


class _Body:
    """The body of a document, read element by element: python-docx passes over some of them."""

    def __init__(self, document: "Document", draft: Draft) -> None:
        self._element: Any = document.element.body
        self._draft = draft
        self._styles = {style.style_id: style for style in document.styles}
        self._levels: dict[str, int] = {}
        self._items: list[str] = []

    def read(self) -> None:
        for element in _blocks(self._element, 0):
            if element.tag == _W + "tbl":
                self._end_list()
                self._draft.table(_without_blank_columns(list(_rows(element))))
            else:
                self._paragraph(element)
        self._end_list()

    def _paragraph(self, element: Any) -> None:
        text = words(element).strip()
        if not text:
            return
        properties = element.find(_W + "pPr")
        level = self._level(properties)
        depth = self._list_depth(properties)
        if level:
            self._end_list()
            self._draft.heading(level, text)
        elif depth >= 0:
            self._items.append("  " * min(depth, 8) + "- " + " ".join(text.split()))
        else:
            self._end_list()
            self._draft.paragraph(text)

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self._draft.items(items)

    def _level(self, properties: Any) -> int:
        """Level of a heading, else 0."""
        if properties is None:
            return 0
        outline = properties.find(_W + "outlineLvl")
        if outline is not None:
            return _number(outline.get(_W + "val"), 8) % 9 + 1 if _heads(outline) else 0
        style = properties.find(_W + "pStyle")
        return self._style_level(style.get(_W + "val") or "") if style is not None else 0

    def _style_level(self, style_id: str) -> int:
        if style_id not in self._levels:
            self._levels[style_id] = self._find_level(style_id)
        return self._levels[style_id]

    def _find_level(self, style_id: str) -> int:
        style: Any = self._styles.get(style_id)
        for _ in range(10):
            if style is None:
                return 0
            name = style.name or ""
            if name == "Title":
                return 1
            if found := _HEADING.match(name):
                return max(int(found.group(1)), 1)
            outline = style.element.find(f"{_W}pPr/{_W}outlineLvl")
            if outline is not None and _heads(outline):
                return _number(outline.get(_W + "val"), 8) + 1
            style = getattr(style, "base_style", None)
        return 0

    def _list_depth(self, properties: Any) -> int:
        """How deep a list item lies, from 0; -1 for what is none."""
        if properties is None:
            return -1
        numbering = properties.find(_W + "numPr")
        if numbering is not None:
            level = numbering.find(_W + "ilvl")
            return _number(level.get(_W + "val"), 0) if level is not None else 0
        style = properties.find(_W + "pStyle")
        named: Any = self._styles.get(style.get(_W + "val") or "") if style is not None else None
        return 0 if named is not None and (named.name or "").startswith("List ") else -1


def _heads(outline: Any) -> bool:
    return 0 <= _number(outline.get(_W + "val"), 9) < 9


def _number(value: str | None, otherwise: int) -> int:
    return int(value) if value and value.isdecimal() and len(value) < 4 else otherwise


def _blocks(element: Any, depth: int) -> Iterator[Any]:
    """Paragraphs and tables, also those within content controls and insertions."""
    for child in element.iterchildren():
        if child.tag in {_W + "p", _W + "tbl"}:
            yield child
        elif depth < _DEEPEST and child.tag in {
            _W + "sdt",
            _W + "sdtContent",
            _W + "ins",
            _W + "customXml",
            _W + "smartTag",
        }:
            yield from _blocks(child, depth + 1)


def words(element: Any) -> str:
    """The text of a paragraph as it reads with all changes accepted, without the readings beside its words."""
    pieces: list[str] = []
    # The nodes themselves: their numbers are given again as soon as nobody holds them.
    unseen = {node for gone in element.iter(_FALLBACK, _READING) for node in gone.iter()}
    for node in element.iter(*_WORDS):
        if node in unseen:
            continue
        if node.tag == FORMULA:
            pieces.append(formula_in(node))
            continue
        match node.tag.removeprefix(_W):
            case "t":
                pieces.append(node.text or "")
            case "tab":
                # In the properties of a paragraph it is a tab stop.
                pieces.append("\t" if node.getparent().tag == _W + "r" else "")
            case "noBreakHyphen":
                pieces.append("-")
            case _:
                pieces.append("\n")
    return "".join(pieces)


def _rows(table: Any) -> Iterator[list[str]]:
    for row in table.iter(_W + "tr"):
        if next(row.iterancestors(_W + "tbl")) is table:
            yield list(_row(row))


def _without_blank_columns(rows: list[list[str]]) -> Iterator[list[str]]:
    """Rows without the columns that only part of other cells lie in: every cell may be as wide as several."""
    filled = sorted({place for row in rows for place, cell in enumerate(row) if cell.strip()})
    return ([row[place] if place < len(row) else "" for place in filled] for row in rows)


def _row(row: Any) -> Iterator[str]:
    """What stands in each column; a cell of several columns is in the first of them."""
    before = row.find(f"{_W}trPr/{_W}gridBefore")
    yield from [""] * (_number(before.get(_W + "val"), 0) if before is not None else 0)
    for cell in _cells(row):
        yield " ".join(words(paragraph) for paragraph in cell.iter(_W + "p"))
        span = cell.find(f"{_W}tcPr/{_W}gridSpan")
        columns = _number(span.get(_W + "val"), 1) if span is not None else 1
        yield from [""] * (min(columns, _WIDEST) - 1)


def _cells(row: Any) -> Iterator[Any]:
    for cell in row.iter(_W + "tc"):
        if next(cell.iterancestors(_W + "tr")) is row:
            yield cell


def _notes(document: "Document", draft: Draft) -> tuple[str, ...]:
    """Append the footnotes and endnotes; python-docx has no words for them."""
    from docx.oxml import parse_xml

    damaged: list[str] = []
    for part in document.part.package.parts:
        kind = next((each for each in _NOTES if part.partname.startswith(f"/word/{each}s")), None)
        if kind is None:
            continue
        try:
            tree: Any = parse_xml(part.blob)
        except SyntaxError:  # of the XML
            damaged.append(f"the {kind}s are damaged")
            continue
        for note in tree.iter(_W + kind):
            draft.paragraph(" ".join(words(each) for each in note.iter(_W + "p")))
    return tuple(damaged)
