"""Puts back what a reader of main parts left out of the middle of one: headings, and blocks between two that it kept.

Both texts are sequences of blocks of the same page. A heading belongs to the main part if what stands
under it does; anything else only if it stands between blocks of the main part, with nothing foreign around it.
"""

import re
from bisect import bisect_right
from collections import Counter
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

_TAIL = 0.5
"""Share of the main part up to which what follows it may be its end."""

_STANDFIRST = 40
"""Letters from which a line under a heading is a text of its own."""

_NUMBER = re.compile(r"\A\s*+\d++\.\s")
_NEAR = 20
_MOST_BLOCKS = 3_000


@dataclass
class _Piece:
    block: Block
    text: str
    letters: str


def mended(name: str, main: Parsed, bare: Parsed) -> Parsed:
    """The main part with what was lost of its middle; as it is, where nothing was."""
    read, around = _pieces(main), _pieces(bare)
    if not read or len(around) > _MOST_BLOCKS or len(read) > _MOST_BLOCKS:
        return main
    kept = _in_order(read, around)
    places = _places(kept, around)
    missing = _missing(kept, around, places)
    if not any(missing.values()) and kept == read:
        return main
    draft = Draft(name)
    for number in range(len(kept) + 1):
        for each in (*missing.get(number, ()), *kept[number : number + 1]):
            draft.passage(each.text, [_alone(each)])
    return draft.parsed(
        main.media_type, None if draft.titled else main.title, main.metadata, main.coverage
    )


def _in_order(kept: list[_Piece], around: Sequence[_Piece]) -> list[_Piece]:
    """Blocks as they follow each other on the page: readers may take the first of several parts last."""
    times = Counter(piece.letters for piece in (*kept, *around))
    at = {piece.letters: place for place, piece in enumerate(around) if times[piece.letters] == 2}
    places: list[int] = []
    for piece in kept:
        before = places[-1] if places else -1
        places.append(at.get(piece.letters, before))
    return [kept[number] for number in sorted(range(len(kept)), key=places.__getitem__)]


def _alone(piece: _Piece) -> Block:
    return piece.block.model_copy(update={"start": 0, "end": len(piece.text)})


def _pieces(parsed: Parsed) -> list[_Piece]:
    found = []
    for block in parsed.blocks:
        text = parsed.text[block.start : block.end]
        said = block.title if block.kind == "heading" else text
        found.append(_Piece(block, text, letters_of(said)))
    return found


def letters_of(text: str) -> str:
    """The letters and digits of a text, without all that stands between them."""
    return "".join(filter(str.isalnum, text.casefold()))


def _places(kept: Sequence[_Piece], around: Sequence[_Piece]) -> list[int | None]:
    """For each block of the page, the block of the main part that says the same."""
    exact: dict[str, list[int]] = {}
    for number, piece in enumerate(kept):
        exact.setdefault(piece.letters, []).append(number)
    joined = "\0".join(piece.letters for piece in kept)
    ends = list(accumulate(len(piece.letters) + 1 for piece in kept))
    places: list[int | None] = []
    last = 0
    for piece in around:
        found = _next(exact.get(piece.letters, ()), last)
        if found is None and len(piece.letters) >= _SHORTEST and piece.block.kind != "heading":
            at = joined.find(piece.letters)
            found = bisect_right(ends, at) if at >= 0 else _holding(piece.letters, kept, last)
        places.append(found)
        last = last if found is None else found
    return places


def _next(places: Sequence[int], last: int) -> int | None:
    """Of several places that say the same, the first that was not passed yet."""
    return next((place for place in places if place >= last), places[0] if places else None)


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
        letters_of(line) for piece in kept for line in piece.text.splitlines()
    }
    said = "\0".join(piece.letters for piece in kept)
    missing: dict[int, list[_Piece]] = {}
    run: list[_Piece] = []
    begun = False
    for piece, place in zip(around, places, strict=True):
        if place is None and _is_new(piece, known, said):
            run.append(piece)
            continue
        if place is None:
            place = _begins(piece, kept)
        if place is None:
            continue
        lost = _of_the_middle(run) if begun else _of_the_beginning(run)
        missing.setdefault(place, []).extend(lost)
        known |= {each.letters for each in lost}
        begun = begun or piece.block.kind != "heading"
        run = []
    missing[len(kept)] = _of_the_end(run, missing, sum(len(piece.letters) for piece in kept))
    return missing


