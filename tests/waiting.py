"""Waiting for what other threads and processes do."""

import time
from collections.abc import Callable

PATIENCE = 90.0


def until(true: Callable[[], object], seconds: float = PATIENCE, rest: float = 0.05) -> None:
    """Look until something is true: often at first, then seldom, so that whoever is waited for can work."""
    deadline = time.monotonic() + seconds
    pause = 0.002
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(pause)
        pause = min(pause * 1.5, rest)
