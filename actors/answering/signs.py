"""What speaks for and against each sentence as an answer to a part of a question, as numbers.

Weights that were learned from labelled questions (`weights/`) make one figure of them. Each sign has a name;
signs are only ever added or taken away together with the weights, and those with the rules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from actors.answering.candidates import Candidate
from actors.answering.expecting import as_expected, asks_whether, settles
from actors.answering.giving import EXACT, given
from actors.answering.matching import said_itself
from actors.answering.parts import Part
from actors.answering.relevance import Judge, Ranked
from actors.answering.rules import Rules
from actors.answering.sufficing import Sufficing
from actors.answering.telling import in_its_place
from actors.answering.terms import STOP_WORDS, Terms

Signs = dict[str, float]

SPOKEN_OF = 0.35
"""How far a term must be matched to be spoken of."""

HEADED = 0.8
"""How far a term is matched that stands in the heading over a sentence."""

LONG = 30
"""Words from which a sentence is as long as any."""

RAREST = 6.0
"""About the rarity of a term that nothing speaks of."""

BEST_OF_A_PAGE = 3
"""Sentences that tell how near a page is to a question."""

_CODE = re.compile(r"\S*[0-9]\S*|[A-Z]")
"""A number, or what is told from others like it by a number or a letter: K3, zone E."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def under(candidate: Candidate) -> str:
    """What a sentence stands under: its title and its nearest heading."""
    title, headings = candidate.passage.title, candidate.passage.headings
    return ", ".join(filter(None, (title, *(each for each in headings[-1:] if each != title))))


def remainder(part: Part, candidate: Candidate, terms: Terms) -> str:
    """What is asked, without the words that the title of a page has; empty where those are all.

    Any sentence of a page is like a question that names its subject. What is asked of the subject tells them apart.
    """
    words = [word.group() for word in _WORD.finditer(part.query)]
    left = [word for word in words if terms.stem(word.casefold()) not in candidate.title]
    return " ".join(left) if any(word.casefold() not in STOP_WORDS for word in left) else ""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the signs of a part's sentences are read from."""

    part: Part
    pool: Sequence[Candidate]
    """Sentences that were compared with the part."""

    judge: Judge
    terms: Terms
    alike: Mapping[tuple[str, str], float]
    sufficing: Sufficing
    rules: Rules
    ranked: Sequence[Ranked]
    """What is relevant by the rules alone…"""

    quoted: frozenset[tuple[int, int]]
    """…and which of it they would quote, by source and place."""


def to_compare(part: Part, pool: Sequence[Candidate], terms: Terms) -> Iterator[tuple[str, str]]:
    """What must be compared in meaning before the signs of some sentences can be read."""
    for each in pool:
        yield part.query, each.compared
        yield part.query, in_its_place(each)
        yield part.query, under(each)
        if left := remainder(part, each, terms):
            yield left, each.text
            yield left, under(each)


def place_of(candidate: Candidate) -> tuple[int, int]:
    """The source of a sentence, and its number there."""
    return candidate.source.order, candidate.place


def signs_of(setting: Setting) -> list[Signs]:
    """The signs of each sentence of a pool."""
    meant = [_meaning(setting, each) for each in setting.pool]
    whole = [(each["alone"] + each["placed"]) / 2 for each in meant]
    by_rules = {place_of(each.candidate): each.relevance for each in setting.ranked}
    asked = _Asked(setting)
    return [
        {
            **each,
            **_beside_others(setting.pool, whole, number),
            **asked.words(setting.pool[number]),
            **_by_rules(setting, by_rules, setting.pool[number]),
            **asked.kind(setting.pool[number]),
            **_look(setting.pool[number]),
        }
        for number, each in enumerate(meant)
    ]


def _meaning(setting: Setting, candidate: Candidate) -> Signs:
    """How near a sentence is to what is asked: by itself, in its place, and without the subject of its page."""
    alike, query = setting.alike, setting.part.query
    alone = alike.get((query, candidate.compared), 0.0)
    placed = alike.get((query, in_its_place(candidate)), alone)
    over = alike.get((query, under(candidate)), 0.0)
    left = remainder(setting.part, candidate, setting.terms)
    rest = alike.get((left, candidate.text), 0.0) if left else alone
    return {
        "alone": alone,
        "placed": placed,
        "over": over,
        "beyond_over": placed - over,
        "rest": rest,
        "rest_beyond_over": rest - (alike.get((left, under(candidate)), 0.0) if left else over),
    }


def _beside_others(pool: Sequence[Candidate], whole: Sequence[float], number: int) -> Signs:
    """How near a sentence and its page are, measured by the others."""
    candidate, own = pool[number], whole[number]
    order, place = place_of(candidate)
    pages: dict[int, list[float]] = {}
    beside = []
    for each, value in zip(pool, whole, strict=True):
        pages.setdefault(each.source.order, []).append(value)
        near = each.source.order == order and abs(each.place - place) == 1
        if near and each.sentence.block == candidate.sentence.block:
            beside.append(value)
    best = {
        page: fmean(sorted(values, reverse=True)[:BEST_OF_A_PAGE]) for page, values in pages.items()
    }
    nearer = sum(value > own for value in whole)
    return {
        "behind_best": own - max(whole),
        "rank": 1 / (1 + nearer),
        "beside": max(beside, default=own) - own,
        "page_behind_best": best[order] - max(best.values()),
    }


