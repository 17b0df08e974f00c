"""Runs a browser that nobody trusts: it ends in time, with everything it started, and takes what it may and no more.

It gets an empty environment and a folder of its own that is deleted afterwards. What it and its children hold in
memory is looked at while it runs, because scripts can ask for more than any setting of the browser refuses.
"""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from actors.processes import share_fate

MOST_MEMORY = 2 << 30
"""Bytes that the browser and its children may hold together."""

_LARGEST_FILE = 256 << 20
_GLANCE = 0.2
_HELD = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", re.M)


class TooSlow(Exception):
    """It was not done in time."""


class TooHungry(Exception):
    """It took more memory than it may."""


def run_in_bounds(
    command: Sequence[str], folder: Path, seconds: float, most_bytes: int
) -> tuple[int, bytes]:
    """The code that a program ended with, and what it said, up to one byte more than it may say."""
    with (folder / "shown").open("w+b") as out:
        browser = subprocess.Popen(
            command,
            cwd=folder,
            env={"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_bounded(),
        )
        try:
            code = _wait(browser, time.monotonic() + seconds)
        finally:
            _end(browser)
        out.seek(0)
        return code, out.read(most_bytes + 1)


@contextmanager
def passing_folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="research-agent-browser-"))
    try:
        yield folder
    finally:
        # Processes that were just ended may still write into it.
        for _ in range(20):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.05)


def _wait(browser: "subprocess.Popen[bytes]", deadline: float) -> int:
    while (left := deadline - time.monotonic()) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return browser.wait(min(left, _GLANCE))
        if memory_of(browser.pid) > MOST_MEMORY:
            raise TooHungry
    raise TooSlow


def memory_of(group: int) -> int:
    """Bytes that the processes of a group hold; 0 where the system does not tell."""
    held = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            said = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(said[2]) == group:
                # Its own and what it shares with its like, without the files of the program.
                counted = _HELD.findall((process / "status").read_text(errors="replace"))
                held += sum(int(each) for each in counted) << 10
    return held


def _bounded() -> Callable[[], None]:
    """What the browser does first: end with its parent, and fill no disk."""
    fate = share_fate()

    def begin() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
        if fate:
            fate()

    return begin


def _end(browser: "subprocess.Popen[bytes]") -> None:
    """End the browser and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(browser.pid, signal.SIGKILL)
    browser.wait()
