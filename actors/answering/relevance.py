"""How well a sentence answers a part of a question."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from actors.answering.aspects import asks_for_a_measure
from actors.answering.candidates import Candidate
from actors.answering.deeds import brings_together, names_a_side
from actors.answering.giving import EXACT, HINTED, counts, given
from actors.answering.kinds_of_things import of_another_kind, of_another_number
from actors.answering.linking import exact_titles, plain, subject
from actors.answering.matching import matched, nearness, said_itself
from actors.answering.parts import Part, Wanted
from actors.answering.rules import PRESENT, Rules
from actors.answering.seeking import Seeks
from actors.answering.telling import LEAST, Compared, asks_to_tell, in_its_place, weighed
from actors.answering.unspoken import asked_of, speaks


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence that bears on a part, and how well."""

    relevance: float
    candidate: Candidate
    matches: tuple[float, ...]
    """How far it speaks of each term that the part wants."""

    gives: frozenset[Seeks]
    """Which kinds of things that the part seeks it holds."""


SAME_MEANING = 0.5
"""Cosine from which a sentence bears on a part in whatever words."""

OTHER_MEANING = 0.2
"""Cosine below which shared words are chance."""

MEANING = 0.3
"""What likeness in meaning counts beside words."""


KNOWN = 0.6
"""What is left of a sentence that says what the caller knows already."""

NAMED_IN_FULL = 0.12
"""What it counts that a page is about the very thing that is asked about."""


_SUPERLATIVE = re.compile(
    r"\b(?:larg|high|great|bigg|long|tall|deep|old|small|low|strong|fast|heav|wid)(?:i?est)\b", re.I
)
_OF_ALL = re.compile(
    r"\b(?:in|of|around) the world\b|\bworld[’']s\b|\bon Earth\b|\bof all\b|\banywhere\b", re.I
)
_WHY: frozenset[Seeks] = frozenset({"reason"})
_WHAT_IT_DID: frozenset[Seeks] = frozenset({"effect"})
_WHO: frozenset[Seeks] = frozenset({"person"})
_NUMBER: frozenset[Seeks] = frozenset({"number"})
_COUNTED: frozenset[Seeks] = frozenset({"number", "money"})
_SUPPOSED = re.compile(r"\b(?:would|could|might)\b")
_TELLS_HOW = frozenset({"way", "method", "principl", "mechan", "process", "techniqu"})
"""Terms of titles and headings over what tells how something is done."""


