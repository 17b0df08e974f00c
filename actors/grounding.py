"""Holds an answer that somebody wrote against the pages it is said to rest on. Pure.

Every citation that leaves here stands verbatim in a page that was read, at a known place. Every
sentence is linked to such citations, or is an inference and says so. What was claimed and found,
repaired or dropped is said, claim by claim.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from actors.excerpts import Excerpt
from actors.support import BEARS, SUPPORTED, Likeness, combined, support
from actors.webpage import WebPage
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


@dataclass
class Grounding:
    """All sentences of an answer after the check."""

    sentences: list[Grounded] = field(default_factory=list)
    citations: list[Cited] = field(default_factory=list)
    checks: list[CitationChecked | SentenceChecked] = field(default_factory=list)
    """What was found out, in order, as facts."""


def ground(
    written: Sequence[Written], pages: Mapping[str, WebPage], likeness: Likeness
) -> Grounding:
    """Check each sentence and each of its claims."""
    checker = _Checker(pages, likeness)
    for each in written:
        checker.check(each)
    return checker.outcome


class _Checker:
    def __init__(self, pages: Mapping[str, WebPage], likeness: Likeness) -> None:
        self._pages, self._likeness = pages, likeness
        self._searched_for = 0
        self.outcome = Grounding()

    def check(self, written: Written) -> None:
        sentence = written.text
        kept: dict[int, Cited] = {}
        for claim in written.claims:
            if cited := self._claim(sentence, claim):
                kept[cited.number] = cited
        if not kept and (cited := self._search(sentence)):
            kept[cited.number] = cited
        citations = tuple(kept[number] for number in sorted(kept))
        passage = "\n\n".join(each.excerpt.shown for each in citations)
        lexical = support(sentence, passage) if citations else 0.0
        similarity = self._similarity(sentence, citations)
        grounded = Grounded(sentence, citations, combined(lexical, similarity))
        self.outcome.sentences.append(grounded)
        self.outcome.checks.append(
            SentenceChecked(
                sentence=sentence,
                outcome="inference"
                if grounded.inference
                else "supported"
                if grounded.supported
                else "not_found",
                match=_worst(citations),
                citations=tuple(kept),
                support=lexical,
                similarity=similarity,
            )
        )

    def _claim(self, sentence: str, claim: Claimed) -> Cited | None:
        page = self._pages.get(claim.page.strip())
        if page is None:
            self._dropped(claim, claim.page, "No page of this name was read.")
            return None
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
                self._dropped(claim, page.locator, f"{why}, and nothing else there does.")
                return None
            excerpt = better
        if excerpt.match == "repaired":
            reason = "It is not in the page in these words; the page's own take its place."
        elif excerpt.match == "non_text":
            reason = "The page has no text that could be quoted."
        return self._cited(page, excerpt, claim.excerpt, reason)

    def _search(self, sentence: str) -> Cited | None:
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
        return self._cited(best[1], best[2], "", reason)

    def _cited(self, page: WebPage, excerpt: Excerpt, claimed: str, reason: str) -> Cited:
        """The citation of a passage; the same passage is cited once."""
        place = page.order, excerpt.start, excerpt.end
        cited = next(
            (
                c
                for c in self.outcome.citations
                if (c.page.order, c.excerpt.start, c.excerpt.end) == place
            ),
            None,
        )
        if cited is None:
            cited = Cited(len(self.outcome.citations) + 1, page, excerpt)
            self.outcome.citations.append(cited)
        self._say(page.locator, claimed, excerpt.match, cited.number, reason)
        return cited

    def _dropped(self, claim: Claimed, locator: str, reason: str) -> None:
        self._say(locator, claim.excerpt, "dropped", None, reason)

    def _say(
        self,
        locator: str,
        claimed: str,
        outcome: Literal["exact", "normalised", "repaired", "non_text", "dropped"],
        number: int | None,
        reason: str,
    ) -> None:
        self.outcome.checks.append(
            CitationChecked(
                locator=locator[:_CLAIM_SHOWN],
                claimed=claimed[:_CLAIM_SHOWN],
                outcome=outcome,
                citation=number,
                reason=reason,
            )
        )

    def _similarity(self, sentence: str, citations: Sequence[Cited]) -> float | None:
        if not citations:
            return None
        told = self._likeness(sentence, [each.excerpt.shown for each in citations])
        known = [each for each in told if each is not None]
        return round(max(known), 3) if known else None


def _worst(citations: Sequence[Cited]) -> Literal["exact", "normalised", "repaired", "none"]:
    matches = {each.excerpt.match for each in citations}
    if "repaired" in matches:
        return "repaired"
    if "normalised" in matches:
        return "normalised"
    return "exact" if "exact" in matches else "none"
