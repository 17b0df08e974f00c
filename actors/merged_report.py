"""What several researchers found together, as a report for a person. Pure: same findings, same bytes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from actors.findings import Findings
from actors.injection import shown, visible
from actors.wording import count, short

_NUMBER = re.compile(r"\[\d{1,4}\]")
"""A citation in words."""


def render_merged_report(
    question: str, findings: Findings, crew: Sequence[dict[str, Any]] = ()
) -> str:
    """The report on one question, with who worked on it."""
    return "\n".join(_lines(question, findings, crew)).rstrip() + "\n"


def _lines(question: str, findings: Findings, crew: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"# {_flat(question)}"
    yield ""
    yield "## Answer"
    yield ""
    yield shown(findings.answer)
    yield ""
    yield _summary(findings, len(crew))
    yield ""
    clashes = [gap for gap in findings.gaps if gap.category == "contradictory_sources"]
    yield from _listed(
        "Contradictions", [f"**{_flat(gap.topic)}.** {_flat(gap.detail)}" for gap in clashes]
    )
    gaps = [gap for gap in findings.gaps if gap not in clashes]
    told = [f"**{_flat(gap.topic)}** (`{gap.category}`): {_flat(gap.detail)}" for gap in gaps]
    yield from _listed("Gaps", told or ["None that the researchers noticed."])
    asked = [
        f"({each.priority}) {_flat(each.question)} {_flat(each.context)}{_sent(each.dispatched_to)}"
        for each in findings.open_questions
    ]
    yield from _listed("Open questions", asked)
    leads = [
        f"{_flat(each.query)} {_flat(each.reason)}{_sent(each.dispatched_to)}"
        for each in findings.discovery_events
    ]
    yield from _listed("Leads", leads)
    yield from _listed("Researchers", [_member(each) for each in crew])
    yield from _sources(findings)
    yield from _confidence(findings)


def _summary(findings: Findings, researchers: int) -> str:
    sources = len({each.text_hash for each in findings.citations})
    by = f" by {count(researchers, 'researcher')}" if researchers else ""
    return (
        f"Confidence {findings.confidence:.2f}. Put together claim by claim{by} "
        f"({_flat(findings.model_id)}): {count(len(findings.sentences), 'sentence')}, "
        f"{count(len(findings.citations), 'citation')} of {count(sources, 'source')}. "
        "Every excerpt under Sources is verbatim, at the place that is given there."
    )


def _member(member: dict[str, Any]) -> str:
    name = member["researcher"].rpartition(".")[2]
    told = f"**{name}** ({member['kind']}): {_flat(member['question'])}"
    if member["confidence"] is None:
        told += f" Ended without findings (`{member['failure'] or 'stopped'}`)."
    else:
        told += f" Confidence {member['confidence']:.2f}, {count(member['tokens_used'], 'token')}."
    if sent := member["dispatch"]:
        what = sent["prompted_by"].replace("_", " ")
        origin = sent["origin"].rpartition(".")[2]
        # The numbers in it are those of its origin's own findings; of the first one's, they are ours.
        reason = sent["reason"] if origin == "r1" else _NUMBER.sub("[…]", sent["reason"])
        told += f" Sent after the {what} of {origin}: {_flat(reason)}"
    return told


def _sent(researcher: str | None) -> str:
    return f" Followed by {researcher.rpartition('.')[2]}." if researcher else ""


def _listed(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"## {title}"
        yield ""
        yield from (f"- {item}" for item in items)
        yield ""


def _sources(findings: Findings) -> Iterator[str]:
    yield "## Sources"
    yield ""
    for each in findings.citations:
        yield f"{each.number}. **{_flat(each.title or each.locator)}** · {_flat(each.locator)}"
        yield f"   `{each.content_hash}`, characters {each.start} to {each.end} of its text"
        yield ""
        yield from (f"   > {line}" for line in shown(each.raw_excerpt).splitlines())
        yield ""
    if not findings.citations:
        yield "None."
        yield ""


def _confidence(findings: Findings) -> Iterator[str]:
    factors = findings.confidence_factors
    rows = (
        ("Confidence", f"{findings.confidence:.2f}"),
        ("Independent sources behind each sentence", factors.num_corroborating_sources),
        ("Authority of the sources", factors.source_authority),
        ("Contradiction found", "yes" if factors.contradiction_detected else "no"),
        ("Share of the question covered", f"{factors.query_specificity_match:.2f}"),
        ("Budget exhausted", "yes" if factors.budget_exhausted else "no"),
        ("Recency", factors.recency or "unknown"),
        ("Rounds and searches", findings.iterations_run),
        ("Tokens", findings.tokens_used),
    )
    yield "## Confidence"
    yield ""
    yield "| Factor | Value |"
    yield "| --- | --- |"
    yield from (f"| {name} | {_flat(str(value))} |" for name, value in rows)


def _flat(text: str, most: int = 600) -> str:
    return short(visible(text), most)
