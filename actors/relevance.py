"""How well a sentence answers a part of a question."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from actors.giving import EXACT, HINTED, given
from actors.linking import exact_titles, plain, subject
from actors.ports import Passage
from actors.questions import Part, Wanted
from actors.rules import PRESENT, Rules
from actors.seeking import Seeks
from actors.terms import Token
from language.sentences import Sentence


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
    """On one line."""

    tokens: tuple[Token, ...]
    terms: frozenset[str]
    kin: frozenset[int]
    title: frozenset[str]
    """Terms of its document's title."""

    title_names: frozenset[str]

    heading: frozenset[str]
    """Terms of the nearest heading, or of a table's column heads."""

    above: frozenset[str]
    """Terms of the title and all headings."""

    above_kin: frozenset[int]
    before: frozenset[str]
    """Terms of the sentence before it in its paragraph."""

    earlier: frozenset[str]
    """Terms of the sentences before that one."""

    measures: frozenset[str]
    """Dimensions of its figures."""

    leans: bool
    """It begins with a word that points back."""

    opens: bool = False
    """It is the first sentence of its text."""

    stands: bool = False
    """It points back to what its title names, and so can stand alone."""

    @property
    def sentence(self) -> Sentence:
        """The sentence it was taken from, unclipped."""
        return self.source.sentences[self.place]


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


NAMED_IN_FULL = 0.12
"""What it counts that a page is about the very thing that is asked about."""


_SUPERLATIVE = re.compile(
    r"\b(?:larg|high|great|bigg|long|tall|deep|old|small|low|strong|fast|heav|wid)(?:i?est)\b", re.I
)
_OF_ALL = re.compile(
    r"\b(?:in|of|around) the world\b|\bworld[’']s\b|\bon Earth\b|\bof all\b|\banywhere\b", re.I
)
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
    ) -> None:
        """`nouns`: whether the question is in a language that writes all nouns with a capital."""
        self._pool, self._alike, self._rules = pool, alike, rules
        titles = {each.passage.title for each in pool} if rules.chained else set[str]()
        self._about = {part.text: exact_titles(part.text, titles, nouns=nouns) for part in parts}
        """Titles that a part names in full."""

        self._rarity: dict[str, float] = {}
        for wanted in (each for part in parts for each in part.wanted):
            if wanted.term not in self._rarity:
                having = sum(wanted.term in candidate.terms for candidate in pool)
                rarity = math.log(1 + (len(pool) - having + 0.5) / (having + 0.5))
                self._rarity[wanted.term] = rarity

    def rank(self, part: Part, known: list[frozenset[str]]) -> list[Ranked]:
        """The sentences that bear on a part, best first; what the caller knows already counts less."""
        ranked: list[Ranked] = []
        for candidate in self._pool:
            matches = matched(part, candidate)
            gives = given(part, candidate.text, candidate.tokens, self._rules)
            fits = bool(part.seeks) and gives == part.seeks
            if self._admits(part, candidate, matches, fits=fits):
                value = self._relevance(part, candidate, matches, gives)
                if any(_share(candidate.terms, each) > 0.6 for each in known):
                    value *= 0.6
                ranked.append(Ranked(round(value, 6), candidate, matches, gives))
        if about := self._about.get(part.text):
            theirs = [each for each in ranked if self._speaks_of(about, part, each.candidate)]
            ranked = theirs or ranked
            soft = part.seeks & {"place", "person"}
            if any(each.gives & soft for each in ranked):
                ranked = [each for each in ranked if each.gives & soft]
        # Where a figure or a date is asked for and some sentence has it, the others do not answer.
        exact = part.seeks & EXACT
        if any(each.gives & exact for each in ranked):
            ranked = [each for each in ranked if each.gives & exact]
        # The pool is in order and the sort is stable: equals stay in the order of their sources.
        return sorted(ranked, key=lambda each: -each.relevance)

    def about(self, part: Part) -> frozenset[str]:
        """The titles of pages that a part names."""
        return self._about.get(part.text, frozenset())

    def taken(self, part: Part, candidate: Candidate) -> Ranked:
        """A sentence weighed against a part, whether or not it would be admitted."""
        matches = matched(part, candidate)
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
        whole = sum(self._weight(wanted) for wanted in part.wanted)
        if not whole:
            return 0.0
        pairs = zip(part.wanted, matches, strict=True)
        return sum(self._weight(wanted) * got for wanted, got in pairs) / whole

    def likeness(self, part: Part, candidate: Candidate) -> float | None:
        """How near a sentence is to a part in meaning; none where nobody compared them."""
        return self._alike.get((part.query, candidate.text))

    def _weight(self, wanted: Wanted) -> float:
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
        whole = sum(self._weight(wanted) for wanted, _ in rest)
        said = sum(self._weight(wanted) * got for wanted, got in rest if got >= 0.5)
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
                weight = self._weight(wanted)
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
        value += 0.05 * _nearness(part, candidate)
        value += 0.10 * candidate.passage.score
        value += 0.03 / (1 + candidate.place)
        if any(wanted.entity and wanted.term in candidate.title for wanted in part.wanted):
            value += 0.02
        if candidate.passage.title in self._about.get(part.text, ()):
            value += NAMED_IN_FULL
            if part.side and candidate.opens and not part.seeks:
                value += 0.10  # Nationality, trade, place: what a thing is, is told first.
        if self._rules.chained:
            value += self._told_for_all(part, candidate)
        if part.seeks and not held:
            value *= 0.85 if part.seeks & EXACT else 0.9
        if candidate.leans:
            value *= 0.93
        if candidate.text.endswith(("?", "\uff1f")):
            value *= 0.6
        if candidate.sentence.kind == "table":
            # Rows hold figures and dates well, and reasons not at all.
            value *= 0.88 if part.seeks & {"number", "date", "money", "place"} else 0.75
        if _looks_like_code(candidate.text):
            value *= 0.6
        if candidate.text.endswith(":") or len(candidate.tokens) < (
            2 if self._rules.chained else 4
        ):
            value *= 0.75
        return value

    def _told_for_all(self, part: Part, candidate: Candidate) -> float:
        """What it counts that a sentence speaks of the whole, where nothing else is named in the question."""
        if any(wanted.entity for wanted in part.wanted):
            return 0.0
        if _SUPERLATIVE.search(part.text):
            return 0.20 if _OF_ALL.search(candidate.text) else -0.12 * bool(candidate.title_names)
        if part.seeks and part.seeks <= HINTED:
            how = "manner" in part.seeks and bool(candidate.above & _TELLS_HOW)
            supposed = bool(_SUPPOSED.search(candidate.text))
            return 0.12 * how - 0.05 * bool(candidate.measures) - 0.06 * supposed
        return 0.0

    def _worth(self, kind: Seeks) -> float:
        """What it counts that a sentence has the kind of thing that is sought."""
        return self._rules.hinted if kind in HINTED else 0.20


