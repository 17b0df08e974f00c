"""Excerpts of different researchers that give different figures for the same thing. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
    """Where new excerpts contradict known ones; copies of one text cannot."""
    terms = Terms()
    texts = {each.text_hash: each.text for each in (*known, *new)}
    origin = dict(zip(texts, groups(list(texts.values())), strict=True))
    told = {each.number: _told(each, terms) for each in (*known, *new)}
    found: list[Clash] = []
    pairs: set[tuple[int, int]] = set()
    for other in new:
        for one in known:
            pair = origin[one.text_hash], origin[other.text_hash]
            if one.whose == other.whose or pair[0] == pair[1] or pair in pairs:
                continue
            clash = conflict(told[one.number], told[other.number], terms)
            if clash and len(found) < MOST_CLASHES:
                pairs.add(pair)
                shown = clash[0].shown, clash[1].shown
                found.append(Clash(one.number, other.number, shown, _topic(one, clash, terms)))
    return found


def _told(rival: Rival, terms: Terms) -> list[Figure]:
    setting = frozenset(token.term for token in terms.tokens(rival.title))
    return figures(rival.excerpt, terms.tokens(rival.excerpt), setting, terms)


def _topic(one: Rival, clash: tuple[Figure, Figure], terms: Terms) -> str:
    """What both speak of, in the words of the first."""
    shared = shared_terms(*clash, terms)
    words = (token.surface for token in terms.tokens(one.excerpt) if token.term in shared)
    return " ".join(dict.fromkeys(words))
