"""Contract 01, deep research: its tools as functions over the core, and its errors as its document words them."""

from typing import cast, get_args

import anyio

from actors.keys import env_file_fault
from contracts import estimates, results, saving
from contracts.choosing import model_for
from contracts.core import Core
from contracts.pace import Seen
from contracts.refusals import (
    Reply,
    checked,
    encodable,
    invalid,
    nobody,
    nothing_found,
    refused,
    too_early,
    wrong_query,
)
from contracts.rendering import Format
from contracts.waiting import Progress, wait_for
from contracts.wording import action_of, elapsed_s, record_of, status_word
from events.catalogue import Brief
from events.errors import (
    BadRequest,
    EngineDown,
    NothingToSearch,
    ResearchError,
    TaskAlreadyEnded,
)
from projections.results import NoResult
from projections.status import Phase, TaskStatus

DEFAULT_MODEL = "deep-research-pro-preview-12-2025"
PHASES = get_args(Phase)
WAIT_HOURS = 1, 24
CANCEL_PATIENCE = 15.0
"""Seconds that a cancel waits for the end; a job at a provider has to be called off first."""


# -- start ----------------------------------------------------------------------------------------


def brief_for(
    core: Core,
    query: str,
    asked_through: str,
    model: str = DEFAULT_MODEL,
    max_wait_s: float = 8 * 3600.0,
    *,
    notify: bool = False,
) -> Brief:
    """A deep research as it can be done now; refused when nobody can, or when the day's money is spent."""
    kind = core.choose(model)
    if kind != "corpus":
        core.expect_allowance()
    return Brief(
        question=query.strip(),
        depth="deep",
        researcher=kind,
        max_wait_s=max_wait_s,
        model=model_for(kind, model.strip()),
        asked_through=asked_through,
        notify=notify,
        task_cap_usd=core.settings.task_cap_usd,
        daily_cap_usd=core.settings.daily_cap_usd,
        # A provider that researches deeply by itself is sent no company.
        available=() if kind == "gemini" else core.able(),
    )


async def start(
    core: Core,
    query: str,
    max_wait_hours: int,
    model: str,
    progress: Progress,
    key: str | None = None,
    *,
    notify: bool = False,
) -> Reply:
    """Accept a research; answer with its result if it ends within the sync window."""
    if wrong := wrong_query(query):
        return wrong
    if not WAIT_HOURS[0] <= max_wait_hours <= WAIT_HOURS[1]:
        return invalid("max_wait_hours must be 1 to 24", "Use a value between 1 and 24")
    if not 1 <= len(model.strip()) <= 200 or not encodable(model):
        return invalid("The model's name is empty or too long", "Leave it out for the default")

    def accept() -> str:
        wait_s = max_wait_hours * 3600.0
        brief = brief_for(core, query, "start_deep_research", model, wait_s, notify=notify)
        return core.start_research(brief, key)[0]

    try:
        task = await anyio.to_thread.run_sync(accept)
    except NothingToSearch:
        return nobody(env_file_fault(core.settings.home))
    except ResearchError as failure:
        return refused(failure)
    message = _goes_on(notify=notify, desktop=core.desktop)
    try:
        seen = await wait_for(core, task, core.settings.sync_window_s, progress)
    except EngineDown as down:
        # Accepted is accepted: it runs when the engine is back.
        seen, message = core.pace.look(task), str(down)
    if not seen.status.ended:
        return {
            "success": True,
            "task_id": task,
            "status": "running_async",
            "mode": "async",
            "message": message,
            "check_status_command": f"check_research_status(task_id='{task}')",
            "researcher": seen.status.researcher,
            "record": record_of(seen.status),
        }
    found = get_results(core, task, include_sources=True)
    if not found["success"]:
        return found
    return {
        "success": True,
        "task_id": task,
        "status": status_word(seen.status),
        "mode": "sync",
        "results": {name: found[name] for name in ("report", "sources", "metadata")},
        "record": found["record"],
    }


def _goes_on(*, notify: bool, desktop: bool) -> str:
    said = "Research running in background."
    if notify and desktop:
        said += " Desktop notification will be sent on completion."
    elif notify:
        said += " There is no desktop here: a log message will say when it ends."
    return said


# -- status and results ---------------------------------------------------------------------------


def status(core: Core, task: str) -> Reply:
    """Where a research stands, from the record alone."""
    try:
        seen = core.pace.look(checked(task))
    except ResearchError as failure:
        return refused(failure)
    if not seen.status.ended:
        core.keep_engine()
    return _standing(core, seen)


def status_at_hand(core: Core, task: str) -> Reply | None:
    """The same where nothing has to be waited for, so that no thread is needed for it; else none."""
    try:
        seen = core.pace.at_hand(checked(task))
    except ResearchError as failure:
        return refused(failure)
    if seen is None or seen.status.phase == "cancelled":  # What was kept of it lies in blobs.
        return None
    if not seen.status.ended:
        core.keep_engine_meanwhile()
    return _standing(core, seen)


