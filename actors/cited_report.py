"""Findings that a model wrote and rules checked, as a report for a person. Pure: same findings, same bytes.

The sentences are the model's; only what stands under Sources is quoted. Whatever comes from outside is
shown without what cannot be seen.
"""

from collections.abc import Iterator

from actors.findings import Findings, Statement
from actors.injection import shown, visible
from actors.wording import count, short


def render_cited_report(question: str, findings: Findings) -> str:
    """The report on one question."""
    return "\n".join(_lines(question, findings)).rstrip() + "\n"


def _lines(question: str, findings: Findings) -> Iterator[str]:
    yield f"# {_flat(question)}"
    yield ""
    yield "## Answer"
    yield ""
    yield _flat(findings.answer, 100_000)
    yield ""
    yield _summary(findings)
    yield ""
    yield from _disputed(findings)
    clashes = [g for g in findings.gaps if g.category == "contradictory_sources"]
    yield from _listed(
        "Contradictions", [f"**{_flat(g.topic)}.** {_flat(g.detail)}" for g in clashes]
    )
    gaps = [gap for gap in findings.gaps if gap not in clashes]
    told = [f"**{_flat(g.topic)}** (`{g.category}`): {_flat(g.detail)}" for g in gaps]
    yield from _listed("Gaps", told or ["None that this researcher noticed."])
    asked = [
        f"({q.priority}) {_flat(q.question)} {_flat(q.context)}" for q in findings.open_questions
    ]
    yield from _listed("Open questions", asked)
    leads = [f"{_flat(d.query)} {_flat(d.reason)}" for d in findings.discovery_events]
    yield from _listed("Leads", leads)
    yield from _sources(findings)
    yield from _confidence(findings)


def _summary(findings: Findings) -> str:
    inferred = sum(not each.citations for each in findings.sentences)
    sources = len({each.text_hash for each in findings.citations})
    return (
        f"Confidence {findings.confidence:.2f}. Written by {findings.model_id}; "
        f"{count(len(findings.sentences), 'sentence')}, {inferred} of them without a citation and "
        f"marked as inference; {count(len(findings.citations), 'citation')} of "
        f"{count(sources, 'source')}. "
        "Every excerpt under Sources is verbatim, at the place that is given there."
    )


def _disputed(findings: Findings) -> Iterator[str]:
    told = [f"{_flat(each.text)} {_against(each)}" for each in findings.sentences if each.disputes]
    yield from _listed("Disputed sentences", told)


def _against(statement: Statement) -> str:
    own = "".join(f"[{number}]" for number in statement.citations)
    return f"{own} (but see {', '.join(f'[{number}]' for number in statement.disputes)})"


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
        ("Rounds", findings.iterations_run),
        ("Tokens", findings.tokens_used),
        ("Model", findings.model_id),
    )
    yield "## Confidence"
    yield ""
    yield "| Factor | Value |"
    yield "| --- | --- |"
    yield from (f"| {name} | {_flat(str(value))} |" for name, value in rows)


def _flat(text: str, most: int = 600) -> str:
    return short(visible(text), most)
