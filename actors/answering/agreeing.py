"""Whether two things have something in common, by what is quoted for each: a nationality, a director, a school.

That something is not told is no reason for a no.
"""

import re
from collections.abc import Callable, Sequence

from actors.answering.comparing import ToldSide
from actors.answering.senses import DEMONYM

_DEFINED = re.compile(
    r"\b(?:is|are|was|were)\s+(?:an?|the)\s+(?P<what>[^.;]*?)(?=,?\s(?:who|which|that|whose|where|best known"
    r"|known|from|in|of|by|at|on|based|located|headquartered)\b|[.;]|$)"
)
_DEMONYM = re.compile(rf"\b{DEMONYM}\b")
_SAME_NATION = re.compile(
    r"\bsame (?:nationality|country)\b|\bnationalit(?:y|ies)\b.*\bsame\b", re.I
)
_PLACED = re.compile(r"\b(?:located|situated|found|lie|held|based|headquartered)\b", re.I)
_BOTH = re.compile(r"^\s*both\s+(?:an?\s+|the\s+)?(?P<what>[\w -]+?)\s*$")
_SAME_MAKER = re.compile(
    r"\bsame (?P<role>director|author|writer|producer|composer|screenwriter|founder)\b", re.I
)
_MADE = {
    "director": "directed",
    "author": "written",
    "writer": "written",
    "producer": "produced",
    "composer": "composed",
    "screenwriter": "written",
    "founder": "founded",
}
_SAME_SCHOOL = re.compile(r"\bsame (?:college|university|school)\b", re.I)
_SCHOOLED = re.compile(
    r"\b(?:graduated from|graduate of|attended|studied at|student at|educated at|degree from)\s+(?:the\s+)?"
    r"(?P<name>[A-Z][\w.’'-]*(?:\s+(?:of\s+|for\s+|the\s+)*[A-Z][\w.’'-]*)*)"
)
_SAME_PLACE = re.compile(r"\bsame (?:city|town|village|neighbou?rhood|borough)\b", re.I)
_FIRST_PLACE = re.compile(
    r"\b(?:is|are|was|were)\s[^.;]*?\bin\s+(?:the\s+)?(?:city\s+of\s+)?(?P<name>[A-Z][\w’'-]*(?:\s[A-Z][\w’'-]*)*)"
    r"(?=,\s+[A-Z])"
)
"""In Velden, Norland: what lies in nothing else that is told may be a whole country."""

_NAME = r"[A-Z][\w.’'-]*(?:\s+(?:(?:de|van|von|der|la|le|di|da|du)\s+)*[A-Z][\w.’'-]*)*"
_UP_TO = r"(?:[^.;()]|(?<=\b[A-Z])\.|(?<=\b(?:Dr|Mr|Ms|St|Jr|Sr))\.)*"
"""Up to the end of what is said: the point behind an initial is none."""

_LISTED = re.compile(rf"{_NAME}(?:(?:,\s+|,?\s+and\s+){_NAME})*")


def _same_nation(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    if not _SAME_NATION.search(aspect) or _PLACED.search(aspect):
        return None
    one, other = (_nations(side) for side in sides)
    if len(one) != 1 or len(other) != 1:
        return None
    (mine,), (theirs,) = one, other
    if mine == theirs:
        return f"Yes: {mine} in both cases."
    return f"No: {mine} and {theirs}."


def _both_such(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    """ "Both British films": by what each is said to be."""
    both = _BOTH.match(aspect)
    if not both:
        return None
    asked = both["what"].split()
    nation = next((word for word in asked if _DEMONYM.fullmatch(word)), None)
    nations = [_nations(side) for side in sides]
    if nation:
        other = next((each for each in nations if len(each) == 1 and nation not in each), None)
        if other:
            return f"No: one is {next(iter(other))}."
    nouns = {_singular(word) for word in asked if word != nation}
    said = [_definition(side) for side in sides]
    if all(nouns <= {_singular(word) for word in re.findall(r"\w+", each)} for each in said) and (
        not nation or all(each == {nation} for each in nations)
    ):
        return f"Yes: {both['what']} in both cases."
    return None


def _same_maker(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    asked = _SAME_MAKER.search(aspect)
    if not asked:
        return None
    verb = _MADE[asked["role"].casefold()]
    one, other = (_makers(verb, side) for side in sides)
    if not one or not other:
        return None
    if one == other:
        return f"Yes: {' and '.join(sorted(one))} in both cases."
    if not {_surname(each) for each in one} & {_surname(each) for each in other}:
        return f"No: {' and '.join(sorted(one))}; {' and '.join(sorted(other))}."
    return None


def _same_school(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    if not _SAME_SCHOOL.search(aspect):
        return None
    one, other = (
        {match["name"].rstrip(".") for each in side.told for match in _SCHOOLED.finditer(each.text)}
        for side in sides
    )
    return f"Yes: {sorted(one & other)[0]} in both cases." if one & other else None


def _same_place(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    if not _SAME_PLACE.search(aspect):
        return None
    places = [
        next((found["name"] for each in side.told if (found := _FIRST_PLACE.search(each.text))), "")
        for side in sides
    ]
    return f"Yes: {places[0]} in both cases." if places[0] and places[0] == places[1] else None


_RULES: tuple[Callable[[str, Sequence[ToldSide]], str | None], ...] = (
    _same_nation,
    _both_such,
    _same_maker,
    _same_school,
    _same_place,
)


def agreement(aspect: str, sides: Sequence[ToldSide]) -> str | None:
    """Yes or no, and what it rests on; none where the quotations do not settle it."""
    return next((said for rule in _RULES if (said := rule(aspect, sides))), None)


def _definition(side: ToldSide) -> str:
    """What the last page that is quoted for a side is said to be about."""
    for each in reversed(side.told):
        if each.opens and (what := _DEFINED.search(each.text)):
            return what["what"]
    return ""


def _nations(side: ToldSide) -> set[str]:
    return set(_DEMONYM.findall(_definition(side)))


def _makers(verb: str, side: ToldSide) -> set[str]:
    """By whom something was made, by the words behind the verb up to the end of their list."""
    for each in side.told:
        made = re.search(rf"\b{verb}(?:\s+and\s+\w+)?\s+by\s+(?P<who>{_UP_TO})", each.text)
        if made:
            listed = _LISTED.match(made["who"])
            return (
                {name.rstrip(".") for name in re.findall(_NAME, listed.group())}
                if listed
                else set()
            )
    return set()


def _surname(name: str) -> str:
    return name.split()[-1].casefold()


def _singular(word: str) -> str:
    return word.casefold().removesuffix("s")
