"""Puts the findings of several researchers together, claim by claim. Pure.

The first one's answer leads. What others found is added sentence by sentence; a sentence that says what is said
already only adds its citations to it. The same passage is one citation whoever cites it. Where excerpts of different
researchers give different figures for the same thing, that is a gap; where a later one found what an earlier one
missed, a gap is closed. How sure one may be is weighed anew from all the evidence there is then.
"""

import re
from collections.abc import Sequence
from functools import cache

from actors.findings import (
    Citation,
    ConfidenceFactors,
    DiscoveryEvent,
    Findings,
    Gap,
    OpenQuestion,
    Statement,
)
from actors.merging.answer import MergedAnswer
from actors.merging.contributions import EARLIER, Claim, Contribution, Text
from actors.merging.meaning import OPEN, WORDS_ALONE, Meaning
from actors.merging.same_claims import KnownClaims
from actors.merging.weighing import oldest, support_of, weighed
from actors.reports.disagreement import Disagreement
from actors.reports.rivals import Rival, clashes
from actors.reports.support import SUPPORTED, Spoken
from actors.reports.wording import short

MOST_ADDED = 12
"""Sentences that one further researcher adds."""

ANSWERED = 0.75
"""A gap of which later evidence speaks this much is closed."""

_CLOSABLE = frozenset({"source_not_found", "scope_exceeded"})
_MARK = re.compile(r"\[(\d{1,4})\]")


def merge(
    question: str,
    contributions: Sequence[Contribution],
    text: Text,
    meaning: Meaning = WORDS_ALONE,
) -> Findings:
    """All contributions as one; the first one leads. `meaning` settles what words leave open."""
    merger = _Merger(question, contributions[0], text, meaning)
    for each in contributions[1:]:
        merger.add(each)
    return merger.findings()


