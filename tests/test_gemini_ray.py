"""A Gemini research with a real engine: keys reach nobody but the actors, and nothing is ordered twice."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.keys import lend
from actors.processes import home_key, process_name, processes_of, ray_folder
from actors.waking import HeadOptions, ensure_up, read_state, shut_down, wait_up
from contracts.core import Core
from contracts.settings import Settings
from events.home import Home
from projections.status import TaskStatus
from tests.emulators import PAGES_AT
from tests.engines import SAMPLES, kill
from tests.gemini_emulator import REPORT, GeminiEmulator
from tests.gemini_tasks import enter, facts
from tests.waiting import until
from traces.verify import verify_home

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]

SECRET = "no-known-shape-of-a-key-2718281828"
PATIENCE = 120.0


class GeminiEngine:
    """A data home with a real engine, whose providers are emulated."""

    def __init__(self, root: Path, provider: GeminiEmulator) -> None:
        self.home, self.provider = Home(root), provider
        self.home.prepare()
        engine = ("-m", "actors.engine", "--outside", "tests.emulators:BriskWorld")
        self._options = HeadOptions(home=root, engine=engine, idle_minutes=10, max_running=1)
        self.core = Core(Settings(home=root, prewarm=False))
        self.core.wake_engine = self.wake  # type: ignore[method-assign]

    def wake(self) -> None:
        ensure_up(self._options)

    def up(self) -> None:
        self.wake()
        wait_up(self.home.root, PATIENCE)

    def keys(self) -> dict[str, str]:
        return {"GEMINI_API_KEY": SECRET, "GOOGLE_GEMINI_BASE_URL": self.provider.url}

    def end_of(self, task: str) -> TaskStatus:
        seen = list(self.core.follow(task, PATIENCE))[-1]
        assert seen.ended, seen
        return seen

    def processes(self) -> list[int]:
        state = read_state(self.home.root)
        assert state
        return [state.supervisor, *processes_of(home_key(self.home.root.resolve()))]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiEngine]:
    with GeminiEmulator() as provider:
        provider.key = SECRET
        monkeypatch.setenv(PAGES_AT, provider.place)
        made = GeminiEngine(tmp_path / "home", provider)
        try:
            yield made
        finally:
            shut_down(made.home.root, 60)


def holds(path: Path, secret: bytes) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and secret in path.read_bytes()
    except OSError:
        return False


def memory_holds(pid: int, secret: bytes) -> bool:
    """Whether a process has it in its memory."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            place = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if place and "[vvar" not in line:
                start, end = (int(number, 16) for number in place.groups())
                try:
                    memory.seek(start)
                    if secret in memory.read(min(end - start, 64 << 20)):
                        return True
                except (OSError, ValueError, OverflowError):
                    continue
    return False


def test_a_clients_key_reaches_the_researcher_and_nothing_else(
    engine: GeminiEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in engine.keys().items():
        monkeypatch.setenv(name, value)
    engine.provider.silent_after = 9
    engine.core.lend_keys()
    task = enter(engine.home)
    engine.up()
    until(lambda: bool(facts(engine.home, task, "search_made")), PATIENCE)
    secret = SECRET.encode()
    processes = engine.processes()
    assert len(processes) > 4
    for pid in processes:
        assert not holds(Path(f"/proc/{pid}/environ"), secret), process_name(pid)
        assert not holds(Path(f"/proc/{pid}/cmdline"), secret), process_name(pid)
    if os.geteuid() == 0:
        named = {process_name(pid): pid for pid in processes}
        assert memory_holds(processes[0], secret), "the supervisor is where it should be"
        assert not memory_holds(named["gcs_server"], secret)
        assert not memory_holds(named["raylet"], secret)

    engine.provider.silent_after = None
    engine.provider.end()
    assert engine.end_of(task).phase == "completed"
    assert len(engine.provider.created) == 1
    assert engine.core.views.result(task).result["answer"] == REPORT.strip()
    places = [engine.home.root, ray_folder(engine.home.root.resolve()).parent]
    written = [path for place in places for path in place.rglob("*")]
    assert [path for path in written if holds(path, secret)] == []
    for path in (engine.home.root / "blobs").rglob("*"):
        if path.is_file():
            blob = engine.home.blobs.get(f"sha256:{path.parent.name}{path.name}")
            assert secret not in blob
    assert verify_home(engine.home.root).faults == []


def test_a_research_whose_engine_was_killed_waits_for_keys_and_ends_with_the_same_job(
    engine: GeminiEngine,
) -> None:
    engine.provider.silent_after = 9
    task = enter(engine.home)
    engine.up()
    until(lambda: "Waiting for a key" in status(engine, task).current_action, PATIENCE)
    job, _ = engine.core.start_ingest(str(SAMPLES), "samples", recursive=False)
    ingested = list(engine.core.follow_job(job, PATIENCE))[-1]
    assert ingested.phase == "completed", "who waits keeps nobody from working"
    assert lend(engine.home.root, engine.keys())
    until(lambda: bool(facts(engine.home, task, "search_made")), PATIENCE)

    for pid in engine.processes():
        kill(pid)
    engine.provider.end()
    until(lambda: waited_for_keys(engine, task) == 2, PATIENCE)
    assert "Waiting for a key" in status(engine, task).current_action
    assert lend(engine.home.root, engine.keys())

    assert engine.end_of(task).phase == "completed"
    assert len(engine.provider.created) == 1
    assert verify_home(engine.home.root).faults == []


def waited_for_keys(engine: GeminiEngine, task: str) -> int:
    """How often; asked by somebody who waits, which is all that brings a killed engine back."""
    engine.core.expect_engine()
    return len(facts(engine.home, task, "keys_awaited"))


def status(engine: GeminiEngine, task: str) -> TaskStatus:
    return engine.core.views.status(task)
