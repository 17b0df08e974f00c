"""An index narrowed to what one question may find; what `projections.ranking` asks.

What it answers depends on the live chunks in scope and on nothing else: not on what was indexed
before, in which order, how it is cut into parts, or what other collections hold.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from language.naming import mentioned, names_of
from language.words import terms
from projections import late
from projections.corpus import Version
from projections.encoders.model import QueryEmbedding
from projections.index.arrays import Array
from projections.index.bm25 import Bm25, last_of_best
from projections.index.documents import Mask
from projections.index.filters import Filters, dates_of
from projections.index.nearest import candidates, cosines
from projections.index.part import Space
from projections.index.view import RowNumbers, View
from projections.scoped import Most, Titled, best_first

_SCOPES = 16
"""Scopes that are kept for the next question with the same filters."""

_NO_CODES = np.zeros(0, np.uint8)

Scores = npt.NDArray[np.float64]
Parts = tuple[RowNumbers, Scores]


class Scopes:
    """The scopes of one view that were asked for lately."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._kept: dict[Filters, Scope] = {}

    def of(self, filters: Filters) -> "Scope":
        """What the filters leave."""
        scope = self._kept.get(filters)
        if scope is None:
            if len(self._kept) >= _SCOPES:
                self._kept.pop(next(iter(self._kept)))
            scope = self._kept[filters] = Scope(self.view, self.view.mask(filters))
        return scope


