"""Refusals as a terminal words them: the same codes as everywhere, and the command that helps instead of the tool."""

import re
from typing import Any

from contracts.choosing import StillReading
from contracts.given_ids import ENOUGH, UnknownJob, is_job
from events.errors import (
    NothingToSearch,
    ResearchError,
    TaskAlreadyEnded,
    TaskNotFinished,
    UnknownDocument,
    UnknownTask,
    ended,
)

_BEGUN = re.compile(r"[0-9a-f]+")


def told(refusal: ResearchError) -> str:
    """A refusal on one line: what is wrong, what to do, and its code. What itself has lines keeps them."""
    sentence, advice = _words(refusal)
    before = f"{sentence}\n" if "\n" in sentence else f"{ended(sentence)} "
    return f"{before}{advice} [{refusal.code}]"


def as_reply(refusal: ResearchError) -> dict[str, Any]:
    """The same for a program."""
    # What was typed may be no text, and JSON has nothing else.
    sentence, advice = (said.encode(errors="replace").decode() for said in _words(refusal))
    return {"success": False, "error": refusal.code, "message": sentence, "suggestion": advice}


def _words(refusal: ResearchError) -> tuple[str, str]:
    match refusal:
        case UnknownJob():
            return refusal.sentence, refusal.advice
        case UnknownTask(args=(str(name),)):
            return _unknown(name)
        case TaskAlreadyEnded(args=(str(name), word)):
            return f"Cannot cancel: already {word}.", _reading(name)
        case TaskNotFinished(args=(str(name), *_)):
            return refusal.sentence, _following(name)
        case StillReading():
            return refusal.sentence, refusal.advice
        case NothingToSearch():
            return (
                refusal.sentence,
                "Bring documents in with research-agent ingest PATH, or set a provider's key: "
                "research-agent doctor says which.",
            )
        case UnknownDocument(args=(_, str(collection))):
            listed = f"research-agent collections info {collection} lists what it holds."
            return refusal.sentence, listed
        case _:
            return refusal.sentence, refusal.advice


def told_reply(reply: dict[str, Any], task: str) -> str:
    """The same of a refusal in the shape of contract 01, about the task that was named."""
    match reply["error"]:
        case "TASK_NOT_FOUND":
            sentence, advice = _unknown(task)
        case "RESEARCH_NOT_COMPLETED":
            sentence, advice = reply["message"], _following(task)
        case _:
            advice = reply["suggestion"].replace("an output_dir", "an --output-dir")
            advice = advice.replace(" filename_prefix", " --prefix")
            sentence, advice = reply["message"], advice.replace(" output_dir", " --output-dir")
    return f"{ended(sentence)} {ended(advice)}"


def _unknown(name: str) -> tuple[str, str]:
    shown = ascii(name[:80])
    if is_job(name):
        return (
            f"{shown} is not a research task.",
            "If it is a job, research-agent kb status says how it stands.",
        )
    listed = "research-agent ps lists them."
    if len(name) < ENOUGH and _BEGUN.fullmatch(name):
        listed = f"Give the first {ENOUGH} characters of its id or more; {listed}"
    return f"There is no research task {shown}.", listed


def _reading(name: str) -> str:
    return f"Read it with research-agent {'kb status' if is_job(name) else 'results'} {name}."


def _following(name: str) -> str:
    return f"Follow it with research-agent watch {name}."
