"""Findings that a model wrote and rules checked, as a report for a person. Pure: same findings, same bytes.

The sentences are the model's, unless the summary says that no model wrote them; only what stands under Sources is
quoted. Whatever comes from outside is shown without what cannot be seen.
"""

from collections.abc import Iterator

from actors.findings import Findings, Statement
from actors.reports.report_sections import (
    confidence_section,
    flat,
    for_show,
    gap_sections,
    listed,
    source_section,
)
from events.words import count


def render_cited_report(question: str, findings: Findings) -> str:
    """The report on one question."""
    return "\n".join(_lines(question, for_show(findings))).rstrip() + "\n"


def _lines(question: str, findings: Findings) -> Iterator[str]:
    yield f"# {flat(question)}"
    yield ""
    yield "## Answer"
    yield ""
    yield flat(findings.answer, 100_000)
    yield ""
    yield _summary(findings)
    yield ""
    yield from _disputed(findings)
    yield from gap_sections(findings.gaps, "None that this researcher noticed.")
    asked = [
        f"({q.priority}) {flat(q.question)} {flat(q.context)}" for q in findings.open_questions
    ]
    yield from listed("Open questions", asked)
    leads = [f"{flat(d.query)} {flat(d.reason)}" for d in findings.discovery_events]
    yield from listed("Leads", leads)
    yield from source_section(findings)
    yield from confidence_section(
        findings,
        ("Rounds", findings.iterations_run),
        ("Tokens", findings.tokens_used),
        ("Model", "none wrote this answer" if findings.quoted else findings.model_id),
    )


def _summary(findings: Findings) -> str:
    inferred = sum(not each.citations for each in findings.sentences)
    sources = len({each.text_hash for each in findings.citations})
    if findings.quoted:
        return (
            f"Confidence {findings.confidence:.2f}. No model wrote this: "
            f"{count(len(findings.sentences), 'quotation')} that a rule picked, "
            f"{count(len(findings.citations), 'citation')} of {count(sources, 'source')}. "
            "Every excerpt under Sources is verbatim, at the place that is given there."
        )
    return (
        f"Confidence {findings.confidence:.2f}. Written by {findings.model_id}; "
        f"{count(len(findings.sentences), 'sentence')}, {inferred} of them without a citation and "
        f"marked as inference; {count(len(findings.citations), 'citation')} of "
        f"{count(sources, 'source')}. "
        "Every excerpt under Sources is verbatim, at the place that is given there."
    )


def _disputed(findings: Findings) -> Iterator[str]:
    told = [f"{flat(each.text)} {_against(each)}" for each in findings.sentences if each.disputes]
    yield from listed("Disputed sentences", told)


def _against(statement: Statement) -> str:
    own = "".join(f"[{number}]" for number in statement.citations)
    return f"{own} (but see {', '.join(f'[{number}]' for number in statement.disputes)})"
