"""Hosts of actors: patient with what passes, and soon done with what does not."""

import errno
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors import hosts
from actors.archive import LocalArchive
from actors.hosts import VAIN_STARTS, IngestHost, TaskHost
from actors.ingesting.parsing import AnyParser
from events.base import Blob
from events.errors import (
    DiskFull,
    Poisoned,
    ResearchError,
)
from events.home import Home
from tests.embedders import open_letters
from tests.hosted_actors import (
    PASSING,
    Died,
    FlakyArchive,
    exits,
    full_disk,
    idle_crew,
    kinds,
    library,
    no_time_passes,
    outcome,
    research_here,
    task,
)
from tests.waiting import until
from traces.verify import verify_home

__all__ = ["exits", "full_disk", "library", "no_time_passes", "task"]


# -- patience --------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", PASSING, ids=lambda trouble: trouble.code)
def test_trouble_that_passes_only_delays_a_start(
    home: Home, library: list[str], trouble: ResearchError
) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    archive = FlakyArchive(home, *[trouble] * 5)
    IngestHost(archive, AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    assert archive.troubles == []
    assert outcome(home, job) == "completed"


@pytest.mark.parametrize("before", range(12))
def test_a_disk_that_fills_up_only_delays_an_ingest(
    home: Home, library: list[str], full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    full_disk(before=before, failing=3)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    done = [r.data["outcome"] for r in home.read(job)[0] if r.kind == "file_done"]
    assert done == ["added", "added"]
    assert exits == []
    assert verify_home(home.root).faults == []


@pytest.mark.parametrize("before", range(8))
def test_a_disk_that_fills_up_only_delays_a_researcher(
    home: Home, task: str, full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    # The researcher's stream is named by its task's.
    TaskHost(LocalArchive(home), idle_crew(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    full_disk(before=before, failing=3)
    (report,) = research_here(home, task)
    assert report.failure is None
    assert kinds(home, f"{task}.r1")[-1] == "research_finished"
    assert exits == []
    assert verify_home(home.root).faults == []


@pytest.mark.parametrize("before", range(4))
def test_a_disk_that_fills_up_only_delays_a_task(
    home: Home, task: str, full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    TaskHost(LocalArchive(home), idle_crew(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    (report,) = research_here(home, task)
    full_disk(before=before, failing=3)
    host = TaskHost(LocalArchive(home), idle_crew(home), task)
    # As a researcher delivers, and as Ray starts an actor again that ended itself.
    while outcome(home, task) is None:
        try:
            host.collect(report)
        except ResearchError:
            time.sleep(0.001)
        except Died:
            host = TaskHost(LocalArchive(home), idle_crew(home), task)
    assert outcome(home, task) == "completed"
    assert kinds(home, task) == [
        *("task_accepted", "researcher_assigned", "researcher_reported", "task_concluded")
    ]
    assert verify_home(home.root).faults == []


def test_content_that_finds_no_room_only_delays_an_ingest(
    home: Home, library: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [DiskFull("blobs")] * 3
    put = LocalArchive.put

    def putting(archive: LocalArchive, content: bytes) -> Blob:
        if troubles:
            raise troubles.pop()
        return put(archive, content)

    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    monkeypatch.setattr(LocalArchive, "put", putting)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    done = [r.data["outcome"] for r in home.read(job)[0] if r.kind == "file_done"]
    assert done == ["added", "added"]


# -- vain starts -----------------------------------------------------------------------------------


def test_an_actor_that_died_three_times_while_starting_is_not_started_again(home: Home) -> None:
    archive, tries = LocalArchive(home), []

    def die() -> None:
        tries.append(1)
        raise ZeroDivisionError

    for _ in range(VAIN_STARTS):
        with pytest.raises(ZeroDivisionError):
            hosts.start(archive, "s", die)
    with pytest.raises(Poisoned, match="died each time"):
        hosts.start(archive, "s", die)
    assert len(tries) == VAIN_STARTS == 3


def test_a_start_that_succeeds_makes_the_vain_ones_forgotten(home: Home) -> None:
    archive = LocalArchive(home)

    def die() -> None:
        raise ZeroDivisionError

    for _ in range(3):
        for _ in range(VAIN_STARTS - 1):
            with pytest.raises(ZeroDivisionError):
                hosts.start(archive, "s", die)
        assert hosts.start(archive, "s", lambda: "made") == "made"


def test_waiting_for_the_disk_is_no_vain_start(home: Home) -> None:
    archive, troubles = LocalArchive(home), [DiskFull("x")] * 20

    def make() -> str:
        if troubles:
            raise troubles.pop()
        return "made"

    assert hosts.start(archive, "s", make) == "made"
    assert archive.arriving("s") == 0


@pytest.mark.parametrize("step", ["open", "unlink"])
def test_a_disk_on_which_no_arrival_can_be_noted_only_delays_a_start(
    home: Home, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, left = getattr(Path, step), list(range(VAIN_STARTS))

    def full(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.parent.name == "arrivals" and left:
            left.pop()
            raise OSError(errno.ENOSPC, "No space left on device")
        return really(path, *arguments, **options)

    archive = LocalArchive(home)
    monkeypatch.setattr(Path, step, full)
    assert hosts.start(archive, "s", lambda: "made") == "made"
    assert left == []
    assert archive.arriving("s") == 0


def test_one_poisoned_stream_does_not_keep_others_from_starting(home: Home) -> None:
    archive = LocalArchive(home)
    for _ in range(VAIN_STARTS):
        archive.arriving("bad")
    with pytest.raises(Poisoned):
        hosts.start(archive, "bad", lambda: None)
    assert hosts.start(archive, "good", lambda: "made") == "made"


def test_the_refusal_survives_the_way_through_ray() -> None:
    again = pickle.loads(pickle.dumps(Poisoned("s")))
    assert (again.code, str(again)) == ("poisoned", str(Poisoned("s")))
