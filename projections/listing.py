"""Lists of tasks and jobs: one whose record cannot be read is listed all the same, and says why."""

from dataclasses import dataclass, replace
from typing import TypeVar

from events.errors import BadRequest, ResearchError
from events.home import CATALOGUE
from events.stream import Head
from projections.catalogue import Catalogue, Entry
from projections.family import Family, status_of_job, status_of_task
from projections.folded import Folded
from projections.folds import Folds
from projections.status import JobStatus, Phase, TaskStatus

PAGE_LIMIT = 500
"""Tasks that one page can hold."""

Status = TypeVar("Status", TaskStatus, JobStatus)


@dataclass(frozen=True, slots=True)
class Page:
    """Some tasks, the newest first."""

    tasks: tuple[TaskStatus, ...]
    cursor: str | None
    """Asks for the page after this one; none, when this is the last."""

    head: Head
    """Where the catalogue ended when this was read."""


def page_of_tasks(
    catalogue: Catalogue, folds: Folds, phase: Phase | None, limit: int, cursor: str | None
) -> Page:
    """Tasks, the newest first. Tasks entered meanwhile neither shift nor repeat a page."""
    place = _place(cursor, len(catalogue.order))
    limit = max(1, min(limit, PAGE_LIMIT))
    found: list[TaskStatus] = []
    while place and len(found) < limit:
        place -= 1
        entry = catalogue.tasks[catalogue.order[place]]
        if phase is None or entry.outcome in (None, phase):
            status = listed_task(entry, folds)
            found += [status] if phase in (None, status.phase) else []
    return Page(tuple(found), str(place) if place else None, catalogue_head(catalogue))


def listed_task(entry: Entry, folds: Folds) -> TaskStatus:
    """Where a task stands, as far as can be read."""
    try:
        return status_of_task(entry, folds.family(entry))
    except ResearchError as failure:
        return _marked(status_of_task(entry, _unread(entry)), failure)


def listed_job(entry: Entry, folds: Folds) -> JobStatus:
    """Where a job stands, as far as can be read."""
    try:
        return status_of_job(entry, folds.family(entry))
    except ResearchError as failure:
        return _marked(status_of_job(entry, _unread(entry)), failure)


def catalogue_head(catalogue: Catalogue) -> Head:
    """Where the catalogue ends."""
    return Head(CATALOGUE, catalogue.cursor.seq, catalogue.cursor.head)


def _marked(status: Status, failure: ResearchError) -> Status:
    """What the catalogue alone knows of a task or job, and why there is no more."""
    return replace(
        status,
        phase=status.phase if status.ended else "quarantined",
        failure_code=failure.code,
        failure_message=failure.sentence,
    )


def _unread(entry: Entry) -> Family:
    return Family((entry.name,), (Folded(entry.role, entry.name),))


def _place(cursor: str | None, newest: int) -> int:
    if cursor is None:
        return newest
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 20):
        raise BadRequest("This is not a cursor of a task list.", "Use the one that came last.")
    return min(int(cursor), newest)
