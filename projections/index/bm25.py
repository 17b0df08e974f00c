"""BM25 over the bodies and headings of the rows in one scope.

All rows are scored by going over the rows of each term; measured, passing over what cannot be
among the best costs twice as much as adding it up. Given rows are scored by reading their terms.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from projections.index.arrays import Array
from projections.index.documents import Mask
from projections.index.part import BODY_MOST, HEADING_SHIFT, Said
from projections.index.view import Postings, RowNumbers, Table

K1 = 1.2
"""How soon repeating a word stops helping."""

B = 0.6
"""How much a long chunk must say a word more often."""

HEADING_WEIGHT = 2.0
"""What a word in the title or a heading counts, against one in the body."""

_REMEMBERED = 1 << 19
"""Rows of terms that are kept at hand, and as many of those that were before."""

_TERMS = 4096
"""Terms of which it is remembered in how many rows they are."""

_SAMPLED = 8
"""One row in so many tells how good the best ones are at least."""

Scores = npt.NDArray[np.float64]
Parts = tuple[RowNumbers, Scores]


class Bm25:
    """Scores of live rows; what other scopes hold does not show in them."""

    def __init__(self, table: Table, mask: Mask) -> None:
        self._table, self._mask = table, mask
        self._size = int(np.count_nonzero(mask))
        self._everything = self._size == len(mask)
        self._known: dict[str, Parts] = {}
        self._known_before: dict[str, Parts] = {}
        self._room = _REMEMBERED
        self._frequencies: dict[str, int] = {}
        self._lately_said: tuple[tuple[RowNumbers, list[tuple[int, Array, Said]]], ...] = ()

    def promising(self, weights: Mapping[str, float], limit: int) -> Parts:
        """All rows that can be among the best, in order, and few others; with their scores."""
        # Always in the same order: sums of fractions depend on it.
        terms = sorted(term for term, weight in weights.items() if weight)
        found = [(term, own) for term, own in self._table.postings(terms).items() if own]
        if not found or not self._size:
            return np.zeros(0, np.int64), np.zeros(0)
        scored = [(*self._scored(term, own), weights[term]) for term, own in found]
        rows = np.concatenate([rows for rows, _, _ in scored])
        parts = np.concatenate([parts * weight for _, parts, weight in scored])
        return _best_of(np.bincount(rows, parts, self._table.rows), limit)

    def parts(self, terms: Sequence[str], rows: RowNumbers) -> Scores:
        """What each term alone adds to the score of given rows, at a weight of 1: (terms, rows)."""
        # Stages ask about other terms of the same rows, and about a few of them in between.
        said = next((said for known, said in self._lately_said if known is rows), None)
        if said is None:
            said = self._table.said(rows)
            self._lately_said = (*self._lately_said[-1:], (rows, said))
        numbers = self._table.numbers(terms)
        counts = self._table.counts(numbers, said)
        return self._parts(rows, counts, self._frequencies_of(terms, numbers))

    def telling(self, terms: Sequence[str]) -> float:
        """How few rows would have all of the terms by chance: 0 for many, 1 for one at most."""
        frequencies = self._frequencies_of(terms, self._table.numbers(terms))
        return min(sum(map(self._rarity, frequencies)) / self._rarity(1), 1.0)

    def _scored(self, term: str, found: Postings) -> Parts:
        """A term's share in the score of each row that has it; kept for the next question."""
        known = self._known.get(term)
        if known is None:
            known = self._known_before.get(term) or self._scored_anew(found)
            if len(known[0]) > self._room:
                # What is asked for lately stays: it is taken over from before when it is met again.
                self._known_before, self._known, self._room = self._known, {}, _REMEMBERED
            if len(known[0]) <= self._room:
                self._known[term] = known
                self._room -= len(known[0])
        return known

    def _scored_anew(self, found: Postings) -> Parts:
        rows = _end_to_end(
            [postings.astype(np.int64) + base for base, postings, _ in found.values()]
        )
        counts = _end_to_end([counts for *_, counts in found.values()])
        if not self._everything:
            here = self._mask[rows]
            rows, counts = rows[here], counts[here]
        return rows, self._parts(rows, counts[None], [len(rows)])[0]

    def _frequencies_of(
        self, terms: Sequence[str], numbers: Sequence[npt.NDArray[np.int64]]
    ) -> list[int]:
        """In how many rows in scope each term occurs."""
        if self._everything:
            pairs = zip(self._table.parts, numbers, strict=True)
            having = [part.having(own) for part, own in pairs]
            return [int(each) for each in np.sum(having, axis=0)] if having else [0] * len(terms)
        if len(self._frequencies) > _TERMS:
            self._frequencies = {}
        known = self._frequencies
        fresh = [term for term in terms if term not in known]
        for term, found in self._table.postings(fresh).items() if fresh else ():
            known[term] = sum(
                int(np.count_nonzero(self._mask[base:][postings]))
                for base, postings, _ in found.values()
            )
        return [known[term] for term in terms]

    def _parts(self, rows: RowNumbers, counts: Array, frequencies: Sequence[int]) -> Scores:
        """The share of each term in the score of each row, by how often it is said: (terms, rows)."""
        rarity = np.array([self._rarity(each) for each in frequencies])
        enough, in_heading = self._norms
        said = (counts & BODY_MOST).astype(np.float64)
        titled = np.flatnonzero(counts > BODY_MOST)
        if titled.size:
            mentions = counts.ravel()[titled] >> HEADING_SHIFT
            said.reshape(-1)[titled] += mentions * in_heading[rows[titled % len(rows)]]
        parts: Scores = said / (said + enough[rows])
        parts *= rarity[:, None]
        return parts

    def _rarity(self, frequency: int) -> float:
        return math.log(1 + (self._size - frequency + 0.5) / (frequency + 0.5))

    @cached_property
    def _norms(self) -> tuple[Scores, Scores]:
        """Of each row, by its length against the others in scope: how often it must say a word for
        half of the word's score, and how many mentions in the body one in a heading stands for."""
        table = self._table
        body, heading = (
            1
            - B
            + B * lengths / (int(lengths[self._mask].sum(dtype=np.int64)) / max(self._size, 1) or 1)
            for lengths in (table.body_lengths, table.heading_lengths)
        )
        return K1 * body, HEADING_WEIGHT * body / heading


def last_of_best(scores: Scores, limit: int) -> float:
    """The score of the last row of the best; there must be as many."""
    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _best_of(scores: Array, limit: int) -> Parts:
    """The rows of all that can be among the best; never one that scores nothing."""
    sample = scores[::_SAMPLED]
    floor = 0.0
    if 0 < limit <= len(sample):
        # As many rows are this good already in the sample, so none below it is needed.
        floor = last_of_best(sample, limit)
    rows = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    return rows, scores[rows]


def _end_to_end(arrays: list[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
