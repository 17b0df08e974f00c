"""The process that builds index files, as a server starts it."""

import os
import subprocess
import sys
import time
from pathlib import Path

from events.home import Home

ROOT = Path(__file__).resolve().parent.parent.parent

PATIENCE = 60.0
"""Seconds before a builder that failed is tried again."""

PAUSE = 5.0
"""Seconds between two builders: the first may only have found another process building."""


class BuilderProcess:
    """Starts a builder when one is needed, and never two."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._not_before = self._failed_until = 0.0

    def nudge(self) -> None:
        """See to it that one runs, unless the last one failed just now."""
        if self._process is not None:
            ended = self._process.poll()
            if ended is None:
                return
            self._process = None
            self._not_before = time.monotonic() + (PATIENCE if ended else PAUSE)
        if time.monotonic() >= self._not_before:
            self._process = self._start()

    def run(self) -> bool:
        """Build, and wait until it is done; False if it could not be done."""
        if time.monotonic() < self._failed_until:
            return False
        if self._start("--wait").wait() != 0:
            self._not_before = self._failed_until = time.monotonic() + PATIENCE
            return False
        return True

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "projections.index.build", str(self._home.root), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
        )
