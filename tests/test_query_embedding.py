import numpy as np
import pytest

from projections.encoders.model import QueryEmbedding, QuerySide, Scale

SIDE = QuerySide(
    np.ones(1, np.float32), np.ones((1, 1), np.float32), np.ones(1, np.float32), Scale(0, 1, 1, 0)
)


def test_a_model_reads_the_query_when_it_is_first_asked_for_and_once() -> None:
    read: list[str] = []

    def look(query: str) -> QuerySide:
        read.append(query)
        return SIDE

    embedding = QueryEmbedding("tide mill", {"a": look})
    assert embedding.models == ("a",) and not read
    assert embedding.of("a") is SIDE and embedding.of("a") is SIDE
    assert embedding.is_covered
    assert read == ["tide mill"]


def test_a_model_that_does_not_cover_the_query_is_not_asked_again() -> None:
    read: list[str] = []

    def look(query: str) -> QuerySide | None:
        read.append(query)
        return None

    embedding = QueryEmbedding("tide mill", {"a": look})
    assert embedding.of("a") is None and embedding.of("unbound") is None
    assert not embedding.is_covered
    assert read == ["tide mill"]


def test_what_fails_is_told_to_who_asks() -> None:
    def look(_: str) -> QuerySide:
        raise RuntimeError("no such weights")

    embedding = QueryEmbedding("tide mill", {"a": look})
    with pytest.raises(RuntimeError, match="no such weights"):
        embedding.of("a")
