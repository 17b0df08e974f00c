"""The dashboard of a real engine: only on loopback, only with the token, and it shows who does what."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import cli
from actors.waking import HeadState, read_state
from tests.engines import QUESTION, RealEngine
from tests.waiting import until

pytestmark = [pytest.mark.ray, pytest.mark.timeout(240)]


class Dashboard:
    """What a person with a browser can ask."""

    def __init__(self, engine: RealEngine) -> None:
        state = read_state(engine.home.root)
        assert state and state.dashboard and state.metrics
        self.state: HeadState = state
        self.token = (engine.home.run / "ray_token").read_text()

    def read(self, address: str, token: str | None) -> bytes:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(address, headers=headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            return bytes(reply.read())

    def get(self, path: str, token: str | None) -> Any:
        return json.loads(self.read(f"{self.state.dashboard}{path}", token))

    def status(self, address: str, token: str | None) -> int:
        try:
            self.read(address, token)
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return refusal.code
        return 200

    def listed(self, what: str) -> list[dict[str, Any]]:
        """Rows of Ray's state API."""
        found = self.get(f"/api/v0/{what}?detail=true", self.token)["data"]["result"]["result"]
        assert isinstance(found, list)
        return found

    def actors(self) -> dict[str, tuple[str, str]]:
        return {each["name"]: (each["repr_name"], each["state"]) for each in self.listed("actors")}

    def on_the_page(self) -> set[tuple[str, str]]:
        found = self.get("/logical/actors", self.token)["data"]["actors"]
        return {(each["actorId"], each["name"]) for each in found.values()}

    def steps(self) -> list[tuple[str, str]]:
        signs = [each for each in self.listed("tasks") if "show_sign" in each["func_or_class_name"]]
        signs.sort(key=lambda each: each["creation_time_ms"])
        return [(each["name"], each["state"]) for each in signs]

    def everything_measured(self) -> str:
        assert self.state.metrics
        return self.read(self.state.metrics, self.token).decode()

    def metrics(self) -> dict[tuple[str, ...], float]:
        """Our metrics, by name and our labels' values."""
        text = self.everything_measured()
        found: dict[tuple[str, ...], float] = {}
        for name, labels, value in re.findall(
            r"^(ray_research_agent_\w+)\{(.*)\} (\S+)$", text, re.M
        ):
            ours = re.findall(r'(?:^|,)([a-z]+)="([^"]*)"', labels)
            kept = sorted(pair for pair in ours if pair[0] != "le")
            key = (name.removeprefix("ray_research_agent_"), *(each for _, each in kept))
            found[key] = max(found.get(key, 0.0), float(value))
        return found


def titles() -> set[str]:
    """What every user of the machine can read of Ray's processes."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.add(path.read_bytes().split(b"\0")[0].decode(errors="replace"))
    return {each for each in found if each.startswith("ray::")}


def eventually(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait, without keeping the dashboard from its work by asking."""
    until(true, seconds, rest=0.3)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealEngine]:
    engine = RealEngine(tmp_path_factory.mktemp("shown") / "home", dashboard=True, num_cpus=1)
    engine.up()
    engine.pace(0)
    yield engine
    engine.down()


@pytest.fixture(scope="module")
def dashboard(engine: RealEngine) -> Dashboard:
    return Dashboard(engine)


def test_it_is_on_loopback_and_answers_only_with_the_token(
    engine: RealEngine, dashboard: Dashboard
) -> None:
    ports = [urlsplit(each).port for each in (dashboard.state.dashboard, dashboard.state.metrics)]
    listening = re.findall(
        r"^ *\d+: ([0-9A-F]{8}):([0-9A-F]{4}) \S+ 0A ", Path("/proc/net/tcp").read_text(), re.M
    )
    where = {int(port, 16): address for address, port in listening}
    assert {where.get(port or 0) for port in ports} == {"0100007F"}
    assert dashboard.state.dashboard and dashboard.state.metrics
    for address in (f"{dashboard.state.dashboard}/api/v0/actors", dashboard.state.metrics):
        assert dashboard.status(address, None) == 401
        assert dashboard.status(address, "0" * 64) == 403
        assert dashboard.status(address, dashboard.token) == 200
    assert (engine.home.run / "ray_token").stat().st_mode & 0o077 == 0


