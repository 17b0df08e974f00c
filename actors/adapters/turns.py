"""Who may ask a host when: few at once, not too often, and not before it wants to be asked again."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_MOST_HOSTS = 4_096


class AskLater(Exception):
    """The host wants to be left alone for longer than one waits: (seconds,)."""


@dataclass
class _Host:
    gate: threading.Semaphore
    users: int = 0
    next_turn: float = 0.0
    held_until: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Turns:
    """Turns at every host, shared by all threads that fetch."""

    def __init__(
        self,
        at_once: int,
        delay: float,
        patience: float,
        now: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._at_once, self._delay, self._patience = at_once, delay, patience
        self._now, self._sleep = now, sleep
        self._hosts: dict[str, _Host] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, host: str, delay: float | None = None) -> Iterator[None]:
        """Wait for a turn, and have it; the next begins no sooner than the delay after this one."""
        state = self._enter(host)
        try:
            with state.gate:
                self._wait(state, max(self._delay, delay or 0.0))
                yield
        finally:
            with self._lock:
                state.users -= 1

    def hold(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        state = self._enter(host)
        with state.lock:
            state.held_until = max(state.held_until, self._now() + seconds)
        with self._lock:
            state.users -= 1

    def _enter(self, host: str) -> _Host:
        with self._lock:
            if host not in self._hosts and len(self._hosts) >= _MOST_HOSTS:
                self._forget_the_idle()
            state = self._hosts.setdefault(host, _Host(threading.Semaphore(self._at_once)))
            state.users += 1
            return state

    def _forget_the_idle(self) -> None:
        now = self._now()
        self._hosts = {
            name: host
            for name, host in self._hosts.items()
            if host.users or max(host.next_turn, host.held_until) > now
        }

    def _wait(self, state: _Host, delay: float) -> None:
        with state.lock:
            now = self._now()
            if state.held_until - now > self._patience:
                raise AskLater(state.held_until - now)
            begins = max(now, state.next_turn, state.held_until)
            state.next_turn = begins + delay
        if begins > now:
            self._sleep(begins - now)
