"""The object that tools hold: every answer they give is read here, and nothing is ever pushed.

Each question first catches up, reading only what was appended, so an answer includes everything
that was acknowledged before the question. Needs neither Ray nor a writer; writes only snapshots.
"""

import shutil
import threading
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from events.codec import canonical, decode
from events.errors import HomeUnwritable, ResearchError, UnknownTask
from events.home import CATALOGUE, Home
from events.stream import Head
from events.tail import read_parts
from projections.catalogue import (
    Anchor,
    Catalogue,
    Collection,
    Entry,
    Rating,
    SourceVersion,
)
from projections.costs import Call, Spend, fold_calls
from projections.evidence import EvidenceRow, File, evidence
from projections.family import Family, status_of_job, status_of_task
from projections.folds import Folds
from projections.history import REMEMBERED, Past, Pulse, completed_before, past_of, pulse_of
from projections.holdings import (
    collections_held,
    held_elsewhere,
    last_published,
    sources_held,
)
from projections.listing import Page, catalogue_head, listed_job, page_of_tasks
from projections.packing import pack_catalogue, pack_folded
from projections.results import ResultView, result_view
from projections.status import JobStatus, Phase, TaskStatus
from projections.tables import Tables

SNAPSHOT_EVERY = 20_000
"""Facts folded between snapshots."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What everything cost."""

    totals: tuple[Spend, ...]
    """By day and model."""

    left_out: tuple[str, ...]
    """Tasks and jobs whose record is broken."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What there is, after everything was read."""

    tasks: int
    jobs: int
    sources: int
    facts: int
    """How many had to be folded for this."""

    broken: dict[str, str]
    """Tasks and jobs that cannot be read, and why."""


