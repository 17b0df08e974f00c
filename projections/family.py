"""The streams of one task or job, and what they say together."""

from typing import NamedTuple

from projections.catalogue import Entry
from projections.costs import SpendRow
from projections.folded import Folded
from projections.rows import JobRow, TaskRow
from projections.status import JobStatus, TaskStatus, job_status, task_status


class Family(NamedTuple):
    """A task's or job's own stream first, then its researchers'."""

    names: tuple[str, ...]
    states: tuple[Folded, ...]

    @property
    def own(self) -> Folded:
        """The task's or job's own stream."""
        return self.states[0]

    @property
    def spend(self) -> list[SpendRow]:
        """What all of them spent."""
        return [row for state in self.states for row in state.work.spend]


def status_of_task(entry: Entry, family: Family) -> TaskStatus:
    """Where a task stands."""
    own, *crew = family.states
    works = [state.work for state in crew]
    return task_status(entry, own.cursor, own.task or TaskRow(), own.work, works)


def status_of_job(entry: Entry, family: Family) -> JobStatus:
    """Where an ingest job stands."""
    own = family.own
    return job_status(entry, own.cursor, own.job or JobRow(), own.work)


def status_of(entry: Entry, family: Family) -> TaskStatus | JobStatus:
    """Where a task or job stands."""
    return status_of_task(entry, family) if entry.role == "task" else status_of_job(entry, family)
