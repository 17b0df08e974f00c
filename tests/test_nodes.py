"""Two nodes: actors run on the second, the data home stays with the first."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.waking import ray_environment, read_state
from tests.engines import RealEngine
from tests.waiting import until

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]


class SecondNode:
    """A raylet of its own on this machine, joined to an engine's head."""

    def __init__(self, engine: RealEngine) -> None:
        state = read_state(engine.home.root)
        assert state and state.address
        self.temp = Path(tempfile.mkdtemp(prefix="n2-"))
        port = state.address.rpartition(":")[2]
        environment = ray_environment(engine.home.root, own_head=False)
        environment |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1", "NODE_TEST": str(self.temp)}
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
        command += [f"--address=0.0.0.0:{port}", f"--temp-dir={self.temp}/ray", "--num-cpus=2"]
        command += ["--include-log-monitor=false", "--dashboard-agent-listen-port=0"]
        command += ["--min-worker-port=0", "--max-worker-port=0", "--object-store-memory=80000000"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, env=environment, cwd=self.temp, stdin=quiet, stdout=quiet, stderr=quiet
        )

    def processes(self) -> list[int]:
        mark = f"NODE_TEST={self.temp}".encode()
        found = []
        for path in Path("/proc").iterdir():
            try:
                belongs = path.name.isdigit() and (
                    mark in (path / "environ").read_bytes()
                    or str(self.temp).encode() in (path / "cmdline").read_bytes()
                )
            except OSError:
                continue
            if belongs:
                found.append(int(path.name))
        return found

    def kill(self) -> None:
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        shutil.rmtree(self.temp, ignore_errors=True)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealEngine]:
    engine = RealEngine(tmp_path_factory.mktemp("nodes") / "home")
    engine.up()
    yield engine
    engine.down()


@pytest.fixture(scope="module")
def second(engine: RealEngine) -> Iterator[SecondNode]:
    second = SecondNode(engine)
    yield second
    second.kill()


def elsewhere(engine: RealEngine, stream: str) -> bool:
    """Whether a stream was ever written through the keeper."""
    claims = [r.data["writer"] for r in engine.home.read(stream)[0] if r.kind == "stream_claimed"]
    return any(" on " in writer for writer in claims)


def under_way(engine: RealEngine, tasks: list[str]) -> None:
    until(lambda: all(engine.core.views.status(task).calls_asked for task in tasks))


def test_work_runs_on_the_second_node_and_survives_its_death(
    engine: RealEngine, second: SecondNode
) -> None:
    jobs = []
    for _ in range(20):
        engine.ingest_samples()
        jobs = list(engine.core.catalogue.state().entries)
        if any(elsewhere(engine, job) for job in jobs):
            break
        time.sleep(0.5)
    assert any(elsewhere(engine, job) for job in jobs), "no ingest ran on the second node"

    engine.pace(0)
    reference = engine.ask()
    assert engine.end_of(reference).phase == "completed"

    engine.pace(2.0)
    tasks: list[str] = []
    for _ in range(5):  # Ray spreads as it likes; that it never comes to the second is the failure.
        tasks = [engine.ask() for _ in range(4)]
        under_way(engine, tasks)
        if any(elsewhere(engine, name) for task in tasks for name in (task, f"{task}.r1")):
            break
        assert {engine.end_of(task, 120).phase for task in tasks} == {"completed"}
    else:
        pytest.fail("nothing ran on the second node")
    second.kill()

    assert {engine.end_of(task, 120).phase for task in tasks} == {"completed"}
    assert {engine.report(task) for task in tasks} == {engine.report(reference)}
    engine.check_nothing_repeated()
    engine.check_record()
