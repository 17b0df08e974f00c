r"""What MCP clients write on stdin, made readable where it is not, or answered where it cannot be.

Programs whose texts are UTF-16 can cut one in the middle of a sign, and send the half that is left as `\ud83d`: JSON
allows that, Unicode does not. The SDK's parser refuses such a line without a word, so that its client would wait for an
answer for ever. Bytes that are no UTF-8 the SDK reads as U+FFFD; here halves of signs are read likewise. Other programs
begin what they write with the mark of a Unicode encoding, which is dropped.
"""

import fcntl
import io
import os
import re
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from contracts.stdio_refusals import sorted_out

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_MARK = b"\xef\xbb\xbf"

# What is escaped as a whole comes first: an escaped backslash, and both halves of a sign.
_HALF = re.compile(
    rb"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def mended(line: bytes) -> bytes:
    """A line of JSON with U+FFFD wherever there was half a sign, and without a mark before it."""
    line = line.removeprefix(_MARK)
    if b"\r" in line:
        # Between members JSON allows it; who reads lines of text would end one there.
        line = line.rstrip(b"\r\n").replace(b"\r", b" ") + b"\n"
    if b"\\u" not in line:
        return line
    return _HALF.sub(lambda found: found[1] or rb"\ufffd", line)


class MendedLines(io.RawIOBase):
    """The lines of a stream, each mended as it comes; `answer` takes what is said to those that cannot be read."""

    def __init__(self, source: BinaryIO, answer: Callable[[bytes], object] | None = None) -> None:
        self._source, self._answer, self._left = source, answer, memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """As much of the present line as there is room for; 0 at the end."""
        while not self._left and (line := self._source.readline()):
            self._left = memoryview(self._sorted_out(mended(line)))
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def _sorted_out(self, line: bytes) -> bytes:
        if self._answer is None:
            return line
        good, answers = sorted_out(line)
        if answers:
            self._answer(answers)
        return good


class WholeLines(io.BufferedIOBase):
    """Writes what it is given as a whole, whichever thread gives it."""

    name = "<stdout>"

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._writing = descriptor, threading.Lock()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, given: "ReadableBuffer", /) -> int:
        """All of it."""
        left = memoryview(given)
        size = left.nbytes
        with self._writing:
            while left:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except (
                    BlockingIOError
                ):  # A client may have made its pipe so; half a line would be worse.
                    select.select([], [self._descriptor], [])
        return size


class _LeftOpen(io.TextIOWrapper):
    """Lets go of its buffer instead of closing it: somebody may be reading there until the process ends."""

    def close(self) -> None:
        with suppress(ValueError):
            self.detach()


class _Wire(_LeftOpen):
    """The wire for whoever takes its buffer, as the SDK does; what is printed does not belong there."""

    def write(self, text: str) -> int:
        """Say it where it harms nobody."""
        return sys.stderr.write(text)


def mend_stdio() -> None:
    """Let what serves stdin and stdout from now on read mended lines, and answer those that it would not have read.

    Children of this process get nothing of either; what they or a library print goes to stderr.
    """
    written = WholeLines(_taken(1, lambda: os.dup(2)))

    def answer(lines: bytes) -> None:
        # Whoever has gone away is noticed at the end of what they wrote.
        with suppress(OSError):
            written.write(lines)

    source = os.fdopen(_taken(0, _nothing), "rb", closefd=False)
    sys.stdin = _LeftOpen(io.BufferedReader(MendedLines(source, answer)), encoding="utf-8")
    sys.stdout = _Wire(written, encoding="utf-8")


def _nothing() -> int:
    return os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)


def _taken(descriptor: int, instead: Callable[[], int]) -> int:
    """What a descriptor leads to, by a number of our own; the descriptor itself leads elsewhere from now on."""
    private = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    try:
        other = instead()
    except OSError:
        other = _nothing()
    os.dup2(other, descriptor)
    os.close(other)
    return private