def test_up_says_where_it_is_and_how_to_get_in(
    engine: RealEngine,
    dashboard: Dashboard,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(engine.home.root))
    assert cli.main(["up", "--dashboard"]) == 0
    said = capsys.readouterr().out
    assert f"dashboard {dashboard.state.dashboard}\n" in said
    assert f"token in {engine.home.run / 'ray_token'}\n" in said
    assert f"metrics {dashboard.state.metrics}\n" in said
    assert dashboard.token not in said


def test_actors_say_what_they_are_their_calls_what_they_do_and_metrics_how_much(
    engine: RealEngine, dashboard: Dashboard
) -> None:
    engine.ingest_samples()
    engine.pace(2.5)
    task = engine.ask()
    researcher = f"researcher-{task}.r1"

    seen: set[str] = set()

    def at_work() -> bool:
        seen.update(titles(), [dashboard.everything_measured()])
        return any(
            re.match(r"step \d+ of \d+: Looking for: ", name) and state == "RUNNING"
            for name, state in dashboard.steps()
        )

    eventually(at_work)
    for _ in range(10):
        time.sleep(0.2)
        seen.update(titles(), [dashboard.everything_measured()])
    assert "ray::ResearcherActor" in seen
    said = [each for each in seen if "Looking for" in each or QUESTION[:30] in each]
    assert said == [], "what is asked is told to those who have the token, and to nobody else"
    shown = dashboard.actors()
    begins = QUESTION[:30]
    assert shown[f"task-{task}"][0].startswith(f"task {task[:8]}: {begins}")
    assert shown[researcher][0].startswith(f"corpus researcher {task[:8]}.r1: {begins}")
    assert shown[researcher][1] == "ALIVE"
    (job,) = (name for name in shown if name.startswith("ingest-"))
    assert shown[job][0] == f"ingest {job[7:15]}: 12 files, samples"
    # The page lists them from elsewhere, where an actor that has just begun has none yet.
    own = {(each["actor_id"], each["name"]) for each in dashboard.listed("actors")}
    eventually(lambda: dashboard.on_the_page() == own, 10)
    engine.pace(0)
    assert engine.end_of(task).phase == "completed"

    expected = {
        ("facts_total", "research"): engine.lines(task),
        ("facts_total", "researcher"): engine.lines(f"{task}.r1"),
        ("facts_total", "ingest"): engine.lines(job),
        ("calls_total", "answered", "corpus"): engine.core.views.status(task).calls_answered,
        ("ended_total", "completed", "research"): 1,
        ("ended_total", "completed", "ingest"): 1,
        ("ingest_files_total", "added"): 12,
        ("ingest_chunks_total", "yes"): engine.core.views.job(job).chunks,
        ("running", "research"): 0,
        ("queue_length", "research"): 0,
    }
    eventually(lambda: expected.items() <= dashboard.metrics().items())
    found = dashboard.metrics()
    calls = engine.core.views.status(task).calls_answered
    assert found["call_seconds_count", "corpus"] == calls
    assert found["ingest_seconds_total",] > 0

    eventually(lambda: dashboard.actors()[f"task-{task}"][1] == "DEAD")
    # Ray tells of the last step of an actor that ends just then as best it can, and sometimes not at all.
    eventually(lambda: "FINISHED" in {state for _, state in dashboard.steps()})
    engine.check_record()


def test_a_cancel_reaches_an_actor_whose_sign_is_up(
    engine: RealEngine, dashboard: Dashboard
) -> None:
    engine.pace(60)
    task = engine.ask("What are spring tides?")
    eventually(
        lambda: any("spring tides" in name for name, at in dashboard.steps() if at == "RUNNING")
    )
    engine.core.cancel(task)
    seen = engine.end_of(task, 30)
    engine.pace(0)
    assert seen.phase == "cancelled"
    engine.check_record()
