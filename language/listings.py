"""Lists in a text, and what leads to one: "To open an account you need one of:", or the heading over it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from language.marks import BULLET
from language.sentences import QUOTABLE, Sentence, clip

FARTHEST = 60
"""Sentences that are looked at from what leads to a list: beyond that it is a register, whose entries stand for
themselves."""

_LEADS = re.compile(
    r"[:\uff1a][*_]{0,2}\s*\Z|\b(?:following|follows|below|these)\b[^.]{0,80}\.?\Z"
    r"|(?:次の|つぎの|以下|下記|次に)[^。]{0,60}。?\Z",
    re.I,
)
_LABEL = re.compile(r"(\*\*|__)[^*_]{1,120}\1[.:?\uff1f]?\Z")

# Japanese leaves no blank behind the mark.
_CLOSE_MARK = r"[ \t\u3000]*(?:[・･●○■□◆◇①-⑳]|[0-9\uff10-\uff19]{1,2}[\uff0e\uff09])[ \t\u3000]*"
_CLOSE = re.compile(_CLOSE_MARK)
_ITEM = re.compile(rf"^(?:[ \t]*>)*(?P<mark>{BULLET.pattern}|{_CLOSE_MARK})", re.M)
_SIGN = re.compile(r"[-*+•‣◦▪・･●○■□◆◇]\Z")
_COUNTED = re.compile(r"[0-9]{1,3}[.)]\Z")
_INDENT = re.compile(r"(?:[ \t]*>)*([ \t]*)")


@dataclass(frozen=True, slots=True)
class Listing:
    """What leads to a list and which sentences it is made of, by their places."""

    lead: int
    last: int
    named: bool
    """Whether what leads to it is no sentence: a heading, or a label in bold."""

    counted: bool
    """Whether its items have numbers, as steps have."""

    ended: bool
    """Whether its last sentence is among them, and it does not go on."""


def led_by(text: str, sentences: Sequence[Sentence], place: int) -> Listing | None:
    """The list that a sentence leads to."""
    if place + 1 >= len(sentences) or not _is_item(text, sentences[place + 1]):
        return None
    lead, above = sentences[place], _depth(text, sentences[place])
    said = text[lead.start : lead.end]
    named = lead.kind == "heading" or bool(_LABEL.match(said))
    if above is not None:
        below = _depth(text, sentences[place + 1])
        if below is None or below <= above:
            return None
    elif not named and (lead.kind != "prose" or not _LEADS.search(said)):
        return None
    first = _ITEM.match(text, text.rfind("\n", 0, sentences[place + 1].start) + 1)
    counted = first is not None and bool(_COUNTED.match(first["mark"].strip()))
    last = place + 1
    while last + 1 < len(sentences):
        depth = _depth(text, sentences[last + 1])
        if depth is None or (above is not None and depth <= above):
            break
        if last - place == FARTHEST:
            return Listing(place, last, named, counted, ended=False)
        last += 1
    return Listing(place, last, named, counted, ended=True)


def lists_around(text: str, sentences: Sequence[Sentence], place: int) -> Iterator[Listing]:
    """The lists that a sentence is of, the innermost first."""
    depth, over = _depth(text, sentences[place]), place
    while depth is not None and over > max(0, place - FARTHEST):
        over -= 1
        above = _depth(text, sentences[over])
        if above is None or above < depth:
            listing = led_by(text, sentences, over)
            if listing is not None and listing.last >= place:
                yield listing
            depth = above


def pieces(text: str, sentences: Sequence[Sentence], listing: Listing) -> list[tuple[int, int]]:
    """A list with what leads to it, in spans that can be quoted, none of which divides an item."""
    begin, end = sentences[listing.lead].start, sentences[listing.last].end
    borders = [each.start() for each in _ITEM.finditer(text, begin + 1, end)]
    found: list[tuple[int, int]] = []
    for start, stop in zip([begin, *borders], [*borders, end], strict=True):
        while text[start].isspace():
            start += 1
        stop = start + len(text[start:stop].rstrip())
        if found and stop - found[-1][0] <= QUOTABLE:
            found[-1] = found[-1][0], stop
        else:
            found.append(clip(text, start, stop))
    return found


def in_lines(text: str) -> list[tuple[int, str, str]]:
    """What a list says, line by line: how deep each item stands in it, its mark as Markdown has it, and its words.

    What is before the first item, and what has no items, has neither depth nor mark.
    """
    marks = list(_ITEM.finditer(text))
    borders = [*(each.start() for each in marks), len(text)]
    depths = sorted({_blanks(text, each.start()) for each in marks})
    lines = [(0, "", text[: borders[0]])]
    for each, stop in zip(marks, borders[1:], strict=True):
        mark, words = each["mark"].strip(), text[each.end() : stop]
        if not _COUNTED.match(mark):
            mark, words = "-", words if _SIGN.match(mark) else f"{mark} {words}"
        lines.append((depths.index(_blanks(text, each.start())), mark, words))
    return [line for line in lines if line[2].strip()]


def _is_item(text: str, sentence: Sentence) -> bool:
    """Whether an item begins with a sentence."""
    if sentence.kind == "item":
        return True
    begin = text.rfind("\n", 0, sentence.start) + 1
    return sentence.kind == "prose" and _CLOSE.match(text, begin) is not None


def _depth(text: str, sentence: Sentence) -> int | None:
    """How far an item is moved in, or what goes on with one; none of what is no part of a list."""
    if _is_item(text, sentence):
        begin = sentence.block if sentence.kind == "item" else sentence.start
        return _blanks(text, text.rfind("\n", 0, begin) + 1)
    indent = _blanks(text, sentence.block)
    goes_on = indent >= 2 and not _LEADS.search(text[sentence.start : sentence.end])
    return indent if sentence.kind == "prose" and goes_on else None


def _blanks(text: str, line: int) -> int:
    indent = _INDENT.match(text, line)
    return len(indent[1].expandtabs(4)) if indent else 0
