"""The order of what was found, one recipe for every corpus.

By default the score by words (BM25) and the likeness of meaning are brought to one scale and
added, documents that are named come forward, the question is put anew in the light of the first
answers, and the best candidates are compared with it part by part. Other orders exist because
callers ask for them by name.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from language.words import query_terms
from projections import feedback, naming
from projections.encoders.model import QueryEmbedding
from projections.naming import Named
from projections.relevance import covered, relevances
from projections.scoped import Rows, ScopedIndex, Scores, best_first
from projections.signals import (
    NAMED,
    Question,
    Signals,
    Words,
    compared,
    filled,
    found_by_meaning,
    found_by_words,
    measured,
)

Mode = Literal["best", "rrf", "weighted", "lexical", "dense"]

CANDIDATES = 100
"""Rows that each signal puts forward, and that are compared part by part."""

RRF_K = 60
DENSE_SHARE = 0.5
"""Of the mode `weighted`, where both scores are brought to 0 to 1."""

_NOTHING: Mapping[str, float] = MappingProxyType({})
WELL_FOUND = 0.5
"""Share of the question's words in the row that has most of them, above which words count fully.
Where no row has them, the question is put in other words than the texts."""

_LEAST_WORDS = 0.1
_TINY = 1e-9
_EXACT = 9
"""Digits of a score that count: what differs less is a tie."""


@dataclass(frozen=True)
class Ranked:
    """A chunk at its rank."""

    row: int
    relevance: float
    """0 to 1, and means the same for every question and corpus."""

    stages: dict[str, tuple[int, float, str]]
    """Of each stage that saw it: its rank there, its score, and the scale of that."""

    decided_by: str
    """The stage that did most for or against it."""


def rank(
    query: str,
    embedding: QueryEmbedding | None,
    index: ScopedIndex,
    limit: int,
    mode: Mode = "best",
    helping: Mapping[str, float] = _NOTHING,
) -> list[Ranked]:
    """The best chunks of the index, best first.

    Helping terms are looked for, too; what is found is judged by the question's own.
    """
    if limit < 1 or not index.size:
        return []
    embedding = None if mode == "lexical" else embedding
    terms, depth = query_terms(query), max(CANDIDATES, limit)
    by_meaning_only = mode == "dense" and embedding is not None and embedding.is_covered
    wanted: Mapping[str, float] = {} if by_meaning_only else {**helping, **terms}
    by_words = found_by_words(wanted, index, depth)
    named = naming.by_question(query, index) if mode == "best" else Named()
    question = Question.of(wanted, embedding)
    by_meaning = found_by_meaning(question, index, depth)
    rows = np.unique(np.concatenate([by_words, by_meaning, named.short]))
    if not len(rows):
        return []
    words = Words.of({*question.terms, *terms}, index, rows)
    first = measured(question, index, rows, words)
    order = _ORDERS[mode](first, words, _Asked(query, question, index, depth, named))
    asked = question if wanted == terms else Question.of(terms, embedding)
    if asked is question and order.signals.rows is first.rows:
        plain = first
    else:
        plain = measured(asked, index, order.signals.rows, order.words)
    return _described(order, asked, plain, index, limit)


@dataclass(frozen=True)
class _Asked:
    query: str
    question: Question
    index: ScopedIndex
    depth: int
    named: Named


@dataclass(frozen=True)
class _Order:
    signals: Signals
    words: Words
    final: Scores
    late: bool = False


def _by_one(first: Signals, words: Words, _: _Asked) -> _Order:
    """The only signal there is; of both, words come first."""
    only = first.lexical if not np.isnan(first.lexical).all() else first.dense
    return _Order(first, words, filled(only, -np.inf))


def _by_rrf(first: Signals, words: Words, _: _Asked) -> _Order:
    signals = (np.where(first.lexical > 0, first.lexical, np.nan), first.dense)
    total = np.zeros(len(first.rows))
    for values in signals:
        known = ~np.isnan(values)
        total[known] += 1 / (RRF_K + _ranks(values)[known])
    return _Order(first, words, total)


def _by_weights(first: Signals, words: Words, _: _Asked) -> _Order:
    lexical, dense = _share(first.lexical), _share(first.dense)
    both = (1 - DENSE_SHARE) * filled(lexical, 0) + DENSE_SHARE * filled(dense, 0)
    # What has only one of them is judged by that one.
    alone = np.where(np.isnan(dense), lexical, np.where(np.isnan(lexical), dense, both))
    return _Order(first, words, filled(alone, -np.inf))


def _by_all(first: Signals, words: Words, asked: _Asked) -> _Order:
    question, index, depth = asked.question, asked.index, asked.depth
    found = float(covered(question, index.size, words).max())
    question = replace(question, words_count=max(min(found / WELL_FOUND, 1.0), _LEAST_WORDS))
    counts = np.full(len(first.rows), question.words_count)
    first = replace(first, lexical_weight=counts, named=asked.named.of(first.rows))
    fused = first.fused(late=False)
    answers = first.rows[_best_first(fused, first.rows, index)[: feedback.WORD_ANSWERS]]
    again = feedback.moved(question, asked.query, answers, index)
    # Weighed anew is what was found or is named by now. To look through all rows again takes as long
    # as the first time, and made no labelled set any better.
    named = naming.by_answers(asked.named, answers, index)
    rows = np.union1d(first.rows, named.short)
    if len(rows) == len(first.rows):
        rows, words = first.rows, words.with_also(again.terms, index, first.rows)
    else:
        words = Words.of({*words.places, *again.terms}, index, rows)
    second = replace(measured(again, index, rows, words), named=named.of(rows))
    fused = second.fused(late=False)
    order = _best_first(fused, rows, index)
    near = compared(second.only(order[:depth]), question, index)
    # What was not compared stays behind what was.
    final = fused - (fused.max() - fused.min() + 1) * 100
    final[order[:depth]] = near.fused(late=True)
    return _Order(second.updated(order[:depth], near), words, final, late=True)


_ORDERS: dict[Mode, Callable[[Signals, Words, _Asked], _Order]] = {
    "best": _by_all,
    "rrf": _by_rrf,
    "weighted": _by_weights,
    "lexical": _by_one,
    "dense": _by_one,
}


# -- how it is told --------------------------------------------------------------------------------


def _described(
    order: _Order, asked: Question, plain: Signals, index: ScopedIndex, limit: int
) -> list[Ranked]:
    """The best rows, with what each stage thought of them; `plain` tells of them as it was asked."""
    signals = order.signals
    best = _best_first(order.final, signals.rows, index)
    best = best[np.isfinite(order.final[best])][:limit]
    stages = {
        "lexical": (np.where(plain.lexical > 0, plain.lexical, np.nan), "bm25"),
        "dense": (plain.cosine, "cosine"),
        "late": (signals.likeness, "mean cosine"),
        "named": (signals.named, "share"),
        "fused": (order.final, "score"),
    }
    told = {
        name: (_ranks(values)[best].tolist(), values[best].tolist(), scale)
        for name, (values, scale) in stages.items()
    }
    relevance = relevances(asked, index.size, order.words, plain)[best].tolist()
    decided = _decided_by(order, best)
    return [
        Ranked(
            row=row,
            relevance=relevance[place],
            stages={
                name: (ranks[place], round(values[place], 6), scale)
                for name, (ranks, values, scale) in told.items()
                if not math.isnan(values[place])
            },
            decided_by=decided[place],
        )
        for place, row in enumerate(signals.rows[best].tolist())
    ]


def _decided_by(order: _Order, places: Rows) -> list[str]:
    """For each of some rows the signal that moved it most, up or down."""
    parts = order.signals.contributions(late=order.late)
    told = {name: (part[places], each[places]) for name, (part, each) in parts.items()}
    total = np.sum([np.where(np.isnan(part), 0, each) for part, each in told.values()], axis=0)
    told["named"] = NAMED * order.signals.named[places], total
    moves = np.stack([np.abs(filled(part, 0)) * each for part, each in told.values()])
    names = list(told)
    return [names[number] for number in moves.argmax(axis=0).tolist()]


def _best_first(scores: Scores, rows: Rows, index: ScopedIndex) -> Rows:
    """Places in order of their scores, ties by the rows' places in their documents."""
    return best_first(np.round(scores, _EXACT), rows, index.places)


def _ranks(values: Scores) -> Rows:
    """1 is best; equal values share a rank. Unknown ones come last."""
    known = filled(values, -np.inf)
    return (np.searchsorted(np.sort(-known), -known, side="left") + 1).astype(np.int64)


def _share(values: Scores) -> Scores:
    """Between the least and the greatest known, as 0 to 1."""
    known = values[~np.isnan(values)]
    if not known.size:
        return values
    low, high = float(known.min()), float(known.max())
    return (values - low) / (high - low) if high - low > _TINY else values * 0.0 + 1.0