class _Asked:
    """What a part asks, as far as it can be held against one sentence after the other."""

    def __init__(self, setting: Setting) -> None:
        self._setting, part = setting, setting.part
        judge, pool = setting.judge, setting.pool
        self._strong = [number for number, each in enumerate(part.wanted) if each.strong]
        self._rarity = {
            number: judge.weight(part.wanted[number]) / part.wanted[number].weight
            for number in self._strong
        }
        self._unheard = {
            number
            for number in self._strong
            if not any(part.wanted[number].term in each.terms | each.above for each in pool)
        }
        self._named = [number for number, each in enumerate(part.wanted) if each.entity]
        self._numbered = [
            number for number, each in enumerate(part.wanted) if _CODE.fullmatch(each.surface)
        ]
        self._whether = asks_whether(part.text)

    def words(self, candidate: Candidate) -> Signs:
        """How much of what is asked a sentence speaks of, by itself and where it stands."""
        part, judge = self._setting.part, self._setting.judge
        got, said = judge.matched(part, candidate), said_itself(part, candidate)
        missing = [number for number in self._strong if got[number] < SPOKEN_OF]
        return {
            "covered": judge.coverage(part, got),
            "rarest_missing": max((self._rarity[each] for each in missing), default=0.0) / RAREST,
            "unheard": self._share(
                [each for each in missing if each in self._unheard], self._strong
            ),
            "focus": self._focus(candidate, said),
            "above": self._weighed(
                [each for each in self._strong if part.wanted[each].term in candidate.above]
            ),
            "names": self._met(self._named, got),
            "numbers": self._met(self._numbered, got),
        }

    def kind(self, candidate: Candidate) -> Signs:
        """Whether a sentence has the kind of thing that is asked for."""
        part, text = self._setting.part, candidate.text
        gives = given(part, text, candidate.tokens, self._setting.rules)
        return {
            "seeks": float(bool(part.seeks)),
            "gives": len(gives) / len(part.seeks) if part.seeks else 0.0,
            "inexact": float(bool(part.seeks & EXACT) and not gives & EXACT),
            **as_expected(part.text, text),
            "whether": float(self._whether),
            "settles": float(self._whether and settles(text)),
        }

    def _focus(self, candidate: Candidate, said: Sequence[float]) -> float:
        """The share of what is asked beside the subject of a page that a sentence or its heading says."""
        wanted = self._setting.part.wanted
        rest = [each for each in self._strong if wanted[each].term not in candidate.title]
        whole = sum(self._rarity[each] for each in rest)
        if not whole:
            return 1.0
        headed = {each: HEADED * (wanted[each].term in candidate.heading) for each in rest}
        return sum(self._rarity[each] * max(said[each], headed[each]) for each in rest) / whole

    def _weighed(self, numbers: Sequence[int]) -> float:
        whole = sum(self._rarity[each] for each in self._strong)
        return sum(self._rarity[each] for each in numbers) / whole if whole else 0.0

    def _met(self, numbers: Sequence[int], got: Sequence[float]) -> float:
        met = [each for each in numbers if got[each] >= SPOKEN_OF]
        return self._share(met, numbers) if numbers else 1.0

    @staticmethod
    def _share(some: Sequence[int], of: Sequence[int]) -> float:
        return len(some) / max(1, len(of))


def _by_rules(
    setting: Setting, by_rules: Mapping[tuple[int, int], float], candidate: Candidate
) -> Signs:
    """What the rules alone make of a sentence."""
    best = max(by_rules.values(), default=0.0)
    own = by_rules.get(place_of(candidate), 0.0)
    return {
        "relevance": own,
        "of_the_most_relevant": own / best if best > 0 else 0.0,
        "admitted": float(place_of(candidate) in by_rules),
        "most_relevant": float(best > 0 and own == best),
        "lacking": float(bool(setting.sufficing.lacking(setting.part, [candidate]))),
        "quoted": float(place_of(candidate) in setting.quoted),
        "found": candidate.passage.score,
    }


def _look(candidate: Candidate) -> Signs:
    """What a sentence looks like."""
    text = candidate.text.rstrip("*_ ")
    return {
        "figure": float(any(map(str.isdigit, text))),
        "table": float(candidate.sentence.kind == "table"),
        "item": float(candidate.sentence.kind == "item"),
        "leans": float(candidate.leans),
        "asks": float(text.endswith("?")),
        "short": float(len(candidate.tokens) < 4),
        "length": min(len(candidate.tokens), LONG) / LONG,
        "label": float(candidate.text.endswith("**")),
        "opens": float(candidate.opens),
    }
