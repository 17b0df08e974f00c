"""Two data homes whose engines use one Ray cluster: neither hears of the other."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from actors.processes import free_port
from actors.ray_actors import keeper_name
from actors.waking import read_state
from tests.engines import SAMPLES, RealEngine, kill
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.timeout(600)]

TURBINE = "The Gorlov turbine turns in slow tides and was patented in 1995."
QUESTION = "When was the Gorlov turbine patented?"
OF_TIDES = "What are spring tides?"


class Cluster:
    """A Ray cluster that somebody else has started, on this machine."""

    def __init__(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="rc-"))
        self.token = self.place / "token"
        self.token.write_text(secrets.token_hex(16))
        self.token.chmod(0o600)
        port = free_port()
        self.address = f"{_own_address()}:{port}"
        environment = dict(os.environ) | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(self.token),
        }
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
        command += [f"--port={port}", f"--temp-dir={self.place}/ray", "--num-cpus=2"]
        command += ["--include-dashboard=false", "--disable-usage-stats"]
        command += ["--min-worker-port=0", "--max-worker-port=0", "--object-store-memory=80000000"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            command, env=environment, cwd=self.place, stdin=quiet, stdout=quiet, stderr=quiet
        )
        until(self._answers)

    def _answers(self) -> bool:
        host, _, port = self.address.rpartition(":")
        with suppress(OSError):
            socket.create_connection((host, int(port)), timeout=1).close()
            return True
        return False

    def home(self, root: Path) -> RealEngine:
        """A home whose engine uses it."""
        engine = RealEngine(root, address=self.address)
        shutil.copy(self.token, engine.home.run / "ray_token")
        engine.up()
        return engine

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.place, ignore_errors=True)


def _own_address() -> str:
    """By which other machines know this one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(asking.getsockname()[0])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.end()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Iterator[RealEngine]:
    engine = cluster.home(tmp_path_factory.mktemp("host") / "home")
    engine.ingest_samples()
    yield engine
    engine.down()


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Iterator[RealEngine]:
    place = tmp_path_factory.mktemp("guest")
    engine = cluster.home(place / "home")
    (place / "gorlov.md").write_text(f"# Gorlov\n\n{TURBINE}\n")
    job, _ = engine.core.start_ingest(str(place / "gorlov.md"), "guest", recursive=False)
    assert list(engine.core.follow_job(job, PATIENCE))[-1].phase == "completed"
    yield engine
    engine.down()


def keepers() -> set[int]:
    """The processes of all homes' keepers."""
    found = set()
    for path in Path("/proc").iterdir():
        with suppress(OSError):
            if path.name.isdigit() and b"KeeperActor" in (path / "cmdline").read_bytes():
                found.add(int(path.name))
    return found


def cited(engine: RealEngine, question: str) -> set[str]:
    task = engine.ask(question)
    assert engine.end_of(task).phase == "completed"
    return {
        Path(each["locator"]).name for each in engine.core.views.result(task).result["citations"]
    }


def test_each_home_is_asked_for_its_own_documents(host: RealEngine, guest: RealEngine) -> None:
    assert keeper_name(host.home.root) != keeper_name(guest.home.root)
    assert cited(guest, QUESTION) == {"gorlov.md"}
    assert cited(guest, OF_TIDES) == set()
    assert cited(host, QUESTION) == set()
    assert cited(host, OF_TIDES) <= {path.name for path in SAMPLES.iterdir()}
    assert len(keepers()) == 2
    host.check_record()
    guest.check_record()


def test_a_keeper_that_a_killed_engine_left_is_dismissed_by_the_next(
    host: RealEngine, guest: RealEngine
) -> None:
    cited(host, OF_TIDES)
    cited(guest, QUESTION)
    before = keepers()
    state = read_state(guest.home.root)
    assert state and state.engine
    for pid in (state.supervisor, state.engine):
        kill(pid)
    until(lambda: read_state(guest.home.root) is None)
    assert keepers() == before, "it is the cluster's, not the engine's"
    guest.up()
    until(lambda: len(keepers()) == 1)
    assert cited(guest, QUESTION) == {"gorlov.md"}
    guest.down()
    until(lambda: len(keepers()) == 1)
    assert cited(host, OF_TIDES), "the other home's goes on"
