"""The researcher that needs no key and no network: it answers in the words of the corpus.

It takes the question apart by simple rules, searches for each part, picks the sentences that
bear on it, and quotes them with their places. What it could not find, where sources disagree and
what the evidence leaves open it reports as such. It has no clock and no randomness: the same brief
over the same search answers gives the same findings, to the byte.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Literal

from actors.desk import Desk
from actors.findings import (
    EXCERPT_LIMIT,
    UNANSWERED,
    Authority,
    Citation,
    ConfidenceFactors,
    DiscoveryEvent,
    Findings,
    Gap,
    OpenQuestion,
    Recency,
    Statement,
    confidence,
)
from actors.ports import Passage
from actors.sentences import QUOTABLE, Sentence, clip, sentences
from actors.terms import Terms, Token, is_weak
from events.catalogue import Brief
from events.errors import DamagedBlob, MissingBlob
from events.research import (
    DiscoveryMade,
    GapFound,
    PassageQuoted,
    QuestionOpened,
    SourceRead,
    StepTaken,
)

MODEL = "corpus-extractive-1"
NOTHING = "The corpus holds nothing that answers this."
NOTHING_HERE = "The corpus holds nothing on this part."
MOST_PARTS = 5


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a depth is worth."""

    searches: int
    passages: int
    """Asked for in one search."""

    quotes: int
    """At most this many; fewer where fewer bear on the question."""


EFFORT = {
    "shallow": Effort(searches=2, passages=8, quotes=3),
    "balanced": Effort(searches=4, passages=12, quotes=6),
    "deep": Effort(searches=5, passages=20, quotes=12),
}


def research(brief: Brief, question: str, desk: Desk) -> Findings:
    """Answer a question from the corpus, noting each step at the desk.

    Notes steps, sources, quotations, gaps, discoveries and open questions; the beginning and the
    end of the assignment are its caller's to record. `CallCut` passes through.
    """
    return _Research(brief, question, desk).run()


# -- taking the question apart ---------------------------------------------------------------------

Seeks = Literal["number", "money", "date", "person", "place", "reason", "manner", "definition"]

