"""How well sentences answer a question that asks for no one fact: how something works, why it is so, whether it can be.

Such questions are seldom put in the words of the texts, and a paragraph answers them rather than a sentence. So the
meaning counts most, of a sentence by itself and under its title and heading; then its words, how well the search found
its passage, and what stands beside it.

    own     meaning + 0.25 words + 0.2 relevance of the passage + 0.1 / place of its source among those found
    value   own + 0.4 of the better of its neighbours, on a scale that begins where most sentences are
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from actors.answering.candidates import Candidate
from actors.answering.parts import Part
from actors.answering.seeking import Seeks

LEAST = 0.3
"""Meaning below which a sentence is about something else."""

WORDS, PASSAGE, FOUND_FIRST, BESIDE = 0.25, 0.2, 0.1, 0.4
ALONE = 0.9
"""What a sentence without a neighbour is given for one, of its own."""

MOST, USUAL = 2.1, 0.3
"""About the most that a sentence can have, and the share of it that most of them have."""

_OF_ITS_OWN: frozenset[Seeks] = frozenset(
    {"number", "money", "date", "person", "place", "definition", "effect"}
)
"""Kinds of things that other rules know how to tell."""

_ASKS_OPENLY = re.compile(
    r"(?:(?!(?:what|which|who|whom|whose|where|when)\b)\w+,? )?"
    r"(?:how|why|do|does|did|is|are|was|were|can|could|should|shall|may|will|would|has|have|had|must)\b"
    r"|\w+n['’]t\b",
    re.I,
)


def asks_to_tell(part: Part, pool: Sequence[Candidate]) -> bool:
    """Whether a part asks for no one fact; one with a name must be put so, and the name not be that of a page."""
    if part.steps or part.side or part.seeks & _OF_ITS_OWN:
        return False
    names = {each.term for each in part.wanted if each.entity > 0 and each.at >= 0}
    if not names:
        return True
    return asks_openly(part) and not any(_is_about(names, each) for each in pool)


def asks_openly(part: Part) -> bool:
    """Whether a part asks how, why or whether."""
    return _ASKS_OPENLY.match(part.text) is not None


def _is_about(names: set[str], candidate: Candidate) -> bool:
    """Whether a page is on one of some names; a title of one word does not show that it is a name."""
    title = candidate.title
    return bool(names & candidate.title_names) or (bool(title) and title <= names)


def in_its_place(candidate: Candidate) -> str:
    """A sentence under its title and heading, as it is compared with a question beside the bare one."""
    title, headings = candidate.passage.title, candidate.passage.headings
    above = [title, *(each for each in headings[-1:] if each != title)]
    return ": ".join(filter(None, (", ".join(filter(None, above)), candidate.text)))


class Compared(NamedTuple):
    """A sentence, and how near it is to a part in meaning."""

    candidate: Candidate
    meaning: float


def weighed(compared: Sequence[Compared], words: Callable[[Candidate], float]) -> list[float]:
    """What each of some sentences is worth, about 0 to 1; `words`: the share of what is asked that one says itself."""
    own = [
        each.meaning
        + WORDS * words(each.candidate)
        + PASSAGE * each.candidate.passage.score
        + FOUND_FIRST / each.candidate.source.order
        for each in compared
    ]
    places = {
        (each.candidate.source.order, each.candidate.place): number
        for number, each in enumerate(compared)
    }
    values = []
    for number, (candidate, _) in enumerate(compared):
        order, place = candidate.source.order, candidate.place
        beside = [
            own[other]
            for near in (place - 1, place + 1)
            if (other := places.get((order, near))) is not None
            and compared[other].candidate.sentence.block == candidate.sentence.block
        ]
        share = (own[number] + BESIDE * max(beside, default=ALONE * own[number])) / MOST
        values.append(max(0.01, (share - USUAL) / (1 - USUAL)))
    return values
