import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.evaluation import documents, evaluate, ndcg, recall, reciprocal_rank

NAMES = st.lists(st.sampled_from("abcdefghij"), max_size=10, unique=True)


def test_the_best_possible_order_has_full_gain() -> None:
    assert ndcg(["b", "a", "x"], {"a": 1, "b": 3}) == 1.0


def test_a_lower_rank_is_discounted_by_its_logarithm() -> None:
    assert ndcg(["x", "a"], {"a": 1}) == pytest.approx(1 / math.log2(3))


def test_what_is_found_beyond_the_depth_does_not_count() -> None:
    found = [*"bcdefghijk", "a"]
    assert ndcg(found, {"a": 1}) == recall(found, {"a": 1}) == reciprocal_rank(found, {"a": 1}) == 0


def test_a_known_run_has_its_known_figures() -> None:
    run = {"1": ["x", "a"], "2": ["b", "c"], "3": []}
    judged = {"1": {"a": 1}, "2": {"b": 1, "z": 1}, "3": {"a": 1}, "4": {"a": 0}}
    quality = evaluate(run, judged)
    assert quality.queries == 3
    assert quality.recall == pytest.approx((1 + 0.5 + 0) / 3)
    assert quality.mrr == pytest.approx((0.5 + 1 + 0) / 3)


def test_a_document_named_twice_counts_once() -> None:
    assert evaluate({"1": ["a", "a"]}, {"1": {"a": 1, "b": 1}}).recall == 0.5
    assert documents(["a", "b", "a"]) == ["a", "b"]


def test_without_judgements_there_is_no_quality() -> None:
    assert evaluate({"1": ["a"]}, {}).queries == 0


@given(found=NAMES, relevant=st.dictionaries(st.sampled_from("abcdefghij"), st.integers(-1, 3)))
def test_figures_lie_between_nothing_and_all(found: list[str], relevant: dict[str, int]) -> None:
    for figure in (ndcg, recall, reciprocal_rank):
        assert 0 <= figure(found, relevant) <= 1
