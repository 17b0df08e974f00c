"""How a tool waits for an ingest job, and what it tells meanwhile."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.core import Core
from contracts.job_reports import report_of, until_done
from contracts.waiting import Rising
from projections.status import JobStatus

pytestmark = pytest.mark.anyio

STARTED = JobStatus(job="ingest-1", phase="running", collection="c", asked_at="", files=3)


def working(*looks: JobStatus) -> Core:
    """A core whose one job is found like this, one look after the other."""
    left = list(looks)
    views = SimpleNamespace(job=lambda _: left.pop(0))
    return cast(Core, SimpleNamespace(views=views, expect_engine=lambda: None))


async def test_each_file_is_told_once_and_progress_always_rises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contracts.job_reports._GLANCE", 0.0)
    told: list[tuple[float, float, str]] = []

    async def tell(at: float, of: float, words: str) -> None:
        told.append((at, of, words))

    first, second = (replace(STARTED, current_file=name) for name in ("a.md", "b.md"))
    third, last = replace(second, done=1), replace(second, done=3, phase="completed")
    await until_done(working(STARTED, STARTED, first, first, second, third, third, last), "j", tell)
    assert [words for _, _, words in told] == ["running", "a.md", "b.md", "b.md"]
    assert {of for _, of, _ in told} == {3.0}
    progress = [at for at, _, _ in told]
    assert progress == sorted(set(progress))
    assert progress[-1] == 1.0


def test_who_brought_a_text_in_is_not_told_to_ingest_a_path_again() -> None:
    message = report_of(STARTED)["message"]
    assert "kb status ingest-1" in message and "path" not in message
    assert "call the tool again in the same way" in message


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from([0.0, 5.0, 100.0]))))
async def test_no_progress_is_told_that_is_not_farther(sent: list[tuple[float, float]]) -> None:
    told: list[float] = []

    async def tell(at: float, of: float, words: str) -> None:
        told.append(at)

    rising: Any = Rising(tell)
    for at, of in sent:
        await rising.send(at, of, "")
    assert told == sorted(set(told))
    assert not sent or told[0] >= 0