class _Merger:
    def __init__(self, question: str, lead: Contribution, text: Text, meaning: Meaning) -> None:
        self._question, self._lead, self._text = question, lead, cache(text)
        self._meaning = meaning
        self._all: list[Contribution] = []
        self._citations: list[Citation] = []
        self._brought_by: list[int] = []
        """For each citation, whose it is."""

        self._numbers: dict[tuple[str, int, int], int] = {}
        """By text and place: the number of its citation."""

        self._own: dict[int, Citation] = {}
        """Citations of whoever is taken in now, by the numbers that they have there."""

        self._gaps: list[Gap] = []
        self._discoveries: list[DiscoveryEvent] = []
        self._questions: list[OpenQuestion] = []
        self._changed = False
        self._open(lead)
        for each in lead.findings.citations:
            self._number(each)
        self._claims = [self._claim(lead, each) for each in lead.findings.sentences]
        self._take_loose_ends(lead)

    # -- taking in -------------------------------------------------------------------------------

    def add(self, other: Contribution) -> None:
        """Take another researcher's findings in."""
        self._open(other)
        added, before = 0, len(self._citations)
        known = _Known([each.text for each in self._claims], self._meaning)
        for each in other.findings.sentences:
            if not each.citations:
                continue  # What follows from nothing that was read adds nothing.
            place = known.same(each.text)
            if place is None and added == MOST_ADDED:
                continue
            claim = self._claim(other, each)
            if place is None:
                self._claims.append(claim)
                added += 1
            else:
                twin = self._claims[place]
                new = [number for number in claim.citations if number not in twin.citations]
                twin.citations += new
                twin.disputes = (twin.disputes | claim.disputes) - set(twin.citations)
                self._changed |= bool(new)
        self._changed |= added > 0
        self._take_loose_ends(other)
        self._oppose(before)
        self._close_gaps(other)

    def _open(self, whose: Contribution) -> None:
        """Begin to take somebody's findings in."""
        self._all.append(whose)
        self._own = {}
        for each in whose.findings.citations:
            self._own.setdefault(each.number, each)

    def _claim(self, whose: Contribution, statement: Statement) -> Claim:
        return Claim(
            statement.text,
            statement.about if self._divides(whose) else whose.question,
            whose.kind,
            [self._number(self._own[number]) for number in statement.citations],
            {self._number(self._own[number]) for number in statement.disputes},
        )

    def _divides(self, whose: Contribution) -> bool:
        """Whether somebody's own parts are parts of the whole: the lead's, and those of who goes on from it."""
        return whose is self._lead or self._lead.kind == EARLIER

    def _parts(self, whose: Contribution) -> tuple[str, ...]:
        return whose.findings.parts if self._divides(whose) else (whose.question,)

    def _number(self, citation: Citation) -> int:
        """The number of a citation's place, new or given before."""
        place = citation.text_hash, citation.start, citation.end
        if place not in self._numbers:
            number = self._numbers[place] = len(self._citations) + 1
            self._citations.append(citation.model_copy(update={"number": number}))
            self._brought_by.append(len(self._all) - 1)
        return self._numbers[place]

    def _take_loose_ends(self, whose: Contribution) -> None:
        found = whose.findings
        for gap in found.gaps:
            if not any((gap.topic, gap.category) == (g.topic, g.category) for g in self._gaps):
                detail = self._renumbered(gap.detail)
                self._gaps.append(gap.model_copy(update={"detail": detail}))
                # A contradiction that a further researcher reports counts, whatever else it adds.
                further = whose is not self._lead
                self._changed |= further and gap.category == "contradictory_sources"
        for event in found.discovery_events:
            if not any((event.type, event.query) == (d.type, d.query) for d in self._discoveries):
                reason = self._renumbered(event.reason)
                self._discoveries.append(event.model_copy(update={"reason": reason}))
        for asked in found.open_questions:
            if not any(asked.question == q.question for q in self._questions):
                context = self._renumbered(asked.context)
                self._questions.append(asked.model_copy(update={"context": context}))

    def _renumbered(self, text: str) -> str:
        """A remark of whoever is taken in now, with the numbers that its citations have here."""

        def renumber(mark: re.Match[str]) -> str:
            cited = self._own.get(int(mark[1]))
            return f"[{self._number(cited)}]" if cited else mark[0]

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
        alike = self._meaning.of if self._meaning.pairs else None
        for clash in clashes(rivals[:before], rivals[before:], alike):
            self._changed = True
            one, other = (self._citations[number - 1] for number in (clash.one, clash.other))
            numbers, locators = (one.number, other.number), (one.locator, other.locator)
            gap = Disagreement(numbers, locators, clash.figures, clash.topic).gap()
            if not any(known.topic == gap.topic for known in self._gaps):
                self._gaps.append(gap)
            for claim in self._claims:
                claim.disputes |= clash.against(claim.citations)

    def _close_gaps(self, other: Contribution) -> None:
        """Take back what was missing before and is found now."""
        told = [each.raw_excerpt for each in other.findings.citations]
        told += [each.text for each in other.findings.sentences if each.citations]
        theirs = {(gap.topic, gap.category) for gap in other.findings.gaps}
        spoken = Spoken(told)
        claims: dict[str, Claim] = {}
        for claim in self._claims:
            claims.setdefault(short(claim.text, 200), claim)
        self._gaps = [
            gap
            for gap in self._gaps
            if gap.category not in _CLOSABLE
            or (gap.topic, gap.category) in theirs
            or not self._answered(gap, claims.get(gap.topic), spoken)
        ]

    def _answered(self, gap: Gap, claim: Claim | None, spoken: Spoken) -> bool:
        """Whether what came last answers a gap; some are a claim that nothing supported."""
        if claim:
            support = support_of(claim, self._citations, self._meaning)
            return bool(claim.citations) and support >= SUPPORTED
        return spoken.share_of(gap.topic) >= ANSWERED

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
                "quoted": all(each.quoted for each in found),
                "shown_plainly": any(each.shown_plainly for each in found),
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
        lead, further = self._lead, self._further()
        if not self._changed:
            return lead.findings.answer
        if lead.kind == EARLIER:  # What was asked before and is asked again stays where it was.
            further = [part for part in further if part not in lead.findings.parts]
        return MergedAnswer(lead.findings, self._claims, self._citations).text(further)

    def _weighed(self, exhausted: bool) -> tuple[ConfidenceFactors, float]:
        lead = self._lead.findings
        if not self._changed:  # Another formula would only give another figure.
            now = {"budget_exhausted": exhausted}
            return lead.confidence_factors.model_copy(update=now), lead.confidence
        return weighed(
            self._question,
            self._claims,
            self._citations,
            self._text,
            self._meaning,
            exhausted=exhausted,
            contradicted=any(gap.category == "contradictory_sources" for gap in self._gaps),
            recency=oldest(self._all),
        )


class _Known:
    """The claims so far, among which the same one is looked for: by words, and by meaning where that was compared."""

    def __init__(self, texts: list[str], meaning: Meaning) -> None:
        self._meaning = meaning
        self._claims = KnownClaims(texts, OPEN) if meaning.pairs else KnownClaims(texts)

    def same(self, text: str) -> int | None:
        """The place of a claim that says the same, if one does."""
        if not self._meaning.pairs:
            return self._claims.first_same(text)
        near = self._claims.near(text)
        return next((each.place for each in near if self._meaning.same_claim(text, each)), None)
