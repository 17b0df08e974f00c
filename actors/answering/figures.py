"""The figures in sentences, and pairs of sentences whose figures cannot both be right."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from actors.answering.terms import Terms, Token

_SCALES: dict[str, tuple[str, float]] = {
    unit: (dimension, float(size))
    for dimension, table in (
        ("%", "% 1 percent 1 パーセント 1"),
        ("°C", "°c 1"),
        ("m", "mm 1e-3 cm 1e-2 m 1 km 1e3 ft 0.3048 feet 0.3048 foot 0.3048 mile 1609.344"),
        ("m", "millimetre 1e-3 centimetre 1e-2 metre 1 kilometre 1e3 メートル 1 キロメートル 1e3"),
        ("m", "millimeter 1e-3 centimeter 1e-2 meter 1 kilometer 1e3 inch 0.0254 inche 0.0254"),
        ("W", "w 1 kw 1e3 mw 1e6 gw 1e9 tw 1e12"),
        ("W", "watt 1 kilowatt 1e3 megawatt 1e6 gigawatt 1e9 terawatt 1e12"),
        ("Wh", "wh 1 kwh 1e3 mwh 1e6 gwh 1e9 twh 1e12"),
        ("Wh", "kilowatt-hour 1e3 megawatt-hour 1e6 gigawatt-hour 1e9 terawatt-hour 1e12"),
        ("g", "mg 1e-3 g 1 kg 1e3 gram 1 kilogram 1e3 tonne 1e6 ton 1e6"),
        ("s", "second 1 minute 60 hour 3600 day 86400 week 604800 month 2629800 year 31557600"),
        ("s", "時間 3600"),
        ("l", "ml 1e-3 millilitre 1e-3 litre 1 liter 1"),
        ("francs", "franc 1"),
        ("pounds", "pound 1"),
        ("euros", "euro 1"),
        ("dollars", "dollar 1"),
    )
    for unit, size in zip(table.split()[::2], table.split()[1::2], strict=True)
}

UNITS = frozenset(_SCALES) | {f"{unit}s" for unit in _SCALES}
"""Words that measure, whatever is measured."""

_MULTIPLES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}
_AMOUNT = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
_FIGURE = re.compile(
    rf"(?P<sign>[$€£]\s?)?(?<![\w.,/-])(?P<low>{_AMOUNT})(?![0-9/]|[.,][0-9])"
    rf"(?:\s?(?:–|-|to|or)\s?(?P<high>{_AMOUNT})(?![0-9/]|[.,][0-9]))?\s?"
    r"(?P<times>hundred|thousand|million|billion|trillion)?\s?(?P<power>square\s|cubic\s)?"
    r"(?P<unit>%|°\s?[CF]|per cent|[A-Za-z]+-hours?|[A-Za-z]+|メートル|キロメートル|パーセント|時間)?"
)
_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})\Z")
_CLAUSE_BREAK = re.compile(r"[;:()]|,\s|\s(?:while|whereas|but|and|against|than)\s|、")
_CONTRASTS = tuple(
    frozenset(group.split())
    for group in (
        "mean averag median maximum minimum max min extrem largest smallest highest lowest total",
        *("spring neap", "ebb flood", "high low higher lower upper", "first second third last"),
        *("north south east west northern southern eastern western", "befor after", "earli late"),
        *("light dark", "male femal", "summer winter autumn", "day night", "new old", "more less"),
        *("inner outer", "left right", "lunar solar", "moon sun", "begin end open close"),
        *("gross net", "import export", "birth death", "expect actual plan", "rise fall"),
    )
)
"""Words that set apart what otherwise looks the same."""


_ASPECTS = {
    word: aspect
    for aspect, words in (
        ("length", "long length"),
        ("height", "high height tall elev altitud"),
        ("depth", "deep depth"),
        ("width", "wide width broad breadth"),
        ("thickness", "thick"),
        ("diameter", "diamet radiu"),
        ("distance", "distanc far away"),
    )
    for word in words.split()
}
"""What a word says is measured of a thing, by the word's stem."""


