"""Findings as a report."""

from actors.findings import (
    Citation,
    ConfidenceFactors,
    DiscoveryEvent,
    Findings,
    Gap,
    OpenQuestion,
    Statement,
)
from actors.reports.report import render_report
from events.codec import digest

QUESTION = "How much does La Rance generate, and how many people does it employ?"
PARTS = ("How much does La Rance generate?", "How many people does it employ?")


def citation(number: int, excerpt: str) -> Citation:
    return Citation(
        source="file",
        locator=f"/library/{number}.md",
        title=f"Source {number}",
        snippet=excerpt,
        raw_excerpt=excerpt,
        confidence=0.7,
        number=number,
        content_hash=digest(b"content"),
        text_hash=digest(b"text%d" % number),
        start=10,
        end=10 + len(excerpt),
    )


FINDINGS = Findings(
    question=QUESTION,
    answer="…",
    citations=(citation(1, "It makes 500 GWh\na year."), citation(2, "It makes 600 GWh a year.")),
    gaps=(
        Gap(topic=PARTS[1], category="source_not_found", detail="Nothing was found."),
        Gap(
            topic="output: 500 GWh or 600 GWh",
            category="contradictory_sources",
            detail="[1] and [2].",
        ),
    ),
    discovery_events=(
        DiscoveryEvent(
            type="new_source",
            suggested_researcher="web",
            query="https://example.org/report",
            reason="Source 1 refers to it.",
            source_locator="/library/1.md",
        ),
    ),
    open_questions=(
        OpenQuestion(
            question="Which is right?", context="They differ.", priority="high", source_locator=None
        ),
    ),
    confidence=0.39,
    confidence_factors=ConfidenceFactors(
        num_corroborating_sources=1,
        source_authority="medium",
        contradiction_detected=True,
        query_specificity_match=0.61,
        budget_exhausted=False,
        recency=None,
    ),
    iterations_run=3,
    tokens_used=0,
    budget_exhausted=False,
    model_id="corpus-extractive-1",
    parts=PARTS,
    sentences=(
        Statement(text="It makes 500 GWh a year.", citations=(1,), about=PARTS[0], disputes=(2,)),
        Statement(text="It makes 600 GWh a year.", citations=(2,), about=PARTS[0], disputes=(1,)),
    ),
)


def section(report: str, heading: str) -> str:
    return report.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def test_the_report_begins_with_the_question_and_its_best_answer() -> None:
    report = render_report(QUESTION, FINDINGS)
    assert report.startswith(
        f"# {QUESTION}\n\n## Summary\n\n“It makes 500 GWh a year.” [1] (but see [2])\n"
    )
    assert "Not answered: How many people does it employ?" in section(report, "Summary")


def test_findings_are_grouped_by_the_parts_of_the_question() -> None:
    findings = section(render_report(QUESTION, FINDINGS), "Findings")
    first, second = findings.split("### ")[1:]
    assert first.startswith(PARTS[0]) and "600 GWh" in first
    assert second.startswith(PARTS[1]) and "holds nothing" in second


def test_contradictions_stand_apart_from_other_gaps() -> None:
    report = render_report(QUESTION, FINDINGS)
    assert section(report, "Contradictions") == "- **output: 500 GWh or 600 GWh.** [1] and [2]."
    assert section(report, "Gaps") == f"- **{PARTS[1]}** (`source_not_found`): Nothing was found."


def test_open_questions_and_leads_are_listed() -> None:
    report = render_report(QUESTION, FINDINGS)
    assert section(report, "Open questions") == "- (high) Which is right? They differ."
    assert section(report, "Leads") == "- https://example.org/report Source 1 refers to it."


def test_each_source_has_its_place_its_hash_and_its_words() -> None:
    sources = section(render_report(QUESTION, FINDINGS), "Sources")
    assert "1. **Source 1** · /library/1.md" in sources
    assert f"`{digest(b'content')}`, characters 10 to 34 of its text" in sources
    assert "   > It makes 500 GWh\n   > a year." in sources


def test_the_factors_of_the_confidence_are_shown() -> None:
    table = section(render_report(QUESTION, FINDINGS), "Confidence")
    assert "| Confidence | 0.39 |" in table and "| Contradiction found | yes |" in table


def test_a_report_on_nothing_says_so() -> None:
    nothing = FINDINGS.model_copy(
        update={
            "answer": "There is nothing.",
            "citations": (),
            "sentences": (),
            "gaps": (),
            "open_questions": (),
        }
    )
    report = render_report(QUESTION, nothing)
    assert section(report, "Summary").startswith("There is nothing.")
    assert section(report, "Sources") == "None."


def test_a_question_cannot_break_out_of_its_heading() -> None:
    report = render_report("Why?\n# Fake heading\n\n## Another", FINDINGS)
    assert report.splitlines()[0] == "# Why? # Fake heading ## Another"


def test_the_same_findings_give_the_same_bytes() -> None:
    again = Findings.model_validate_json(FINDINGS.model_dump_json())
    assert render_report(QUESTION, again) == render_report(QUESTION, FINDINGS)
