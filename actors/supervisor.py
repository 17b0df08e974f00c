"""One supervisor per data home: it owns the Ray head and the engine, and outlives who woke it.

Nothing here imports ray: Ray ends its drivers when the head is lost, and clients must not be ended.
The supervisor is whoever holds the lock on `run/supervisor.lock`; no pid in a file is trusted.
"""

import argparse
import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from actors.keys import KeyKeeper
from actors.processes import (
    alive,
    end_child,
    end_processes,
    free_port,
    home_key,
    last_line,
    lock_holder,
    open_log,
    place_of,
    process_name,
    processes_of,
    ray_folder,
    remove_ray_folder,
    share_fate,
    take_lock,
)
from actors.ray_head import Refused, check_token, child_environment, head_command
from actors.waking import ROOT, HeadOptions, HeadState, ensure_up
from events.locks import ONLY_STOPPED_AFTER, is_stopped

ATTEMPTS = 5
"""So many starts in a row may fail."""

REACHES = 2
"""So often in a row the engine may fail to reach Ray: each time it has waited for long."""

SETTLED = 5.0
"""An engine that ran for so many seconds had started well, unless it never reached Ray."""

NOT_REACHED = 3
"""The engine's exit code for that."""

_TICK = 0.2
_START_PATIENCE = 60.0
_IDLE_DOUBT = 3.0
_VITAL = {"gcs_server", "raylet"}

_log = logging.getLogger("supervisor")


class Trouble(Exception):
    """The head or the engine has to be started again."""


