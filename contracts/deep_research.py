"""Contract 01, deep research: start, status, results, cancel; errors as its document words them."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, cast, get_args

from contracts.core import Core
from contracts.waiting import wait_for
from contracts.wording import action_of, elapsed_s, record_of, status_word
from events.catalogue import Brief
from events.errors import (
    BadRequest,
    DiskFull,
    EngineDown,
    HomeUnwritable,
    NothingToSearch,
    RecordError,
    ResearchError,
    TaskAlreadyEnded,
    TaskNotFinished,
    UnknownTask,
)
from projections.status import Phase, TaskStatus

DEFAULT_MODEL = "deep-research-pro-preview-12-2025"
PHASES = get_args(Phase)
QUERY_LENGTH = 3, 10_000
WAIT_HOURS = 1, 24
TASK_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"

Reply = dict[str, Any]
Progress = Callable[[float, float, str], Awaitable[None]]

_CODES: list[tuple[type[ResearchError], str]] = [
    (UnknownTask, "TASK_NOT_FOUND"),
    (TaskNotFinished, "RESEARCH_NOT_COMPLETED"),
    (TaskAlreadyEnded, "RESEARCH_ALREADY_COMPLETED"),
    (NothingToSearch, "GEMINI_UNAVAILABLE"),
    (DiskFull, "DISK_FULL"),
    (HomeUnwritable, "PERMISSION_DENIED"),
    (BadRequest, "INVALID_QUERY"),
    (RecordError, "SQLITE_ERROR"),
]
"""The contract's codes for our refusals; SQLITE_ERROR is its word for a fault of the store."""


def refused(failure: ResearchError, **more: Any) -> Reply:
    """A refusal in the contract's shape."""
    code = next((code for cls, code in _CODES if isinstance(failure, cls)), "RESEARCH_FAILED")
    return {
        "success": False,
        "error": code,
        **more,
        "message": failure.sentence,
        "suggestion": failure.advice,
    }


async def start(
    core: Core,
    query: str,
    max_wait_hours: int,
    model: str,
    progress: Progress,
    key: str | None = None,
) -> Reply:
    """Accept a research; answer with its result if it ends within the sync window."""
    least, most = QUERY_LENGTH
    if not least <= len(query.strip()) <= most or not _encodable(query):
        return _invalid(f"Query must have {least} to {most} characters", "Rephrase the question")
    if not WAIT_HOURS[0] <= max_wait_hours <= WAIT_HOURS[1]:
        return _invalid("max_wait_hours must be 1 to 24", "Use a value between 1 and 24")
    brief = Brief(
        question=query.strip(),
        depth="deep",
        max_wait_s=max_wait_hours * 3600.0,
        model=model,
        asked_through="start_deep_research",
    )
    try:
        task, _ = core.start_research(brief, key)
    except ResearchError as failure:
        return refused(failure)
    message = "Research running in background. Desktop notification will be sent on completion."
    try:
        seen = await wait_for(core, task, core.settings.sync_window_s, progress)
    except EngineDown as down:
        # Accepted is accepted: it runs when the engine is back.
        seen, message = core.views.status(task), str(down)
    if not seen.ended:
        return {
            "success": True,
            "task_id": task,
            "status": "running_async",
            "mode": "async",
            "message": message,
            "check_status_command": f"check_research_status(task_id='{task}')",
            "record": record_of(seen),
        }
    found = results(core, task, include_sources=True)
    if not found["success"]:
        return found
    return {
        "success": True,
        "task_id": task,
        "status": status_word(seen),
        "mode": "sync",
        "results": {name: found[name] for name in ("report", "sources", "metadata")},
        "record": found["record"],
    }


def status(core: Core, task: str) -> Reply:
    """Where a research stands, from the record alone."""
    try:
        seen = core.views.status(_checked(task))
    except ResearchError as failure:
        return refused(failure)
    reply: Reply = {
        "task_id": task,
        "status": status_word(seen),
        "progress": seen.progress,
        "current_action": action_of(seen),
        "elapsed_minutes": round(elapsed_s(seen) / 60, 2),
        "tokens_used": {"input": seen.tokens_in, "output": seen.tokens_out},
        "cost_so_far": round(seen.cost_usd, 6),
        "sources_read": seen.sources_read,
        "restarts": seen.restarts,
        "record": record_of(seen),
    }
    if seen.phase in {"completed", "cancelled"} and seen.result:
        reply["message"] = f"Use get_research_results(task_id='{task}') to retrieve results"
    if seen.failure_code:
        reply["failure"] = {"code": seen.failure_code, "message": seen.failure_message}
    return reply


