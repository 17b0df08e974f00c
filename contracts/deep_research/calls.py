"""Contract 01, deep research: its tools as functions over the core, and its errors as its document words them."""

from dataclasses import replace
from functools import partial
from typing import cast, get_args

import anyio

from actors.keys import env_file_fault
from contracts.choosing import Kind, model_for
from contracts.core import Core
from contracts.deep_research import estimates, results, saving
from contracts.deep_research.pace import Seen
from contracts.deep_research.refusals import (
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
from contracts.deep_research.result_pages import Paging
from contracts.rendering import Format
from contracts.waiting import OutOfSight, Progress, wait_for
from contracts.wording import action_of, elapsed_s, record_of, refused_key, status_word
from events.catalogue import Brief, TaskEntered
from events.errors import (
    BadRequest,
    EngineDown,
    NothingToSearch,
    ResearchError,
    TaskAlreadyEnded,
)
from events.stream import Head
from language.plain import is_seen
from projections.listing import Page
from projections.results import NoResult
from projections.status import Phase, TaskStatus

DEFAULT_MODEL = "deep-research-pro-preview-12-2025"
PHASES = get_args(Phase)
MOST_LISTED = 200
WAIT_HOURS = 1, 24
CANCEL_PATIENCE = 15.0
"""Seconds that a cancel waits for the end; a job at a provider has to be called off first."""

_NOT_KEPT = "Research cancelled. Partial results were not kept."
_IN_REPLY = ("report", "sources", "metadata", "page")
"""What of a result is said where it was waited for."""


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
    if not any(map(is_seen, query)):
        raise BadRequest("Nothing of the question can be seen.", "Ask it in letters.")
    kind = core.choose(model)
    if kind != "corpus":
        core.expect_allowance()
    asked = _asked(query, asked_through, kind, model, max_wait_s, notify=notify)
    return asked.model_copy(
        update={
            "task_cap_usd": core.settings.task_cap_usd,
            "daily_cap_usd": core.settings.daily_cap_usd,
            "available": _company(core, kind),
        }
    )


def _company(core: Core, kind: Kind) -> tuple[Kind, ...]:
    """Who may be sent to follow up what a researcher of a kind finds."""
    match kind:
        case "gemini":
            return ()  # It researches deeply by itself.
        case "corpus":
            return ("corpus",)  # Who named the one that is free pays for nobody else.
        case _:
            return core.able()


def _asked(
    query: str, asked_through: str, kind: Kind, model: str, max_wait_s: float, *, notify: bool
) -> Brief:
    """What of a brief is the caller's own, where somebody of a kind works on it."""
    return Brief(
        question=query.strip(),
        depth="deep",
        researcher=kind,
        max_wait_s=max_wait_s,
        model=model_for(kind, model.strip()),
        asked_through=asked_through,
        notify=notify,
    )


def accept(
    core: Core,
    query: str,
    asked_through: str,
    key: str | None,
    model: str = DEFAULT_MODEL,
    max_wait_s: float = 8 * 3600.0,
    *,
    notify: bool = False,
) -> tuple[str, Head]:
    """Accept a research; one whose key is known was accepted, whether or not it could be by now."""
    if key and (known := _accepted_before(core, key)):
        brief = _asked(query, asked_through, known, model, max_wait_s, notify=notify)
        return _same_task(core, brief, key)
    brief = brief_for(core, query, asked_through, model, max_wait_s, notify=notify)
    return core.start_research(brief, key)


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
    if key is not None and (not key.strip() or not encodable(key)):
        return invalid(
            "The idempotency_key is empty or not valid text", "Name one, or leave it out"
        )

    accepting = partial(
        accept,
        *(core, query, "start_deep_research", key, model, max_wait_hours * 3600.0),
        notify=notify,
    )
    try:
        task, _ = await anyio.to_thread.run_sync(accepting)
    except NothingToSearch as why:
        return nobody(why, env_file_fault(core.settings.home))
    except ResearchError as failure:
        return refused(failure)
    message = _goes_on(notify=notify, desktop=core.desktop)
    try:
        try:
            seen = await wait_for(core, task, core.settings.sync_window_s, progress)
        except EngineDown as down:
            # Accepted is accepted: it runs when the engine is back.
            seen, message = core.pace.look(task), str(down)
    except ResearchError as failure:
        return refused(OutOfSight(task, failure.sentence), task_id=task)
    if not seen.status.ended:
        return {
            "success": True,
            "task_id": task,
            "status": "running_async",
            "mode": "async",
            "message": f"{message}{_held_up(seen.status)}",
            "check_status_command": f"check_research_status(task_id='{task}')",
            "researcher": seen.status.researcher,
            "record": record_of(seen.status),
        }
    found = get_results(core, task, include_sources=True, paging=Paging())
    if not found["success"]:
        return found
    reply: Reply = {
        "success": True,
        "task_id": task,
        "status": status_word(seen.status),
        "mode": "sync",
        "results": {name: found[name] for name in _IN_REPLY if name in found},
        "record": found["record"],
    }
    if "page" in found:
        further = f"get_research_results(task_id='{task}', page=2)"
        reply["message"] = f"This is page 1 of {found['page']['pages']}. Use {further} to read on"
    return reply


def _accepted_before(core: Core, key: str) -> Kind | None:
    """Who works on the task that a key belongs to; none, where it belongs to none yet."""
    state = core.catalogue.state()
    entry = state.entries.get(state.keys.get(key, ""))
    known = entry.entered if entry else None
    return cast(Kind, known.researcher) if isinstance(known, TaskEntered) else None


def _same_task(core: Core, brief: Brief, key: str) -> tuple[str, Head]:
    """The task of a key that is known, if it was asked the same."""
    task, head = core.catalogue.enter_task(brief, key)
    if not core.catalogue.state().entries[task].ended:
        core.wake_engine()
    return task, head


def _held_up(now: TaskStatus) -> str:
    """Who keeps a research waiting, and why: a quota or an outage is nothing to find out later."""
    action = action_of(now)
    return f" {action.rstrip('.')}." if action.startswith("Waiting for ") else ""


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
    if seen is None or _stopped_early(seen.status):  # What was kept of it lies in blobs.
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
    if now.phase == "completed" or (_stopped_early(now) and _kept(core, task)):
        reply["message"] = f"Use get_research_results(task_id='{task}') to retrieve results"
    if now.failure_code:
        reply["failure"] = {"code": now.failure_code, "message": now.failure_message}
    if seen.imported_at:
        reply["imported_at"] = seen.imported_at
    return reply


def get_results(
    core: Core, task: str, *, include_sources: bool, paging: Paging | None = None
) -> Reply:
    """What a research found, or how far it is; whole, where nobody pages."""
    try:
        seen = core.pace.look(checked(task))
        if not seen.status.ended:
            return too_early(seen)
        return results.found_reply(core, task, include_sources=include_sources, paging=paging)
    except NoResult:
        return _nothing_found(core, seen)
    except ResearchError as failure:
        return refused(failure)


def _nothing_found(core: Core, seen: Seen) -> Reply:
    """A research ended without a result; where nobody wanted to keep one, that is why."""
    now = seen.status
    reply = nothing_found(seen, refused_key(now, core.settings.home))
    if now.phase == "cancelled" and not _wants_partial(core, now.task):
        reply["message"] = _NOT_KEPT
    return reply


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
        return _nothing_found(core, seen)
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
        # Looked at before: stopping it, and writing down what it had, are steps as well.
        before = core.pace.look(checked(task))
        core.cancel(task, save_partial=save_partial)
        try:
            seen = await wait_for(core, task, CANCEL_PATIENCE, progress)
        except EngineDown:
            seen = core.pace.look(task)
    except TaskAlreadyEnded as failure:
        return _too_late(core, failure, core.views.status(task))
    except ResearchError as failure:
        return refused(failure)
    now = seen.status
    if now.ended and now.phase != "cancelled":
        # It was quicker than the cancel.
        return _too_late(core, TaskAlreadyEnded(task, status_word(now)), now)
    kept = now.ended and _kept(core, task)
    wanted = _wants_partial(core, task)
    return {
        "success": True,
        "task_id": task,
        "status": status_word(now),
        "partial_results_saved": kept,
        "progress_at_cancellation": before.progress,
        "cost_usd": round(now.cost_usd, 6),
        "message": _cancelled(now, kept=kept, wanted=wanted),
        "record": record_of(now),
    }


def _too_late(core: Core, failure: TaskAlreadyEnded, now: TaskStatus) -> Reply:
    """A research had ended before it was to be cancelled; results are only recommended where there are any."""
    reply = refused(failure, task_id=now.task, status=status_word(now))
    if not _kept(core, now.task):
        reply["suggestion"] = "It left no result. If it is still wanted, start it again"
    return reply


def _wants_partial(core: Core, task: str) -> bool:
    """Whether what was found is to be kept: whoever cancelled first has decided that."""
    entry = core.catalogue.state().entries.get(task)
    return not entry or not entry.stop or entry.stop.save_partial


def _cancelled(now: TaskStatus, *, kept: bool, wanted: bool) -> str:
    if not now.ended:
        return (
            "Cancellation is recorded. The research has not stopped yet: it does when its engine "
            "gets to it. Use check_research_status to see when"
        )
    if kept:
        return "Research cancelled. Partial results saved and accessible via get_research_results."
    if wanted:
        return "Research cancelled. There were no partial results to save."
    return _NOT_KEPT


def _stopped_early(now: TaskStatus) -> bool:
    """Whether something may be kept of a research that was not done."""
    return now.phase == "cancelled" or now.failure_code == "timed_out"


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
    limit = max(1, min(limit, MOST_LISTED))
    try:
        if phase is not None and phase not in PHASES:
            raise BadRequest(
                f"There is no status {phase[:40]!r}.", f"Use one of {', '.join(PHASES)}."
            )
        if phase == "failed":
            page = _failed(core, limit, cursor)
        else:
            page = core.views.tasks(phase=cast(Phase, phase), limit=limit, cursor=cursor)
    except ResearchError as failure:
        return refused(failure)
    return {
        "success": True,
        "tasks": [_listed(core, seen) for seen in page.tasks],
        "next_cursor": page.cursor,
        "record": {"stream": page.head.stream, "seq": page.head.seq, "head": page.head.hash},
    }


def _failed(core: Core, limit: int, cursor: str | None) -> Page:
    """Those that failed and those that were set aside: both are listed as failed."""
    phases: tuple[Phase, ...] = ("failed", "quarantined")
    pages = [core.views.tasks(phase=phase, limit=limit, cursor=cursor) for phase in phases]
    order = {name: place for place, name in enumerate(core.catalogue.state().entries)}
    both = sorted(
        (task for page in pages for task in page.tasks),
        key=lambda task: order[task.task],
        reverse=True,
    )
    taken = both[:limit]
    following = None
    if len(both) > limit or any(page.cursor for page in pages):
        # A page that ends with the last one that was taken knows where the next begins.
        last = taken[-1].phase
        count = sum(task.phase == last for task in taken)
        following = core.views.tasks(phase=last, limit=count, cursor=cursor).cursor
    return replace(pages[0], tasks=tuple(taken), cursor=following)


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
