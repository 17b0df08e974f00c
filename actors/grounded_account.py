"""Puts a provider's report together with what its sources really say, as findings like any others."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from actors.copies import groups
from actors.desk import Desk, OutsideDesk
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
from actors.grounded_report import displayable
from actors.interaction import Draft, Interaction, steps_of, usage_of
from actors.outside import Page
from actors.ports import Passage
from actors.relevance import Source
from actors.report_checking import (
    Check,
    PageText,
    Place,
    check,
    cited_sentences,
    terms_of,
    uncited_sentences,
)
from actors.support import SUPPORTED, support
from actors.terms import Terms
from actors.trust import recency, trust, typical_authority
from actors.wording import count, display, short
from events.errors import ResearchError
from events.research import (
    GapCategory,
    GapFound,
    PageKept,
    PassageQuoted,
    SentenceChecked,
    SourceRead,
)

PAGES_READ = 60
"""So many sources are fetched at the most."""

_GAPS_SHOWN = 40
_INFERENCES = 400
"""Sentences of a report without a source that are listed."""

_CATEGORIES: dict[str, GapCategory] = {"call_cut": "budget_exhausted"}


@dataclass
class Sources:
    """What a report cites, as far as it could be read."""

    named: list[str] = field(default_factory=list)
    """Every address that the report gives, once."""

    pages: dict[str, Page] = field(default_factory=dict)
    """By the address that the report gives."""

    texts: dict[str, PageText] = field(default_factory=dict)
    unread: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Addresses that could not be read: code and sentence of the failure."""

    titles: dict[str, str] = field(default_factory=dict)
    """What the report calls them."""


def read_sources(draft: Draft, desk: OutsideDesk) -> Sources:
    """Fetch every source that a report cites, once each, and note what was read."""
    sources, terms = Sources(), Terms()
    sources.titles = {each.url: each.title for each in reversed(draft.cited) if each.title}
    urls = sources.named = list(dict.fromkeys(each.url for each in draft.cited))
    for url, outcome in zip(urls, desk.fetch(urls[:PAGES_READ]), strict=False):
        if isinstance(outcome, ResearchError):
            code = outcome.args[0] if outcome.code == "failed_before" else outcome.code
            sources.unread[url] = str(code), outcome.sentence
            continue
        text = desk.text(outcome.text.hash)
        sources.pages[url] = outcome
        sources.texts[url] = PageText(url, text, terms)
        desk.note(*_read(url, outcome))
    for url in urls[PAGES_READ:]:
        sources.unread[url] = "scope_exceeded", f"Only {PAGES_READ} sources are read."
    return sources


def _read(url: str, page: Page) -> tuple[PageKept, SourceRead]:
    kept = PageKept(
        url=url,
        final_url=page.final_url,
        media_type=page.media_type,
        original=page.original,
        text=page.text,
    )
    read = SourceRead(
        step=3,
        action="fetch_url",
        url=page.final_url,
        title=page.title or None,
        content_hash=page.original.hash,
        content_length=page.original.size,
        text_hash=page.text.hash,
        decision="The report cites it.",
    )
    return kept, read


