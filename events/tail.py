"""Everyone's reading end of a stream: checked, incremental, and blind to unfinished writes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from events.codec import FORMAT, GENESIS, Record, bare, chain, link_fault, unseal
from events.errors import BrokenChain, HomeUnwritable, NewerFormat

LONGEST_LINE = 16 << 20
"""No line is longer, whatever a damaged or hostile file holds; the verifier says the same."""

_BLOCK = 1 << 20
_AT = len("2026-11-16T00:00:00.000000Z")
_EPOCH = b'","epoch":'


class Cursor(NamedTuple):
    """How far a stream has been read: enough to go on, and to notice that its past was changed."""

    offset: int = 0
    seq: int = 0
    head: str = GENESIS
    epoch: int = 0


def unreadable(path: Path, failure: OSError) -> HomeUnwritable:
    """What a failure to read a file of a data home means to whoever asked: it may pass, and nothing is broken by it."""
    return HomeUnwritable(str(path), failure.strerror or str(failure))


def file_size(path: Path) -> int:
    """Length of a file; nothing, if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as failure:
        raise unreadable(path, failure) from failure


def cursor_fits(path: Path, cursor: Cursor) -> bool:
    """Whether the line before a cursor is the one that the cursor remembers."""
    if not cursor.offset:
        return True
    ending = cursor.head.removeprefix("sha256:").encode() + b'"}\n'
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            before = max(0, cursor.offset - len(ending))
            return os.pread(descriptor, len(ending), before) == ending
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return False
    except OSError as failure:
        raise unreadable(path, failure) from failure


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
    except OSError as failure:
        raise unreadable(path, failure) from failure
    try:
        size, at = os.fstat(descriptor).st_size, cursor.offset
        rest = b""
        waiting: list[Record] = []
        while at < size and (block := _read(path, descriptor, min(_BLOCK, size - at), at)):
            at += len(block)
            *lines, rest = (rest + block).split(b"\n")
            cursor = check_lines(path, cursor, lines, waiting)
            if len(rest) > LONGEST_LINE:
                raise BrokenChain(path.name, cursor.seq + 1, "the line is longer than any line")
            if whole := _whole(path, cursor, waiting):
                done, waiting = waiting[:whole], waiting[whole:]
                yield done, _before(cursor, waiting, done[-1]) if waiting else cursor
    finally:
        os.close(descriptor)


def _read(path: Path, descriptor: int, length: int, at: int) -> bytes:
    try:
        return os.pread(descriptor, length, at)
    except OSError as failure:
        raise unreadable(path, failure) from failure


def _whole(path: Path, cursor: Cursor, records: list[Record]) -> int:
    """How many of the records belong to decisions that are complete."""
    whole = len(records)
    try:
        while whole and records[whole - 1].left:
            whole -= 1
    except ValueError:
        raise BrokenChain(path.name, cursor.seq, "a line belongs to no decision") from None
    return whole


def _before(cursor: Cursor, undone: list[Record], last: Record) -> Cursor:
    """Step back from lines of a decision that is not complete."""
    length = sum(record.length for record in undone)
    return Cursor(cursor.offset - length, last.seq, last.hash, last.epoch)


def check_lines(path: Path, cursor: Cursor, lines: list[bytes], into: list[Record]) -> Cursor:
    """Check whole lines (without newlines) past the cursor, append them to `into`, and move on."""
    if not lines:
        return cursor
    sealed = chain(lines, cursor.head.removeprefix("sha256:"))
    if sealed is None:
        raise _unlinked(path, cursor, lines)
    # A line has one spelling, so its place is checked without parsing it.
    start = b'{"v":%d,"stream":"%b","seq":' % (FORMAT, path.stem.encode())
    seq = cursor.seq + len(lines)
    places = [b'%b%d,"at":"' % (start, number) for number in range(cursor.seq + 1, seq + 1)]
    if not all(map(bytes.startswith, lines, places)):
        raise _misplaced(path, cursor, lines, places)
    epoch = _last_writer(path, cursor, lines, places)
    try:
        into.extend(list(map(Record, lines)))
    except ValueError:
        raise BrokenChain(path.name, seq, "up to here, some line records no event") from None
    offset = cursor.offset + sum(map(len, lines)) + len(lines)
    return Cursor(offset, seq, "sha256:" + sealed[-1], epoch)


def _last_writer(path: Path, cursor: Cursor, lines: list[bytes], places: list[bytes]) -> int:
    """The epoch of the last line; no line may have an earlier one than a line before it."""
    epoch, written_by = cursor.epoch, b'","epoch":%d,"cause":' % cursor.epoch
    for line, place in zip(lines, places, strict=True):
        if not line.startswith(written_by, len(place) + _AT):
            seq = cursor.seq + 1 + places.index(place)
            try:
                start = line.index(_EPOCH, len(place)) + len(_EPOCH)
                later = int(line[start : line.index(b",", start)])
            except ValueError:
                raise BrokenChain(path.name, seq, "the line does not say who wrote it") from None
            if later < epoch:
                raise BrokenChain(path.name, seq, "an earlier writer wrote after a later one")
            epoch, written_by = later, b'","epoch":%d,"cause":' % later
    return epoch


def _unlinked(path: Path, cursor: Cursor, lines: list[bytes]) -> BrokenChain:
    """Which line does not follow the one before it, and why."""
    prev = bare(cursor.head)
    for seq, line in enumerate(lines, cursor.seq + 1):
        if fault := link_fault(line, prev):
            return BrokenChain(path.name, seq, fault)
        prev = line[-66:-2]
    return BrokenChain(path.name, seq, "up to here, some line is not spelled as it should be")


def _misplaced(
    path: Path, cursor: Cursor, lines: list[bytes], places: list[bytes]
) -> BrokenChain | NewerFormat:
    """Which sealed line may not be where it is, and why."""
    fits = list(map(bytes.startswith, lines, places))
    line, seq = lines[fits.index(False)], cursor.seq + 1 + fits.index(False)
    try:
        version = unseal(line)["v"]
    except (ValueError, KeyError, TypeError):
        return BrokenChain(path.name, seq, "the line is not a record")
    if version != FORMAT:
        return NewerFormat(path.name, version)
    return BrokenChain(path.name, seq, "the line belongs elsewhere")
