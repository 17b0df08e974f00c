"""Everything that was folded so far, brought up to date on demand and kept in snapshots."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from events.anchor import read_anchor
from events.errors import BrokenChain, ResearchError
from events.home import CATALOGUE, Home
from events.tail import cursor_fits, file_size, read_parts
from projections.aside import Aside
from projections.catalogue import Catalogue, Entry
from projections.costs import Ledger, Spend, add_up
from projections.family import Family
from projections.packing import pack_catalogue, unpack_catalogue
from projections.query_costs import QueryCosts
from projections.rows import TaskRow
from projections.snapshots import Snapshots, form_of
from projections.streams import MALFORMED, ODD, Streams

MANY = 4_000
"""From so many ended tasks and jobs on, a cold start is worth a second process."""

LITTLE = 1 << 16
"""Bytes of lines that are folded in a millisecond or so."""

FORM = form_of("catalogue", "costs", "folded", "packing", "rows", "status", "streams", "work")
"""Snapshots of another form were folded by other code, and are ignored."""


class Folds:
    """The catalogue and the streams it names. Not safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._snapshots = Snapshots(home.views / "folds", FORM)
        self._streams = Streams(home)
        self._catalogue: Catalogue | None = None
        self._catalogue_facts = 0
        self._facts_saved = 0
        self._settled: set[str] = set()
        self._ledger = Ledger()
        self._queries = QueryCosts(home)
        self.rewritten = 0
        """How often the catalogue turned out to be another than the one that was folded."""

    @property
    def facts(self) -> int:
        """How many facts this object has folded."""
        return self._catalogue_facts + self._streams.facts

    # -- catching up -------------------------------------------------------------------------------

    def catalogue(self) -> Catalogue:
        """The catalogue, with everything that was acknowledged before this call."""
        path = self._home.path(CATALOGUE)
        if self._catalogue is None:
            self._catalogue = self._load(path)
        size, offset = file_size(path), self._catalogue.cursor.offset
        if size > offset > 0:
            with suppress(BrokenChain):
                return self._read_catalogue(path, self._catalogue)
        # The lines that were taken back may have been as long as those that are there now.
        if size == offset and cursor_fits(path, self._catalogue.cursor):
            return self._catalogue
        self._forget()
        noted = read_anchor(path)
        catalogue = self._read_catalogue(path, Catalogue())
        if noted and noted[0] > catalogue.cursor.seq:
            raise BrokenChain(path.name, catalogue.cursor.seq + 1, "acknowledged lines are gone")
        self._catalogue = catalogue
        return catalogue

    def family(self, entry: Entry) -> Family:
        """A task's or job's streams, with everything that was acknowledged before this call."""
        name = entry.name
        own = self._streams.catch_up(name, entry.role, name, entry.end)
        names, states = [name], [own]
        for each in (own.task or TaskRow()).crew:
            names.append(each.researcher)
            states.append(self._streams.catch_up(each.researcher, "researcher", name, each.end))
        family = Family(tuple(names), tuple(states))
        if name not in self._settled and all(map(self._streams.at_rest, names)):
            self._settled.add(name)
            if entry.imported_at is None:  # What others paid for cost nothing here.
                self._ledger.add(family.spend)
        return family

    def is_at_hand(self, task: str) -> bool:
        """Whether catching up with a task's streams takes next to no time."""
        catalogue = self._catalogue
        if catalogue is None or not 0 <= self._unread(catalogue) <= LITTLE:
            return False
        # Nothing new in its own stream: that might name another one, of any length.
        if task not in catalogue.tasks or not self._streams.is_near(task, 0):
            return False
        entry = catalogue.tasks[task]
        own = self._streams.catch_up(task, entry.role, task, entry.end)
        crew = (own.task or TaskRow()).crew
        return all(self._streams.is_near(each.researcher, LITTLE) for each in crew)

    def _unread(self, catalogue: Catalogue) -> int:
        return file_size(self._home.path(CATALOGUE)) - catalogue.cursor.offset

    def settled(self, name: str) -> bool:
        """Whether a task or job and all its streams have ended and were folded to their ends."""
        return name in self._settled

    def refresh(self, catalogue: Catalogue) -> dict[str, ResearchError]:
        """Catch up with every stream there is; which tasks and jobs cannot be read, and why."""
        broken: dict[str, ResearchError] = {}
        entries = [*catalogue.tasks.values(), *catalogue.jobs.values()]
        cold = [each for each in entries if each.end and not self._streams.at_rest(each.name)]
        if len(cold) > MANY:
            half = len(cold) // 2
            aside = Aside(self._home, cold[half:])
            self._catch_up(cold[:half], broken)
            self._streams.take_over(*aside.collect())
        self._catch_up(entries, broken)
        return broken

    def _catch_up(self, entries: Iterable[Entry], broken: dict[str, ResearchError]) -> None:
        for entry in entries:
            if entry.name not in self._settled and entry.name not in broken:
                try:
                    self.family(entry)
                except ResearchError as failure:
                    broken[entry.name] = failure

    def totals(self, catalogue: Catalogue, broken: dict[str, ResearchError]) -> tuple[Spend, ...]:
        """What everything but the broken cost, by day and model; to be asked after `refresh`."""
        rows = [*self._ledger.rows(), *self._queries.rows()]
        for entry in (*catalogue.tasks.values(), *catalogue.jobs.values()):
            if entry.name not in self._settled and entry.name not in broken:
                rows += self.family(entry).spend
        return add_up(rows)

    def _read_catalogue(self, path: Path, catalogue: Catalogue) -> Catalogue:
        for records, cursor in read_parts(path, catalogue.cursor):
            try:
                catalogue.fold(records, cursor)
            except MALFORMED as failure:
                raise BrokenChain(path.name, cursor.seq, ODD) from failure
            self._catalogue_facts += len(records)
        return catalogue

    def _forget(self) -> None:
        """Start over; what streams add up to is proven by their anchors whatever the catalogue."""
        self._catalogue = Catalogue()
        self._settled, self._ledger = set(), Ledger()
        self.rewritten += 1

    # -- snapshots ---------------------------------------------------------------------------------

    def save_if_due(self, every: int) -> None:
        """Save when more than so many facts were folded since the last time."""
        if self.facts - self._facts_saved > every:
            # A home that cannot be written can still be read; nothing depends on a snapshot.
            with suppress(OSError):
                self.save()

    def save(self) -> None:
        """Save everything that was folded so far."""
        self._facts_saved = self.facts
        catalogue = pack_catalogue(self.catalogue())
        streams = b"\n".join(self._streams.pack())
        self._snapshots.save({"catalogue.json": catalogue, "streams.jsonl": streams})

    def _load(self, path: Path) -> Catalogue:
        files = self._snapshots.newest()
        if not files:
            return Catalogue()
        try:
            catalogue = unpack_catalogue(files["catalogue.json"])
            self._streams.unpack(filter(None, files["streams.jsonl"].split(b"\n")))
        except MALFORMED:
            self._streams = Streams(self._home)
            return Catalogue()
        return catalogue if cursor_fits(path, catalogue.cursor) else Catalogue()
