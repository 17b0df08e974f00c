"""Puts back what a reader of main parts left out of the middle of one: headings, and blocks between two that it kept.

Both texts are sequences of blocks of the same page. A heading belongs to the main part if what stands
under it does; anything else only if it stands between blocks of the main part, with nothing foreign around it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from actors.adapters.draft import Draft
from actors.ports import Block, Parsed

FARTHEST = 4
"""Blocks that may be lost in one place."""

_TOP_FARTHEST = 12
"""Blocks that may lie between the heading of a page and its main part: bylines, dates, facts."""

_ENOUGH = 0.8
_SHORTEST = 12
"""Letters from which a text is found within another by more than chance."""

_SENTENCE = 25
"""Letters from which a paragraph is no mere label."""

_NEAR = 20
_MOST_BLOCKS = 3_000


@dataclass
class _Piece:
    block: Block
    text: str
    letters: str


def mended(name: str, main: Parsed, bare: Parsed) -> Parsed:
    """The main part with what was lost of its middle; as it is, where nothing was."""
    kept, around = _pieces(main), _pieces(bare)
    if not kept or len(around) > _MOST_BLOCKS or len(kept) > _MOST_BLOCKS:
        return main
    places = _places(kept, around)
    missing = _missing(kept, around, places)
    if not any(missing.values()):
        return main
    draft = Draft(name)
    for number, piece in enumerate(kept):
        for each in (*missing.get(number, ()), piece):
            draft.passage(each.text, [_alone(each)])
    return draft.parsed(
        main.media_type, None if draft.titled else main.title, main.metadata, main.coverage
    )


def _alone(piece: _Piece) -> Block:
    return piece.block.model_copy(update={"start": 0, "end": len(piece.text)})


def _pieces(parsed: Parsed) -> list[_Piece]:
    found = []
    for block in parsed.blocks:
        text = parsed.text[block.start : block.end]
        said = block.title if block.kind == "heading" else text
        found.append(_Piece(block, text, _letters(said)))
    return found


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _places(kept: Sequence[_Piece], around: Sequence[_Piece]) -> list[int | None]:
    """For each block of the page, the block of the main part that says the same."""
    exact: dict[str, int] = {}
    for number, piece in enumerate(kept):
        exact.setdefault(piece.letters, number)
    joined = "\0".join(piece.letters for piece in kept)
    ends = list(accumulate(len(piece.letters) + 1 for piece in kept))
    places: list[int | None] = []
    last = 0
    for piece in around:
        found = exact.get(piece.letters)
        if found is None and len(piece.letters) >= _SHORTEST and piece.block.kind != "heading":
            at = joined.find(piece.letters)
            found = bisect_right(ends, at) if at >= 0 else _holding(piece.letters, kept, last)
        places.append(found)
        last = last if found is None else found
    return places


def _holding(letters: str, kept: Sequence[_Piece], start: int) -> int | None:
    """The block near by that is most of a text."""
    for number in range(start, min(start + _NEAR, len(kept))):
        other = kept[number].letters
        if len(other) >= max(_SHORTEST, _ENOUGH * len(letters)) and other in letters:
            return number
    return None


def _missing(
    kept: Sequence[_Piece], around: Sequence[_Piece], places: Sequence[int | None]
) -> dict[int, list[_Piece]]:
    """What is to be put back, by the block of the main part that it stands before."""
    known = {piece.letters for piece in kept} | {
        _letters(line) for piece in kept for line in piece.text.splitlines()
    }
    missing: dict[int, list[_Piece]] = {}
    run: list[_Piece] = []
    begun = False
    for piece, place in zip(around, places, strict=True):
        if place is None:
            run += [piece] if piece.letters and piece.letters not in known else []
            continue
        lost = _of_the_middle(run) if begun else _of_the_beginning(run)
        missing.setdefault(place, []).extend(lost)
        known |= {each.letters for each in lost}
        begun = begun or piece.block.kind != "heading"
        run = []
    return missing


def _of_the_middle(run: list[_Piece]) -> list[_Piece]:
    """What was lost between two blocks of the main part: all of a little, else what ends in headings."""
    if len(run) <= FARTHEST and all(_says_something(each) for each in run):
        return run
    return _headings_at_the_end(run)


def _of_the_beginning(run: list[_Piece]) -> list[_Piece]:
    """What was lost before the first of the main part: its headings, past bylines and dates."""
    ending = _headings_at_the_end(run)
    near = run[-_TOP_FARTHEST : len(run) - len(ending)]
    top = [each for each in near if each.block.kind == "heading" and each.block.level == 1]
    return [*top[-1:], *ending]


def _headings_at_the_end(run: list[_Piece]) -> list[_Piece]:
    start = len(run)
    while start and run[start - 1].block.kind == "heading":
        start -= 1
    return run[start:]


def _says_something(piece: _Piece) -> bool:
    return piece.block.kind != "paragraph" or len(piece.letters) >= _SENTENCE
