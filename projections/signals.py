"""What speaks for each candidate: its words, its vector, and its parts.

A signal that says nothing about a row is nan there, never 0: a row in a language that no model
covers is judged by its words alone, and one in another language than the query by its meaning
alone.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from projections.encoders.model import Floats, QueryEmbedding, QuerySide
from projections.scoped import Rows, ScopedIndex, Scores

_NO_ROWS = np.zeros(0, np.int64)
NAMED = 1.5
"""Standard deviations that it puts a row ahead if its document is named."""

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
class Words:
    """What each term alone adds to the score by words of some rows."""

    places: Mapping[str, int]
    parts: Scores
    """(terms, rows)"""

    @classmethod
    def of(cls, terms: Iterable[str], index: ScopedIndex, rows: Rows) -> "Words":
        """Looked up in one go."""
        # Always in the same order: sums of fractions depend on it.
        names = sorted(terms)
        return cls({name: n for n, name in enumerate(names)}, index.lexical_parts(names, rows))

    def with_also(self, terms: Iterable[str], index: ScopedIndex, rows: Rows) -> "Words":
        """With further terms; the rows must be the same."""
        new = Words.of({*terms} - {*self.places}, index, rows)
        places = {name: len(self.places) + place for name, place in new.places.items()}
        return Words({**self.places, **places}, np.concatenate([self.parts, new.parts]))

    def score(self, weights: Mapping[str, float]) -> Scores:
        """BM25 of each row, each term's part times its weight; 0 where no term occurs."""
        names = sorted(weights)
        return self.summed(names, np.array([weights[name] for name in names]))

    def summed(self, terms: Iterable[str], factors: Scores) -> Scores:
        """The parts of some terms, each times its factor, added up one after the other."""
        total = np.zeros(self.parts.shape[1])
        for part in self.of_terms(terms) * factors[:, None]:
            total += part
        return total

    def of_terms(self, terms: Iterable[str]) -> Scores:
        """The parts of some terms."""
        chosen: Scores = self.parts[[self.places[term] for term in terms]]
        return chosen


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

    named: Scores
    """How surely the document is named, 0 to 1; nan where it is not."""

    lexical_weight: Scores
    dense_weight: Scores
    late_weight: Scores
    """What these signals count, by the model of the row."""

    def only(self, places: Rows) -> "Signals":
        """Some of the candidates, in that order."""
        return Signals(*(column[places] for column in vars(self).values()))

    def updated(self, places: Rows, some: "Signals") -> "Signals":
        """With what is now known of some of the candidates."""
        columns = [column.copy() for column in vars(self).values()]
        for column, values in zip(columns, vars(some).values(), strict=True):
            column[places] = values
        return Signals(*columns)

    def fused(self, *, late: bool) -> Scores:
        """The weighted mean of what speaks for each row, in standard deviations."""
        total, summed_up = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        for part, weight in self.contributions(late=late).values():
            known = ~np.isnan(part)
            counts = np.where(known, weight, 0)
            total += counts
            summed_up += np.where(known, part, 0) * counts
        # A row that lacks a signal is judged by those it has; a name comes on top of them.
        by_name = NAMED * filled(self.named, 0)
        return np.where(total > 0, summed_up / np.maximum(total, 1e-12) + by_name, -np.inf)

    def contributions(self, *, late: bool) -> dict[str, tuple[Scores, Scores]]:
        """Each signal in standard deviations, with its weight."""
        found = {
            "lexical": (standard(self.lexical), self.lexical_weight),
            "dense": (standard(self.dense), self.dense_weight),
        }
        if late:
            found["late"] = (standard(self.late), self.late_weight)
        return found


def found_by_words(terms: Mapping[str, float], index: ScopedIndex, depth: int) -> Rows:
    """The best rows by their words."""
    return index.lexical(terms, depth)[0] if terms else _NO_ROWS


def found_by_meaning(question: Question, index: ScopedIndex, depth: int) -> Rows:
    """The best rows by each model, one after the other."""
    found = [index.dense(name, vector, depth)[0] for name, vector in question.vectors.items()]
    return np.concatenate([_NO_ROWS, *found])


def measured(question: Question, index: ScopedIndex, rows: Rows, words: Words) -> Signals:
    """What speaks for given rows, apart from the late comparison."""
    lexical = words.score(question.terms)
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
    counts = np.full(len(rows), question.words_count)
    return Signals(
        rows, lexical, cosine, nothing, dense, nothing, nothing, counts, standing, late_weight
    )


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


def filled(values: Scores, unknown: float) -> Scores:
    """With a number where nothing is known."""
    # nan_to_num also looks for what is infinite, and takes several times as long.
    return np.where(np.isnan(values), unknown, values)


def standard(values: Scores) -> Scores:
    """In standard deviations from the mean of what is known."""
    known = values[~np.isnan(values)]
    if not known.size:
        return values
    mean = float(np.add.reduce(known)) / known.size
    known = known - mean
    spread = math.sqrt(float(np.add.reduce(known * known)) / known.size)
    centred = values - mean
    if spread <= 1e-9:
        return centred * 0.0
    return np.minimum(np.maximum(centred / spread, -_MOST), _MOST)
