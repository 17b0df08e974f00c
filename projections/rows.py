"""What the stream of a task or job itself says of where it stands.

A row depends on its own stream only, never on when other streams were read: what several streams
say together is put together in `projections.status`, when somebody asks.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from events.codec import Record
from projections.catalogue import Anchor

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


Failures = tuple[tuple[str, str | None, str | None], ...]
"""Files that came to nothing: locator, code and reason of each."""


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
    failures: Failures = ()
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
                if (before := data.get("instead_of")) in tally:
                    tally[before] -= 1
                current = None if current == data["locator"] else current
                chunks += data["chunks"]
                if before == "failed":
                    failures = _without_one(failures, data["locator"])
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


def _without_one(failures: Failures, locator: str) -> Failures:
    """One failure less: other collections may hold a file of the same name that failed as well."""
    at = next((place for place, each in enumerate(failures) if each[0] == locator), len(failures))
    return (*failures[:at], *failures[at + 1 :])


_TALLIED = ("added", "updated", "unchanged", "empty", "failed")
