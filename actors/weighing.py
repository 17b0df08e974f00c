"""How sure one may be of an answer, from what its evidence turned out to be. Pure.

    confidence   the formula of `actors.findings`, times 0.4 + 0.6 * the share of sentences that are supported

Nobody's own opinion of the answer enters into it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from actors.copies import groups
from actors.figures import Figure, conflict, figures, shared_terms
from actors.findings import UNANSWERED, ConfidenceFactors, confidence
from actors.grounding import Cited, Grounded, Grounding
from actors.support import SUPPORTED, coverage, support
from actors.terms import Terms
from actors.trust import recency, typical_authority
from actors.webpage import WebPage

_WEIGHED = 30
"""Sentences for which second witnesses are looked for."""

_MOST_CLASHES = 3
_AROUND = 300
"""Characters around an excerpt that say what it is about."""


@dataclass(frozen=True)
class Clash:
    """Two citations that give different figures for the same thing."""

    one: Cited
    other: Cited
    figures: tuple[str, str]
    topic: str


class Weighing:
    """The evidence behind an answer."""

    def __init__(self, question: str, grounding: Grounding, pages: Mapping[str, WebPage]) -> None:
        self._question, self._grounding = question, grounding
        self._pages = list(pages.values())

    @cached_property
    def clashes(self) -> list[Clash]:
        """Where sources that are cited contradict each other."""
        terms = Terms()
        told = [
            (cited, said, {figure.dimension for figure in said})
            for cited in self._grounding.citations
            if (said := _figures(cited, terms))
        ]
        found: list[Clash] = []
        pairs: set[tuple[int, int]] = set()
        for (one, mine, measured), (other, theirs, in_what) in combinations(told, 2):
            if measured.isdisjoint(in_what):
                continue
            pair = self._origin[one.page.order], self._origin[other.page.order]
            if pair[0] == pair[1] or pair in pairs:
                continue
            if clash := conflict(mine, theirs, terms):
                pairs.add(pair)
                about = " ".join(sorted(shared_terms(*clash, terms)))
                found.append(Clash(one, other, (clash[0].shown, clash[1].shown), about))
                if len(found) == _MOST_CLASHES:
                    break
        return found

    @cached_property
    def witnesses(self) -> list[int]:
        """For each sentence, how many independent sources say it; copies of one another count once."""
        return [
            len(self._witnesses(each)) if place < _WEIGHED else len(self._cited(each))
            for place, each in enumerate(self._grounding.sentences)
        ]

    def corroborated(self, cited: Cited) -> bool:
        """Whether another independent source says what a citation is cited for."""
        pairs = zip(self._grounding.sentences, self.witnesses, strict=True)
        return any(cited in each.citations and number > 1 for each, number in pairs)

    def disputed(self, cited: Cited) -> bool:
        """Whether another citation says otherwise."""
        return any(cited in (clash.one, clash.other) for clash in self.clashes)

    def share_supported(self) -> float:
        """The share of sentences whose citations say what they say."""
        said = self._grounding.sentences
        return sum(each.supported for each in said) / len(said) if said else 0.0

    def factors(self, *, exhausted: bool, contradiction_reported: bool) -> ConfidenceFactors:
        """The facts that the confidence follows from."""
        supported = [
            number
            for each, number in zip(self._grounding.sentences, self.witnesses, strict=True)
            if each.supported
        ]
        cited = {each.page.order: each.page.source for each in self._grounding.citations}
        sources = [cited[order] for order in sorted(cited)]
        passages = [_in_its_place(each) for each in self._grounding.citations]
        return ConfidenceFactors(
            num_corroborating_sources=sum(supported) // len(supported) if supported else 0,
            source_authority=typical_authority(sources),
            contradiction_detected=bool(self.clashes) or contradiction_reported,
            query_specificity_match=min(1.0, coverage(self._question, passages)),
            budget_exhausted=exhausted,
            recency=recency(sources),
        )

    def confidence(self, factors: ConfidenceFactors) -> float:
        """Confidence in the answer."""
        share = self.share_supported()
        if not share:
            return UNANSWERED
        value = confidence(factors, share) * (0.4 + 0.6 * share)
        return round(max(UNANSWERED, value), 2)

    @cached_property
    def _origin(self) -> dict[int, int]:
        """For each page the first one that it is a copy of."""
        firsts = groups([page.text for page in self._pages])
        return {page.order: firsts[place] for place, page in enumerate(self._pages)}

    def _cited(self, sentence: Grounded) -> set[int]:
        return {self._origin[each.page.order] for each in sentence.citations}

    def _witnesses(self, sentence: Grounded) -> set[int]:
        if not sentence.supported:
            return set()
        found = {
            self._origin[each.page.order]
            for each in sentence.citations
            if support(sentence.text, each.excerpt.shown) >= SUPPORTED
        } or self._cited(sentence)
        for page in self._pages:
            if self._origin[page.order] not in found:
                excerpt = page.passages.nearest(sentence.text)
                if excerpt and support(sentence.text, excerpt.shown) >= SUPPORTED:
                    found.add(self._origin[page.order])
        return found


def _figures(cited: Cited, terms: Terms) -> list[Figure]:
    shown = cited.excerpt.shown
    return figures(shown, terms.tokens(shown), frozenset(), terms)


def _in_its_place(cited: Cited) -> str:
    """A citation with its page's title and what stands around it: these say what it is about."""
    start, end = max(0, cited.excerpt.start - _AROUND), cited.excerpt.end + _AROUND
    return f"{cited.page.page.title}\n{cited.page.text[start:end]}"


def marks(citations: Sequence[Cited]) -> str:
    """How a sentence refers to its citations."""
    return "".join(f"[{each.number}]" for each in citations) or "[inference]"
