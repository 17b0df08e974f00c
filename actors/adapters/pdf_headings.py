"""Tells the headings of a PDF: by the outline that it carries, else by how they are set."""

import re
from dataclasses import dataclass

from actors.adapters.pdf_layout import LARGER
from actors.adapters.pdf_pieces import AS_IT_STANDS, Piece

_LONGEST_HEADING = 160
_NUMBERED = re.compile(
    r"(?:chapter\s+|section\s+|appendix\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S", re.I
)
_DEEP = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_]{2}[^.,;:=]{1,70}\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table of contents that a file carries."""

    title: str
    level: int
    page: int


def find_headings(pieces: list[Piece], outline: list[Entry], body: float) -> None:
    """Mark as headings what the outline names, or else what looks like one."""
    named: dict[tuple[str, int], int] = {}
    for entry in outline:
        named.setdefault((_bare(entry.title), entry.page), entry.level)
    for piece in pieces:
        if piece.kind in AS_IT_STANDS or len(piece.text) > _LONGEST_HEADING:
            continue
        bare = _bare(piece.text)
        level = named.get((bare, piece.page)) or named.get((_unnumbered(bare), piece.page))
        if level:
            piece.kind, piece.level = "heading", level
    marked = sum(piece.kind == "heading" for piece in pieces)
    if marked >= max(2, len(outline) // 3):
        return  # the outline is the author's own word on it
    looks = _without_authors([piece for piece in pieces if _looks_like_heading(piece, body)])
    if len(looks) > 0.5 * len(pieces) and len(pieces) > 12:
        return  # a slide deck or a form, in which size tells nothing
    sizes = sorted({round(piece.lines[0].size) for piece in looks}, reverse=True)
    for piece in looks:
        number = _NUMBERED.match(piece.text)
        by_size = min(sizes.index(round(piece.lines[0].size)) + 1, 4)
        level = number.group(1).count(".") + 2 if number else by_size
        piece.kind, piece.level = "heading", piece.level or level


def _without_authors(looks: list[Piece]) -> list[Piece]:
    """Headings without what stands below the title in large letters, where headings are bold."""
    if not looks or not any(_is_marked(piece) for piece in looks[1:]):
        return looks
    title = looks[0]
    kept = [title]
    for place, piece in enumerate(looks[1:], 1):
        if _is_marked(piece) or piece.page != title.page:
            return kept + looks[place:]
        if piece.lines[0].size >= title.lines[0].size:
            kept.append(piece)
    return kept


def _is_marked(piece: Piece) -> bool:
    return all(line.bold for line in piece.lines) or bool(_NUMBERED.match(piece.text))


def _bare(title: str) -> str:
    return "".join(letter for letter in title.casefold() if letter.isalnum())


def _unnumbered(bare: str) -> str:
    return bare.lstrip("0123456789")


def _looks_like_heading(piece: Piece, body: float) -> bool:
    line, text = piece.lines[0], piece.text
    if piece.kind in AS_IT_STANDS:
        return False
    if len(text) > _LONGEST_HEADING or len(piece.lines) > 3:
        return False
    letters = sum(letter.isalpha() for letter in text)
    if letters < 3 or letters < 0.4 * len(text) or text[-1] in ".,;。、":
        return False
    if line.size >= LARGER * body:
        return True
    if all(each.bold for each in piece.lines) and line.size >= 0.95 * body:
        return piece.kind == "paragraph" or bool(_NUMBERED.match(text))
    # Fonts without a name do not say that they are bold.
    return len(piece.lines) == 1 and line.size >= 0.95 * body and bool(_DEEP.match(text))


def title_of(pieces: list[Piece], body: float) -> str:
    """The title: what stands in the largest letters on the first page."""
    first = [piece for piece in pieces if piece.page == pieces[0].page and _may_be_title(piece)]
    largest = max(first, key=lambda piece: piece.lines[0].size, default=None)
    if largest is None or (largest.kind != "heading" and largest.lines[0].size < LARGER * body):
        return ""
    return largest.text


def _may_be_title(piece: Piece) -> bool:
    return piece.kind in {"heading", "paragraph"} and 3 < len(piece.text) < 2 * _LONGEST_HEADING
