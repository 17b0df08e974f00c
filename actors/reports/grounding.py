"""Holds an answer that somebody wrote against the pages it is said to rest on. Pure.

Every citation that leaves here stands verbatim in a page that was read, at a known place. Every
sentence is linked to such citations, or is an inference and says so. What was claimed and found,
repaired or dropped is said, claim by claim. Held strictly, a sentence is left out that its passages do
not say, and one without any that its author did not call an inference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from actors.reports.excerpts import Excerpt
from actors.reports.support import BEARS, SUPPORTED, Likeness, combined, support
from actors.webpages.webpage import WebPage
from events.research import CitationChecked, SentenceChecked

_CLAIM_SHOWN = 300
_LOOKED_FOR = 30
"""Sentences without evidence for which all pages are searched."""


class Claimed(Protocol):
    """Words that somebody says stand in a page."""

    @property
    def page(self) -> str:
        """The page's name."""

    @property
    def excerpt(self) -> str:
        """The words."""


class Written(Protocol):
    """A sentence, with what it is said to rest on."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def claims(self) -> Sequence[Claimed]:
        """What it is said to rest on."""

    @property
    def inference(self) -> bool:
        """Whether its author calls it an inference."""


@dataclass(frozen=True)
class Cited:
    """A passage that is quoted, by its number."""

    number: int
    page: WebPage
    excerpt: Excerpt


@dataclass(frozen=True)
class Grounded:
    """A sentence of the answer, with what it turned out to rest on."""

    text: str
    citations: tuple[Cited, ...]
    support: float
    """Of its words and, where known, its meaning."""

    @property
    def inference(self) -> bool:
        """Whether it rests on no page."""
        return not self.citations

    @property
    def supported(self) -> bool:
        """Whether its citations say what it says."""
        return bool(self.citations) and self.support >= SUPPORTED


@dataclass(frozen=True)
class LeftOut:
    """A sentence that does not hold, with the passages that it was held against."""

    text: str
    support: float
    passages: tuple[tuple[WebPage, Excerpt], ...]


@dataclass
class Grounding:
    """All sentences of an answer after the check."""

    sentences: list[Grounded] = field(default_factory=list)
    citations: list[Cited] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    checks: list[CitationChecked | SentenceChecked] = field(default_factory=list)
    """What was found out, in order, as facts."""


def ground(
    written: Sequence[Written],
    pages: Mapping[str, WebPage],
    likeness: Likeness,
    *,
    strictly: bool = False,
) -> Grounding:
    """Check each sentence and each of its claims; held strictly, those that do not hold are left out."""
    checker = _Checker(pages, likeness, strictly=strictly)
    for each in written:
        checker.check(each)
    return checker.outcome


@dataclass(frozen=True)
class _Looked:
    """What looking for a claim brought: a passage of a page, or nothing."""

    locator: str
    claimed: str
    reason: str
    found: tuple[WebPage, Excerpt] | None = None


class _Checker:
    def __init__(self, pages: Mapping[str, WebPage], likeness: Likeness, *, strictly: bool) -> None:
        self._pages, self._likeness, self._strictly = pages, likeness, strictly
        self._searched_for = 0
        self.outcome = Grounding()

    def check(self, written: Written) -> None:
        sentence = written.text
        looked = [self._claim(sentence, claim) for claim in written.claims]
        if not any(each.found for each in looked) and (searched := self._search(sentence)):
            looked.append(searched)
        passages = self._in_order(looked)
        shown = [excerpt.shown for _, excerpt in passages]
        lexical = support(sentence, "\n\n".join(shown)) if passages else 0.0
        similarity = self._similarity(sentence, shown)
        value = combined(lexical, similarity)
        holds = value >= SUPPORTED if passages else written.inference
        if self._strictly and not holds:
            self.outcome.left_out.append(LeftOut(sentence, value, tuple(passages)))
            cited: list[Cited | None] = [None] * len(looked)
        else:
            cited = [each.found and self._cited(*each.found) for each in looked]
        for each, one in zip(looked, cited, strict=True):
            self._say(each, one)
        kept = {one.number: one for one in cited if one}
        citations = tuple(kept[number] for number in sorted(kept))
        grounded = Grounded(sentence, citations, value)
        if holds or not self._strictly:
            self.outcome.sentences.append(grounded)
        self.outcome.checks.append(
            SentenceChecked(
                sentence=sentence,
                outcome=self._outcome(grounded, holds=holds),
                match=_worst(citations),
                citations=tuple(kept),
                support=lexical,
                similarity=similarity,
            )
        )

    def _outcome(
        self, grounded: Grounded, *, holds: bool
    ) -> Literal["supported", "not_found", "inference"]:
        if self._strictly and not holds:
            return "not_found"
        if grounded.inference:
            return "inference"
        return "supported" if grounded.supported else "not_found"

    def _claim(self, sentence: str, claim: Claimed) -> _Looked:
        page = self._pages.get(claim.page.strip())
        if page is None:
            return _Looked(claim.page, claim.excerpt, "No page of this name was read.")
        excerpt = page.passages.excerpt(claim.excerpt)
        reason = "It stands in the page."
        if excerpt is None or (
            excerpt.match != "non_text" and support(sentence, excerpt.shown) < BEARS
        ):
            better = page.passages.nearest(sentence)
            if better is None:
                why = (
                    "It is not in the page"
                    if excerpt is None
                    else "It does not bear on the sentence"
                )
                reason = f"{why}, and nothing else there does."
                return _Looked(page.locator, claim.excerpt, reason)
            excerpt = better
        if excerpt.match == "repaired":
            reason = "It is not in the page in these words; the page's own take its place."
        elif excerpt.match == "non_text":
            reason = "The page has no text that could be quoted."
        return _Looked(page.locator, claim.excerpt, reason, (page, excerpt))

    def _search(self, sentence: str) -> _Looked | None:
        """The page that says what a sentence without evidence says, if one does."""
        self._searched_for += 1
        if self._searched_for > _LOOKED_FOR:
            return None
        best: tuple[float, WebPage, Excerpt] | None = None
        for page in self._pages.values():
            excerpt = page.passages.nearest(sentence)
            if excerpt and (value := support(sentence, excerpt.shown)) >= SUPPORTED:
                best = max(best or (0.0, page, excerpt), (value, page, excerpt), key=lambda b: b[0])
        if best is None:
            return None
        reason = "No evidence was given; this page says it."
        return _Looked(best[1].locator, "", reason, (best[1], best[2]))

    def _in_order(self, looked: Sequence[_Looked]) -> list[tuple[WebPage, Excerpt]]:
        """The passages that were found, each once, in the order of the numbers that they have or would get."""
        places: dict[tuple[int, int, int], tuple[int, tuple[WebPage, Excerpt]]] = {}
        for each in looked:
            if each.found and (place := _place(*each.found)) not in places:
                known = self._known(place)
                number = known.number if known else len(self.outcome.citations) + len(places) + 1
                found = (known.page, known.excerpt) if known else each.found
                places[place] = number, found
        return [found for _, found in sorted(places.values(), key=lambda each: each[0])]

    def _cited(self, page: WebPage, excerpt: Excerpt) -> Cited:
        """The citation of a passage; the same passage is cited once."""
        cited = self._known(_place(page, excerpt))
        if cited is None:
            cited = Cited(len(self.outcome.citations) + 1, page, excerpt)
            self.outcome.citations.append(cited)
        return cited

    def _known(self, place: tuple[int, int, int]) -> Cited | None:
        return next((c for c in self.outcome.citations if _place(c.page, c.excerpt) == place), None)

    def _say(self, looked: _Looked, cited: Cited | None) -> None:
        self.outcome.checks.append(
            CitationChecked(
                locator=looked.locator[:_CLAIM_SHOWN],
                claimed=looked.claimed[:_CLAIM_SHOWN],
                outcome=looked.found[1].match if looked.found else "dropped",
                citation=cited.number if cited else None,
                reason=looked.reason,
            )
        )

    def _similarity(self, sentence: str, shown: list[str]) -> float | None:
        if not shown:
            return None
        told = self._likeness(sentence, shown)
        known = [each for each in told if each is not None]
        return round(max(known), 3) if known else None


def _place(page: WebPage, excerpt: Excerpt) -> tuple[int, int, int]:
    return page.order, excerpt.start, excerpt.end


def _worst(citations: Sequence[Cited]) -> Literal["exact", "normalised", "repaired", "none"]:
    matches = {each.excerpt.match for each in citations}
    if "repaired" in matches:
        return "repaired"
    if "normalised" in matches:
        return "normalised"
    return "exact" if "exact" in matches else "none"
