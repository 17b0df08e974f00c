"""Everyone's reading end of a stream: checked, incremental, and blind to unfinished writes."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from events.codec import FORMAT, GENESIS, Record, follow, link_fault, unseal
from events.errors import BrokenChain, NewerFormat

_BLOCK = 1 << 20
_AT = len("2026-11-16T00:00:00.000000Z")


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a stream has been read: enough to go on, and to notice that its past was changed."""

    offset: int = 0
    seq: int = 0
    head: str = GENESIS
    epoch: int = 0


def read_stream(path: Path, cursor: Cursor = Cursor()) -> tuple[list[Record], Cursor]:  # noqa: B008 - frozen
    """Every whole decision past the cursor, each line checked against the one before it.

    A stream that does not exist yet is an empty one. Bytes after the last whole
    decision are left for later: they may still be on their way.
    """
    records: list[Record] = []
    end = cursor
    for part, end in read_parts(path, cursor):  # noqa: B007 - the last one is returned
        records += part
    return records, end


def read_parts(path: Path, cursor: Cursor = Cursor()) -> Iterator[tuple[list[Record], Cursor]]:  # noqa: B008 - frozen
    """What `read_stream` reads, a block at a time and never all at once.

    Each part holds whole decisions, with the cursor that follows it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        size, at = os.fstat(descriptor).st_size, cursor.offset
        rest = b""
        waiting: list[Record] = []
        while at < size and (block := os.pread(descriptor, min(_BLOCK, size - at), at)):
            at += len(block)
            *lines, rest = (rest + block).split(b"\n")
            cursor = check_lines(path, cursor, lines, waiting)
            whole = len(waiting)
            while whole and waiting[whole - 1].left:
                whole -= 1
            if whole:
                done, waiting = waiting[:whole], waiting[whole:]
                yield done, _before(cursor, waiting, done[-1].epoch)
    finally:
        os.close(descriptor)


def _before(cursor: Cursor, undone: list[Record], epoch: int) -> Cursor:
    """Step back from lines of a decision that is not complete."""
    if not undone:
        return cursor
    length = sum(record.length for record in undone)
    return Cursor(cursor.offset - length, undone[0].seq - 1, undone[0].prev, epoch)


def check_lines(path: Path, cursor: Cursor, lines: list[bytes], into: list[Record]) -> Cursor:
    """Check whole lines (without newlines) past the cursor, append them to `into`, and move on."""
    start = b'{"v":%d,"stream":"%b","seq":' % (FORMAT, path.stem.encode())
    offset, seq, epoch = cursor.offset, cursor.seq, cursor.epoch
    written_by = b'","epoch":%d,"cause":' % epoch
    prev = cursor.head.removeprefix("sha256:")
    add = into.append
    for line in lines:
        seq += 1
        sealed = follow(line, prev)
        if sealed is None:
            fault = link_fault(line, prev.encode()) or "the line is not spelled as it should be"
            raise BrokenChain(path.name, seq, fault)
        prev = sealed
        # A line has one spelling, so its place is checked without parsing it.
        place = b'%b%d,"at":"' % (start, seq)
        if not (line.startswith(place) and line.startswith(written_by, len(place) + _AT)):
            epoch = _checked_epoch(path, line, place, seq, epoch)
            written_by = b'","epoch":%d,"cause":' % epoch
        try:
            add(Record(line))
        except ValueError:
            raise BrokenChain(path.name, seq, "the line records no event") from None
        offset += len(line) + 1
    return Cursor(offset, seq, "sha256:" + prev, epoch)


def _checked_epoch(path: Path, line: bytes, place: bytes, seq: int, epoch: int) -> int:
    """Who wrote a line that begins unlike the one before it; refused if it may not be here."""
    try:
        body = unseal(line)
        version, found = body["v"], (body["stream"], body["seq"])
        later: int = body["epoch"]
    except (ValueError, KeyError, TypeError):
        raise BrokenChain(path.name, seq, "the line is not a record") from None
    if version != FORMAT:
        raise NewerFormat(path.name, version)
    if found != (path.stem, seq) or not line.startswith(place):
        raise BrokenChain(path.name, seq, "the line belongs elsewhere")
    if later < epoch:
        raise BrokenChain(path.name, seq, "an earlier writer wrote after a later one")
    return later
