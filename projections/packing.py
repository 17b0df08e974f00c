"""Fold states to bytes and back, for snapshots: by place and not by name, one line a stream."""

from dataclasses import fields
from operator import attrgetter
from typing import Any

from events.codec import canonical, decode
from events.tail import Cursor
from projections.catalogue import (
    Anchor,
    Catalogue,
    Collection,
    Cut,
    Cuts,
    Entry,
    Rating,
    SourceVersion,
)
from projections.folded import Folded
from projections.rows import Assignment, JobRow, TaskRow
from projections.work import Work


def _places(row: type) -> list[str]:
    return [each.name for each in fields(row)]


_collection = attrgetter(*_places(Collection))
_version = attrgetter(*_places(SourceVersion))
_CREW = TaskRow._fields.index("crew")
_FAILURES = JobRow._fields.index("failures")
_END = Entry._fields.index("end")


def pack_folded(name: str, state: Folded, *, resting: bool) -> bytes:
    """One stream's state as a line without its newline."""
    row: list[Any] | None = None
    if state.task:
        row = list(state.task)
        row[_CREW] = [tuple(each) for each in state.task.crew]
    elif state.job:
        row = list(state.job)
    place = (int(resting), name, state.role, state.owner, tuple(state.cursor))
    return canonical((*place, tuple(state.work), row))


def packed_name(line: bytes) -> str:
    """Whose state a line is."""
    return line[4 : line.index(b'"', 4)].decode()


def packed_at_rest(line: bytes) -> bool:
    """Whether the stream had ended and was folded to its end."""
    return line.startswith(b"[1,")


def unpack_folded(line: bytes) -> Folded:
    """A stream's state from its line."""
    _, _, role, owner, cursor, work, row = decode(line)
    work[-1] = tuple(map(tuple, work[-1]))
    task = job = None
    if role == "task" and row is not None:
        row[_CREW] = tuple(Assignment(*each) for each in row[_CREW])
        task = TaskRow(*row)
    elif row is not None:
        row[_FAILURES] = tuple(map(tuple, row[_FAILURES]))
        job = JobRow(*row)
    return Folded(role, owner, Cursor(*cursor), Work(*work), task, job)


def pack_catalogue(catalogue: Catalogue) -> bytes:
    """A catalogue, whole."""
    return canonical(
        (
            tuple(catalogue.cursor),
            [_packed_entry(each) for each in catalogue.tasks.values()],
            [_packed_entry(each) for each in catalogue.jobs.values()],
            [_collection(each) for each in catalogue.collections.values()],
            [[_version(each) for each in past] for past in catalogue.history.values()],
            [tuple(each) for each in catalogue.ratings.values()],
            catalogue.cuts.generation,
            [
                (*place, [(generation, *cut) for generation, cut in cuts.items()])
                for place, cuts in catalogue.cuts.rebuilt.items()
            ],
            [(*place, chunks) for place, chunks in catalogue.published.items()],
        )
    )


def unpack_catalogue(raw: bytes) -> Catalogue:
    """A catalogue from its bytes."""
    cursor, tasks, jobs, collections, history, ratings, generation, rebuilt, published = decode(raw)
    catalogue = Catalogue(Cursor(*cursor))
    for row in tasks:
        entry = _unpacked_entry(row)
        catalogue.tasks[entry.name] = entry
    for row in jobs:
        entry = _unpacked_entry(row)
        catalogue.jobs[entry.name] = entry
    catalogue.order.extend(catalogue.tasks)
    for entry in catalogue.by_entry():
        if entry.key is not None:
            catalogue.keys.setdefault(entry.key, entry.name)
    for row in collections:
        catalogue.collections[row[0]] = Collection(*row)
    for rows in history:
        past = tuple(SourceVersion(*row) for row in rows)
        catalogue.history[past[0].collection, past[0].document] = past
    catalogue.ratings.update((row[0], Rating(*row)) for row in ratings)
    cuts = {
        (collection, document): {row[0]: Cut(*row[1:]) for row in rows}
        for collection, document, rows in rebuilt
    }
    catalogue.cuts = Cuts(generation, cuts)
    catalogue.published.update(((row[0], row[1]), row[2]) for row in published)
    return catalogue


def _packed_entry(entry: Entry) -> list[Any]:
    row: list[Any] = list(entry)
    row[_END] = entry.end and tuple(entry.end)
    return row


def _unpacked_entry(row: list[Any]) -> Entry:
    row[_END] = row[_END] and Anchor(*row[_END])
    return Entry(*row)
