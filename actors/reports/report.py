"""Findings as a report for a person, in Markdown. Pure: the same findings give the same bytes."""

from collections.abc import Iterator

from actors.findings import Citation, Findings, Statement
from actors.reports.report_sections import for_show
from actors.reports.wording import count, short


def render_report(question: str, findings: Findings) -> str:
    """The report on one question."""
    return "\n".join(_lines(question, for_show(findings))).rstrip() + "\n"


def _lines(question: str, findings: Findings) -> Iterator[str]:
    yield f"# {_flat(question)}"
    yield ""
    yield from _summary(findings)
    yield from _evidence(findings)
    yield from _contradictions(findings)
    yield from _gaps(findings)
    yield from _open_questions(findings)
    yield from _discoveries(findings)
    yield from _sources(findings)
    yield from _confidence(findings)


def _summary(findings: Findings) -> Iterator[str]:
    yield "## Summary"
    yield ""
    if not findings.sentences:
        yield findings.answer
        yield ""
    yield from _inferred(findings)
    for part in findings.parts:
        if first := next(iter(_about(findings, part)), None):
            yield _quotation(first)
            yield ""
    unanswered = [part for part in findings.parts if not _about(findings, part)]
    if findings.sentences and unanswered:
        yield f"Not answered: {'; '.join(unanswered)}"
        yield ""
    yield (
        f"Confidence {findings.confidence:.2f}, from "
        f"{count(len(findings.citations), 'citation')} of "
        f"{count(len({each.text_hash for each in findings.citations}), 'source')}. "
        "Every quotation is verbatim; its place is given under Sources."
    )
    yield ""


def _evidence(findings: Findings) -> Iterator[str]:
    yield "## Findings"
    yield ""
    for part in findings.parts:
        if len(findings.parts) > 1:
            yield f"### {_flat(part)}"
            yield ""
        statements = _about(findings, part)
        for each in statements:
            yield f"- {_quotation(each)}"
        if not statements:
            yield "The corpus holds nothing on this."
        yield ""


def _inferred(findings: Findings) -> Iterator[str]:
    """What follows from the quotations together."""
    for each in findings.sentences:
        if not each.citations:
            yield f"{_flat(each.text)} [inference]"
            yield ""


def _contradictions(findings: Findings) -> Iterator[str]:
    clashes = [gap for gap in findings.gaps if gap.category == "contradictory_sources"]
    if not clashes:
        return
    yield "## Contradictions"
    yield ""
    for gap in clashes:
        yield f"- **{_flat(gap.topic)}.** {_flat(gap.detail)}"
    yield ""


def _gaps(findings: Findings) -> Iterator[str]:
    yield "## Gaps"
    yield ""
    gaps = [gap for gap in findings.gaps if gap.category != "contradictory_sources"]
    for gap in gaps:
        yield f"- **{_flat(gap.topic)}** (`{gap.category}`): {_flat(gap.detail)}"
    if not gaps:
        yield "None that this researcher noticed."
    yield ""


def _open_questions(findings: Findings) -> Iterator[str]:
    if not findings.open_questions:
        return
    yield "## Open questions"
    yield ""
    for each in findings.open_questions:
        yield f"- ({each.priority}) {_flat(each.question)} {_flat(each.context)}"
    yield ""


def _discoveries(findings: Findings) -> Iterator[str]:
    found = [each for each in findings.discovery_events if each.type != "contradiction"]
    if not found:
        return
    yield "## Leads"
    yield ""
    for each in found:
        yield f"- {_flat(each.query)} {_flat(each.reason)}"
    yield ""


def _sources(findings: Findings) -> Iterator[str]:
    yield "## Sources"
    yield ""
    for each in findings.citations:
        yield f"{each.number}. **{_flat(each.title or each.locator)}** · {_flat(each.locator)}"
        yield f"   `{each.content_hash}`, characters {each.start} to {each.end} of its text"
        yield ""
        yield from _excerpt(each)
        yield ""
    if not findings.citations:
        yield "None."
        yield ""


def _excerpt(citation: Citation) -> Iterator[str]:
    """The excerpt, line by line as it stands in the source."""
    for line in citation.raw_excerpt.splitlines():
        yield f"   > {line}"


def _confidence(findings: Findings) -> Iterator[str]:
    factors = findings.confidence_factors
    yield "## Confidence"
    yield ""
    yield "| Factor | Value |"
    yield "| --- | --- |"
    yield f"| Confidence | {findings.confidence:.2f} |"
    yield f"| Independent sources behind each part | {factors.num_corroborating_sources} |"
    yield f"| Authority of the sources | {factors.source_authority} |"
    yield f"| Contradiction found | {_yes(factors.contradiction_detected)} |"
    yield f"| Share of the question covered | {factors.query_specificity_match:.2f} |"
    yield f"| Budget exhausted | {_yes(factors.budget_exhausted)} |"
    yield f"| Recency | {factors.recency or 'unknown'} |"
    yield f"| Searches | {findings.iterations_run} |"
    yield f"| Researcher | {findings.model_id} |"


def _about(findings: Findings, part: str) -> list[Statement]:
    return [each for each in findings.sentences if each.about == part and each.citations]


def _quotation(statement: Statement) -> str:
    marks = "".join(f"[{number}]" for number in statement.citations)
    against = ", ".join(f"[{number}]" for number in statement.disputes)
    return f"“{statement.text}” {marks}" + (f" (but see {against})" if against else "")


def _flat(text: str) -> str:
    return short(" ".join(text.split()), 600)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
