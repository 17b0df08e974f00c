"""What one stream adds up to, whosever it is: claims, steps, reading, calls and their cost."""

from collections.abc import Sequence
from typing import NamedTuple

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
    """The last step, in words."""

    acted_at: str = ""
    """When that was taken."""

    sources_read: int = 0
    calls_asked: int = 0
    """Every attempt counts."""

    calls_answered: int = 0
    calls_failed: int = 0
    spend: tuple[SpendRow, ...] = ()


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
                last = record
        action, acted_at = last.data["decision"], last.at
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
        fold_spend(work.spend, records) if answered or failed else work.spend,
    )
