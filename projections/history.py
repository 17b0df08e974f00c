"""How tasks move, and how past ones went: what progress, durations and costs are learned from."""

from collections.abc import Iterator
from typing import NamedTuple

from projections.catalogue import Catalogue, Entry
from projections.family import Family, status_of_task
from projections.results import wall_seconds
from projections.status import TaskStatus

REMEMBERED = 200
"""So many past tasks of a kind are looked at, the newest first: providers change."""


class Pulse(NamedTuple):
    """A task as it stands, and how it moves."""

    status: TaskStatus
    acted_at: str
    """When any of its researchers last did something that it tells."""

    moves: int
    """Steps taken, sources read, and what a provider's agent thought, searched and checked."""

    imported_at: str | None
    """When it was taken over from another home; none, if it was done here."""


class Past(NamedTuple):
    """A task that was completed."""

    task: str
    question: str
    """Its beginning."""

    brief: str
    """Hash of the whole brief."""

    seconds: float
    """From its start to its end."""

    cost_usd: float
    moves: int


def completed_before(catalogue: Catalogue, kind: str, moment: str | None) -> Iterator[Entry]:
    """Tasks of a kind of researcher that were completed by a moment, the newest first.

    Asked again for the same moment it gives the same tasks, whatever happened since.
    """
    for name in reversed(catalogue.order):
        entry = catalogue.tasks[name]
        known = moment is None or (entry.ended_at or "") <= moment
        if entry.researcher == kind and entry.outcome == "completed" and known:
            yield entry


def pulse_of(entry: Entry, family: Family) -> Pulse:
    """How a task moves."""
    status, works = status_of_task(entry, family), [state.work for state in family.states]
    moves = status.steps + status.sources_read + sum(work.moves for work in works)
    acted_at = max(work.acted_at for work in works)
    return Pulse(status, acted_at, moves, entry.imported_at)


def past_of(entry: Entry, family: Family) -> Past:
    """What is remembered of a task."""
    status, _, moves, _ = pulse_of(entry, family)
    seconds = wall_seconds(status.started_at, status.ended_at)
    return Past(entry.name, entry.about, entry.blob, seconds, status.cost_usd, moves)
