"""Tells the headings of a PDF: by the outline that it carries, else by how they are set."""

import re
from dataclasses import dataclass

from actors.adapters.draft import one_line
from actors.adapters.pdf.lines import LARGER
from actors.adapters.pdf.pieces import AS_IT_STANDS, Piece, is_alone

_LONGEST_HEADING = 160
_MOST_LARGE = 4
_SHARE = 0.25
"""Of the letters of a document, those of its headings at most."""

_TITLE_LEADING = 1.6
"""Times the size of its letters: how far the lines of a title stand apart."""

_NUMBERED = re.compile(
    r"(?:chapter\s+|section\s+|appendix\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S", re.I
)
_LETTERED = re.compile(r"(?:([IVX]{1,5})|([A-H]))[.)]\s+\S")
"""Sections that are counted by Roman numerals, and those below them by letters."""

_TINTED = 1.05
_ADDRESS = re.compile(r"://|www\.|@|\bdoi\b", re.I)
_LISTED = re.compile(r"\S\s+\d{1,4}\Z")
_WORD_JOINING = re.compile(
    r"(?:[:,\u2013\u2014-]|\b(?:and|of|the|for|in|on|a|an|to|with|by|from))\Z", re.I
)
_CHAPTER = re.compile(
    r"(?:chapter|part|appendix|kapitel|teil|anhang|chapitre|partie|cap[ií]tulo|capitolo)\s+"
    r"(?:\d{1,3}|[IVXLC]{1,7}|[A-Z])[.:]?",
    re.I,
)
_BESIDE_CHAPTERS = re.compile(
    r"abstract|acknowledge?ments|contents|foreword|introduction|preface|prologue|summary|"
    r"einleitung|inhalt|vorwort|zusammenfassung|avant-propos|pr[ée]face|r[ée]sum[ée]|"
    r"\u307e\u3048\u304c\u304d|\u306f\u3058\u3081\u306b|\u5e8f\u6587|\u8981\u65e8|\u76ee\u6b21",
    re.I,
)
"""What stands before the first chapter and is no title of the whole."""

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
    listing = {piece.page for piece in pieces if piece.kind == "contents"}
    for piece in pieces:
        if piece.page in listing and piece.kind == "paragraph" and _LISTED.search(piece.text[-12:]):
            piece.kind = "contents"
    marked = [piece for piece in pieces if piece.kind == "heading"]
    if len(marked) >= max(2, len(outline) // 3):
        _mark_like(pieces, marked, body)
        return  # the outline is the author's own word on it
    _join_titles(pieces, body)
    _join_chapters(pieces, body)
    looks = [piece for piece in pieces if _looks_like_heading(piece, body)]
    looks = _without_authors(looks, body)
    if len(looks) > 0.5 * len(pieces) and len(pieces) > 12 and _are_much(looks, pieces):
        return  # a slide deck or a form, in which size tells nothing
    sizes = sorted({round(piece.lines[0].size) for piece in looks}, reverse=True)
    by_size = {size: min(place, 4) for place, size in enumerate(sizes, 1)}
    highest = _level_of_chapters(looks, by_size)
    for piece in looks:
        number = _NUMBERED.match(piece.text)
        own = _by_letter(piece.text) or by_size[round(piece.lines[0].size)]
        level = number.group(1).count(".") + highest if number else own
        piece.kind, piece.level = "heading", piece.level or level


def _level_of_chapters(looks: list[Piece], by_size: dict[int, int]) -> int:
    """The level of headings with one number: below the title, or that of a preface set like them."""
    chapters = {
        round(piece.lines[0].size)
        for piece in looks
        if (number := _NUMBERED.match(piece.text)) and "." not in number.group(1)
    }
    # The first heading is the title, whatever its size is, unless it says that it is none.
    for place, piece in enumerate(looks):
        size = round(piece.lines[0].size)
        named = place > 0 or _BESIDE_CHAPTERS.fullmatch(piece.text.strip())
        if size in chapters and named and not _is_counted(piece):
            return by_size[size]
    return 2


def _are_much(looks: list[Piece], pieces: list[Piece]) -> bool:
    """Whether some pieces are more of the text than headings are, be there one to each paragraph."""
    return sum(len(piece.text) for piece in looks) > _SHARE * sum(len(p.text) for p in pieces)


def _mark_like(pieces: list[Piece], marked: list[Piece], body: float) -> None:
    """Mark also what is set like the headings of the outline, and what is larger than all of them."""
    levels: dict[tuple[float, bool], int] = {}
    for piece in marked:
        levels.setdefault((round(piece.lines[0].size), piece.lines[0].bold), piece.level)
    largest = max(piece.lines[0].size for piece in marked)
    for piece in pieces:
        line = piece.lines[0]
        if piece.kind != "paragraph" or not _looks_like_heading(piece, body):
            continue
        level = levels.get((round(line.size), line.bold))
        if piece.page == pieces[0].page and line.size > 1.1 * largest:
            level = 1
        if level:
            piece.kind, piece.level = "heading", level


def _join_titles(pieces: list[Piece], body: float) -> None:
    """Make one of the lines of a title that a colon or a small word parts."""
    for place in range(len(pieces) - 2, -1, -1):
        above, below = pieces[place].lines[-1], pieces[place + 1].lines[0]
        alike = abs(above.size - below.size) < 0.05 * above.size and above.bold == below.bold
        beside = (above.page, above.column) == (below.page, below.column)
        if not (alike and beside and above.size >= LARGER * body and _goes_on(pieces[place].text)):
            continue
        if _is_counted(pieces[place + 1]):
            continue
        if 0 < below.base - above.base < _TITLE_LEADING * above.size:
            pieces[place].text += f" {pieces[place + 1].text}"
            pieces[place].lines += pieces.pop(place + 1).lines


def _join_chapters(pieces: list[Piece], body: float) -> None:
    """Make one of `Chapter 3` and the name of the chapter below it."""
    for place in range(len(pieces) - 2, -1, -1):
        above, below = pieces[place].lines[-1], pieces[place + 1].lines[0]
        near = above.page == below.page and 0 < below.base - above.base < 4 * below.size
        large = min(above.size, below.size) >= LARGER * body
        if near and large and _CHAPTER.fullmatch(pieces[place].text.strip()):
            pieces[place].text += f" {pieces[place + 1].text}"
            pieces[place].lines += pieces.pop(place + 1).lines


def _goes_on(text: str) -> bool:
    return bool(_WORD_JOINING.search(text.rstrip()[-12:])) and len(text) < _LONGEST_HEADING


def _by_letter(text: str) -> int:
    """The level of a section that letters count; 0 where none do."""
    counted = _LETTERED.match(text)
    return 0 if counted is None else 2 if counted.group(1) else 3


def _without_authors(looks: list[Piece], body: float) -> list[Piece]:
    """Headings without what stands below the title in large letters, where headings are bold."""
    if not looks or not any(_is_marked(piece) for piece in looks[1:]):
        return looks
    title = looks[0]
    kept = [title]
    if _is_bold_author(looks, body):
        looks = [title, *looks[2:]]
    for place, piece in enumerate(looks[1:], 1):
        if _is_marked(piece) or piece.page != title.page:
            return kept + looks[place:]
        if piece.lines[0].size >= title.lines[0].size:
            kept.append(piece)
    return kept


def _is_bold_author(looks: list[Piece], body: float) -> bool:
    """Whether bold words below the title are no section, as all the others are counted."""
    title, after = looks[:2]
    counted = sum(_is_counted(piece) for piece in looks)
    below = after.page == title.page and after.lines[0].size < LARGER * body
    names = " " in after.text.strip() and not after.text.isupper()
    alone = is_alone(after.lines[0]) or _is_counted(after)
    return below and names and not alone and counted >= max(3, 0.6 * (len(looks) - 2))


def _is_counted(piece: Piece) -> bool:
    return bool(_NUMBERED.match(piece.text) or _LETTERED.match(piece.text))


def _is_marked(piece: Piece) -> bool:
    return all(line.bold for line in piece.lines) or _is_counted(piece)


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
    if len(piece.lines) == 1 and line.size >= 0.9 * body and is_alone(line):
        return True
    if line.size >= _TINTED * body and all(each.colour for each in piece.lines):
        # Office programs set lower headings a little larger, and in a colour.
        return piece.kind == "paragraph" and not _ADDRESS.search(text)
    # Fonts without a name do not say that they are bold.
    return len(piece.lines) == 1 and line.size >= 0.95 * body and bool(_DEEP.match(text))


def title_of(pieces: list[Piece], body: float) -> str:
    """The title: what stands in the largest letters on the first page."""
    first = [piece for piece in pieces if piece.page == pieces[0].page and _may_be_title(piece)]
    largest = max(first, key=lambda piece: piece.lines[0].size, default=None)
    if largest is None or (largest.kind != "heading" and largest.lines[0].size < LARGER * body):
        return ""
    return largest.text


def large_on_first_page(pieces: list[Piece], body: float) -> list[str]:
    """The first few lines on the first page whose letters are larger than the text's."""
    first = (piece for piece in pieces if piece.page == pieces[0].page and _may_be_title(piece))
    large = (one_line(each.text) for each in first if each.lines[0].size >= LARGER * body)
    return [text for text in large if text][:_MOST_LARGE]


def _may_be_title(piece: Piece) -> bool:
    return piece.kind in {"heading", "paragraph"} and 3 < len(piece.text) < 2 * _LONGEST_HEADING
