"""Findings as a report for a person, in Markdown. Pure: the same findings give the same bytes."""

from collections.abc import Iterator

from actors.findings import Citation, Findings, Statement
from actors.reports.phrases import PHRASES, Phrases
from actors.reports.report_sections import for_show
from actors.reports.wording import short


def render_report(question: str, findings: Findings) -> str:
    """The report on one question."""
    lines = _lines(question, for_show(findings), PHRASES[findings.wording])
    return "\n".join(lines).rstrip() + "\n"


def _lines(question: str, findings: Findings, phrases: Phrases) -> Iterator[str]:
    yield f"# {_flat(question)}"
    yield ""
    yield from _summary(findings, phrases)
    yield from _evidence(findings, phrases)
    yield from _contradictions(findings, phrases)
    yield from _gaps(findings, phrases)
    yield from _open_questions(findings, phrases)
    yield from _discoveries(findings, phrases)
    yield from _sources(findings, phrases)
    yield from _confidence(findings, phrases)


def _summary(findings: Findings, phrases: Phrases) -> Iterator[str]:
    yield phrases.heading("summary")
    yield ""
    if not findings.sentences:
        yield findings.answer
        yield ""
    yield from _inferred(findings)
    for part in findings.parts:
        if first := next(iter(_about(findings, part)), None):
            yield _quotation(first, phrases)
            yield ""
    unanswered = [part for part in findings.parts if not _about(findings, part)]
    if findings.sentences and unanswered:
        yield phrases.unanswered.format(phrases.between_unanswered.join(unanswered))
        yield ""
    yield phrases.rests_on.format(
        findings.confidence,
        phrases.count(len(findings.citations), "citation"),
        phrases.count(len({each.text_hash for each in findings.citations}), "source"),
    )
    yield ""


def _evidence(findings: Findings, phrases: Phrases) -> Iterator[str]:
    yield phrases.heading("findings")
    yield ""
    for part in findings.parts:
        if len(findings.parts) > 1:
            yield f"### {_flat(part)}"
            yield ""
        statements = _about(findings, part)
        for each in statements:
            yield f"- {_quotation(each, phrases)}"
        if not statements:
            yield phrases.nothing_on_this
        yield ""


def _inferred(findings: Findings) -> Iterator[str]:
    """What follows from the quotations together."""
    for each in findings.sentences:
        if not each.citations:
            yield f"{_flat(each.text)} [inference]"
            yield ""


def _contradictions(findings: Findings, phrases: Phrases) -> Iterator[str]:
    clashes = [gap for gap in findings.gaps if gap.category == "contradictory_sources"]
    if not clashes:
        return
    yield phrases.heading("contradictions")
    yield ""
    for gap in clashes:
        yield f"- **{_flat(gap.topic)}.** {_flat(gap.detail)}"
    yield ""


def _gaps(findings: Findings, phrases: Phrases) -> Iterator[str]:
    yield phrases.heading("gaps")
    yield ""
    gaps = [gap for gap in findings.gaps if gap.category != "contradictory_sources"]
    for gap in gaps:
        yield f"- **{_flat(gap.topic)}** (`{gap.category}`): {_flat(gap.detail)}"
    if not gaps:
        yield phrases.no_gaps
    yield ""


def _open_questions(findings: Findings, phrases: Phrases) -> Iterator[str]:
    if not findings.open_questions:
        return
    yield phrases.heading("open questions")
    yield ""
    for each in findings.open_questions:
        yield f"- ({phrases.value(each.priority)}) {_flat(each.question)} {_flat(each.context)}"
    yield ""


def _discoveries(findings: Findings, phrases: Phrases) -> Iterator[str]:
    found = [each for each in findings.discovery_events if each.type != "contradiction"]
    if not found:
        return
    yield phrases.heading("leads")
    yield ""
    for each in found:
        yield f"- {_flat(each.query)} {_flat(each.reason)}"
    yield ""


def _sources(findings: Findings, phrases: Phrases) -> Iterator[str]:
    yield phrases.heading("sources")
    yield ""
    for each in findings.citations:
        yield f"{each.number}. **{_flat(each.title or each.locator)}** · {_flat(each.locator)}"
        yield f"   {phrases.place.format(each.content_hash, each.start, each.end)}"
        yield ""
        yield from _excerpt(each)
        yield ""
    if not findings.citations:
        yield phrases.no_sources
        yield ""


def _excerpt(citation: Citation) -> Iterator[str]:
    """The excerpt, line by line as it stands in the source."""
    for line in citation.raw_excerpt.splitlines():
        yield f"   > {line}"


def _confidence(findings: Findings, phrases: Phrases) -> Iterator[str]:
    factors = findings.confidence_factors
    yes, no = phrases.yes_or_no
    values = (
        f"{findings.confidence:.2f}",
        factors.num_corroborating_sources,
        phrases.value(factors.source_authority),
        yes if factors.contradiction_detected else no,
        f"{factors.query_specificity_match:.2f}",
        yes if factors.budget_exhausted else no,
        phrases.value(factors.recency) if factors.recency else phrases.unknown,
        findings.iterations_run,
        findings.model_id,
    )
    yield phrases.heading("confidence")
    yield ""
    yield f"| {' | '.join(phrases.columns)} |"
    yield "| --- | --- |"
    yield from (
        f"| {name} | {value} |" for name, value in zip(phrases.factors, values, strict=True)
    )


def _about(findings: Findings, part: str) -> list[Statement]:
    return [each for each in findings.sentences if each.about == part and each.citations]


def _quotation(statement: Statement, phrases: Phrases) -> str:
    marks = "".join(f"[{number}]" for number in statement.citations)
    against = ", ".join(f"[{number}]" for number in statement.disputes)
    said = phrases.quotation.format(statement.text)
    return f"{said} {marks}" + (phrases.but_see.format(against) if against else "")


def _flat(text: str) -> str:
    return short(" ".join(text.split()), 600)
