"""Somebody who wants to know when a research ends is told once, whatever happens to the engine meanwhile."""

import gc
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.catalogue import Catalogue
from actors.notices import Notice, Notices, desktop_exists, notice_of, show_on_desktop
from events.logs import start_logging
from tests.desktop_bus import Desk, desktop, session_bus
from tests.homes import build_home
from tests.past_tasks import PastTasks

QUESTION = "Why is the sky blue?"


class Wall:
    """Where notices are put up."""

    def __init__(self) -> None:
        self.seen: list[Notice] = []
        self._more = threading.Condition()

    def show(self, notice: Notice) -> None:
        with self._more:
            self.seen.append(notice)
            self._more.notify_all()

    def titles(self, number: int) -> list[str]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.seen) >= number, 10)
            return [notice.title for notice in self.seen]


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=1, tasks=0, unfinished=0))


class Watching:
    """An engine's look at the root stream."""

    def __init__(self, past: PastTasks, wall: Wall) -> None:
        self.catalogue = Catalogue(past.built.home)
        self.notices = Notices(past.built.home, self.catalogue, wall.show)

    def look(self) -> None:
        self.notices.look(self.catalogue.state())


def test_completion_failure_and_timeout_are_announced_and_a_cancel_is_not(past: PastTasks) -> None:
    wall = Wall()
    engine = Watching(past, wall)
    tasks = [past.running(QUESTION, notify=True) for _ in range(4)]
    engine.look()
    past.stopped(tasks[0])
    past.failed(tasks[1], "job_failed", "No.")
    engine.look()
    assert wall.titles(1) == ["Research failed"]
    past.stopped(tasks[2], timed_out=True)
    engine.look()
    assert wall.titles(2)[-1] == "Research timed out"
    past.conclude(tasks[3])
    engine.look()
    assert wall.titles(3)[-1] == "Research completed"
    assert tasks[3] in wall.seen[-1].message and QUESTION in wall.seen[-1].message
    engine.look()
    assert len(wall.seen) == 3


def test_who_did_not_ask_is_not_told(past: PastTasks) -> None:
    wall = Wall()
    engine = Watching(past, wall)
    quiet, loud = past.running(QUESTION), past.running(QUESTION, notify=True)
    engine.look()
    past.conclude(quiet)
    past.conclude(loud)
    engine.look()
    assert wall.titles(1) == ["Research completed"]
    assert loud in wall.seen[0].message


def test_a_restart_of_the_engine_forgets_nobody_and_repeats_nothing(past: PastTasks) -> None:
    wall = Wall()
    task = past.running(QUESTION, notify=True)
    Watching(past, wall).look()
    past.conclude(task)
    for _ in range(3):
        Watching(past, wall).look()
    assert wall.titles(1) == ["Research completed"]
    assert list((past.built.home.run / "notices").iterdir()) == []


def test_trouble_with_a_notice_is_nobodys_error(past: PastTasks) -> None:
    past.running(QUESTION, notify=True)
    (past.built.home.run / "notices").write_text("a file where a folder should be")
    Watching(past, Wall()).look()


def test_a_long_question_is_shortened() -> None:
    notice = notice_of("id", "word " * 100, "completed", None)
    assert notice and len(notice.message) < 150


@pytest.mark.parametrize(
    ("environment", "system", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, "linux", False),
        ({"DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": "{tmp}"}, "linux", True),
        ({"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": "/nowhere"}, "linux", False),
        ({}, "darwin", True),
    ],
)
def test_a_desktop_is_one_with_a_screen_and_somebody_to_tell(
    tmp_path: Path, environment: dict[str, str], system: str, there: bool
) -> None:
    (tmp_path / "bus").touch()
    filled = {name: value.replace("{tmp}", str(tmp_path)) for name, value in environment.items()}
    assert desktop_exists(filled, system) is there


def test_a_desktop_that_does_not_answer_is_nobodys_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/nobody")
    show_on_desktop(Notice("id", "Research completed", "Hello"))


# -- a real bus ------------------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desktop(tmp_path) as desk:
        monkeypatch.setenv("DISPLAY", ":99")
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", desk.address)
        yield desk


def test_a_desktop_shows_what_became_of_each_research(past: PastTasks, desk: Desk) -> None:
    catalogue = Catalogue(past.built.home)
    notices = Notices(past.built.home, catalogue, show_on_desktop)
    done, broken, late, called_off = (past.running(QUESTION, notify=True) for _ in range(4))
    notices.look(catalogue.state())
    past.stopped(called_off)
    past.conclude(done)
    notices.look(catalogue.state())
    assert desk.notices(1)[-1] == (
        "research-agent",
        "Research completed",
        f"{QUESTION}\nTask {done}",
    )
    past.failed(broken, "job_failed", "No.")
    notices.look(catalogue.state())
    assert desk.notices(2)[-1][1:] == ("Research failed", f"{QUESTION}\nTask {broken}")
    past.stopped(late, timed_out=True)
    notices.look(catalogue.state())
    assert desk.notices(3)[-1][1:] == ("Research timed out", f"{QUESTION}\nTask {late}")


def test_a_bus_without_anybody_who_shows_notices_is_nobodys_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session_bus(tmp_path) as address:
        monkeypatch.setenv("DISPLAY", ":99")
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        show_on_desktop(Notice("id", "Research completed", "Hello"))
    gc.collect()  # A connection that was left open is an error now.


def test_without_a_desktop_a_log_line_says_that_a_research_ended(
    past: PastTasks, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    catalogue = Catalogue(past.built.home)
    notices = Notices(past.built.home, catalogue, show_on_desktop)
    task = past.running(QUESTION, notify=True)
    notices.look(catalogue.state())
    past.conclude(task)
    start_logging("info")
    try:
        notices.look(catalogue.state())
    finally:
        start_logging("warning")
    [told] = map(json.loads, capsys.readouterr().err.splitlines())
    assert told["event"] == "research ended"
    assert (told["task"], told["how"]) == (task, "Research completed")
