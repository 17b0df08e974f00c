"""Lends this client's keys to the engine of a data home, and again to each one that follows it.

Keys are kept in the memory of the home's supervisor only, so a new supervisor knows none: as long as this process
lives, it learns of one within a second.
"""

import atexit
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from actors.keys import SOCKET, given, lend
from events.secrets import learn_secrets

_GLANCE = 0.2
"""Seconds between looks for a new supervisor; each costs one stat."""

_LAST_PATIENCE = 5.0
"""Seconds that a client which is about to end waits for the engine that it has just woken."""


class Lender:
    """One process's keys for one data home."""

    def __init__(self, home: Path, environment: Mapping[str, str] = os.environ) -> None:
        self._socket, self._home = home / "run" / SOCKET, home
        self._environment = environment
        self._lent_to: tuple[int, int] | None = None
        self._mutex = threading.Lock()
        self._started = False

    def start(self) -> None:
        """Lend what there is, from now on until this process ends; returns at once.

        Asked again, it lends again: somebody else's keys may have come after ours, and what is asked for
        here is to be done with ours.
        """
        keys = given(self._environment)
        with self._mutex:
            self._lent_to = None
            if self._started or not keys:
                return
            self._started = True
        learn_secrets(keys)
        threading.Thread(target=self._run, name="keys", daemon=True).start()
        atexit.register(self._finish)

    def _run(self) -> None:
        while True:
            self._look()
            time.sleep(_GLANCE)

    def _look(self) -> bool:
        """Lend to whoever is there and does not have them yet; whether somebody has them now."""
        with self._mutex:
            try:
                found = self._socket.stat()
            except OSError:
                return False
            there = found.st_ino, found.st_mtime_ns
            if there != self._lent_to and lend(self._home, given(self._environment)):
                self._lent_to = there
            return there == self._lent_to

    def _finish(self) -> None:
        """Do not leave an engine without keys that was woken a moment ago and is still starting."""
        deadline = time.monotonic() + _LAST_PATIENCE
        while self._just_woken() and not self._look() and time.monotonic() < deadline:
            time.sleep(0.05)

    def _just_woken(self) -> bool:
        try:
            woken = (self._home / "run" / "wanted").stat().st_mtime
        except OSError:
            return False
        return time.time() - woken < 2 * _LAST_PATIENCE