def _standing(core: Core, seen: Seen) -> Reply:
    now, task = seen.status, seen.status.task
    reply: Reply = {
        "task_id": task,
        "status": status_word(now),
        "progress": seen.progress,
        "current_action": action_of(now),
        "elapsed_minutes": round(elapsed_s(now) / 60, 2),
        "tokens_used": {"input": now.tokens_in, "output": now.tokens_out},
        "cost_so_far": round(now.cost_usd, 6),
        "sources_read": now.sources_read,
        "restarts": now.restarts,
        "researcher": now.researcher,
        "record": record_of(now),
    }
    if seen.minutes_left is not None:
        reply["estimated_completion_minutes"] = round(seen.minutes_left, 1)
        reply["estimate_rests_on"] = seen.rests_on
    if now.phase == "completed" or (now.phase == "cancelled" and _kept(core, task)):
        reply["message"] = f"Use get_research_results(task_id='{task}') to retrieve results"
    if now.failure_code:
        reply["failure"] = {"code": now.failure_code, "message": now.failure_message}
    if seen.imported_at:
        reply["imported_at"] = seen.imported_at
    return reply


def get_results(
    core: Core, task: str, *, include_sources: bool, page: int = 1, page_size: int | None = None
) -> Reply:
    """What a research found, or how far it is."""
    try:
        seen = core.pace.look(checked(task))
        if not seen.status.ended:
            return too_early(seen)
        return results.found_reply(
            core, task, include_sources=include_sources, page=page, page_size=page_size
        )
    except NoResult:
        return nothing_found(seen)
    except ResearchError as failure:
        return refused(failure)


def save(
    core: Core,
    task: str,
    output_dir: str,
    prefix: str,
    *,
    include_metadata: bool,
    include_sources: bool,
    form: Format,
) -> Reply:
    """Keep an ended research as a file."""
    try:
        seen = core.pace.look(checked(task))
        if not seen.status.ended:
            return too_early(seen) | {
                "message": f"Cannot save: research still in progress ({seen.progress}%)",
                "suggestion": "Wait for completion before saving to Markdown",
            }
        return saving.save(
            core,
            task,
            output_dir,
            prefix,
            include_metadata=include_metadata,
            include_sources=include_sources,
            form=form,
        )
    except NoResult:
        return nothing_found(seen)
    except saving.NoRoom as failure:
        path, required, available = failure.args
        return refused(failure, file_path=path, required_kb=required, available_kb=available)
    except saving.NotAllowed as failure:
        return refused(failure, file_path=failure.args[0])
    except ResearchError as failure:
        return refused(failure)


# -- cancel ---------------------------------------------------------------------------------------


async def cancel(core: Core, task: str, *, save_partial: bool, progress: Progress) -> Reply:
    """Stop a research, and say what was kept and what it cost."""
    try:
        core.views.status(checked(task))
        core.cancel(task, save_partial=save_partial)
        try:
            seen = await wait_for(core, task, CANCEL_PATIENCE, progress)
        except EngineDown:
            seen = core.pace.look(task)
    except TaskAlreadyEnded as failure:
        return refused(failure, task_id=task, status=status_word(core.views.status(task)))
    except ResearchError as failure:
        return refused(failure)
    now = seen.status
    if now.ended and now.phase != "cancelled":
        # It was quicker than the cancel.
        word = status_word(now)
        return refused(TaskAlreadyEnded(task, word), task_id=task, status=word)
    kept = now.ended and _kept(core, task)
    return {
        "success": True,
        "task_id": task,
        "status": "cancelled",
        "partial_results_saved": kept,
        "progress_at_cancellation": seen.progress,
        "cost_usd": round(now.cost_usd, 6),
        "message": _cancelled(now, kept=kept, wanted=save_partial),
        "record": record_of(now),
    }


def _cancelled(now: TaskStatus, *, kept: bool, wanted: bool) -> str:
    if not now.ended:
        return "Cancellation is recorded; the research stops as soon as its engine is up."
    if kept:
        return "Research cancelled. Partial results saved and accessible via get_research_results."
    if wanted:
        return "Research cancelled. There were no partial results to save."
    return "Research cancelled. Partial results were not kept."


def _kept(core: Core, task: str) -> bool:
    try:
        core.views.result(task)
    except ResearchError:
        return False
    return True


# -- estimates and lists --------------------------------------------------------------------------


def estimate(core: Core, query: str) -> Reply:
    """What a research would take and cost."""
    if wrong := wrong_query(query):
        return wrong
    try:
        try:
            kind, able = core.choose(DEFAULT_MODEL), True
        except NothingToSearch:
            kind, able = "gemini", False
        return estimates.estimate(core, query, kind) | {"researcher_available": able}
    except ResearchError as failure:
        return refused(failure)


def listing(core: Core, phase: str | None, limit: int, cursor: str | None) -> Reply:
    """The researches of this data home, newest first."""
    phase = "running" if phase == "running_async" else phase
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
        "tasks": [_listed(core, seen) for seen in page.tasks],
        "next_cursor": page.cursor,
        "record": {"stream": page.head.stream, "seq": page.head.seq, "head": page.head.hash},
    }


def _listed(core: Core, seen: TaskStatus) -> Reply:
    return {
        "task_id": seen.task,
        "query": seen.question,
        "status": status_word(seen),
        "progress": _progress(core, seen),
        "started_at": seen.asked_at,
        "completed_at": seen.ended_at,
        "cost_usd": round(seen.cost_usd, 6),
        "researcher": seen.researcher,
    } | ({"imported_at": imported} if (imported := core.views.imported_at(seen.task)) else {})


def _progress(core: Core, seen: TaskStatus) -> int:
    try:
        return core.pace.look(seen.task).progress
    except ResearchError:
        # A task whose record is broken is listed with what the catalogue knows of it.
        return seen.progress
