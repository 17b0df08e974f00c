"""Excerpts that give different figures for the same thing: of several sources, or of a report and its source. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from actors.answering.figures import Figure, conflict, figures, open_conflict, shared_terms
from actors.answering.terms import Terms
from actors.merging.copies import groups
from language.sentences import sentences

MOST_CLASHES = 5

SAME_THING = 0.82
"""Two sentences that are as near in meaning, their figures included, are about the same thing."""

MOST_LOOKED_AT = 2_000
"""Pairs of sentences of which it is looked whether they may contradict each other."""

Alike = Callable[[str, str], float | None]
"""How near two sentences are in meaning; none where nobody can tell."""


@dataclass(frozen=True)
class Rival:
    """A cited passage, and whose it is."""

    number: int
    whose: int
    text_hash: str
    text: str
    excerpt: str
    title: str


@dataclass(frozen=True)
class Clash:
    """Two citations, by number, that contradict each other."""

    one: int
    other: int
    figures: tuple[str, str]
    topic: str

    def against(self, citations: Iterable[int]) -> set[int]:
        """What speaks against a sentence with these citations."""
        held = set(citations)
        if {self.one, self.other} <= held:
            return set()
        return {self.other} if self.one in held else {self.one} if self.other in held else set()


def clashes(
    known: Sequence[Rival], new: Sequence[Rival], alike: Alike | None = None
) -> list[Clash]:
    """Where new excerpts contradict known ones of somebody else; copies of one text cannot.

    `alike` says how near two sentences are in meaning, for those whose words leave open what they are about.
    """
    pairs = ((one, other) for other in new for one in known if one.whose != other.whose)
    return _clashes((*known, *new), pairs, alike)


def left_open(rivals: Sequence[Rival]) -> Iterator[tuple[str, list[str]]]:
    """Sentences of excerpts, with earlier ones of others that contradict them if both are about the same thing."""
    terms = Terms()
    before: defaultdict[str, list[tuple[int, _Sentence]]] = defaultdict(list)
    """By a dimension: sentences with such a figure, and whose they are."""

    looked_at = 0
    for each in rivals:
        told = _sentences(each, terms)
        for mine in told:
            others = {
                theirs.text: theirs
                for dimension in mine.dimensions
                for whose, theirs in before[dimension]
                if whose != each.whose
            }
            looked_at += len(others)
            if looked_at > MOST_LOOKED_AT:
                return
            yield mine.text, [text for text in others if _may_clash(others[text], mine, terms)]
        for mine in told:
            for dimension in mine.dimensions:
                before[dimension].append((each.whose, mine))


def clashes_among(rivals: Sequence[Rival]) -> list[Clash]:
    """Where excerpts contradict one another, whoever brought them; copies of one text cannot."""
    return _clashes(rivals, combinations(rivals, 2), None)


def misreported(sentence: str, rival: Rival) -> tuple[str, str] | None:
    """A figure of a sentence and the one that its source gives for the same thing, if they exclude each other."""
    terms = Terms()
    setting = frozenset(token.term for token in terms.tokens(rival.title))
    told = figures(sentence, terms.tokens(sentence), setting, terms)
    clash = conflict(told, _told(rival, terms), terms) if told else None
    return (clash[0].shown, clash[1].shown) if clash else None


def _clashes(
    rivals: Sequence[Rival], pairs: Iterator[tuple[Rival, Rival]], alike: Alike | None
) -> list[Clash]:
    terms = Terms()
    by_sentence: dict[int, list[_Sentence]] = {}
    told = {each.number: _told(each, terms) for each in rivals}
    measured = {number: {figure.dimension for figure in each} for number, each in told.items()}
    origin = _Origins(rivals)
    found: list[Clash] = []
    settled: set[tuple[int, int]] = set()
    for one, other in pairs:
        if measured[one.number].isdisjoint(measured[other.number]):
            continue
        pair = origin[one], origin[other]
        if pair[0] == pair[1] or pair in settled:
            continue
        clash = conflict(told[one.number], told[other.number], terms)
        if clash is None and alike:
            for each in (one, other):
                by_sentence.setdefault(each.number, _sentences(each, terms))
            clash = _by_meaning(by_sentence[one.number], by_sentence[other.number], alike, terms)
        if clash:
            settled.add(pair)
            shown = clash[0].shown, clash[1].shown
            found.append(Clash(one.number, other.number, shown, _topic(one, clash, terms)))
            if len(found) == MOST_CLASHES:
                break
    return found


@dataclass(frozen=True)
class _Sentence:
    """A sentence of an excerpt, with its figures."""

    text: str
    figures: list[Figure]
    terms: frozenset[str]
    capitals: frozenset[str]
    """Those of its terms that may be names."""

    @property
    def dimensions(self) -> list[str]:
        """What its figures measure."""
        return list(dict.fromkeys(figure.dimension for figure in self.figures))


def _sentences(rival: Rival, terms: Terms) -> list[_Sentence]:
    """The sentences of an excerpt that have figures; what it is called says whom a nameless one is about."""
    setting = frozenset(token.term for token in terms.tokens(rival.title))
    found = []
    for each in sentences(rival.excerpt):
        text = rival.excerpt[each.start : each.end]
        tokens = terms.tokens(text)
        if told := figures(text, tokens, setting, terms):
            known = frozenset(token.term for token in tokens)
            capitals = frozenset(token.term for token in tokens if token.surface[:1].isupper())
            found.append(_Sentence(text, told, known, capitals))
    return found


def _may_clash(one: _Sentence, other: _Sentence, terms: Terms) -> tuple[Figure, Figure] | None:
    """Figures that exclude each other if two sentences are about the same thing, which their words leave open."""
    if one.capitals - other.terms and other.capitals - one.terms:
        return None  # Each names somebody else.
    return open_conflict(one.figures, other.figures, terms)


def _by_meaning(
    one: Sequence[_Sentence], other: Sequence[_Sentence], alike: Alike, terms: Terms
) -> tuple[Figure, Figure] | None:
    """Figures of sentences that mean the same but for them, if there are such."""
    for mine in one:
        for theirs in other:
            near = (alike(mine.text, theirs.text) or 0.0) >= SAME_THING
            if near and (rivals := _may_clash(mine, theirs, terms)):
                return rivals
    return None


class _Origins:
    """For each excerpt the first text that its own is a copy of; worked out when it is first asked for."""

    def __init__(self, rivals: Sequence[Rival]) -> None:
        self._texts = {each.text_hash: each.text for each in rivals}
        self._firsts: dict[str, int] = {}

    def __getitem__(self, rival: Rival) -> int:
        if not self._firsts:
            firsts = groups(list(self._texts.values()))
            self._firsts = dict(zip(self._texts, firsts, strict=True))
        return self._firsts[rival.text_hash]


def _told(rival: Rival, terms: Terms) -> list[Figure]:
    setting = frozenset(token.term for token in terms.tokens(rival.title))
    return figures(rival.excerpt, terms.tokens(rival.excerpt), setting, terms)


def _topic(one: Rival, clash: tuple[Figure, Figure], terms: Terms) -> str:
    """What both speak of, in the words of the first."""
    shared = shared_terms(*clash, terms)
    words = (token.surface for token in terms.tokens(one.excerpt) if token.term in shared)
    return " ".join(dict.fromkeys(words))


def spelled(shared: frozenset[str], text: str, terms: Terms) -> list[str]:
    """Terms as a text spells each of them first, in the order in which they come up there."""
    words: dict[str, str] = {}
    for token in terms.tokens(text):
        if token.term in shared:
            words.setdefault(token.term, token.surface)
    return list(words.values())