class Views:
    """One process's view of a data home. Safe to share between threads."""

    def __init__(self, home: Home, snapshot_every: int = SNAPSHOT_EVERY) -> None:
        self._home = home
        self._every = snapshot_every
        self._lock = threading.RLock()
        self._folds = Folds(home)
        self._tables = Tables(home, self._folds)
        self._pasts: dict[tuple[str, Anchor | None], Past] = {}

    # -- tasks -------------------------------------------------------------------------------------

    def status(self, task: str) -> TaskStatus:
        """Where a task stands."""
        with self._asking() as catalogue:
            return status_of_task(*self._task(catalogue, task))

    def tasks(self, phase: Phase | None = None, limit: int = 50, cursor: str | None = None) -> Page:
        """Tasks, the newest first. Tasks entered meanwhile neither shift nor repeat a page."""
        with self._asking() as catalogue:
            return page_of_tasks(catalogue, self._folds, phase, limit, cursor)

    def result(self, task: str) -> ResultView:
        """What an ended task found, with the evidence read anew from its checked record."""
        with self._asking() as catalogue:
            entry, family = self._task(catalogue, task)
            status = status_of_task(entry, family)
            # What a quarantined task wrote may be what it was quarantined for.
            sound = status.ended and status.phase != "quarantined"
            rows = self._evidence(family) if sound else []
            keep = entry.save_partial
            return result_view(status, entry.blob, rows, self._home.blobs, save_partial=keep)

    def pulse(self, task: str) -> Pulse:
        """Where a task stands, and how it moves."""
        with self._asking() as catalogue:
            entry, family = self._task(catalogue, task)
            return pulse_of(entry, family)

    def pulse_at_hand(self, task: str) -> Pulse | None:
        """The same, if nobody else is asking and there is next to nothing to catch up with; else none."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            if not self._folds.is_at_hand(task):
                return None
            # Without a look at whether a snapshot is due: that would have to be waited for.
            return pulse_of(*self._task(self._folds.catalogue(), task))
        finally:
            self._lock.release()

    def past(self, kind: str, before: str | None = None) -> list[Past]:
        """The latest tasks of a kind of researcher that were completed, by a moment if one is given."""
        with self._asking() as catalogue:
            entries = completed_before(catalogue, kind, before)
            found: list[Past] = []
            for entry in islice(entries, REMEMBERED):
                # A past that cannot be read any more teaches nothing.
                with suppress(ResearchError):
                    found.append(self._past_of(entry))
            return found

    def calls(self, owner: str) -> list[Call]:
        """Every outside call of a task or job, in order of asking within each stream."""
        with self._asking() as catalogue:
            family = self._folds.family(_entry(catalogue.entries(), owner))
            calls: list[Call] = []
            for name in family.names:
                known: dict[str, Call] = {}
                for records, _ in read_parts(self._home.path(name)):
                    known |= fold_calls(name, owner, known, records)
                calls += known.values()
            return calls

    def imported_at(self, task: str) -> str | None:
        """When a task was taken over from another home; none, if it was done here."""
        with self._asking() as catalogue:
            return _entry(catalogue.tasks, task).imported_at

    def ratings(self) -> tuple[Rating, ...]:
        """The last rating of each task that has one, in order of rating."""
        with self._asking() as catalogue:
            return tuple(sorted(catalogue.ratings.values(), key=lambda rating: rating.seq))

    # -- jobs and sources --------------------------------------------------------------------------

    def job(self, job: str) -> JobStatus:
        """Where an ingest job stands."""
        with self._asking() as catalogue:
            entry = _entry(catalogue.jobs, job)
            return status_of_job(entry, self._folds.family(entry))

    def jobs(self) -> list[JobStatus]:
        """Every ingest job, in order of entry."""
        with self._asking() as catalogue:
            return [listed_job(entry, self._folds) for entry in catalogue.jobs.values()]

    def files(self, job: str) -> list[File]:
        """What became of each file of an ingest job, in order of ending."""
        with self._asking() as catalogue:
            family = self._folds.family(_entry(catalogue.jobs, job))
            return [row for row in self._evidence(family) if isinstance(row, File)]

    def collections(self) -> list[Collection]:
        """Every collection with what it holds now, in order of creation."""
        with self._asking() as catalogue:
            return collections_held(catalogue)

    def sources(self, collection: str | None = None) -> list[SourceVersion]:
        """The current version of each document that is there now."""
        with self._asking() as catalogue:
            return sources_held(catalogue, collection)

    def versions(self, collection: str, document: str) -> tuple[SourceVersion, ...]:
        """Every version that a document ever had in a collection, oldest first."""
        with self._asking() as catalogue:
            return catalogue.history.get((collection, document), ())

    def held_elsewhere(self, collections: Container[str]) -> set[str]:
        """Where the documents lie, or lay, that other collections hold or held, and these never did."""
        with self._asking() as catalogue:
            return held_elsewhere(catalogue, collections)

    def last_published(self, collection: str) -> SourceVersion | None:
        """The newest version that ever came into a collection, also one that has left it."""
        with self._asking() as catalogue:
            return last_published(catalogue, collection)

    # -- everything --------------------------------------------------------------------------------

    def costs(self) -> Costs:
        """What everything cost, by day and model; `HomeUnwritable` where that cannot be read for now.

        It is held against caps: what may be there in a moment must not count for nothing.
        """
        with self._asking() as catalogue:
            broken = self._folds.refresh(catalogue)
            for failure in broken.values():
                if isinstance(failure, HomeUnwritable):
                    raise failure
            return Costs(self._folds.totals(catalogue, broken), tuple(broken))

    def head(self, stream: str = CATALOGUE) -> Head:
        """Where a stream ends: a proof, to whoever keeps it, that nothing before it was changed."""
        with self._asking() as catalogue:
            if stream == CATALOGUE:
                return catalogue_head(catalogue)
            entries = catalogue.entries()
            owner = stream if stream in entries else stream.rpartition(".")[0]
            family = self._folds.family(_entry(entries, owner))
            if stream not in family.names:
                raise UnknownTask(stream)
            cursor = family.states[family.names.index(stream)].cursor
            return Head(stream, cursor.seq, cursor.head)

    def sql(self, query: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """What a query over the tables answers. Trusted: nothing is refused here."""
        with self._asking() as catalogue:
            broken = self._folds.refresh(catalogue)
            return self._tables.caught_up(catalogue, broken).query(query, params)

    def refresh_all(self) -> Refreshed:
        """Catch up with every stream there is."""
        with self._lock:
            before = self._folds.facts
            with self._asking() as catalogue:
                broken = self._folds.refresh(catalogue)
                return Refreshed(
                    tasks=len(catalogue.tasks),
                    jobs=len(catalogue.jobs),
                    sources=sum(1 for _ in catalogue.sources()),
                    facts=self._folds.facts - before,
                    broken={name: str(failure) for name, failure in broken.items()},
                )

    def rebuild(self) -> Refreshed:
        """Throw every view away and fold the record from zero."""
        with self._lock:
            shutil.rmtree(self._home.views, ignore_errors=True)
            self._folds = Folds(self._home)
            self._tables = Tables(self._home, self._folds)
            counts = self.refresh_all()
            self.save_snapshot()
            return counts

    def save_snapshot(self) -> None:
        """Make the next cold start cheap."""
        with self._lock:
            self._folds.save()
            self._tables.save()

    def dump(self) -> bytes:
        """Everything that is known, in the one spelling that depends on the record alone."""
        with self._asking() as catalogue:
            broken = self._folds.refresh(catalogue)
            streams: dict[str, Any] = {}
            for entry in catalogue.by_entry():
                if entry.name not in broken:
                    family = self._folds.family(entry)
                    for name, state in zip(family.names, family.states, strict=True):
                        streams[name] = decode(pack_folded(name, state, resting=False))
            return canonical(
                {
                    "catalogue": decode(pack_catalogue(catalogue)),
                    "streams": streams,
                    "tables": self._tables.caught_up(catalogue, broken).dump(),
                    "broken": {name: str(failure) for name, failure in broken.items()},
                }
            )

    # -- inside ------------------------------------------------------------------------------------

    @contextmanager
    def _asking(self) -> Iterator[Catalogue]:
        with self._lock:
            yield self._folds.catalogue()
            self._folds.save_if_due(self._every)
            self._tables.save_if_due(self._every)

    def _task(self, catalogue: Catalogue, task: str) -> tuple[Entry, Family]:
        entry = _entry(catalogue.tasks, task)
        return entry, self._folds.family(entry)

    def _past_of(self, entry: Entry) -> Past:
        # What is sealed stays as it is, so it is put together once.
        place = entry.name, entry.end
        if (known := self._pasts.get(place)) is None:
            known = self._pasts[place] = past_of(entry, self._folds.family(entry))
        return known

    def _evidence(self, family: Family) -> Iterator[EvidenceRow]:
        for name in family.names:
            for records, _ in read_parts(self._home.path(name)):
                yield from evidence(name, family.own.owner, records)


def _entry(entries: Mapping[str, Entry], name: str) -> Entry:
    if name not in entries:
        raise UnknownTask(name[:80])
    return entries[name]
