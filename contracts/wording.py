"""A task's status in the words that tools and commands share."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from actors.keys import key_name
from events.errors import KeyRefused
from projections.status import TaskStatus

_PROVIDERS = {"gemini": "Gemini", "claude": "Anthropic", "tavily": "Tavily"}
"""Whose keys researchers need; some are called like the kind of researcher."""


class RefusedKey(NamedTuple):
    """A key that its provider does not accept."""

    provider: str
    name: str
    """The variable's; never what is in it."""


def refused_key(seen: TaskStatus, home: Path) -> RefusedKey | None:
    """The key for which a research ended; none where it did not end for one."""
    if seen.failure_code != KeyRefused.code:
        return None
    # Whoever refused it is named first; a researcher may need several keys, and a task several researchers.
    named = (seen.failure_message or "").partition(":")[0]
    provider = next((each for each in (named, seen.researcher) if each in _PROVIDERS), "gemini")
    return RefusedKey(_PROVIDERS[provider], key_name(provider, home, os.environ))


def status_word(seen: TaskStatus) -> str:
    """A phase in the contract's words."""
    words = {"running": "running_async", "quarantined": "failed"}
    return words.get(seen.phase, seen.phase)


def action_of(seen: TaskStatus) -> str:
    """What a research is doing, in words for a person."""
    if seen.stop_requested and not seen.ended:
        # Only a cancel stops what has not begun; what has may have run out of time.
        pending = seen.phase == "pending"
        return "Being cancelled" if pending else "Being stopped: cancelled, or out of time"
    words = {
        "pending": "Waiting to start",
        "completed": "Research complete",
        "cancelled": "Research cancelled",
    }
    return words.get(seen.phase) or seen.failure_message or seen.current_action or "Starting"


def elapsed_s(seen: TaskStatus) -> float:
    """Seconds since a research was accepted, or that it took."""
    until = datetime.fromisoformat(seen.ended_at) if seen.ended_at else datetime.now(UTC)
    return max(0.0, (until - datetime.fromisoformat(seen.asked_at)).total_seconds())


def record_of(seen: TaskStatus) -> dict[str, Any]:
    """Where the answer comes from: whoever keeps this can prove later that nothing was changed."""
    return {"stream": seen.task, "seq": seen.head_seq, "head": seen.head_hash}
