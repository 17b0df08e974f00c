"""The links of a chain of sentences, and what each is worth in it."""

import re
from dataclasses import dataclass, replace

from actors.answering.candidates import Candidate
from actors.answering.parts import Part
from actors.answering.relevance import Ranked

NAMED = 0.85
"""How far a sentence elsewhere is trusted that names what a step is about."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A name that a step found, and the sentence it was found in."""

    name: str
    told: Ranked
    trust: float
    step: Part


@dataclass(frozen=True, slots=True)
class Link:
    """A step with the sentence that answers it."""

    part: Part
    told: Ranked


@dataclass(frozen=True, slots=True)
class Chain:
    """The sentences that the steps of a part led to."""

    told: list[Ranked]
    missing: tuple[str, ...] = ()
    """Steps at its end that no sentence answers…"""

    stopped: bool = False
    """…and whether that is because no search was left for them."""

    reach: float = 1.0
    """The share of the steps that are answered."""


_HE = re.compile(r"\b(?:he|his|him)\b", re.I)
_SHE = re.compile(r"\b(?:she|her|hers)\b", re.I)
_MAN = re.compile(
    r"\b(?:father|husband|son|brother|man|actor|king|boy|uncle|grandfather|frontman)\b", re.I
)
_WOMAN = re.compile(
    r"\b(?:mother|wife|daughter|sister|woman|actress|queen|girl|aunt|grandmother)\b", re.I
)


def fit(before: Link, told: Ranked) -> float:
    """Less where a step asks for a man and the page it led to speaks of a woman, and the other way round."""
    words = before.part.text
    text = told.candidate.source.text[:2000]
    wants_man, wants_woman = bool(_MAN.search(words)), bool(_WOMAN.search(words))
    he, she = len(_HE.findall(text)), len(_SHE.findall(text))
    if wants_man == wants_woman or he == she:
        return 1.0
    return 1.0 if wants_man == (he > she) else 0.6


def told_of(step: Part, each: Ranked) -> float:
    """Less where a sentence says nothing of what a step asks about its names."""
    asked = [
        got
        for wanted, got in zip(step.wanted, each.matches, strict=True)
        if wanted.strong and not wanted.entity
    ]
    return 1.0 if not asked or max(asked) >= 0.5 else 0.7


def surest(told: list[Ranked], lead: Lead, pages: dict[str, float]) -> Ranked | None:
    """The best of some sentences, the less a lead or its page is trusted the less they count."""
    weighed = [
        replace(each, relevance=round(each.relevance * lead.trust * sure, 6))
        for each in told
        if (sure := pages.get(each.candidate.passage.text_hash, NAMED))
    ]
    return max(weighed, key=lambda each: each.relevance, default=None)


def worth(chain: list[Link]) -> float:
    """How well the links of a chain answer their steps, on average."""
    return round(sum(link.told.relevance for link in chain) / len(chain), 6)


_KINDS = frozenset(
    [
        "film",
        "movi",
        "song",
        "album",
        "novel",
        "book",
        "band",
        "magazin",
        "play",
        "compani",
        "town",
        "citi",
        "univers",
    ]
)
"""Stems of what things are called that a name is given to: they say nothing of who did what."""


def leading_on(chains: list[list[Link]]) -> list[list[Link]]:
    """The chains whose last link is another than the one before."""
    return [each for each in chains if not _repeats(*each[-2:])]


def unrepeated(chain: list[Link]) -> list[Link]:
    """A chain as far as it leads on."""
    again = (place for place in range(1, len(chain)) if _repeats(*chain[place - 1 : place + 1]))
    return chain[: next(again, len(chain))]


def _repeats(before: Link, link: Link) -> bool:
    """Whether a step is answered with the sentence of the step before, which asked the same of somebody else: who
    somebody's father is does not say who the father's father is.
    """
    same = link.told.candidate is before.told.candidate
    return same and _relation(link.part) == _relation(before.part)


def _relation(step: Part) -> frozenset[str]:
    """The terms of what a step asks about its names."""
    return frozenset(each.term for each in step.wanted if not each.entity)


def distance(step: Part, candidate: Candidate, at: int) -> int:
    """How many words stand between a name and the nearest word that the step is about."""
    relations = [each for each in step.wanted if not each.entity and each.term not in _KINDS]
    asked = {each.term for each in relations}
    places = [token.start for token in candidate.tokens if token.term in asked]
    for each in relations:
        if each.sense is not None:
            places += [match.start() for match in each.sense.finditer(candidate.text)]
    between = (candidate.text[min(place, at) : max(place, at)] for place in places)
    return min((len(words.split()) for words in between), default=5)
