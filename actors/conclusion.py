"""From a researcher's findings to the task's result and report. Pure, so that a replay is exact."""

from typing import Any

from actors.cited_report import render_cited_report
from actors.findings import Findings
from actors.grounded_report import render_grounded_report
from actors.report import render_report
from events.catalogue import Brief


def conclude(task: str, brief: Brief, findings: Findings) -> tuple[dict[str, Any], str]:
    """The research result, with every field of the contract but the wall time, and the report.

    Wall time is no part of what was found: readers take it from the record.
    """
    found = findings.model_dump(mode="json")
    cost = ("tokens_used", "iterations_run", "budget_exhausted", "model_id")
    result = {
        "question": brief.question,
        "answer": found["answer"],
        "citations": found["citations"],
        "gaps": found["gaps"],
        "discovery_events": found["discovery_events"],
        "open_questions": found["open_questions"],
        "confidence": found["confidence"],
        "confidence_factors": found["confidence_factors"],
        "cost_metadata": {name: found[name] for name in cost},
        "sentences": found["sentences"],
        "trace_id": task,
    }
    if brief.researcher == "claude":
        return result, render_cited_report(brief.question, findings)
    if findings.grounding is None:
        return result, render_report(brief.question, findings)
    result["grounding"] = found["grounding"]
    return result, render_grounded_report(brief.question, findings)
