"""What ranking asks of an index that is already narrowed to the scope of a question."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from projections.encoders.model import Floats, QueryEmbedding

Rows = npt.NDArray[np.int64]
"""Numbers of rows; a row is a chunk."""

Scores = npt.NDArray[np.float64]


class ScopedIndex(Protocol):
    """The live chunks in scope, and nothing else."""

    size: int

    def lexical(self, weights: Mapping[str, float], limit: int) -> tuple[Rows, Scores]:
        """The best rows by BM25, each term's part times its weight; ties by place."""

    def lexical_of(self, weights: Mapping[str, float], rows: Rows) -> Scores:
        """The same score for given rows; 0 where no term occurs."""

    def dense(self, model: str, vector: Floats, limit: int) -> tuple[Rows, Scores]:
        """The nearest rows by cosine."""

    def dense_of(self, model: str, vector: Floats, rows: Rows) -> Scores:
        """The cosine of given rows; nan where there is no vector of that model."""

    def vectors(self, model: str, rows: Rows) -> Floats:
        """The vectors of given rows; zeros where there is none."""

    def late_of(self, model: str, query: QueryEmbedding, rows: Rows) -> Scores:
        """How well each row answers all parts of the query; nan where it has no codes."""

    def terms(self, rows: Rows) -> list[dict[str, int]]:
        """What each row says, and how often."""

    def languages(self, rows: Rows) -> list[str]:
        """The language of each row."""

    def texts(self, rows: Rows) -> list[str]:
        """The text of each row."""

    def places(self, rows: Rows) -> list[str]:
        """Names that settle the order of rows that score the same."""
