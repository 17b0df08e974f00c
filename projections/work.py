"""What one stream adds up to, whosever it is: claims, steps, reading, calls and their cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from events.codec import Record
from projections.costs import SpendRow, fold_spend


@dataclass(frozen=True, slots=True)
class Work:
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
    claims, steps, progress = work.claims, work.steps, work.progress
    action, acted_at = work.action, work.acted_at
    sources, asked = work.sources_read, work.calls_asked
    answered, failed = work.calls_answered, work.calls_failed
    # Cheap kinds are only counted: parsing every line would double the time of a cold start.
    for record in records:
        match record.kind:
            case "call_asked":
                asked += 1
            case "call_answered":
                answered += 1
            case "source_read":
                sources += 1
            case "step_taken":
                data = record.data
                steps = max(steps, data["step"])
                if of := data.get("of"):
                    progress = max(progress, min(99, 100 * data["step"] // of))
                action, acted_at = data["action"], record.at
            case "call_failed":
                failed += 1
            case "stream_claimed":
                claims += 1
            case _:
                pass
    spend = work.spend
    if answered > work.calls_answered or failed > work.calls_failed:
        spend = fold_spend(spend, records)
    return Work(claims, steps, progress, action, acted_at, sources, asked, answered, failed, spend)
