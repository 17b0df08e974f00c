"""Finds the sentence that makes the same claim as another, without comparing it with every one. Pure.

Two sentences say the same when each says most of the other (`actors.reports.support`). For that they must share terms
of some weight, or be the same letters. So it is enough to look at those that share one of a sentence's rarest terms:
with the others it could not have enough in common. What is found that way is then compared as always, so nothing else
is found than by comparing all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from actors.answering.quoting import squeezed
from actors.answering.terms import Terms
from actors.reports.support import LIKE, Said, said_by

SAME = 0.8
"""Two sentences that each say this much of the other say the same."""

_ROUNDED = 0.0005
"""What a support may lack and still be rounded up to `SAME`."""


def _same(one: Said, other: Said) -> bool:
    """Whether two sentences make the same claim."""
    if (letters := squeezed(one.text)) == squeezed(other.text):
        return bool(letters)
    return said_by(one, other) >= SAME and said_by(other, one) >= SAME


def _shared(one: Said, other: Said) -> float:
    """What each of two sentences says of the other, at least."""
    return min(said_by(one, other), said_by(other, one))


def _name_others(one: Said, other: Said) -> bool:
    """Whether each of two sentences may have a name that the other has not."""
    mine, theirs = one.capitals - other.weights.keys(), other.capitals - one.weights.keys()
    return bool(mine and theirs)


@dataclass(frozen=True)
class Near:
    """A known sentence that shares much with one that is looked for."""

    place: int
    text: str
    shared: float
    """What each says of the other, at least."""

    beyond: tuple[str, str]
    """The words of the one that is looked for, and of the known one, that the other has not."""


class KnownClaims:
    """Sentences among which the same claim is looked for."""

    def __init__(self, texts: Sequence[str], least: float = SAME) -> None:
        """`least` is what of each other they must say to be found at all."""
        self._said, self._least = [Said(text) for text in texts], least
        self._often = Counter(term for said in self._said for term in said.weights)
        self._by_letters: defaultdict[str, list[int]] = defaultdict(list)
        self._having: defaultdict[str, list[int]] = defaultdict(list)
        """By a term: the sentences that have it."""

        self._needing: defaultdict[str, list[int]] = defaultdict(list)
        """By a term: the sentences of which it is one of the rarest."""

        for place, said in enumerate(self._said):
            for key in {said.letters, squeezed(said.text)}:
                self._by_letters[key].append(place)
            for term in said.weights:
                self._having[term].append(place)
            for term in self._rarest(said):
                self._needing[term].append(place)

    def first_same(self, text: str) -> int | None:
        """The place of the first sentence that makes the same claim, if one does."""
        sought = Said(text)
        places = self._among(sought)
        return next((place for place in places if _same(self._said[place], sought)), None)

    def near(self, text: str) -> list["Near"]:
        """Sentences that may make the same claim in other words, those that share most first.

        One that names others makes another claim, unless nearly all of it is shared; other numbers or a denial already
        leave little of what is shared.
        """
        sought = Said(text)
        found = [
            Near(place, said.text, shared, (sought.beyond(said), said.beyond(sought)))
            for place in self._among(sought)
            if (shared := _shared(said := self._said[place], sought)) >= self._least
            and (shared >= SAME or not _name_others(said, sought))
        ]
        return sorted(found, key=lambda each: (-each.shared, each.place))

    def _among(self, sought: Said) -> Iterable[int]:
        """The places of all sentences that could make the same claim, in order."""
        near: set[int] = set()
        for key in (sought.letters, squeezed(sought.text)):
            near.update(self._by_letters.get(key, ()))
        for term in self._rarest(sought):
            near.update(self._having.get(term, ()))
        # One may also stand whole within the other; then it is the other that must share its terms.
        for term in sought.weights:
            near.update(self._needing.get(term, ()))
        return sorted(near)

    def _rarest(self, said: Said) -> Iterable[str]:
        """The rarest terms of a sentence, so many that without one of them too little of it could be shared."""
        terms, weights = Terms(), said.weights
        at_best = whole = sum(weights.values())
        for term in sorted(weights, key=lambda each: (self._often[each], each)):
            if at_best < (self._least - _ROUNDED) * whole:
                return
            yield term
            # Without it, one like it may be shared, and all that is left.
            at_best -= weights[term] * (1 - LIKE if terms.kin(term) is not None else 1)