class Scope:
    """Live chunks, by the numbers of their rows."""

    def __init__(self, view: View, mask: Mask) -> None:
        self._view, self._table, self._mask = view, view.table, mask
        self.size = int(np.count_nonzero(mask))
        self._words = Bm25(view.table, mask)
        self._reach: dict[Space, Mask] = {}
        self._last_vectors: tuple[RowNumbers, Space, npt.NDArray[np.float16]] | None = None

    # -- words -------------------------------------------------------------------------------------

    def lexical(self, weights: Mapping[str, float], limit: int) -> Parts:
        """The best rows by BM25, each term's part times its weight."""
        rows, scores = self._words.promising(weights, limit)
        return self._best(rows, scores, limit)

    def lexical_parts(self, terms: Sequence[str], rows: RowNumbers) -> Scores:
        """What each term alone adds to the score of given rows, at a weight of 1: (terms, rows)."""
        return self._words.parts(terms, rows)

    def shared_terms(self, rows: RowNumbers) -> dict[str, tuple[int, int]]:
        """The terms that several rows' bodies say: how many rows do, and how often in all."""
        return self._table.body_terms(rows)

    # -- vectors -----------------------------------------------------------------------------------

    def dense(self, model: str, vector: npt.NDArray[np.float32], limit: int) -> Parts:
        """The nearest rows by cosine."""
        space = Space(model, len(vector))
        if space not in self._reach:
            self._reach[space] = self._mask & self._table.covered(space)
        reach = self._reach[space]
        rows = candidates(vector, self._table.signs(space), reach, limit)
        return self._best(rows, cosines(vector, self._table.vectors(space, rows)), limit)

    def dense_of(self, model: str, vector: npt.NDArray[np.float32], rows: RowNumbers) -> Scores:
        """The cosine of given rows; nan where there is no vector of that model."""
        space = Space(model, len(vector))
        last = self._last_vectors
        if last is None or last[0] is not rows or last[1] != space:
            # Stages ask about the same rows again.
            last = self._last_vectors = rows, space, self._table.vectors(space, rows)
        near = cosines(vector, last[2])
        return np.where(self._table.covered(space)[rows], near, np.nan)

    def vectors(self, model: str, rows: RowNumbers) -> npt.NDArray[np.float32]:
        """The vectors of given rows; zeros where there is none."""
        known = [space for space in self._table.spaces if space.model == model]
        space = max(known, key=lambda each: each.dimension) if known else Space(model, 0)
        return self._table.vectors(space, rows).astype(np.float32)

    def late_of(self, model: str, query: QueryEmbedding, rows: RowNumbers) -> Scores:
        """How well each row answers all parts of the query; nan where it has no codes."""
        side = query.of(model)
        if side is None:
            return np.full(len(rows), np.nan)
        codes: list[Array] = [_NO_CODES] * len(rows)
        for owner, places, local in self._table.located(rows):
            part = self._table.parts[owner]
            number = part.space(model, len(side.vector))
            if number is not None:
                held, at = part.columns[f"late_{number}"], part.columns[f"late_{number}.at"]
                spans = zip(
                    places.tolist(), at[local].tolist(), at[local + 1].tolist(), strict=True
                )
                for place, begin, end in spans:
                    codes[place] = held[begin:end]
        return late.max_sim(side.parts, side.weights, codes)

    # -- names -------------------------------------------------------------------------------------

    def titled_in(
        self, text: str, besides: RowNumbers, most: Most, *, loosely: bool = False
    ) -> list[Titled]:
        """The documents whose titles a text mentions, if these are not too many."""
        own = np.unique(self._table.versions[besides])
        documents = [self._view.documents[each] for each in own.tolist()]
        left_out = {name for each in documents for name in names_of(each.title)}
        longest = self._view.documents.longest_titled()
        names = dict.fromkeys(mentioned(text, self._is_title, longest, loosely=loosely))
        found = [name for name in names if name not in left_out]
        if len(found) > most.titles:
            return []
        numbers = {name: np.setdiff1d(self._titled(name), own) for name in found}
        return [
            Titled(np.concatenate([*map(self._rows_of, few.tolist())]), telling)
            for name, few in numbers.items()
            if 0 < len(few) <= most.documents and (telling := self._words.telling([*terms(name)]))
        ]

    def _is_title(self, name: str) -> bool:
        return len(self._titled(name)) > 0

    def _titled(self, name: str) -> npt.NDArray[np.int32]:
        """The versions in scope that a name is the title of: the titles of others must not hide theirs."""
        numbers = self._view.documents.titled(name)
        # Some may be held since, and are not here yet.
        here = numbers[numbers < len(self._present)]
        return here[self._present[here]]

    @cached_property
    def _present(self) -> Mask:
        """Which versions have rows in scope, by number."""
        present = np.zeros(int(self._table.versions.max(initial=0)) + 1, np.bool_)
        present[self._table.versions[self._mask]] = True
        return present

    def _rows_of(self, number: int) -> RowNumbers:
        begin, end = self._table.spans
        rows = np.arange(begin[number], end[number])
        return rows[self._mask[rows]]

    # -- what rows are -----------------------------------------------------------------------------

    @cached_property
    def spaces(self) -> frozenset[Space]:
        """The kinds of vectors that rows in scope have."""
        covered = self._table.covered
        return frozenset(
            space for space in self._table.spaces if (self._mask & covered(space)).any()
        )

    def models(self) -> tuple[str, ...]:
        """The models that rows in scope have vectors of, those of most rows first."""
        counts = {
            space.model: int(np.count_nonzero(self._mask & self._table.covered(space)))
            for space in sorted(self._table.spaces, key=str)
        }
        return tuple(sorted((name for name in counts if counts[name]), key=lambda n: -counts[n]))

    def sample(self, count: int) -> list[int]:
        """Some rows in scope: the first ones."""
        return [int(row) for row in np.flatnonzero(self._mask)[:count]]

    def version(self, row: int) -> Version:
        """The document version that a row belongs to."""
        return self._view.documents[int(self._table.versions[row])]

    def chunk(self, row: int) -> dict[str, Any]:
        """All there is to say of a row, apart from how it was found."""
        version = self.version(row)
        part, local = self._table.owner(row)
        columns = part.columns
        return {
            "document": version.document,
            "version": version.version,
            "size": version.size,
            "text_hash": version.text_hash,
            "locator": version.locator,
            "title": version.title,
            "media_type": version.media_type,
            "collection": version.collection,
            "published_at": version.published_at,
            "headings": list(part.heading(local)),
            "start": int(columns["start"][local]),
            "end": int(columns["end"][local]),
            "text": part.text(local),
            "chunk": part.string("id", local).decode(),
            "content_type": part.labels[columns["content_type"][local]],
            "first_page": int(columns["first_page"][local]) or None,
            "last_page": int(columns["last_page"][local]) or None,
            "language": part.labels[columns["language"][local]],
            **dates_of(version.metadata, version.media_type),
        }

    def cited(self, row: int) -> int:
        """The row of the same passage whose document has a citekey, if this one's has none.

        Several collections may hold one text, and only some of them know what it is cited by.
        """
        own, table = self.version(row), self._table
        if own.metadata.get("citekey"):
            return row
        # Of rows that begin at one place and are equally long, few are of another text.
        alike = self._mask & (table.starts == table.starts[row])
        alike &= table.body_lengths == table.body_lengths[row]
        rows = [
            other
            for other in np.flatnonzero(alike).tolist()
            if self.version(other).metadata.get("citekey")
            and self.version(other).text_hash == own.text_hash
            and self._end(other) == self._end(row)
        ]
        names = self.places(np.array(rows, np.int64))
        return min(zip(names, rows, strict=True), default=("", row))[1]

    def _end(self, row: int) -> int:
        part, local = self._table.owner(row)
        return int(part.columns["end"][local])

    def find(self, chunk: str) -> dict[str, Any] | None:
        """The chunk of that identity, if it is in scope; one that can be cited, if there is one."""
        wanted = chunk.encode()
        rows = np.flatnonzero(self._mask)
        places = zip(rows.tolist(), self._table.each(rows), strict=True)
        same = (row for row, (part, local) in places if part.string("id", local) == wanted)
        row = next(same, None)
        return None if row is None else self.chunk(self.cited(row))

    def sequence(self, row: int) -> int:
        """Which chunk of its document version a row is, counted from 1."""
        part, local = self._table.owner(row)
        entries = part.columns["entry.at"]
        return local - int(entries[np.searchsorted(entries, local, side="right") - 1]) + 1

    def languages(self, rows: RowNumbers) -> list[str]:
        """The language of each row."""
        return [part.labels[part.columns["language"][row]] for part, row in self._table.each(rows)]

    def texts(self, rows: RowNumbers) -> list[str]:
        """The text of each row."""
        return [part.text(row) for part, row in self._table.each(rows)]

    def places(self, rows: RowNumbers) -> list[str]:
        """Names that settle the order of rows that score the same."""
        names = []
        numbers = self._table.versions[rows].tolist()
        for number, start in zip(numbers, self._table.starts[rows].tolist(), strict=True):
            version = self._view.documents[number]
            names.append(f"{version.locator}\0{start:010}\0{version.collection}")
        return names

    def _best(self, rows: RowNumbers, own: Scores, limit: int) -> Parts:
        """The rows with the best scores, best first, ties by place."""
        if limit < 1 or not len(rows):
            return np.zeros(0, np.int64), np.zeros(0)
        if len(rows) > limit:
            # Keep all that tie with the last one: places decide among them.
            floor = last_of_best(own, limit)
            rows, own = rows[own >= floor], own[own >= floor]
        order = best_first(own, rows, self.places)[:limit]
        return rows[order], own[order]
