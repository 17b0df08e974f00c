"""Where on a page its text is: the element that holds the paragraphs, whatever it is called.

Every paragraph speaks for the elements around it, the nearer the more. Where several elements are spoken for
alike, as the posts of a thread are, the one around them all is taken. A reader that took more than is in
there, such as a consent form before it and remarks behind it, is cut back to it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from actors.adapters.draft import Draft
from actors.adapters.html.page_mending import letters_of
from actors.ports import Block, Parsed

ENOUGH = 0.6
"""Share of a reading that must be in the center, for the rest to be foreign."""

NAMED = 0.2
"""The same, where the page says which element is its main part."""

LITTLE = 0.2
"""Share of the center's letters up to which what stands beside it is cut away."""

_PARAGRAPH = 25
"""Letters from which text is a paragraph and no label."""

_MOST_SCORE = 5.0
_LEVELS = 5
_ALIKE = 0.75
"""Share of the highest score with which an element is spoken for as well."""

_SEVERAL = 3
_MOST_ALIKE = 50
_MOST_BLOCKS, _LONGEST_ZONE = 3_000, 2_000_000
_SHORTEST = 12
"""Letters from which a text is found within another by more than chance."""

_MOSTLY = 0.8
_TOP_FARTHEST = 12
"""Blocks that may lie between the heading of a page and its text."""

_BEGIN, _END = "\ue000", "\ue001"
_SENTENCE_END = re.compile("[.!?:;\n|。\uff01\uff1f\uff1a]")
_NUMBER = re.compile(r"\A\s*+\d++\.\s")
_SAYS = re.compile("\\d|[.!?。\uff01\uff1f]$")
_INLINE = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em"),
        *(
            "font",
            "i",
            "img",
            "ins",
            "kbd",
            "mark",
            "q",
            "ruby",
            "rb",
            "s",
            "samp",
            "small",
            "span",
        ),
        *("strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    }
)
_OWN = frozenset({"div", "section", "article", "main", "td", "body", "center"})
"""Elements that hold text themselves where they have some; of others it is the one around."""

