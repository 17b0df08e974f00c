"""A stream's last head, noted beside it: what was acknowledged cannot be cut off unnoticed.

The file is `A\\n` or `B\\n`, then slot A, then slot B; a slot is `<seq, 20 digits> <hash>\\n`. A writer fills the
slot that does not count and then changes the letter, so whoever dies in between leaves the head before.
It writes through a memory map: a `write` would put the file's time stamp into the next sync of the
stream, which costs a third of the rate. The map is not synced: it may lag after a power cut, but is
never ahead of what is durable.
"""

import mmap
import os
import re
from pathlib import Path

from events.codec import GENESIS
from events.tail import unreadable

_SLOT = re.compile(rb"([0-9]{20}) (sha256:[0-9a-f]{64})\n")
_LENGTH = 93
_A, _B = ord("A"), ord("B")
_PLACES = {_A: 2, _B: 2 + _LENGTH}
_SIZE = 2 + 2 * _LENGTH


def anchor_path(trace: Path) -> Path:
    """Where the head of a trace is noted."""
    return trace.parent / "heads" / f"{trace.stem}.head"


def read_anchor(trace: Path) -> tuple[int, str] | None:
    """The last head that was noted, or none."""
    try:
        raw = anchor_path(trace).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise unreadable(anchor_path(trace), failure) from failure
    place = _PLACES.get(raw[0]) if len(raw) == _SIZE else None
    said = _SLOT.fullmatch(raw, place, place + _LENGTH) if place else None
    return (int(said[1]), said[2].decode()) if said else None


def head_file(seq: int, head: str) -> bytes:
    """What the file says of a stream that has ended."""
    return b"A\n%020d %b\n%020d %b\n" % (seq, head.encode(), 0, GENESIS.encode())


class Anchor:
    """The writing end, over a file that is open for reading and writing."""

    def __init__(self, descriptor: int) -> None:
        self._file = descriptor
        self._map: mmap.mmap | None = None

    def note(self, seq: int, head: str) -> None:
        """Note a head that is durable."""
        slot = b"%020d %b\n" % (seq, head.encode())
        if self._map is None:
            if os.fstat(self._file).st_size != _SIZE:
                os.pwrite(self._file, head_file(seq, head), 0)
                os.ftruncate(self._file, _SIZE)
            self._map = mmap.mmap(self._file, _SIZE)
        other = _A if self._map[0] == _B else _B
        place = _PLACES[other]
        self._map[place : place + _LENGTH] = slot
        self._map[0] = other

    def close(self) -> None:
        """Let go of the file."""
        if self._map is not None:
            self._map.close()
        os.close(self._file)
