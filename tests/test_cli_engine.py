"""The engine and the doctor from the command line, without an engine."""

import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from actors.waking import HeadState
from contracts.commands.doctor import OURS, examine
from contracts.connect import ROOT
from contracts.settings import Settings
from events.errors import EngineDown
from events.stream import EventStream
from tests.cli_homes import QUESTION, Built, at, built, engine, finished, refused, run, trace
from tests.commands import Run
from tests.stream_steps import LINUX

__all__ = ["at", "built", "engine", "finished", "run"]


# -- the engine ------------------------------------------------------------------------------------


def test_up_says_where_the_engine_is(run: Run, at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = HeadState("up", 1, "now", address="127.0.0.1:7", dashboard="http://127.0.0.1:8")
    monkeypatch.setattr("actors.waking.wait_up", lambda home, timeout: state)
    done = run("up", "--dashboard")
    assert done.code == 0
    assert done.out.startswith("up at 127.0.0.1:7\ndashboard http://127.0.0.1:8\n")
    assert f"token in {at}/run/ray_token\n" in done.out


def test_up_says_that_an_engine_without_a_dashboard_was_up_already(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = HeadState("up", 1, "now", address="127.0.0.1:7")
    monkeypatch.setattr("actors.waking.wait_up", lambda home, timeout: state)
    done = run("up", "--dashboard")
    assert (done.code, done.out) == (0, "up at 127.0.0.1:7\n")
    assert "without a dashboard" in done.err


def test_up_that_fails_is_refused_with_the_reason(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(home: Path, timeout: float) -> HeadState:
        raise EngineDown(str(home), "there is no Ray here")

    monkeypatch.setattr("actors.waking.wait_up", give_up)
    refused(run("up"), "there is no Ray here", "[engine_down]")


def test_down_where_nothing_runs(run: Run, at: Path) -> None:
    done = run("down")
    assert (done.out, done.err) == ("nothing was running\n", "")
    at.write_text("a file in its place")
    assert run("down").code == 0


def test_waiting_for_an_engine_that_gave_up_ends_and_the_task_stays_accepted(
    run: Run, built: Built
) -> None:
    state = {"state": "failed", "supervisor": 1, "started_at": "now", "error": "no Ray here"}
    (built.root / "run").mkdir(exist_ok=True)
    (built.root / "run" / "head.json").write_text(json.dumps(state))
    refused(run("research", QUESTION), "no Ray here", "research-agent doctor", "[engine_down]")
    assert len(run("ps", "--json").json["tasks"]) == 3
    assert run("ps").out.startswith("engine failed")


# -- doctor ----------------------------------------------------------------------------------------


def test_doctor_finds_nothing_wrong_with_a_good_home(run: Run, built: Built) -> None:
    done = run("doctor")
    assert (done.code, "BAD" in done.out) == (0, False)
    needs = ("python", "settings", "data home", "disk space", "record", "module names", "engine")
    offers = ("documents", "research", "scanned pages", "pages with scripts")
    for what in (*needs, *offers):
        assert f"ok   {what}: " in done.out
    assert " GB free\n" in done.out and "in 1 collection\n" in done.out


def test_doctor_says_which_research_is_on_and_what_the_rest_needs(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    said = run("doctor").out
    assert "ok   record: empty\n" in said, "there is no head of nothing"
    assert "set GEMINI_API_KEY for Gemini" in said and "none yet; add some" in said
    monkeypatch.setenv("GEMINI_API_KEY", "a key")
    monkeypatch.setenv("TAVILY_API_KEY", "a key")
    said = run("doctor").out
    assert "with no key, by Gemini; set ANTHROPIC_API_KEY for Claude\n" in said
    assert "a key" not in said.replace("no key", "")


def test_doctor_says_why_keys_in_a_file_are_not_read(run: Run, built: Built) -> None:
    path = built.root / ".env"
    path.write_text("GEMINI_API_KEY=a-key-of-some-length\n")
    path.chmod(0o640)
    done = run("doctor")
    assert done.code == 1
    assert f"{path} is not read: others can read it (mode 0640)" in done.out
    path.chmod(0o600)
    done = run("doctor")
    assert (done.code, "by Gemini" in done.out) == (0, True)


def test_doctor_misses_a_browser_that_was_asked_for(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_RENDER", "chromium")
    monkeypatch.setattr("actors.adapters.rendering.program", lambda: None)
    done = run("doctor")
    assert done.code == 1
    assert "BAD  pages with scripts: no Chromium here\n     Install Chromium" in done.out


def put_a_file_in_its_place(built: Built) -> None:
    shutil.rmtree(built.root)
    built.root.write_text("not a folder")


def open_to_everybody(built: Built) -> None:
    built.root.chmod(0o755)


def break_the_catalogue(built: Built) -> None:
    trace(built, "catalogue").write_text("something else\n")


def give_up_the_engine(built: Built) -> None:
    state = {"state": "failed", "supervisor": 1, "started_at": "now", "error": "no Ray here"}
    (built.root / "run").mkdir(exist_ok=True)
    (built.root / "run" / "head.json").write_text(json.dumps(state))


@pytest.mark.parametrize(
    ("harm", "what", "advice"),
    [
        (put_a_file_in_its_place, "data home", "RESEARCH_AGENT_HOME"),
        (open_to_everybody, "data home", "chmod 700"),
        (break_the_catalogue, "record", "research-agent verify"),
        (give_up_the_engine, "engine", "no Ray here"),
    ],
)
def test_doctor_says_what_is_wrong_and_what_to_do(
    run: Run, built: Built, harm: Callable[[Built], None], what: str, advice: str
) -> None:
    harm(built)
    done = run("doctor")
    assert done.code == 1
    place = done.out.index(f"BAD  {what}: ")
    assert advice in done.out[place:].split("\n")[1]


def test_doctor_names_what_somebody_else_left_in_the_home(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests may run as the superuser, to whom nothing is closed.
    theirs = [trace(built, built.task), trace(built, built.job)]
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) not in theirs and allowed(path, mode)
    )
    done = run("doctor")
    assert done.code == 1
    first = min(theirs) if str(min(theirs)) in done.out else max(theirs)
    assert f"BAD  data home: {built.root}: you may not open {first} and 1 more\n" in done.out
    assert f'Make it all yours: sudo chown -R "$USER" {built.root}\n' in done.out


def test_doctor_does_not_take_for_closed_what_is_gone_when_it_looks(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built.root / "run").mkdir(exist_ok=True)
    walk = os.walk

    def with_passing(top: Path) -> Iterator[tuple[str, list[str], list[str]]]:
        for folder, folders, files in walk(top):
            yield folder, [*folders, "building"], [*files, "head.json.new"]

    monkeypatch.setattr(os, "walk", with_passing)
    assert f"ok   data home: {built.root}\n" in run("doctor").out


@LINUX
def test_doctor_names_the_process_that_keeps_the_record_locked(run: Run, built: Built) -> None:
    with EventStream(trace(built, "catalogue")).deciding():
        done = run("doctor")
    assert done.code == 1
    assert f"locked for 1 s, by process {os.getpid()}\n" in done.out
    assert "BAD" not in run("doctor").out


def test_doctor_finds_packages_that_ship_our_names(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = {"events": ["events", "research-agent"]}
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: shipped)
    (rivals,) = (check for check in examine(Settings(home=built.root)) if not check.good)
    assert rivals.found == "events by events"


def test_doctor_knows_every_name_that_is_installed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = {name.partition(".")[0] for name in listed["packages"]}
    assert packages | set(listed["py-modules"]) == OURS


def test_doctor_notices_a_setting_that_there_is_not(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_REFRESH_HOUR", "24")
    monkeypatch.setenv("RESEARCH_AGENT_PREWARM", "0")
    done = run("doctor")
    assert done.code == 1
    assert "BAD  settings: there is no RESEARCH_AGENT_REFRESH_HOUR\n" in done.out
    assert "Did you mean RESEARCH_AGENT_REFRESH_HOURS?" in done.out
    monkeypatch.delenv("RESEARCH_AGENT_REFRESH_HOUR")
    assert "RESEARCH_AGENT_PREWARM" in run("doctor").out
