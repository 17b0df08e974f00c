"""The rows of several parts as one table, and which of them a search may find."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from projections.index.arrays import Array
from projections.index.documents import Documents, Mask
from projections.index.filters import Filters, below_section, in_section
from projections.index.part import Part, Said, Space, term_hash

RowNumbers = npt.NDArray[np.int64]
Postings = dict[int, tuple[int, Array, Array]]
"""By the number of the part: its first row, the rows in it that hold a term, and the counts."""


@dataclass(frozen=True, eq=False)
class Attached:
    """A part whose versions have numbers."""

    part: Part
    numbers: npt.NDArray[np.int32]
    """Of each of its versions; `NOBODY` where another part holds the same."""

    @cached_property
    def of_rows(self) -> npt.NDArray[np.int32]:
        """The version of each row, by number."""
        return np.repeat(self.numbers, np.diff(self.part.columns["entry.at"]))


class Table:
    """Parts one below the other: a row's number is its place in this."""

    def __init__(self, attached: Sequence[Attached]) -> None:
        self.parts = [each.part for each in attached]
        self.bases = np.cumsum([0, *(part.rows for part in self.parts)])
        self._starts: list[int] = self.bases.tolist()
        self.rows = self._starts[-1]
        self.versions = _stacked([each.of_rows for each in attached], np.int32)
        self._covered: dict[Space, Mask] = {}
        self._signs: dict[Space, list[Array]] = {}

    @cached_property
    def body_lengths(self) -> Array:
        """Terms in each row's body."""
        return self._column("body_length")

    @cached_property
    def heading_lengths(self) -> Array:
        """Terms in each row's title and headings."""
        return self._column("heading_length")

    @cached_property
    def starts(self) -> Array:
        """Where each row's text begins in its document."""
        return self._column("start")

    @cached_property
    def spans(self) -> tuple[RowNumbers, RowNumbers]:
        """The first row of each version, by number, and the one after its last; a version's rows stand together."""
        starts = np.flatnonzero(np.diff(self.versions, prepend=-1))
        count = int(self.versions.max(initial=0)) + 1
        begin, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        begin[self.versions[starts]] = starts
        end[self.versions[starts]] = np.append(starts[1:], self.rows)
        return begin, end

    @cached_property
    def spaces(self) -> frozenset[Space]:
        """The vectors there are."""
        return frozenset(space for part in self.parts for space in part.spaces)

    def covered(self, space: Space) -> Mask:
        """Which rows have a vector in a space."""
        if space not in self._covered:
            self._covered[space] = _stacked(
                [_own(part, "covered", space, (part.rows,), np.bool_) for part in self.parts],
                np.bool_,
            )
        return self._covered[space]

    def signs(self, space: Space) -> list[Array]:
        """The signs of each part's vectors."""
        if space not in self._signs:
            self._signs[space] = [
                _own(part, "sign", space, (space.words, part.rows), np.uint64)
                for part in self.parts
            ]
        return self._signs[space]

    def vectors(self, space: Space, rows: RowNumbers) -> npt.NDArray[np.float16]:
        """The vectors of some rows; zeros where there is none."""
        if len(rows) > 1 and not (rows[1:] > rows[:-1]).all():
            ascending, back = np.unique(rows, return_inverse=True)
            return self.vectors(space, ascending)[back]
        bounds = np.searchsorted(rows, self.bases).tolist()
        pieces = [
            self._vectors_of(part, space, rows[begin:end] - base)
            for part, base, begin, end in zip(
                self.parts, self.bases.tolist(), bounds, bounds[1:], strict=False
            )
            if begin < end
        ]
        nothing = np.zeros((0, space.dimension), np.float16)
        return pieces[0] if len(pieces) == 1 else np.concatenate([nothing, *pieces])

    @staticmethod
    def _vectors_of(part: Part, space: Space, local: RowNumbers) -> npt.NDArray[np.float16]:
        number = part.space(space.model, space.dimension)
        if number is None:
            return np.zeros((len(local), space.dimension), np.float16)
        # Clipping never happens; it only saves looking at the numbers first.
        return part.columns[f"vector_{number}"].take(local, axis=0, mode="clip")

    def numbers(self, terms: Sequence[str]) -> list[npt.NDArray[np.int64]]:
        """The numbers of terms in each part."""
        hashes = np.array([term_hash(term) for term in terms], np.uint64)
        return [part.term_numbers(hashes) for part in self.parts]

    def postings(self, terms: Sequence[str]) -> dict[str, Postings]:
        """Where terms occur."""
        places = [numbers.tolist() for numbers in self.numbers(terms)]
        bases = self.bases.tolist()
        return {
            term: {
                owner: (bases[owner], *part.postings(places[owner][number]))
                for owner, part in enumerate(self.parts)
                if places[owner][number] >= 0
            }
            for number, term in enumerate(terms)
        }

    def said(self, rows: RowNumbers) -> list[tuple[int, Array, Said]]:
        """What rows say, for each part concerned: which of the rows are in it, and their terms there."""
        return [
            (owner, places, self.parts[owner].said(local))
            for owner, places, local in self.located(rows)
        ]

    def counts(
        self, numbers: Sequence[npt.NDArray[np.int64]], said: list[tuple[int, Array, Said]]
    ) -> npt.NDArray[np.uint16]:
        """How often rows say each term, packed; terms by their numbers: (terms, rows)."""
        terms = len(numbers[0]) if numbers else 0
        counts = np.zeros((terms, sum(len(places) for _, places, _ in said)), np.uint16)
        for owner, places, own in said:
            term, row, times = self.parts[owner].mentions(numbers[owner], own)
            counts[term, places[row]] = times
        return counts

    def body_terms(self, rows: RowNumbers) -> dict[str, tuple[int, int]]:
        """The terms that several rows' bodies say: how many rows do, and how often in all."""
        held = [
            (self.parts[owner], *self.parts[owner].body_terms(local))
            for owner, _, local in self.located(rows)
        ]
        if not held:
            return {}
        hashes = np.concatenate([part.columns["term_hash"][said] for part, said, _ in held])
        times = np.concatenate([counts for *_, counts in held])
        _, first, which, saying = np.unique(
            hashes, return_index=True, return_inverse=True, return_counts=True
        )
        shared = np.flatnonzero(saying > 1)
        often = np.bincount(which, weights=times)[shared].astype(np.int64)
        spelled = self._spelled(held, first[shared])
        figures = zip(saying[shared].tolist(), often.tolist(), strict=True)
        return dict(zip(spelled, figures, strict=True))

    @staticmethod
    def _spelled(held: list[tuple[Part, Array, Array]], places: Array) -> list[str]:
        """The terms at some places of what the parts' rows say, one part after the other."""
        spelled = np.empty(len(places), object)
        base = 0
        for part, said, _ in held:
            here = np.flatnonzero((places >= base) & (places < base + len(said)))
            spelled[here] = part.spelled(said[places[here] - base])
            base += len(said)
        return list(spelled)

    def located(self, rows: RowNumbers) -> list[tuple[int, Array, Array]]:
        """For each part concerned: which of the rows are in it, and their numbers there."""
        owners = np.searchsorted(self.bases, rows, side="right") - 1
        concerned = np.flatnonzero(np.bincount(owners, minlength=1)).tolist()
        return [
            (owner, places, rows[places] - self.bases[owner])
            for owner in concerned
            for places in (np.flatnonzero(owners == owner),)
        ]

    def owner(self, row: int) -> tuple[Part, int]:
        """The part of a row, and its number there."""
        owner = bisect_right(self._starts, row) - 1
        return self.parts[owner], row - self._starts[owner]

    def each(self, rows: RowNumbers) -> list[tuple[Part, int]]:
        """The part of each row, and its number there."""
        owners = np.searchsorted(self.bases, rows, side="right") - 1
        local = (rows - self.bases[owners]).tolist()
        return [(self.parts[o], row) for o, row in zip(owners.tolist(), local, strict=True)]

    def _column(self, name: str) -> Array:
        return _stacked([part.columns[name] for part in self.parts], np.uint32)


