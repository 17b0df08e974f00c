"""How sure one may be of an answer, from what its evidence turned out to be. Pure.

    confidence   the formula of `actors.findings`, times 0.4 + 0.6 * the share of sentences that are supported

Nobody's own opinion of the answer enters into it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from actors.answering.figures import Figure, conflict, figures, shared_terms
from actors.answering.terms import Terms
from actors.findings import UNANSWERED, ConfidenceFactors, confidence
from actors.merging.copies import groups
from actors.reports.excerpts import Excerpt
from actors.reports.grounding import Cited, Grounded, Grounding
from actors.reports.rivals import spelled
from actors.reports.support import SUPPORTED, coverage, support
from actors.trust import recency, typical_authority
from actors.webpages.webpage import WebPage
from language.sentences import sentences

_WEIGHED = 30
"""Sentences for which second witnesses are looked for."""

_MOST_CLASHES = 3
_AROUND = 300
"""Characters around an excerpt that say what it is about."""


NAMELESS = frozenset[str]()
"""What is about nothing that has a name."""

_Told = tuple[Cited, str, list[Figure], frozenset[str]]
"""A citation, its words or those of the sentence that rests on it, the figures in them, and what these measure."""


@dataclass(frozen=True)
class Clash:
    """Two citations that give different figures for the same thing."""

    one: Cited
    other: Cited
    figures: tuple[str, str]
    topic: str


class Weighing:
    """The evidence behind an answer."""

    def __init__(
        self,
        question: str,
        grounding: Grounding,
        pages: Mapping[str, WebPage],
        *,
        in_place: bool = False,
        in_words: bool = False,
    ) -> None:
        """`in_place`: whether figures are compared in the light of what stands around them, and those of the answer's
        own sentences beside those of their excerpts. `in_words`: whether what a clash is about is said in its words,
        and not in the stems that are compared."""
        self._question, self._grounding, self._in_place = question, grounding, in_place
        self._in_words = in_words
        self._pages = list(pages.values())

    @cached_property
    def clashes(self) -> list[Clash]:
        """Where sources that are cited contradict each other."""
        terms = Terms()
        found: list[Clash] = []
        pairs: set[tuple[int, int]] = set()
        for (one, words, mine, measured), (other, _, theirs, in_what) in self._compared(terms):
            if measured.isdisjoint(in_what):
                continue
            pair = self._origin[one.page.order], self._origin[other.page.order]
            if pair[0] == pair[1] or pair in pairs:
                continue
            if clash := conflict(mine, theirs, terms):
                pairs.add(pair)
                shared = shared_terms(*clash, terms)
                # Whom a sentence is about may stand before it.
                said = f"{words}\n{_in_its_place(one)}"
                about = spelled(shared, said, terms) if self._in_words else sorted(shared)
                shown = clash[0].shown, clash[1].shown
                found.append(Clash(one, other, shown, " ".join(about)))
                if len(found) == _MOST_CLASHES:
                    break
        return found

    def _compared(self, terms: Terms) -> Iterator[tuple[_Told, _Told]]:
        """What is compared with what: excerpts with one another, then the sentences that rest on them."""
        figured = _figures_in_place if self._in_place else _figures
        told = [
            _told(each, each.excerpt.shown, figured(each, terms))
            for each in self._grounding.citations
        ]
        yield from combinations([each for each in told if each[2]], 2)
        if self._in_place:
            said = [
                _told(
                    each.citations[0],
                    each.text,
                    figures(each.text, terms.tokens(each.text), NAMELESS, terms),
                )
                for each in self._grounding.sentences[:_WEIGHED]
                if each.supported
            ]
            yield from combinations([each for each in said if each[2]], 2)

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
        """The share of sentences whose citations say what they say, of all that were written."""
        said = self._grounding.sentences
        written = len(said) + len(self._grounding.left_out)
        return sum(each.supported for each in said) / written if written else 0.0

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


def _told(cited: Cited, words: str, said: list[Figure]) -> _Told:
    return cited, words, said, frozenset(figure.dimension for figure in said)


def _figures(cited: Cited, terms: Terms) -> list[Figure]:
    shown = cited.excerpt.shown
    return figures(shown, terms.tokens(shown), NAMELESS, terms)


def _figures_in_place(cited: Cited, terms: Terms) -> list[Figure]:
    """The figures of an excerpt, read in its whole sentences; a nameless one speaks of what was named before it."""
    text, shown = cited.page.text, cited.excerpt.shown
    start, end = max(0, cited.excerpt.start - _AROUND), cited.excerpt.end + _AROUND
    near = text[start:end]
    spans = [(each.start + start, each.end + start) for each in sentences(near)]
    own = [each for each in spans if each[0] < cited.excerpt.end and cited.excerpt.start < each[1]]
    if not own:
        return _figures(cited, terms)
    whole = text[own[0][0] : own[-1][1]]
    before = [text[begin:stop] for begin, stop in spans if stop <= own[0][0]]
    setting = _named_before(before, cited.page.page.title, terms)
    return [
        replace(each, about=each.about | each.names)
        for each in figures(whole, terms.tokens(whole), setting, terms)
        if each.shown in " ".join(shown.split())
    ]


def contradicted(sentence: str, page: WebPage, excerpt: Excerpt) -> tuple[str, str] | None:
    """A figure of a sentence and the one that a passage gives for the same thing, if they exclude each other."""
    terms = Terms()
    told = figures(sentence, terms.tokens(sentence), NAMELESS, terms)
    clash = conflict(told, _figures_in_place(Cited(0, page, excerpt), terms), terms)
    return (clash[0].shown, clash[1].shown) if clash else None


def _named_before(before: Sequence[str], title: str, terms: Terms) -> frozenset[str]:
    """Whom or what the nearest sentence names that names anything, or else the title."""
    for said in (*reversed(before), title):
        if names := frozenset(token.term for token in terms.tokens(said) if token.name):
            return names
    return NAMELESS


def _in_its_place(cited: Cited) -> str:
    """A citation with its page's title and what stands around it: these say what it is about."""
    start, end = max(0, cited.excerpt.start - _AROUND), cited.excerpt.end + _AROUND
    return f"{cited.page.page.title}\n{cited.page.text[start:end]}"


def marks(citations: Sequence[Cited]) -> str:
    """How a sentence refers to its citations."""
    return "".join(f"[{each.number}]" for each in citations) or "[inference]"
