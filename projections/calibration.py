"""How far confidences have deserved to be believed, learned from ratings: pure, and the same in any order.

    fitted      isotonic regression of the ratings on the raw confidences (pool adjacent violators),
                straight lines between the pools
    calibrated  (n * fitted + 10 * raw) / (n + 10), within 0.01 and 0.99, for n ratings

The raw confidence keeps a weight of ten ratings, so that a few of them do not overturn it and, within
the bounds, the surer of two answers stays the surer. Fewer than 20 ratings teach nothing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

ENOUGH = 20
"""Ratings from which on they count."""

PRIOR = 10.0
"""Ratings that the raw confidence itself weighs as much as."""

BOUNDS = 0.01, 0.99
"""Nothing is impossible, and nothing certain."""

BINS = 10
FOLDS = 100
"""Parts that ratings are divided into to judge a fit by what it has not seen; up to here each is its own."""


class Pair(NamedTuple):
    """A raw confidence, and how right the answer was."""

    confidence: float
    correct: float


class _Pool(NamedTuple):
    weight: float
    centre: float
    level: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map from raw to calibrated confidence."""

    ratings: int
    pools: tuple[tuple[float, float], ...]
    """Where each pool stands and how right its answers were; both rise."""

    def __call__(self, raw: float) -> float:
        """The calibrated confidence."""
        low, high = BOUNDS
        mixed = (self.ratings * self._fitted(raw) + PRIOR * raw) / (self.ratings + PRIOR)
        return min(high, max(low, mixed))

    def _fitted(self, raw: float) -> float:
        after = bisect_right(self.pools, raw, key=lambda pool: pool[0])
        if after == 0:
            return self.pools[0][1]
        if after == len(self.pools):
            return self.pools[-1][1]
        (left, low), (right, high) = self.pools[after - 1 : after + 1]
        share = (raw - left) / (right - left)
        # So written, it cannot leave the two levels by an error of rounding.
        return min(high, max(low, low + share * (high - low)))


def fit(pairs: Iterable[Pair]) -> Calibration:
    """The calibration that ratings amount to, however many there are."""
    ordered = sorted(pairs)
    if not ordered:
        return Calibration(0, ((0.0, 0.0), (1.0, 1.0)))
    pools: list[_Pool] = []
    for each in _grouped(ordered):
        pools.append(each)
        while len(pools) > 1 and pools[-2].level >= pools[-1].level:
            right, left = pools.pop(), pools.pop()
            pools.append(_joined(left, right))
    return Calibration(len(ordered), tuple((pool.centre, pool.level) for pool in pools))


def _grouped(ordered: Sequence[Pair]) -> Iterable[_Pool]:
    by_confidence: dict[float, list[float]] = {}
    for each in ordered:
        by_confidence.setdefault(each.confidence, []).append(each.correct)
    for confidence, ratings in by_confidence.items():
        yield _Pool(len(ratings), confidence, fsum(ratings) / len(ratings))


def _joined(left: _Pool, right: _Pool) -> _Pool:
    weight = left.weight + right.weight
    return _Pool(
        weight,
        (left.weight * left.centre + right.weight * right.centre) / weight,
        (left.weight * left.level + right.weight * right.level) / weight,
    )


# -- judging ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers whose confidence lies between two bounds."""

    low: float
    high: float
    count: int
    confidence: float
    """Their confidence on average."""

    correct: float
    """How right they were on average."""


@dataclass(frozen=True, slots=True)
class Judged:
    """How well confidences tell how right answers are."""

    brier: float
    """The mean squared difference; 0 is perfect."""

    ece: float
    """The mean difference of the bins, weighed by their answers: the expected calibration error."""

    bins: tuple[Bin, ...]


def judge(pairs: Sequence[Pair]) -> Judged:
    """How well confidences tell how right answers are; of none, perfectly."""
    pairs = sorted(pairs)
    count = max(1, len(pairs))
    bins = tuple(each for number in range(BINS) if (each := _bin(number, pairs)).count)
    return Judged(
        brier=fsum((each.confidence - each.correct) ** 2 for each in pairs) / count,
        ece=fsum(each.count * abs(each.confidence - each.correct) for each in bins) / count,
        bins=bins,
    )


def _bin(number: int, pairs: Sequence[Pair]) -> Bin:
    low, high = number / BINS, (number + 1) / BINS
    inside = [each for each in pairs if min(int(each.confidence * BINS), BINS - 1) == number]
    count = len(inside) or 1
    return Bin(
        low,
        high,
        len(inside),
        fsum(each.confidence for each in inside) / count,
        fsum(each.correct for each in inside) / count,
    )


def unseen(pairs: Iterable[Pair]) -> list[Pair]:
    """Each rating with the calibrated confidence that the others would have given its answer.

    A fit that is judged by the ratings it was made from looks better than it is.
    """
    ordered = sorted(pairs)
    folds = min(len(ordered), FOLDS)
    told: list[Pair] = []
    for fold in range(folds):
        learned = fit(each for place, each in enumerate(ordered) if place % folds != fold)
        told += [Pair(learned(raw), correct) for raw, correct in ordered[fold::folds]]
    return told
