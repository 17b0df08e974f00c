"""Puts a provider's report together with what its sources really say, as findings like any others.

Beside what each cited sentence turned out to rest on, it says where the sources contradict one another, and where the
report gives a figure that its own source contradicts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from actors.answering.terms import Terms
from actors.desk import Desk
from actors.earlier import UNREAD
from actors.findings import (
    UNANSWERED,
    Citation,
    CitedSource,
    ConfidenceFactors,
    Findings,
    Gap,
    Grounding,
    Statement,
    confidence,
)
from actors.merging.copies import groups
from actors.reports.checked_report import CheckedReport, CheckedSentence, Compare, Quoted
from actors.reports.cited_sources import LEFT_UNREAD, Sources
from actors.reports.grounded_report import displayable, harmless
from actors.reports.interaction import Draft, Interaction, steps_of, usage_of
from actors.reports.report_checking import Check, terms_of, uncited_sentences
from actors.reports.report_contradictions import Contradictions
from actors.reports.report_marks import without_list
from actors.reports.report_rules import ReportRules
from actors.reports.wording import display, short
from actors.trust import recency, trust, typical_authority
from events.errors import CallCut
from events.research import (
    DiscoveryMade,
    GapCategory,
    GapFound,
    PassageQuoted,
    QuestionOpened,
    SentenceChecked,
)
from events.words import count

_GAPS_SHOWN = 40
_UNSUPPORTED_SHOWN = 20
"""Sentences that are gaps of their own because their sources do not say them."""

_INFERENCES = 400
"""Sentences of a report without a source that are listed."""

_CATEGORIES: dict[str, GapCategory] = {CallCut.code: "budget_exhausted"}


@dataclass(frozen=True)
class Delivered:
    """What a provider delivered."""

    draft: Draft
    ended: Interaction
    model: str
    shortfall: str | None
    """What is missing of it."""

    called_off: bool = False
    """Whether it is as far as it was when the research was stopped."""

    goes_on: str | None = None
    """What is to be said of a job that was called off, and perhaps in vain."""


class Account:
    """The report, its checked sentences, and how sure one may be."""

    def __init__(
        self,
        question: str,
        delivered: Delivered,
        sources: Sources,
        rules: ReportRules,
        compare: Compare,
    ) -> None:
        self._question, self._delivered, self._sources = question, delivered, sources
        self._report = CheckedReport(delivered.draft, sources, rules, compare)
        self._thorough = rules.looks_for_contradictions
        self._against = Contradictions(self._report, sources, looked_for=self._thorough)
        self._has_meaning = rules.weighs_meaning
        self._rules = rules

    def findings(self) -> Findings:
        """The whole account."""
        ended = self._delivered.ended
        usage = usage_of(ended)
        searches = sum(step.get("type") == "google_search_call" for step in steps_of(ended))
        disagreements = self._against.disagreements
        return Findings(
            question=self._question,
            answer=self._answer(),
            citations=self._citations,
            gaps=self._gaps,
            discovery_events=tuple(each.discovery() for each in disagreements),
            open_questions=tuple(each.question() for each in disagreements),
            confidence=self._confidence(),
            confidence_factors=self._factors,
            # Not every job lists its steps; its bill counts the searches all the same.
            iterations_run=searches or (usage.searches if self._thorough else 0),
            tokens_used=usage.input_tokens
            + usage.cached_tokens
            + usage.output_tokens
            + usage.thought_tokens,
            budget_exhausted=self._factors.budget_exhausted,
            model_id=self._delivered.model,
            parts=(self._question,),
            sentences=tuple(self._statements()),
            grounding=self._tally,
            shown_plainly=self._rules.shows_nothing_live,
            wording="en" if self._rules.worded_plainly else "",
        )

    def _answer(self) -> str:
        text = self._delivered.draft.text
        if not self._rules.shows_nothing_live:
            return displayable(text)
        return harmless(text, keeps_code=self._rules.keeps_code)

    def note(self, desk: Desk) -> None:
        """Record what was checked, quoted, missed and contradicted, in one go."""
        disagreements = self._against.disagreements
        desk.note(
            *(
                PassageQuoted(
                    citation=each.number,
                    **each.model_dump(include={"content_hash", "text_hash", "start", "end"}),
                )
                for each in self._citations
            ),
            *map(_as_fact, self._report.sentences),
            *(GapFound(**gap.model_dump()) for gap in self._gaps),
            *(DiscoveryMade(**each.discovery().model_dump()) for each in disagreements),
            *(QuestionOpened(**each.question().model_dump()) for each in disagreements),
        )

    # -- sentences and what they cite --------------------------------------------------------------

    def _statements(self) -> Iterator[Statement]:
        """What cites something, then what does not: that is the provider's own inference."""
        for each in self._report.sentences:
            yield Statement(
                text=self._report.worded(each.check.sentence),
                citations=each.citations,
                about=self._question,
                disputes=self._against.against(each.citations),
            )
        for words in self._uncited[:_INFERENCES]:
            text = self._report.worded(words)
            yield Statement(text=text, citations=(), about=self._question)

    @cached_property
    def _uncited(self) -> list[str]:
        draft, spans = self._delivered.draft, self._report.spans
        if self._rules.knows_its_list:
            spans = without_list(draft.text, spans)
        return uncited_sentences(draft, spans, plainly=self._rules.worded_plainly)

    @cached_property
    def _citations(self) -> tuple[Citation, ...]:
        return tuple(map(self._citation, self._report.passages))

    def _citation(self, quoted: Quoted) -> Citation:
        page, place, checked = quoted.page, quoted.place, quoted.checked
        gist = self._report.worded(display(quoted.excerpt))
        supported = checked.outcome == "supported"
        trusted = trust(
            self._sources.source(page),
            supported=supported and self._witnesses(checked) > 1,
            disputed=quoted.number in self._against.disputed,
        )
        return Citation(
            source="web",
            locator=page.final_url,
            title=quoted.title,
            snippet=short(gist if len(gist) >= 50 else f"{quoted.title}: {gist}", 200),
            raw_excerpt=quoted.excerpt,
            confidence=trusted if supported else round(trusted * place.shared / 2, 2),
            number=quoted.number,
            content_hash=page.original.hash,
            text_hash=page.text.hash,
            start=place.start,
            end=place.end,
        )

    def _witnesses(self, checked: Check) -> int:
        """How many sources say a sentence."""
        if not self._rules.counts_origins:
            return len(checked.places)
        pages = (self._sources.pages[each.url] for each in checked.places)
        return len({self._origins[page.text.hash] for page in pages})

    # -- how it compares ---------------------------------------------------------------------------

    @cached_property
    def _tally(self) -> Grounding:
        said = self._report.sentences
        outcomes = tuple(each.check.outcome for each in said)
        return Grounding(
            outcomes=outcomes,
            sources=tuple(map(self._cited_source, self._sources.named)),
            supported=outcomes.count("supported"),
            not_found=outcomes.count("not_found"),
            unreachable=outcomes.count("unreachable"),
            supports=tuple(each.support for each in said),
            similarities=tuple(each.similarity for each in said) if self._has_meaning else (),
            in_other_words=sum(each.in_other_words for each in said),
        )

    def _cited_source(self, url: str) -> CitedSource:
        page, title = self._sources.pages.get(url), self._sources.titles.get(url)
        if page:
            title = page.title or title or page.final_url
            return CitedSource(
                url=page.final_url, title=title, content_hash=page.original.hash, reason=None
            )
        _, why = self._sources.unread[url]
        return CitedSource(url=url, title=title or url, content_hash=None, reason=short(why, 400))

    def _confidence(self) -> float:
        """As for other researchers: what nobody could check is worth two fifths."""
        checked, uncited = len(self._report.sentences), len(self._uncited)
        if not checked:
            return UNANSWERED
        said = self._tally.supported + self._tally.in_other_words
        value = confidence(self._factors, said / checked)
        if not self._rules.weighs_uncited:
            return value
        return max(UNANSWERED, round(value * (0.4 + 0.6 * checked / (checked + uncited)), 2))

    @cached_property
    def _factors(self) -> ConfidenceFactors:
        cited = {each.locator for each in self._citations}
        pages = {page.final_url: page for page in self._sources.pages.values()}
        sources = [self._sources.source(page) for url, page in pages.items() if url in cited]
        behind = [
            len({self._origins[self._citations[number - 1].text_hash] for number in each.citations})
            for each in self._report.sentences
            if each.said
        ]
        return ConfidenceFactors(
            num_corroborating_sources=sum(behind) // max(1, len(behind)),
            source_authority=typical_authority(sources),
            contradiction_detected=bool(self._against),
            query_specificity_match=self._covered(),
            budget_exhausted=self._delivered.shortfall is not None or bool(self._beyond),
            recency=recency(sources),
        )

    @cached_property
    def _origins(self) -> dict[str, int]:
        """For each cited text the first one that it is a copy of: copies are one witness."""
        pages = self._sources.pages.values()
        texts = {page.text.hash: self._sources.text(page) for page in pages}
        return dict(zip(texts, groups(list(texts.values())), strict=True))

    def _covered(self) -> float:
        """Share of the question's terms that the quoted passages speak of."""
        terms = Terms()
        wanted = terms_of(self._question, terms)
        quoted = frozenset[str]().union(
            *(terms_of(each.raw_excerpt, terms) for each in self._citations)
        )
        return round(len(wanted & quoted) / len(wanted), 2) if wanted else 0.0

    # -- what is missing ---------------------------------------------------------------------------

    @cached_property
    def _gaps(self) -> tuple[Gap, ...]:
        return (
            *self._left_out(),
            *(each.gap() for each in self._against.disagreements),
            *self._against.misreports,
            *self._unsupported(),
            *self._unread(),
        )

    @cached_property
    def _beyond(self) -> dict[str, str]:
        """Sources that the caller's limit left unread, and what is to be said of it."""
        unread = self._sources.unread.items()
        return {url: why for url, (code, why) in unread if code == LEFT_UNREAD}

    def _left_out(self) -> Iterator[Gap]:
        complete = self._delivered.shortfall is None and not self._delivered.called_off
        if self._rules.wants_citations and complete and not self._sources.named:
            yield Gap(
                topic=short(self._question, 200),
                category="source_not_found",
                detail="The report cites no source: nothing of it could be checked.",
            )
        checked, uncited = len(self._report.sentences), len(self._uncited)
        if self._rules.weighs_uncited and self._sources.named and uncited > checked:
            yield Gap(
                topic="Sentences that cite no source",
                category="source_not_found",
                detail=self._of_uncited(checked, uncited),
            )
        if self._delivered.shortfall:
            yield Gap(
                topic=short(self._question, 200),
                category="budget_exhausted",
                detail=self._delivered.shortfall,
            )
        if self._delivered.goes_on:
            yield Gap(
                topic=short(self._question, 200),
                category="access_denied",
                detail=self._delivered.goes_on,
            )
        if self._beyond:
            named = ", ".join(self._named(url) for url in list(self._beyond)[:3])
            yield Gap(
                topic=short(f"{UNREAD}: {named}", 200),
                category="budget_exhausted",
                detail=next(iter(self._beyond.values())),
            )

    def _of_uncited(self, checked: int, uncited: int) -> str:
        if self._rules.worded_plainly and not checked:
            if uncited == 1:
                return "The one sentence of the report cites no source: it could not be checked."
            return (
                f"None of the {uncited} sentences of the report cites a source: they could not be "
                "checked."
            )
        return (
            f"{uncited} of the {count(checked + uncited, 'sentence')} of the report "
            "cite no source: they could not be checked."
        )

    def _unsupported(self) -> Iterator[Gap]:
        """How many sentences their sources do not say, and which."""
        said = self._report.sentences
        missed = [each for each in said if each.check.outcome == "not_found" and not each.said]
        plainly = self._rules.worded_plainly
        if missed:
            near = not plainly or any(each.citations for each in missed)
            yield Gap(
                topic="Sentences that their sources do not say",
                category="source_not_found",
                detail=f"{count(len(missed), 'cited sentence')} of {len(said)} could not be "
                "found in the cited pages"
                + ("; the nearest passages are cited instead." if near else "."),
            )
        if self._thorough:
            told = {gap.topic for gap in self._against.misreports}
            topics = {short(displayable(each.text), 200): each for each in missed}
            for topic in [each for each in topics if each not in told][:_UNSUPPORTED_SHOWN]:
                detail = (
                    f"Not supported: The passages cited for it say {topics[topic].value:.0%} of it."
                    if topics[topic].citations or not plainly
                    else "Not supported: No passage of its sources comes near it."
                )
                yield Gap(topic=topic, category="source_not_found", detail=detail)

    def _unread(self) -> Iterator[Gap]:
        untold = {CallCut.code} if self._rules.leaves_stops else set()
        unread = [
            (url, code, why)
            for url, (code, why) in self._sources.unread.items()
            if url not in self._beyond and code not in untold
        ]
        for url, code, why in unread[:_GAPS_SHOWN]:
            topic = short(self._named(url), 200)
            yield Gap(topic=topic, category=_category(code), detail=short(why, 400))

    def _named(self, url: str) -> str:
        return self._sources.titles.get(url) or re.sub(r"[?#].*", "", url)


def _as_fact(said: CheckedSentence) -> SentenceChecked:
    return SentenceChecked(
        sentence=said.text,
        outcome=said.check.outcome,
        match=said.check.match,
        citations=said.citations,
        support=said.support,
        similarity=said.similarity,
    )


def _category(code: str) -> GapCategory:
    """What kind of gap an unread source leaves."""
    if code in {"page_not_found", "name_not_found"}:
        return "source_not_found"
    if code == "scope_exceeded":
        return "scope_exceeded"
    return _CATEGORIES.get(code, "access_denied")
