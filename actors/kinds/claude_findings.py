"""From a draft and the pages that were read to findings: checked, weighed, and with every gap named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from actors.findings import (
    Citation,
    DiscoveryEvent,
    Findings,
    Gap,
    Statement,
)
from actors.kinds.claude_desk import WebDesk
from actors.kinds.claude_draft import Draft, DraftSentence
from actors.kinds.claude_rules import ClaudeRules
from actors.reports.disagreement import Disagreement
from actors.reports.grounding import Cited, Grounding, LeftOut, ground
from actors.reports.support import Likeness
from actors.reports.wording import display, short
from actors.trust import trust
from actors.webpages.injection import visible
from actors.webpages.webpage import WebPage
from actors.weighing import Weighing, contradicted, marks
from events.research import (
    ConfidenceWeighed,
    DiscoveryMade,
    GapFound,
    PassageQuoted,
    QuestionOpened,
)
from language.plain import plainly

NOTHING = "Nothing that was read answers this."
QUOTED_AT_MOST = 0.45
"""Confidence of an answer that nobody has thought about: quotations that a rule picked, however well they fit."""


class Composition:
    """Checks a draft against the pages and notes what comes of it."""

    def __init__(
        self,
        question: str,
        draft: Draft,
        pages: Mapping[str, WebPage],
        likeness: Likeness,
        rules: ClaudeRules,
        *,
        quoted: bool = False,
    ) -> None:
        """`quoted`: whether no model wrote the draft, and its sentences are the pages' own."""
        self._question, self._draft, self._pages = question, draft, pages
        self._rules = rules
        self._quoted = quoted and rules.keeps_to_sources
        self._grounding: Grounding = ground(
            _shown(draft, rules), pages, likeness, strictly=rules.keeps_to_sources
        )
        self._weighing = Weighing(
            question,
            self._grounding,
            pages,
            in_place=rules.compares_in_place,
            in_words=rules.names_topics,
        )

    @property
    def is_empty(self) -> bool:
        """Whether sentences were written, and none of them holds."""
        return bool(self._grounding.left_out) and not self._grounding.sentences

    def give_up(self, desk: WebDesk) -> list[Gap]:
        """Note what was checked of a draft that does not hold; the gaps that it leaves."""
        desk.note(*self._grounding.checks)
        return list(self._left_out())

    def findings(
        self,
        desk: WebDesk,
        *,
        noted: list[Gap],
        further: list[Gap],
        noticed: list[DiscoveryEvent],
        exhausted: bool,
        rounds: int,
        tokens: int,
        model: str,
    ) -> Findings:
        """The findings; what is not in the record yet is noted on the way.

        `noted` are gaps and `noticed` discoveries that the record already has, `further` gaps that it has not.
        """
        citations = [self._citation(each) for each in self._grounding.citations]
        for each in citations:
            desk.note(_quoted(each))
        desk.note(*self._grounding.checks)
        new = _distinct([*further, *self._gaps()], noted)
        desk.note(*(GapFound(**gap.model_dump()) for gap in new))
        contradicted = list(self._disagreements())
        discoveries = [*(each.discovery() for each in contradicted), *self._draft.discoveries]
        desk.note(*(DiscoveryMade(**each.model_dump()) for each in discoveries))
        questions = [*(each.question() for each in contradicted), *self._draft.questions]
        desk.note(*(QuestionOpened(**each.model_dump()) for each in questions))
        told = new if self._rules.keeps_to_sources else self._draft.gaps
        reported = any(gap.category == "contradictory_sources" for gap in told)
        factors = self._weighing.factors(exhausted=exhausted, contradiction_reported=reported)
        confidence = self._weighing.confidence(factors)
        if self._quoted:
            confidence = min(confidence, QUOTED_AT_MOST)
        desk.note(ConfidenceWeighed(computed=confidence, claimed=self._draft.confidence))
        return Findings(
            question=self._question,
            answer=self._answer(),
            citations=tuple(citations),
            gaps=(*noted, *new),
            discovery_events=(*noticed, *discoveries),
            open_questions=tuple(questions),
            confidence=confidence,
            confidence_factors=factors,
            iterations_run=rounds,
            tokens_used=tokens,
            budget_exhausted=exhausted,
            model_id=model,
            parts=(self._question,),
            sentences=tuple(self._statements()),
            quoted=self._quoted,
            shown_plainly=self._rules.shows_plainly,
        )

    def _answer(self) -> str:
        said = self._grounding.sentences
        return " ".join(f"{each.text} {marks(each.citations)}" for each in said) or NOTHING

    def _statements(self) -> Iterator[Statement]:
        against: dict[int, set[int]] = {}
        for clash in self._weighing.clashes:
            against.setdefault(clash.one.number, set()).add(clash.other.number)
            against.setdefault(clash.other.number, set()).add(clash.one.number)
        for each in self._grounding.sentences:
            own = tuple(cited.number for cited in each.citations)
            rivals = set().union(*(against.get(number, set()) for number in own)) - set(own)
            yield Statement(
                text=each.text, citations=own, about=self._question, disputes=tuple(sorted(rivals))
            )

    def _citation(self, cited: Cited) -> Citation:
        page, excerpt = cited.page, cited.excerpt
        supported = self._weighing.corroborated(cited)
        disputed = self._weighing.disputed(cited)
        return Citation(
            source="web" if page.locator.lower().startswith(("http://", "https://")) else "file",
            locator=page.locator,
            title=short(visible(page.page.title), 300) or None,
            snippet=self._snippet(cited),
            raw_excerpt=excerpt.shown,
            confidence=trust(page.source, supported=supported, disputed=disputed),
            number=cited.number,
            content_hash=page.page.original.hash,
            text_hash=page.page.text.hash,
            start=excerpt.start,
            end=excerpt.end,
        )

    def _snippet(self, cited: Cited) -> str | None:
        """The gist: what it is cited for, or its own words, in 50 to 200 characters."""
        cites = (each.text for each in self._grounding.sentences if cited in each.citations)
        own = display(cited.excerpt.shown)
        for gist in (*cites, plainly(own) if self._rules.shows_plainly else own):
            if len(gist) >= 50:
                return short(gist, 200)
        return None

    # -- what is missing, and what else ----------------------------------------------------------

    def _gaps(self) -> Iterator[Gap]:
        yield from self._draft.gaps
        yield from (each.gap() for each in self._disagreements())
        yield from self._left_out()
        yield from self._unsupported()
        if not self._grounding.sentences:
            topic = short(self._question, 200)
            yield Gap(topic=topic, category="source_not_found", detail=NOTHING)

    def _left_out(self) -> Iterator[Gap]:
        """What was written and does not stand in the answer, because no page says it or one says otherwise."""
        for each in self._grounding.left_out:
            topic = short(each.text, 200)
            if told := _contradicted(each):
                yield Gap(topic=topic, category="contradictory_sources", detail=short(told, 400))
                continue
            why = (
                f"the passages cited for it say {each.support:.0%} of it"
                if each.passages
                else "no page that was read says this"
            )
            detail = f"Not supported, and left out of the answer: {why}."
            yield Gap(topic=topic, category="source_not_found", detail=detail)

    def _unsupported(self) -> Iterator[Gap]:
        """What stands in the answer although its passages do not say it."""
        meant = {each.text for each in self._draft.sentences if each.inference}
        for each in self._grounding.sentences:
            if each.supported or (each.inference and each.text in meant):
                continue
            why = (
                "No page that was read says this."
                if each.inference
                else f"The passages cited for it say {each.support:.0%} of it."
            )
            topic = short(each.text, 200)
            yield Gap(topic=topic, category="source_not_found", detail=f"Not supported: {why}")

    def _disagreements(self) -> Iterator[Disagreement]:
        for clash in self._weighing.clashes:
            yield Disagreement(
                (clash.one.number, clash.other.number),
                (clash.one.page.locator, clash.other.page.locator),
                clash.figures,
                clash.topic,
            )


def _shown(draft: Draft, rules: ClaudeRules) -> Sequence[DraftSentence]:
    """The sentences of a draft as an answer may show them."""
    if not rules.shows_plainly:
        return draft.sentences
    return [replace(each, text=plainly(each.text)) for each in draft.sentences]


def _contradicted(left_out: LeftOut) -> str | None:
    """How a passage contradicts a sentence that cites it; none where it only does not say it."""
    for page, excerpt in left_out.passages:
        if figures := contradicted(left_out.text, page, excerpt):
            said, written = figures
            return f"The model wrote {said}, {page.locator} says {written}. Left out of the answer."
    return None


def _distinct(gaps: list[Gap], known: list[Gap]) -> list[Gap]:
    seen = {(gap.topic, gap.category) for gap in known}
    kept = []
    for gap in gaps:
        if (gap.topic, gap.category) not in seen:
            seen.add((gap.topic, gap.category))
            kept.append(gap)
    return kept


def _quoted(citation: Citation) -> PassageQuoted:
    return PassageQuoted(
        citation=citation.number,
        content_hash=citation.content_hash,
        text_hash=citation.text_hash,
        start=citation.start,
        end=citation.end,
    )
