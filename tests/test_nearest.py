"""Which rows are worth comparing, told by their signs."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from projections.index.nearest import candidates, cosines
from projections.index.part import signs

ROWS, DIMENSION = 24_000, 384

Halves = npt.NDArray[np.float16]


@cache
def meanings() -> Halves:
    """Vectors in clusters, some directions mattering more than others, as those of texts lie."""
    chance = np.random.default_rng(11)
    spread = (1 + np.arange(DIMENSION)) ** -0.4
    turned = np.linalg.qr(chance.standard_normal((DIMENSION, DIMENSION)))[0]
    centres = chance.standard_normal((300, DIMENSION)) * spread
    made = centres[chance.integers(0, 300, ROWS)]
    made = (made + 0.9 * chance.standard_normal((ROWS, DIMENSION)) * spread) @ turned
    halves: Halves = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)
    return halves


def question(number: int) -> npt.NDArray[np.float32]:
    chance = np.random.default_rng(number)
    near = meanings()[number].astype(np.float32)
    asked = near + 0.04 * chance.standard_normal(DIMENSION).astype(np.float32)
    return np.asarray(asked / np.linalg.norm(asked), np.float32)


def scope_of(share: float) -> npt.NDArray[np.bool_]:
    return np.random.default_rng(3).random(ROWS) < share


@pytest.mark.parametrize("limit", [10, 100])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.7, 1.0])
def test_the_nearest_rows_in_scope_are_among_the_candidates(share: float, limit: int) -> None:
    scope, vectors = scope_of(share), meanings()
    parts = [signs(vectors)]
    hits = wanted = 0
    for number in range(0, ROWS, ROWS // 25):
        asked = question(number)
        rows = candidates(asked, parts, scope, limit)
        assert scope[rows].all() and (np.diff(rows) > 0).all()
        inside = np.flatnonzero(scope)
        near = cosines(asked, vectors[inside])
        nearest = inside[np.argsort(-near)[:limit]]
        hits, wanted = hits + np.isin(nearest, rows).sum(), wanted + len(nearest)
    assert hits >= 0.99 * wanted


@pytest.mark.parametrize("limit", [10, 100])
@pytest.mark.parametrize("share", [0.2, 0.7, 1.0])
def test_the_candidates_are_the_same_however_rows_are_ordered_and_cut(
    share: float, limit: int
) -> None:
    scope, vectors = scope_of(share), meanings()
    whole = [signs(vectors)]
    order = np.random.default_rng(4).permutation(ROWS)
    cut = [signs(vectors[order][begin:end]) for begin, end in ((0, 7), (7, 9000), (9000, ROWS))]
    for number in (5, 5000, 20_000):
        expected = candidates(question(number), whole, scope, limit)
        found = candidates(question(number), cut, scope[order], limit)
        assert np.sort(order[found]).tolist() == expected.tolist()


def test_far_fewer_rows_are_candidates_than_there_are() -> None:
    everything = np.ones(ROWS, np.bool_)
    for limit, most in ((10, 2200), (100, 2300)):
        rows = candidates(question(1), [signs(meanings())], everything, limit)
        assert limit < len(rows) < most
