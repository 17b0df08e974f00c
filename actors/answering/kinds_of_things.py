"""Whether a sentence is about another kind of a thing: a page on ballpoint pens says nothing of fountain pens."""

import re
from collections.abc import Iterator

from actors.answering.candidates import Candidate
from actors.answering.parts import Part, Wanted


def of_another_kind(part: Part, candidate: Candidate) -> bool:
    """Whether a page is on some kind of a thing, and the question asks about another kind of it."""
    if candidate.title_names:
        return False  # One of them by name may well be of that kind.
    return any(_another(kind, thing, candidate) for kind, thing in _kinds(part))


def _kinds(part: Part) -> list[tuple[Wanted, Wanted]]:
    """Ordinary words of a question that stand side by side: the kind, and what it is a kind of."""
    plain = [each for each in part.wanted if each.strong and not each.entity and each.at >= 0]
    by_place = {each.at: each for each in plain}
    pairs = ((each, by_place.get(each.at + len(each.surface) + 1)) for each in plain)
    ends = [(kind, thing) for kind, thing in pairs if thing is not None]
    inner = {id(kind) for kind, _ in ends}
    return [(kind, thing) for kind, thing in ends if id(thing) not in inner]


def _another(kind: Wanted, thing: Wanted, candidate: Candidate) -> bool:
    if thing.term not in candidate.title or len(candidate.title) < 2:
        return False
    said = candidate.terms | candidate.above | candidate.before | candidate.earlier
    kin = candidate.kin | candidate.above_kin
    return kind.term not in said and (kind.kin is None or kind.kin not in kin)


_YEAR_DIGITS = 4
"""A name with a year is a thing at a time, not one of several models."""


def of_another_number(part: Part, candidate: Candidate) -> bool:
    """Whether a name with a number is asked about, and a sentence, or what it stands under, has it with another.

    What ends with Windows 10 is not told of Windows 11.
    """
    over = candidate.passage
    for name, number in _numbered(part):
        behind = re.compile(rf"\b{re.escape(name.surface)}[ -]([0-9]+)\b", re.I)
        for text in (candidate.text, *reversed(over.headings), over.title):
            if found := behind.findall(text):
                if number.surface not in found:
                    return True
                break
    return False


def _numbered(part: Part) -> Iterator[tuple[Wanted, Wanted]]:
    """Names with the number behind each."""
    named = [each for each in part.wanted if each.entity and each.at >= 0]
    ends = {each.at + len(each.surface) + 1: each for each in named}
    for each in part.wanted:
        if each.at in ends and each.surface.isdigit() and len(each.surface) < _YEAR_DIGITS:
            yield ends[each.at], each
