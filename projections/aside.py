"""Folds part of a large data home in a second process, while the first folds the rest.

A cold start is bound by the interpreter, and machines have more than one processor. The second process is
only help: what it does not deliver, for whatever reason, the first folds itself.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from events.codec import canonical, decode
from events.errors import ResearchError
from events.home import Home
from projections.catalogue import Anchor, Entry
from projections.streams import Streams

ROOT = Path(__file__).resolve().parent.parent


class Aside:
    """A second process that folds the streams of ended tasks and jobs."""

    def __init__(self, home: Home, entries: Iterable[Entry]) -> None:
        # Files and not pipes: neither side ever waits for the other to read.
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `collect`
        with tempfile.TemporaryFile() as asked:
            asked.writelines(_order(entry) + b"\n" for entry in entries)
            asked.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "projections.aside", str(home.root)],
                stdin=asked,
                stdout=self._said,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env=dict(os.environ) | {"PYTHONPATH": str(ROOT)},
            )

    def collect(self) -> tuple[list[bytes], int]:
        """The states of the streams that were folded to their ends, and how many facts they hold."""
        with self._said as said:
            if self._process.wait() != 0:
                return [], 0
            said.seek(0)
            *states, facts = said.read().split(b"\n")
        return states, int(facts)


def _order(entry: Entry) -> bytes:
    return canonical((entry.name, entry.role, tuple(entry.end or ())))


def _fold(home: Home, orders: Iterable[bytes]) -> Iterator[bytes]:
    streams = Streams(home)
    for order in orders:
        name, role, end = decode(order)
        try:
            own = streams.catch_up(name, role, name, Anchor(*end))
            for each in own.task.crew if own.task else ():
                streams.catch_up(each.researcher, "researcher", name, each.end)
        except ResearchError:
            continue  # The first process finds the same fault, and knows what to say about it.
        yield from streams.take_resting()
    yield b"%d" % streams.facts


def main() -> int:
    """Fold what standard input names, and write the states to standard output."""
    states = _fold(Home(Path(sys.argv[1])), sys.stdin.buffer)
    sys.stdout.buffer.write(b"\n".join(states))
    return 0


if __name__ == "__main__":
    sys.exit(main())
