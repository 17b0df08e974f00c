"""What of several researchers' findings is compared by meaning before they are put together, and what came of it.

Only what words leave open is compared: a sentence with the passages that it cites, with sentences of others that say
much of the same, and sentences with figures that may be about the same thing. Who compares is somebody else's business
(`Compare`); what came of it is kept as a fact, so that a replay needs no model. Pure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite

from actors.merging.contributions import Contribution
from actors.merging.same_claims import SAME, KnownClaims, Near
from actors.reports.rivals import Rival, left_open
from actors.reports.support import BEARS, support

MOST_COMPARED = 400
"""Texts that are compared with others."""

_MOST_EACH, _MOST_OTHERS = 4, 12
"""Others that one text is compared with, of a kind and in all."""

OPEN = 0.5
"""Of two sentences that each say so much of the other, words leave open whether they make the same claim."""

_WITHIN = 0.85
"""As near sentences make the same claim, where one says all that the other says."""

_SURELY = 0.9
"""As near they make it where each has words that the other has not…"""

_REPLACED, _ANOTHER = 0.55, 0.5
"""…if those are as near as the first; sentences that share most words make another claim below both."""

Pairs = list[tuple[str, list[str]]]
"""Texts, each with others that it is compared with."""

Compare = Callable[[Pairs], list[list[float | None]] | None]
"""For each text the likeness of each of its others: 1 for the same, none where nobody can tell; none at all where
nothing could be compared."""


class Meaning:
    """How near texts are to one another, as far as they were compared."""

    def __init__(self, likenesses: Mapping[tuple[str, str], float]) -> None:
        self.pairs = likenesses

    def of(self, one: str, other: str) -> float | None:
        """How near two texts are in meaning; none where nobody can tell."""
        known = self.pairs.get((one, other))
        return self.pairs.get((other, one)) if known is None else known

    def nearest(self, text: str, others: Sequence[str]) -> float | None:
        """How near the nearest of several texts is."""
        known = [each for other in others if (each := self.of(text, other)) is not None]
        return max(known, default=None)

    def same_claim(self, text: str, near: Near) -> bool:
        """Whether a sentence makes the same claim as one that shares much with it; by words where nobody can tell.

        What each says beyond the other must mean the same: sentences that differ in one word are always near.
        """
        alike, replaced = self.of(text, near.text), self.of(*near.beyond)
        if alike is None or (all(near.beyond) and replaced is None):
            return near.shared >= SAME
        if replaced is None:
            return near.shared >= SAME or alike >= _WITHIN
        if near.shared >= SAME:
            return alike >= _SURELY or replaced >= _ANOTHER
        return alike >= _SURELY and replaced >= _REPLACED


WORDS_ALONE = Meaning({})
"""Nothing was compared."""


def meaning_of(pairs: Pairs, likenesses: Sequence[Sequence[float | None]]) -> Meaning:
    """What was found of pairs, for looking up."""
    return Meaning(
        {
            (text, other): round(value, 4)
            for (text, others), told in zip(pairs, likenesses, strict=True)
            for other, value in zip(others, told, strict=True)
            if value is not None and isfinite(value)
        }
    )


def to_compare(contributions: Sequence[Contribution]) -> Pairs:
    """What is to be compared before these are put together, each text once."""
    wanted: dict[str, dict[str, None]] = {}
    ways = (_claims, _with_passages, _figures)
    for text, others in (found for way in ways for found in way(contributions)):
        if others and (text in wanted or len(wanted) < MOST_COMPARED):
            known = wanted.setdefault(text, {})
            known.update(dict.fromkeys(others[: max(0, _MOST_OTHERS - len(known))]))
    return [(text, list(others)) for text, others in wanted.items()]


def _claims(contributions: Sequence[Contribution]) -> Iterator[tuple[str, list[str]]]:
    """Sentences, with those of others before them that may make the same claim."""
    told: list[str] = []
    for each in contributions:
        known = KnownClaims(told, OPEN)
        for said in each.findings.sentences if told else ():
            for near in known.near(said.text)[:_MOST_EACH] if said.citations else ():
                if any(near.beyond):
                    yield said.text, [near.text]
                if all(near.beyond):
                    yield near.beyond[0], [near.beyond[1]]
        told += [said.text for said in each.findings.sentences]


def _with_passages(
    contributions: Sequence[Contribution],
) -> Iterator[tuple[str, list[str]]]:
    """Sentences whose passages say some of them, but not all."""
    for each in contributions:
        excerpts = {cited.number: cited.raw_excerpt for cited in each.findings.citations}
        for said in each.findings.sentences:
            passages = [excerpts[number] for number in said.citations if number in excerpts]
            if passages and BEARS < support(said.text, "\n\n".join(passages)) < 1.0:
                yield said.text, passages


def _figures(contributions: Sequence[Contribution]) -> Iterator[tuple[str, list[str]]]:
    """Sentences of passages, with those of others that give another figure, perhaps for the same thing."""
    rivals = [
        Rival(number, whose, cited.text_hash, "", cited.raw_excerpt, cited.title or "")
        for number, (whose, cited) in enumerate(
            (whose, cited)
            for whose, each in enumerate(contributions)
            for cited in each.findings.citations
        )
    ]
    yield from left_open(rivals)
