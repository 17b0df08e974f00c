"""Builds index files from what was published, and joins small ones: `python -m projections.index.build HOME`.

Runs beside the servers, at the lowest priority, so that none of them is slowed. One builder at a
time; killed at any point, it leaves the files that counted before.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from events.errors import DamagedBlob, MissingBlob, ResearchError
from events.home import CATALOGUE, Home
from events.logs import log
from projections.corpus import Corpus, Version
from projections.corpus_snapshot import keep_fold, open_fold
from projections.index.library import Held, Library, refused
from projections.index.making import part_of
from projections.index.merging import Run, joined, kept, whole, write
from projections.index.part import Part
from projections.index.reading import read_segment

BATCH_ROWS = 16_384
"""Rows gathered in memory before they become a file."""

JOINED_AT_ONCE = 64
"""Documents joined before they are joined with more."""

FANOUT = 4
"""As many files of about the same size become one."""

SMALLEST = 2_048
"""Files below this many rows are all about the same size."""

LARGEST = 400_000
"""Files are not joined beyond this many rows."""

WORTH_KEEPING = 500
"""Facts after which the fold is kept again, at least."""


def build(home: Home, *, wait: bool) -> None:
    """Bring the files up to date with the catalogue; only wait for another builder if asked to."""
    library = Library(home.views / "index")
    with library.building(wait=wait) as ours:
        if ours:
            corpus = _read_corpus(home)
            _Build(home, library, corpus).run()


def _read_corpus(home: Home) -> Corpus:
    corpus, cursor = open_fold(home)
    known = cursor.seq
    records, cursor = home.read(CATALOGUE, cursor)
    corpus.feed(records)
    if cursor.seq - known > max(WORTH_KEEPING, len(corpus.held) // 10):
        with refused(home.views):
            keep_fold(home, corpus, cursor)
    return corpus


class _Build:
    def __init__(self, home: Home, library: Library, corpus: Corpus) -> None:
        self._home, self._library = home, library
        self._wanted = {version.fingerprint: version for version in corpus.held.values()}
        self._held: dict[str, Held] = {}
        self._parts: list[Part] = []
        self._present: set[int] = set()

    def run(self) -> None:
        while not self._built():
            pass  # A file turned out to be damaged: what it held is built anew.

    def _built(self) -> bool:
        listed = self._library.names()
        self._library.tidy(listed)
        self._held = {each.part.file: each for each in self._library.refresh()}
        self._parts = [each.part for each in self._held.values() if self._keep(each.part).any()]
        self._present = {each for part in self._parts for each in part.entries.tolist()}
        if [part.file for part in self._parts] != listed:
            self._publish()
        for runs in self._pending():
            self._write(runs)
        while small := _to_join([self._live_rows(part) for part in self._parts]):
            if not self._join([self._parts[place] for place in small]):
                return False
        return all(
            self._join([part])
            for part in list(self._parts)
            if 2 * self._live_rows(part) < part.rows
        )

    def _pending(self) -> Iterator[list[Run]]:
        """What no file holds yet, in batches that make a file each."""
        missing = [each for fp, each in self._wanted.items() if fp not in self._present]
        gathered: list[Run] = []
        rows = 0
        for versions in batched_by(missing, JOINED_AT_ONCE):
            parts = [part for version in versions if (part := self._read(version))]
            if parts:
                part = joined([run for each in parts for run in whole(each)])
                gathered += whole(part)
                rows += part.rows
            if rows >= BATCH_ROWS:
                yield gathered
                gathered, rows = [], 0
        if gathered:
            yield gathered

    def _read(self, version: Version) -> Part | None:
        try:
            return part_of(version.fingerprint, read_segment(self._home.blobs, version))
        except (MissingBlob, DamagedBlob) as failure:
            log("index").warning("source_unreadable", locator=version.locator, code=failure.code)
            return None

    def _keep(self, part: Part) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """Which versions of a part are wanted."""
        return np.array([each in self._wanted for each in part.entries.tolist()], np.bool_)

    def _live_rows(self, part: Part) -> int:
        return int(np.diff(part.columns["entry.at"])[self._keep(part)].sum())

    def _join(self, parts: list[Part]) -> bool:
        """Make one file of several; False if one of them cannot be relied on."""
        for part in parts:
            if damaged := self._held[part.file].arrays.damaged():
                log("index").warning("index_file_damaged", file=part.file, where=damaged[0])
                self._library.drop(part.file)
                return False
        runs = [run for part in parts for run in kept(part, self._keep(part))]
        self._parts = [part for part in self._parts if part not in parts]
        if runs:
            self._write(runs)
        else:
            self._publish()
        return True

    def _write(self, runs: list[Run]) -> None:
        path = self._library.new_file()
        with refused(path.parent):
            write(path, runs, self._library.form)
        held = self._held[path.name] = self._library.open_new(path.name)
        self._parts.append(held.part)
        self._publish()

    def _publish(self) -> None:
        self._library.publish([part.file for part in self._parts])


def batched_by(versions: Iterable[Version], size: int) -> Iterator[tuple[Version, ...]]:
    """Documents in batches, which end early where they get long."""
    batch: list[Version] = []
    rows = 0
    for version in versions:
        batch.append(version)
        rows += version.chunks
        if len(batch) >= size or rows >= BATCH_ROWS:
            yield tuple(batch)
            batch, rows = [], 0
    if batch:
        yield tuple(batch)


def _to_join(sizes: list[int]) -> list[int]:
    """Places of files to join: as many of about the same size as it takes, the smallest first."""
    classes: dict[int, list[int]] = {}
    for place, size in enumerate(sizes):
        level, bound = 0, SMALLEST
        while size > bound:
            level, bound = level + 1, bound * FANOUT
        classes.setdefault(level, []).append(place)
    for level in sorted(classes):
        places = classes[level]
        if len(places) >= FANOUT and sum(sizes[place] for place in places) <= LARGEST:
            return places
    return []


def main() -> int:
    """Build the index of the home that the first argument names."""
    wait = "--wait" in sys.argv[2:]
    if not wait:
        os.nice(19)
    try:
        build(Home(Path(sys.argv[1])), wait=wait)
    except ResearchError as failure:
        log("index").error("index_not_built", code=failure.code, why=str(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