class Judge:
    """Weighs sentences against the parts of a question.

    A term counts by its rarity among all candidates: what every sentence has tells them apart
    least, and what none has is missed most.
    """

    def __init__(
        self,
        pool: list[Candidate],
        parts: list[Part],
        alike: Mapping[tuple[str, str], float] = MappingProxyType({}),
        rules: Rules = PRESENT,
        *,
        nouns: bool = False,
        telling: bool = False,
    ) -> None:
        """`nouns`: whether the question is in a language that writes all nouns with a capital; `telling`: whether
        what asks for no one fact is answered by meaning.
        """
        self._pool, self._alike, self._rules = pool, alike, rules
        titles = {each.passage.title for each in pool} if rules.chained else set[str]()
        self._about = {part.text: exact_titles(part.text, titles, nouns=nouns) for part in parts}
        """Titles that a part names in full."""

        self._to_tell = {part.text for part in parts if telling and asks_to_tell(part, pool)}
        self._rarity: dict[str, float] = {}
        for wanted in (each for part in parts for each in part.wanted):
            if wanted.term not in self._rarity:
                having = sum(wanted.term in candidate.terms for candidate in pool)
                rarity = math.log(1 + (len(pool) - having + 0.5) / (having + 0.5))
                self._rarity[wanted.term] = rarity

    def rank(self, part: Part, known: list[frozenset[str]]) -> list[Ranked]:
        """The sentences that bear on a part, best first; what the caller knows already counts less."""
        if self.asks_to_tell(part) and (compared := self._compared(part)):
            return self._told(part, compared, known)
        ranked: list[Ranked] = []
        for candidate in self._pool:
            matches = self.matched(part, candidate)
            gives = given(part, candidate.text, candidate.tokens, self._rules)
            fits = bool(part.seeks) and gives == part.seeks
            if self._admits(part, candidate, matches, fits=fits):
                value = self._relevance(part, candidate, matches, gives)
                if is_known(candidate, known):
                    value *= KNOWN
                ranked.append(Ranked(round(value, 6), candidate, matches, gives))
        if about := self._about.get(part.text):
            theirs = [each for each in ranked if self._speaks_of(about, part, each.candidate)]
            ranked = theirs or ranked
            if self._rules.closer and part.side:
                telling = [each for each in ranked if self._tells(part, each.matches)]
                ranked = telling or ranked
            soft = part.seeks & {"place", "person"}
            if any(each.gives & soft for each in ranked):
                ranked = [each for each in ranked if each.gives & soft]
        if self._rules.pointed:
            unspoken = self.unspoken(part)
            ranked = [
                each
                for each in ranked
                if not of_another_kind(part, each.candidate)
                and not (self._rules.exacting and of_another_number(part, each.candidate))
                and speaks(unspoken, each.matches, 0.5)
            ]
            who = part.seeks & _WHO
            if who and not part.side and any(each.gives & who for each in ranked):
                ranked = [each for each in ranked if each.gives & who]
        if self._rules.closer and (greatest := _greatest_of(part)) is not None:
            ranked = [each for each in ranked if each.matches[greatest] >= 0.5] or ranked
        if self._rules.closer and part.seeks == _WHY and ranked:
            ranked = [each for each in ranked if each.gives] or ranked
        if self._rules.pointed and part.seeks == _WHAT_IT_DID:
            ranked = [each for each in ranked if self._tells_the_deed(part, each)]
        # Where a figure or a date is asked for and some sentence has it, the others do not answer.
        exact = part.seeks & EXACT
        if any(each.gives & exact for each in ranked):
            ranked = [each for each in ranked if each.gives & exact]
            if self._rules.pointed and part.seeks == _NUMBER:
                ranked = [each for each in ranked if counts(each.candidate.text)] or ranked
        elif self._rules.closer and part.seeks <= _COUNTED and part.seeks and not part.side:
            ranked = []  # How deep something is, is told by a figure or not at all.
        # The pool is in order and the sort is stable: equals stay in the order of their sources.
        return sorted(ranked, key=lambda each: -each.relevance)

    def asks_to_tell(self, part: Part) -> bool:
        """Whether a part asks for no one fact."""
        return part.text in self._to_tell

    def _compared(self, part: Part) -> list[Compared]:
        """The sentences whose meaning is known, by themselves and in their places."""
        found = []
        for each in self._pool:
            alone = self.likeness(part, each)
            if alone is not None:
                placed = self._alike.get((part.query, in_its_place(each)), alone)
                found.append(Compared(each, (alone + placed) / 2))
        return found

    def _told(
        self, part: Part, compared: list[Compared], known: list[frozenset[str]]
    ) -> list[Ranked]:
        """The sentences that tell what is asked, best first, where no one fact is."""
        ranked: list[Ranked] = []
        values = weighed(compared, lambda each: self.coverage(part, said_itself(part, each)))
        for (candidate, meaning), value in zip(compared, values, strict=True):
            if meaning >= LEAST:
                value = as_a_quotation(value, part, candidate, self._rules)
                if is_known(candidate, known):
                    value *= KNOWN
                gives = given(part, candidate.text, candidate.tokens, self._rules)
                matches = self.matched(part, candidate)
                ranked.append(Ranked(round(value, 6), candidate, matches, gives))
        return sorted(ranked, key=lambda each: -each.relevance)

    def matched(self, part: Part, candidate: Candidate) -> tuple[float, ...]:
        """How far a sentence speaks of each term of a part: on a page about its names, it need not name them."""
        return matched(part, candidate, self.about(part) if self._rules.closer else frozenset())

    def about(self, part: Part) -> frozenset[str]:
        """The titles of pages that a part names."""
        return self._about.get(part.text, frozenset())

    def unspoken(self, part: Part) -> tuple[int, ...]:
        """The places among a part's terms of what it asks about, where no page that would tell it speaks of it."""
        asked, about = asked_of(part), self.about(part)
        pages = (each for each in self._pool if not about or each.passage.title in about)
        spoken = any(speaks(asked, self.matched(part, each), 0.4) for each in pages)
        return () if spoken else asked

    def taken(self, part: Part, candidate: Candidate) -> Ranked:
        """A sentence weighed against a part, whether or not it would be admitted."""
        matches = self.matched(part, candidate)
        gives = given(part, candidate.text, candidate.tokens, self._rules)
        value = self._relevance(part, candidate, matches, gives)
        return Ranked(round(value, 6), candidate, matches, gives)

    def _speaks_of(self, about: frozenset[str], part: Part, candidate: Candidate) -> bool:
        """Whether a sentence is of a page that a part names, or names what such a page is about."""
        if candidate.passage.title in about or part.bridge & candidate.above:
            return True
        if part.side:
            return False
        title, said = candidate.passage.title, f" {plain(candidate.text)} "
        if not candidate.title_names and (" " in title or not title[:1].isupper()):
            return True  # A page on many things, not on some other one.
        return any(f" {subject(each)} " in said for each in about)

    def coverage(self, part: Part, matches: tuple[float, ...]) -> float:
        """The share of a part that such matches cover, by weight."""
        whole = sum(self.weight(wanted) for wanted in part.wanted)
        if not whole:
            return 0.0
        pairs = zip(part.wanted, matches, strict=True)
        return sum(self.weight(wanted) * got for wanted, got in pairs) / whole

    def likeness(self, part: Part, candidate: Candidate) -> float | None:
        """How near a sentence is to a part in meaning; none where nobody compared them."""
        return self._alike.get((part.query, candidate.compared))

    def weight(self, wanted: Wanted) -> float:
        """What a term counts: more as a name, less where many sentences have it."""
        return wanted.weight * self._rarity[wanted.term]

    def _admits(
        self, part: Part, candidate: Candidate, matches: tuple[float, ...], *, fits: bool
    ) -> bool:
        """Whether a sentence may be quoted: by its words, if it does not mean something else, or by its meaning."""
        if part.side and candidate.opens and candidate.passage.title in self._about[part.text]:
            return True  # What a thing is, is the least that a comparison can say of it.
        alike = self.likeness(part, candidate)
        if alike is not None and alike >= SAME_MEANING and (fits or not part.seeks & EXACT):
            return self._speaks_of_it(part, matches)
        other = alike is not None and alike < OTHER_MEANING and not candidate.leans
        if other and candidate.passage.title not in self.about(part):
            return False
        return self._bears_on(part, candidate, matches, fits=fits)

    def _tells_the_deed(self, part: Part, each: Ranked) -> bool:
        """Whether a sentence tells what something did, and not what it is, or what something else did."""
        own = each.candidate.terms
        if not each.gives and not brings_together(part, each.candidate.text, own):
            return False
        named = names_a_side(part, own, each.matches)
        return named or (self.likeness(part, each.candidate) or 0.0) >= SAME_MEANING

    def _tells(self, part: Part, matches: tuple[float, ...]) -> bool:
        """Whether a sentence says anything of what is asked about the names in a part."""
        pairs = list(zip(part.wanted, matches, strict=True))
        asked = [got for wanted, got in pairs if wanted.strong and _own(wanted)]
        if not asked and self._rules.exacting and asks_for_a_measure(part.text):
            asked = [got for wanted, got in pairs if wanted.sense and _own(wanted)]
        return not asked or max(asked) >= 0.5

    def _speaks_of_it(self, part: Part, matches: tuple[float, ...]) -> bool:
        """Whether a sentence says anything of what is asked about a name; the name alone makes any two alike."""
        pairs = list(zip(part.wanted, matches, strict=True))
        asked = [got for wanted, got in pairs if wanted.strong and _own(wanted)]
        return not any(wanted.entity for wanted, _ in pairs) or not asked or any(asked)

    def _bears_on(
        self, part: Part, candidate: Candidate, matches: tuple[float, ...], *, fits: bool
    ) -> bool:
        """Whether a sentence has to do with a part at all; what does not is never quoted."""
        pairs = list(zip(part.wanted, matches, strict=True))
        # A sentence that points back speaks of what the one before it names.
        enough = 0.55 if candidate.leans and fits else 0.7
        direct = [wanted for wanted, got in pairs if wanted.strong and got >= enough]
        covered = self.coverage(part, matches)
        names = self._names_met(pairs)
        if not names:
            if covered >= 0.5 or (len(direct) >= 2 and covered >= 0.36):
                return bool(direct)
            return fits and bool(direct) and covered >= 0.4
        rest = [(wanted, got) for wanted, got in pairs if wanted.strong and _own(wanted)]
        if rest and not any(_own(wanted) for wanted in direct):
            return False
        whole = sum(self.weight(wanted) for wanted, _ in rest)
        said = sum(self.weight(wanted) * got for wanted, got in rest if got >= 0.5)
        if any(names):
            return bool(direct) and covered >= 0.25 and said >= 0.15 * whole
        # Not about any name in the question, but perhaps about one that the question leads to:
        # then it must say most of what else is asked.
        return bool(part.bridge & candidate.above) and whole > 0 and said >= 0.5 * whole

    def _names_met(self, pairs: list[tuple[Wanted, float]]) -> list[bool]:
        """For each name in a part, whether most of it was matched."""
        whole: dict[int, float] = {}
        met: dict[int, float] = {}
        for wanted, got in pairs:
            if wanted.entity:
                weight = self.weight(wanted)
                whole[wanted.entity] = whole.get(wanted.entity, 0.0) + weight
                met[wanted.entity] = met.get(wanted.entity, 0.0) + (weight if got >= 0.35 else 0)
        return [met[entity] >= 0.5 * weight for entity, weight in whole.items()]

    def _relevance(
        self, part: Part, candidate: Candidate, matches: tuple[float, ...], gives: frozenset[Seeks]
    ) -> float:
        """About 0 to 1; coverage and the kind of answer decide, the rest breaks ties."""
        held = len(gives)
        value = 0.70 * self.coverage(part, matches)
        alike = self.likeness(part, candidate)
        if alike is not None:
            value = 0.72 * value + MEANING * max(0.0, alike)
        if part.seeks:
            value += sum(map(self._worth, sorted(gives))) / len(part.seeks)
        if part.bridge & candidate.above:
            value += 0.12
        value += 0.05 * nearness(part, candidate)
        value += 0.10 * candidate.passage.score
        value += 0.03 / (1 + candidate.place)
        if any(wanted.entity and wanted.term in candidate.title for wanted in part.wanted):
            value += 0.02
        if self._rules.closer and not self._tells(part, matches):
            value *= 0.8
        if candidate.passage.title in self._about.get(part.text, ()):
            value += NAMED_IN_FULL
            if part.side and candidate.opens and not part.seeks:
                value += 0.10  # Nationality, trade, place: what a thing is, is told first.
        if self._rules.chained:
            value += self._told_for_all(part, candidate)
        if part.seeks and not held:
            value *= 0.85 if part.seeks & EXACT else 0.9
        return as_a_quotation(value, part, candidate, self._rules)

    def _told_for_all(self, part: Part, candidate: Candidate) -> float:
        """What it counts that a sentence speaks of the whole, where nothing else is named in the question."""
        if any(wanted.entity for wanted in part.wanted):
            return 0.0
        if _SUPERLATIVE.search(part.text):
            return 0.20 if _OF_ALL.search(candidate.text) else -0.12 * bool(candidate.title_names)
        if part.seeks and part.seeks <= HINTED:
            how = "manner" in part.seeks and bool(candidate.above & _TELLS_HOW)
            supposed = bool(_SUPPOSED.search(candidate.text))
            one = self._rules.closer and self._of_one(candidate)
            return 0.12 * how - 0.05 * bool(candidate.measures) - 0.06 * supposed - 0.15 * one
        return 0.0

    def _of_one(self, candidate: Candidate) -> bool:
        """Whether a sentence begins with a name that hardly any other has: it tells of one case among many."""
        first = candidate.tokens[0] if candidate.tokens else None
        if first is None or not first.surface[0].isupper() or first.start:
            return False
        return self._named_by[first.term] <= 2 and first.term not in self._ordinary

    @cached_property
    def _named_by(self) -> Counter[str]:
        """By a term: how many sentences have it as a name."""
        names = ({token.term for token in each.tokens if token.name} for each in self._pool)
        return Counter(chain.from_iterable(names))

    @cached_property
    def _ordinary(self) -> frozenset[str]:
        """Terms that some sentence has without a capital."""
        tokens = chain.from_iterable(each.tokens for each in self._pool)
        return frozenset(token.term for token in tokens if not token.surface[0].isupper())

    def _worth(self, kind: Seeks) -> float:
        """What it counts that a sentence has the kind of thing that is sought."""
        return self._rules.hinted if kind in HINTED else 0.20