MEASURED = {
    word: frozenset(dimensions.split())
    for words, dimensions in (
        ("electricity energy", "Wh^1"),
        ("capacity", "W^1"),
        ("power output generate produce yield deliver", "W^1 Wh^1"),
        ("height length depth width distance range tall deep wide far diameter", "m^1"),
        ("area surface", "m^2"),
        ("volume", "m^3 l^1"),
        ("weight mass heavy weigh", "g^1"),
        ("duration period age", "s^1 year"),
        ("percentage share proportion percent efficiency", "%^1"),
        ("temperature", "°C^1"),
        ("cost price", "francs^1 pounds^1 euros^1 dollars^1 francs pounds euros dollars"),
    )
    for word in words.split()
}
"""What a word of a question is measured in, by dimension."""


LENGTH, TIME = "m^1", "s^1"
_TERMS = Terms()


def is_unit(token: Token) -> bool:
    """Whether a word only says what a figure is measured in."""
    return token.surface.casefold() in UNITS


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a sentence, with what it measures."""

    dimension: str
    low: float
    high: float
    shown: str
    about: frozenset[str]
    """The terms it stands among."""

    names: frozenset[str]
    """Whom or what the sentence is about, by name."""

    years: frozenset[float]
    """Years that the sentence speaks of."""


def figures(
    text: str, tokens: Iterable[Token], setting: frozenset[str], terms: Terms
) -> list[Figure]:
    """The figures of a sentence, each with its clause; a nameless sentence is about its setting."""
    words = [
        token for token in tokens if not token.number and token.surface.casefold() not in UNITS
    ]
    subject = frozenset(token.term for token in words if token.name)
    breaks = [0, *(each.end() for each in _CLAUSE_BREAK.finditer(text)), len(text)]
    found: list[Figure] = []
    for each in _FIGURE.finditer(text):
        measure = _measure(each, terms)
        if measure is None:
            continue
        dimension, size = measure
        low = _number(each["low"]) * size
        high = _number(each["high"]) * size if each["high"] else low
        begin = max(place for place in breaks if place <= each.start("low"))
        end = min((place for place in breaks if place >= each.end()), default=len(text))
        near = frozenset(token.term for token in words if begin <= token.start < end)
        found.append(
            Figure(
                dimension=dimension,
                low=min(low, high),
                high=max(low, high),
                shown=" ".join(each.group().split()),
                about=near | subject,
                names=subject or setting,
                years=frozenset(),
            )
        )
    years = frozenset(figure.low for figure in found if figure.dimension == "year")
    return [Figure(f.dimension, f.low, f.high, _shown(f), f.about, f.names, years) for f in found]


_SUM = re.compile(
    rf"[$€£]\s?{_AMOUNT}(?:\s?(?:–|-|to|or)\s?{_AMOUNT})?(?:\s(?:hundred|thousand|million|billion|trillion)\b)?",
    re.I,
)


def sum_alone(figure: Figure) -> Figure:
    """A sum without the word that happens to follow it; any other figure as it is."""
    told = _SUM.match(figure.shown)
    return replace(figure, shown=told.group()) if told else figure


def counts(figure: Figure) -> bool:
    """Whether a figure may count what follows it: "Plume 3.1 needs" is a version and no number of needs."""
    return not figure.dimension.startswith("count of") or figure.low.is_integer()


def measures(text: str, dimension: str) -> Iterator[tuple[int, int]]:
    """Where the figures of one dimension stand in a text, each with its unit."""
    for each in _FIGURE.finditer(text):
        measure = _measure(each, _TERMS)
        if measure is not None and measure[0] == dimension:
            yield each.span()


def counts_things(text: str) -> bool:
    """Whether a figure counts something, and measures nothing: 45 litres are no number of seats."""
    return any(
        measure is None or measure[0].startswith("count of")
        for each in _FIGURE.finditer(text)
        if (each["unit"] or "").casefold() not in {"am", "pm"}
        for measure in [_measure(each, _TERMS)]
    )


def _shown(figure: Figure) -> str:
    """A year without the word that happens to follow it."""
    return figure.shown.split()[0] if figure.dimension == "year" else figure.shown


def conflict(one: list[Figure], other: list[Figure], terms: Terms) -> tuple[Figure, Figure] | None:
    """Two figures for the same thing that exclude each other, if two sentences have such.

    Where the sentences agree on any figure of a kind, they are taken to agree on that kind.
    """
    return next((pair for pair in _excluding(one, other) if _same_thing(*pair, terms)), None)


def open_conflict(
    one: list[Figure], other: list[Figure], terms: Terms
) -> tuple[Figure, Figure] | None:
    """Two figures that exclude each other if the sentences are about the same thing, which their words leave open.

    Years are left out: what happened in them is told in few words, and another event is soon taken for the same.
    """
    for a, b in _excluding(one, other):
        if a.dimension == "year" or not _comparable(a, b) or _aspects(a) != _aspects(b):
            continue
        if shared_terms(a, b, terms) and not _same_thing(a, b, terms):
            return a, b
    return None


def _excluding(one: list[Figure], other: list[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Figures of one kind on which two sentences do not agree."""
    for a in one:
        alike = [b for b in other if a.dimension == b.dimension]
        if any(_compatible(a, b) for b in alike):
            continue
        for b in alike:
            if not any(_compatible(each, b) for each in one if each.dimension == b.dimension):
                yield a, b


