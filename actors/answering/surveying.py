"""Answers a request for an overview: what the documents say about a topic, where nobody asks one question about it.

"Tell me about spring tides" is answered by no one sentence. What is quoted is near the topic in meaning where it
stands, under its title and heading; it comes from several sections and sources, and says no two times the same.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from actors.answering.candidates import Candidate
from actors.answering.parts import Part
from actors.answering.quoting import SAME, sameness
from actors.answering.relevance import Judge, Ranked
from actors.answering.telling import in_its_place
from actors.answering.terms import Terms

LEAST = 0.35
"""Meaning below which a sentence is about something else."""

NEARLY = 0.6
"""How near a sentence must be beside the nearest one."""

SPOKEN_OF = 0.5
"""The share of the topic that a sentence must speak of, with its title and headings, of what any sentence speaks of."""

HEARD = 0.5
"""The share of the topic that the sentences together must speak of."""

SAID, MEANT = 0.35, 0.4
"""How far a sentence must speak of one term of what is to be told of the topic, or how near to it it must be."""

CERTAIN = 0.5
"""How near the nearest must be where less of the topic is spoken of. Where nobody says that an overview is wanted, it
must be so near, and all of the topic be spoken of."""

PASSAGE, OPENS = 0.2, 0.05
"""What it counts how well the search found its passage, and that it begins a text or a paragraph."""

IN_A_SECTION = 2
"""Sentences that are quoted from one section."""

FEWEST = 6
"""Words of a sentence that says something about a topic."""


class Survey:
    """What sentences that were read say about a topic."""

    def __init__(
        self,
        part: Part,
        pool: Sequence[Candidate],
        judge: Judge,
        alike: Mapping[tuple[str, str], float],
        terms: Terms,
    ) -> None:
        """`alike`: how near each sentence is to the topic in its place; those that nobody compared are left out."""
        self._part, self._judge, self._alike = part, judge, alike
        of_regard = terms.of(part.regard)
        self._own = [n for n, each in enumerate(part.wanted) if each.term in of_regard]
        self._spoken_of = {each: judge.matched(part, pool[each]) for each in range(len(pool))}
        heard = [max(got) for got in zip(*self._spoken_of.values(), strict=True)]
        self._heard = judge.coverage(part, tuple(heard)) if heard else 0.0
        self._whole = all(got for got, one in zip(heard, part.wanted, strict=False) if one.strong)
        near = {
            number: alike[part.query, in_its_place(each)]
            for number, each in enumerate(pool)
            if (part.query, in_its_place(each)) in alike and _says_something(each)
        }
        self._best = max(near.values(), default=0.0)
        enough = max(LEAST, NEARLY * self._best)
        self._told = sorted(
            (
                (_value(pool[number], meaning), pool[number])
                for number, meaning in near.items()
                if meaning >= enough
                and (self._heard >= HEARD or self._best >= CERTAIN)
                and self._speaks_of_it(number)
                and self._regards(number, pool[number])
            ),
            key=lambda pair: (-pair[0], pair[1].source.order, pair[1].start),
        )

    @property
    def certain(self) -> bool:
        """Whether something is so near that the topic is what it is about."""
        return bool(self._told) and self._best >= CERTAIN and self._whole

    def chosen(self, most: int) -> list[Ranked]:
        """What is quoted: of the nearest source first, in the order of each source."""
        taken: list[tuple[float, Candidate]] = []
        of_section, of_source = Counter[tuple[int, tuple[str, ...]]](), Counter[int]()
        several = len({each.source.order for _, each in self._told}) > 1
        from_one = math.ceil(most / 2) if several else most
        for value, each in self._told:
            source = each.source.order
            section = source, tuple(each.passage.headings)
            new = all(sameness(each, other) < SAME for _, other in taken)
            if new and of_section[section] < IN_A_SECTION and of_source[source] < from_one:
                taken.append((value, each))
                of_section[section] += 1
                of_source[source] += 1
            if len(taken) == most:
                break
        order = list(dict.fromkeys(each.source.order for _, each in taken))
        taken.sort(key=lambda pair: (order.index(pair[1].source.order), pair[1].start))
        top = max((value for value, _ in taken), default=1.0)
        return [self._ranked(each, value / top) for value, each in taken]

    def _ranked(self, candidate: Candidate, relevance: float) -> Ranked:
        taken = self._judge.taken(self._part, candidate)
        return Ranked(round(relevance, 6), candidate, taken.matches, taken.gives)

    def _regards(self, number: int, candidate: Candidate) -> bool:
        """Whether a sentence speaks of what is to be told of the topic, and not of the topic alone."""
        if not self._part.regard:
            return True
        if any(self._spoken_of[number][each] >= SAID for each in self._own):
            return True
        return self._alike.get((self._part.regard, in_its_place(candidate)), 0.0) >= MEANT

    def _speaks_of_it(self, number: int) -> bool:
        """Whether a sentence speaks of the names of the topic, and of half of what can be spoken of."""
        got, wanted = self._spoken_of[number], self._part.wanted
        if any(each.entity and not own for each, own in zip(wanted, got, strict=True)):
            return False
        return self._judge.coverage(self._part, got) >= SPOKEN_OF * self._heard


def compared(part: Part, candidate: Candidate) -> list[tuple[str, str]]:
    """What must be compared in meaning before a survey."""
    place = in_its_place(candidate)
    return [(part.query, place), *([(part.regard, place)] if part.regard else [])]


def _says_something(candidate: Candidate) -> bool:
    """Whether a sentence can stand in an overview by itself."""
    return (
        len(candidate.tokens) >= FEWEST
        and (not candidate.leans or (candidate.stands and candidate.on_name))
        and candidate.sentence.kind != "table"
        and not candidate.text.rstrip("*_ ").endswith("?")
    )


def _value(candidate: Candidate, meaning: float) -> float:
    sentences, place = candidate.source.sentences, candidate.place
    begins = not place or sentences[place - 1].block != sentences[place].block
    return meaning + PASSAGE * candidate.passage.score + OPENS * (begins + candidate.opens)
