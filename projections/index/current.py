"""The index of a data home, always up to what was acknowledged before the question."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path

from events.errors import DamagedBlob, MissingBlob, ResearchError
from events.home import CATALOGUE, Home
from events.logs import log
from events.segment import Segment
from events.tail import Cursor, cursor_fits
from projections.corpus import Corpus, Version, corpus_at
from projections.corpus_snapshot import no_collecting, open_fold
from projections.index.filters import Filters
from projections.index.helper import BuilderProcess
from projections.index.library import Held, Library
from projections.index.reading import read_segment
from projections.index.scope import Scope
from projections.index.shelf import Shelf

IN_MEMORY = 1_000
"""Rows held in memory before a builder is asked to make a file of them."""

AT_ONCE = 4_000
"""Rows that are never read into memory: the question waits until a builder made files of them."""

PROVE_FIRST = 32 << 20
"""Bytes of new files that are read through in search of damage before anything is answered from them: it takes
some hundredths of a second, and a command is over before it would look for damage later."""

PROVE_AFTER = 2.0
"""Seconds after which larger files are read through: first come the answers."""

_PASTS = 4
"""Earlier states of the corpus that are kept for the next question about them."""

_PROVEN_ELSEWHERE = ("text", "late_")
"""Columns that are long, and that a flipped bit makes wrong at most for one chunk: a text has its
own checksum, and late codes only order what was found."""

_Files = tuple[tuple[int, int] | None, ...]
"""Which files these are, as long as nobody writes to them; none where one is missing."""


class Index:
    """Opens, follows and repairs. For any number of threads."""

    def __init__(
        self,
        home: Home,
        in_memory: int = IN_MEMORY,
        at_once: int = AT_ONCE,
        prove_first: int = PROVE_FIRST,
        prove_after: float = PROVE_AFTER,
    ) -> None:
        self._home = home
        self._prove_first, self._prove_after = prove_first, prove_after
        self._in_memory, self._at_once = in_memory, at_once
        self._lock = threading.Lock()
        self._library = Library(home.views / "index")
        self._builder = BuilderProcess(home)
        self._corpus = Corpus()
        self._cursor: Cursor | None = None
        self._shelf = Shelf()
        self._unreadable: dict[int, tuple[Version, _Files]] = {}
        """Versions whose chunks could not be read, with what their files were like."""

        self._stale = True
        """Whether the files have to be looked at again, though their list is the same."""

        self._pasts: OrderedDict[int | str, Shelf] = OrderedDict()

    def scope(self, filters: Filters) -> Scope:
        """What the filters leave of the corpus as it is, or as it was."""
        with self._lock:
            if self._cursor is None:
                with no_collecting():
                    self._catch_up()
            else:
                self._catch_up()
            shelf = self._shelf if filters.as_of is None else self._past(filters.as_of)
            return shelf.scopes().of(filters)

    @property
    def embedder(self) -> str | None:
        """What the present generation was embedded with, if the corpus says so."""
        return self._corpus.embedder

    def repair(self) -> bool:
        """Look for damage in every file; True if some was found, and is used no longer."""
        with self._lock:
            damaged = [each for each in self._library.refresh() if _damaged(each, every=True)]
            for each in damaged:
                self._condemn(each)
            return bool(damaged)

    # -- under the lock ----------------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Follow the catalogue; from zero, where lines that were read have been taken back.

        A writer whose sync fails takes its lines back, and somebody may have read them by then.
        """
        if self._cursor and not cursor_fits(self._home.path(CATALOGUE), self._cursor):
            self._forget()
        opening = self._cursor is None
        corpus, cursor = open_fold(self._home) if opening else (self._corpus, self._cursor)
        assert cursor is not None
        records, cursor = self._home.read(CATALOGUE, cursor)
        try:
            changed = corpus.feed(records)
        except Exception:
            # What is folded by halves is nobody's corpus: whoever asks next is told the same.
            self._forget()
            raise
        places = list(corpus.held) if opening else changed
        for place in places:
            self._shelf.put(place, corpus.held.get(place))
        self._corpus = corpus
        # They may be back: from a backup, or ingested once more.
        places = [*places, *(version.place for version, _ in self._unreadable.values())]
        if self._stale or self._library.changed():
            self._use_files()
            places = list(corpus.held)
        self._provide(corpus.held[place] for place in places if place in corpus.held)
        # Last: a catch-up that failed half-way is repeated whole, and folding again is harmless.
        self._cursor = cursor

    def _forget(self) -> None:
        self._corpus, self._cursor, self._shelf = Corpus(), None, Shelf()
        self._unreadable.clear()
        self._pasts.clear()
        self._stale = True

    def _use_files(self) -> None:
        before = set(self._shelf.files)
        held = self._library.refresh()
        fresh = [each for each in held if each.part.file not in before]
        small = _small(fresh, self._prove_first)
        damaged = [each for each in small if _damaged(each, every=False)]
        for each in damaged:
            self._condemn(each)
        self._shelf.use_files([each.part for each in held if each not in damaged])
        self._stale = False
        if large := [each for each in fresh if each not in small]:
            threading.Thread(target=self._prove, args=(large,), daemon=True).start()

    def _provide(self, versions: Iterable[Version]) -> None:
        """See to it that the rows of these versions can be found."""
        wanted = list(versions)
        missing = self._missing(wanted)
        if sum(each.chunks for each in missing) > self._at_once and self._builder.run():
            self._use_files()
            missing = self._missing(wanted)
        self._read(self._shelf, missing)
        if self._shelf.in_memory > self._in_memory:
            self._builder.nudge()

    def _missing(self, versions: list[Version]) -> list[Version]:
        return [
            each
            for each in versions
            if not self._shelf.provides(each.fingerprint) and not self._is_lost(each)
        ]

    def _is_lost(self, version: Version) -> bool:
        """Whether its chunks could not be read, and nothing was done about it since."""
        known = self._unreadable.get(version.fingerprint)
        return known is not None and known[1] == self._files_of(version)

    def _files_of(self, version: Version) -> _Files:
        blobs = self._home.blobs
        return tuple(_stamp(blobs.path(each)) for each in (version.segment_hash, version.text_hash))

    def _read(self, shelf: Shelf, versions: Iterable[Version]) -> None:
        segments: list[tuple[int, Segment]] = []
        for version in {each.fingerprint: each for each in versions}.values():
            try:
                segments.append((version.fingerprint, read_segment(self._home.blobs, version)))
            except (MissingBlob, DamagedBlob) as failure:
                self._unreadable[version.fingerprint] = version, self._files_of(version)
                report_unreadable(version, failure)
            else:
                if self._unreadable.pop(version.fingerprint, None):
                    self._pasts.clear()
        shelf.add_all(segments)

    def _past(self, moment: int | str) -> Shelf:
        """The corpus as it stood; files that hold what it held then are used for it, too."""
        shelf = self._pasts.pop(moment, None)
        if shelf is None:
            corpus = corpus_at(self._home, moment)
            if corpus is None:
                return self._shelf
            shelf = Shelf(self._shelf.parts())
            for place, version in corpus.held.items():
                shelf.put(place, version)
            held = corpus.held.values()
            self._read(shelf, [each for each in held if not shelf.provides(each.fingerprint)])
        self._pasts[moment] = shelf
        while len(self._pasts) > _PASTS:
            self._pasts.popitem(last=False)
        return shelf

    def _condemn(self, held: Held) -> None:
        self._library.drop(held.part.file)
        self._stale = True

    # -- aside -------------------------------------------------------------------------------------

    def _prove(self, fresh: list[Held]) -> None:
        """Read files through once, and use none that is damaged."""
        time.sleep(self._prove_after)
        for each in fresh:
            if _damaged(each, every=False):
                with self._lock:
                    self._condemn(each)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _small(held: Iterable[Held], most: int) -> list[Held]:
    """As many files as can be read through with so many bytes."""
    small: list[Held] = []
    for size, each in sorted(((_bytes_to_prove(each), each) for each in held), key=itemgetter(0)):
        most -= size
        if most < 0:
            break
        small.append(each)
    return small


def _bytes_to_prove(held: Held) -> int:
    return sum(held.arrays.columns[name].nbytes for name in _to_prove(held, every=False))


def _to_prove(held: Held, *, every: bool) -> list[str]:
    return [
        name
        for name in held.arrays.columns
        if every or not name.startswith(_PROVEN_ELSEWHERE) or name.endswith(".at")
    ]


def _damaged(held: Held, *, every: bool) -> bool:
    names = _to_prove(held, every=every)
    damaged = held.arrays.damaged(names)
    if damaged:
        log("index").warning("index_file_damaged", file=held.part.file, where=damaged[0])
    return bool(damaged)


def report_unreadable(version: Version, failure: ResearchError) -> None:
    """Say so and go on: erased or damaged content must not hide everything else."""
    log("search").warning("source_unreadable", locator=version.locator, code=failure.code)
