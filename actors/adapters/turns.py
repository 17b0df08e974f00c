"""Who may ask a host when: few at once, not too often, and not before it wants to be asked again.

What is known of hosts stands in a book: one in memory for the threads of a process, or one in files
for all processes of a data home, so that several jobs are as polite together as one alone.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

_MOST_HOSTS = 4_096


class AskLater(Exception):
    """The host wants to be left alone for longer than one waits: (seconds,)."""


@dataclass
class Times:
    """When a host may be asked again."""

    next_turn: float = 0.0
    held_until: float = 0.0


class Book(Protocol):
    """What is known of hosts, by everybody who shares it."""

    def place(self, host: str) -> AbstractContextManager[None]:
        """Wait for one of the host's places, and have it."""

    def times(self, host: str) -> AbstractContextManager[Times]:
        """The host's times, for nobody else to read or change meanwhile."""


class Turns:
    """Turns at every host, shared by all who share the book."""

    def __init__(
        self,
        book: Book,
        delay: float,
        patience: float,
        now: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._book, self._delay, self._patience = book, delay, patience
        self._now, self._sleep = now, sleep

    @contextmanager
    def turn(self, host: str, delay: float | None = None) -> Iterator[None]:
        """Wait for a turn, and have it; the next begins no sooner than the delay after this one."""
        with self._book.place(host):
            self._wait(host, max(self._delay, delay or 0.0))
            yield

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        with self._book.times(host) as times:
            times.held_until = max(times.held_until, self._now() + seconds)

    def rest(self, host: str, seconds: float) -> None:
        """Let the next turn at a host begin no sooner than so many seconds from now."""
        with self._book.times(host) as times:
            times.next_turn = max(times.next_turn, self._now() + seconds)

    def _wait(self, host: str, delay: float) -> None:
        with self._book.times(host) as times:
            now = self._now()
            if times.held_until - now > self._patience:
                raise AskLater(times.held_until - now)
            begins = max(now, times.next_turn, times.held_until)
            times.next_turn = begins + delay
        if begins > now:
            self._sleep(begins - now)


@dataclass
class _Host:
    gate: threading.Semaphore
    users: int = 0
    times: Times = field(default_factory=Times)
    lock: threading.Lock = field(default_factory=threading.Lock)


class MemoryBook:
    """A book for the threads of one process."""

    def __init__(self, at_once: int, now: Callable[[], float]) -> None:
        self._at_once, self._now = at_once, now
        self._hosts: dict[str, _Host] = {}
        self._lock = threading.Lock()

    @contextmanager
    def place(self, host: str) -> Iterator[None]:
        """Wait for one of the host's places, and have it."""
        with self._known(host) as state, state.gate:
            yield

    @contextmanager
    def times(self, host: str) -> Iterator[Times]:
        """The host's times, for nobody else to read or change meanwhile."""
        with self._known(host) as state, state.lock:
            yield state.times

    @contextmanager
    def _known(self, host: str) -> Iterator[_Host]:
        with self._lock:
            if host not in self._hosts and len(self._hosts) >= _MOST_HOSTS:
                self._forget_the_idle()
            state = self._hosts.setdefault(host, _Host(threading.Semaphore(self._at_once)))
            state.users += 1
        try:
            yield state
        finally:
            with self._lock:
                state.users -= 1

    def _forget_the_idle(self) -> None:
        now = self._now()
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.users or max(host.times.next_turn, host.times.held_until) > now
        }
