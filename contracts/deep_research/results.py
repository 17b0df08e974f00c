"""What a research found, as contract 01 gives it: whole or in pages, with its sources, or as resources.

What is handed out goes without the letters that nobody sees (`contracts.seen_letters`); the record keeps them.
"""

from typing import Any

from contracts.column_heads import ColumnHeads
from contracts.core import Core
from contracts.deep_research.named_sources import pages_read, sources_of, unread_sources
from contracts.deep_research.result_pages import Paging, one_page
from contracts.evidence.calibrating import calibrated
from contracts.rendering import without_sources
from contracts.seen_letters import seen
from contracts.wording import elapsed_s, record_of, status_word
from events.catalogue import TaskEntered
from events.errors import BadRequest
from projections.results import ResultView

EVIDENCE = (
    *("citations", "sentences", "grounding", "gaps", "open_questions", "discovery_events"),
    *("confidence", "confidence_factors"),
)
"""What a result carries besides its report, as contract 02 has it; grounding only where a provider wrote the report."""

SNIPPET_LENGTH = 50, 200

TRACE_LIMIT = 32 << 20
"""Bytes of a trace that are handed out through MCP."""

Reply = dict[str, Any]


def found_reply(
    core: Core, task: str, *, include_sources: bool, paging: Paging | None = None
) -> Reply:
    """The contract's answer for an ended research; whole, where nobody pages."""
    found = core.views.result(task)
    reply: Reply = {
        "success": True,
        "task_id": task,
        "query": found.question,
        "report": found.report,
        "sources": sources_of(found.result),
        "metadata": metadata_of(core, found),
        "evidence": {name: found.result[name] for name in EVIDENCE if name in found.result}
        | calibrated(core, found.result.get("confidence"))
        | {"citations": citations_of(core, found.result)},
        "record": record_of(found.status),
    }
    if not include_sources:
        reply = _without_sources(reply)
    shown: Reply = seen(reply)
    return shown if paging is None else one_page(shown, paging)


def _without_sources(reply: Reply) -> Reply:
    """An answer that lists no source: neither itself, nor in its report, nor among its evidence."""
    evidence = {name: value for name, value in reply["evidence"].items() if name != "citations"}
    if grounding := evidence.get("grounding"):
        evidence["grounding"] = grounding | {"sources": []}
    bare = {name: value for name, value in reply.items() if name != "sources"}
    report = without_sources(reply["report"], provided="grounding" in evidence)
    return bare | {"report": report, "evidence": evidence}


def metadata_of(core: Core, found: ResultView) -> Reply:
    """What is known of a research besides its report; its time counts from when it was asked for."""
    now = found.status
    took = elapsed_s(now)
    meta: Reply = {
        "duration_minutes": round(took / 60, 3),
        "tokens_used": {"input": now.tokens_in, "output": now.tokens_out},
        "cost_usd": round(now.cost_usd, 6),
        "mode": "sync" if took <= _window_s(core, found.task) else "async",
        "model": found.result.get("cost_metadata", {}).get("model_id") or now.researcher,
        # What a report names counts, though it could not be read.
        "source_count": pages_read(found.sources) + len(unread_sources(found.result)),
        "started_at": now.asked_at,
        "completed_at": now.ended_at,
        "status": status_word(now),
        "researcher": now.researcher,
        "partial": found.partial,
    }
    if imported := core.views.imported_at(found.task):
        meta["imported_at"] = imported
    return meta


def _window_s(core: Core, task: str) -> float:
    """How long a caller waited for a task; by today's setting, where it was accepted before that was recorded."""
    entry = core.catalogue.state().entries.get(task)
    entered = entry.entered if entry else None
    if isinstance(entered, TaskEntered) and entered.sync_window_s is not None:
        return entered.sync_window_s
    return core.settings.sync_window_s


def citations_of(core: Core, result: Reply) -> list[Reply]:
    """The citations as contract 02 has them: too short to be a summary, a snippet is none, and the excerpt says it.

    Rows of a table come with what their columns are called, which they do not say themselves.
    """
    least, most = SNIPPET_LENGTH
    heads = ColumnHeads(core.home.blobs)
    return [
        (each if least <= len(each["snippet"] or "") <= most else each | {"snippet": None})
        | heads.of_citation(each)
        for each in result.get("citations", [])
    ]


def trace_of(core: Core, task: str, stream: str | None) -> str:
    """The lines of a task's stream as they are on disk, or those of one of its researchers."""
    researchers = core.views.status(task).researchers
    names = {"": task} | {name.rpartition(".")[2]: name for name in researchers}
    if (stream or "") not in names:
        known = ", ".join(name for name in names if name)
        raise BadRequest(
            f"The task has no stream {(stream or '')[:80]!r}.", f"Use one of {known}, or none."
        )
    path = core.home.path(names[stream or ""])
    if not path.exists():
        return ""
    if path.stat().st_size > TRACE_LIMIT:
        raise BadRequest("The trace is too large to be sent.", f"Read it at {path}.")
    # Somebody may just be writing: a line without its end is none yet.
    lines, end, _ = path.read_bytes().rpartition(b"\n")
    return (lines + end).decode()
