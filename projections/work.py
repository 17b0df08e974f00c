"""What one stream adds up to, whosever it is: claims, steps, reading, calls and their cost."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from events.codec import Record
from projections.costs import SpendRow, fold_spend


class Work(NamedTuple):
    """What was done in one stream so far."""

    claims: int = 0
    """How many writers took it up, one after the other."""

    steps: int = 0
    """The highest step that was taken."""

    progress: int = 0
    """Percent, as far as the steps say of how many they are; never falls, never 100."""

    action: str = ""
    """What was done last, in words."""

    acted_at: str = ""
    """When that was done."""

    sources_read: int = 0
    calls_asked: int = 0
    """Every attempt counts."""

    calls_answered: int = 0
    calls_failed: int = 0
    moves: int = 0
    """What a provider's agent thought, searched, kept and checked, one by one."""

    spend: tuple[SpendRow, ...] = ()


def _search(data: dict[str, Any]) -> str:
    if queries := data.get("queries"):
        return "Searching: " + "; ".join(queries)
    return "Reading " + ", ".join(data.get("urls") or ["the web"])


def _keys(data: dict[str, Any]) -> str:
    return f"Waiting for a key ({' or '.join(data['names'])}): connect a client that has one"


_SAYING: dict[str, Callable[[dict[str, Any]], str]] = {
    "step_taken": lambda data: str(data["decision"]),
    "thought_summarised": lambda data: str(data["text"]),
    "search_made": _search,
    "page_kept": lambda data: f"Reading {data['final_url']}",
    "sentence_checked": lambda data: f"Checking: {data['sentence']}",
    "keys_awaited": _keys,
    "keys_arrived": lambda data: f"Going on with {data['provider']}",
    "provider_awaited": lambda data: f"Waiting for {data['provider']}: {data['message']}",
    "provider_answered": lambda data: f"Going on with {data['provider']}",
}
"""Facts that say what is being done now, and how."""

_MOVES = ("thought_summarised", "search_made", "page_kept", "sentence_checked")
_ACTION_LENGTH = 300


def fold_work(work: Work, records: Sequence[Record]) -> Work:
    """Fold records in. Total: facts of no interest leave the row as it was."""
    # Most kinds are only counted: parsing every line would double the time of a cold start.
    kinds = [record.kind for record in records]
    steps, progress, action, acted_at = work.steps, work.progress, work.action, work.acted_at
    if "step_taken" in kinds:
        for record in records:
            if record.kind == "step_taken":
                data = record.data
                step, of = data["step"], data.get("of")
                if step > steps:
                    steps = step
                if of and 100 * step // of > progress:
                    progress = min(99, 100 * step // of)
    last = next((each for each in reversed(records) if each.kind in _SAYING), None)
    if last:
        action, acted_at = _said(last), last.at
    answered, failed = kinds.count("call_answered"), kinds.count("call_failed")
    return Work(
        work.claims + kinds.count("stream_claimed"),
        steps,
        progress,
        action,
        acted_at,
        work.sources_read + kinds.count("source_read"),
        work.calls_asked + kinds.count("call_asked"),
        work.calls_answered + answered,
        work.calls_failed + failed,
        work.moves + sum(map(kinds.count, _MOVES)),
        fold_spend(work.spend, records) if answered or failed else work.spend,
    )


def _said(record: Record) -> str:
    words = " ".join(_SAYING[record.kind](record.data).split())
    return words if len(words) <= _ACTION_LENGTH else words[: _ACTION_LENGTH - 1] + "…"
