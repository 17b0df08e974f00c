"""One supervisor, whatever is killed; a head that only we can talk to; nothing left behind."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors import processes
from actors.keys import SOCKET
from actors.ray_head import check_token
from actors.supervisor import Supervisor
from actors.waking import (
    ROOT,
    HeadOptions,
    HeadState,
    ensure_up,
    ray_environment,
    read_state,
    shut_down,
    wait_up,
)
from events.errors import EngineDown
from events.locks import is_stopped
from tests.stream_steps import LINUX
from tests.waiting import until

# The guard in conftest refuses every supervisor, also those of the tests here that start no head.
pytestmark = pytest.mark.ray

SLEEPER = "import time\ntime.sleep(600)\n"

STUBBORN = """
import signal, sys, time
from pathlib import Path

signal.signal(signal.SIGTERM, signal.SIG_IGN)
Path(sys.argv[sys.argv.index("--home") + 1], "deaf").touch()
time.sleep(600)
"""

DRIVER = """
import sys, time
from pathlib import Path
import ray

home, address = (sys.argv[sys.argv.index(name) + 1] for name in ("--home", "--address"))
ray.init(address=address, log_to_driver=False, logging_level="ERROR")
Path(home, "connected").write_text(address)
time.sleep(600)
"""

STRANGER = """
import sys, ray
ray.init(address=sys.argv[1], log_to_driver=False)
"""


def members(home: Path) -> dict[int, str]:
    """Every process of a home's head and engine, by name."""
    found = processes.processes_of(processes.home_key(home))
    return {pid: processes.process_name(pid) for pid in found}


def supervisors(home: Path) -> list[int]:
    """Every process that was started as this home's supervisor."""
    marks = (b"actors.supervisor", os.fsencode(home))
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if all(mark in words for mark in marks):
            found.append(int(path.parent.name))
    return found


def listening_addresses(pids: dict[int, str]) -> set[str]:
    """The local addresses, in the kernel's spelling, on which these processes accept connections."""
    sockets = set()
    for pid in pids:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            try:
                sockets.add(str(file.readlink()))
            except OSError:
                continue
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path("/proc/net", table).read_text().splitlines()[1:]
    ]
    return {
        row[1].partition(":")[0]
        for row in rows
        if row[3] == "0A" and f"socket:[{row[9]}]" in sockets
    }


@pytest.fixture
def with_engine(tmp_path: Path) -> Iterator[Callable[[str], HeadOptions]]:
    """A supervisor of nothing but an engine, as on an existing cluster, with the engine's source."""
    home = tmp_path / "home"

    def options(source: str) -> HeadOptions:
        (home / "run").mkdir(parents=True)
        token = home / "run" / "ray_token"
        token.touch(mode=0o600)
        script = tmp_path / "fake_engine.py"
        script.write_text(source)
        return HeadOptions(home=home, address="127.0.0.1:1", engine=(str(script),))

    yield options
    shut_down(home, 30)


@pytest.fixture(scope="module")
def head_options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeadOptions]:
    """A home with a real head, and an engine that only connects to it."""
    folder = tmp_path_factory.mktemp("supervisor")
    script = folder / "fake_engine.py"
    script.write_text(DRIVER)
    options = HeadOptions(home=folder / "home", engine=(str(script),))
    yield options
    shut_down(options.home, 30)


@pytest.fixture
def up(head_options: HeadOptions) -> HeadState:
    """The state of that head, which is up and has accepted its engine."""
    ensure_up(head_options)
    return connected(head_options.home)


def connected(home: Path, other_than: HeadState | None = None) -> HeadState:
    """The state once an engine, and not that one, has reached its head."""
    before = other_than.address if other_than else None
    note = home / "connected"
    until(lambda: note.exists() and note.read_text() not in {"", before}, 60)
    return wait_up(home, 10)


# -- the supervisor and its engine ----------------------------------------------------------------


