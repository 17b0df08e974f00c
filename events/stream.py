"""The writing end of a stream: locked, chained, durable before anyone can act on it.

Writers hold the file's lock only while they write. What keeps a stream to one writer is the
epoch: whoever claims a stream writes that down first, and from then on the file is longer than
any earlier writer remembers, so its next append is refused.
"""

import errno
import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from events.anchor import Anchor, anchor_path, read_anchor
from events.base import Fact
from events.codec import Record, digest, seal
from events.errors import (
    BrokenChain,
    DiskFull,
    HomeUnwritable,
    ResearchError,
    StaleWriter,
)
from events.locks import ONLY_STOPPED_AFTER, take_lock
from events.tail import LONGEST_LINE, Cursor, read_stream
from events.upkeep import StreamClaimed, TailCut

_SUCCEEDED_AFTER = 0.06
"""Seconds after which whoever claims a stream ends a stopped process that holds it: its successor is here."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where a stream ends: a caller who keeps this can prove later that nothing before it changed."""

    stream: str
    seq: int
    hash: str


def utc_now() -> str:
    """The time, as records carry it."""
    second, rest = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{_second(second)}.{rest:06}Z"


@lru_cache(maxsize=2)
def _second(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


class EventStream:
    """One stream, open for appending."""

    _file = -1

    def __init__(self, path: Path, now: Callable[[], str] = utc_now) -> None:
        self.path = path
        self.name = path.stem
        self.cursor = Cursor()
        self._now = now
        self._file = _open(path, os.O_APPEND)
        try:
            self._anchor = Anchor(_open(anchor_path(path)))
        except ResearchError:
            self._let_go()
            raise
        self._broken = False

    @classmethod
    def claim(
        cls,
        path: Path,
        writer: str,
        now: Callable[[], str] = utc_now,
        over: Callable[[list[Record]], bool] = lambda past: False,
    ) -> tuple[Self, list[Record]]:
        """Become the stream's one writer; earlier writers are refused from here on.

        Returns the whole past, the claim included. A stream that is `over` is left as it
        is: its end may already be anchored elsewhere, and appends to it are refused.
        """
        stream = cls(path, now)
        try:
            with stream._locked(end_stopped_after=_SUCCEEDED_AFTER):
                past = stream._read_on()
                if over(past):
                    stream._broken = True
                else:
                    past += stream._mend()
                    claim = StreamClaimed(writer=writer, host=socket.gethostname(), pid=os.getpid())
                    past += _records(stream._write((claim,), None, stream.cursor.epoch + 1))
        except BaseException:
            # Whoever claims in vain tries again, and would hold the file once more each time.
            stream.close()
            raise
        return stream, past

    @classmethod
    def resume(cls, path: Path, cursor: Cursor) -> Self:
        """The writing end as its writer left it; refused at the next append if somebody wrote since."""
        stream = cls(path)
        stream.cursor = cursor
        return stream

    @property
    def head(self) -> Head:
        """Where the stream ends, as far as this writer knows."""
        return Head(self.name, self.cursor.seq, self.cursor.head)

    @property
    def over(self) -> bool:
        """Whether every append will be refused."""
        return self._broken

    def append(self, *facts: Fact, cause: str | None = None) -> Head:
        """Make the facts durable, all or none, before anyone can act on them."""
        # Without context managers: their cost is felt beside a fast disk's sync.
        self._lock()
        try:
            self._check_own()
            self._write(facts, cause, self.cursor.epoch)
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        return self.head

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold the lock, provided that nobody else has written since."""
        with self._locked():
            self._check_own()
            yield

    @contextmanager
    def deciding(self) -> Iterator[list[Record]]:
        """Hold the lock around reading what others wrote and appending a decision based on it."""
        with self._locked(end_stopped_after=ONLY_STOPPED_AFTER):
            yield self._read_on() + self._mend()

    def append_decided(self, *facts: Fact, cause: str | None = None) -> Head:
        """Append within `deciding` or `holding`."""
        self._write(facts, cause, self.cursor.epoch)
        return self.head

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            try:
                self._let_go()
            finally:
                self._anchor.close()

    def __del__(self) -> None:
        """Let go also where nobody said so: a writer that failed is dropped, and a new one made."""
        self.close()

    def _let_go(self) -> None:
        # Forgotten first: a close that fails frees the number too, and it may be somebody else's by the next try.
        file, self._file = self._file, -1
        os.close(file)

    # -- under the lock --------------------------------------------------------------------------

    def _read_on(self) -> list[Record]:
        """What others wrote; refused when something that was acknowledged is not there any more."""
        records, self.cursor = read_stream(self.path, self.cursor)
        status = os.fstat(self._file)
        if not status.st_nlink:
            self._broken = True  # The file was removed or replaced: what we hold is not the stream.
            raise StaleWriter(self.name)
        seq, head = read_anchor(self.path) or (0, "")
        known = self.cursor
        lost = status.st_size < known.offset or seq > known.seq
        if lost or (seq == known.seq and seq and head != known.head):
            raise BrokenChain(self.path.name, known.seq + 1, "acknowledged lines are gone")
        return records

    def _mend(self) -> list[Record]:
        """Cut off what a dying writer left behind: the lock is ours, so nobody is writing."""
        extra = os.fstat(self._file).st_size - self.cursor.offset
        if not extra:
            return []
        try:
            torn = os.pread(self._file, extra, self.cursor.offset)
            os.ftruncate(self._file, self.cursor.offset)
        except OSError as failure:
            raise refusal(self.path.parent, failure) from failure
        cut = TailCut(length=extra, digest=digest(torn))
        return _records(self._write((cut,), None, self.cursor.epoch))

    def _write(self, facts: tuple[Fact, ...], cause: str | None, epoch: int) -> list[bytes]:
        cursor = self.cursor
        lines, head = seal(self.name, cursor.seq, self._now(), epoch, cause, cursor.head, facts)
        if not lines:
            return lines
        raw = b"".join(lines)
        if len(raw) > LONGEST_LINE and len(max(lines, key=len)) > LONGEST_LINE:
            raise ValueError("no line may be that long: content belongs into a blob")
        try:
            _write_all(self._file, raw)
            _sync(self._file)
        except OSError as failure:
            # Never retry a failed sync on the same descriptor: what it lost cannot be known.
            self._broken = True
            _undo(self._file, cursor.offset)
            raise refusal(self.path.parent, failure) from failure
        self.cursor = Cursor(cursor.offset + len(raw), cursor.seq + len(lines), head, epoch)
        try:
            self._anchor.note(self.cursor.seq, head)
        except OSError:
            return lines  # It lags: not worth refusing what is durable.
        return lines

    def _check_own(self) -> None:
        status = os.fstat(self._file)
        if status.st_size != self.cursor.offset or not status.st_nlink:
            self._broken = True
            raise StaleWriter(self.name)

    def _lock(self, end_stopped_after: float | None = None) -> None:
        if self._broken:
            raise StaleWriter(self.name)
        take_lock(self._file, self.path, end_stopped_after=end_stopped_after)

    @contextmanager
    def _locked(self, *, end_stopped_after: float | None = None) -> Iterator[None]:
        self._lock(end_stopped_after)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _records(lines: list[bytes]) -> list[Record]:
    return [Record(line[:-1]) for line in lines]


def _open(path: Path, more: int = 0) -> int:
    flags = more | os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        fresh = not path.exists()
        descriptor = os.open(path, flags, 0o600)
    except OSError as failure:
        raise refusal(path, failure) from failure
    if fresh:
        try:
            sync_directory(path.parent)
        except OSError as failure:
            os.close(descriptor)
            raise refusal(path.parent, failure) from failure
    return descriptor


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, raw: bytes) -> None:
    written = os.write(descriptor, raw)
    while written < len(raw):
        written += os.write(descriptor, memoryview(raw)[written:])


def _sync(descriptor: int) -> None:
    getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS has only the latter.


def _undo(descriptor: int, offset: int) -> None:
    try:
        os.ftruncate(descriptor, offset)
    except OSError:
        return  # The next writer finds a torn tail and cuts it.


def refusal(place: Path, failure: OSError) -> HomeUnwritable | DiskFull:
    """What a failure to write into a folder or file of the data home means to whoever asked for it."""
    if failure.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(str(place))
    return HomeUnwritable(str(place), failure.strerror or str(failure))
