"""Locks on files: waited for, and taken from a process that is stopped with one in its hand.

Whoever holds one works for milliseconds. A process that was stopped meanwhile (by a debugger, by Ctrl-Z) would
keep everybody else from working until somebody notices.
"""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from events.errors import HomeUnwritable, StreamBusy

PATIENCE = 10.0
"""Seconds to wait for a lock that is held for milliseconds."""

ONLY_STOPPED_AFTER = 5.0
"""Seconds after which a stopped process is ended that holds what many share: it may just be about to go on."""

_LONG_PAUSE = 0.032


def take_lock(
    descriptor: int,
    path: Path,
    *,
    end_stopped_after: float | None = None,
    however_long: bool = False,
) -> None:
    """Wait for the lock on an open file; `StreamBusy` when that takes too long, unless it may take any time.

    After so many seconds, a process that holds it and is stopped is ended: what it had made durable stays, and what
    it was writing is cut, as after any death.
    """
    began = 0.0
    pause = 0.0005
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            began = began or time.monotonic()
            waited = time.monotonic() - began
            if waited > PATIENCE and not however_long:
                raise StreamBusy(path.stem, PATIENCE) from None
            if end_stopped_after is not None and waited >= end_stopped_after:
                _end_stopped(path)
            time.sleep(pause)
            pause = min(pause * 2, _LONG_PAUSE)
        except OSError as failure:
            # A shared disk may be out of locks, or know none.
            raise HomeUnwritable(str(path.parent), failure.strerror or str(failure)) from failure
        else:
            return


def is_held_throughout(path: Path, seconds: float) -> bool:
    """Whether the lock on a file cannot be had at any moment of some seconds."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        until = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return True
                time.sleep(_LONG_PAUSE)
            else:
                return False
    finally:
        os.close(descriptor)


def holders(path: Path) -> Iterator[int]:
    """The processes that hold the lock on a file; nobody where the system does not tell."""
    try:
        status, locks = path.stat(), Path("/proc/locks").read_text()
    except FileNotFoundError:
        return  # Only Linux tells who holds a lock; elsewhere, waiting has to do.
    mark = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in locks.splitlines():
        fields = line.split()
        # Of a line with an arrow, somebody only waits.
        if "FLOCK" in fields and "->" not in fields and mark in fields:
            yield int(fields[fields.index(mark) - 1])


def is_stopped(process: int) -> bool:
    """Whether a process does nothing until somebody lets it go on."""
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False  # It has ended.
    return told.rpartition(")")[2].split()[0] in "Tt"


def _end_stopped(path: Path) -> None:
    for process in holders(path):
        if process != os.getpid() and is_stopped(process):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
