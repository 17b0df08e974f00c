"""Parts that reports of models and of several researchers have in common.

Whatever comes from outside is shown without what cannot be seen.
"""

from collections.abc import Iterator
from typing import TypeVar

from actors.findings import Findings, Found, Gap
from actors.reports.wording import short
from actors.webpages.injection import shown, visible
from language.plain import inert

Part = TypeVar("Part", bound=Found)


def flat(text: str, most: int = 600) -> str:
    """Words from outside, on one line."""
    return short(visible(text), most)


def for_show(findings: Findings) -> Findings:
    """Findings as a report shows them: what comes from outside is no markup in it, where their rules say so.

    The answer and its sentences are shown so already; remarks keep the marks that refer to citations.
    """
    if not findings.shown_plainly:
        return findings
    return findings.model_copy(
        update={
            "citations": tuple(
                inert_in(each, "title", "locator", "raw_excerpt") for each in findings.citations
            ),
            "gaps": tuple(inert_in(each, "topic", "detail") for each in findings.gaps),
            "discovery_events": tuple(
                inert_in(each, "query", "reason") for each in findings.discovery_events
            ),
            "open_questions": tuple(
                inert_in(each, "question", "context") for each in findings.open_questions
            ),
        }
    )


def inert_in(part: Part, *names: str) -> Part:
    """A part of findings in whose named members nothing is markup."""
    said = {name: getattr(part, name) for name in names}
    return part.model_copy(update={name: inert(text) for name, text in said.items() if text})


def listed(title: str, items: list[str]) -> Iterator[str]:
    """A section of items; nothing where there are none."""
    if items:
        yield f"## {title}"
        yield ""
        yield from (f"- {item}" for item in items)
        yield ""


def gap_sections(gaps: tuple[Gap, ...], none: str) -> Iterator[str]:
    """Contradictions, then what else is missing."""
    clashes = [gap for gap in gaps if gap.category == "contradictory_sources"]
    yield from listed(
        "Contradictions", [f"**{flat(gap.topic)}.** {flat(gap.detail)}" for gap in clashes]
    )
    others = [gap for gap in gaps if gap not in clashes]
    told = [f"**{flat(gap.topic)}** (`{gap.category}`): {flat(gap.detail)}" for gap in others]
    yield from listed("Gaps", told or [none])


def source_section(findings: Findings) -> Iterator[str]:
    """Every citation with its place and its verbatim excerpt."""
    yield "## Sources"
    yield ""
    for each in findings.citations:
        yield f"{each.number}. **{flat(each.title or each.locator)}** · {flat(each.locator)}"
        yield f"   `{each.content_hash}`, characters {each.start} to {each.end} of its text"
        yield ""
        yield from (f"   > {line}" for line in shown(each.raw_excerpt).splitlines())
        yield ""
    if not findings.citations:
        yield "None."
        yield ""


def confidence_section(findings: Findings, *more: tuple[str, object]) -> Iterator[str]:
    """What the confidence rests on."""
    factors = findings.confidence_factors
    rows = (
        ("Confidence", f"{findings.confidence:.2f}"),
        ("Independent sources behind each sentence", factors.num_corroborating_sources),
        ("Authority of the sources", factors.source_authority),
        ("Contradiction found", "yes" if factors.contradiction_detected else "no"),
        ("Share of the question covered", f"{factors.query_specificity_match:.2f}"),
        ("Budget exhausted", "yes" if factors.budget_exhausted else "no"),
        ("Recency", factors.recency or "unknown"),
        *more,
    )
    yield "## Confidence"
    yield ""
    yield "| Factor | Value |"
    yield "| --- | --- |"
    yield from (f"| {name} | {flat(str(value))} |" for name, value in rows)