class View:
    """A table, with what it says of the corpus at one moment."""

    def __init__(self, table: Table, documents: Documents) -> None:
        self.table = table
        self.documents = documents

    def mask(self, filters: Filters) -> Mask:
        """Which rows satisfy all conditions, as of now."""
        mask: Mask = self.documents.chosen(filters)[self.table.versions]
        if filters.content_types is not None:
            mask &= self._labelled("content_type", filters.content_types)
        if filters.languages is not None:
            mask &= self._labelled("language", filters.languages)
        if filters.pages is not None:
            mask &= self._on_pages(*filters.pages)
        if filters.section_prefix:
            wanted = filters.section_prefix
            mask &= self._each_part(
                "heading", lambda part: [in_section(path, wanted) for path in part.headings]
            )
        if sections := filters.sections:
            mask &= self._each_part(
                "heading",
                lambda part: [
                    any(below_section(path, each) for each in sections) for path in part.headings
                ],
            )
        return mask

    def _on_pages(self, first: int, last: int) -> Mask:
        begin, end = (
            _stacked([part.columns[name] for part in self.table.parts], np.int32)
            for name in ("first_page", "last_page")
        )
        on: Mask = (begin > 0) & (begin <= last) & (np.maximum(begin, end) >= first)
        return on

    def _labelled(self, column: str, wanted: tuple[str, ...]) -> Mask:
        return self._each_part(column, lambda part: [label in wanted for label in part.labels])

    def _each_part(self, column: str, allowed: Callable[[Part], list[bool]]) -> Mask:
        """Which rows have an allowed value, where a part's column holds numbers of values."""
        return _stacked(
            [np.array([*allowed(part), False])[part.columns[column]] for part in self.table.parts],
            np.bool_,
        )


def _stacked(pieces: list[Array], dtype: type) -> Array:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype)


def _own(part: Part, name: str, space: Space, shape: tuple[int, ...], dtype: type) -> Array:
    number = part.space(space.model, space.dimension)
    if number is None:
        return np.broadcast_to(np.zeros((), dtype), shape)
    return part.columns[f"{name}_{number}"]
