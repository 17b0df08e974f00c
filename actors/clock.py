"""How long a piece of work has been going on, across restarts and jumps of the wall clock."""

import time
from datetime import UTC, datetime

from events.codec import Record


class Clock:
    """Age of a stream: wall time up to this process, monotonic time within it."""

    def __init__(self, past: list[Record]) -> None:
        began = datetime.fromisoformat(past[0].at) if past else datetime.now(UTC)
        self._before = max(0.0, (datetime.now(UTC) - began).total_seconds())
        self._start = self._look = time.monotonic()

    @property
    def age(self) -> float:
        """Seconds since the stream began."""
        return self._before + time.monotonic() - self._start

    def since_last_look(self) -> float:
        """Seconds since this was asked before."""
        before, self._look = self._look, time.monotonic()
        return self._look - before
