"""Joins sentences of pages that name each other, where the wording of a question does not show its steps.

A sentence that says part of what is asked, and one of a page that it names which says the rest: together they cover
more of the question than any single sentence. Which sentences these are is found by trying, the most promising first.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actors.answering.candidates import Candidate
from actors.answering.linking import leads_to, names_in, surely_meant
from actors.answering.matching import said_itself
from actors.answering.parts import Part
from actors.answering.reading import Reading
from actors.answering.relevance import Ranked, unmatched

BEGINNINGS = 14
"""Sentences that a chain may begin with."""

LONGEST = 3
"""Sentences in a chain."""

PRICE = 0.10
"""How much more of the question each further sentence must cover."""

SOUGHT = 0.10
"""What it counts that a sentence has the kind of thing that is asked for."""

SHORT = 16
"""Sentences of a page that speaks of one thing throughout."""

MOST_NAMES = 2
"""Names that are searched for together."""

ITS_PAGE = 0.6
"""How surely a name must mean a page."""

_REFERRED = re.compile(r"(?:See|Cf|Compare)\b")
"""What readers are referred to is a discovery, which others are sent after."""


def joined_for(reading: Reading, part: Part) -> list[Ranked]:
    """The sentences that answer a part together, after a look at pages that they name and that were not read."""
    if part.side or not any(each.entity for each in part.wanted):
        return []
    told = Joining(reading, part).told()
    for _ in range(LONGEST - 1):
        known = told or reading.judged_for(part)[1][:1]
        if not known or not _look_further(reading, part, known):
            break
        told = Joining(reading, part).told()
    return told


def _look_further(reading: Reading, part: Part, known: list[Ranked]) -> bool:
    """Search for the names in a sentence whose pages were not found, where what is known leaves something open."""
    missing = unmatched(part, known)
    if not missing or not reading.may_search:
        return False
    titles = {each.title for each in reading.found.values()}
    names = [
        name
        for each in reversed(known)
        for name, _ in names_in(each.candidate.text, each.candidate.tokens)
        if not _REFERRED.match(name)
        and not any(leads_to(name, title) >= ITS_PAGE for title in titles)
    ][:MOST_NAMES]
    if not names:
        return False
    words = " ".join((*names, *(each.surface for each in missing)))
    title = known[-1].candidate.passage.title
    found = reading.search_on(words, f"“{title}” names {' and '.join(names)}.")
    about = (
        each for each in found if any(leads_to(name, each.title) >= ITS_PAGE for name in names)
    )
    reading.take_in(part, about)
    return True


@dataclass(frozen=True, slots=True)
class _Joined:
    told: tuple[Ranked, ...]
    covered: tuple[float, ...]
    worth: float


class Joining:
    """Finds the sentences that answer one part together."""

    def __init__(self, reading: Reading, part: Part) -> None:
        self._part, self._rules = part, reading.rules
        self._judge, self._ranked = reading.judged_for(part)
        about = self._judge.about(part)
        pool = reading.candidates()
        self._pool = [each for each in pool if each.on_name or each.passage.title in about]
        self._titles = {each.passage.title for each in self._pool}
        self._named: dict[int, frozenset[str]] = {}

    def told(self) -> list[Ranked]:
        """Two or three sentences; none where a single one does as well."""
        alone = [self._alone(each) for each in self._beginnings()]
        best = max(alone, key=lambda each: each.worth, default=None)
        grown = alone
        for _ in range(LONGEST - 1):
            grown = [better for each in grown if (better := self._grown(each))]
            for each in grown:
                if best is None or each.worth > best.worth:
                    best = each
        told = list(best.told) if best else []
        if self._rules.everyday and self._leads_nowhere(told):
            return []
        return told if len(told) > 1 else []

    def _leads_nowhere(self, told: list[Ranked]) -> bool:
        """Whether sentences are all of one page: what that tells, it tells without leading from name to name.

        Where the wording of a question shows steps, or it is in Japanese, such sentences are joined all the same.
        """
        pages = {each.candidate.source.order for each in told}
        return len(pages) == 1 and not self._part.steps and self._part.japanese is None

    def _beginnings(self) -> list[Candidate]:
        taken = ((self._own(each), each) for each in self._pool)
        worth = [(self._judge.coverage(self._part, got), each) for got, each in taken]
        first = sorted((pair for pair in worth if pair[0] > 0), key=lambda pair: -pair[0])
        return [each for _, each in first[:BEGINNINGS]]

    def _alone(self, candidate: Candidate) -> _Joined:
        return self._joined((self._judge.taken(self._part, candidate),))

    def _grown(self, joined: _Joined) -> _Joined | None:
        """The best that one more sentence makes of some; none where none of them adds enough."""
        known = {id(each.candidate) for each in joined.told}
        further = [
            self._joined((*joined.told, self._judge.taken(self._part, each)))
            for each in self._linked(joined.told[-1].candidate)
            if id(each) not in known
        ]
        if self._rules.exacting and _asked_directly(self._part):
            further = [each for each in further if self._each_tells(each.told)]
        best = max(further, key=lambda each: each.worth, default=None)
        return best if best and best.worth > joined.worth else None

    def _each_tells(self, told: tuple[Ranked, ...]) -> bool:
        """Whether each sentence says something of what is asked that the others do not.

        One that only names what the question names leads on to what is told of something else: how tall a man was
        is not told by how tall his sister was.
        """
        own = [self._own(each.candidate) for each in told]
        asked = [
            place
            for place, each in enumerate(self._part.wanted)
            if each.strong and not each.entity and each.at >= 0
        ]
        return all(
            any(
                mine[place] >= 0.5
                and all(other[place] < mine[place] for other in own if other is not mine)
                for place in asked
            )
            for mine in own
        )

    def _joined(self, told: tuple[Ranked, ...]) -> _Joined:
        covered = tuple(map(max, zip(*(self._own(each.candidate) for each in told), strict=True)))
        sought = any(each.gives for each in told) if self._part.seeks else False
        worth = self._judge.coverage(self._part, covered) + SOUGHT * sought
        best = max(each.relevance for each in told)
        return _Joined(told, covered, round(worth - PRICE * len(told) + 0.05 * best, 6))

    def _own(self, candidate: Candidate) -> tuple[float, ...]:
        return said_itself(self._part, candidate)

    def _linked(self, candidate: Candidate) -> Iterator[Candidate]:
        """Sentences of its page, of pages that a sentence names, and those that name its page."""
        title = candidate.passage.title
        named = self._pages_named(candidate)
        for each in self._pool:
            if each.source is candidate.source:
                if len(each.source.sentences) <= SHORT:
                    yield each
                continue
            if each.passage.title in named or title in self._pages_named(each):
                yield each

    def _pages_named(self, candidate: Candidate) -> frozenset[str]:
        """Titles of the pages that a sentence names."""
        if id(candidate) not in self._named:
            said = f"{self._part.text} {candidate.text}"
            found = (
                title
                for name, _ in names_in(candidate.text, candidate.tokens)
                for title, sure in surely_meant(name, self._titles, said).items()
                if sure >= ITS_PAGE
            )
            self._named[id(candidate)] = frozenset(found)
        return self._named[id(candidate)]


_OF_IT = re.compile(r"\b(?:is|was|are|were|do|does|did|has|have|had)\s+(?:the\s+)?\Z", re.I)
_WITHIN = re.compile(r"\b(?:who|whose|whom|which|that|where|when)\b", re.I)


def _asked_directly(part: Part) -> bool:
    """Whether something is asked of a name itself, and not of what has to do with it."""
    named = [each for each in part.wanted if each.entity == 1 and each.at >= 0]
    if not named or re.search(r"['’]s?\Z", named[-1].surface):
        return False
    end = named[-1].at + len(named[-1].surface)
    return bool(_OF_IT.search(part.text, 0, named[0].at)) and not _WITHIN.search(part.text, end)