class Supervisor:
    """Keeps a head and an engine up until the engine is idle, or it is told to stop."""

    def __init__(self, options: HeadOptions) -> None:
        self._options, self._key = options, home_key(options.home)
        self._run, self._temp = options.home / "run", ray_folder(options.home)
        self._lock: tuple[int, int] | None = None
        """The file whose lock this supervisor holds."""

        self._head: subprocess.Popen[bytes] | None = None
        self._engine: subprocess.Popen[bytes] | None = None
        self._vital: dict[int, str] = {}
        self._engine_since = 0.0
        self._wish, self._wish_seen = 0, 0.0
        self._untold = False
        """Whether the last change of state could not be written down."""

        self._seen_stopped: dict[int, int] = {}
        """How many looks in a row found a process stopped."""

        self._stop = threading.Event()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._state = HeadState("starting", os.getpid(), now, address=options.address)

    def stop(self, *_: object) -> None:
        """End everything, soon. A signal handler."""
        self._stop.set()

    def run(self) -> int:
        """0 when nobody needs it any more, 1 when it cannot be kept up."""
        failures = 0
        self._lock = place_of(self._run / "supervisor.lock")
        self._tell()
        self._note_wish()
        keys = self._keep_keys()
        try:
            check_token(self._run, make=self._options.address is None)
            end_processes(self._key)  # of a supervisor that was killed
            while not self._stop.is_set():
                try:
                    self._keep_up()
                    break
                except (Trouble, OSError) as trouble:
                    if not self._is_at_home():
                        break
                    failures = 1 if self._has_settled() else failures + 1
                    self._recover(str(trouble), failures)
        except Refused as refused:
            self._wind_up()
            said = str(refused)
            nowhere = {"address": None, "dashboard": None, "metrics": None}
            self._tell(state="failed", engine=None, error=said, **nowhere)
            _log.error("gave up: %s", refused)
            return 1
        finally:
            if keys:
                keys.close()
        if self._stop.is_set():
            self._note_wish()  # whoever asked for the stop knew of it
        self._tell(state="stopping")
        self._wind_up()
        if self._is_alone():
            remove_ray_folder(self._options.home)
        if self._is_at_home():
            (self._run / "head.json").unlink(missing_ok=True)
        _log.info("stopped")
        return 0

    def is_wanted(self) -> bool:
        """Whether a client asked for a supervisor since this one decided to end."""
        return self._is_at_home() and self._note_wish()

    def _is_at_home(self) -> bool:
        """Whether the home is still the one that is locked: it may be gone, or another may be in its place."""
        return self._lock is not None and self._lock == place_of(self._run / "supervisor.lock")

    def _is_alone(self) -> bool:
        """Whether nobody else supervises a home at this place, whose processes would be taken for ours."""
        return self._is_at_home() or lock_holder(self._run) is None

    def _keep_keys(self) -> KeyKeeper | None:
        """Be there for keys, through every restart of the head and the engine."""
        try:
            return KeyKeeper(self._run)
        except OSError as failure:
            _log.error("keys cannot be lent: %s", failure)
            return None

    def _keep_up(self) -> None:
        """Start what is down; returns when the engine is idle or a stop was asked for."""
        if self._options.address is None and self._head is None:
            self._start_head()
        if self._stop.is_set():
            return
        self._start_engine()
        while not self._stop.wait(_TICK):
            if not self._is_at_home():
                return  # It was removed or moved: nobody can ask for anything there again.
            self._note_wish()
            if self._untold:
                self._tell()
            assert self._engine
            code = self._engine.poll()
            if dead := self._what_died():
                raise Trouble(f"The Ray head is down: {dead}.")
            if self._stays_stopped(self._engine.pid):
                raise Trouble("The engine was stopped by a signal, and nobody let it go on.")
            if code:
                said = last_line(self._run / "engine.log")
                raise Trouble(f"The engine ended with code {code}: {said}")
            if code == 0:
                # Work that arrived while the engine was leaving has not been seen by it.
                if time.monotonic() - self._wish_seen > _IDLE_DOUBT:
                    return
                self._start_engine()

    def _start_head(self) -> None:
        options = self._options
        private = self._temp.parent
        shutil.rmtree(private, ignore_errors=True)
        try:
            private.mkdir(mode=0o700)
        except FileExistsError:
            raise Refused(f"{private} is not ours; remove it.") from None
        ports = (free_port(), free_port()) if options.dashboard else None
        (self._run / "ray.log").unlink(missing_ok=True)
        self._head = self._spawn(head_command(options, ports), "ray.log")
        deadline = time.monotonic() + _START_PATIENCE
        address = ""
        while not address and not self._stop.wait(0.05):
            # Written last, when the node is registered and a driver can connect.
            with contextlib.suppress(FileNotFoundError):
                address = (self._temp / "ray_current_cluster").read_text()
            if self._head.poll() is not None:
                raise Trouble(f"Ray did not start: {last_line(self._run / 'ray.log')}")
            if time.monotonic() > deadline:
                raise Trouble(f"Ray did not start within {_START_PATIENCE:g} seconds")
        # `ray start` does not mind when one of these is ended politely, so they are watched here.
        named = {pid: process_name(pid) for pid in processes_of(self._key)}
        self._vital = {pid: name for pid, name in named.items() if name in _VITAL}
        self._tell(
            address=address or None,
            dashboard=f"http://127.0.0.1:{ports[0]}" if ports else None,
            metrics=f"http://127.0.0.1:{ports[1]}/metrics" if ports else None,
        )

    def _start_engine(self) -> None:
        options = self._options
        command = [sys.executable, *options.engine, "--home", str(options.home)]
        command += ["--address", str(self._state.address), "--limit", str(options.max_running)]
        command += ["--idle-minutes", str(options.idle_minutes)]
        command += ["--watched"] if options.dashboard else []
        command += ["--guest"] if options.address else []
        if options.refresh_hours:
            command += ["--refresh-hours", str(options.refresh_hours)]
        self._engine = self._spawn(command, "engine.log")
        self._engine_since = time.monotonic()
        self._tell(state="up", engine=self._engine.pid)
        _log.info("up at %s, engine %d", self._state.address, self._engine.pid)

    def _spawn(self, command: list[str], log: str) -> subprocess.Popen[bytes]:
        with open_log(self._run / log) as out:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=child_environment(self._options),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=share_fate(),
            )

    def _recover(self, why: str, failures: int) -> None:
        _log.warning("%s (%d in a row)", why, failures)
        unreachable = self._engine is not None and self._engine.poll() == NOT_REACHED
        if failures >= (REACHES if unreachable else ATTEMPTS):
            raise Refused(why)
        self._tell(state="starting", engine=None, restarts=self._state.restarts + 1, error=why)
        if self._engine:
            # Politely asked, a driver whose head is gone waits for it.
            self._engine.kill()
            self._engine.wait()
        self._engine = None
        # An engine that fails twice may be right about its head.
        if self._what_died() or failures > 1:
            end_processes(self._key)
            if self._head:
                self._head.wait()
            self._head, self._vital = None, {}
            self._keep_crash_logs()
        self._stop.wait(0.1 * 2**failures)

    def _keep_crash_logs(self) -> None:
        private = self._temp.parent
        kept = private.with_suffix(".crashed")
        shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):
            private.rename(kept)

    def _what_died(self) -> str:
        if self._head is None:
            return ""
        if self._head.poll() is not None:
            return f"it ended with code {self._head.returncode}"
        for pid, name in self._vital.items():
            if not alive(pid):
                return f"{name} died"
            if self._stays_stopped(pid):
                return f"{name} was stopped by a signal, and nobody let it go on"
        return ""

    def _stays_stopped(self, pid: int) -> bool:
        """Whether a process does nothing until somebody lets it go on, for so long that nobody seems to.

        Looks are counted, and not seconds: who looks may have been stopped as well, and be the first to go on.
        """
        if not is_stopped(pid, or_traced=False):
            self._seen_stopped.pop(pid, None)
            return False
        looks = self._seen_stopped[pid] = self._seen_stopped.get(pid, 0) + 1
        return looks * _TICK > ONLY_STOPPED_AFTER

    def _has_settled(self) -> bool:
        if self._engine is None or self._engine.poll() == NOT_REACHED:
            return False
        return time.monotonic() - self._engine_since > SETTLED

    def _note_wish(self) -> bool:
        """Whether a client called since this was last asked."""
        try:
            wish = (self._run / "wanted").stat().st_mtime_ns
        except FileNotFoundError:
            return False
        if wish == self._wish:
            return False
        self._wish, self._wish_seen = wish, time.monotonic()
        return True

    def _wind_up(self) -> None:
        end_child(self._engine)
        end_child(self._head)
        if self._is_alone():
            end_processes(self._key)

    def _tell(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)
        if not self._is_at_home():
            return
        draft = self._run / "head.json.new"
        try:
            draft.write_text(json.dumps(asdict(self._state)))
            draft.replace(self._run / "head.json")
            self._untold = False
        except OSError as failure:
            # Clients wait for it; what runs is none the worse, so it is told when there is room again.
            self._untold = self._run.is_dir()
            if self._untold:
                _log.warning("cannot tell how it is: %s", failure.strerror)


def main() -> int:
    """Supervise one data home, in the background; another supervisor's home is left to it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--options", type=json.loads, required=True)
    given = parser.parse_args()
    exact = {"home": given.home, "engine": tuple(given.options["engine"])}
    options = HeadOptions(**given.options | exact)
    # Nobody's child: a client that ends its children and theirs must not end this.
    if os.fork():
        os._exit(0)
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    supervisor = Supervisor(options)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, supervisor.stop)
    run = options.home / "run"
    lock = take_lock(run)
    while lock is None and lock_holder(run) is None:
        # Somebody is shutting down what is left, and will not look for the wish that came meanwhile.
        time.sleep(_TICK)
        lock = take_lock(run)
    # A shut-down may have come between the wish for a supervisor and this.
    if lock is None or not (run / "wanted").exists():
        return 0
    code = supervisor.run()
    os.close(lock)
    if code == 0 and supervisor.is_wanted():
        ensure_up(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