_PASSED_OVER = frozenset(
    {
        *("script", "style", "noscript", "template", "svg", "head", "title", "textarea", "a"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    }
)


def center_of(tree: Any) -> Any:
    """The element in which the paragraphs of a page are; none where it has none."""
    scores: dict[Any, float] = defaultdict(float)
    for block, weight in _paragraphs(tree).items():
        worth = 1 + min(weight / 100, _MOST_SCORE)
        holder = block if block.tag in _OWN else block.getparent()
        for level in range(_LEVELS):
            if holder is None or holder.tag == "html":
                break
            scores[holder] += worth / (1, 2, 6, 9, 12)[level]
            holder = holder.getparent()
    if not scores:
        return None
    best = max(scores, key=lambda element: scores[element])
    center = _around(best, [each for each in scores if scores[each] >= _ALIKE * scores[best]])
    while center.tag not in _OWN and center.getparent() is not None:
        center = center.getparent()
    return center


def _paragraphs(tree: Any) -> dict[Any, int]:
    """The blocks of a page that say something, and how many letters outside of links."""
    weights: dict[Any, int] = defaultdict(int)
    for block, text in _texts(tree):
        weights[block] += sum(map(str.isalnum, text))
    return {block: weight for block, weight in weights.items() if weight >= _PARAGRAPH}


def _texts(tree: Any) -> Iterator[tuple[Any, str]]:
    """Every text outside of links and headings, with the block that it stands in."""
    blocks: dict[Any, Any] = {}
    for element in tree.iter():
        above = element.getparent()
        around = blocks.get(above)
        if not isinstance(element.tag, str) or element.tag in _PASSED_OVER:
            blocks[element] = None
        elif element.tag in _INLINE:
            blocks[element] = around
        else:
            blocks[element] = element if above is None or around is not None else None
        if element.text and blocks[element] is not None:
            yield blocks[element], element.text
        if element.tail and around is not None:
            yield around, element.tail


def _around(best: Any, alike: list[Any]) -> Any:
    """The nearest element that holds several of those that are spoken for alike."""
    held = Counter(above for each in alike[:_MOST_ALIKE] for above in each.iterancestors())
    for above in best.iterancestors():
        if above.tag in {"body", "html"}:
            break
        if held[above] >= _SEVERAL:
            return above
    return best


@dataclass(frozen=True)
class Zone:
    """Where on a page its text is, as letters."""

    letters: str
    headed: bool
    """It begins with the heading of the page."""

    named: bool
    """The page itself says that its main part is there."""


def zones_of(whole: Any, bare: Any) -> list[Zone]:
    """The main part that a page names, and the center of its text without menus and banners."""
    named, center = named_main(whole), center_of(bare)
    return [
        *([] if named is None else [_zone(whole, named, named=True)]),
        *([] if center is None else [_zone(bare, center, named=False)]),
    ]


def _zone(tree: Any, center: Any, *, named: bool) -> Zone:
    """From the heading above an element to its end."""
    top = _top_heading(tree, center)
    begins = center if top is None else top
    text, tail = begins.text, center.tail
    begins.text, center.tail = _BEGIN + (text or ""), _END + (tail or "")
    whole = "".join(tree.itertext())
    begins.text, center.tail = text, tail
    letters = letters_of(whole.partition(_BEGIN)[2].partition(_END)[0])
    return Zone(letters, top is not None or named, named)


def named_main(tree: Any) -> Any:
    """The element that a page calls its main part, if there is one such."""
    named = [
        element for element in tree.iter() if element.tag == "main" or element.get("role") == "main"
    ]
    return named[0] if len(named) == 1 else None


def _top_heading(tree: Any, center: Any) -> Any:
    """The last heading of the page that stands before its center."""
    top = None
    for element in tree.iter("h1", center.tag):
        if element is center:
            break
        top = element if element.tag == "h1" else top
    return top


def cut_back(name: str, main: Parsed, zones: Iterable[Zone]) -> Parsed:
    """A reading without what stands before and behind the zones of its page."""
    for zone in zones:
        main = _cut_to(name, main, zone)
    return main


def is_elsewhere(main: Parsed, zones: Iterable[Zone]) -> bool:
    """Whether a reading is of anything but the main part that its page names."""
    for zone in zones:
        if zone.named and zone.letters and len(main.blocks) <= _MOST_BLOCKS:
            return _share_within(main.text, zone.letters[:_LONGEST_ZONE]) < NAMED
    return False


def _share_within(text: str, zone: str) -> float:
    """How much of a text is in the zone, sentence by sentence: readers put blocks together as they like."""
    sentences = [letters_of(each) for each in _SENTENCE_END.split(text)]
    long = [each for each in sentences if len(each) >= _SHORTEST]
    asked = long[:: max(1, len(long) // _MOST_BLOCKS)]
    return sum(len(each) for each in asked if each in zone) / (sum(map(len, asked)) or 1)


def _cut_to(name: str, main: Parsed, zone: Zone) -> Parsed:
    if len(main.blocks) > _MOST_BLOCKS or len(zone.letters) > _LONGEST_ZONE:
        return main
    sizes, places = _within(main, zone.letters)
    inside = sum(sizes[place] for place in places)
    if not places or inside < (NAMED if zone.named else ENOUGH) * sum(sizes):
        return main
    first, last = _with_short_ones(main, places[0], places[-1], zone.letters)
    if not zone.headed and not _is_little(main, sizes, range(first), inside):
        first = 0
    if not zone.named and not _is_little(main, sizes, range(last + 1, len(sizes)), inside):
        last = len(sizes) - 1
    if (first, last) == (0, len(sizes) - 1):
        return main
    draft = Draft(name)
    for block in (*_top(main, first, zone), *main.blocks[first : last + 1]):
        text = main.text[block.start : block.end]
        draft.passage(text, [block.model_copy(update={"start": 0, "end": len(text)})])
    return draft.parsed(main.media_type, main.title, main.metadata, main.coverage)


def _with_short_ones(main: Parsed, first: int, last: int, zone: str) -> tuple[int, int]:
    """What is in a zone with the short blocks before and behind it, such as a price or a telephone number.

    By themselves they are found anywhere by chance; in their order at either end of what is in the zone they are not.
    """
    blocks = main.blocks
    while first and blocks[first - 1].kind == "heading":
        if letters_of(blocks[first - 1].title) not in zone:
            break
        first -= 1
    begin = _place_of(_lines(main, blocks[first]), zone, zone.find)
    start = first
    while start and begin >= 0:
        letters = "".join(_lines(main, blocks[start - 1]))
        begin = zone.rfind(letters, 0, begin) if letters else -1
        start -= begin >= 0
    end = _place_of(_lines(main, blocks[last]), zone, zone.rfind)
    stop = last + 1
    while stop < len(blocks) and end >= 0:
        letters = "".join(_lines(main, blocks[stop]))
        found = zone.find(letters, end) if letters else -1
        end = found + len(letters) if found >= 0 else -1
        stop += end >= 0
    before, after = blocks[start:first], _sections_said(blocks[last + 1 : stop])
    headed = any(block.kind == "heading" for block in after)
    return (
        start if _tells(main, before) else first,
        last + len(after) if headed or _tells(main, after) else last,
    )


def _sections_said(blocks: Sequence[Block]) -> Sequence[Block]:
    """Blocks up to the first heading that has nothing under it: what it stood over was meant to be left out."""
    for place, block in enumerate(blocks):
        below = blocks[place + 1].level if place + 1 < len(blocks) else 1
        if block.kind == "heading" and 0 < below <= block.level:
            return blocks[:place]
    return blocks


def _tells(main: Parsed, blocks: Iterable[Block]) -> bool:
    """Whether short blocks have a figure, a sentence or a form, and are not the words of buttons and labels alone."""
    for block in blocks:
        text = main.text[block.start : block.end]
        if block.kind == "paragraph" and _SAYS.search(text):
            return True
        if block.kind not in {"paragraph", "heading"}:
            return True
    return False


def _place_of(lines: list[str], zone: str, find: Callable[[str], int]) -> int:
    """Where the longest line of a block is in a zone."""
    return find(max(lines, key=len))


def _top(main: Parsed, first: int, zone: Zone) -> list[Block]:
    """The heading of the page that stands before what is kept, past dates and themes."""
    if not zone.headed or main.blocks[first].level == 1:
        return []
    near = main.blocks[max(first - _TOP_FARTHEST, 0) : first]
    tops = [each for each in near if each.level == 1 and letters_of(each.title) in zone.letters]
    return tops[-1:]


def _is_little(main: Parsed, sizes: list[int], places: range, inside: int) -> bool:
    """Whether some blocks are a few loose paragraphs, and no part of the text in a place of its own."""
    loose = all(main.blocks[place].kind == "paragraph" for place in places)
    return loose and sum(sizes[place] for place in places) < LITTLE * inside


def _within(main: Parsed, zone: str) -> tuple[list[int], list[int]]:
    """How many letters each block of a reading has, and which of them are in the zone.

    Of very many lines only some are looked for, and of each block at least its first.
    """
    said = [_lines(main, block) for block in main.blocks]
    step = max(1, sum(map(len, said)) // _MOST_BLOCKS)
    sizes = [sum(map(len, lines)) for lines in said]
    places: list[int] = []
    for place, lines in enumerate(said):
        asked = lines[::step]
        found = sum(len(line) for line in asked if line in zone)
        if sizes[place] >= _SHORTEST and found >= _MOSTLY * sum(map(len, asked)):
            places.append(place)
    return sizes, places


def _lines(main: Parsed, block: Block) -> list[str]:
    """The letters of each line of a block that has some."""
    said = block.title if block.kind == "heading" else main.text[block.start : block.end]
    lines = (letters_of(_NUMBER.sub("", line, count=1)) for line in said.splitlines())
    return [line for line in lines if line]