def matched(part: Part, candidate: Candidate) -> tuple[float, ...]:
    """How far a sentence speaks of each term that a part wants."""
    asked = {wanted.term for wanted in part.wanted}
    # A title that names something else besides does not settle what a sentence is about.
    named = 0.55 if candidate.title_names - asked else 0.85
    measures = candidate.measures if part.seeks & EXACT else frozenset[str]()
    return tuple(_match(wanted, candidate, named, measures) for wanted in part.wanted)


def _match(wanted: Wanted, candidate: Candidate, named: float, measures: frozenset[str]) -> float:
    """1 by the word itself, less by its setting."""
    if wanted.term in candidate.terms:
        return 1.0
    if wanted.entity and wanted.term in candidate.title:
        return named  # A document about it need not name it in every sentence.
    if wanted.kin is not None and wanted.kin in candidate.kin:
        return 0.75
    if wanted.measured & measures:
        return 0.75
    if wanted.sense is not None and wanted.sense.search(candidate.text):
        return 0.75
    if wanted.term in candidate.heading:
        return 0.75
    if wanted.term in candidate.above:
        return 0.55
    if wanted.term in candidate.before:
        return 0.3 if candidate.stands else 0.55 if candidate.leans else 0.45
    if wanted.term in candidate.earlier:
        return 0.4
    if wanted.kin is not None and wanted.kin in candidate.above_kin:
        return 0.4
    return 0.0


def jointly(one: Candidate, other: Candidate) -> float:
    """How much of what two sentences say together both of them say."""
    together = one.terms | other.terms
    return len(one.terms & other.terms) / len(together) if together else 0.0


def alike(one: Candidate, other: Candidate) -> float:
    """How much of the shorter sentence is in the other."""
    if not one.terms or not other.terms:
        return 0.0
    return len(one.terms & other.terms) / min(len(one.terms), len(other.terms))


def _looks_like_code(text: str) -> bool:
    """Whether a "sentence" is rather a piece of a program or of data."""
    return sum(letter in '{}[]<>="\\;|' for letter in text) > max(6, len(text) / 20)


def _own(wanted: Wanted) -> bool:
    """Whether a term is what this part asks about, and not whom it asks it of."""
    return not wanted.entity and wanted.at >= 0


def _share(terms: frozenset[str], known: frozenset[str]) -> float:
    return len(terms & known) / len(terms) if terms else 0.0


def _nearness(part: Part, candidate: Candidate) -> float:
    """1 when the matched words stand side by side, towards 0 the farther they are scattered."""
    asked = {each.term for each in part.wanted}
    places = [place for place, token in enumerate(candidate.tokens) if token.term in asked]
    if len(places) < 2:
        return 0.0
    return len(places) / (places[-1] - places[0] + 1)
