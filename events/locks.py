"""Locks on files: waited for, and taken from a process that is stopped with one in its hand.

Whoever holds one works for milliseconds. A process that was stopped meanwhile (by a debugger, by Ctrl-Z) would
keep everybody else from working until somebody notices.
"""

import fcntl
import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from events.errors import HomeUnwritable, StreamBusy

PATIENCE = 10.0
"""Seconds to wait for a lock that is held for milliseconds."""

ONLY_STOPPED_AFTER = 5.0
"""Seconds for which a process may be stopped that holds what many share: it may just be about to go on."""

_LONG_PAUSE = 0.032


def take_lock(
    descriptor: int,
    path: Path,
    *,
    end_stopped_after: float | None = None,
    however_long: bool = False,
) -> None:
    """Wait for the lock on an open file; `StreamBusy` when that takes too long, unless it may take any time.

    A process that holds it and was stopped for so many seconds of that is ended: what it had made durable stays, and
    what it was writing is cut, as after any death. One that was stopped for a moment, as by a tracer, goes on.
    """
    began = stopped_since = 0.0
    pause = 0.0005
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            began = began or now
            if now - began > PATIENCE and not however_long:
                raise StreamBusy(path.stem, PATIENCE) from None
            if end_stopped_after is not None and pause >= _LONG_PAUSE:
                stopped = [each for each in {*holders(path)} - {os.getpid()} if is_stopped(each)]
                stopped_since = (stopped_since or now) if stopped else 0.0
                if stopped and now - stopped_since >= end_stopped_after:
                    _end(stopped)
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


def is_stopped(process: int, *, or_traced: bool = True) -> bool:
    """Whether a process does nothing until somebody lets it go on; not of one of others who hide theirs.

    One that is traced has somebody who holds it, and lets it go on at the latest when they end.
    """
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False  # It has ended, or is not ours.
    return told.rpartition(")")[2].split()[0] in ("Tt" if or_traced else "T")


def _end(processes: Iterable[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
