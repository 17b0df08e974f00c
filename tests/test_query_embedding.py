import threading

import numpy as np
import pytest

from projections.encoders.model import QueryEmbedding, QuerySide, Scale

SIDE = QuerySide(
    np.ones(1, np.float32), np.ones((1, 1), np.float32), np.ones(1, np.float32), Scale(0, 1, 1, 0)
)


def test_a_model_that_was_begun_reads_the_query_once_and_aside() -> None:
    asked_by: list[threading.Thread] = []
    begun, told = threading.Event(), threading.Event()

    def look(_: str) -> QuerySide:
        asked_by.append(threading.current_thread())
        begun.set()
        assert told.wait(10)
        return SIDE

    embedding = QueryEmbedding("tide mill", {"a": look})
    embedding.begin()
    assert begun.wait(10)
    told.set()
    assert embedding.of("a") is SIDE
    embedding.begin()
    assert embedding.of("a") is SIDE
    assert len(asked_by) == 1 and asked_by[0] is not threading.current_thread()


def test_a_model_that_was_not_begun_is_run_where_it_is_asked_for() -> None:
    asked_by: list[threading.Thread] = []

    def look(_: str) -> QuerySide | None:
        asked_by.append(threading.current_thread())
        return None

    embedding = QueryEmbedding("tide mill", {"a": look})
    assert embedding.of("a") is None and embedding.of("unbound") is None
    assert asked_by == [threading.current_thread()]
    assert not embedding.is_covered


def test_what_fails_aside_is_told_to_who_asks() -> None:
    failed = threading.Event()

    def look(_: str) -> QuerySide:
        failed.set()
        raise RuntimeError("no such weights")

    embedding = QueryEmbedding("tide mill", {"a": look})
    embedding.begin()
    assert failed.wait(10)
    with pytest.raises(RuntimeError, match="no such weights"):
        embedding.of("a")
