"""How well a sentence answers a part of a question."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from actors.figures import is_unit
from actors.ports import Passage
from actors.questions import Part, Seeks, Wanted
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
    ) -> None:
        self._pool, self._alike = pool, alike
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
            gives = frozenset(kind for kind in part.seeks if _gives(kind, candidate, part))
            fits = bool(part.seeks) and gives == part.seeks
            if self._admits(part, candidate, matches, fits=fits):
                value = self._relevance(part, candidate, matches, len(gives))
                if any(_share(candidate.terms, each) > 0.6 for each in known):
                    value *= 0.6
                ranked.append(Ranked(round(value, 6), candidate, matches, gives))
        # Where a figure or a date is asked for and some sentence has it, the others do not answer.
        exact = part.seeks & _EXACT
        if any(each.gives & exact for each in ranked):
            ranked = [each for each in ranked if each.gives & exact]
        # The pool is in order and the sort is stable: equals stay in the order of their sources.
        return sorted(ranked, key=lambda each: -each.relevance)

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
        alike = self.likeness(part, candidate)
        if alike is not None and alike >= SAME_MEANING and (fits or not part.seeks & _EXACT):
            return self._speaks_of_it(part, matches)
        if alike is not None and alike < OTHER_MEANING and not candidate.leans:
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
        self, part: Part, candidate: Candidate, matches: tuple[float, ...], given: int
    ) -> float:
        """About 0 to 1; coverage and the kind of answer decide, the rest breaks ties."""
        value = 0.70 * self.coverage(part, matches)
        alike = self.likeness(part, candidate)
        if alike is not None:
            value = 0.72 * value + MEANING * max(0.0, alike)
        if part.seeks:
            value += 0.20 * given / len(part.seeks)
        if part.bridge & candidate.above:
            value += 0.12
        value += 0.05 * _nearness(part, candidate)
        value += 0.10 * candidate.passage.score
        value += 0.03 / (1 + candidate.place)
        if any(wanted.entity and wanted.term in candidate.title for wanted in part.wanted):
            value += 0.02
        if part.seeks and not given:
            value *= 0.85 if part.seeks & _EXACT else 0.9
        if candidate.leans:
            value *= 0.93
        if candidate.text.endswith(("?", "\uff1f")):
            value *= 0.6
        if candidate.sentence.kind == "table":
            # Rows hold figures and dates well, and reasons not at all.
            value *= 0.88 if part.seeks & {"number", "date", "money", "place"} else 0.75
        if _looks_like_code(candidate.text):
            value *= 0.6
        if candidate.text.endswith(":") or len(candidate.tokens) < 4:
            value *= 0.75
        return value


def matched(part: Part, candidate: Candidate) -> tuple[float, ...]:
    """How far a sentence speaks of each term that a part wants."""
    asked = {wanted.term for wanted in part.wanted}
    # A title that names something else besides does not settle what a sentence is about.
    named = 0.55 if candidate.title_names - asked else 0.85
    measures = candidate.measures if part.seeks & _EXACT else frozenset[str]()
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
    if wanted.term in candidate.heading:
        return 0.75
    if wanted.term in candidate.above:
        return 0.55
    if wanted.term in candidate.before:
        return 0.55 if candidate.leans else 0.45
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


# -- kinds of answers ------------------------------------------------------------------------------

_EXACT: frozenset[Seeks] = frozenset({"number", "money", "date"})
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_DEFINES = re.compile(
    r"\b(?:is|are|was|were) (?:an?|the|one|any|called|known|defined|where|when)\b"
    r"|\b(?:means|refers? to|known as|consists? of)\b|とは|と呼ぶ|である"
)
_GIVES: dict[Seeks, re.Pattern[str]] = {
    "person": re.compile("[A-Z]"),
    "number": re.compile(
        r"[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty"
        r"|hundred|thousand|million|half|twice|third|quarter)\b",
        re.I,
    ),
    "money": re.compile(
        r"[$€£¥]|\b(?:dollars?|euros?|pounds?|francs?|cents?|pence|yen|USD|EUR|GBP)\b|[0-9]円|ドル",
        re.I,
    ),
    "date": re.compile(
        r"\b(?:1[0-9]{3}|20[0-9]{2})\b|\b[0-9]{1,4}\s*(?:BC|BCE|AD|CE)\b|\b\w+teenth century\b"
        r"|\b(?:January|February|March|April|May|June|July|August|September|October|November"
        r"|December)\b|[0-9]{1,4}年|[0-9]{1,2}(?:st|nd|rd|th) century|\bin [1-9][0-9]{2}\b"
    ),
    "place": re.compile(
        r"\b(?:in|at|near|off|from|of|between|on)\s+(?:the\s+)?[A-Z]|[県市町湾海峡]"
    ),
    "reason": re.compile(
        r",\s+so\b|\b(?:because|since|due to|caused?|owing to|so that|therefore|thus|as a result|in order to"
        r"|reason|why|makes?|leads? to|thanks to|for lack of)\b|ため|から|原因",
        re.I,
    ),
    "effect": re.compile(
        r"\b(?:kill|destroy|damag|reduc|increas|improv|disappear|return|declin|shrink|shr[au]nk|harm"
        r"|remov|recover|chang|caus|affect|disturb|protect|prevent|weaken|strengthen|worsen|replac"
        r"|pollut|suffer|rais|lower|turn|drove|driv|settl)(?:e|es|ed|ing|s|n)?\b"
        r"|\b(?:becomes?|became|lost|loss|grew|grows?|fell|falls?|rose|leads? to|results? in|fewer"
        r"|mortality|deaths?|smaller|larger|weaker|stronger|clearer|no longer|effects?|impacts?)\b",
        re.I,
    ),
    "manner": re.compile(
        r"\b(?:by \w+ing|through|when|using|as the|while|so that|by means of|with an?)\b|によ"
    ),
    "definition": _DEFINES,
    "topic": _DEFINES,
}


def _gives(kind: Seeks, candidate: Candidate, part: Part) -> bool:
    """Whether a sentence holds the kind of thing that is asked for."""
    text = _YEAR.sub("", candidate.text) if kind == "number" else candidate.text
    given = _GIVES[kind].search(text)
    if not given:
        return False
    asked = {each.term for each in part.wanted if each.strong}
    if kind == "person":
        return any(not asked & {token.term for token in name} for name in _names(candidate))
    if kind in {"definition", "topic"}:
        head = {token.term for token in candidate.tokens if token.end <= given.start()}
        return len(head) <= 6 and len(asked & head) >= 0.6 * len(asked)
    return True


def _names(candidate: Candidate) -> list[list[Token]]:
    """The names in a sentence, each as its words."""
    names: list[list[Token]] = []
    last: Token | None = None
    for token in candidate.tokens:
        if token.name and not is_unit(token):
            if last and token.start - last.end <= 1:
                names[-1].append(token)
            else:
                names.append([token])
            last = token
    return names
