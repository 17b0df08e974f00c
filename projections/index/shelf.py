"""Parts in files and parts in memory, with what of them counts: what a search looks at.

What was published since the last file was built is held in memory, in few parts of growing size,
so that adding a document costs little and searching does not get slower with their number.
"""

from collections.abc import Iterable

import numpy as np

from events.segment import Segment
from projections.corpus import Place, Version
from projections.index.documents import NOBODY, Documents
from projections.index.making import part_of
from projections.index.merging import joined, kept
from projections.index.part import Part
from projections.index.scope import Scopes
from projections.index.view import Attached, Table, View


class Shelf:
    """One state of the corpus, ready to be searched. Not for use by two threads at once."""

    def __init__(self, files: Iterable[Part] = ()) -> None:
        self.documents = Documents()
        self._held: dict[Place, int] = {}
        """Fingerprint of what is live in each place."""

        self._files: list[Attached] = []
        self._memory: list[Attached] = []
        self._provided: set[int] = set()
        self._table: Table | None = None
        self._scopes: Scopes | None = None
        self.use_files(files)

    @property
    def in_memory(self) -> int:
        """Rows that no file holds yet."""
        return sum(each.part.rows for each in self._memory)

    @property
    def files(self) -> list[str]:
        """The files in use."""
        return [each.part.file for each in self._files]

    def parts(self) -> list[Part]:
        """All parts, in files and in memory."""
        return [each.part for each in (*self._files, *self._memory)]

    def put(self, place: Place, version: Version | None) -> None:
        """Let a place hold this version and no other, or nothing."""
        before = self._held.pop(place, None)
        if version is None:
            if before is not None:
                self.documents.drop(before)
        else:
            if before is not None and before != version.fingerprint:
                self.documents.drop(before)
            self._held[place] = version.fingerprint
            self.documents.hold(version)
        self._scopes = None

    def provides(self, fingerprint: int) -> bool:
        """Whether some part has the rows of a version."""
        return self.documents.number(fingerprint) in self._provided

    def add_all(self, versions: Iterable[tuple[int, Segment]]) -> None:
        """Take in the rows of several versions, joined once: two small parts take as long to join as a thousand."""
        fresh = [self._attach(part_of(*each)) for each in versions]
        if not fresh:
            return  # What is at hand for the last question serves the next one.
        self._memory += fresh
        if len(fresh) > 1:
            self._merge(fresh)
        while (
            len(self._memory) > 1 and self._memory[-2].part.rows <= 2 * self._memory[-1].part.rows
        ):
            self._merge(self._memory[-2:])
        self._renew()

    def use_files(self, parts: Iterable[Part]) -> None:
        """Read these files from now on; what they hold need not be held in memory."""
        in_memory = self._memory
        self._provided, self._memory = set(), []
        self._files = [self._attach(part) for part in parts]
        self._memory = [self._attach(each.part) for each in in_memory]
        if any((each.numbers == NOBODY).any() for each in self._memory):
            self._merge(self._memory)
        self._renew()

    def scopes(self) -> Scopes:
        """What can be searched now; stays as it is while the shelf goes on."""
        if self._scopes is None:
            if self._table is None:
                self._table = Table([*self._files, *self._memory])
            self._scopes = Scopes(View(self._table, self.documents))
        return self._scopes

    def _renew(self) -> None:
        self._table = self._scopes = None

    def _attach(self, part: Part) -> Attached:
        number = self.documents.number
        numbers = np.array([number(each) for each in part.entries.tolist()], np.int32)
        fresh = [each not in self._provided for each in numbers.tolist()]
        self._provided.update(numbers.tolist())
        return Attached(part, np.where(fresh, numbers, NOBODY).astype(np.int32))

    def _merge(self, some: list[Attached]) -> None:
        """Join the last parts in memory, without what is not found any more."""
        live = self.documents.live()
        runs = [run for each in some for run in kept(each.part, live[each.numbers])]
        for each in some:
            self._provided.difference_update(each.numbers[~live[each.numbers]].tolist())
        del self._memory[len(self._memory) - len(some) :]
        if runs:
            merged = joined(runs)
            self._provided.difference_update(
                self.documents.number(each) for each in merged.entries.tolist()
            )
            self._memory.append(self._attach(merged))
