"""From the words of a PDF to its document: clean text, and blocks that know their pages."""

import re
import unicodedata
from collections import Counter

from actors.adapters.draft import Draft
from actors.adapters.pdf.flow import goes_on, in_flow
from actors.adapters.pdf.headings import Entry, find_headings, large_on_first_page, title_of
from actors.adapters.pdf.layout import lines_of_page
from actors.adapters.pdf.lines import Line, Page
from actors.adapters.pdf.margins import without_running_heads
from actors.adapters.pdf.pieces import (
    AS_IT_STANDS,
    Piece,
    flowing,
    hyphenated,
    indented,
    joined,
    pieces_of,
)

_BLACK = 1
"""The colour of black lines among coloured ones."""

_MARKS = ".,;:!?()[]\"'"
_WORD = re.compile(r"[^\W\d_]{2,40}(?:-[^\W\d_]{2,40})?")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
)
_ACCENTS = {
    "\u00a8": "\u0308",
    "\u00b4": "\u0301",
    "\u02c6": "\u0302",
    "\u02dc": "\u0303",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02da": "\u030a",
    "\u02d8": "\u0306",
    "\u02dd": "\u030b",
    "\u02d9": "\u0307",
}
_UNDOTTED = {"\u0131": "i", "\u0237": "j"}
_ACCENT = re.compile(f"([{''.join(_ACCENTS)}])([A-Za-z{''.join(_UNDOTTED)}])")
"""An accent set over the letter behind it, as old TeX does."""


def pour(pages: list[Page], outline: list[Entry], draft: Draft) -> tuple[str, str]:
    """Write the document, and return the title that stands largest on its first page.

    The second is what else stands large there, parted by ` | `: it may be the title, and the
    largest the name of a journal.
    """
    lines: list[Line] = []
    turned: dict[int, str] = {}
    found: list[Line] = []
    known = {word.text.casefold().strip(_MARKS) for page in pages for word in page.words}
    for page in pages:
        found, aside = lines_of_page(page, found, known)
        lines += found
        turned[page.number] = aside
    for line in lines:
        line.cells = [_ACCENT.sub(_accented, cell.translate(_LIGATURES)) for cell in line.cells]
    body = _body_size(lines)
    _mark_colours(lines)
    kept = without_running_heads(lines, len(pages), body)
    pieces = list(pieces_of(kept))
    words = Counter(word for line in kept for word in _WORD.findall(line.text.casefold()))
    for piece in pieces:
        if piece.kind in AS_IT_STANDS:
            piece.text = "\n".join(indented(piece)).replace("\u00ad", "-")
        else:
            piece.text = flowing(piece.lines, words)
    find_headings(pieces, outline, body)
    _Writer(draft, words, turned).write(in_flow(pieces, body))
    title = title_of(pieces, body)
    return title, " | ".join(large for large in large_on_first_page(pieces, body) if large != title)


def _accented(found: re.Match[str]) -> str:
    accent, letter = found.groups()
    made = unicodedata.normalize("NFC", _UNDOTTED.get(letter, letter) + _ACCENTS[accent])
    return made if len(made) == 1 else found.group()


def _body_size(lines: list[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0


def _mark_colours(lines: list[Line]) -> None:
    """Leave a colour only to the lines that are set off from the others by it."""
    colours: Counter[int] = Counter()
    for line in lines:
        colours[line.colour] += len(line.text)
    usual = colours.most_common(1)[0][0] if colours else 0
    for line in lines:
        line.colour = 0 if line.colour == usual else line.colour or _BLACK


class _Writer:
    """Writes the pieces page by page; a paragraph goes on over the end of a column or page."""

    def __init__(self, draft: Draft, words: Counter[str], turned: dict[int, str]) -> None:
        self._draft, self._words, self._turned = draft, words, turned
        self._open: Piece | None = None
        self._continues = False

    def write(self, pieces: list[Piece]) -> None:
        page = 0
        for piece in pieces:
            if page and piece.page != page:
                self._end_page(page, piece)
            page = piece.page
            self._take(piece)
        self._close()
        if page:
            self._aside(page)

    def _end_page(self, page: int, following: Piece) -> None:
        """Close what is open, and note whether the next page goes on with it."""
        cut = self._open is not None and goes_on(self._open, following)
        if cut and self._open and hyphenated(self._open.text):
            # The cut word is made whole on the page where it begins.
            head, _, rest = following.text.partition(" ")
            self._open.text = joined(self._open.text, head, self._words)
            following.text = rest
        aside = self._turned.get(page)
        self._close()
        self._aside(page)
        self._continues = cut and not aside

    def _take(self, piece: Piece) -> None:
        before = self._open
        if before and before.kind == piece.kind in {"list", "code"} and before.page == piece.page:
            before.text += "\n" + piece.text
            before.lines += piece.lines
            return
        if before and before.page == piece.page and goes_on(before, piece):
            before.text = joined(before.text, piece.text, self._words)
            before.lines += piece.lines
            return
        self._close()
        self._open = piece

    def _close(self) -> None:
        piece, self._open = self._open, None
        if piece is None:
            return
        continues, self._continues = self._continues, False
        text = piece.text.replace("\u00ad", "-")
        match piece.kind:
            case "heading":
                self._draft.plain_heading(piece.level, text, piece.page)
            case "list":
                self._draft.items(text.split("\n"), piece.page)
            case "table":
                self._draft.grid(text, piece.page)
            case "code":
                self._draft.listing(text, piece.page)
            case "contents":
                self._draft.aside(text, piece.page)
            case _ if continues:
                self._draft.continued(text, piece.page)
            case _:
                self._draft.paragraph(text, piece.page)

    def _aside(self, page: int) -> None:
        if text := self._turned.get(page):
            self._draft.paragraph(text, page)
