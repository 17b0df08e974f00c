"""The engine of a data home as its clients see it: wake it, ask how it is, shut it down.

Nothing here imports ray: Ray ends its drivers when the head is lost, and clients must not be ended.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from actors.keys import LENT
from actors.processes import (
    MARK,
    alive,
    end_processes,
    home_key,
    lock_holder,
    open_log,
    remove_ray_folder,
    take_lock,
)
from events.errors import EngineDown
from events.secrets import is_secret

ROOT = Path(__file__).resolve().parent.parent
"""Where our packages lie. Ray puts a driver's directory on its workers' path, so all run here."""


@dataclass(frozen=True)
class HeadOptions:
    """What a supervisor is to keep up. Options of one that already runs stay as they are."""

    home: Path
    dashboard: bool = False
    num_cpus: int = 2
    """Also how many idle workers Ray starts at first; an actor that finds one is up much sooner."""

    address: str | None = None
    """An existing cluster; then no head is started, only the engine."""

    object_store_mb: int = 80
    """Ray refuses less than 75. Nothing large goes through it: content lies in blobs."""

    max_running: int = 4
    idle_minutes: float = 30.0
    refresh_hours: float = 0.0
    engine: tuple[str, ...] = ("-m", "actors.engine")
    """How the interpreter is told to run the engine."""


@dataclass(frozen=True)
class HeadState:
    """What the supervisor last said of itself."""

    state: Literal["starting", "up", "stopping", "failed"]
    supervisor: int
    started_at: str
    engine: int | None = None
    address: str | None = None
    dashboard: str | None = None
    metrics: str | None = None
    """Where the head's metrics are, in Prometheus' format."""

    restarts: int = 0
    error: str | None = None


def ensure_up(options: HeadOptions) -> None:
    """See to it that a supervisor runs; returns at once, long before Ray is up."""
    options = replace(options, home=options.home.expanduser().resolve())
    run = options.home / "run"
    run.mkdir(mode=0o700, parents=True, exist_ok=True)
    # First wish, then look: a supervisor on its way out lets go of the lock, then looks for wishes.
    (run / "wanted").touch()
    if lock_holder(run) is None:
        if read_state(options.home):
            # It gave up; whoever waits for the next one must not take that for its answer.
            (run / "head.json").unlink(missing_ok=True)
        _spawn_supervisor(options)


def read_state(home: Path) -> HeadState | None:
    """How the head of a home is; none when no supervisor runs, unless the last one gave up."""
    run = home.expanduser().resolve() / "run"
    try:
        told = HeadState(**json.loads((run / "head.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    holder = lock_holder(run)
    gave_up = told.state == "failed" and holder is None
    return told if gave_up or holder == told.supervisor else None


def wait_up(home: Path, timeout: float) -> HeadState:
    """The state once the head is up and the engine started."""
    deadline = time.monotonic() + timeout
    # A supervisor just spawned needs a moment to overwrite how the last one ended.
    state = before = read_state(home)
    while time.monotonic() < deadline:
        if state and state.state == "up":
            return state
        if state and state.state == "failed" and state != before:
            break
        time.sleep(0.05)
        state = read_state(home)
    error = state.error if state else None
    raise EngineDown(str(home), error or f"it was not up within {timeout:g} seconds")


def shut_down(home: Path, timeout: float) -> bool:
    """End the head, the engine and their supervisor, and wait; false if there was none of them."""
    home = home.expanduser().resolve()
    run = home / "run"
    deadline = time.monotonic() + timeout
    asked: set[int] = set()
    if run.is_dir():
        (run / "wanted").unlink(missing_ok=True)
    while run.is_dir():
        # Holding the lock, nobody can start what is about to be ended.
        if (lock := take_lock(run, to_end=True)) is not None:
            try:
                left_over = end_processes(home_key(home))
                (run / "head.json").unlink(missing_ok=True)
                remove_ray_folder(home)
            finally:
                os.close(lock)
            while any(map(alive, asked)) and time.monotonic() < deadline:
                time.sleep(0.01)
            return bool(asked or left_over)
        holder = lock_holder(run) or 0
        if holder > 0 and holder not in asked:
            asked.add(holder)
            with contextlib.suppress(ProcessLookupError):
                os.kill(holder, signal.SIGTERM)
                os.kill(holder, signal.SIGCONT)  # One that was stopped would not hear it.
        if time.monotonic() > deadline:
            raise EngineDown(str(home), f"it did not stop within {timeout:g} seconds")
        time.sleep(0.05)
    return False


def ray_environment(home: Path, *, own_head: bool = True) -> dict[str, str]:
    """The environment in which a process can talk to the head of a home."""
    # What Ray left in a client's environment (a job, an address, a hook) concerns another cluster,
    # and a client's secrets are lent (`actors.keys`), not left lying in the environment of others.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"RAY_ADDRESS", MARK, *LENT}
        if not (own_head if name.startswith("RAY_") else is_secret(name))
    }
    environment |= {
        "PYTHONPATH": str(ROOT),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(home.expanduser().resolve() / "run" / "ray_token"),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_COLOR_PREFIX": "0",
    }
    if own_head:
        # Ray swaps 127.0.0.1 for the machine's address and then listens on every interface, unless
        # clusters are off, which this switch does on any system: all ports are loopback only.
        environment["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    return environment


def _spawn_supervisor(options: HeadOptions) -> None:
    arguments = ["--home", str(options.home), "--options", json.dumps(asdict(options), default=str)]
    with open_log(options.home / "run" / "supervisor.log") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "actors.supervisor", *arguments],
            cwd=ROOT,
            env=ray_environment(options.home, own_head=options.address is None),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    # It forks and goes at once; without someone to wait for it, it would stay as a zombie.
    threading.Thread(target=process.wait, name="supervisor-spawned", daemon=True).start()
