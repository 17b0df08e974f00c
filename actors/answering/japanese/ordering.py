"""Which of two things it is that a question in Japanese compares, by the figures or years that are quoted for each."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from actors.answering.comparing import ToldSide
from actors.answering.japanese.amounts import Amount, amounts, dimensions_in
from actors.answering.japanese.asking import Sought, sought_of_a_side
from actors.answering.japanese.figures import PHYSICAL, aspects_told
from actors.answering.japanese.terms import even

_MORE = re.compile(
    r"(?:多|長|高|広|重|大き|深|遠|厚)(?:い|く(?!な)|かった|め)|たくさん|長持ち|日持ち"
)
_LESS = re.compile(r"(?:少な|安|短|低|狭|軽|小さ|浅|近|薄|早|速)(?:い|く(?!な)|かった|め)")
_EARLIER = re.compile(r"古(?:い|く(?!な))|先に|早く(?:でき|開|始|生)|年上")
_LATER = re.compile(r"新し(?:い|く(?!な))|後に|遅く(?:でき|開|始|生)|年下")
COMPARES = re.compile("|".join(each.pattern for each in (_MORE, _LESS, _EARLIER, _LATER)))
"""The words by which a question says which of two things it seeks; no text says them of one thing alone."""

_FOUNDED = re.compile(
    r"開[館業園校店設局院港通]|創[業設立建]|設立|完成|建て|建設|建立|竣工|でき[たま]|オープン|生まれ|誕生|発売|公開|始ま|始め"
)
_YEAR = re.compile(
    r"(?P<year>[12][0-9]{3})年|(?P<era>明治|大正|昭和|平成|令和)(?P<of>元|[0-9]{1,2})年"
)
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
"""The year before the first of each."""


class _Told(NamedTuple):
    value: float
    shown: str


def concluded(sides: Sequence[ToldSide]) -> str | None:
    """Which of two sides it is, with what tells it; none where the quotations do not settle it."""
    if len(sides) != 2 or not all(side.told for side in sides):
        return None
    aspect = sides[0].aspect
    asked = sought_of_a_side(aspect)
    if "date" in asked.kinds:
        earlier, later = _EARLIER.search(aspect), _LATER.search(aspect)
        values = [_year(side) for side in sides]
    else:
        earlier, later = _LESS.search(aspect), _MORE.search(aspect)
        values = _figures(sides, asked)
    one, other = values
    if bool(earlier) == bool(later) or one is None or other is None or one.value == other.value:
        return None
    first, second = sides
    thing = first.thing if (one.value < other.value) == bool(earlier) else second.thing
    return f"{thing}です({first.thing}は{one.shown}、{second.thing}は{other.shown})。"


# -- figures ---------------------------------------------------------------------------------------


def _figures(sides: Sequence[ToldSide], asked: Sought) -> list[_Told | None]:
    """The one figure for each side that tells what is asked; none where there are several, or of several things."""
    texts = [_spoken_of(side, other) for side, other in (sides, reversed(sides))]
    told = {
        dimension: found
        for dimension in _dimensions(texts, asked)
        if all(found := [_only(text, dimension, asked) for text in texts])
    }
    if len(told) > 1 and not asked.dimensions:
        # It is not said what there is more of: things, before their sizes.
        told = {dimension: found for dimension, found in told.items() if dimension not in PHYSICAL}
    return next(iter(told.values())) if len(told) == 1 else [None, None]


def _dimensions(texts: Sequence[str], asked: Sought) -> list[str]:
    if "money" in asked.kinds:
        return ["money"]
    one, other = (set(dimensions_in(text)) for text in texts)
    return sorted((one & other & asked.dimensions) if asked.dimensions else one & other)


def _only(text: str, dimension: str, asked: Sought) -> _Told | None:
    found = amounts(text, dimension)
    if asked.aspect and dimension == "length":
        found = _of_aspect(found, text, asked.aspect)
    values = {each.value: each.shown for each in reversed(found)}
    if len(values) != 1:
        return None
    ((value, shown),) = values.items()
    return _Told(value, shown)


def _of_aspect(found: Sequence[Amount], text: str, aspect: str) -> list[Amount]:
    """Lengths without those that are told to be of something else: how wide it is says nothing of how long it is."""
    told = aspects_told(text)
    if len(told) != len(found):
        return []
    return [each for each, of in zip(found, told, strict=True) if of in {aspect, ""}]


def _spoken_of(side: ToldSide, other: ToldSide) -> str:
    """What the best quotation of a side says of it: where it speaks of both, what stands between this name and that."""
    text = even(side.told[0].text)
    at, next_at = text.find(side.thing), text.find(other.thing)
    if at < 0 or next_at < 0:
        return text
    return text[at:next_at] if at < next_at else text[at:]


# -- years -----------------------------------------------------------------------------------------


def _year(side: ToldSide) -> _Told | None:
    """The one year in which a side began, by the first quotation that tells of it."""
    for each in side.told:
        text = even(each.text)
        if not _FOUNDED.search(text):
            continue
        years = {_in_our_reckoning(year): year.group() for year in _YEAR.finditer(text)}
        if len(years) == 1:
            ((year, shown),) = years.items()
            return _Told(year, shown)
        return None
    return None


def _in_our_reckoning(year: re.Match[str]) -> int:
    if year["year"]:
        return int(year["year"])
    return _ERAS[year["era"]] + (1 if year["of"] == "元" else int(year["of"]))
