"""Whoever looks at work that is not done keeps an engine there to do it."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from contracts import core as module
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.settings import Settings
from events.errors import DiskFull
from tests.homes import build_home
from tests.past_tasks import PastTasks


class Woken(Core):
    """A core that counts how often it wakes an engine, and never has one."""

    times = 0

    def wake_engine(self) -> None:
        self.times += 1


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks) -> Woken:
    return Woken(Settings(home=past.built.root, prewarm=False))


def test_an_engine_that_has_vanished_is_woken_again_by_whoever_waits(
    core: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    core.expect_engine()
    assert core.times == 0, "one that was just woken has a moment to show itself"
    monkeypatch.setattr(module, "_DOUBT", 0.0)
    core.expect_engine()
    assert core.times == 1


def test_asking_for_the_status_of_unfinished_work_keeps_an_engine_there(
    past: PastTasks, core: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DOUBT", 0.0)
    ended, running = past.completed("What is a tide?"), past.running("What is a wave?")
    assert deep_research.status(core, ended)["status"] == "completed"
    assert core.times == 0
    assert deep_research.status(core, running)["progress"] < 100
    assert core.times == 1


def test_a_home_that_cannot_wake_an_engine_still_says_where_its_work_stands(
    past: PastTasks, core: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DOUBT", 0.0)

    def fails(_: Core) -> None:
        raise PermissionError

    monkeypatch.setattr(Woken, "wake_engine", fails)
    running = past.running("What is a wave?")
    assert deep_research.status(core, running)["task_id"] == running


def test_nobody_waits_for_work_that_can_record_nothing(
    past: PastTasks, core: Woken, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = past.running("What is a wave?")
    monkeypatch.setattr(module, "_STUCK", 0.0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    told = core.follow(running)
    assert next(told).task == running
    with pytest.raises(DiskFull, match="work resumes by itself"):
        next(told)
