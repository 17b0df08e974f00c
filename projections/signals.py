"""What speaks for each candidate: its words, its vector, and its parts.

A signal that says nothing about a row is nan there, never 0: a row in a language that no model
covers is judged by its words alone, and one in another language than the query by its meaning
alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from projections.encoders.model import Floats, QueryEmbedding, QuerySide
from projections.scoped import Rows, ScopedIndex, Scores

_MOST = 4.0
"""Standard deviations beyond which a row's distance from the others says no more."""


@dataclass(frozen=True)
class Question:
    """A query in the terms of each signal."""

    terms: Mapping[str, float]
    embedding: QueryEmbedding | None
    sides: Mapping[str, QuerySide]
    """By model: those that cover the query."""

    vectors: Mapping[str, Floats]
    """By model: what is looked for, the query's own vector or one nearer to what was found."""

    words_count: float = 1.0
    """What the score by words counts; a model's `Scale` says what its signals count beside it."""

    @classmethod
    def of(cls, terms: Mapping[str, float], embedding: QueryEmbedding | None) -> "Question":
        """As it was asked."""
        names = embedding.models if embedding else ()
        seen = {name: embedding.of(name) for name in names} if embedding else {}
        sides = {name: side for name, side in seen.items() if side is not None}
        return cls(terms, embedding, sides, {name: side.vector for name, side in sides.items()})

    @property
    def own_model(self) -> str | None:
        """The model of texts in the query's own language."""
        return next(iter(self.sides), None)


@dataclass(frozen=True)
class Signals:
    """Candidates, and what speaks for each of them."""

    rows: Rows
    lexical: Scores
    """BM25; nan where neither the language nor a word is shared."""

    cosine: Scores
    likeness: Scores
    """The late comparison, as a mean cosine."""

    dense: Scores
    """The cosine in a unit that is comparable between models: spreads above the usual."""

    late: Scores
    """The late comparison in the same unit."""

    lexical_weight: Scores
    dense_weight: Scores
    late_weight: Scores
    """What these signals count, by the model of the row."""

    def only(self, places: Rows) -> "Signals":
        """Some of the candidates, in that order."""
        return Signals(*(column[places] for column in vars(self).values()))

    def joined(self, other: "Signals") -> "Signals":
        """These candidates, then others."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Signals(*(np.concatenate(pair) for pair in pairs))

    def fused(self, *, late: bool) -> Scores:
        """The weighted mean of what speaks for each row, in standard deviations."""
        parts = self.contributions(late=late)
        weights = np.stack([np.where(np.isnan(part), 0, weight) for part, weight in parts.values()])
        values = np.stack([np.nan_to_num(part) for part, _ in parts.values()])
        # A row that lacks a signal is judged by those it has.
        total = weights.sum(axis=0)
        mean: Scores = (values * weights).sum(axis=0) / np.maximum(total, 1e-12)
        return np.where(total > 0, mean, -np.inf)

    def contributions(self, *, late: bool) -> dict[str, tuple[Scores, Scores]]:
        """Each signal in standard deviations, with its weight."""
        found = {
            "lexical": (standard(self.lexical), self.lexical_weight),
            "dense": (standard(self.dense), self.dense_weight),
        }
        if late:
            found["late"] = (standard(self.late), self.late_weight)
        return found


def gather(question: Question, index: ScopedIndex, depth: int, also: Rows) -> Signals:
    """The best rows by each signal, and given ones, with all signals but the late one."""
    found = [also]
    if question.terms:
        found.append(index.lexical(question.terms, depth)[0])
    for name, vector in question.vectors.items():
        found.append(index.dense(name, vector, depth)[0])
    rows = np.unique(np.concatenate(found)).astype(np.int64)
    return measured(question, index, rows)


def measured(question: Question, index: ScopedIndex, rows: Rows) -> Signals:
    """What speaks for given rows, apart from the late comparison."""
    lexical = index.lexical_of(question.terms, rows) if question.terms else np.zeros(len(rows))
    nothing = np.full(len(rows), np.nan)
    cosine, dense = nothing.copy(), nothing.copy()
    dense_weight, late_weight = np.zeros(len(rows)), np.zeros(len(rows))
    for name, side in question.sides.items():
        scale = side.scale
        near = index.dense_of(name, question.vectors[name], rows)
        has = ~np.isnan(near)
        cosine[has] = near[has]
        dense[has] = (near[has] - scale.usual) / scale.spread
        dense_weight[has], late_weight[has] = scale.dense, scale.late
        if name != question.own_model:
            # Another language: that no word is shared says nothing.
            lexical = np.where(has & (lexical == 0), np.nan, lexical)
    if not question.terms:
        lexical = nothing
    # Before the late comparison, and where it is all that counts, the cosine stands in for it.
    standing = np.where(dense_weight > 0, dense_weight, late_weight)
    words = np.full(len(rows), question.words_count)
    return Signals(rows, lexical, cosine, nothing, dense, nothing, words, standing, late_weight)


def compared(signals: Signals, question: Question, index: ScopedIndex) -> Signals:
    """With the late comparison of every row."""
    likeness = np.full(len(signals.rows), np.nan)
    late = likeness.copy()
    weight = signals.dense_weight.copy()
    if question.embedding is not None:
        for name, side in question.sides.items():
            near = index.late_of(name, question.embedding, signals.rows)
            has = ~np.isnan(near)
            likeness[has] = near[has]
            late[has] = (near[has] - side.scale.usual) / side.scale.spread
            weight[has] = side.scale.dense
    return replace(signals, likeness=likeness, late=late, dense_weight=weight)


def standard(values: Scores) -> Scores:
    """In standard deviations from the mean of what is known."""
    known = values[~np.isnan(values)]
    if not known.size:
        return values
    spread = float(known.std())
    centred = values - float(known.mean())
    return np.clip(centred / spread, -_MOST, _MOST) if spread > 1e-9 else centred * 0.0
