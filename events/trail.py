"""A task's or job's stream and those of its researchers, read together as they grow."""

import heapq
import os
from collections.abc import Iterator
from pathlib import Path

from events.codec import Record
from events.errors import BrokenChain
from events.home import Home
from events.tail import Cursor, read_parts

_BLOCK = 1 << 16


class Trail:
    """Reads each fact once, in the order of their times; within a stream, in the stream's."""

    def __init__(self, home: Home, name: str) -> None:
        self._home, self._name = home, name
        self._cursors = {name: Cursor()}

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that are read: its own first, then its researchers'."""
        return tuple(self._cursors)

    def skip(self) -> None:
        """Pass over what there is by now."""
        for _ in self.look():
            continue

    def look(self) -> Iterator[Record]:
        """What was recorded since the last look. To be read to its end."""
        # Its own stream first: when that has ended, those of its researchers have, too.
        waiting: list[tuple[str, int, Record, Iterator[Record]]] = []
        for place, stream in enumerate(self._cursors):
            _push(waiting, place, self._read_on(stream))
        while waiting:
            _, place, record, rest = heapq.heappop(waiting)
            _push(waiting, place, rest)
            sent = record.data["researcher"] if record.kind == "researcher_assigned" else None
            if sent and sent not in self._cursors:
                self._cursors[sent] = Cursor()
                _push(waiting, len(self._cursors), self._read_on(sent))
            yield record

    def _read_on(self, stream: str) -> Iterator[Record]:
        for part, end in read_parts(self._home.path(stream), self._cursors[stream]):
            self._cursors[stream] = end
            yield from part


def _push(
    waiting: list[tuple[str, int, Record, Iterator[Record]]], place: int, rest: Iterator[Record]
) -> None:
    """Let a stream wait for its turn; streams have different places, so records are not compared."""
    following = next(rest, None)
    if following is not None:
        heapq.heappush(waiting, (following.at, place, following, rest))


def end_of(path: Path) -> Cursor:
    """Where a stream ends by now, without reading its past: for those who only want what follows."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return Cursor()
    try:
        return _last_decision(descriptor, path)
    finally:
        os.close(descriptor)


def _last_decision(descriptor: int, path: Path) -> Cursor:
    size, length = os.fstat(descriptor).st_size, _BLOCK
    while True:
        start = max(0, size - length)
        tail = os.pread(descriptor, size - start, start)
        # The first piece is the rest of a line that began earlier, and the last one a line to come.
        offset = start + len(tail) - len(tail.rpartition(b"\n")[2])
        for line in reversed(tail.split(b"\n")[1 if start else 0 : -1]):
            try:
                record = Record(line)
                if not record.left:
                    return Cursor(offset, record.seq, record.hash, record.epoch)
            except (ValueError, KeyError):
                raise BrokenChain(path.name, 0, "near its end, a line records no event") from None
            offset -= record.length
        if not start:
            return Cursor()
        length *= 8
