"""How likely a passage answers the question: 0 to 1, whatever else was found.

A fixed logistic function of quantities that do not depend on the other hits: the cosine of the
whole, the likeness part by part, and which share of the question's words is there, the rare ones
counting more. Its numbers were fitted on labelled text (`docs/benchmarks.md` has the table), where
questions of one subject were also put to corpora of another.
"""

import math
from itertools import islice

import numpy as np

from projections.scoped import Rows, ScopedIndex, Scores
from projections.signals import Question, Signals

_MOST_TERMS = 24
"""Terms of a question whose presence is looked at: the first ones."""

_FULL = 0.5
"""Share of a term's highest score that an ordinary mention of it has."""

_BY_ALL = (-7.2, 0.45, 6.0, 2.5)
"""Where there is a late comparison: constant, spreads of the cosine, mean cosine, words."""

_BY_MEANING = (-3.5, 0.6, 0.0, 2.5)
_BY_WORDS = (-3.0, 0.0, 0.0, 5.0)


def relevances(question: Question, index: ScopedIndex, asked: Signals, likeness: Scores) -> Scores:
    """Of every candidate; `asked` tells of them as the question was asked."""
    words = covered(question, index, asked.rows)
    nothing = np.zeros(len(words))
    by_all = _logistic(_BY_ALL, asked.dense, likeness, words)
    by_meaning = _logistic(_BY_MEANING, asked.dense, nothing, words)
    by_words = _logistic(_BY_WORDS, nothing, nothing, words)
    by_some = np.where(np.isnan(likeness), by_meaning, by_all)
    return np.where(np.isnan(asked.dense), by_words, by_some)


def covered(question: Question, index: ScopedIndex, rows: Rows) -> Scores:
    """Which share of the question's words each row has, 0 to 1."""
    highest = math.log(2 * index.size + 2)
    total, here = 0.0, np.zeros(len(rows))
    for term, weight in islice(question.terms.items(), _MOST_TERMS):
        parts = index.lexical_of({term: 1.0}, rows)
        most = float(parts.max(initial=0.0))
        # A word that no row has is taken to be rare: it would have brought rows that do.
        rarity = min(most / _FULL, highest) if most else highest
        total += weight * rarity
        here += weight * rarity * np.minimum(parts / (rarity * _FULL), 1.0)
    return here / total if total else here


def _logistic(numbers: tuple[float, ...], *features: Scores) -> Scores:
    constant, *weights = numbers
    value = constant + sum(w * f for w, f in zip(weights, features, strict=True))
    return np.asarray(1 / (1 + np.exp(-np.clip(value, -30, 30))), np.float64)
