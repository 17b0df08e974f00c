"""Where each task and job stands.

A row depends on its own stream only, never on when other streams were read: what several streams
say together is put together when somebody asks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, cast

from events.codec import Record
from events.tail import Cursor
from projections.catalogue import Anchor, Entry
from projections.costs import add_up
from projections.work import Work

Phase = Literal["pending", "running", "completed", "failed", "cancelled", "quarantined"]

FAILURES_SHOWN = 20
"""How many failed files a job's status lists; all of them are in its files."""


class Assignment(NamedTuple):
    """A researcher that a task sent out, and where its stream ends once it has reported."""

    researcher: str
    decision: int
    """Last line of the decision that sent it; the same for those who were sent together."""

    seq: int = 0
    head: str = ""

    @property
    def end(self) -> Anchor | None:
        """Where its stream ends, if it has ended."""
        return Anchor(self.seq, self.head) if self.seq else None


class TaskRow(NamedTuple):
    """What a task's own stream says."""

    started_at: str | None = None
    ended_at: str | None = None
    outcome: str | None = None
    crew: tuple[Assignment, ...] = ()
    code: str | None = None
    message: str | None = None
    stop_requested: bool = False
    result: str | None = None
    report: str | None = None


_ENDINGS = {"task_concluded": "completed", "task_cancelled": "cancelled", "task_failed": "failed"}


def fold_task(row: TaskRow, records: Iterable[Record]) -> TaskRow:
    """Fold records in. Total: facts of no interest leave the row as it was."""
    started_at, crew, stop = row.started_at, row.crew, row.stop_requested
    ending: Record | None = None
    for record in records:
        match record.kind:
            case "task_accepted":
                started_at = started_at or record.at
            case "researcher_assigned":
                crew = _sent(crew, record.data["researcher"], record.seq + record.left)
            case "researcher_reported":
                crew = _reported(crew, record.data)
            case "stop_requested":
                stop = True
            case "task_concluded" | "task_cancelled" | "task_failed":
                ending = ending or record
            case _:
                pass
    if ending is None or row.outcome:
        return row._replace(started_at=started_at, crew=crew, stop_requested=stop)
    data = ending.data
    return TaskRow(
        started_at=started_at,
        ended_at=ending.at,
        outcome=_ENDINGS[ending.kind],
        crew=crew,
        code=data.get("code"),
        message=data.get("message"),
        stop_requested=stop,
        result=_hash(data.get("result")),
        report=_hash(data.get("report")),
    )


def _sent(crew: tuple[Assignment, ...], name: str, decision: int) -> tuple[Assignment, ...]:
    known = any(each.researcher == name for each in crew)
    return crew if known else (*crew, Assignment(name, decision))


def _reported(crew: tuple[Assignment, ...], data: dict[str, Any]) -> tuple[Assignment, ...]:
    end = data["seq"], data["head"]
    return tuple(
        Assignment(each.researcher, each.decision, *end)
        if each.researcher == data["researcher"] and not each.seq
        else each
        for each in crew
    )


def _hash(blob: dict[str, Any] | None) -> str | None:
    return blob["hash"] if blob else None


class JobRow(NamedTuple):
    """What an ingest job's own stream says."""

    started_at: str | None = None
    ended_at: str | None = None
    outcome: str | None = None
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    empty: int = 0
    failed: int = 0
    current: str | None = None
    failures: tuple[tuple[str, str | None, str | None], ...] = ()
    code: str | None = None
    message: str | None = None
    chunks: int = 0
    embedded: int = 0
    embedding: int = 0


def fold_job(row: JobRow, records: Iterable[Record]) -> JobRow:
    """Fold records in. Total: facts of no interest leave the row as it was."""
    tally = {name: getattr(row, name) for name in _TALLIED}
    current, failures = row.current, row.failures
    chunks, embedded, embedding = row.chunks, row.embedded, row.embedding
    for record in records:
        match record.kind:
            case "file_read":
                current = record.data["locator"]
            case "file_done":
                data = record.data
                if data["outcome"] in tally:
                    tally[data["outcome"]] += 1
                current = None if current == data["locator"] else current
                chunks += data["chunks"]
                if data["outcome"] == "failed" and len(failures) < FAILURES_SHOWN:
                    failed = data["locator"], data.get("code"), data.get("reason")
                    failures = (*failures, failed)
            case "chunks_embedded":
                data = record.data
                embedded, embedding, current = data["done"], data["of"], data["locator"]
            case "ingest_accepted" if row.started_at is None:
                row = row._replace(started_at=record.at)
            case "ingest_finished" if row.outcome is None:
                row = row._replace(outcome="completed", ended_at=record.at)
            case "ingest_stopped" if row.outcome is None:
                data = record.data
                row = row._replace(
                    outcome="cancelled" if data["reason"] == "cancelled" else "failed",
                    ended_at=record.at,
                    code=data.get("code"),
                    message=data.get("message"),
                )
            case _:
                pass
    return row._replace(
        current=current,
        failures=failures,
        chunks=chunks,
        embedded=embedded,
        embedding=embedding,
        **tally,
    )


_TALLIED = ("added", "updated", "unchanged", "empty", "failed")


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
