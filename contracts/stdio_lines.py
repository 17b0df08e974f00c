r"""What MCP clients write on stdin, made readable where a sign of its text is only half there.

Programs whose texts are UTF-16 can cut one in the middle of a sign, and send the half that is left as `\ud83d`: JSON
allows that, Unicode does not. The SDK's parser refuses such a line without a word, so that its client would wait for an
answer for ever. Bytes that are no UTF-8 the SDK reads as U+FFFD; here halves of signs are read likewise.
"""

import fcntl
import io
import os
import re
import sys
from contextlib import suppress
from typing import BinaryIO

# What is escaped as a whole comes first: an escaped backslash, and both halves of a sign.
_HALF = re.compile(
    rb"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def mended(line: bytes) -> bytes:
    """A line of JSON with U+FFFD wherever there was half a sign."""
    if b"\\u" not in line:
        return line
    return _HALF.sub(lambda found: found[1] or rb"\ufffd", line)


class MendedLines(io.RawIOBase):
    """The lines of a stream, each mended as it comes."""

    def __init__(self, source: BinaryIO) -> None:
        self._source, self._left = source, memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        """As much of the present line as there is room for; 0 at the end."""
        if not self._left:
            self._left = memoryview(mended(self._source.readline()))
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


class _LeftOpen(io.TextIOWrapper):
    """Lets go of its buffer instead of closing it: somebody may be reading there until the process ends."""

    def close(self) -> None:
        with suppress(ValueError):
            self.detach()


def mend_stdin() -> None:
    """Let what reads stdin from now on read mended lines; children of this process get nothing of it."""
    private = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.close(nothing)
    source = os.fdopen(private, "rb", closefd=False)
    sys.stdin = _LeftOpen(io.BufferedReader(MendedLines(source)), encoding="utf-8")
