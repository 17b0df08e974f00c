"""Where each task and job stands: what the catalogue and several streams say together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, cast

from events.tail import Cursor
from projections.catalogue import Entry
from projections.costs import add_up
from projections.rows import Assignment, JobRow, TaskRow
from projections.work import Work

Phase = Literal["pending", "running", "completed", "failed", "cancelled", "quarantined"]


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """Where one task stands."""

    task: str
    phase: Phase
    question: str
    """Its beginning."""

    researcher: str
    """Kind of researcher that works on it."""

    asked_at: str
    started_at: str | None = None
    ended_at: str | None = None
    progress: int = 0
    """Percent; 100 means completed, and nothing else does."""

    current_action: str = ""
    """The last step that any researcher took, in words."""

    steps: int = 0
    sources_read: int = 0
    calls_asked: int = 0
    calls_answered: int = 0
    calls_failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    researchers: tuple[str, ...] = ()
    """Streams of those who were sent out."""

    restarts: int = 0
    """How often somebody had to take work up again."""

    failure_code: str | None = None
    failure_message: str | None = None
    stop_requested: bool = False
    result: str | None = None
    """Hash of the result, as JSON."""

    report: str | None = None
    """Hash of the report, as Markdown."""

    head_seq: int = 0
    head_hash: str = ""
    """Where the task's own stream ends."""

    @property
    def ended(self) -> bool:
        """Nothing more will happen to it."""
        return self.phase not in ("pending", "running")


@dataclass(frozen=True, slots=True)
class JobStatus:
    """Where one ingest job stands."""

    job: str
    phase: Phase
    collection: str
    asked_at: str
    started_at: str | None = None
    ended_at: str | None = None
    progress: int = 0
    """Percent of files done; 100 means completed, and nothing else does."""

    files: int = 0
    done: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    empty: int = 0
    failed: int = 0
    current_file: str | None = None
    failures: tuple[tuple[str, str | None, str | None], ...] = ()
    """The first files that failed: locator, code, reason."""

    chunks: int = 0
    """Of the files that are done."""

    embedded: int = 0
    embedding: int = 0
    """Chunks embedded, of how many, in the portion that is worked on."""

    calls_asked: int = 0
    cost_usd: float = 0.0
    restarts: int = 0
    failure_code: str | None = None
    failure_message: str | None = None
    stop_requested: bool = False
    head_seq: int = 0
    head_hash: str = ""

    @property
    def ended(self) -> bool:
        """Nothing more will happen to it."""
        return self.phase not in ("pending", "running")


def task_status(
    entry: Entry, cursor: Cursor, row: TaskRow, own: Work, crew: Sequence[Work]
) -> TaskStatus:
    """Put together what the catalogue, a task's stream and its researchers' streams say."""
    works = (own, *crew)
    spend = add_up(each for work in works for each in work.spend)
    phase = _phase(entry, row.outcome, row.started_at)
    latest = max(works, key=lambda work: work.acted_at)
    return TaskStatus(
        task=entry.name,
        phase=phase,
        question=entry.about,
        researcher=entry.researcher,
        asked_at=entry.entered_at,
        started_at=row.started_at,
        ended_at=row.ended_at or entry.ended_at,
        progress=100 if phase == "completed" else _progress(row.crew, own, crew),
        current_action=latest.action,
        steps=sum(work.steps for work in works),
        sources_read=sum(work.sources_read for work in works),
        calls_asked=sum(work.calls_asked for work in works),
        calls_answered=sum(work.calls_answered for work in works),
        calls_failed=sum(work.calls_failed for work in works),
        tokens_in=sum(each.tokens_in for each in spend),
        tokens_out=sum(each.tokens_out for each in spend),
        cost_usd=sum(each.cost_nano for each in spend) / 1e9,
        researchers=tuple(each.researcher for each in row.crew),
        restarts=_restarts(works),
        failure_code=row.code or entry.code,
        failure_message=row.message or entry.message,
        stop_requested=row.stop_requested or entry.cancel_requested,
        result=row.result,
        report=row.report,
        head_seq=cursor.seq,
        head_hash=cursor.head,
    )


def job_status(entry: Entry, cursor: Cursor, row: JobRow, work: Work) -> JobStatus:
    """Put together what the catalogue and a job's stream say."""
    done = row.added + row.updated + row.unchanged + row.empty + row.failed
    phase = _phase(entry, row.outcome, row.started_at)
    part = min(99, 100 * done // entry.files) if entry.files else 0
    return JobStatus(
        job=entry.name,
        phase=phase,
        collection=entry.about,
        asked_at=entry.entered_at,
        started_at=row.started_at,
        ended_at=row.ended_at or entry.ended_at,
        progress=100 if phase == "completed" else part,
        files=entry.files,
        done=done,
        added=row.added,
        updated=row.updated,
        unchanged=row.unchanged,
        empty=row.empty,
        failed=row.failed,
        current_file=row.current,
        failures=row.failures,
        chunks=row.chunks,
        embedded=row.embedded,
        embedding=row.embedding,
        calls_asked=work.calls_asked,
        cost_usd=sum(each.cost_nano for each in add_up(work.spend)) / 1e9,
        restarts=_restarts((work,)),
        failure_code=row.code or entry.code,
        failure_message=row.message or entry.message,
        stop_requested=entry.cancel_requested,
        head_seq=cursor.seq,
        head_hash=cursor.head,
    )


def _phase(entry: Entry, outcome: str | None, started_at: str | None) -> Phase:
    return cast("Phase", entry.outcome or outcome or ("running" if started_at else "pending"))


def _restarts(works: Iterable[Work]) -> int:
    return sum(max(0, work.claims - 1) for work in works)


def _progress(assigned: tuple[Assignment, ...], own: Work, crew: Sequence[Work]) -> int:
    """The mean over those who were sent out, but never less than before more were sent.

    Each researcher's own progress never falls, so neither does the mean of those who were sent
    out up to some decision, nor the greatest of these means.
    """
    means = [own.progress]
    sums = list(accumulate(work.progress for work in crew))
    decisions = [each.decision for each in assigned]
    for place, (this, following) in enumerate(pairwise((*decisions, 0))):
        if this != following and place < len(sums):
            means.append(sums[place] // (place + 1))
    return max(means)
