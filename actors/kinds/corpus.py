"""The researcher that needs no key and no network: it answers in the words of the corpus.

It takes the question apart, searches for each part, picks the sentences that bear on it, and
quotes them with their places. What it could not find, where sources disagree and what the evidence
leaves open it reports as such. It has no clock and no randomness: the same brief over the same
search answers gives the same findings, to the byte.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

from actors.desk import Desk
from actors.earlier import carried, earlier_of, settled, wanted
from actors.findings import (
    EXCERPT_LIMIT,
    UNANSWERED,
    Citation,
    ConfidenceFactors,
    DiscoveryEvent,
    Findings,
    Gap,
    OpenQuestion,
    Statement,
    confidence,
)
from actors.following import Chain, chains_of
from actors.loose_ends import abbreviations, doubts, references
from actors.merging import Contribution, merge
from actors.questions import Part, Wanted, plan
from actors.quoting import Dispute, Quote, choose, find_disputes
from actors.reading import EFFORT, Reading
from actors.relevance import Judge, Source, matched
from actors.rules import PRESENT, rules_called
from actors.terms import Terms
from actors.trust import independent, recency, trust, typical_authority
from actors.wording import count, display, short
from events.catalogue import Brief
from events.research import DiscoveryMade, GapFound, PassageQuoted, QuestionOpened

MOST_WANTED = 4
"""Open points of an earlier research that are looked for when it is continued."""

NOTHING = "The corpus holds nothing that answers this."
NOTHING_HERE = "The corpus holds nothing on this part."


PRESENT_RULES = PRESENT.model
"""By which rules it works today; a record says by which it was made."""


def research(brief: Brief, question: str, desk: Desk, model: str = PRESENT_RULES) -> Findings:
    """Answer a question from the corpus, noting each step at the desk.

    Notes steps, sources, quotations, gaps, discoveries and open questions; the beginning and the
    end of the assignment are its caller's to record. `CallCut` passes through. Where it continues an earlier
    research, it looks for what that left open, and what that found stays.
    """
    earlier, asked = earlier_of(brief, desk.text), question
    if earlier and brief.continues:
        desk.note(*carried(earlier))
        asked = "; ".join(wanted(earlier, brief.continues.focus, MOST_WANTED)) or question
    terms, rules = Terms(), rules_called(model)
    parts = plan(asked, brief.context or "", terms, rules)
    known = earlier.texts if earlier else frozenset[str]()
    reading = Reading(brief, parts, desk, terms, rules, known)
    reading.step(1, "plan", _plan_in_words(parts))
    reading.search_for_parts()
    chains = chains_of(reading)
    told = {number: chain.told for number, chain in chains.items()}
    reading.follow_up(frozenset(chains))
    reading.compare(frozenset(chains))
    desk.checkpoint()
    judge, ranked = reading.judged()
    effort = EFFORT[brief.depth]
    quotes = choose(judge, reading.parts, ranked, effort.quotes, brief.depth, told, rules)
    disputes = find_disputes(ranked, quotes, terms)
    reading.step(reading.steps - 1, "select", _choice_in_words(quotes, reading))
    desk.checkpoint()
    findings = Account(question, reading, judge, quotes, disputes, chains).findings()
    if earlier and brief.continues:
        before = Contribution("earlier", question, settled(earlier, brief.continues.focus))
        further = Contribution("corpus", short(asked, 200), findings)
        findings = merge(question, [before, further], desk.text)
    _note(findings, desk)
    reading.step(reading.steps, "compose", f"Answered with confidence {findings.confidence:.2f}.")
    return findings


def _plan_in_words(parts: list[Part]) -> str:
    if len(parts) == 1 and parts[0].steps:
        steps = " → ".join(parts[0].steps)
        return f"One question in {len(parts[0].steps)} steps: {steps}"
    if len(parts) == 1:
        return "One question; looking for sentences that answer it as it stands."
    return f"{len(parts)} questions: " + " / ".join(part.text for part in parts)


def _choice_in_words(quotes: list[Quote], reading: Reading) -> str:
    sources = {quote.source.order for quote in quotes}
    return (
        f"{count(len(quotes), 'passage')} of {count(len(sources), 'source')} quoted, "
        f"out of {count(len(reading.candidates()), 'sentence')} read."
    )


def _note(findings: Findings, desk: Desk) -> None:
    for each in findings.citations:
        place = each.model_dump(include={"content_hash", "text_hash", "start", "end"})
        desk.note(PassageQuoted(citation=each.number, **place))
    desk.note(
        *(GapFound(**each.model_dump()) for each in findings.gaps),
        *(DiscoveryMade(**each.model_dump()) for each in findings.discovery_events),
        *(QuestionOpened(**each.model_dump()) for each in findings.open_questions),
    )


# -- the account of it -----------------------------------------------------------------------------


class Account:
    """Puts together what was found, what was not, and how sure one may be."""

    def __init__(
        self,
        question: str,
        reading: Reading,
        judge: Judge,
        quotes: list[Quote],
        disputes: list[Dispute],
        chains: Mapping[int, Chain] = MappingProxyType({}),
    ) -> None:
        self._broken = {number: chain for number, chain in chains.items() if chain.missing}
        """Chains that break off before they come to what was asked."""

        self._chained = chains.keys() - self._broken.keys()
        """Parts that a chain of sentences answers, of which each covers a step only."""

        self._question, self._reading, self._judge = question, reading, judge
        self._parts, self._quotes, self._disputes = reading.parts, quotes, disputes
        self._covered = [self._coverage(number) for number in range(len(reading.parts))]
        self._citations: list[Citation] = []
        self._cited = [self._cite(quote) for quote in quotes]
        """For each quote, its citations: its own place first, then its second witnesses."""

    def findings(self) -> Findings:
        """The whole account."""
        factors = self._factors()
        answered = sum(any(self._of(number)) for number in range(len(self._parts)))
        sure = confidence(factors, answered / len(self._parts)) if self._quotes else UNANSWERED
        return Findings(
            question=self._question,
            answer=self._answer(),
            citations=tuple(self._citations),
            gaps=(*self._unanswered(), *self._disagreements(), *self._beyond_budget()),
            discovery_events=tuple(self._discoveries()),
            open_questions=tuple(self._open_questions()),
            confidence=sure,
            confidence_factors=factors,
            iterations_run=self._reading.searches,
            tokens_used=0,
            budget_exhausted=factors.budget_exhausted,
            model_id=self._reading.rules.model,
            parts=tuple(part.text for part in self._parts),
            sentences=tuple(
                Statement(
                    text=display(quote.text),
                    citations=tuple(cited),
                    about=self._parts[quote.part].text,
                    disputes=tuple(self._number(other) for other in quote.against),
                )
                for quote, cited in zip(self._quotes, self._cited, strict=True)
            ),
        )

    def _of(self, part: int) -> list[Quote]:
        return [quote for quote in self._quotes if quote.part == part]

    def _number(self, quote: Quote) -> int:
        """What the answer calls a quote's own place."""
        return next(
            cited[0] for each, cited in zip(self._quotes, self._cited, strict=True) if each is quote
        )

    def _coverage(self, number: int) -> tuple[float, ...]:
        """How far the quotations of a part speak of each of its terms."""
        part = self._parts[number]
        covered = tuple(0.0 for _ in part.wanted)
        for quote in self._of(number):
            covered = tuple(map(max, covered, matched(part, self._reading.said_by(quote))))
        return covered

    # -- quotations ------------------------------------------------------------------------------

    def _cite(self, quote: Quote) -> list[int]:
        own = self._citation(quote.source, quote.start, quote.end, quote)
        return [own, *(self._citation(s.source, s.start, s.end, quote) for s in quote.support)]

    def _citation(self, source: Source, start: int, end: int, quote: Quote) -> int:
        """The number of the citation of a place, new or given before."""
        passage = source.passage
        for known in self._citations:
            if (known.text_hash, known.start, known.end) == (passage.text_hash, start, end):
                return known.number
        excerpt = source.text[start:end]
        assert excerpt and len(excerpt) <= EXCERPT_LIMIT
        gist = display(excerpt)
        number = len(self._citations) + 1
        supported = len(quote.support) > 0
        self._citations.append(
            Citation(
                source="web" if re.match(r"https?://", passage.locator, re.I) else "file",
                locator=passage.locator,
                title=passage.title,
                snippet=short(gist if len(gist) >= 50 else f"{passage.title}: {gist}", 200),
                raw_excerpt=excerpt,
                confidence=trust(source, supported=supported, disputed=bool(quote.against)),
                number=number,
                content_hash=passage.version,
                text_hash=passage.text_hash,
                start=start,
                end=end,
            )
        )
        return number

    def _answer(self) -> str:
        """Quotations with their numbers, under a heading for each part where there are several."""
        if not self._quotes:
            return NOTHING
        blocks: list[str] = []
        for number, part in enumerate(self._parts):
            lines = [
                self._line(quote, cited)
                for quote, cited in zip(self._quotes, self._cited, strict=True)
                if quote.part == number
            ]
            if len(self._parts) > 1:
                blocks.append(f"**{part.text}**")
            blocks.append("\n".join(lines) or NOTHING_HERE)
        return "\n\n".join(blocks)

    def _line(self, quote: Quote, cited: list[int]) -> str:
        marks = "".join(f"[{number}]" for number in cited)
        against = ", ".join(f"[{self._number(other)}]" for other in quote.against)
        return f"- “{display(quote.text)}” {marks}" + (f" (but see {against})" if against else "")

    # -- what is missing -------------------------------------------------------------------------

    def _unanswered(self) -> Iterator[Gap]:
        looked = f"{count(len(self._reading.sources), 'source')} read"
        for number, part in enumerate(self._parts):
            if number in self._reading.unsearched and not self._of(number):
                continue
            topic, detail = "", ""
            missing = _unmet(part, self._covered[number])
            if broken := self._broken.get(number):
                if not broken.stopped:
                    topic, detail = self._broken_off(number), f"{_whence(broken)}; {looked}."
            elif not self._of(number):
                topic, detail = part.text, self._why_nothing(part, looked)
            elif missing and (self._scattered(number) or _names(missing)):
                topic = f"{_phrase(missing)} ({part.text})"
                detail = f"No quoted sentence speaks of “{_phrase(missing)}”; {looked}."
            if topic:
                topic = short(topic, 200)
                yield Gap(topic=topic, category="source_not_found", detail=short(detail, 400))
        for locator in self._reading.lost.values():
            yield Gap(
                topic=short(locator, 200),
                category="access_denied",
                detail="The search found this source, but its stored text is missing or damaged.",
            )

    def _broken_off(self, number: int) -> str:
        """What is missing where a chain breaks off."""
        return f"{' → '.join(self._broken[number].missing)} ({self._parts[number].text})"

    def _scattered(self, number: int) -> bool:
        return number not in self._chained and self._share(number) < 0.6

    def _share(self, number: int) -> float:
        """How much of a part is covered: midway between all its quotations and the best of them.

        Words scattered over many quotations cover a part on paper only.
        """
        part = self._parts[number]
        if number in self._chained:
            return self._judge.coverage(part, self._covered[number])
        said = [matched(part, self._reading.said_by(quote)) for quote in self._of(number)]
        best = max((self._judge.coverage(part, each) for each in said), default=0.0)
        reach = self._broken[number].reach if number in self._broken else 1.0
        return reach * (self._judge.coverage(part, self._covered[number]) + best) / 2

    def _why_nothing(self, part: Part, looked: str) -> str:
        if not part.wanted:
            return "The question names nothing that could be looked for."
        known = [0.0 for _ in part.wanted]
        for candidate in self._reading.candidates():
            known = list(map(max, known, matched(part, candidate)))
        unknown = [w for w, got in zip(part.wanted, known, strict=True) if w.strong and not got]
        if unknown:
            return f"Nothing that was found speaks of “{_phrase(unknown)}”; {looked}."
        return f"The words occur, but no sentence brings them together; {looked}."

    def _disagreements(self) -> Iterator[Gap]:
        for dispute in self._disputes:
            (one, first), (other, second) = self._sides(dispute)
            yield Gap(
                topic=short(f"{dispute.topic}: {dispute.figures[0]} or {dispute.figures[1]}", 200),
                category="contradictory_sources",
                detail=short(
                    f"“{first}” [{one}] says {dispute.figures[0]}, "
                    f"“{second}” [{other}] says {dispute.figures[1]}.",
                    400,
                ),
            )

    def _sides(self, dispute: Dispute) -> list[tuple[int, str]]:
        return [
            (self._number(quote), quote.source.passage.title)
            for quote in (dispute.one, dispute.other)
        ]

    def _beyond_budget(self) -> Iterator[Gap]:
        reading = self._reading
        for number in reading.unsearched:
            limit = count(reading.allowed, "search", "searches")
            left = "a further search was made" if self._of(number) else "it was searched for"
            yield Gap(
                topic=short(self._parts[number].text, 200),
                category="budget_exhausted",
                detail=f"The limit of {limit} was reached before {left}.",
            )
        for number, chain in self._broken.items():
            if chain.stopped:
                limit = count(reading.searches, "search", "searches")
                yield Gap(
                    topic=short(self._broken_off(number), 200),
                    category="budget_exhausted",
                    detail=short(f"{_whence(chain)}; the limit of {limit} was reached.", 400),
                )
        if reading.left_unread:
            titles = ", ".join(list(reading.left_unread.values())[:3])
            limit = count(reading.brief.constraints.max_sources, "source")
            yield Gap(
                topic=short(f"Left unread: {titles}", 200),
                category="budget_exhausted",
                detail=f"The limit of {limit} was reached; {len(reading.left_unread)} more "
                "looked promising.",
            )

    # -- what else -------------------------------------------------------------------------------

    def _discoveries(self) -> Iterator[DiscoveryEvent]:
        for dispute in self._disputes:
            (one, _), (other, _) = self._sides(dispute)
            yield DiscoveryEvent(
                type="contradiction",
                suggested_researcher=None,
                query=short(dispute.topic, 200),
                reason=f"[{one}] gives {dispute.figures[0]}, [{other}] gives {dispute.figures[1]}.",
                source_locator=dispute.other.source.passage.locator,
            )
        sources = list(self._reading.sources.values())
        yield from references(self._parts, sources, self._quotes)

    def _open_questions(self) -> Iterator[OpenQuestion]:
        for dispute in self._disputes:
            (_, first), (_, second) = self._sides(dispute)
            figures = f"{dispute.figures[0]} or {dispute.figures[1]}"
            yield OpenQuestion(
                question=short(f"Which figure is right for “{dispute.topic}”: {figures}?", 300),
                context=short(f"“{first}” and “{second}” disagree.", 400),
                priority="high",
                source_locator=dispute.other.source.passage.locator,
            )
        for number, part in enumerate(self._parts):
            missing, share = _unmet(part, self._covered[number]), self._share(number)
            quotes = self._of(number)
            if quotes and missing and share < 0.75:
                yield OpenQuestion(
                    question=short(
                        f"Which source speaks of “{_phrase(missing)}”: {part.text}", 300
                    ),
                    context=f"The quotations cover {share:.0%} of this part of the question.",
                    priority="high" if share < 0.5 else "medium",
                    source_locator=quotes[0].source.passage.locator,
                )
        yield from doubts(self._reading.candidates(), self._quotes)
        yield from abbreviations(list(self._reading.sources.values()), self._quotes)

    # -- how sure --------------------------------------------------------------------------------

    def _factors(self) -> ConfidenceFactors:
        cited = {quote.source.order: quote.source for quote in self._quotes}
        for quote in self._quotes:
            cited |= {each.source.order: each.source for each in quote.support}
        sources = [cited[order] for order in sorted(cited)]
        numbers = range(len(self._parts))
        return ConfidenceFactors(
            num_corroborating_sources=sum(independent(self._quotes, n) for n in numbers)
            // len(self._parts),
            source_authority=typical_authority(sources),
            contradiction_detected=bool(self._disputes),
            query_specificity_match=round(sum(map(self._share, numbers)) / len(self._parts), 2),
            budget_exhausted=bool(
                self._reading.unsearched
                or self._reading.left_unread
                or any(chain.stopped for chain in self._broken.values())
            ),
            recency=recency(sources),
        )


def _whence(chain: Chain) -> str:
    """From where a chain that breaks off should have gone on."""
    title = chain.told[-1].candidate.passage.title
    return f"Nothing that was read leads from “{title}” on to “{chain.missing[0]}”"


def _unmet(part: Part, covered: tuple[float, ...]) -> list[Wanted]:
    """Strong terms of a part that its quotations do not speak of."""
    pairs = zip(part.wanted, covered, strict=True)
    return [wanted for wanted, got in pairs if wanted.strong and got < 0.35]


def _names(missing: list[Wanted]) -> bool:
    return any(each.entity or each.surface[0].isdigit() for each in missing)


def _phrase(missing: list[Wanted]) -> str:
    """Words in the order of the question; those that stood side by side stay together."""
    ordered = sorted(missing, key=lambda each: each.at)
    phrase = ordered[0].surface
    for before, each in pairwise(ordered):
        gap = each.at - before.at - len(before.surface)
        if before.at < 0 or gap > 1:
            phrase += f", {each.surface}"
        elif gap < 0:
            phrase += each.surface[-1]  # Pairs of ideographs overlap by one.
        else:
            phrase += " " * gap + each.surface
    return phrase