def _begins(piece: _Piece, kept: Sequence[_Piece]) -> int | None:
    """Where a list begins whose items were kept as paragraphs: the heading over it stands before them."""
    if piece.block.kind != "list":
        return None
    items = _items(piece)[:1]
    return next((place for place, each in enumerate(kept) if each.letters in items), None)


def _is_new(piece: _Piece, known: set[str], said: str) -> bool:
    """Whether a piece says something that was not kept, in another arrangement perhaps."""
    if not piece.letters or piece.letters in known:
        return False
    if piece.block.kind == "heading":
        return True
    lines = _items(piece, 0)
    there = sum(len(line) for line in lines if line in said)
    return there < _ENOUGH * sum(map(len, lines))


def _items(piece: _Piece, shortest: int = _SHORTEST) -> list[str]:
    """The lines of a block as letters, without the numbers of a list."""
    lines = (letters_of(_NUMBER.sub("", line, count=1)) for line in piece.text.splitlines())
    return [line for line in lines if len(line) >= shortest]


def _of_the_middle(run: list[_Piece]) -> list[_Piece]:
    """What was lost between two blocks of the main part: all of a little, else what ends in headings."""
    # Readers of main parts know paragraphs; where they left some out and nothing else, they meant to.
    structured = any(each.block.kind != "paragraph" for each in run)
    if structured and len(run) <= FARTHEST and all(_says_something(each) for each in run):
        return run
    return _headings_at_the_end(run)


def _of_the_beginning(run: list[_Piece]) -> list[_Piece]:
    """What was lost before the first of the main part: its headings, past bylines and dates."""
    ending = _headings_at_the_end(run)
    near = run[-_TOP_FARTHEST : len(run) - len(ending)]
    heads = [each for each in near if each.block.kind == "heading"]
    top = [place for place, each in enumerate(heads) if each.block.level == 1]
    # A site has a heading of its own above that of the page.
    chosen = [heads[place] for place in sorted({*top[-1:], len(heads) - 1} - {-1})]
    return [*chosen, *_standfirst(near, chosen), *ending]


def _standfirst(near: list[_Piece], heads: list[_Piece]) -> list[_Piece]:
    """What follows the heading of a page at once and is a sentence: it says in short what comes."""
    if not heads:
        return []
    after = near[near.index(heads[-1]) + 1 :][:1]
    return [each for each in after if _is_sentence(each)]


def _is_sentence(piece: _Piece) -> bool:
    said = piece.text.rstrip("\"'”’」』)\uff09")
    paragraph = piece.block.kind == "paragraph" and len(piece.letters) >= _STANDFIRST
    return paragraph and said.endswith((".", "!", "?", "。", "\uff01", "\uff1f"))


def _of_the_end(run: list[_Piece], missing: dict[int, list[_Piece]], letters: int) -> list[_Piece]:
    """What was lost behind the last of the main part: sections like those whose headings were lost, too.

    Only where it was so in the middle as well: such a reader did not see what belongs together.
    """
    levels = {
        each.block.level for lost in missing.values() for each in lost if each.block.level > 1
    }
    if len(levels) == 0 or sum(len(each.letters) for each in run) > _TAIL * letters:
        return []
    headed = bool(run) and run[0].block.level in levels
    whole = all(each.block.level in levels or _is_sentence(each) for each in run)
    return run if headed and whole and not run[-1].block.level else []


def _headings_at_the_end(run: list[_Piece]) -> list[_Piece]:
    start = len(run)
    while start and run[start - 1].block.kind == "heading":
        start -= 1
    return run[start:]


def _says_something(piece: _Piece) -> bool:
    return piece.block.kind != "paragraph" or len(piece.letters) >= _SENTENCE
