"""A last look at the best passages by a model that reads question and passage together.

Such a model is slow and none comes with this package, so it is only used where a setting names one.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from events.errors import ModelUnavailable
from events.logs import log
from projections.encoders.model import Floats
from projections.ranking import Ranked

RERANKED = 30
"""Passages that are read again: each costs as much as embedding it anew."""

STAGE = "cross_encoder"


class Reranker(Protocol):
    """A model that judges passages by a question."""

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers the question, on the model's own scale."""


def open_reranker(name: str) -> Reranker:
    """The model of that name."""
    from projections.encoders.sentence_transformer import NamedReranker

    return NamedReranker(name)


class Reranking:
    """Puts the best passages in the order that a model gives them; without it they stay as they are."""

    def __init__(self, name: str, opening: Callable[[str], Reranker] = open_reranker) -> None:
        self._name, self._open = name, opening
        self._lock = threading.Lock()
        self._reranker: Reranker | None = None
        self._in_vain = not name

    @property
    def depth(self) -> int:
        """How many passages it wants to see; none when there is no model."""
        return 0 if self._in_vain else RERANKED

    def reorder(self, query: str, best: Sequence[Ranked], texts: Sequence[str]) -> list[Ranked]:
        """The passages anew, best first; equal ones keep their order."""
        try:
            scores = self._opened().scores(query, texts)
        except ModelUnavailable as failure:
            # Loading is not tried again: every search would wait for it.
            self._in_vain = True
            log("search").warning("reranker_unavailable", why=failure.sentence)
            return list(best)
        order = np.argsort(-scores, kind="stable").tolist()
        return [
            replace(
                best[place],
                stages=best[place].stages
                | {STAGE: (rank, round(float(scores[place]), 6), "the model's own")},
                decided_by=STAGE,
            )
            for rank, place in enumerate(order, 1)
        ]

    def _opened(self) -> Reranker:
        with self._lock:
            if self._reranker is None:
                self._reranker = self._open(self._name)
            return self._reranker
