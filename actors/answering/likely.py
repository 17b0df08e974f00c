"""Chooses what answers a part of a question by weights that were learned from labelled questions.

Two figures are made of the signs of each sentence. The one orders the sentences; the other says of the first of them
how likely it is to answer at all. Where it hardly is, nothing is quoted. Questions that have rules of their own
(chains, comparisons, who or what somebody or something is, Japanese) are left to those, and so are all where nobody
can compare meanings.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from actors.answering.candidates import Candidate
from actors.answering.parts import Part
from actors.answering.quoting import SAME, TOLD_AT_LENGTH, Quote, sameness
from actors.answering.reading import Reading
from actors.answering.relevance import KNOWN, Judge, Ranked
from actors.answering.signs import Setting, Signs, place_of, signs_of, to_compare
from actors.answering.sufficing import Sufficing
from actors.answering.weights import eleventh, twelfth


class Learned(NamedTuple):
    """What the signs count."""

    orders: Mapping[str, float]
    """Which sentence answers best."""

    answers: Mapping[str, float]
    """Whether the best one answers at all."""


LEARNED = {
    "eleventh": Learned(eleventh.ORDERS, eleventh.ANSWERS),
    "twelfth": Learned(twelfth.ORDERS, twelfth.ANSWERS),
}
"""By the names that rules know them by."""

CLOSELY = 120
"""Sentences of a part that are weighed."""

ENOUGH = 0.35
"""How likely the best sentence must be to answer."""

ENOUGH_TOLD = 0.25
"""The same where no one fact is asked for: several sentences may tell how something works, and none all of it."""

BESIDE = {"shallow": 0.5, "balanced": 0.3, "deep": 0.2}
"""How likely another must be beside it, measured by the best, by depth."""

QUOTED, QUOTED_TOLD = 0.1, 0.03
"""The same for one that the rules alone would quote, too: where one fact is asked for, and where none is…"""

MOST = 3
"""…and how many are quoted."""

NAME = 3
"""Words of a name of an item."""

ALONE = 5.0
"""How far the only sentence is ahead."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the weights make of the sentences that were read for a part."""

    ranked: list[Ranked]
    """Best first."""

    chosen: list[Ranked]
    """What is quoted of them; none where the best would hardly answer."""

    likely: float
    """How likely the best one is to answer."""