def shared_terms(one: Figure, other: Figure, terms: Terms) -> frozenset[str]:
    """What two figures are both about, in the words of the first."""
    return frozenset(term for term in one.about if _has(other.about, term, terms))


def _measure(each: re.Match[str], terms: Terms) -> tuple[str, float] | None:
    """Dimension and size of a figure's unit; a count of things has the things as its dimension."""
    times = _MULTIPLES.get((each["times"] or "").casefold(), 1.0)
    unit = (each["unit"] or "").replace(" ", "").casefold()
    if each["sign"]:
        return _CURRENCIES[each["sign"].strip()], times
    for spelled in (unit, unit.removesuffix("s")):
        if spelled in _SCALES:
            dimension, size = _SCALES[spelled]
            power = {"square": 2, "cubic": 3}.get((each["power"] or "").strip(), 1)
            return f"{dimension}^{power}", times * size**power
    if _YEAR.match(each["low"]) and not each["times"]:
        return "year", 1.0
    thing = terms.stem(unit) if unit.isalpha() and unit != "°f" else ""
    return (f"count of {thing}", times) if thing else None


def _number(written: str) -> float:
    return float(written.replace(",", ""))


def _comparable(one: Figure, other: Figure) -> bool:
    """Whether nothing sets apart what two figures of one dimension are about: names, times, contrasts."""
    if one.names - other.names and other.names - one.names:
        return False
    if one.dimension != "year" and one.years and other.years and not one.years & other.years:
        return False  # Of different times.
    return all(group & one.about == group & other.about for group in _CONTRASTS)


def _aspects(figure: Figure) -> frozenset[str]:
    """What of a thing is measured, where a word says so."""
    return frozenset(aspect for word, aspect in _ASPECTS.items() if word in figure.about)


def _same_thing(one: Figure, other: Figure, terms: Terms) -> bool:
    """Whether two figures of one dimension are about the same: same names, same words, no contrast."""
    if not _comparable(one, other):
        return False
    there = len(shared_terms(one, other, terms))
    back = len(shared_terms(other, one, terms))
    shared = min(there, back)
    smaller, larger = sorted((len(one.about), len(other.about)))
    return shared >= 3 and shared >= 0.6 * smaller and shared >= 0.45 * larger


def _has(about: frozenset[str], term: str, terms: Terms) -> bool:
    kin = terms.kin(term)
    return term in about or (kin is not None and any(terms.kin(each) == kin for each in about))


def _compatible(one: Figure, other: Figure) -> bool:
    """Whether two figures agree, allowing for rounding and ranges."""
    slack = 0.0 if one.dimension == "year" else 0.03 * max(one.high, other.high)
    return one.low <= other.high + slack and other.low <= one.high + slack
