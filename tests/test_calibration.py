"""Whatever is rated, in whatever order: calibrated confidences stay confidences, in the order of the raw ones."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.calibration import (
    BOUNDS,
    ENOUGH,
    FOLDS,
    Calibration,
    Pair,
    fit,
    judge,
    unseen,
)

shares = st.floats(0.0, 1.0)
hundredths = st.integers(0, 100).map(lambda number: number / 100)
pairs = st.lists(st.builds(Pair, st.one_of(shares, hundredths), shares), min_size=1, max_size=60)


@given(pairs, shares, shares)
def test_it_never_falls_and_stays_within_bounds(
    rated: list[Pair], one: float, other: float
) -> None:
    fitted = fit(rated)
    low, high = sorted((one, other))
    assert BOUNDS[0] <= fitted(low) <= fitted(high) <= BOUNDS[1]


@given(pairs, st.randoms())
def test_the_order_of_ratings_does_not_matter(rated: list[Pair], chance: random.Random) -> None:
    shuffled = list(rated)
    chance.shuffle(shuffled)
    assert fit(shuffled) == fit(rated)
    assert unseen(shuffled) == unseen(rated)
    assert judge(shuffled) == judge(rated)


@given(pairs)
def test_its_pools_rise_and_hold_what_was_rated(rated: list[Pair]) -> None:
    pools = fit(rated).pools
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pools))
    ratings = [each.correct for each in rated]
    assert all(min(ratings) - 1e-9 <= level <= max(ratings) + 1e-9 for _, level in pools)


@given(pairs)
def test_what_is_measured_lies_between_nought_and_one(rated: list[Pair]) -> None:
    judged = judge(rated)
    assert 0.0 <= judged.brier <= 1.0 and 0.0 <= judged.ece <= 1.0
    assert sum(each.count for each in judged.bins) == len(rated)
    assert all(each.low <= each.confidence <= each.high for each in judged.bins)


@given(st.lists(st.builds(Pair, hundredths, hundredths), min_size=1, max_size=12))
def test_it_is_the_regression_that_comes_nearest_to_what_was_rated(rated: list[Pair]) -> None:
    """By its definition: the highest of the lowest means of all runs of ratings around a place."""
    raws = sorted({each.confidence for each in rated})

    def mean(first: int, last: int) -> float:
        inside = [e.correct for e in rated if raws[first] <= e.confidence <= raws[last]]
        return sum(inside) / len(inside)

    levels = [
        max(min(mean(j, k) for k in range(i, len(raws))) for j in range(i + 1))
        for i in range(len(raws))
    ]
    ours = _each_once([level for _, level in fit(rated).pools])
    assert ours == pytest.approx(_each_once(levels))


def _each_once(levels: list[float]) -> list[float]:
    kept: list[float] = []
    for level in levels:
        if not kept or level > kept[-1] + 1e-9:
            kept.append(level)
    return kept


def test_overconfidence_is_learned() -> None:
    chance = random.Random(5)
    raws = [chance.uniform(0.3, 0.95) for _ in range(300)]
    rated = [Pair(raw, float(chance.random() < raw * 0.6)) for raw in raws]
    told = judge(unseen(rated))
    before = judge(rated)
    assert told.brier < before.brier and told.ece < before.ece / 2
    assert fit(rated)(0.9) < 0.7


def test_few_ratings_leave_the_raw_confidence_most_of_its_say() -> None:
    assert fit([])(0.6) == pytest.approx(0.6)
    one = fit([Pair(0.6, 0.0)])
    assert 0.5 < one(0.6) < 0.6
    assert fit([Pair(0.6, 0.0)] * 1000)(0.6) < 0.02
    level = fit([Pair(0.6, 0.5)] * 1000)
    assert level(0.61) > level(0.6), "two answers do not become equally sure"


def test_a_rating_is_judged_by_the_others_alone() -> None:
    rated = [Pair(number / 40, float(number % 2)) for number in range(40)]
    told = unseen(rated)
    assert sorted(each.correct for each in told) == sorted(each.correct for each in rated)
    without = fit(rated[1:])
    assert Pair(without(rated[0].confidence), rated[0].correct) in told
    many = unseen([Pair((number % 97) / 97, 0.5) for number in range(FOLDS * 3)])
    assert len(many) == FOLDS * 3


def test_nothing_rated_is_nothing_wrong() -> None:
    assert judge([]).bins == () and judge([]).brier == 0.0
    assert unseen([]) == []
    assert isinstance(fit([]), Calibration) and ENOUGH == 20