def _greatest_of(part: Part) -> int | None:
    """The place among a part's terms of what is asked to be the greatest: the range in "where is the range largest"."""
    greatest = _SUPERLATIVE.search(part.text)
    if not greatest or any(wanted.entity for wanted in part.wanted):
        return None
    places = [(place, wanted) for place, wanted in enumerate(part.wanted) if wanted.at >= 0]
    behind = [place for place, wanted in places if wanted.at > greatest.start() and wanted.strong]
    before = [place for place, wanted in places if wanted.at < greatest.start() and wanted.strong]
    if not re.match(r"\s+[a-z]", part.text[greatest.end() :]):
        return before[-1] if before else None
    follows = re.match(r"(?:\s+(?!in\b|of\b|on\b|at\b)[a-z-]+)+", part.text[greatest.end() :])
    end = greatest.end() + (follows.end() if follows else 0)
    named = [place for place in behind if part.wanted[place].at < end]
    return named[-1] if named else None


def as_a_quotation(value: float, part: Part, candidate: Candidate, rules: Rules) -> float:
    """What is left of a value for a sentence that reads ill by itself."""
    if candidate.leans:
        value *= 0.93
    if candidate.text.endswith(("?", "\uff1f")):
        value *= 0.6
    if candidate.sentence.kind == "table":
        # Rows hold figures and dates well, and reasons not at all.
        value *= 0.88 if part.seeks & {"number", "date", "money", "place"} else 0.75
    if _looks_like_code(candidate.text):
        value *= 0.6
    if candidate.text.endswith(":") or len(candidate.tokens) < (2 if rules.chained else 4):
        value *= 0.75
    return value


def _looks_like_code(text: str) -> bool:
    """Whether a "sentence" is rather a piece of a program or of data."""
    return sum(letter in '{}[]<>="\\;|' for letter in text) > max(6, len(text) / 20)


def _own(wanted: Wanted) -> bool:
    """Whether a term is what this part asks about, and not whom it asks it of."""
    return not wanted.entity and wanted.at >= 0


def is_known(candidate: Candidate, known: list[frozenset[str]]) -> bool:
    """Whether the caller said to know what a sentence says."""
    return any(_share(candidate.terms, each) > 0.6 for each in known)


def _share(terms: frozenset[str], known: frozenset[str]) -> float:
    return len(terms & known) / len(terms) if terms else 0.0


def unmatched(part: Part, best: list[Ranked]) -> list[Wanted]:
    """Strong terms that none of the best sentences has."""
    got = [max(each) for each in zip(*(one.matches for one in best), strict=True)]
    return [w for w, m in zip(part.wanted, got, strict=False) if w.strong and m < 0.5]
