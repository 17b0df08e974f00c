"""Puts paragraphs together that a page cuts in two, past the notes and figures between their halves."""

import re
from collections.abc import Iterator

from actors.adapters.pdf.pieces import AS_IT_STANDS, CJK, Piece, ended

_FARTHEST = 14
"""Pieces that may stand between the halves of a paragraph."""

_SMALL = 0.95
_SHORT = 80
"""Letters of what stands in a figure."""

_WITHIN = 0.7
"""Of a paragraph's width, what has a line in a figure at most."""

_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|scheme|plate|chart|algorithm|listing|box|abb(?:ildung|\.)?|tabelle"
    r"|図|表)\s*[\dIVXA-Z]",
    re.I,
)


def in_flow(pieces: list[Piece], body: float) -> list[Piece]:
    """The pieces, each half of a paragraph beside the other.

    What stood between them comes behind, or before them where the page ends in between: pages stay
    in their order.
    """
    left = list(pieces)
    at = 0
    while at < len(left):
        other = _other_half(left, at, body)
        if other is not None:
            first, second = left[at], left[other]
            between = left[at + 1 : other]
            turned = second.page != first.page
            before = [piece for piece in between if turned and piece.page == first.page]
            after = [piece for piece in between if not turned or piece.page != first.page]
            left[at : other + 1] = [*before, first, second, *after]
            at += len(before)
        at += 1
    return left


def goes_on(before: Piece, after: Piece) -> bool:
    """Whether a paragraph was cut by the end of its column or page."""
    last, first = before.lines[-1], after.lines[0]
    if (last.page, last.column) == (first.page, first.column):
        return False
    if before.kind != "paragraph" or after.kind != "paragraph":
        return False
    if abs(last.size - first.size) > 0.06 * last.size or ended(before.text):
        return False
    if len(last.cells) > 1:
        return False
    letter = after.text[:1]
    return letter.islower() or bool(CJK.match(letter)) or _is_cut(before, after)


def _is_cut(before: Piece, after: Piece) -> bool:
    """Whether the last line of one is full and the first of the other not set in."""
    if len(before.lines) < 2 or len(after.lines) < 2 or _CAPTION.match(after.text):
        return False
    full = before.lines[-1].right >= max(line.right for line in before.lines) - before.lines[0].size
    flush = after.lines[0].left <= after.lines[1].left + 0.3 * after.lines[0].size
    return full and flush and not before.lines[-1].bold and not after.lines[0].bold


def _other_half(pieces: list[Piece], at: int, body: float) -> int | None:
    piece = pieces[at]
    small = piece.lines[0].size < _SMALL * body
    if piece.kind != "paragraph" or ended(piece.text) or small or _CAPTION.match(piece.text):
        return None
    width = max(line.right - line.left for line in piece.lines)
    for place in _ahead(pieces, at):
        if goes_on(piece, pieces[place]):
            return place if place > at + 1 else None
        if not _is_aside(pieces[place], body, width):
            return None
    return None


def _ahead(pieces: list[Piece], at: int) -> Iterator[int]:
    for place in range(at + 1, min(at + 1 + _FARTHEST, len(pieces))):
        if pieces[place].kind == "heading" or pieces[place].page > pieces[at].page + 1:
            return
        yield place


def _is_aside(piece: Piece, body: float, width: float = 0.0) -> bool:
    """Whether a piece is a note, a caption, a table, or what stands in a figure."""
    if piece.kind in AS_IT_STANDS:
        return True
    small = piece.lines[0].size < _SMALL * body
    line = piece.lines[0]
    words = len(piece.lines) == 1 and len(piece.text) < _SHORT and not ended(piece.text)
    within = line.right - line.left < _WITHIN * width
    return small or (words and within) or bool(_CAPTION.match(piece.text))
