"""Standard input, output and error of a program of ours, whatever those who started it left of them.

One that is closed would lend its number to the next file that is opened, and what a library says on stderr would be
written into the record. And whoever listened on stderr may be gone, or the disk that it goes to be full: that is no
reason to leave undone what was asked for.
"""

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_IN, _OUT, _ASIDE = range(3)


def hold_standard_streams() -> None:
    """See to it that all three are there, and nothing fails over what is said on stderr. Before files are opened."""
    # Nothing is to be read, and results that nobody can get are refused, as by a stream that is closed.
    for descriptor, mode in ((_IN, os.O_RDONLY), (_OUT, os.O_RDONLY), (_ASIDE, os.O_WRONLY)):
        if not _is_open(descriptor):
            os.open(os.devnull, mode)  # The lowest number that is free: this one.
            os.set_inheritable(descriptor, True)
    # Python has none for a descriptor that was closed when it began.
    sys.stdin = sys.stdin or os.fdopen(_IN, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(_OUT, "w", encoding="utf-8", closefd=False)
    encoding = sys.stderr.encoding if sys.stderr else "utf-8"
    aside = io.BufferedWriter(_Aside(_ASIDE, "w", closefd=False))
    sys.stderr = io.TextIOWrapper(aside, encoding, "backslashreplace", line_buffering=True)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class _Aside(io.FileIO):
    """What is said beside the results: nothing fails because nobody can hear it."""

    def write(self, said: "ReadableBuffer", /) -> int:
        """Say it, if somebody takes it."""
        size = memoryview(said).nbytes
        try:
            # None of one that does not wait for a reader who is slow.
            written: int | None = super().write(said)
        except OSError:
            return size
        return size if written is None else written
