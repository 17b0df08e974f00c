"""What an actor is called and what it does now, where people look at actors."""

import threading
from typing import Protocol

from events.words import plain

FLUSH_S = 0.2
"""Seconds until Ray has told its dashboard what became of a call, where somebody may look."""

LINGER_S = 2.0
"""Seconds that an ended actor stays then, so that its last call is not taken for a failed one."""


class Signs(Protocol):
    """Shows what actors are doing. Never raises, never waits."""

    def show(self, stream: str, doing: str) -> None:
        """Say what the writer of a stream does from now on."""

    def end(self, stream: str, how: str) -> None:
        """Say that it has ended."""


class Sign:
    """An actor's part in that: a call with the name of what it does, which lasts meanwhile.

    Ray asks an actor for its own name only once, when it starts, so that cannot say it.
    """

    title = ""
    _mutex = threading.Lock()
    _up: threading.Event | None = None
    _over = False

    def __repr__(self) -> str:
        """How the dashboard calls the actor."""
        return self.title or type(self).__name__

    def show_sign(self, *, last: bool = False) -> None:
        """Take down what is up, and be up until the next one comes; after the last one, none is."""
        with self._mutex:
            self._over = self._over or last
            mine = None if self._over else threading.Event()
            before, self._up = self._up, mine
        if before:
            before.set()
        if mine:
            mine.wait()


def title(role: str, stream: str, about: str) -> str:
    """An actor's name for a person: what it is, the beginning of its id, and what it is about."""
    own, _, member = stream.removeprefix("ingest-").removeprefix("reindex-").partition(".")
    short = f"{own[:8]}.{member}" if member else own[:8]
    return f"{role} {short}: {plain(about, 60)}"
