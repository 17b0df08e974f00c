"""The book of hosts in files, for all processes of a data home.

Hosts are spread over a fixed number of files, so that there is nothing to clean up. A place at a host
is a lock on a file: it is free again as soon as whoever had it is gone, however it went, and nobody
waits long for somebody who is stopped: he asks for nothing meanwhile. One who is stopped while he reads
or changes the times is ended. Times are those of the wall clock, the only one that processes share
through a reboot. Where the files cannot be used, one goes on alone rather than not at all.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from actors.adapters.turns import Times
from events.errors import ResearchError
from events.locks import ONLY_STOPPED_AFTER, holders, is_stopped, take_lock

SHELVES = 128
"""Files that the hosts are spread over; two hosts on one share their places."""

FARTHEST = 3_700.0
"""Seconds ahead that a time can lie; more comes from a clock that was set back."""

_GLANCE = 0.02
_LOOKS_AFTER = 5.0
"""Seconds between looks whether those who have the places do anything at all."""

_MOST_BYTES = 1 << 20


class FileBook:
    """Satisfies `actors.adapters.turns.Book`."""

    def __init__(
        self, folder: Path, at_once: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._folder, self._at_once, self._sleep = folder, at_once, sleep

    @contextmanager
    def place(self, host: str) -> Iterator[None]:
        """Wait for one of the host's places, and have it."""
        held = self._take_place(_shelf(host))
        try:
            yield
        finally:
            if held is not None:
                os.close(held)

    def _take_place(self, shelf: str) -> int | None:
        looks = time.monotonic() + _LOOKS_AFTER
        while True:
            for number in range(self._at_once):
                opened = self._open(f"{shelf}.{number}")
                if opened is None:
                    return None
                try:
                    fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    os.close(opened)
                else:
                    return opened
            if time.monotonic() >= looks:
                if self._has_a_stopped_holder(shelf):
                    return None
                looks = time.monotonic() + _LOOKS_AFTER
            self._sleep(_GLANCE)

    def _has_a_stopped_holder(self, shelf: str) -> bool:
        places = (self._folder / f"{shelf}.{number}" for number in range(self._at_once))
        return any(is_stopped(process) for place in places for process in holders(place))

    @contextmanager
    def times(self, host: str) -> Iterator[Times]:
        """The host's times, for nobody else to read or change meanwhile."""
        opened = self._open_alone(_shelf(host))
        if opened is None:
            yield Times()
            return
        try:
            known = _read(opened)
            times = known.setdefault(host, Times())
            yield times
            _write(opened, known)
        finally:
            os.close(opened)

    def _open_alone(self, name: str) -> int | None:
        opened = self._open(name)
        if opened is not None:
            try:
                take_lock(opened, self._folder / name, end_stopped_after=ONLY_STOPPED_AFTER)
            except ResearchError:
                os.close(opened)
                return None
        return opened

    def _open(self, name: str) -> int | None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._folder / name, flags, 0o600)
        except OSError:
            return None


def _shelf(host: str) -> str:
    return f"{int.from_bytes(sha256(host.encode()).digest()[:4]) % SHELVES:03d}"


def _read(opened: int) -> dict[str, Times]:
    """What is still to come for the hosts of a shelf; nothing, where it was not written to its end."""
    latest = time.time() + FARTHEST
    with suppress(OSError, ValueError, TypeError, AttributeError):
        told = json.loads(os.pread(opened, _MOST_BYTES, 0) or b"{}")
        return {
            str(host): Times(min(float(turn), latest), min(float(held), latest))
            for host, (turn, held) in told.items()
        }
    return {}


def _write(opened: int, known: dict[str, Times]) -> None:
    now = time.time()
    told = {
        host: [times.next_turn, times.held_until]
        for host, times in known.items()
        if max(times.next_turn, times.held_until) > now
    }
    raw = json.dumps(told).encode()
    with suppress(OSError):
        os.pwrite(opened, raw, 0)
        os.ftruncate(opened, len(raw))