def test_clients_that_race_get_one_supervisor(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    with ThreadPoolExecutor(8) as clients:
        list(clients.map(ensure_up, [options] * 8))
    state = wait_up(options.home, 30)
    until(lambda: supervisors(options.home) == [state.supervisor])
    assert len(members(options.home)) == 1


def test_an_engine_that_was_killed_is_started_again(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    ensure_up(options)
    engine = wait_up(options.home, 30).engine
    assert engine
    os.kill(engine, signal.SIGKILL)
    until(lambda: (state := read_state(options.home)) and state.engine not in {None, engine})
    assert wait_up(options.home, 10).restarts == 1


def test_an_engine_that_was_stopped_for_good_is_started_again(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    ensure_up(options)
    engine = wait_up(options.home, 30).engine
    assert engine
    os.kill(engine, signal.SIGSTOP)
    until(lambda: (state := read_state(options.home)) and state.engine not in {None, engine})
    assert "stopped by a signal" in str(wait_up(options.home, 10).error)
    assert len(members(options.home)) == 1, "the one that was stopped is gone"


@pytest.fixture
def stopped() -> Iterator[int]:
    """A process that was stopped by a signal."""
    process = subprocess.Popen(["sleep", "60"])
    process.send_signal(signal.SIGSTOP)
    until(lambda: is_stopped(process.pid))
    yield process.pid
    process.kill()
    process.wait()


def looks(supervisor: Supervisor, pid: int, times: int) -> bool:
    return any([supervisor._stays_stopped(pid) for _ in range(times)])


def test_who_was_stopped_along_with_the_supervisor_may_go_on_after_it(
    tmp_path: Path, stopped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(HeadOptions(tmp_path))
    assert not looks(supervisor, stopped, 1)
    hour_later = time.monotonic() + 3600
    monkeypatch.setattr("actors.supervisor.time.monotonic", lambda: hour_later)
    assert not looks(supervisor, stopped, 1)
    assert looks(supervisor, stopped, 40), "nobody lets it go on"


@LINUX
def test_who_stands_in_a_debugger_is_left_to_it(tmp_path: Path, stopped: int) -> None:
    trace, attach, detach = ctypes.CDLL(None).ptrace, 16, 17
    if trace(attach, stopped, None, None):
        pytest.skip("nobody may trace another here")
    os.kill(stopped, signal.SIGCONT)
    until(lambda: is_stopped(stopped) and not is_stopped(stopped, or_traced=False))
    assert not looks(Supervisor(HeadOptions(tmp_path)), stopped, 40)
    trace(detach, stopped, None, None)


def test_a_supervisor_that_was_stopped_is_shut_down(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    ensure_up(options)
    state = wait_up(options.home, 30)
    os.kill(state.supervisor, signal.SIGSTOP)
    assert shut_down(options.home, 30) is True
    assert members(options.home) == {}


def test_what_a_killed_supervisor_left_behind_is_shut_down(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(STUBBORN)
    ensure_up(options)
    state = wait_up(options.home, 30)
    until((options.home / "deaf").exists)
    os.kill(state.supervisor, signal.SIGKILL)
    until(lambda: read_state(options.home) is None)
    assert list(members(options.home)) == [state.engine]
    assert shut_down(options.home, 30) is True
    assert members(options.home) == {}


def test_an_engine_that_keeps_failing_is_given_up_with_its_reason(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine("raise SystemExit('no such corpus')")
    ensure_up(options)
    until(lambda: (state := read_state(options.home)) and state.state == "failed")
    with pytest.raises(EngineDown, match="no such corpus"):
        wait_up(options.home, 0)
    until(lambda: supervisors(options.home) == [])


def test_a_state_that_cannot_be_written_down_is_told_as_soon_as_it_can(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    in_its_way = options.home / "run" / "head.json.new"
    in_its_way.mkdir()
    ensure_up(options)
    until(lambda: members(options.home))
    assert read_state(options.home) is None
    in_its_way.rmdir()
    assert wait_up(options.home, 30).state == "up"


def test_an_idle_engine_ends_its_supervisor(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine("import time; time.sleep(4)")
    ensure_up(options)
    wait_up(options.home, 30)
    until(lambda: supervisors(options.home) == [])
    assert read_state(options.home) is None


SLOW_END = """
import sys, time
from pathlib import Path
from actors import waking

home, end = Path(sys.argv[1]), waking.end_processes

def slowly(key):
    (home / "ending").touch()
    time.sleep(1)
    return end(key)

waking.end_processes = slowly
waking.shut_down(home, 30)
"""


def test_a_wish_that_comes_while_somebody_shuts_down_is_heard(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    command = [sys.executable, "-c", SLOW_END, str(options.home)]
    with subprocess.Popen(command, cwd=ROOT) as ending:
        until((options.home / "ending").exists)
        ensure_up(options)
        assert ending.wait(30) == 0
    assert wait_up(options.home, 30).state == "up"


def test_two_who_shut_down_do_not_end_each_other(
    with_engine: Callable[[str], HeadOptions],
) -> None:
    options = with_engine(SLEEPER)
    command = [sys.executable, "-c", SLOW_END, str(options.home)]
    with subprocess.Popen(command, cwd=ROOT) as ending:
        until((options.home / "ending").exists)
        shut_down(options.home, 30)
        assert ending.wait(30) == 0


def test_a_home_that_took_the_place_of_another_has_its_own_supervisor(
    with_engine: Callable[[str], HeadOptions], tmp_path: Path
) -> None:
    options = with_engine(SLEEPER)
    ensure_up(options)
    before = wait_up(options.home, 30)
    options.home.rename(tmp_path / "moved")
    (options.home / "run").mkdir(parents=True)
    (options.home / "run" / "ray_token").touch(mode=0o600)
    ensure_up(options)
    after = wait_up(options.home, 30)
    until(lambda: supervisors(options.home) == [after.supervisor])
    assert before.supervisor != after.supervisor
    assert wait_up(options.home, 10) == after, "nobody spoke for it, and nothing of it was ended"
    assert (options.home / "run" / SOCKET).exists()


def test_a_token_that_a_power_cut_left_empty_is_made_anew(tmp_path: Path) -> None:
    token = tmp_path / "ray_token"
    token.touch(mode=0o600)
    check_token(tmp_path, make=True)
    made = token.read_text()
    assert len(made) == 64 and token.stat().st_mode & 0o077 == 0
    check_token(tmp_path, make=True)
    assert token.read_text() == made


def test_a_token_is_durable_before_anything_is_started_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def noted(file: int) -> None:
        synced.append(os.fstat(file).st_size)
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    check_token(tmp_path, make=True)
    assert synced == [64]


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "run").mkdir(parents=True)
    (home / "run" / "ray_token").touch()
    (home / "run" / "ray_token").chmod(0o644)
    ensure_up(HeadOptions(home=home))
    with pytest.raises(EngineDown, match="mode 0644"):
        wait_up(home, 30)
    assert members(home) == {}


def test_where_nothing_ran_there_is_nothing_to_shut_down(tmp_path: Path) -> None:
    assert shut_down(tmp_path / "home", 1) is False
    assert read_state(tmp_path / "home") is None


# -- with a head ----------------------------------------------------------------------------------


def test_a_driver_without_the_token_is_refused(head_options: HeadOptions, up: HeadState) -> None:
    assert up.address
    stranger = ray_environment(head_options.home) | {
        "RAY_AUTH_MODE": "disabled",
        "RAY_NUM_REDIS_GET_RETRIES": "1",  # else it tries for 20 s
    }
    del stranger["RAY_AUTH_TOKEN_PATH"]
    command = [sys.executable, "-c", STRANGER, up.address]
    ended = subprocess.run(command, env=stranger, capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0
    assert "InvalidAuthToken" in ended.stderr


def test_a_head_listens_on_loopback_only(head_options: HeadOptions, up: HeadState) -> None:
    loopback = {"0100007F", "0000000000000000FFFF00000100007F"}
    found = listening_addresses(members(head_options.home))
    assert found and found <= loopback


def test_a_killed_gcs_brings_a_new_head_and_engine(
    head_options: HeadOptions, up: HeadState
) -> None:
    home = head_options.home
    gcs = next(pid for pid, name in members(home).items() if name == "gcs_server")
    os.kill(gcs, signal.SIGKILL)
    after = connected(home, other_than=up)
    assert after.supervisor == up.supervisor
    assert after.engine != up.engine
    assert after.restarts == up.restarts + 1


def test_a_killed_supervisor_leaves_nothing_that_stops_the_next(
    head_options: HeadOptions, up: HeadState
) -> None:
    os.kill(up.supervisor, signal.SIGKILL)
    until(lambda: read_state(head_options.home) is None)
    before = set(members(head_options.home))
    ensure_up(head_options)
    after = connected(head_options.home, other_than=up)
    assert after.supervisor != up.supervisor
    assert not before & set(members(head_options.home))


def test_shutting_down_leaves_no_process_and_no_directory(
    head_options: HeadOptions, up: HeadState
) -> None:
    assert shut_down(head_options.home, 30) is True
    assert members(head_options.home) == {}
    assert supervisors(head_options.home) == []
    assert not processes.ray_folder(head_options.home).parent.exists()
    assert read_state(head_options.home) is None


def test_a_supervisor_whose_home_is_removed_ends_with_everything_it_started(
    head_options: HeadOptions,
) -> None:
    ensure_up(head_options)
    wait_up(head_options.home, 60)

    def is_gone() -> bool:
        # Somebody may just be writing there.
        shutil.rmtree(head_options.home, ignore_errors=True)
        return not head_options.home.exists()

    until(is_gone)
    until(lambda: supervisors(head_options.home) == [])
    assert members(head_options.home) == {}
    assert not processes.ray_folder(head_options.home).parent.exists()
