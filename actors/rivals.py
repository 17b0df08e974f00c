"""Excerpts that give different figures for the same thing: of several sources, or of a report and its source. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from actors.copies import groups
from actors.figures import Figure, conflict, figures, shared_terms
from actors.terms import Terms

MOST_CLASHES = 5


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


def clashes(known: Sequence[Rival], new: Sequence[Rival]) -> list[Clash]:
    """Where new excerpts contradict known ones of somebody else; copies of one text cannot."""
    pairs = ((one, other) for other in new for one in known if one.whose != other.whose)
    return _clashes((*known, *new), pairs)


def clashes_among(rivals: Sequence[Rival]) -> list[Clash]:
    """Where excerpts contradict one another, whoever brought them; copies of one text cannot."""
    return _clashes(rivals, combinations(rivals, 2))


def misreported(sentence: str, rival: Rival) -> tuple[str, str] | None:
    """A figure of a sentence and the one that its source gives for the same thing, if they exclude each other."""
    terms = Terms()
    setting = frozenset(token.term for token in terms.tokens(rival.title))
    told = figures(sentence, terms.tokens(sentence), setting, terms)
    clash = conflict(told, _told(rival, terms), terms) if told else None
    return (clash[0].shown, clash[1].shown) if clash else None


def _clashes(rivals: Sequence[Rival], pairs: Iterator[tuple[Rival, Rival]]) -> list[Clash]:
    terms = Terms()
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
        if clash := conflict(told[one.number], told[other.number], terms):
            settled.add(pair)
            shown = clash[0].shown, clash[1].shown
            found.append(Clash(one.number, other.number, shown, _topic(one, clash, terms)))
            if len(found) == MOST_CLASHES:
                break
    return found


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