class Account:
    """The report, its checked sentences, and how sure one may be."""

    def __init__(
        self,
        question: str,
        draft: Draft,
        sources: Sources,
        ended: Interaction,
        model: str,
        shortfall: str | None,
    ) -> None:
        self._question, self._draft, self._sources = question, draft, sources
        self._ended, self._model, self._shortfall = ended, model, shortfall
        self._terms = Terms()
        self._citations: list[Citation] = []
        self._checks = check(cited_sentences(draft), sources.texts, self._terms)
        self._cited = [self._cite(each) for each in self._checks]
        self._supports = list(map(self._supported, self._checks, self._cited))

    def findings(self) -> Findings:
        """The whole account."""
        usage = usage_of(self._ended)
        factors = self._factors()
        tally = self._tally()
        checked = len(self._checks)
        said = tally.supported + tally.in_other_words
        sure = confidence(factors, said / checked) if checked else UNANSWERED
        return Findings(
            question=self._question,
            answer=displayable(self._draft.text),
            citations=tuple(self._citations),
            gaps=self._gaps(),
            discovery_events=(),
            open_questions=(),
            confidence=sure,
            confidence_factors=factors,
            iterations_run=sum(
                step.get("type") == "google_search_call" for step in steps_of(self._ended)
            ),
            tokens_used=usage.input_tokens
            + usage.cached_tokens
            + usage.output_tokens
            + usage.thought_tokens,
            budget_exhausted=factors.budget_exhausted,
            model_id=self._model,
            parts=(self._question,),
            sentences=tuple(self._statements()),
            grounding=tally,
        )

    def _statements(self) -> Iterator[Statement]:
        """What cites something, then what does not: that is the provider's own inference."""
        for each, cited in zip(self._checks, self._cited, strict=True):
            yield Statement(text=displayable(each.sentence), citations=cited, about=self._question)
        for words in uncited_sentences(self._draft)[:_INFERENCES]:
            yield Statement(text=displayable(words), citations=(), about=self._question)

    def note(self, desk: Desk) -> None:
        """Record what was checked, quoted and missed, in one go."""
        desk.note(
            *(
                PassageQuoted(
                    citation=each.number,
                    **each.model_dump(include={"content_hash", "text_hash", "start", "end"}),
                )
                for each in self._citations
            ),
            *(
                SentenceChecked(
                    sentence=each.sentence,
                    outcome=each.outcome,
                    match=each.match,
                    citations=cited,
                    support=value,
                )
                for each, cited, value in zip(
                    self._checks, self._cited, self._supports, strict=True
                )
            ),
            *(GapFound(**gap.model_dump()) for gap in self._gaps()),
        )

    def _supported(self, checked: Check, cited: tuple[int, ...]) -> float | None:
        """How much of a sentence its passages say; none, where there are none."""
        passages = [self._citations[number - 1].raw_excerpt for number in cited]
        return support(checked.sentence, "\n\n".join(passages)) if passages else None

    def _cite(self, checked: Check) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._citation(each, checked) for each in checked.places))

    def _citation(self, place: Place, checked: Check) -> int:
        page = self._sources.pages[place.url]
        for known in self._citations:
            span = known.text_hash, known.start, known.end
            if span == (page.text.hash, place.start, place.end):
                return known.number
        excerpt = self._text(page)[place.start : place.end]
        title = page.title or self._sources.titles.get(page.url) or page.final_url
        gist = displayable(display(excerpt))
        supported = checked.outcome == "supported"
        source = self._source(page)
        trusted = trust(source, supported=len(checked.places) > 1 and supported, disputed=False)
        number = len(self._citations) + 1
        self._citations.append(
            Citation(
                source="web",
                locator=page.final_url,
                title=title,
                snippet=short(gist if len(gist) >= 50 else f"{title}: {gist}", 200),
                raw_excerpt=excerpt,
                confidence=trusted if supported else round(trusted * place.shared / 2, 2),
                number=number,
                content_hash=page.original.hash,
                text_hash=page.text.hash,
                start=place.start,
                end=place.end,
            )
        )
        return number

    def _text(self, page: Page) -> str:
        return self._sources.texts[page.url].text

    def _source(self, page: Page) -> Source:
        """A page in the shape in which sources are judged."""
        passage = Passage(
            document=page.final_url,
            version=page.original.hash,
            size=page.original.size,
            text_hash=page.text.hash,
            locator=page.final_url,
            title=page.title,
            media_type=page.media_type,
            collection="web",
            published_at=page.fetched_at,
            headings=(),
            start=0,
            end=0,
            text="",
            score=0.0,
        )
        return Source(passage, self._text(page), (), 0)

    # -- how it compares ---------------------------------------------------------------------------

    def _tally(self) -> Grounding:
        outcomes = tuple(each.outcome for each in self._checks)
        return Grounding(
            outcomes=outcomes,
            sources=tuple(map(self._cited_source, self._sources.named)),
            supported=outcomes.count("supported"),
            not_found=outcomes.count("not_found"),
            unreachable=outcomes.count("unreachable"),
            supports=tuple(self._supports),
            in_other_words=sum(
                outcome == "not_found" and (value or 0.0) >= SUPPORTED
                for outcome, value in zip(outcomes, self._supports, strict=True)
            ),
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

    def _factors(self) -> ConfidenceFactors:
        cited = {each.locator for each in self._citations}
        pages = {page.final_url: page for page in self._sources.pages.values()}
        sources = [self._source(page) for url, page in pages.items() if url in cited]
        origin = self._origins()
        behind = [
            len({origin[self._citations[number - 1].text_hash] for number in cited})
            for each, cited, value in zip(self._checks, self._cited, self._supports, strict=True)
            if each.outcome == "supported" or (value or 0.0) >= SUPPORTED
        ]
        return ConfidenceFactors(
            num_corroborating_sources=sum(behind) // max(1, len(behind)),
            source_authority=typical_authority(sources),
            contradiction_detected=False,
            query_specificity_match=self._covered(),
            budget_exhausted=self._shortfall is not None,
            recency=recency(sources),
        )

    def _origins(self) -> dict[str, int]:
        """For each cited text the first one that it is a copy of: copies are one witness."""
        texts = {page.text.hash: self._text(page) for page in self._sources.pages.values()}
        return dict(zip(texts, groups(list(texts.values())), strict=True))

    def _covered(self) -> float:
        """Share of the question's terms that the quoted passages speak of."""
        wanted = terms_of(self._question, self._terms)
        quoted = frozenset[str]().union(
            *(terms_of(each.raw_excerpt, self._terms) for each in self._citations)
        )
        return round(len(wanted & quoted) / len(wanted), 2) if wanted else 0.0

    def _gaps(self) -> tuple[Gap, ...]:
        gaps: list[Gap] = []
        if self._shortfall:
            gaps.append(
                Gap(
                    topic=short(self._question, 200),
                    category="budget_exhausted",
                    detail=self._shortfall,
                )
            )
        tally = self._tally()
        missed = tally.not_found - tally.in_other_words
        if missed:
            gaps.append(
                Gap(
                    topic="Sentences that their sources do not say",
                    category="source_not_found",
                    detail=f"{count(missed, 'cited sentence')} of {len(self._checks)} could not be "
                    "found in the cited pages; the nearest passages are cited instead.",
                )
            )
        for url, (code, why) in list(self._sources.unread.items())[:_GAPS_SHOWN]:
            topic = self._sources.titles.get(url) or re.sub(r"[?#].*", "", url)
            gaps.append(
                Gap(topic=short(topic, 200), category=_category(code), detail=short(why, 400))
            )
        return tuple(gaps)


def _category(code: str) -> GapCategory:
    """What kind of gap an unread source leaves."""
    if code in {"page_not_found", "name_not_found"}:
        return "source_not_found"
    if code == "scope_exceeded":
        return "scope_exceeded"
    return _CATEGORIES.get(code, "access_denied")
