"""Runs a piece of work in a forked child that is killed, by SIGKILL, at one exact point of the record."""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from events.stream import EventStream

POINTS = ("before", "torn", "after")
"""Before the write, in the middle of it, and after it is durable but before anybody was told."""


EVERYWHERE = bool(os.environ.get("CRASH_EVERYWHERE"))
"""Whether each write is died at in each of these ways, as `make test-full` wants it."""


def writes(boundaries: int, point: str, *, every: int = 1) -> range:
    """The writes to die at, at most as far apart as said: each once it is durable, and some of them otherwise.

    Before one write is after the one before it, but for what nobody was told.
    """
    apart = every if point == "after" else 3 * every
    return range(1, boundaries + 1, 1 if EVERYWHERE else apart)


@dataclass(frozen=True)
class Kill:
    """Where the child dies: at the so-manieth write of its life."""

    write: int
    point: str


def run_killed(work: Callable[[], Any], kill: Kill | None) -> bool:
    """Do the work in a child; true when it came to its end, false when it was killed."""
    pid = os.fork()
    if pid == 0:
        try:
            if kill:
                _arm(kill)
            work()
        except BaseException as failure:  # noqa: BLE001 - a child must never return into pytest
            sys.stderr.write(f"child failed: {failure!r}\n")
            os._exit(70)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the work failed instead of dying or finishing"
    return True


def _arm(kill: Kill) -> None:
    """Count the appends of this process, and die at the chosen one."""
    write, count = EventStream._write, 0

    def armed(self: EventStream, facts: tuple[Any, ...], cause: str | None, epoch: int) -> Any:
        nonlocal count
        count += bool(facts)
        if not facts or count != kill.write:
            return write(self, facts, cause, epoch)
        if kill.point == "before":
            _die()
        if kill.point == "torn":
            _write_half(self, facts, cause, epoch)
        lines = write(self, facts, cause, epoch)
        _die()
        return lines

    EventStream._write = armed  # type: ignore[method-assign]


def _write_half(stream: EventStream, facts: tuple[Any, ...], cause: str | None, epoch: int) -> None:
    from events.codec import seal

    cursor = stream.cursor
    lines, _ = seal(
        stream.name, cursor.seq, "2026-01-01T00:00:00.000000Z", epoch, cause, cursor.head, facts
    )
    raw = b"".join(lines)
    os.lseek(stream._file, 0, os.SEEK_END)
    os.write(stream._file, raw[: len(raw) * 2 // 3])
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
