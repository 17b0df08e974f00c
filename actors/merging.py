"""Puts the findings of several researchers together, claim by claim. Pure.

The first one's answer leads. What others found is added sentence by sentence; a sentence that says what is said
already only adds its citations to it. The same passage is one citation whoever cites it. Where excerpts of different
researchers give different figures for the same thing, that is a gap; where a later one found what an earlier one
missed, a gap is closed. How sure one may be is weighed anew from all the evidence there is then.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from actors.excerpts import Excerpt
from actors.findings import (
    Citation,
    ConfidenceFactors,
    DiscoveryEvent,
    Findings,
    Gap,
    OpenQuestion,
    Recency,
    Statement,
)
from actors.grounding import Cited, Grounded, Grounding
from actors.outside import Page
from actors.quoting import squeezed
from actors.rivals import Rival, clashes
from actors.support import SUPPORTED, coverage, support
from actors.webpage import WebPage
from actors.weighing import Weighing
from actors.wording import display, short
from events.base import Blob

SAME = 0.8
"""Two sentences that each say this much of the other say the same."""

MOST_ADDED = 12
"""Sentences that one further researcher adds."""

ANSWERED = 0.75
"""A gap of which later evidence speaks this much is closed."""

EARLIER = "earlier"
"""What the kind of a contribution is called that an earlier task made."""

_CLOSABLE = frozenset({"source_not_found", "scope_exceeded"})
_MARK = re.compile(r"\[(\d{1,4})\]")
_AGES: tuple[Recency, ...] = ("dated", "recent", "current")

Text = Callable[[str], str]
"""The stored text of a hash."""


@dataclass(frozen=True)
class Contribution:
    """What one researcher brings in."""

    kind: str
    """Of the researcher; `EARLIER` for a task that is continued."""

    question: str
    findings: Findings


@dataclass
class _Claim:
    text: str
    about: str
    kind: str
    citations: list[int]
    disputes: set[int] = field(default_factory=set)


def merge(question: str, contributions: Sequence[Contribution], text: Text) -> Findings:
    """All contributions as one; the first one leads."""
    merger = _Merger(question, contributions[0], text)
    for each in contributions[1:]:
        merger.add(each)
    return merger.findings()


class _Merger:
    def __init__(self, question: str, lead: Contribution, text: Text) -> None:
        self._question, self._lead, self._text = question, lead, text
        self._all = [lead]
        self._citations: list[Citation] = []
        self._brought_by: list[int] = []
        """For each citation, whose it is."""

        self._claims: list[_Claim] = []
        self._gaps: list[Gap] = []
        self._discoveries: list[DiscoveryEvent] = []
        self._questions: list[OpenQuestion] = []
        self._changed = False
        for each in lead.findings.citations:
            self._number(each, 0)
        self._claims = [self._claim(lead, each) for each in lead.findings.sentences]
        self._take_loose_ends(lead)

    # -- taking in -------------------------------------------------------------------------------

    def add(self, other: Contribution) -> None:
        """Take another researcher's findings in."""
        self._all.append(other)
        said, added = len(self._claims), 0
        before = len(self._citations)
        for each in other.findings.sentences:
            if not each.citations:
                continue  # What follows from nothing that was read adds nothing.
            twin = next(
                (one for one in self._claims[:said] if says_the_same(one.text, each.text)), None
            )
            if twin is None and added == MOST_ADDED:
                continue
            claim = self._claim(other, each)
            if twin is None:
                self._claims.append(claim)
                added += 1
            else:
                new = [number for number in claim.citations if number not in twin.citations]
                twin.citations += new
                twin.disputes = (twin.disputes | claim.disputes) - set(twin.citations)
                self._changed |= bool(new)
        self._changed |= added > 0
        self._take_loose_ends(other)
        self._oppose(before)
        self._close_gaps(other)

    def _claim(self, whose: Contribution, statement: Statement) -> _Claim:
        return _Claim(
            statement.text,
            statement.about if self._divides(whose) else whose.question,
            whose.kind,
            [self._of(whose, number) for number in statement.citations],
            {self._of(whose, number) for number in statement.disputes},
        )

    def _divides(self, whose: Contribution) -> bool:
        """Whether somebody's own parts are parts of the whole: the lead's, and those of who goes on from it."""
        return whose is self._lead or self._lead.kind == EARLIER

    def _parts(self, whose: Contribution) -> tuple[str, ...]:
        return whose.findings.parts if self._divides(whose) else (whose.question,)

    def _of(self, whose: Contribution, number: int) -> int:
        """What a citation of the lead, or of whoever came last, is called here."""
        cited = next(each for each in whose.findings.citations if each.number == number)
        return self._number(cited, len(self._all) - 1)

    def _number(self, citation: Citation, whose: int) -> int:
        """The number of a citation's place, new or given before."""
        for known in self._citations:
            place = known.text_hash, known.start, known.end
            if place == (citation.text_hash, citation.start, citation.end):
                return known.number
        number = len(self._citations) + 1
        self._citations.append(citation.model_copy(update={"number": number}))
        self._brought_by.append(whose)
        return number

    def _take_loose_ends(self, whose: Contribution) -> None:
        found = whose.findings
        for gap in found.gaps:
            if not any((gap.topic, gap.category) == (g.topic, g.category) for g in self._gaps):
                detail = self._renumbered(whose, gap.detail)
                self._gaps.append(gap.model_copy(update={"detail": detail}))
                # A contradiction that a further researcher reports counts, whatever else it adds.
                further = whose is not self._lead
                self._changed |= further and gap.category == "contradictory_sources"
        for event in found.discovery_events:
            if not any((event.type, event.query) == (d.type, d.query) for d in self._discoveries):
                reason = self._renumbered(whose, event.reason)
                self._discoveries.append(event.model_copy(update={"reason": reason}))
        for asked in found.open_questions:
            if not any(asked.question == q.question for q in self._questions):
                context = self._renumbered(whose, asked.context)
                self._questions.append(asked.model_copy(update={"context": context}))

    def _renumbered(self, whose: Contribution, text: str) -> str:
        """A remark with the numbers that its citations have here."""
        known = {each.number for each in whose.findings.citations}

        def renumber(mark: re.Match[str]) -> str:
            number = int(mark[1])
            return f"[{self._of(whose, number)}]" if number in known else mark[0]

        return _MARK.sub(renumber, text)

    # -- disagreement, and what is no gap any more -----------------------------------------------

    def _oppose(self, before: int) -> None:
        """Look for figures in what came last that earlier excerpts contradict."""
        rivals = [
            Rival(
                each.number,
                whose,
                each.text_hash,
                self._text(each.text_hash),
                each.raw_excerpt,
                each.title or "",
            )
            for each, whose in zip(self._citations, self._brought_by, strict=True)
        ]
        for clash in clashes(rivals[:before], rivals[before:]):
            self._changed = True
            one, other = (self._citations[number - 1] for number in (clash.one, clash.other))
            gap = Gap(
                topic=short(f"{clash.topic}: {clash.figures[0]} or {clash.figures[1]}", 200),
                category="contradictory_sources",
                detail=short(
                    f"[{one.number}] {one.locator} says {clash.figures[0]}, "
                    f"[{other.number}] {other.locator} says {clash.figures[1]}.",
                    400,
                ),
            )
            if not any(known.topic == gap.topic for known in self._gaps):
                self._gaps.append(gap)
            for claim in self._claims:
                claim.disputes |= clash.against(claim.citations)

    def _close_gaps(self, other: Contribution) -> None:
        """Take back what was missing before and is found now."""
        told = [each.raw_excerpt for each in other.findings.citations]
        told += [each.text for each in other.findings.sentences if each.citations]
        theirs = {(gap.topic, gap.category) for gap in other.findings.gaps}
        self._gaps = [
            gap
            for gap in self._gaps
            if gap.category not in _CLOSABLE
            or (gap.topic, gap.category) in theirs
            or not self._answered(gap, told)
        ]

    def _answered(self, gap: Gap, told: list[str]) -> bool:
        claim = next((each for each in self._claims if short(each.text, 200) == gap.topic), None)
        if claim:  # The gap is a sentence that nothing supported.
            return bool(claim.citations) and self._support(claim) >= SUPPORTED
        return bool(told) and coverage(gap.topic, told) >= ANSWERED

    def _support(self, claim: _Claim) -> float:
        said = "\n\n".join(self._citations[number - 1].raw_excerpt for number in claim.citations)
        return support(claim.text, said) if claim.citations else 0.0

    # -- the whole -------------------------------------------------------------------------------

    def findings(self) -> Findings:
        """What they found together."""
        lead, found = self._lead.findings, [each.findings for each in self._all]
        exhausted = self._exhausted()
        factors, confidence = self._weighed(exhausted)
        abouts = [claim.about for claim in self._claims]
        further = [part for part in self._further() if part in abouts]
        return lead.model_copy(
            update={
                "question": self._question,
                "answer": self._answer(),
                "citations": tuple(self._citations),
                "gaps": tuple(self._gaps),
                "discovery_events": tuple(self._discoveries),
                "open_questions": tuple(self._questions),
                "confidence": confidence,
                "confidence_factors": factors,
                "iterations_run": sum(each.iterations_run for each in found),
                "tokens_used": sum(each.tokens_used for each in found),
                "budget_exhausted": exhausted,
                "model_id": " + ".join(dict.fromkeys(each.model_id for each in found)),
                "parts": tuple(dict.fromkeys((*lead.parts, *further))),
                "sentences": tuple(
                    Statement(
                        text=each.text,
                        citations=tuple(each.citations),
                        about=each.about,
                        disputes=tuple(sorted(each.disputes)),
                    )
                    for each in self._claims
                ),
            }
        )

    def _exhausted(self) -> bool:
        """Whether a budget ended the work."""
        # A search on the side that was cut short and added nothing takes nothing away either.
        counted = self._all if self._changed else [self._lead]
        if self._lead.kind == EARLIER:  # The work is to go on from it, whatever that adds.
            counted = self._all[1:]
        return any(each.findings.budget_exhausted for each in counted)

    def _further(self) -> list[str]:
        """What was asked besides the lead's own question, in order."""
        asked = (part for each in self._all[1:] for part in self._parts(each))
        return list(dict.fromkeys(asked))

    def _answer(self) -> str:
        """The leading answer, then what others add under the questions that they were asked."""
        if not self._changed:
            return self._lead.findings.answer
        blocks: list[str] = []
        further = self._further()
        if (
            self._lead.kind == EARLIER
        ):  # What was asked before and is asked again stays where it was.
            further = [part for part in further if part not in self._lead.findings.parts]
        if self._lead.findings.grounding is not None or not self._claims:
            blocks.append(self._lead.findings.answer)
            parts = []
        else:
            parts = [part for part in self._lead.findings.parts if part not in further]
        for part in (*parts, *further):
            said = [claim for claim in self._claims if claim.about == part]
            if not said:
                continue
            if part in further or len(parts) > 1:
                blocks.append(f"**{display(part)}**")
            quotes = all(map(self._quoted, said))
            lines = [("- " if quotes else "") + self._line(claim) for claim in said]
            blocks.append(("\n" if quotes else " ").join(lines))
        return "\n\n".join(blocks)

    def _line(self, claim: _Claim) -> str:
        marks = "".join(f"[{number}]" for number in claim.citations) or "[inference]"
        against = ", ".join(f"[{number}]" for number in sorted(claim.disputes))
        words = f"“{claim.text}”" if self._quoted(claim) else claim.text
        return f"{words} {marks}" + (f" (but see {against})" if against else "")

    def _quoted(self, claim: _Claim) -> bool:
        """Whether a sentence is a source's own: its words stand in what it cites."""
        if claim.kind not in {"corpus", EARLIER} or claim.text.startswith("“"):
            return False
        excerpts = (self._citations[number - 1].raw_excerpt for number in claim.citations)
        return any(squeezed(claim.text) in squeezed(each) for each in excerpts)

    # -- how sure --------------------------------------------------------------------------------

    def _weighed(self, exhausted: bool) -> tuple[ConfidenceFactors, float]:
        lead = self._lead.findings
        if (
            not self._changed
        ):  # Nothing to weigh anew: another formula would only give another figure.
            now = {"budget_exhausted": exhausted}
            return lead.confidence_factors.model_copy(update=now), lead.confidence
        pages = self._pages()
        cited = {
            each.number: Cited(
                each.number,
                pages[each.text_hash],
                Excerpt(each.start, each.end, "exact", each.raw_excerpt),
            )
            for each in self._citations
        }
        grounding = Grounding(
            sentences=[
                Grounded(each.text, tuple(cited[n] for n in each.citations), self._support(each))
                for each in self._claims
            ],
            citations=list(cited.values()),
        )
        weighing = Weighing(self._question, grounding, pages)
        reported = any(gap.category == "contradictory_sources" for gap in self._gaps)
        factors = weighing.factors(exhausted=exhausted, contradiction_reported=reported)
        factors = factors.model_copy(update={"recency": self._recency()})
        return factors, weighing.confidence(factors)

    def _pages(self) -> dict[str, WebPage]:
        """The sources that are cited, as the weighing sees them."""
        pages: dict[str, WebPage] = {}
        for each in self._citations:
            if each.text_hash not in pages:
                order = len(pages) + 1
                page = Page(
                    url=each.locator,
                    final_url=each.locator,
                    title=each.title or "",
                    media_type="text/plain",
                    original=Blob(hash=each.content_hash, size=0, stored=each.content_hash),
                    text=Blob(hash=each.text_hash, size=0, stored=each.text_hash),
                    fetched_at="",
                )
                pages[each.text_hash] = WebPage(
                    f"p{order}", page, self._text(each.text_hash), order
                )
        return pages

    def _recency(self) -> Recency | None:
        """As fresh as the oldest evidence; who read a source has judged its age."""
        ages = [
            each.findings.confidence_factors.recency
            for each in self._all
            if each.findings.citations
        ]
        return next((age for age in _AGES if age in ages), None)


def says_the_same(one: str, other: str) -> bool:
    """Whether two sentences make the same claim."""
    if squeezed(one) == squeezed(other):
        return bool(squeezed(one))
    return support(one, other) >= SAME and support(other, one) >= SAME
