"""Which of two things comes first, lived longer or is larger, by the dates and figures that are quoted for each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from actors.answering.comparing import ToldSide
from actors.answering.dating import Event, When, told
from actors.answering.figures import figures
from actors.answering.terms import Terms

By = Literal["birth", "death", "release", "founding", "age", "life", "size", "count"]


@dataclass(frozen=True, slots=True)
class Ordering:
    """What puts two things in order, and at which end of it the sought one stands."""

    by: By
    least: bool
    dimension: str = ""
    """Of a size: what it is measured in…"""

    cue: str = ""
    """…and which words tell it from other sizes; of a count: what is counted."""


_SOONER = r"(?:first|earlier|earliest|before|sooner)"
_LATER = r"(?:later|latest|last|after|recently|newer|newest)"
_EVENTS: tuple[tuple[Event, str], ...] = (
    ("birth", r"born|birth"),
    ("death", r"die[ds]?|death|passed away"),
    ("release", r"releas\w+|published|c[ao]me out|premiered|aired|debuted|issued"),
    (
        "founding",
        r"founded|established|formed|started?|created|launched|open(?:ed)?|began|begun|incorporated|completed|built"
        r"|inaugurated|introduced",
    ),
)
_HEIGHT = r"high|height|tall|elevation|altitude|summit|rises"
_AREA = r"area|surface|covers?"
_SIZES: tuple[tuple[str, str, str, str], ...] = (
    ("m^1", _HEIGHT, r"taller|tallest|higher|highest", r"lower|lowest"),
    ("m^1", r"long|length", r"longer|longest", r"shorter|shortest"),
    ("m^1", r"deep|depth", r"deeper|deepest", r"shallower"),
    ("g^1", r"weigh\w*|weight|mass", r"heavier|heaviest", r"lighter|lightest"),
    (
        "m^2",
        _AREA,
        r"(?:larger|bigger|greater)(?=.*\b(?:area|surface)\b)",
        r"smaller(?=.*\b(?:area|surface)\b)",
    ),
)
_MORE = re.compile(
    r"\b(?P<which>more|most|fewer|fewest)\s+(?:[a-z]+\s+){0,2}?(?P<what>[a-z]{3,})\s*(?:\Z|[,?]|\bthan\b|\bin\b)",
    re.I,
)
_POPULATION = re.compile(r"\b(?P<which>larger|bigger|greater|higher|smaller)\s+population\b", re.I)
_NUMBER = r"[0-9](?:[0-9,]*[0-9])?+"
_MANY = r"(?:hundred|thousand|million|billion|trillion|dozen)s?\b"
"""What makes a number stand for a larger one."""

_PEOPLE = re.compile(
    rf"\bpopulation (?:of|was|is)(?: about| around| some)? (?P<n>{_NUMBER})(?![.,]?[0-9]|\s+{_MANY})"
)


def ordering_of(aspect: str) -> Ordering | None:
    """What an aspect puts two things in order by; none where it does not."""

    def has(words: str) -> bool:
        return re.search(rf"\b(?:{words})\b", aspect, re.I) is not None

    for event, words in _EVENTS:
        if has(words) and has(_SOONER) != has(_LATER):
            return Ordering(event, least=has(_SOONER))
    if has(r"lived longer|longer life"):
        return Ordering("life", least=False)
    if has(r"older|oldest|elder") != has(r"younger|youngest|newer"):
        return Ordering("age", least=has(r"older|oldest|elder"))
    if more := _MORE.search(aspect):
        return Ordering("count", least=more["which"][0] in "fF", cue=more["what"].casefold())
    if larger := _POPULATION.search(aspect):
        return Ordering("count", least=larger["which"][0] in "sS", cue="inhabitants")
    for dimension, cue, most, least in _SIZES:
        if has(most) != has(least):
            return Ordering("size", least=has(least), dimension=dimension, cue=cue)
    return None


def ordered(ordering: Ordering, sides: Sequence[ToldSide], terms: Terms) -> str | None:
    """Which of two sides it is, with what tells it; none where the quotations do not settle it."""
    match ordering.by:
        case "age":
            # A person has been born, anything else has been founded.
            return _dated("birth", ordering, sides) or _dated("founding", ordering, sides)
        case "life":
            return _lived(ordering, sides)
        case "size":
            return _sized([_size(ordering, side, terms) for side in sides], ordering, sides)
        case "count":
            return _sized([_count(ordering.cue, side, terms) for side in sides], ordering, sides)
        case event:
            return _dated(event, ordering, sides)


def _dated(event: Event, ordering: Ordering, sides: Sequence[ToldSide]) -> str | None:
    one, other = (_when(event, side) for side in sides)
    if one is None or other is None or (earlier := one.before(other)) is None:
        return None
    return _named(sides, (one.shown, other.shown), first=earlier == ordering.least)


def _when(event: Event, side: ToldSide) -> When | None:
    """When it happened to a side, by the last of its quotations that tells it."""
    found = (told(event, each.text, opens=each.opens) for each in reversed(side.told))
    return next((when for when in found if when), None)


_Size = tuple[float, str]
"""How much, and as it is written."""


def _sized(
    sizes: Sequence[_Size | None], ordering: Ordering, sides: Sequence[ToldSide]
) -> str | None:
    one, other = sizes
    if one is None or other is None or one[0] == other[0]:
        return None
    return _named(sides, (one[1], other[1]), first=(one[0] < other[0]) == ordering.least)


@dataclass(frozen=True, slots=True)
class _Span:
    """How many whole years somebody lived: where a day is not known, the last of them may not have been whole."""

    least: int
    most: int
    shown: str


def _lived(ordering: Ordering, sides: Sequence[ToldSide]) -> str | None:
    one, other = (_span(side) for side in sides)
    if not one or not other or (one.least <= other.most and other.least <= one.most):
        return None
    shorter = one.most < other.least
    return _named(sides, (one.shown, other.shown), first=shorter == ordering.least)


def _span(side: ToldSide) -> _Span | None:
    born, died = _when("birth", side), _when("death", side)
    if not born or not died:
        return None
    years = died.year - born.year
    least = most = years - ((died.month, died.day) < (born.month, born.day))
    if not born.day or not died.day:
        least, most = years - 1, years
    return _Span(least, most, f"{born.shown} to {died.shown}")


def _size(ordering: Ordering, side: ToldSide, terms: Terms) -> _Size | None:
    """The one figure of a dimension that is quoted for a side beside a word that says what it is the size of."""
    found: dict[float, str] = {}
    for each in side.told:
        if re.search(rf"\b(?:{ordering.cue})\b", each.text, re.I):
            for figure in figures(each.text, each.tokens, each.above, terms):
                if figure.dimension == ordering.dimension:
                    found.setdefault(figure.high, figure.shown)
    if not found or max(found) > 1.05 * min(found):
        return None
    return max(found), next(iter(found.values()))


def _count(what: str, side: ToldSide, terms: Terms) -> _Size | None:
    """How many of something are told of a side."""
    stem = re.escape(terms.stem(what) or what)
    thing = rf"(?:{stem}\w*)"
    if what in {"people", "inhabitants", "residents", "populous"}:
        thing = r"(?:people|inhabitants|residents)"
    counted = re.compile(
        rf"(?<![\w,.])(?P<n>{_NUMBER})\s+(?:(?!{_MANY})[a-z-]+\s+){{0,2}}?{thing}\b", re.I
    )
    found = {
        match["n"]
        for each in side.told
        for pattern in (counted, *((_PEOPLE,) if "people" in thing else ()))
        for match in pattern.finditer(each.text)
    }
    if len(found) != 1:
        return None
    (shown,) = found
    return float(shown.replace(",", "")), shown


def _named(sides: Sequence[ToldSide], shown: tuple[str, str], *, first: bool) -> str:
    one, other = sides
    if one.whether:
        yes = "Yes" if first else "No"
        return f"{yes}: {shown[0]} for {one.thing}, {shown[1]} for {other.thing}."
    if first:
        return f"{one.thing}: {shown[0]}, against {shown[1]} for {other.thing}."
    return f"{other.thing}: {shown[1]}, against {shown[0]} for {one.thing}."
