"""How contract 01 words its refusals: codes, sentences, and what to do next."""

import re
from typing import Any

from actors.spending import SpendingCapReached
from contracts.choosing import NoDocuments, StillReading
from contracts.deep_research.pace import Seen
from contracts.deep_research.saving import NoRoom, NotAllowed
from contracts.wording import RefusedKey, status_word
from events.errors import (
    BadRequest,
    BrokenChain,
    DiskFull,
    FateUnknown,
    HomeUnwritable,
    JobFailed,
    KeyConflict,
    NewerFormat,
    NothingToSearch,
    Poisoned,
    ProviderAway,
    RecordError,
    RequestRefused,
    ResearchError,
    TaskAlreadyEnded,
    TaskNotFinished,
    UnknownTask,
)
from language.plain import is_seen

QUERY_LENGTH = 3, 10_000
TASK_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"

Reply = dict[str, Any]

_CODES: list[tuple[type[ResearchError], str]] = [
    (UnknownTask, "TASK_NOT_FOUND"),
    (TaskNotFinished, "RESEARCH_NOT_COMPLETED"),
    (TaskAlreadyEnded, "RESEARCH_ALREADY_COMPLETED"),
    (NothingToSearch, "GEMINI_UNAVAILABLE"),
    (SpendingCapReached, "GEMINI_UNAVAILABLE"),
    (DiskFull, "DISK_FULL"),
    (NoRoom, "DISK_FULL"),
    (HomeUnwritable, "PERMISSION_DENIED"),
    (NotAllowed, "PERMISSION_DENIED"),
    (BadRequest, "INVALID_QUERY"),
    (KeyConflict, "INVALID_QUERY"),
    (RecordError, "SQLITE_ERROR"),
]
"""The contract's codes for our refusals; SQLITE_ERROR is its word for a fault of the store."""

_UNAVAILABLE = {"key_refused", "provider_away", "spending_cap_reached"}
"""Ends of a task that mean that its provider could not be used at all."""

_OUTAGE = re.compile(r"\((?:provider_failed|provider_silent|provider_away|provider_busy): ")
"""In what is known of an order whose fate is not: it was the provider that failed, or the way to it."""

_NO_KEY = "Gemini API is not available: there is no key for it, no other provider has one, and the "
_NOBODY = f"{_NO_KEY}local corpus is empty"
_NOT_YET = f"{_NO_KEY}first documents are still being read"
_GET_SOMEBODY = (
    "Check GEMINI_API_KEY in .env file, or ingest documents first (ingest_documents, or "
    "research-agent ingest PATH) and ask again"
)
_ADVICE: list[tuple[type[ResearchError], str]] = [
    (
        UnknownTask,
        "Verify task_id from start_deep_research response, or find it with list_research_tasks",
    ),
    (NothingToSearch, _GET_SOMEBODY),
    (TaskNotFinished, "Wait for completion or use check_research_status to monitor"),
]
"""What the contract's document advises, where it does."""

_AGAIN = "Start it again; research-agent verify and the trace say what happened."
_AFTER = {
    # Either cap: the message says which one it was, and a task's own is not lifted by another day.
    "spending_cap_reached": "Nothing more is paid for. Raise RESEARCH_AGENT_TASK_CAP_USD for a task's own cap; for "
    "the daily one raise RESEARCH_AGENT_DAILY_CAP_USD or wait for the next day (UTC). Then start it again",
    "timed_out": "Start it again with a larger max_wait_hours, or ask for less at once",
    "nothing_to_search": _GET_SOMEBODY,
    "provider_away": f"{ProviderAway.suggestion} Then start it again",
    "request_refused": f"{RequestRefused.suggestion} Then start it again",
    **{
        failure.code: failure.suggestion
        for failure in (FateUnknown, JobFailed, Poisoned, BrokenChain, NewerFormat)
    },
}
"""What helps after a research ended so; whoever only starts it again may get the same, or pay twice."""


def refused(failure: ResearchError, **more: Any) -> Reply:
    """A refusal in the contract's shape."""
    code = next((code for cls, code in _CODES if isinstance(failure, cls)), "RESEARCH_FAILED")
    return {
        "success": False,
        "error": code,
        **more,
        "message": _sentence(failure),
        "suggestion": _advice(failure),
    }


def _sentence(failure: ResearchError) -> str:
    match failure:
        case StillReading():
            return _NOT_YET
        case NoDocuments():
            return failure.sentence
        case NothingToSearch():
            return _NOBODY
        case _:
            return failure.sentence


def nobody(why: NothingToSearch, fault: str | None) -> Reply:
    """There is nobody to research; `fault` is why the keys in `.env` are not read, where that is so."""
    reply = refused(why)
    if fault and not isinstance(why, NoDocuments):
        reply["message"] += f". The .env file in the data home is not read: {fault}"
    return reply


def _advice(failure: ResearchError) -> str:
    if isinstance(failure, TaskAlreadyEnded) and failure.args[1] == "completed":
        return "Use get_research_results to retrieve completed research"
    if isinstance(failure, StillReading | NoDocuments):
        return failure.advice
    known = (advice for cls, advice in _ADVICE if isinstance(failure, cls))
    return next(known, failure.advice)


def too_early(seen: Seen) -> Reply:
    """A result was asked for before there is one."""
    now = seen.status
    more = {"task_id": now.task, "status": status_word(now), "progress": seen.progress}
    return refused(TaskNotFinished(now.task, seen.progress), **more)


def nothing_found(seen: Seen, key: RefusedKey | None) -> Reply:
    """A research ended without a result; `key` is the one that it ended for, where that is why."""
    now = seen.status
    word = status_word(now)
    message = now.failure_message or f"The research was {word} before it found anything."
    reply: Reply = {
        "success": False,
        "error": "RESEARCH_FAILED",
        "task_id": now.task,
        "status": word,
        "progress": seen.progress,
        "message": message,
        "suggestion": _AFTER.get(now.failure_code or "", _AGAIN),
    }
    outage = now.failure_code == FateUnknown.code and _OUTAGE.search(message)
    if now.failure_code in _UNAVAILABLE or outage:
        reply["error"] = "GEMINI_UNAVAILABLE"
    if key:
        reply["message"] = f"{key.provider} API is not available: {message}"
        reply["suggestion"] = f"Check {key.name} in .env file"
    return reply


def wrong_query(query: str) -> Reply | None:
    """Why a query is not taken; nothing, if it is."""
    least, most = QUERY_LENGTH
    if not encodable(query):
        return invalid("Query is not valid text", "Remove the broken characters")
    if not least <= len(query.strip()) or not len(query) <= most:
        return invalid(f"Query must have {least} to {most} characters", "Rephrase the question")
    if not any(map(is_seen, query)):
        return invalid("Nothing of the query can be seen", "Ask it in letters")
    return None


def malformed(wrong: str) -> Reply:
    """Arguments that no call of the tool can have."""
    said = " ".join(wrong.split())[:400]
    return invalid(f"Malformed arguments: {said}", "Read the tool's schema and call it again")


def invalid(message: str, suggestion: str) -> Reply:
    """The caller's words are off."""
    return {
        "success": False,
        "error": "INVALID_QUERY",
        "message": message,
        "suggestion": suggestion,
    }


def checked(task: str) -> str:
    """An id that may be one of ours."""
    if not re.fullmatch(TASK_ID, task):
        raise UnknownTask(task[:80].encode(errors="replace").decode())
    return task


def encodable(text: str) -> bool:
    """Whether a text can be written down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
