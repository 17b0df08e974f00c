"""A question put anew in the light of its first answers (pseudo-relevance feedback).

The first answers are mostly about the right thing: words they share are added to the question
with a part of its weight (RM3), and its vector is moved a little towards theirs (Rocchio).
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from language.scripts import Script, scripts
from projections.encoders.model import Floats
from projections.scoped import Rows, ScopedIndex
from projections.signals import Question

WORD_ANSWERS, VECTOR_ANSWERS = 5, 3
"""How many first answers are believed."""

_ADDED = 10
"""Words that are added."""

_LOOKED_AT = 40
"""Words of the answers that are weighed against each other."""

_SHARE = 0.3
"""What the added words count, of the whole question."""

_PULL = 0.3
"""How far the vector moves."""

_SPACED: tuple[Script, ...] = (
    "latin",
    "greek",
    "cyrillic",
    "armenian",
    "georgian",
    "hebrew",
    "arabic",
    "devanagari",
)


def moved(question: Question, query: str, first: Rows, index: ScopedIndex) -> Question:
    """The question after a look at its first answers, best first.

    One in a script without spaces stays as it was: moving its vector made nothing better, either.
    """
    if not _is_spaced(query):
        return question
    vectors = {
        name: _towards(vector, index.vectors(name, first[:VECTOR_ANSWERS]))
        for name, vector in question.vectors.items()
    }
    terms = _with_words(question.terms, first[:WORD_ANSWERS], index)
    return replace(question, terms=terms, vectors=vectors)


def _towards(vector: Floats, answers: Floats) -> Floats:
    """Answers without a vector of the model are zeros, and pull nowhere."""
    if answers.shape[1] != len(vector):
        return vector
    pull = answers.sum(axis=0) / max(len(answers), 1)
    towards: Floats = (vector + np.float32(_PULL) * pull).astype(np.float32)
    return towards / np.float32(max(float(np.linalg.norm(towards)), 1e-12))


def _with_words(
    terms: Mapping[str, float], answers: Rows, index: ScopedIndex
) -> Mapping[str, float]:
    shared = index.shared_terms(answers)

    def told_most(term: str) -> tuple[int, int, str]:
        rows, times = shared[term]
        return -rows, -times, term

    looked_at = sorted(shared, key=told_most)[:_LOOKED_AT]
    trust = 1 / np.arange(2, len(answers) + 2)
    parts = (index.lexical_parts(looked_at, answers) * trust).sum(axis=1) / trust.sum()
    worth = dict(zip(looked_at, parts.tolist(), strict=True))
    best = sorted(worth, key=lambda term: (-worth[term], term))[:_ADDED]
    total, asked = sum(worth[term] for term in best), sum(terms.values())
    if not total or not asked:
        return terms
    mixed = {term: (1 - _SHARE) * weight for term, weight in terms.items()}
    for term in best:
        mixed[term] = mixed.get(term, 0.0) + _SHARE * asked * worth[term] / total
    return mixed


def _is_spaced(query: str) -> bool:
    """Pairs of characters, which stand for words elsewhere, would flood the question."""
    letters = scripts(query)
    return sum(letters[script] for script in _SPACED) * 2 >= letters.total()
