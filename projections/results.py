"""What an ended task found: its result and report, and the evidence in the record for both."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from events.blobs import BlobStore
from events.codec import decode
from events.errors import ResearchError, TaskNotFinished
from projections.evidence import Discovery, EvidenceRow, Gap, Question, Quote, Read
from projections.partial import partial_result
from projections.status import TaskStatus

Row = TypeVar("Row")


class NoResult(ResearchError):
    """A task ended without a result: (id, phase, why)."""

    code = "no_result"
    says = "Research {0} {1} without a result: {2}"
    suggestion = "Read its trace for what happened, then start it anew."


@dataclass(frozen=True, slots=True)
class ResultView:
    """Everything an ended task leaves behind; partial, if it was stopped early."""

    task: str
    status: TaskStatus
    """How it ended, and the totals."""

    question: str
    """Whole, as it was asked."""

    result: dict[str, Any]
    report: str
    sources: tuple[Read, ...]
    """What was read, each once, in the order of reading."""

    quotes: tuple[Quote, ...]
    gaps: tuple[Gap, ...]
    discoveries: tuple[Discovery, ...]
    open_questions: tuple[Question, ...]
    wall_seconds: float
    """From its start to its end."""

    @property
    def partial(self) -> bool:
        """Whether it ended before it was done."""
        return self.status.phase != "completed"


def result_view(
    status: TaskStatus,
    brief: str,
    rows: Iterable[EvidenceRow],
    blobs: BlobStore,
    *,
    save_partial: bool = True,
) -> ResultView:
    """Put a result together from the task's status, the hash of its brief, and its evidence."""
    if not status.ended:
        raise TaskNotFinished(status.task, status.progress)
    rows = list(rows)
    asked = decode(blobs.get(brief))
    question: str = asked["question"]
    if status.result is not None and status.report is not None:
        result, report = decode(blobs.get(status.result)), blobs.get_text(status.report)
    elif noted := (
        partial_result(status, question, asked.get("model"), rows, blobs)
        if save_partial and _stopped_early(status)
        else None
    ):
        result, report = noted
    else:
        raise NoResult(status.task, _VERBS[status.phase], _why(status))
    return ResultView(
        task=status.task,
        status=status,
        question=question,
        result=result,
        report=report,
        sources=_each_once(_only(Read, rows)),
        quotes=tuple(_only(Quote, rows)),
        gaps=tuple(_only(Gap, rows)),
        discoveries=tuple(_only(Discovery, rows)),
        open_questions=tuple(_only(Question, rows)),
        wall_seconds=wall_seconds(status.started_at, status.ended_at),
    )


def wall_seconds(started_at: str | None, ended_at: str | None) -> float:
    """Time between two records; none, where one is missing."""
    if not started_at or not ended_at:
        return 0.0
    took = datetime.fromisoformat(ended_at) - datetime.fromisoformat(started_at)
    return max(0.0, took.total_seconds())


_VERBS = {
    "completed": "ended",
    "failed": "failed",
    "cancelled": "was cancelled",
    "quarantined": "was set aside",
}


def _stopped_early(status: TaskStatus) -> bool:
    return status.phase == "cancelled" or status.failure_code == "timed_out"


def _why(status: TaskStatus) -> str:
    if status.failure_message or status.failure_code:
        return f"{status.failure_message or status.failure_code}"
    return "it had found nothing by then" if status.phase == "cancelled" else "none was recorded"


def _only(kind: type[Row], rows: Iterable[Any]) -> list[Row]:
    return [row for row in rows if isinstance(row, kind)]


def _each_once(reads: Iterable[Read]) -> tuple[Read, ...]:
    first: dict[tuple[str, str, str], Read] = {}
    for read in reads:
        first.setdefault((read.url, read.content_hash, read.text_hash), read)
    return tuple(first.values())
