"""When something happened, as a sentence tells it: a birth, a death, a release, a founding.

Only what stands there plainly is taken: a date that is called uncertain, or of another era, is none.
"""

import re
from dataclasses import dataclass
from typing import Literal

Event = Literal["birth", "death", "release", "founding"]

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_MONTH = rf"(?:{'|'.join(_MONTHS)})"
_DATE = rf"(?:{_MONTH} [0-9]{{1,2}}, |[0-9]{{1,2}} {_MONTH} |{_MONTH} )?[0-9]{{3,4}}(?![0-9])"
_ASIDE = re.compile(r"\((?P<said>[^()]{4,160})\)")
_LIFE = re.compile(rf"(?P<from>{_DATE}) ?[–—-] ?(?P<to>{_DATE})\s*$")
_UNSURE = re.compile(
    r"\b(?:c|ca|circa|about|around|before|after(?! an?\b)|probably|possibly|or|BCE?|fl)\b|\?|~"
)
"""After 1933, but not after a short illness in 1933."""

_UNSURE_BEHIND = re.compile(r"\s*(?:BCE?\b|B\.C|or [0-9]|\?)")
_PERHAPS = r"\b(?:(?:probably|possibly)\s+)?"
_WHEN = rf"(?:\s+[^.;:()]{{0,60}}?)??\s+\b(?:in|on|since)\s+(?:the\s+)?(?P<date>{_DATE})"
_TOLD: dict[Event, re.Pattern[str]] = {
    "birth": re.compile(
        rf"{_PERHAPS}born(?:\s+[^.;:()]{{0,40}}?)??\s+(?:(?:in|on)\s+)?(?P<date>{_DATE})"
    ),
    "death": re.compile(
        rf"{_PERHAPS}(?:died|killed|executed|murdered|drowned|assassinated){_WHEN}"
    ),
    "release": re.compile(
        rf"{_PERHAPS}(?:released|published|premiered|issued|aired|broadcast|debuted|came out|appeared){_WHEN}"
    ),
    "founding": re.compile(
        rf"{_PERHAPS}(?:[Ff]ounded|[Ee]stablished|[Ff]ormed|[Ss]tarted|[Cc]reated|[Ll]aunched|[Oo]pened|set up"
        rf"|[Bb]egan|[Bb]egun|[Ii]ncorporated|[Cc]ompleted|[Bb]uilt|[Ii]naugurated){_WHEN}"
    ),
}
_OF_THAT_YEAR = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|[a-z]+)\s+(?:[\w-]+\s+){0,3}?(?P<date>[12][0-9]{3})\s"
    r"(?=[^.]*\b(?:film|movie|album|song|single|novel|book|series|game|play|picture|opera|drama|comedy)\b)"
)
"""Is a 1949 British film."""


@dataclass(frozen=True, slots=True)
class When:
    """A date, as exactly as it is told."""

    year: int
    month: int
    """0 where only the year is told…"""

    day: int
    """…and here where only the month is."""

    shown: str

    def before(self, other: "When") -> bool | None:
        """Whether it is the earlier one; none where that cannot be told."""
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        for one, another in zip(mine, theirs, strict=True):
            if not one or not another:
                return None
            if one != another:
                return one < another
        return None

    def may_be(self, other: "When") -> bool:
        """Whether both may be the same day."""
        mine, theirs = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return all(a == b or not a or not b for a, b in zip(mine, theirs, strict=True))


def told(event: Event, sentence: str, *, opens: bool) -> When | None:
    """When something happened to what a sentence is about; `opens`: it is the first of a page on that.

    None where nothing or more than one date is told.
    """
    found = [
        _when(each["date"])
        for each in _TOLD[event].finditer(sentence)
        if not _UNSURE.search(each.group()) and not _UNSURE_BEHIND.match(sentence, each.end())
    ]
    if event == "release" and (year := _OF_THAT_YEAR.search(sentence)):
        found = [each for each in found if str(each.year) == year["date"]] or [_when(year["date"])]
    if opens and (life := _life(sentence)):
        found += [life[0 if event in {"birth", "founding", "release"} else 1]]
    exact = sorted(found, key=lambda each: (bool(each.month), bool(each.day)))
    return exact[-1] if exact and all(exact[-1].may_be(each) for each in exact) else None


def _life(sentence: str) -> tuple[When, When] | None:
    """The beginning and the end that stand in brackets behind a name."""
    aside = _ASIDE.search(sentence, 0, 300)
    if not aside or _UNSURE.search(aside["said"]):
        return None
    life = _LIFE.search(aside["said"])
    return (_when(life["from"]), _when(life["to"])) if life else None


def _when(date: str) -> When:
    month = next((place for place, name in enumerate(_MONTHS, 1) if name in date), 0)
    numbers = [int(each) for each in re.findall(r"[0-9]+", date)]
    return When(numbers[-1], month, numbers[0] if len(numbers) > 1 else 0, date)
