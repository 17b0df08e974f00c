"""What several researchers found together, as a report for a person. Pure: same findings, same bytes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from actors.findings import Findings
from actors.reports.report_sections import (
    confidence_section,
    flat,
    for_show,
    gap_sections,
    listed,
    source_section,
)
from actors.webpages.injection import shown
from events.words import count

_NUMBER = re.compile(r"\[\d{1,4}\]")
"""A citation in words."""


def render_merged_report(
    question: str, findings: Findings, crew: Sequence[dict[str, Any]] = ()
) -> str:
    """The report on one question, with who worked on it."""
    return "\n".join(_lines(question, for_show(findings), crew)).rstrip() + "\n"


def _lines(question: str, findings: Findings, crew: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"# {flat(question)}"
    yield ""
    yield "## Answer"
    yield ""
    yield shown(findings.answer)
    yield ""
    yield _summary(findings, len(crew))
    yield ""
    yield from gap_sections(findings.gaps, "None that the researchers noticed.")
    asked = [
        f"({each.priority}) {flat(each.question)} {flat(each.context)}{_sent(each.dispatched_to)}"
        for each in findings.open_questions
    ]
    yield from listed("Open questions", asked)
    leads = [
        f"{flat(each.query)} {flat(each.reason)}{_sent(each.dispatched_to)}"
        for each in findings.discovery_events
    ]
    yield from listed("Leads", leads)
    yield from listed("Researchers", [_member(each) for each in crew])
    yield from source_section(findings)
    yield from confidence_section(
        findings,
        ("Rounds and searches", findings.iterations_run),
        ("Tokens", findings.tokens_used),
    )


def _summary(findings: Findings, researchers: int) -> str:
    sources = len({each.text_hash for each in findings.citations})
    by = f" by {count(researchers, 'researcher')}" if researchers else ""
    return (
        f"Confidence {findings.confidence:.2f}. Put together claim by claim{by} "
        f"({flat(findings.model_id)}): {count(len(findings.sentences), 'sentence')}, "
        f"{count(len(findings.citations), 'citation')} of {count(sources, 'source')}. "
        "Every excerpt under Sources is verbatim, at the place that is given there."
    )


def _member(member: dict[str, Any]) -> str:
    name = member["researcher"].rpartition(".")[2]
    told = f"**{name}** ({member['kind']}): {flat(member['question'])}"
    if member["confidence"] is None:
        told += f" Ended without findings (`{member['failure'] or 'stopped'}`)."
    else:
        told += f" Confidence {member['confidence']:.2f}, {count(member['tokens_used'], 'token')}."
    if sent := member["dispatch"]:
        what = sent["prompted_by"].replace("_", " ")
        origin = sent["origin"].rpartition(".")[2]
        # The numbers in it are those of its origin's own findings; of the first one's, they are ours.
        reason = sent["reason"] if origin == "r1" else _NUMBER.sub("[…]", sent["reason"])
        told += f" Sent after the {what} of {origin}: {flat(reason)}"
    return told


def _sent(researcher: str | None) -> str:
    return f" Followed by {researcher.rpartition('.')[2]}." if researcher else ""
