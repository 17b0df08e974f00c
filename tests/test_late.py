import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections import late

Floats = npt.NDArray[np.float32]


def units(count: int, dimension: int, seed: int = 0) -> Floats:
    drawn = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def even(count: int) -> Floats:
    return np.full(count, 1 / count, np.float32)


def exact(query: Floats, chunk: Floats) -> float:
    return float((query @ chunk.T).max(axis=1).mean())


def test_a_part_takes_a_bit_for_each_dimension() -> None:
    assert len(late.pack(units(7, 384))) == 7 * late.row_bytes(384) == 7 * 48


@pytest.mark.parametrize("dimension", [128, 384, 512, 770])
def test_the_comparison_by_signs_is_near_the_exact_one(dimension: int) -> None:
    query = units(6, dimension, 1)
    near = query + 0.8 * units(6, dimension, 2)
    chunks = [near / np.linalg.norm(near, axis=1, keepdims=True), units(60, dimension, 3)]
    found = late.max_sim(query, even(6), [late.pack(chunk) for chunk in chunks])
    assert found == pytest.approx([exact(query, chunk) for chunk in chunks], abs=0.12)
    assert found[0] > found[1]


def test_an_odd_dimension_is_filled_up() -> None:
    query = units(3, 301)
    assert late.max_sim(query, even(3), [late.pack(query)])[0] == pytest.approx(1, abs=0.1)


def test_a_chunk_without_codes_has_no_likeness() -> None:
    query = units(2, 384)
    found = late.max_sim(query, even(2), [b"", late.pack(query), b"short"])
    assert np.isnan(found).tolist() == [True, False, True]
    assert np.isnan(late.max_sim(query, even(2), [b""])).all()
    assert not len(late.max_sim(query, even(2), []))


def test_joined_codes_are_the_codes_of_joined_parts() -> None:
    first, second = units(3, 384, 1), units(5, 384, 2)
    assert late.pack(first) + late.pack(second) == late.pack(np.concatenate([first, second]))


def test_a_cut_row_at_the_end_is_passed_over() -> None:
    query = units(2, 384)
    whole = late.pack(units(4, 384, 3))
    assert late.max_sim(query, even(2), [whole, whole + b"rest"]).tolist() == pytest.approx(
        late.max_sim(query, even(2), [whole, whole]).tolist()
    )


@given(seed=st.integers(0, 1000), count=st.integers(1, 20))
def test_the_likeness_of_a_chunk_does_not_depend_on_its_neighbours(seed: int, count: int) -> None:
    query = units(4, 128, seed)
    chunks = [late.pack(units(1 + n % 5, 128, seed + n)) for n in range(count)]
    together = late.max_sim(query, even(4), chunks)
    alone = [late.max_sim(query, even(4), [chunk])[0] for chunk in chunks]
    assert together.tolist() == alone


def test_many_chunks_of_all_lengths_are_each_compared_as_if_alone() -> None:
    query = units(5, 384, 1)
    sizes = (700, 1, 1400, 3000, 2, 2048, 64, 2000)
    chunks = [late.pack(units(size, 384, seed)) for seed, size in enumerate(sizes)]
    together = late.max_sim(query, even(5), [b"", *chunks])
    assert np.isnan(together[0])
    assert together[1:].tolist() == [late.max_sim(query, even(5), [each])[0] for each in chunks]


def test_weights_say_what_each_part_counts() -> None:
    query = units(2, 384)
    chunk = [late.pack(query[:1])]
    first = late.max_sim(query, np.array([1, 0], np.float32), chunk)[0]
    assert first > 0.9 > late.max_sim(query, np.array([0, 1], np.float32), chunk)[0]


def test_a_long_question_is_compared_part_by_part_like_a_short_one() -> None:
    query, chunk = units(40, 384), [late.pack(units(6, 384, seed=1))]
    alone = [late.max_sim(query[at : at + 1], even(1), chunk)[0] for at in range(40)]
    assert late.max_sim(query, even(40), chunk)[0] == pytest.approx(np.mean(alone), abs=1e-6)
