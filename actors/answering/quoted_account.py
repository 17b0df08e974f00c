"""The account of a research that quotes: what was found, what was not, and how sure one may be."""

from collections.abc import Mapping, Sequence

from actors.answering.candidates import Candidate
from actors.answering.chain_links import Chain
from actors.answering.comparing import ToldSide
from actors.answering.concluding import verdict
from actors.answering.coverage import Coverage
from actors.answering.japanese.ordering import concluded as concluded_in_japanese
from actors.answering.quotations import Quotations
from actors.answering.quoting import Dispute, Quote
from actors.answering.reading import Reading, in_japanese
from actors.answering.relevance import Judge
from actors.answering.rules import Rules
from actors.answering.shortfalls import Shortfalls
from actors.findings import UNANSWERED, ConfidenceFactors, Findings, Statement, confidence
from actors.reports.phrases import PHRASES, Wording
from actors.trust import independent, recency, typical_authority

INFERENCE = "[inference]"


def account(
    question: str,
    reading: Reading,
    judge: Judge,
    quotes: Sequence[Quote],
    disputes: Sequence[Dispute],
    chains: Mapping[int, Chain],
) -> Findings:
    """The findings of a research, from what was read and what of it is quoted."""
    wording = _wording(question, reading.rules)
    quotations = Quotations(quotes, reading.rules, PHRASES[wording])
    coverage = Coverage(reading, judge, quotations, chains)
    shortfalls = Shortfalls(reading, quotations, disputes, coverage)
    factors = _factors(reading, quotations, disputes, coverage)
    answered = sum(bool(quotations.of(number)) for number in range(len(reading.parts)))
    sure = confidence(factors, answered / len(reading.parts)) if quotes else UNANSWERED
    concluded = _verdict(reading, quotations) if reading.rules.closer else None
    return Findings(
        question=question,
        answer=_answer(reading, quotations, concluded),
        citations=tuple(quotations.citations),
        gaps=shortfalls.gaps(),
        discovery_events=tuple(shortfalls.discoveries()),
        open_questions=tuple(shortfalls.open_questions()),
        confidence=sure,
        confidence_factors=factors,
        iterations_run=reading.searches,
        tokens_used=0,
        budget_exhausted=factors.budget_exhausted,
        model_id=reading.rules.model,
        parts=tuple(part.text for part in reading.parts),
        sentences=(*_inferred(question, concluded), *_statements(reading, quotations)),
        shown_plainly=reading.rules.shows_plainly,
        wording=wording,
    )


def _wording(question: str, rules: Rules) -> Wording:
    if not rules.worded_as_asked:
        return ""
    return "ja" if in_japanese(question, rules) else "en"


def _verdict(reading: Reading, quotations: Quotations) -> str | None:
    """What follows from the quotations, where they are those of one comparison and undisputed."""
    if any(quote.against for quote in quotations.quotes):
        return None
    sides = [
        ToldSide(part.thing, part.aspect, _leads(quotations, number), part.whether)
        for number, part in enumerate(reading.parts)
        if part.side
    ]
    if len(sides) != len(reading.parts):
        return None
    if reading.rules.weighs_in_japanese and all(part.japanese for part in reading.parts):
        return concluded_in_japanese(sides)
    return verdict(sides, reading.terms)


def _leads(quotations: Quotations, part: int) -> list[Candidate]:
    return [quote.lead for quote in quotations.of(part)]


def _inferred(question: str, concluded: str | None) -> list[Statement]:
    """What rests on no citation of its own, but on the quotations below it."""
    return [Statement(text=concluded, citations=(), about=question)] if concluded else []


def _answer(reading: Reading, quotations: Quotations, concluded: str | None) -> str:
    """What follows, then quotations with their numbers, under a heading for each part where there are several."""
    if not quotations.quotes:
        return quotations.phrases.nothing
    blocks = [f"{concluded} {INFERENCE}"] if concluded else []
    for number, part in enumerate(reading.parts):
        if len(reading.parts) > 1:
            blocks.append(f"**{part.text}**")
        blocks.append("\n".join(quotations.lines(number)) or quotations.phrases.nothing_here)
    return "\n\n".join(blocks)


def _statements(reading: Reading, quotations: Quotations) -> list[Statement]:
    return [
        Statement(
            text=quotations.told(quote),
            citations=tuple(cited),
            about=reading.parts[quote.part].text,
            disputes=tuple(quotations.number(other) for other in quote.against),
        )
        for quote, cited in zip(quotations.quotes, quotations.cited, strict=True)
    ]


def _factors(
    reading: Reading,
    quotations: Quotations,
    disputes: Sequence[Dispute],
    coverage: Coverage,
) -> ConfidenceFactors:
    quotes = list(quotations.quotes)
    cited = {quote.source.order: quote.source for quote in quotes}
    for quote in quotes:
        cited |= {each.source.order: each.source for each in quote.support}
    sources = [cited[order] for order in sorted(cited)]
    numbers = range(len(reading.parts))
    return ConfidenceFactors(
        num_corroborating_sources=sum(independent(quotes, n) for n in numbers) // len(numbers),
        source_authority=typical_authority(sources),
        contradiction_detected=bool(disputes),
        query_specificity_match=round(sum(map(coverage.met, numbers)) / len(numbers), 2),
        budget_exhausted=bool(
            reading.unsearched
            or reading.left_unread
            or any(chain.stopped for chain in coverage.broken.values())
        ),
        recency=recency(sources),
    )
