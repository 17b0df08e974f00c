"""Contract 05: orders that take longer to make than a call may last.

Listing a library, or reading a long list of references, goes on when the call that wanted it had
to answer. There is one at a time of the same kind: who asks again waits for it, and is told what
came of it.
"""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

KEPT_FOR = 600.0
"""Seconds that an outcome waits for somebody to ask again; after that it is looked up anew."""

Made = TypeVar("Made")


class Preparation(Generic[Made]):
    """Something that is being made, by a thread of its own."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.left = False
        """Whether somebody was told to ask again."""

        self.ended_at = 0.0
        self._made: list[Made] = []
        self._failure: BaseException | None = None

    def run(self, make: Callable[[], Made]) -> None:
        """Make it; what goes wrong is for whoever asks."""
        try:
            self._made.append(make())
        except BaseException as failure:  # noqa: BLE001 - it is raised where it is asked for
            self._failure = failure
        self.ended_at = time.monotonic()

    def outcome(self) -> Made:
        """What was made, once it is done; raises what went wrong."""
        if self._failure is not None:
            raise self._failure
        return self._made[0]


class Preparations(Generic[Made]):
    """What is being made, and what was made since somebody was told to ask again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Hashable, Preparation[Made]] = {}

    def begin(self, key: Hashable, make: Callable[[], Made]) -> Preparation[Made]:
        """Have it made, unless the same is being made or waits to be asked for."""
        with self._lock:
            for old in [each for each, held in self._known.items() if _is_stale(held)]:
                del self._known[old]
            held = self._known.get(key)
            if held is None:
                held = self._known[key] = Preparation()
                arguments = (key, held, make)
                threading.Thread(target=self._run, args=arguments, daemon=True).start()
            return held

    def take(self, key: Hashable, held: Preparation[Made], seconds: float) -> Made | None:
        """What comes of it within some seconds; None leaves it to the next who asks."""
        held.done.wait(max(seconds, 0.0))
        with self._lock:
            if not held.done.is_set():
                held.left = True
                return None
            if self._known.get(key) is held:
                del self._known[key]
        return held.outcome()

    def _run(self, key: Hashable, held: Preparation[Made], make: Callable[[], Made]) -> None:
        held.run(make)
        with self._lock:
            held.done.set()
            # Where nobody was sent away, those who wait have it in hand.
            if not held.left and self._known.get(key) is held:
                del self._known[key]


def _is_stale(held: Preparation[Made]) -> bool:
    return held.done.is_set() and time.monotonic() - held.ended_at > KEPT_FOR