def results(core: Core, task: str, *, include_sources: bool) -> Reply:
    """What a research found, or how far it is."""
    try:
        seen = core.views.status(_checked(task))
        if not seen.ended:
            more = {"task_id": task, "status": status_word(seen), "progress": seen.progress}
            return refused(TaskNotFinished(task, seen.progress), **more)
        if not seen.result:
            return _nothing_found(task, seen)
        found = core.views.result(task)
    except ResearchError as failure:
        return refused(failure)
    reply: Reply = {
        "success": True,
        "task_id": task,
        "query": found.question,
        "report": found.report,
        "sources": sources_of(found.result) if include_sources else [],
        "metadata": {
            "duration_minutes": round(found.wall_seconds / 60, 3),
            "tokens_used": {"input": seen.tokens_in, "output": seen.tokens_out},
            "cost_usd": round(seen.cost_usd, 6),
            "mode": "sync" if found.wall_seconds <= core.settings.sync_window_s else "async",
            "model": found.result["cost_metadata"]["model_id"],
            "source_count": seen.sources_read,
            "started_at": seen.asked_at,
            "completed_at": seen.ended_at,
            "status": status_word(seen),
        },
        "record": record_of(seen),
    }
    if not include_sources:
        del reply["sources"]
    return reply


async def cancel(core: Core, task: str, *, save_partial: bool, progress: Progress) -> Reply:
    """Stop a research, and say what was kept."""
    try:
        core.views.status(_checked(task))
        core.cancel(task, save_partial=save_partial)
    except TaskAlreadyEnded as failure:
        seen = core.views.status(task)
        return refused(failure, task_id=task, status=status_word(seen))
    except ResearchError as failure:
        return refused(failure)
    try:
        seen = await wait_for(core, task, 10.0, progress)
    except EngineDown:
        seen = core.views.status(task)
    kept = seen.result is not None
    done = seen.ended
    return {
        "success": True,
        "task_id": task,
        "status": "cancelled" if not done else status_word(seen),
        "partial_results_saved": kept,
        "progress_at_cancellation": seen.progress,
        "cost_usd": round(seen.cost_usd, 6),
        "message": (
            "Research cancelled. Partial results saved and accessible via get_research_results."
            if kept
            else "Research cancelled. There were no partial results to save."
            if done
            else "Cancellation is recorded; the research stops as soon as its engine is up."
        ),
        "record": record_of(seen),
    }


def listing(core: Core, phase: str | None, limit: int, cursor: str | None) -> Reply:
    """The researches of this data home, newest first."""
    try:
        if phase is not None and phase not in PHASES:
            raise BadRequest(f"There is no status {phase!r}.", f"Use one of {', '.join(PHASES)}.")
        page = core.views.tasks(
            phase=cast(Phase, phase), limit=max(1, min(limit, 200)), cursor=cursor
        )
    except ResearchError as failure:
        return refused(failure)
    return {
        "success": True,
        "tasks": [
            {
                "task_id": seen.task,
                "query": seen.question,
                "status": status_word(seen),
                "progress": seen.progress,
                "started_at": seen.asked_at,
                "completed_at": seen.ended_at,
                "cost_usd": round(seen.cost_usd, 6),
            }
            for seen in page.tasks
        ],
        "next_cursor": page.cursor,
        "record": {"stream": page.head.stream, "seq": page.head.seq, "head": page.head.hash},
    }


def sources_of(result: Reply) -> list[Reply]:
    """The cited sources, once each, in order of their first citation."""
    sources: dict[str, Reply] = {}
    for citation in result["citations"]:
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
    return list(sources.values())


def _nothing_found(task: str, seen: TaskStatus) -> Reply:
    word = status_word(seen)
    return {
        "success": False,
        "error": "RESEARCH_FAILED",
        "task_id": task,
        "status": word,
        "progress": seen.progress,
        "message": seen.failure_message or f"The research was {word} before it found anything.",
        "suggestion": "Start it again; research-agent verify and the trace say what happened.",
    }


def _invalid(message: str, suggestion: str) -> Reply:
    return {
        "success": False,
        "error": "INVALID_QUERY",
        "message": message,
        "suggestion": suggestion,
    }


def _checked(task: str) -> str:
    if not re.fullmatch(TASK_ID, task):
        raise UnknownTask(task[:80].encode(errors="replace").decode())
    return task


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
