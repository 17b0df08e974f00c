"""How likely a passage answers the question: 0 to 1, whatever else was found.

A fixed logistic function of what does not depend on the other hits: how far the cosine lies above
what is usual for the model, and which share of the question's words is there, the rare ones
counting more. Its numbers were fitted on labelled text where questions were also put to corpora of
another subject (`docs/benchmarks.md` has the table); the late comparison added nothing to them.
"""

import math
from itertools import islice

import numpy as np

from projections.scoped import Scores
from projections.signals import Question, Signals, Words

_MOST_TERMS = 24
"""Terms of a question whose presence is looked at: the first ones."""

_FULL = 0.5
"""Share of a term's highest score that an ordinary mention of it has."""

_BY_MEANING = (-4.05, 1.05, 1.06)
"""Constant; for each spread that the cosine lies above the usual; for all the words."""

_BY_WORDS = (-2.6, 0.0, 5.0)
"""The same where no model covers the row."""


def relevances(question: Question, size: int, words: Words, asked: Signals) -> Scores:
    """Of every candidate; `asked` tells of them as the question was asked."""
    share = covered(question, size, words)
    by_meaning = _logistic(_BY_MEANING, asked.dense, share)
    by_words = _logistic(_BY_WORDS, np.zeros(len(share)), share)
    return np.where(np.isnan(asked.dense), by_words, by_meaning)


def covered(question: Question, size: int, words: Words) -> Scores:
    """Which share of the question's words each row has, 0 to 1, in an index of that size."""
    terms = list(islice(question.terms, _MOST_TERMS))
    parts = words.of_terms(terms)
    weights = np.array([question.terms[term] for term in terms])
    highest = math.log(2 * size + 2)
    most = parts.max(axis=1, initial=0.0)
    # A word that no row has is taken to be rare: it would have brought rows that do.
    rarity = np.where(most > 0, np.minimum(most / _FULL, highest), highest)
    shares = np.minimum(parts / (rarity * _FULL)[:, None], 1.0) * (weights * rarity)[:, None]
    total = sum((weights * rarity).tolist())
    here = np.zeros(parts.shape[1])
    for share in shares:
        here += share
    return here / total if total else here


def _logistic(numbers: tuple[float, float, float], units: Scores, words: Scores) -> Scores:
    constant, by_unit, by_words = numbers
    return np.asarray(1 / (1 + np.exp(-(constant + by_unit * units + by_words * words))))
