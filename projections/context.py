"""A question asked with something at hand: the search leans towards what is being worked on.

The question decides. What it is asked with moves its vectors by a quarter, and the words that the
context says most often are looked for, too, at a quarter of the weight of the question's own.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from language.words import query_terms, terms
from projections.encoders.model import QueryEmbedding, QuerySide

SHARE = 0.25
"""What the context counts against the question and itself together."""

WORDS = 12
"""Words of the context that are looked for."""

LONGEST = 4_000
"""Characters of a context that are embedded; models read no more than a part of that."""


def context_terms(query: str, context: str) -> dict[str, float]:
    """The words that a context says most often and the question does not, with their weights."""
    asked = query_terms(query)
    counts = terms(context)
    wanted = query_terms(context)
    often = sorted(
        (term for term in wanted if term not in asked),
        key=lambda term: (-counts.get(term, 0) * wanted[term], term),
    )
    return {term: SHARE * wanted[term] for term in often[:WORDS]}


def blended(question: QueryEmbedding, context: QueryEmbedding) -> QueryEmbedding:
    """A question's vectors, moved towards those of a context, where a model has both."""

    def side_of(model: str) -> Callable[[str], QuerySide | None]:
        return lambda _: _mixed(question.of(model), context.of(model))

    return QueryEmbedding(question.query, {model: side_of(model) for model in question.models})


def _mixed(question: QuerySide | None, context: QuerySide | None) -> QuerySide | None:
    if question is None or context is None:
        return question
    vector = (1 - SHARE) * question.vector + SHARE * context.vector
    length = float(np.linalg.norm(vector))
    weights = np.concatenate([(1 - SHARE) * question.weights, SHARE * context.weights])
    return replace(
        question,
        vector=(vector / length).astype(np.float32) if length else question.vector,
        parts=np.concatenate([question.parts, context.parts]),
        weights=weights.astype(np.float32),
    )
