"""The processes, the lock and the folders that belong to one data home's engine."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

MARK = "RESEARCH_AGENT_HEAD"
"""In the environment of everything that a supervisor starts: whose it is."""

STOP_PATIENCE = 10.0
LOG_LIMIT = 4 << 20
_SOCKET_ROOM = 40
"""Ray adds up to 66 bytes to its directory to name a socket, and 107 is the end."""


# -- the lock -------------------------------------------------------------------------------------
# A POSIX record lock: the kernel says who holds it without our taking it (a probe that took it for
# a moment could turn a starting supervisor away), and no child inherits it. It is lost when its
# holder closes any descriptor of the file, so the supervisor never opens it again. A supervisor locks
# the whole file; who only shuts down what is left locks as much of it as keeps supervisors away.

_WHOLE, _ENOUGH = 0, 1


def lock_holder(run: Path) -> int | None:
    """The supervisor that holds the lock, asked without taking it; none as well while somebody shuts down.

    Not above zero for one that is not on this machine: on a network disk the kernel says -pid.
    """
    try:
        file = os.open(run / "supervisor.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    mac = sys.platform == "darwin"
    layout = "qqihh" if mac else "hhqqi4x"  # struct flock
    asked = (0, 0, 0, fcntl.F_WRLCK, 0) if mac else (fcntl.F_WRLCK, 0, 0, 0, 0)
    try:
        answer = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(layout, *asked))
    finally:
        os.close(file)
    told = struct.unpack(layout, answer)
    kind, length, pid = (told[3], told[1], told[2]) if mac else (told[0], told[3], told[4])
    return None if kind == fcntl.F_UNLCK or length == _ENOUGH else pid


def take_lock(run: Path, *, to_end: bool = False) -> int | None:
    """The open lock file, or none when somebody else holds it."""
    file = os.open(run / "supervisor.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, _ENOUGH if to_end else _WHOLE)
    except OSError:
        os.close(file)
        return None
    return file


def place_of(path: Path) -> tuple[int, int] | None:
    """Which file it is that lies there now; none if there is none."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


# -- processes and directories of a home ----------------------------------------------------------


def home_key(home: Path) -> str:
    """A short name for a data home, the same in every process."""
    return hashlib.sha256(os.fsencode(home)).hexdigest()[:12]


def ray_folder(home: Path) -> Path:
    """Ray's directory. Short, and in a private one: Ray opens its own to everybody."""
    base = Path(tempfile.gettempdir())
    private = f"ra-{home_key(home)}"
    if len(os.fsencode(base / private / "ray")) > _SOCKET_ROOM:
        base = Path("/tmp")
    return base / private / "ray"


def remove_ray_folder(home: Path) -> None:
    """Remove what Ray left on disk."""
    private = ray_folder(home).parent
    for path in (private, private.with_suffix(".crashed")):
        shutil.rmtree(path, ignore_errors=True)


def processes_of(key: str) -> Iterator[int]:
    """Every living process that a head or engine of this home started, however indirectly."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if alive(int(entry.name)) and _belongs(entry, key):
                yield int(entry.name)
        except OSError:
            continue


def _belongs(process: Path, key: str) -> bool:
    mark = f"\0{MARK}={key}\0".encode()
    if mark in b"\0" + (process / "environ").read_bytes():
        return True
    # A Ray worker that renamed itself may have written over its environment; its logs betray it.
    if not (process / "cmdline").read_bytes().startswith(b"ray::"):
        return False
    for file in (process / "fd").iterdir():
        with contextlib.suppress(OSError):
            if f"/ra-{key}/" in str(file.readlink()):
                return True
    return False


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2]
    except OSError:
        return False
    return fields.split()[0] not in {"Z", "X"}


def end_processes(key: str) -> int:
    """Kill what is left of a head; nothing in it is worth waiting for, the record has it all."""
    ended: set[int] = set()
    deadline = time.monotonic() + STOP_PATIENCE
    while (found := set(processes_of(key))) and time.monotonic() < deadline:
        ended |= found
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return len(ended)


def end_child(process: subprocess.Popen[bytes] | None) -> None:
    """End a child, gently first."""
    if process is None:
        return
    process.terminate()
    try:
        process.wait(STOP_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def share_fate() -> Callable[[], None] | None:
    """What a child does first so that it ends when the supervisor is killed.

    `ray start` told to end takes all its processes along within two seconds; killed, it leaves
    its agents behind for about a minute. The tasks lose nothing: the next head resumes them.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    prctl, supervisor, set_death_signal = ctypes.CDLL(None).prctl, os.getpid(), 1

    def share() -> None:
        prctl(set_death_signal, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != supervisor:
            os._exit(1)

    return share


def open_log(path: Path) -> IO[bytes]:
    """A log file to append to; a long one is put aside first."""
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_suffix(".old.log"))
    return path.open("ab")


def last_line(path: Path) -> str:
    """The last thing a log says, for a person."""
    try:
        lines = path.read_bytes()[-4096:].decode(errors="replace").split("\n")
    except OSError:
        return ""
    said = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in lines]
    line = next((line for line in reversed(said) if line), "")
    # Our own log lines are JSON; a person wants the reason in them.
    with contextlib.suppress(ValueError, KeyError, TypeError):
        line = str(json.loads(line)["reason"])
    return line[:300]


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def process_name(pid: int) -> str:
    """What a process calls itself."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
