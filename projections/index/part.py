"""A part of the index: some document versions, their chunks as rows, their terms and vectors.

The same columns serve in memory and in a mapped file, so a search need not know which it is
looking at. Rows stand in the order of their documents; a document's rows stand together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from events.codec import decode
from projections.index.arrays import Array, BadFile

FORMAT = 1
"""Version of the columns; a file of any other is built anew."""

BODY_MOST = (1 << 12) - 1
HEADING_SHIFT = 12
HEADING_MOST = (1 << 4) - 1
"""A term's counts in body and headings share 16 bits; more often than this is not told apart."""

ROW_COLUMNS = {
    "start": np.uint32,
    "end": np.uint32,
    "first_page": np.int32,
    "last_page": np.int32,
    "content_type": np.uint16,
    "language": np.uint16,
    "heading": np.uint32,
    "body_length": np.uint32,
    "heading_length": np.uint32,
    "text_sum": np.uint32,
}
STRING_COLUMNS = ("id", "text")


@dataclass(frozen=True)
class Space:
    """Vectors of one model, which only compare with others of the same."""

    model: str
    dimension: int

    @property
    def words(self) -> int:
        """Words of 64 bits that hold a vector's signs."""
        return -(-self.dimension // 64)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The terms that some rows of a part say, one row after the other."""

    terms: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    """Where each row ends among the terms."""

    ends: npt.NDArray[np.int64]
    """Where it ends in the part's own columns."""


@dataclass(frozen=True, eq=False)
class Part:
    """Columns by name, with what they cannot say themselves."""

    columns: Mapping[str, Array]
    spaces: tuple[Space, ...]
    """Column names of a space end with its number here."""

    labels: tuple[str, ...]
    """Content types and languages, by their numbers in the rows."""

    rows: int
    file: str = ""
    """Name of the file it is mapped from; empty for one in memory."""

    @property
    def entries(self) -> npt.NDArray[np.uint64]:
        """Fingerprint of each document version in it."""
        return self.columns["fingerprint"]

    @cached_property
    def headings(self) -> list[tuple[str, ...]]:
        """The heading paths that rows refer to by number."""
        count = len(self.columns["heading_path.at"]) - 1
        return [tuple(decode(self.string("heading_path", each))) for each in range(count)]

    def heading(self, row: int) -> tuple[str, ...]:
        """The heading path above a row."""
        number = int(self.columns["heading"][row])
        return tuple(decode(self.string("heading_path", number)))

    def string(self, column: str, row: int) -> bytes:
        """One value of a column of strings."""
        at = self.columns[f"{column}.at"]
        return self.columns[column][at[row] : at[row + 1]].tobytes()

    def text(self, row: int) -> str:
        """A chunk's text; `BadFile` when these are not the bytes that were indexed."""
        raw = self.string("text", row)
        if crc32(raw) != self.columns["text_sum"][row]:
            raise BadFile(f"{self.file} is damaged in a text")
        return raw.decode("utf-8", "surrogatepass")

    def term_numbers(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The number of each term here, -1 where it does not occur."""
        known = self.columns["term_hash"]
        if not len(known):
            return np.full(len(hashes), -1, np.int64)
        places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.where(known[places] == hashes, places, -1)

    def having(self, terms: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """In how many rows each term occurs; none for the number -1."""
        at = self.columns["posting.at"]
        return np.where(terms < 0, 0, at[terms + 1] - at[terms])

    def postings(self, term: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint16]]:
        """The rows that hold a term, ascending, and its packed counts in each."""
        at = self.columns["posting.at"]
        span = slice(int(at[term]), int(at[term + 1]))
        return self.columns["posting_row"][span], self.columns["posting_count"][span]

    def said(self, rows: Array) -> "Said":
        """Everything that some rows say."""
        begins, ends = self._spoken(rows)
        terms = self._end_to_end("forward_term", begins, ends).astype(np.int64)
        return Said(terms, np.cumsum(ends - begins), ends)

    def mentions(
        self, terms: npt.NDArray[np.int64], said: "Said"
    ) -> tuple[Array, Array, npt.NDArray[np.uint16]]:
        """Where rows mention some terms: the places of both in what was given, and counts."""
        wanted = np.zeros(len(self.columns["term_hash"]), np.uint16)
        known = np.flatnonzero(terms >= 0)
        wanted[terms[known]] = known + 1
        found = wanted[said.terms]
        hits = np.flatnonzero(found)
        row = said.stops.searchsorted(hits, side="right")
        counts = self.columns["forward_count"][hits - said.stops[row] + said.ends[row]]
        return found[hits] - 1, row, counts

    def body_terms(self, rows: Array) -> tuple[Array, Array]:
        """The terms of some rows' bodies, one row after the other, and how often each occurs."""
        begins, ends = self._spoken(rows)
        counts = self._end_to_end("forward_count", begins, ends) & BODY_MOST
        said = counts > 0
        return self._end_to_end("forward_term", begins, ends)[said], counts[said]

    def spelled(self, terms: Array) -> list[str]:
        """Terms by their numbers."""
        spelled, begins = self.columns["term"].data, self.columns["term.at"]
        spans = zip(begins[terms].tolist(), begins[terms + 1].tolist(), strict=True)
        return [str(spelled[begin:end], "utf-8", "surrogatepass") for begin, end in spans]

    def terms(self, row: int) -> dict[str, int]:
        """The terms of a row's body and how often each occurs there."""
        numbers, counts = self.body_terms(np.array([row]))
        return dict(zip(self.spelled(numbers), counts.tolist(), strict=True))

    def _spoken(self, rows: Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        at = self.columns["forward.at"]
        return at[rows], at[rows + 1]

    def _end_to_end(self, column: str, begins: Array, ends: Array) -> Array:
        held = self.columns[column]
        spans = zip(begins.tolist(), ends.tolist(), strict=True)
        return np.concatenate([held[begin:end] for begin, end in spans])

    def space(self, model: str, dimension: int) -> int | None:
        """The number of a model's vectors here, if there are any that compare."""
        wanted = Space(model, dimension)
        return self.spaces.index(wanted) if wanted in self.spaces else None


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """What a term is looked up by."""
    raw = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "little")


def signs(vectors: npt.NDArray[np.float16]) -> npt.NDArray[np.uint64]:
    """The sign of every number of every vector, a bit each: (words, rows)."""
    rows, dimension = vectors.shape
    bits = np.zeros((rows, -(-dimension // 64) * 64), dtype=bool)
    bits[:, :dimension] = vectors > 0
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return np.ascontiguousarray(packed.T)


def about(part_spaces: tuple[Space, ...], labels: tuple[str, ...], rows: int) -> dict[str, Any]:
    """What a file says of the part in it."""
    spaces = [(space.model, space.dimension) for space in part_spaces]
    return {"spaces": spaces, "labels": labels, "rows": rows}
