"""How good a ranking is, by what people judged relevant: pure functions over runs and judgements."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Run = Mapping[str, Sequence[str]]
"""For each query, the documents that were found, best first."""

Judgements = Mapping[str, Mapping[str, int]]
"""For each query, how relevant each judged document is; 0 or less is not relevant."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over the queries that have a relevant document."""

    ndcg: float
    recall: float
    mrr: float
    queries: int


def evaluate(run: Run, judgements: Judgements, depth: int = 10) -> Quality:
    """Quality of the first documents of a run; a query without an answer counts as 0."""
    judged = [query for query, grades in judgements.items() if any(g > 0 for g in grades.values())]
    if not judged:
        return Quality(0.0, 0.0, 0.0, 0)
    pairs = [(_once(run.get(query, ())), judgements[query]) for query in judged]
    return Quality(
        ndcg=_mean([ndcg(found, grades, depth) for found, grades in pairs]),
        recall=_mean([recall(found, grades, depth) for found, grades in pairs]),
        mrr=_mean([reciprocal_rank(found, grades, depth) for found, grades in pairs]),
        queries=len(pairs),
    )


def ndcg(found: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Discounted gain, as a share of the best possible one. The gain is the grade itself."""
    gains = [max(grades.get(document, 0), 0) for document in found[:depth]]
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:depth]
    return _discounted(gains) / _discounted(best) if best else 0.0


def recall(found: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Share of the relevant documents that are among the first."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant.intersection(found[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(found: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """1 over the rank of the first relevant document; 0 where none is among the first."""
    ranks = (rank for rank, document in enumerate(found[:depth], 1) if grades.get(document, 0) > 0)
    return 1 / next(ranks, math.inf)


def documents(chunks: Sequence[str]) -> list[str]:
    """The documents of ranked chunks: each stands where its best chunk does."""
    return list(dict.fromkeys(chunks))


def _once(found: Sequence[str]) -> Sequence[str]:
    """A document that is named twice must not be counted twice."""
    return documents(found)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