_WH = r"(?:how|what|when|where|which|who|whom|whose|why)\b"
_ENUMERATED = re.compile(r"(?:^|\s)(?:\(?[1-9][.)]|\([a-e]\))\s+")
_CLAUSE_AND = re.compile(
    rf",?\s+(?:and|but|as well as)\s+(?:also\s+|then\s+)?"
    rf"(?=(?:in|at|for|to|by)?\s*{_WH}|(?:do|does|did|explain|describe|compare|list|give)\b)",
    re.I,
)
_CLAUSE_COMMA = re.compile(rf",\s+(?={_WH})", re.I)
_VERSUS = r"(?:and|with|to|or|against|vs\.?|versus)"
_ASPECT = r"(?:\s+(?:in terms of|with respect to|regarding|concerning|by|on|in|for)\s+(?P<on>.+))?"
_COMPARE = (
    re.compile(rf"^(?:compare|contrast)\s+(?P<a>.+?)\s+{_VERSUS}\s+(?P<b>.+?){_ASPECT}$", re.I),
    re.compile(
        r"^.*\b(?:differences?|comparison)\s+between\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)" + _ASPECT + "$",
        re.I,
    ),
    re.compile(rf"^(?P<a>\S.*?)\s+(?:vs\.?|versus)\s+(?P<b>.+?){_ASPECT}$", re.I),
    re.compile(rf"^(?P<on>(?:which|who)\b.+?)[,:]\s*(?P<a>[^,]+?),?\s+or\s+(?P<b>[^,]+)$", re.I),
)
_LISTED_OF = re.compile(
    r"^(?P<ask>(?:what|which)\s+(?:is|are|was|were)\s+the)\s+"
    r"(?P<list>(?:[\w-]+\s*){1,3}(?:,\s*(?:[\w-]+\s*){1,3})*,?\s+and\s+(?:[\w-]+\s*){1,3})"
    r"\s+(?P<of>(?:of|for|in)\s+.+)$",
    re.I,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this|these|those|there|that one)\b",
    re.I,
)
_SEEKS: tuple[tuple[Seeks, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        ("money", r"\b(?:cost|costs|price|prices|expensive|budget|how much (?:money|is paid))\b|いくら"),
        ("date", r"\bwhen\b|\b(?:what|which|in what) (?:year|date|century|decade|month)|いつ|何年"),
        (
            "number",
            r"\bhow (?:many|much|long|far|fast|tall|high|deep|big|large|heavy|hot|cold|often|wide|old|"
            r"strong|great|powerful|dense|efficient|accurate|loud)\b|\bwhat (?:percentage|proportion|"
            r"share|speed|height|temperature|size|fraction)\b|\b(?:number|height|length|depth|speed|"
            r"temperature|capacity|output|range|rate|size|area|weight|mass|population|percentage|"
            r"period|distance|voltage|efficiency|density|frequency|amplitude|duration|yield) of\b"
            r"|どれくらい|どのくらい|何(?:メートル|時間|度|人|パーセント|キロ)",
        ),
        ("person", r"\bwho(?:se|m)?\b|\bby whom\b|誰"),
        ("place", r"\bwhere\b|\b(?:what|which) (?:country|city|place|town|region|river|bay)\b|どこ"),
        ("reason", r"\bwhy\b|\bwhat (?:causes|caused|makes|made)\b|\breasons? (?:for|why)\b|なぜ|原因"),
        ("manner", r"\bhow (?:do|does|did|can|could|is|are|was|were|to|should)\b|どのように"),
        (
            "definition",
            r"^(?:what|who) (?:is|are|was|were) (?:an? |the )?(?:[\w'’-]+ ?){1,3}\??$"
            r"|\bwhat does .+ mean\b|^define\b|とは",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A term that an answer should speak of."""

    term: str
    kin: int | None
    surface: str
    weight: float
    """Before rarity: names count more, words that merely shape a question less."""

    strong: bool
    entity: int
    """Words of one name share a number above 0; ordinary words have 0."""

    at: int
    """Where it stands in its part of the question; negative when taken over from an earlier part."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked."""

    text: str
    query: str
    wanted: tuple[Wanted, ...]
    seeks: frozenset[Seeks]
    bridge: frozenset[str] = frozenset()
    """Names found on the way that may lead to the answer."""


def plan(question: str, terms: Terms) -> list[Part]:
    """The parts of a question, each with what it is about; at most five."""
    asked = " ".join(question.split())
    clauses = [
        piece
        for sentence in re.split(r"[?？;]+|(?<=[.。])\s+(?=[A-Z])", asked)  # noqa: RUF001
        for item in _ENUMERATED.split(sentence)
        for clause in _clauses(item.strip(" ,.:"))
        for piece in _compared(clause)
    ]
    clauses = [clause for clause in clauses if clause]
    if len(clauses) > MOST_PARTS:
        clauses = [*clauses[: MOST_PARTS - 1], "; ".join(clauses[MOST_PARTS - 1 :])]
    parts: list[Part] = []
    for clause in clauses:
        part = _part(clause, parts, terms)
        if part.wanted or not parts:
            parts.append(part)
    if parts and not any(part.wanted for part in parts):
        return parts[:1]
    return [part for part in parts if part.wanted] or [_part(asked, [], terms)]


def _clauses(text: str) -> Iterator[str]:
    """The questions strung together in a sentence."""
    pieces = _CLAUSE_AND.split(text)
    if len(pieces) > 1:
        # "When was it built, who built it, and why": commas string questions only in such a list.
        # A comma before "which" alone is a relative clause.
        pieces = [each for piece in pieces for each in _CLAUSE_COMMA.split(piece)]
    elif len(re.findall(rf"(?:^|,\s+){_WH}", text, re.I)) > 1 and not re.search(r", which\b", text):
        pieces = _CLAUSE_COMMA.split(text)
    for piece in pieces:
        listed = _LISTED_OF.match(piece)
        if listed and len(listed["list"]) < 80:
            for each in re.split(r",\s*(?:and\s+)?|\s+and\s+", listed["list"]):
                yield f"{listed['ask']} {each.strip()} {listed['of']}"
        else:
            yield piece.strip(" ,")


def _compared(clause: str) -> Iterator[str]:
    """A comparison as one question for each side; anything else as it is."""
    for pattern in _COMPARE:
        sides = pattern.match(clause)
        if sides and len(sides["a"].split()) <= 8 and len(sides["b"].split()) <= 8:
            for side in (sides["a"], sides["b"]):
                yield f"{side}: {sides['on']}" if sides["on"] else side
            return
    yield clause


def _part(clause: str, before: list[Part], terms: Terms) -> Part:
    tokens = terms.tokens(clause)
    shouted = sum(token.name for token in tokens) > 0.8 * len(tokens) and len(tokens) > 4
    wanted: dict[str, Wanted] = {}
    entity, last = 0, None
    for token in tokens:
        named = token.name and not shouted and token.surface.casefold() not in _UNITS
        if named and not (last and _joined(clause, last, token)):
            entity += 1
        weak = is_weak(token.surface) and not named
        weight = 0.25 if weak else 1.5 if named else 1.2 if token.number else 1.0
        wanted.setdefault(
            token.term,
            Wanted(
                term=token.term,
                kin=terms.kin(token.term),
                surface=token.surface,
                weight=weight,
                strong=not weak,
                entity=entity if named else 0,
                at=token.start,
            ),
        )
        last = token if named else None
    strong = sum(each.strong for each in wanted.values())
    if before and (_PRONOUN.search(clause) or strong < 2):
        for each in _subject(before):
            carried = replace(each, weight=0.8 * each.weight, at=-1)
            wanted.setdefault(each.term, replace(carried, entity=-each.entity - 1 if each.entity else 0))
    carried_words = [each.surface for each in wanted.values() if each.at < 0]
    return Part(
        text=_shown(clause),
        query=" ".join([clause, *carried_words]),
        wanted=tuple(wanted.values()),
        seeks=_sought(clause),
    )


def _joined(clause: str, last: Token, token: Token) -> bool:
    """Whether two capitalised words belong to one name: Bay of Fundy, Saint-Malo."""
    return clause[last.end : token.start] in {" ", "-", " of ", " of the ", " de ", " du ", ". ", "–"}


def _subject(before: list[Part]) -> list[Wanted]:
    """What the question has been about so far: its names, else its first strong words."""
    for part in reversed(before):
        names = [each for each in part.wanted if each.entity]
        if names:
            return names
    return [each for each in before[0].wanted if each.strong][:3]


def _sought(clause: str) -> frozenset[Seeks]:
    return frozenset(kind for kind, pattern in _SEEKS if pattern.search(clause))


def _shown(clause: str) -> str:
    """A clause as a heading."""
    text = clause[:1].upper() + clause[1:]
    asks = re.match(rf"(?:(?:in|at|for|to|by)\s+)?{_WH}|(?:do|does|did|is|are|was|were|can)\b", text, re.I)
    wide = re.search(r"[か何誰][^a-z]*$", text)
    return f"{text}?" if asks or wide else text


# -- what is read ----------------------------------------------------------------------------------

_LEANING = re.compile(
    r"(?:it|its|this|that|these|those|they|their|them|he|she|his|her|such|both|the former|the latter|"
    r"however|but|therefore|thus|hence|moreover|furthermore|also|instead|nevertheless|still|yet|so|"
    r"in addition|as a result|for example|for instance|neither|this one|here|there|then)\b"
    r"|これ|それ|この|その|しかし|また|そのため|したがって",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A document that was read."""

    passage: Passage
    """The first of its passages that was found."""

    text: str
    sentences: tuple[Sentence, ...]
    order: int
    """Sources are numbered as they are read."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that might be quoted."""

    source: Source
    place: int
    """Its number among the sentences of its source."""

    start: int
    end: int
    passage: Passage
    text: str
    tokens: tuple[Token, ...]
    terms: frozenset[str]
    kin: frozenset[int]
    above: frozenset[str]
    """Terms of its title, headings, and column heads."""

    above_kin: frozenset[int]
    before: frozenset[str]
    """Terms of the sentence before it in its paragraph."""

    leans: bool
    """It begins with a word that points back."""

    @property
    def sentence(self) -> Sentence:
        """The sentence itself, unclipped."""
        return self.source.sentences[self.place]


# -- how well a sentence answers -------------------------------------------------------------------

_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2}|2100)\b(?!\s*(?:%|[a-z]*(?:met|mile|kilo|watt|gram)))")
_DATE = re.compile(
    r"\b(?:1[0-9]{3}|20[0-9]{2})\b|\b[0-9]{1,4}\s*(?:BC|BCE|AD|CE)\b|\b\w+teenth century\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|[0-9]{1,4}年|[0-9]{1,2}(?:st|nd|rd|th) century|\b[1-2][0-9]{2}0s\b|\bin [1-9][0-9]{2}\b"
)
_NUMBER = re.compile(
    r"[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|hundred"
    r"|thousand|million|half|twice|third|quarter)\b",
    re.I,
)
_MONEY = re.compile(
    r"[$€£¥]|\b(?:dollars?|euros?|pounds?|francs?|cents?|pence|yen|USD|EUR|GBP)\b|[0-9]円|ドル", re.I
)
_PLACE = re.compile(r"\b(?:in|at|near|off|from|of|between|on)\s+(?:the\s+)?[A-Z]|[県市町湾海峡]")
_REASON = re.compile(
    r"\b(?:because|since|due to|caused?|cause of|owing to|so that|therefore|thus|as a result|in order to"
    r"|reason|why|makes?|leads? to|thanks to|for lack of)\b|ため|から|原因",
    re.I,
)
_MANNER = re.compile(r"\b(?:by \w+ing|through|when|using|as the|while|so that|by means of|with an?)\b|によ")
_PERSON = re.compile(r"\b(?!(?:The|A|An|In|At|On|It|By)\b)[A-Z][\w’'-]+(?:\s+(?:de|von|van|of)?\s*[A-Z][\w’'.-]*)+")
_DEFINES = re.compile(
    r"\b(?:is|are|was|were) (?:an?|the|one|any|called|known|defined|where|when)\b|\b(?:means|refers? to"
    r"|is called|known as|consists? of)\b|とは|と呼ぶ|である"
)


def _gives(kind: Seeks, candidate: Candidate, part: Part) -> bool:
    """Whether a sentence holds the kind of thing that is asked for."""
    text = candidate.text
    match kind:
        case "number":
            return bool(_NUMBER.search(_YEAR.sub("", text)))
        case "money":
            return bool(_MONEY.search(text))
        case "date":
            return bool(_DATE.search(text))
        case "place":
            return bool(_PLACE.search(text))
        case "reason":
            return bool(_REASON.search(text))
        case "manner":
            return bool(_MANNER.search(text))
        case "person":
            asked = {each.term for each in part.wanted}
            fresh = [t for t in candidate.tokens if t.name and t.term not in asked]
            return bool(_PERSON.search(text)) and bool(fresh)
        case "definition":
            verb = _DEFINES.search(text)
            asked = {each.term for each in part.wanted if each.strong}
            head = [t for t in candidate.tokens if verb and t.end <= verb.start()]
            return bool(verb) and any(t.term in asked for t in head[:4])


class Judge:
    """Weighs sentences against parts of the question, by how rare a term is among all candidates."""

    def __init__(self, pool: list[Candidate], parts: list[Part]) -> None:
        self._rarity: dict[str, float] = {}
        size = len(pool)
        for wanted in (each for part in parts for each in part.wanted):
            if wanted.term not in self._rarity:
                having = sum(wanted.term in candidate.terms for candidate in pool)
                self._rarity[wanted.term] = math.log(1 + (size - having + 0.5) / (having + 0.5))

    def weight(self, wanted: Wanted) -> float:
        """What it is worth to speak of a term."""
        return wanted.weight * self._rarity[wanted.term]

    def matches(self, part: Part, candidate: Candidate) -> list[float]:
        """How far a sentence speaks of each wanted term: 1 by the word itself, less by its setting."""
        return [_match(wanted, candidate) for wanted in part.wanted]

    def coverage(self, part: Part, matches: list[float]) -> float:
        """The share of a part that such matches cover, by weight."""
        whole = sum(self.weight(wanted) for wanted in part.wanted)
        if not whole:
            return 0.0
        pairs = zip(part.wanted, matches, strict=True)
        return sum(self.weight(wanted) * match for wanted, match in pairs) / whole

    def bears_on(self, part: Part, candidate: Candidate, matches: list[float]) -> bool:
        """Whether a sentence has to do with a part at all; what does not is never quoted."""
        direct = sum(
            match >= 0.7 and wanted.strong
            for wanted, match in zip(part.wanted, matches, strict=True)
        )
        if not direct:
            return False
        covered = self.coverage(part, matches)
        entities = self._entities(part, matches)
        if entities:
            return covered >= 0.25 and (any(entities) or _bridged(part, candidate))
        return covered >= 0.5 or (direct >= 2 and covered >= 0.36)

    def _entities(self, part: Part, matches: list[float]) -> list[bool]:
        """For each name in a part, whether most of it was matched."""
        whole: dict[int, float] = {}
        met: dict[int, float] = {}
        for wanted, match in zip(part.wanted, matches, strict=True):
            if wanted.entity:
                whole[wanted.entity] = whole.get(wanted.entity, 0.0) + self.weight(wanted)
                got = self.weight(wanted) if match >= 0.35 else 0.0
                met[wanted.entity] = met.get(wanted.entity, 0.0) + got
        return [met[entity] >= 0.5 * weight for entity, weight in whole.items()]

    def relevance(self, part: Part, candidate: Candidate, matches: list[float]) -> float:
        """How well a sentence answers a part, about 0 to 1."""
        value = 0.70 * self.coverage(part, matches)
        if part.seeks:
            given = sum(_gives(kind, candidate, part) for kind in sorted(part.seeks))
            value += 0.18 * given / len(part.seeks)
        value += 0.05 * _nearness(part, candidate)
        value += 0.04 * candidate.passage.score
        value += 0.03 / (1 + candidate.place)
        if part.bridge and _bridged(part, candidate):
            value += 0.12
        if candidate.leans:
            value *= 0.93
        if candidate.text.endswith(("?", "？")):  # noqa: RUF001
            value *= 0.6
        if candidate.text.endswith(":") or len(candidate.tokens) < 4:
            value *= 0.75
        return value


def _match(wanted: Wanted, candidate: Candidate) -> float:
    if wanted.term in candidate.terms:
        return 1.0
    if wanted.kin is not None and wanted.kin in candidate.kin:
        return 0.75
    if wanted.term in candidate.above:
        return 0.6
    if wanted.term in candidate.before:
        return 0.55 if candidate.leans else 0.4
    if wanted.kin is not None and wanted.kin in candidate.above_kin:
        return 0.4
    return 0.0


def _bridged(part: Part, candidate: Candidate) -> bool:
    return bool(part.bridge & candidate.terms) or bool(part.bridge & candidate.above)


def _nearness(part: Part, candidate: Candidate) -> float:
    """1 when the matched words stand side by side, towards 0 the farther they are scattered."""
    asked = {each.term for each in part.wanted}
    places = [place for place, token in enumerate(candidate.tokens) if token.term in asked]
    if len(places) < 2:
        return 0.0
    return len(places) / (places[-1] - places[0] + 1)


def _alike(one: Candidate, other: Candidate) -> float:
    """How much of the shorter sentence is in the other."""
    if not one.terms or not other.terms:
        return 0.0
    return len(one.terms & other.terms) / min(len(one.terms), len(other.terms))


# -- quantities, and sources that disagree about them ----------------------------------------------

_SCALES: dict[str, tuple[str, float]] = {
    "%": ("%", 1), "percent": ("%", 1), "per cent": ("%", 1), "パーセント": ("%", 1),
    "°c": ("°C", 1), "mm": ("m", 1e-3), "cm": ("m", 1e-2), "m": ("m", 1), "km": ("m", 1e3),
    "millimetre": ("m", 1e-3), "centimetre": ("m", 1e-2), "metre": ("m", 1), "kilometre": ("m", 1e3),
    "millimeter": ("m", 1e-3), "centimeter": ("m", 1e-2), "meter": ("m", 1), "kilometer": ("m", 1e3),
    "メートル": ("m", 1), "キロメートル": ("m", 1e3), "ft": ("m", 0.3048), "feet": ("m", 0.3048),
    "foot": ("m", 0.3048), "mile": ("m", 1609.344), "inch": ("m", 0.0254), "inches": ("m", 0.0254),
    "w": ("W", 1), "kw": ("W", 1e3), "mw": ("W", 1e6), "gw": ("W", 1e9), "tw": ("W", 1e12),
    "kilowatt": ("W", 1e3), "megawatt": ("W", 1e6), "gigawatt": ("W", 1e9), "terawatt": ("W", 1e12),
    "watt": ("W", 1), "kwh": ("Wh", 1e3), "mwh": ("Wh", 1e6), "gwh": ("Wh", 1e9), "twh": ("Wh", 1e12),
    "kilowatt-hour": ("Wh", 1e3), "megawatt-hour": ("Wh", 1e6), "gigawatt-hour": ("Wh", 1e9),
    "terawatt-hour": ("Wh", 1e12), "g": ("g", 1), "kg": ("g", 1e3), "mg": ("g", 1e-3),
    "gram": ("g", 1), "kilogram": ("g", 1e3), "tonne": ("g", 1e6), "ton": ("g", 1e6),
    "second": ("s", 1), "minute": ("s", 60), "hour": ("s", 3600), "day": ("s", 86400),
    "week": ("s", 604800), "month": ("s", 2629800), "year": ("s", 31557600), "時間": ("s", 3600),
    "litre": ("l", 1), "liter": ("l", 1), "ml": ("l", 1e-3), "millilitre": ("l", 1e-3),
    "franc": ("francs", 1), "pound": ("pounds", 1), "euro": ("euros", 1), "dollar": ("dollars", 1),
}  # fmt: skip
"""Units that can be compared, each with its dimension and size."""

_UNITS = frozenset(_SCALES) | {f"{unit}s" for unit in _SCALES}
_MULTIPLES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}
_AMOUNT = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
_QUANTITY = re.compile(
    rf"(?P<sign>[$€£]\s?)?(?<![\w.,/])(?P<low>{_AMOUNT})"
    rf"(?:\s?(?:–|-|to)\s?(?P<high>{_AMOUNT}))?(?![\w]*[0-9/])\s?"
    r"(?P<times>hundred|thousand|million|billion|trillion)?\s?(?P<square>square\s|cubic\s)?"
    r"(?P<unit>%|°\s?[CF]|per cent|[A-Za-z]+-hours?|[A-Za-z]+|メートル|キロメートル|パーセント|時間)?"
    r"(?P<per>\s?/\s?\w+|\s(?:per|a|an|each)\s(?:\w+))?"
)
_CONTRASTS = tuple(
    frozenset(group.split())
    for group in (
        "mean averag median maximum minimum max min extrem largest smallest highest lowest peak total",
        "spring neap", "ebb flood", "high low higher lower upper", "first second third last final",
        "north south east west northern southern eastern western", "befor after", "earli late",
        "light dark", "male femal", "summer winter autumn", "day night", "new old", "inner outer",
        "more less", "left right", "lunar solar", "moon sun", "begin end open close", "gross net",
        "import export", "birth death", "expect actual plan", "rise fall",
    )
)  # fmt: skip
"""Words that set apart what else looks the same."""

_CLAUSE_BREAK = re.compile(r"[;:()]|,\s|\s(?:while|whereas|but|and|against|than)\s|、")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a sentence, with what it measures."""

    dimension: str
    low: float
    high: float
    shown: str
    about: frozenset[str]
    """The terms it stands among."""

    names: frozenset[str]
    years: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sources that give different figures for the same thing."""

    one: Candidate
    other: Candidate
    figures: tuple[str, str]
    topic: str


def quantities(candidate: Candidate, terms: Terms) -> list[Quantity]:
    """The figures of a sentence, each with the clause it stands in."""
    text = candidate.text
    found: list[Quantity] = []
    breaks = [0, *(m.end() for m in _CLAUSE_BREAK.finditer(text)), len(text)]
    subject = frozenset(t.term for t in candidate.tokens if t.name and not _is_unit(t))
    years = frozenset(_YEAR.findall(text))
    for match in _QUANTITY.finditer(text):
        measure = _measure(match, terms)
        if measure is None:
            continue
        dimension, factor = measure
        low = _number(match["low"]) * factor
        high = _number(match["high"]) * factor if match["high"] else low
        begin = max(place for place in breaks if place <= match.start("low"))
        end = min((place for place in breaks if place >= match.end()), default=len(text))
        near = [
            token
            for token in candidate.tokens
            if begin <= token.start < end and not token.number and not _is_unit(token)
        ]
        about = frozenset(token.term for token in near) | subject
        shown = " ".join(match.group().split())
        named = subject or frozenset(candidate.above)
        low, high = min(low, high), max(low, high)
        found.append(Quantity(dimension, low, high, shown, about, named, years))
    return found


def _measure(match: re.Match[str], terms: Terms) -> tuple[str, float] | None:
    """Dimension and size of a figure's unit; a count of things has the things as its dimension."""
    times = _MULTIPLES.get((match["times"] or "").casefold(), 1.0)
    unit = (match["unit"] or "").replace(" ", "").casefold()
    rate = " ".join((match["per"] or "").replace("/", " per ").split()[1:])
    rate = f" per {terms.stem(rate)}" if rate and terms.stem(rate) else ""
    shape = (match["square"] or "").strip()
    if match["sign"]:
        return _CURRENCIES[match["sign"].strip()] + rate, times
    if unit == "°f":
        return None
    for spelled in (unit, unit.removesuffix("s")):
        if spelled in _SCALES:
            dimension, size = _SCALES[spelled]
            power = 2 if shape == "square" else 3 if shape == "cubic" else 1
            # "600 GWh a year" and "600 GWh of electricity a year" measure the same.
            return f"{dimension}{power if shape else ''}", times * size**power
    if not unit and not match["high"] and _YEAR.fullmatch(match["low"]):
        return "year", 1.0
    thing = terms.stem(unit) if unit and unit.isascii() else ""
    if _YEAR.fullmatch(match["low"]) and not match["times"] and "," not in match["low"]:
        return "year", 1.0
    return (f"count of {thing}{rate}", times) if thing else None


def _number(written: str) -> float:
    return float(written.replace(",", ""))


def _is_unit(token: Token) -> bool:
    return token.surface.casefold() in _UNITS


def _conflict(one: Quantity, other: Quantity, terms: Terms) -> frozenset[str] | None:
    """The shared terms of two figures that cannot both be right, or none."""
    if one.dimension != other.dimension or _compatible(one, other):
        return None
    if one.names - other.names and other.names - one.names:
        return None
    if one.dimension != "year" and one.years and other.years and not one.years & other.years:
        return None  # Of different times.
    for group in _CONTRASTS:
        apart, facing = group & one.about, group & other.about
        if apart != facing and (apart or facing):
            return None
    shared = {term for term in one.about if _has(other.about, term, terms)}
    back = sum(_has(one.about, term, terms) for term in other.about)
    smaller, larger = sorted((len(one.about), len(other.about)))
    enough = len(shared) >= 3 and min(len(shared), back) >= 0.6 * smaller
    return frozenset(shared) if enough and min(len(shared), back) >= 0.45 * larger else None


def _has(about: frozenset[str], term: str, terms: Terms) -> bool:
    kin = terms.kin(term)
    return term in about or (kin is not None and any(terms.kin(each) == kin for each in about))


def _compatible(one: Quantity, other: Quantity) -> bool:
    """Whether two figures agree, allowing for rounding and ranges."""
    slack = 0.0 if one.dimension == "year" else 0.03 * max(abs(one.high), abs(other.high))
    return one.low <= other.high + slack and other.low <= one.high + slack


def disputes(relevant: list[Candidate], terms: Terms) -> list[Dispute]:
    """Pairs of sentences from different sources whose figures exclude each other."""
    figures = [(each, quantities(each, terms)) for each in relevant]
    found: list[Dispute] = []
    taken: set[tuple[int, int, str]] = set()
    for (one, ours), (other, theirs) in combinations([pair for pair in figures if pair[1]], 2):
        if one.source.order == other.source.order:
            continue
        agreed = {a.dimension for a in ours for b in theirs if a.dimension == b.dimension and _compatible(a, b)}
        for a, b in ((a, b) for a in ours for b in theirs if a.dimension not in agreed):
            shared = _conflict(a, b, terms)
            key = one.source.order, other.source.order, a.dimension
            if shared and key not in taken:
                taken.add(key)
                found.append(Dispute(one, other, (a.shown, b.shown), _topic(one, shared)))
    return found


def _topic(candidate: Candidate, shared: frozenset[str]) -> str:
    words = [t.surface for t in candidate.tokens if t.term in shared]
    return " ".join(dict.fromkeys(words))
