"""An index narrowed to what one question may find; what `projections.ranking` asks.

What it answers depends on the live chunks in scope and on nothing else: not on what was indexed
before, in which order, how it is cut into parts, or what other collections hold.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from projections import late
from projections.corpus import Version
from projections.encoders.model import QueryEmbedding
from projections.index.arrays import Array
from projections.index.documents import Mask
from projections.index.filters import Filters
from projections.index.nearest import candidates, cosines
from projections.index.part import BODY_MOST, HEADING_SHIFT, Space
from projections.index.view import Postings, RowNumbers, View

K1 = 1.2
"""How soon repeating a word stops helping."""

B = 0.6
"""How much a long chunk must say a word more often."""

HEADING_WEIGHT = 2.0
"""What a word in the title or a heading counts, against one in the body."""

_REMEMBERED = 1 << 18
"""Rows of terms that a scope keeps at hand."""

_TERMS = 4096
"""Terms of which it is remembered where they are."""

_SCOPES = 16
"""Scopes that are kept for the next question with the same filters."""

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
        self._everything = self.size == len(mask)
        self._norms: tuple[Scores, Scores] | None = None
        self._known: dict[str, Parts] = {}
        self._frequencies: dict[str, int] = {}
        self._postings: dict[str, Postings] = {}
        self._last_located: tuple[RowNumbers, list[tuple[int, Array, Array]]] | None = None
        self._room = _REMEMBERED

    # -- words -------------------------------------------------------------------------------------

    def lexical(self, weights: Mapping[str, float], limit: int) -> Parts:
        """The best rows by BM25, each term's part times its weight."""
        scores = np.zeros(self._table.rows)
        for rows, parts in self._weighted(weights):
            scores[rows] += parts
        rows = _promising(scores, limit)
        return self._best(rows, scores[rows], limit)

    def lexical_of(self, weights: Mapping[str, float], rows: RowNumbers) -> Scores:
        """The same score for given rows; 0 where no term occurs."""
        terms = _in_order(weights)
        scores = np.zeros(len(rows))
        for term, parts in zip(terms, self.lexical_parts(terms, rows), strict=True):
            scores += parts * weights[term]
        return scores

    def lexical_parts(self, terms: Sequence[str], rows: RowNumbers) -> Scores:
        """What each term alone adds to the score of given rows, at a weight of 1: (terms, rows)."""
        counts = np.zeros((len(terms), len(rows)), np.uint16)
        found = self._found(terms)
        for owner, places, local in self._located(rows):
            for number, term in enumerate(terms):
                if owner in found[term]:
                    _, postings, times = found[term][owner]
                    at = postings.searchsorted(local)
                    at[at == len(postings)] = 0
                    counts[number, places] = np.where(postings[at] == local, times[at], 0)
        frequencies = [self._frequency(term, found[term]) for term in terms]
        return np.stack(
            [self._parts(rows, own, often) for own, often in zip(counts, frequencies, strict=True)]
            or [np.zeros(len(rows))]
        )[: len(terms)]

    def terms(self, rows: RowNumbers) -> list[dict[str, int]]:
        """What each row's body says, and how often."""
        return [part.terms(row) for part, row in self._table.each(rows)]

    def _weighted(self, weights: Mapping[str, float]) -> Iterable[Parts]:
        terms = _in_order(weights)
        parts = {term: known for term in terms if (known := self._known.get(term))}
        fresh = self._found([term for term in terms if term not in parts])
        looked_up = {term: self._scored(term, found) for term, found in fresh.items()}
        self._remember(looked_up)
        parts |= looked_up
        for term in terms:
            rows, shares = parts[term]
            yield rows, shares * weights[term]

    def _found(self, terms: Sequence[str]) -> dict[str, Postings]:
        """Where terms occur, in scope or not: by part, with its first row."""
        found = {term: known for term in terms if (known := self._postings.get(term)) is not None}
        fresh = [term for term in terms if term not in found]
        if fresh:
            looked_up = self._table.postings(fresh)
            if len(self._postings) > _TERMS:
                self._postings = {}
            self._postings.update(looked_up)
            found |= looked_up
        return found

    def _located(self, rows: RowNumbers) -> list[tuple[int, Array, Array]]:
        """Stages ask about the same rows again and again."""
        known = self._last_located
        if known is None or known[0] is not rows:
            known = self._last_located = rows, self._table.located(rows)
        return known[1]

    def _remember(self, parts: dict[str, Parts]) -> None:
        """For the other stages of the same question, and for the next one."""
        needed = sum(len(rows) for rows, _ in parts.values())
        if needed > self._room:
            self._known, self._room = {}, _REMEMBERED
        if needed <= self._room:
            self._known.update(parts)
            self._room -= needed

    def _scored(self, term: str, found: Postings) -> Parts:
        """A term's share in the score of each row that has it."""
        if not found or not self.size:
            return np.zeros(0, np.int64), np.zeros(0)
        rows = _end_to_end(
            [postings.astype(np.int64) + base for base, postings, _ in found.values()]
        )
        counts = _end_to_end([counts for *_, counts in found.values()])
        if not self._everything:
            here = self._mask[rows]
            rows, counts = rows[here], counts[here]
        return rows, self._parts(rows, counts, len(rows))

    def _frequency(self, term: str, found: Postings) -> int:
        """In how many rows in scope a term occurs."""
        known = self._frequencies.get(term)
        if known is None:
            if len(self._frequencies) > _TERMS:
                self._frequencies = {}
            every = found.values()
            if self._everything:
                known = sum(len(postings) for _, postings, _ in every)
            else:
                known = sum(
                    int(np.count_nonzero(self._mask[base:][postings]))
                    for base, postings, _ in every
                )
            self._frequencies[term] = known
        return known

    def _parts(self, rows: RowNumbers, counts: Array, frequency: int) -> Scores:
        rarity = math.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5))
        body_norms, heading_norms = self._length_norms()
        weight = (counts & BODY_MOST) / body_norms[rows]
        in_heading = counts >> HEADING_SHIFT
        if in_heading.any():
            weight += HEADING_WEIGHT * in_heading / heading_norms[rows]
        return np.asarray(rarity * weight / (K1 + weight))

    def _length_norms(self) -> tuple[Scores, Scores]:
        """What each row's counts are divided by, for its length against the others in scope."""
        if self._norms is None:
            table = self._table
            body, heading = (
                1
                - B
                + B * lengths / (int(lengths[self._mask].sum(dtype=np.int64)) / self.size or 1)
                for lengths in (table.body_lengths, table.heading_lengths)
            )
            self._norms = body, heading
        return self._norms

    # -- vectors -----------------------------------------------------------------------------------

    def dense(self, model: str, vector: npt.NDArray[np.float32], limit: int) -> Parts:
        """The nearest rows by cosine."""
        space = Space(model, len(vector))
        reach = self._mask & self._table.covered(space)
        rows = candidates(vector, self._table.signs(space), reach, limit)
        return self._best(rows, cosines(vector, self._table.vectors(space, rows)), limit)

    def dense_of(self, model: str, vector: npt.NDArray[np.float32], rows: RowNumbers) -> Scores:
        """The cosine of given rows; nan where there is no vector of that model."""
        space = Space(model, len(vector))
        near = cosines(vector, self._table.vectors(space, rows))
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
        codes = []
        for part, row in self._table.each(rows):
            number = part.space(model, len(side.vector))
            codes.append(b"" if number is None else part.string(f"late_{number}", row))
        return late.max_sim(side.parts, side.weights, codes)

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
        [(part, local)] = self._table.each(np.array([row]))
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
        }

    def find(self, chunk: str) -> dict[str, Any] | None:
        """The chunk of that identity, if it is in scope."""
        wanted = chunk.encode()
        rows = np.flatnonzero(self._mask)
        places = zip(rows.tolist(), self._table.each(rows), strict=True)
        same = (row for row, (part, local) in places if part.string("id", local) == wanted)
        row = next(same, None)
        return None if row is None else self.chunk(row)

    def sequence(self, row: int) -> int:
        """Which chunk of its document version a row is, counted from 1."""
        [(part, local)] = self._table.each(np.array([row]))
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
            floor = np.partition(own, len(own) - limit)[len(own) - limit]
            rows, own = rows[own >= floor], own[own >= floor]
        order = np.argsort(-own, kind="stable")
        rows, own = rows[order], own[order]
        if (own[1:] == own[:-1]).any():
            names = np.argsort(np.array(self.places(rows), dtype=object), kind="stable")
            ranks = np.empty(len(rows), np.int64)
            ranks[names] = np.arange(len(rows))
            order = np.lexsort((ranks, -own))
            rows, own = rows[order], own[order]
        return rows[:limit], own[:limit]


def _in_order(weights: Mapping[str, float]) -> list[str]:
    """Always the same: sums of fractions depend on it."""
    return sorted(term for term, weight in weights.items() if weight)


def _end_to_end(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


_SAMPLED = 8
"""One row in so many tells how good the best ones are at least."""


def _promising(scores: Scores, limit: int) -> RowNumbers:
    """All rows that can be among the best, and few others; never one that scores nothing."""
    sample = scores[::_SAMPLED]
    floor = 0.0
    if 0 < limit <= len(sample):
        # As many rows are this good already in the sample, so none below it is needed.
        floor = float(np.partition(sample, len(sample) - limit)[len(sample) - limit])
    return np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
