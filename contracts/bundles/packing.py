"""The one way a bundle is packed: a ZIP file of which every byte is decided by what is in it.

Files stand in the order of their names, as they are, with one date and one mode; so the same content makes the same
archive anywhere. Reading accepts exactly that and nothing else: there is no room for a link, a path that leads
elsewhere, a name twice, a file that grows when it is unpacked, or a byte that nobody accounts for.
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from events.errors import BadRequest, BundleRefused

MOST_FILES = 60_000
LARGEST = 2 << 30
"""Bytes of a bundle."""

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_DATE, _TIME = (1980 - 1980) << 9 | 1 << 5 | 1, 0
_VERSION = 20
_MADE_BY = 3 << 8 | _VERSION
_MODE = 0o100644 << 16
_PIECE = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

Content = bytes | Path


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a bundle, and where its bytes lie."""

    name: str
    start: int
    size: int
    crc: int


def write(files: dict[str, Content], out: IO[bytes]) -> None:
    """Pack files."""
    members: list[Member] = []
    place = 0
    for name in sorted(files):
        size, crc = _measure(files[name])
        head = _local(name, size, crc)
        members.append(Member(name, place + len(head), size, crc))
        out.write(head)
        copied = 0
        for piece in _pieces(files[name]):
            out.write(piece)
            copied += len(piece)
        if copied != size:
            raise OSError(f"{name} changed while it was packed")
        place += len(head) + size
    if place > LARGEST or len(members) > MOST_FILES:
        raise BadRequest(
            f"The bundle would have more than {LARGEST >> 20} MiB or {MOST_FILES} files.",
            "Copy the data home instead.",
        )
    out.write(_ending(members, place))


def _measure(content: Content) -> tuple[int, int]:
    size = crc = 0
    for piece in _pieces(content):
        size, crc = size + len(piece), zlib.crc32(piece, crc)
    return size, crc


def _pieces(content: Content) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _local(name: str, size: int, crc: int) -> bytes:
    raw = name.encode("ascii")
    head = _LOCAL.pack(*(b"PK\x03\x04", _VERSION, 0, 0, _TIME, _DATE, crc, size, size, len(raw), 0))
    return head + raw


def _ending(members: Sequence[Member], place: int) -> bytes:
    listed = b"".join(
        _CENTRAL.pack(
            *(b"PK\x01\x02", _MADE_BY, _VERSION, 0, 0, _TIME, _DATE, each.crc, each.size),
            *(each.size, len(each.name), 0, 0, 0, 0, _MODE),
            each.start - _LOCAL.size - len(each.name),
        )
        + each.name.encode("ascii")
        for each in members
    )
    count = len(members)
    return listed + _END.pack(b"PK\x05\x06", 0, 0, count, count, len(listed), place, 0)


def read(path: Path) -> list[Member]:
    """The files of a bundle; `BundleRefused` unless each byte is where `write` would have put it."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST:
            raise BundleRefused(path.name, f"it is larger than {LARGEST >> 20} MiB")
        members: list[Member] = []
        place = 0
        while (head := _at(file, place, _LOCAL.size))[:4] == b"PK\x03\x04":
            member = _member(path.name, file, place, head, size)
            if members and member.name <= members[-1].name:
                raise BundleRefused(path.name, f"{member.name} is there twice, or out of order")
            if len(members) == MOST_FILES:
                raise BundleRefused(path.name, f"it has more than {MOST_FILES} files")
            members.append(member)
            place = member.start + member.size
        if not members:
            raise BundleRefused(path.name, "it is not a ZIP file written by research-agent export")
        file.seek(place)
        ending = _ending(members, place)
        if file.read(len(ending) + 1) != ending:
            raise BundleRefused(path.name, "its directory is not the one of its files")
    return members


def _member(bundle: str, file: IO[bytes], place: int, head: bytes, end: int) -> Member:
    if len(head) < _LOCAL.size:
        raise BundleRefused(bundle, "it is cut off")
    _, _, _, method, _, _, crc, packed, size, length, _ = _LOCAL.unpack(head)
    raw = _at(file, place + _LOCAL.size, min(length, 300))
    try:
        name = raw.decode("ascii")
    except UnicodeDecodeError:
        raise BundleRefused(bundle, "a name in it is not plain") from None
    if method or packed != size:
        raise BundleRefused(bundle, f"{name!r} is compressed, which no file of a bundle is")
    if _local(name, size, crc) != head + raw:
        raise BundleRefused(bundle, f"{name!r} is not packed as bundles are")
    start = place + len(head) + len(raw)
    if start + size > end:
        raise BundleRefused(bundle, "it is cut off")
    return Member(name, start, size, crc)


def _at(file: IO[bytes], place: int, length: int) -> bytes:
    file.seek(place)
    return file.read(length)


def unpack(path: Path, members: Sequence[Member], folder: Path) -> None:
    """Put the files of a bundle into a folder that is empty; names were looked at before."""
    with path.open("rb") as file:
        for member in members:
            target = folder / member.name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.seek(member.start)
            left, crc = member.size, 0
            with os.fdopen(os.open(target, _NEW, 0o600), "wb") as out:
                while left and (piece := file.read(min(_PIECE, left))):
                    out.write(piece)
                    left, crc = left - len(piece), zlib.crc32(piece, crc)
                out.flush()
                os.fsync(out.fileno())
            if left or crc != member.crc:
                raise BundleRefused(path.name, f"{member.name!r} is not what it was packed as")
