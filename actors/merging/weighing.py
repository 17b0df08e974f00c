"""How sure one may be of what several researchers found together: weighed anew from all the evidence. Pure."""

from collections.abc import Sequence

from actors.findings import Citation, ConfidenceFactors, Recency
from actors.merging.contributions import Claim, Contribution, Text
from actors.merging.meaning import Meaning
from actors.outside import Page
from actors.reports.excerpts import Excerpt
from actors.reports.grounding import Cited, Grounded, Grounding
from actors.reports.support import combined, support
from actors.webpages.webpage import WebPage
from actors.weighing import Weighing
from events.base import Blob

_AGES: tuple[Recency, ...] = ("dated", "recent", "current")


def weighed(
    question: str,
    claims: Sequence[Claim],
    citations: Sequence[Citation],
    text: Text,
    meaning: Meaning,
    *,
    exhausted: bool,
    contradicted: bool,
    recency: Recency | None,
) -> tuple[ConfidenceFactors, float]:
    """The factors of all the evidence together, and the confidence that follows from them."""
    pages = _pages(citations, text)
    cited = {
        each.number: Cited(
            each.number,
            pages[each.text_hash],
            Excerpt(each.start, each.end, "exact", each.raw_excerpt),
        )
        for each in citations
    }
    grounding = Grounding(
        sentences=[
            Grounded(
                each.text,
                tuple(cited[n] for n in each.citations),
                support_of(each, citations, meaning),
            )
            for each in claims
        ],
        citations=list(cited.values()),
    )
    weighing = Weighing(question, grounding, pages)
    factors = weighing.factors(exhausted=exhausted, contradiction_reported=contradicted)
    factors = factors.model_copy(update={"recency": recency})
    return factors, weighing.confidence(factors)


def support_of(claim: Claim, citations: Sequence[Citation], meaning: Meaning) -> float:
    """How much of a claim its citations say, by its words and, where that is known, its meaning."""
    passages = [citations[number - 1].raw_excerpt for number in claim.citations]
    if not passages:
        return 0.0
    return combined(
        support(claim.text, "\n\n".join(passages)), meaning.nearest(claim.text, passages)
    )


def oldest(contributions: Sequence[Contribution]) -> Recency | None:
    """As fresh as the oldest evidence; who read a source has judged its age."""
    ages = [
        each.findings.confidence_factors.recency
        for each in contributions
        if each.findings.citations
    ]
    return next((age for age in _AGES if age in ages), None)


def _pages(citations: Sequence[Citation], text: Text) -> dict[str, WebPage]:
    """The sources that are cited, as the weighing sees them."""
    pages: dict[str, WebPage] = {}
    for each in citations:
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
            pages[each.text_hash] = WebPage(f"p{order}", page, text(each.text_hash), order)
    return pages
