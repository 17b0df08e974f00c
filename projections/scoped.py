"""What ranking asks of an index that is already narrowed to the scope of a question."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from projections.encoders.model import Floats, QueryEmbedding

Rows = npt.NDArray[np.int64]
"""Numbers of rows; a row is a chunk."""

Scores = npt.NDArray[np.float64]


class Titled(NamedTuple):
    """The rows of the documents with a title that a text mentions."""

    rows: Rows
    telling: float
    """Up to 1: how few rows would have the words of the title if words came by chance."""


class Most(NamedTuple):
    """How many may be mentioned before nothing is meant by it."""

    titles: int
    """Titles in one text: more are a register."""

    documents: int
    """Documents with one title: it tells none of more apart."""


class ScopedIndex(Protocol):
    """The live chunks in scope, and nothing else."""

    size: int

    def lexical(self, weights: Mapping[str, float], limit: int) -> tuple[Rows, Scores]:
        """The best rows by BM25, each term's part times its weight; ties by place."""

    def lexical_parts(self, terms: Sequence[str], rows: Rows) -> Scores:
        """What each term alone adds to the score of given rows, at a weight of 1: (terms, rows)."""

    def dense(self, model: str, vector: Floats, limit: int) -> tuple[Rows, Scores]:
        """The nearest rows by cosine."""

    def dense_of(self, model: str, vector: Floats, rows: Rows) -> Scores:
        """The cosine of given rows; nan where there is no vector of that model."""

    def vectors(self, model: str, rows: Rows) -> Floats:
        """The vectors of given rows; zeros where there is none."""

    def late_of(self, model: str, query: QueryEmbedding, rows: Rows) -> Scores:
        """How well each row answers all parts of the query; nan where it has no codes."""

    def shared_terms(self, rows: Rows) -> dict[str, tuple[int, int]]:
        """The terms that several of the rows say: how many rows do, and how often in all."""

    def titled_in(
        self, text: str, besides: Rows, most: Most, *, loosely: bool = False
    ) -> list[Titled]:
        """What stands under the titles that a text mentions, but for those of the rows `besides`.

        Those are the text's own: whoever says his name does not speak of others who have it.
        Loosely, a title of several words may be written without capitals.
        """

    def languages(self, rows: Rows) -> list[str]:
        """The language of each row."""

    def texts(self, rows: Rows) -> list[str]:
        """The text of each row."""

    def places(self, rows: Rows) -> list[str]:
        """Names that settle the order of rows that score the same."""


def best_first(scores: Scores, rows: Rows, places: Callable[[Rows], list[str]]) -> Rows:
    """Where the rows stand in order of their scores; ties in order of the names of their places."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    same = ranked[1:] == ranked[:-1]
    if not same.any():
        return order
    # Names are long to make, so only those are asked for that decide something.
    tied = np.flatnonzero(np.concatenate((same, [False])) | np.concatenate(([False], same)))
    named = zip(ranked[tied].tolist(), places(rows[order[tied]]), order[tied].tolist(), strict=True)
    settled: list[int] = []
    for _, group in groupby(named, key=lambda each: each[0]):
        settled += [place for _, _, place in sorted(group, key=lambda each: each[1])]
    order[tied] = settled
    return order
