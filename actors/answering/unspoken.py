"""What a question wants to hear of: the goals in "how many goals did they score", the score in "who wrote its score".

Where the pages that would tell it never speak of it, they do not answer, whatever else they share with the question.
"""

import re
from collections.abc import Sequence

from actors.answering.figures import UNITS
from actors.answering.parts import Part

_HOW_MANY = re.compile(r"\bhow many\s+", re.I)
_WHO_DID = re.compile(
    r"\bwho\s+[a-z]+ed\s+the\s+|\bwho\s+(?:wrote|made|built|drew|sang|led|won)\s+the\s+", re.I
)
_OF = re.compile(r"\s+(?:of|for|in)\s+(?:[Tt]he\s+)?(?:[a-z]+\s+)?[\"“]?(?:The\s+)?")
"""Of the film The Mill."""


def asked_of(part: Part) -> tuple[int, ...]:
    """The places among a part's terms of what is counted, or of what somebody did that belongs to a name."""
    if part.side:
        return ()
    if many := _HOW_MANY.search(part.text):
        return _side_by_side(part, many.end())
    who = _WHO_DID.search(part.text)
    places = _side_by_side(part, who.end()) if who else ()
    if not places:
        return ()
    last = part.wanted[places[-1]]
    belongs = _OF.match(part.text, last.at + len(last.surface))
    named = belongs and any(each.entity and each.at == belongs.end() for each in part.wanted)
    return places if named else ()


def speaks(asked: tuple[int, ...], matches: Sequence[float], enough: float) -> bool:
    """Whether such matches have any of what is asked about; so they do where nothing is."""
    return not asked or any(matches[place] >= enough for place in asked)


def _side_by_side(part: Part, at: int) -> tuple[int, ...]:
    """The ordinary words that stand side by side from a place on; a unit is not what is counted."""
    by_place = {each.at: place for place, each in enumerate(part.wanted)}
    found: list[int] = []
    while at in by_place:
        each = part.wanted[by_place[at]]
        if not each.strong or each.entity or each.measured or each.surface.casefold() in UNITS:
            return ()
        found.append(by_place[at])
        at += len(each.surface) + 1
    return tuple(found)
