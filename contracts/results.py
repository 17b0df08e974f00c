"""What a research found, as contract 01 gives it: whole or in pages, with its sources, or as resources."""

from typing import Any

from contracts.calibrating import calibrated
from contracts.core import Core
from contracts.wording import record_of, status_word
from events.errors import BadRequest
from projections.results import ResultView

PAGE_SIZES = 500, 1_000_000
EVIDENCE = (
    *("citations", "sentences", "grounding", "gaps", "open_questions", "discovery_events"),
    *("confidence", "confidence_factors"),
)
"""What a result carries besides its report, as contract 02 has it; grounding only where a provider wrote the report."""

TRACE_LIMIT = 32 << 20
"""Bytes of a trace that are handed out through MCP."""

Reply = dict[str, Any]


def found_reply(
    core: Core, task: str, *, include_sources: bool, page: int, page_size: int | None
) -> Reply:
    """The contract's answer for an ended research."""
    found = core.views.result(task)
    reply: Reply = {
        "success": True,
        "task_id": task,
        "query": found.question,
        "report": found.report,
        "sources": sources_of(found.result),
        "metadata": metadata_of(core, found),
        "evidence": {name: found.result[name] for name in EVIDENCE if name in found.result}
        | calibrated(core, found.result.get("confidence")),
        "record": record_of(found.status),
    }
    if page_size is not None or page != 1:
        pages = split_pages(found.report, page_size or PAGE_SIZES[1])
        if not 1 <= page <= len(pages):
            raise BadRequest(
                f"There is no page {page}: the report has {len(pages)}.",
                f"Use a page from 1 to {len(pages)}.",
            )
        reply["report"] = pages[page - 1]
        reply["page"] = {
            "number": page,
            "pages": len(pages),
            "characters": len(found.report),
            "next": page + 1 if page < len(pages) else None,
        }
    if not include_sources or page != 1:
        # Sources belong to the whole report; they come with its first page.
        del reply["sources"], reply["evidence"]
    return reply


def split_pages(report: str, size: int) -> list[str]:
    """A report in pieces of at most so many characters, cut between paragraphs where that is near."""
    least, most = PAGE_SIZES
    if not least <= size <= most:
        raise BadRequest(
            f"The page_size is {size}.", f"Use {least} to {most} characters, or leave it out."
        )
    pages, start = [], 0
    while len(report) - start > size:
        window = report[start : start + size]
        cuts = (window.rfind(mark) + len(mark) for mark in ("\n\n", "\n", " "))
        cut = next((cut for cut in cuts if cut > size * 3 // 4), size)
        pages.append(report[start : start + cut])
        start += cut
    return [*pages, report[start:]]


def metadata_of(core: Core, found: ResultView) -> Reply:
    """What is known of a research besides its report."""
    seen = found.status
    meta: Reply = {
        "duration_minutes": round(found.wall_seconds / 60, 3),
        "tokens_used": {"input": seen.tokens_in, "output": seen.tokens_out},
        "cost_usd": round(seen.cost_usd, 6),
        "mode": "sync" if found.wall_seconds <= core.settings.sync_window_s else "async",
        "model": found.result.get("cost_metadata", {}).get("model_id") or seen.researcher,
        # What a report names counts, though it could not be read.
        "source_count": seen.sources_read + len(unread_sources(found.result)),
        "started_at": seen.asked_at,
        "completed_at": seen.ended_at,
        "status": status_word(seen),
        "researcher": seen.researcher,
        "partial": found.partial,
    }
    if imported := core.views.imported_at(found.task):
        meta["imported_at"] = imported
    return meta


def sources_of(result: Reply) -> list[Reply]:
    """The cited sources, once each, in order of their first citation; then those that a report names in vain."""
    sources: dict[str, Reply] = {}
    for citation in result.get("citations", []):
        sources.setdefault(
            citation["locator"],
            {
                "title": citation["title"],
                "url": citation["locator"],
                "snippet": citation["snippet"] or citation["raw_excerpt"][:200],
                "relevance_score": citation["confidence"],
                "content_hash": citation["content_hash"],
            },
        )
    for named in (result.get("grounding") or {}).get("sources", []):
        sources.setdefault(
            named["url"],
            {
                "title": named["title"],
                "url": named["url"],
                "snippet": "",
                "relevance_score": 0.0,
                "content_hash": named["content_hash"],
                "note": named["reason"] or "Read, and nothing that is said of it was found there.",
            },
        )
    return list(sources.values())


def unread_sources(result: Reply) -> list[Reply]:
    """The sources that a provider's report names and that could not be read."""
    named: list[Reply] = (result.get("grounding") or {}).get("sources", [])
    return [each for each in named if each["content_hash"] is None]


def trace_of(core: Core, task: str, stream: str | None) -> str:
    """The lines of a task's stream as they are on disk, or those of one of its researchers."""
    seen = core.views.status(task)
    names = {"": task} | {name.rpartition(".")[2]: name for name in seen.researchers}
    if (stream or "") not in names:
        known = ", ".join(name for name in names if name)
        raise BadRequest(f"The task has no stream {stream!r}.", f"Use one of {known}, or none.")
    path = core.home.path(names[stream or ""])
    if not path.exists():
        return ""
    if path.stat().st_size > TRACE_LIMIT:
        raise BadRequest("The trace is too large to be sent.", f"Read it at {path}.")
    # Somebody may just be writing: a line without its end is none yet.
    lines, end, _ = path.read_bytes().rpartition(b"\n")
    return (lines + end).decode()
