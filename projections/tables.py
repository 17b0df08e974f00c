"""Keeps the SQL tables up with the folds; nothing of DuckDB is loaded before a question in SQL."""

from contextlib import suppress
from typing import TYPE_CHECKING

from events.errors import ResearchError
from events.home import CATALOGUE, Home
from events.tail import cursor_fits
from projections.catalogue import Catalogue
from projections.family import status_of
from projections.folds import Folds
from projections.snapshots import Snapshots, form_of

if TYPE_CHECKING:
    from projections.store import Store

FORM = form_of(
    "catalogue", "costs", "evidence", "family", "folded", "rows", "status", "store", "work"
)
"""Snapshots of another form were made by other code, and are ignored."""


class Tables:
    """The tables of a data home. Not safe to share between threads."""

    def __init__(self, home: Home, folds: Folds) -> None:
        self._home = home
        self._folds = folds
        self._snapshots = Snapshots(home.views / "tables", FORM)
        self._store: Store | None = None
        self._taken_saved = 0
        self._rewritten = 0

    def caught_up(self, catalogue: Catalogue, broken: dict[str, ResearchError]) -> "Store":
        """The tables, as far as the folds are; to be asked after `Folds.refresh`."""
        if self._store is None or self._rewritten != self._folds.rewritten:
            self._store = self._open()
        store, self._store = self._store, None
        self._catch_up(store, catalogue, broken)
        # Only now: tables that were left half-way are not used again.
        self._store = store
        return store

    def save_if_due(self, every: int) -> None:
        """Save when more than so many facts were taken in since the last time."""
        if self._store and self._store.taken - self._taken_saved > every:
            # A home that cannot be written can still be read; nothing depends on a snapshot.
            with suppress(OSError):
                self.save()

    def save(self) -> None:
        """Save the tables, if there are any."""
        if self._store:
            self._taken_saved = self._store.taken
            self._snapshots.save(self._store.export())

    def _open(self) -> "Store":
        # Here and not above: DuckDB and Arrow take longer to import than a status to answer.
        from projections.store import Store

        self._rewritten, self._taken_saved = self._folds.rewritten, 0
        store = Store(self._home, self._snapshots.newest())
        if not cursor_fits(self._home.path(CATALOGUE), store.cursor(CATALOGUE)):
            store = Store(self._home, {})
        return store

    def _catch_up(
        self, store: "Store", catalogue: Catalogue, broken: dict[str, ResearchError]
    ) -> None:
        for shelf in (catalogue.tasks, catalogue.jobs):
            for name, entry in shelf.items():
                if name in broken:
                    store.forget(name)
                elif not store.has_all_of(name, entry.end):
                    family = self._folds.family(entry)
                    settled = entry.end if self._folds.settled(name) else None
                    streams = list(zip(family.names, family.states, strict=True))
                    store.take(status_of(entry, family), streams, settled)
        known = store.cursor(CATALOGUE).seq
        if known != catalogue.cursor.seq:
            for past in catalogue.history.values():
                if any(version.changed > known for version in past):
                    store.take_sources(past)
            store.move_catalogue(catalogue.cursor)
        store.write()