class Likely:
    """Weighs the sentences for a question that has no rules of its own."""

    def __init__(
        self,
        reading: Reading,
        judge: Judge,
        ranked: Sequence[Sequence[Ranked]],
        quotes: Sequence[Quote],
    ) -> None:
        """`ranked`: what is relevant by the rules alone; `quotes`: what they would quote."""
        self._reading, self._judge, self._ranked, self._quotes = reading, judge, ranked, quotes
        self._sufficing = Sufficing(judge, reading.terms, reading.rules)
        self._learned = LEARNED[reading.rules.learned]

    def weighed(self, number: int) -> Weighed | None:
        """A part's sentences; nothing where it is left to the rules."""
        setting = self.setting(number)
        if setting is None:
            return None
        signs = signs_of(setting)
        scores = [self._score(*pair) for pair in zip(setting.pool, signs, strict=True)]
        telling = [each for each in range(len(scores)) if not _names_an_item(setting.pool[each])]
        if not telling:
            return None
        order = sorted(telling, key=lambda each: -scores[each])
        best = scores[order[0]]
        ranked = [
            self._ranked_as(setting.part, setting.pool[each], math.exp(scores[each] - best))
            for each in order
        ]
        in_order = [scores[each] for each in order]
        likely = round(likelihood(self._learned.answers, signs[order[0]], in_order), 4)
        told = self._judge.asks_to_tell(setting.part)
        if likely < (ENOUGH_TOLD if told else ENOUGH):
            return Weighed(ranked, [], likely)
        chosen = self._chosen(ranked, setting.quoted, QUOTED_TOLD if told else QUOTED)
        if setting.part.seeks & TOLD_AT_LENGTH:
            chosen += self._told_with(number, chosen, ranked)
        return Weighed(ranked, chosen, likely)

    def setting(self, number: int) -> Setting | None:
        """What the signs of a part's sentences are read from, once all was compared that they need."""
        reading, part = self._reading, self._reading.parts[number]
        if part.steps or part.side or part.topic or not part.query.strip():
            return None
        if not self._is_weighed(part):
            return None
        promising = [each.candidate for each in self._ranked[number]]
        others = sorted(reading.candidates(), key=lambda each: -each.passage.score)
        pool = list({place_of(each): each for each in [*promising, *others]}.values())[:CLOSELY]
        reading.compare_pairs(to_compare(part, pool, reading.terms))
        pool = [each for each in pool if (part.query, each.compared) in reading.alike]
        if not pool:
            return None
        return Setting(
            part=part,
            pool=sorted(pool, key=place_of),
            judge=self._judge,
            terms=reading.terms,
            alike=reading.alike,
            sufficing=self._sufficing,
            rules=reading.rules,
            ranked=self._ranked[number],
            quoted=frozenset(place_of(each.lead) for each in self._quotes if each.part == number),
        )

    def _is_weighed(self, part: Part) -> bool:
        rules = self._reading.rules
        alone = len(self._reading.parts) == 1 or rules.weighs_every_part
        return alone and not (rules.names_by_rules and _asks_only_who_or_what(part))

    def _score(self, candidate: Candidate, signs: Signs) -> float:
        known = math.log(KNOWN) if self._reading.knows(candidate) else 0.0
        return round(weight(self._learned.orders, signs) + known, 6)

    def _ranked_as(self, part: Part, candidate: Candidate, relevance: float) -> Ranked:
        taken = self._judge.taken(part, candidate)
        return Ranked(round(relevance, 6), candidate, taken.matches, taken.gives)

    def _told_with(
        self, number: int, chosen: Sequence[Ranked], ranked: Sequence[Ranked]
    ) -> list[Ranked]:
        """The sentences around those chosen with which the rules would quote them: how and why are told by several."""
        whole = [
            quote
            for quote in self._quotes
            if quote.part == number and any(quote.holds(each.candidate) for each in chosen)
        ]
        beside = (each for each in ranked if any(quote.holds(each.candidate) for quote in whole))
        return sorted(
            (each for each in beside if each not in chosen),
            key=lambda each: place_of(each.candidate),
        )

    def _chosen(
        self, ranked: Sequence[Ranked], quoted: frozenset[tuple[int, int]], enough_quoted: float
    ) -> list[Ranked]:
        """The best sentence, and those beside it that are hardly worse and say something else."""
        chosen, enough = [ranked[0]], BESIDE[self._reading.brief.depth]
        for each in ranked[1:]:
            least = min(enough, enough_quoted) if place_of(each.candidate) in quoted else enough
            new = all(sameness(each.candidate, one.candidate) < SAME for one in chosen)
            if len(chosen) < MOST and each.relevance >= least and new:
                chosen.append(each)
        return chosen


_WHO_OR_WHAT = re.compile(r"(?:who|what)(?:\s+(?:is|are|was|were)|['’]s)\s", re.I)


def _asks_only_who_or_what(part: Part) -> bool:
    """Whether nothing is asked of a name but who or what has it: then no sentence about that is nearer than others."""
    if not part.wanted or not _WHO_OR_WHAT.match(part.text):
        return False
    return all(each.entity and each.surface[0].isupper() for each in part.wanted)


def _names_an_item(candidate: Candidate) -> bool:
    """Whether a sentence names a list's item, and those behind it tell of it: "The seasons. Springs are…"."""
    sentences, behind = candidate.source.sentences, candidate.place + 1
    if (
        candidate.sentence.kind != "item"
        or len(candidate.tokens) > NAME
        or behind == len(sentences)
    ):
        return False
    return sentences[behind].block == candidate.sentence.block


def weight(weights: Mapping[str, float], signs: Signs) -> float:
    """The weighted sum of signs."""
    told = (weights[name] * value for name, value in signs.items() if name in weights)
    return math.fsum(told) + weights["always"]


def likelihood(answers: Mapping[str, float], best: Signs, scores: Sequence[float]) -> float:
    """How likely the best sentence is to answer, by its signs and by the scores of all, best first."""
    return 1 / (1 + math.exp(-weight(answers, best | standing(scores))))


def standing(scores: Sequence[float]) -> Signs:
    """How the best of some scores stands out, and how far all of them are from answering."""
    second = scores[1] if len(scores) > 1 else scores[0] - ALONE
    none = -math.log(1 + math.fsum(map(math.exp, scores)))
    return {"score": scores[0], "lead": scores[0] - second, "none": none}
