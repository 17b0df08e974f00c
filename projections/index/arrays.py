"""Named arrays in one immutable file, read by mapping it into memory.

    MARK, arrays (each at a multiple of 64), footer (JSON), its length, its digest, MARK

The footer says where each array lies and what its checksum is. Opening a file proves the footer
and every place in it, not the arrays themselves: those are proven by `Arrays.damaged`, which
reads everything once.
"""

import mmap
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from events.codec import canonical, decode

_MARK = b"research-index\r\n\x00"[:16].ljust(16, b"\x00")
_ALIGNED = 64
_END = 8 + 32 + len(_MARK)
_BLOCK = 1 << 24

Array = npt.NDArray[Any]


class BadFile(Exception):
    """A file is not, or not wholly, what an index wrote."""


@dataclass(frozen=True)
class Arrays:
    """An opened file: its arrays, which stay readable after the file is removed."""

    path: Path
    about: dict[str, Any]
    """What the writer said about the file."""

    columns: Mapping[str, Array]
    _sums: Mapping[str, int]

    def damaged(self, names: Iterable[str] | None = None) -> list[str]:
        """The arrays whose bytes are not those that were written; all are read, unless named."""
        asked = list(self.columns) if names is None else names
        return [name for name in asked if _checksum(self.columns[name]) != self._sums[name]]


def open_arrays(path: Path) -> Arrays:
    """Map a file; raises `BadFile` when it is torn, foreign or not there."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < len(_MARK) + _END:
                raise BadFile(f"{path.name} is too short")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        footer = _footer(path, mapped, size)
        columns = {name: _array(mapped, size, **place) for name, place in footer["arrays"].items()}
        sums = {name: int(place["sum"]) for name, place in footer["arrays"].items()}
        return Arrays(path, footer["about"], columns, sums)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as failure:
        raise BadFile(f"{path.name} cannot be read: {failure}") from failure


def _footer(path: Path, mapped: mmap.mmap, size: int) -> dict[str, Any]:
    if mapped[: len(_MARK)] != _MARK or mapped[size - len(_MARK) :] != _MARK:
        raise BadFile(f"{path.name} is no index file")
    end = size - _END
    length = int.from_bytes(mapped[end : end + 8], "little")
    if length > end - len(_MARK):
        raise BadFile(f"{path.name} is torn")
    raw = mapped[end - length : end]
    if sha256(raw).digest() != mapped[end + 8 : end + 40]:
        raise BadFile(f"{path.name} is damaged")
    footer: dict[str, Any] = decode(raw)
    return footer


def _array(mapped: mmap.mmap, size: int, dtype: str, shape: list[int], at: int, sum: int) -> Array:
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64)) if shape else 0
    if kind.hasobject or min((at, *shape)) < 0 or at + count * kind.itemsize > size - _END:
        raise BadFile("an array lies outside its file")
    return np.frombuffer(mapped, dtype=kind, count=count, offset=at).reshape(shape)


def _checksum(array: Array) -> int:
    total = 0
    raw = _bytes(array)
    for start in range(0, len(raw), _BLOCK):
        total = zlib.crc32(raw[start : start + _BLOCK], total)
    return total


def _bytes(array: Array) -> memoryview:
    flat: Any = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return memoryview(flat)


class ArrayWriter:
    """Writes one file, an array after another, in pieces that need not all be in memory."""

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._path = path
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=1 << 20)
        self._file.write(_MARK)
        self._at = len(_MARK)
        self._arrays: dict[str, dict[str, Any]] = {}

    def add(self, name: str, dtype: Any, shape: tuple[int, ...], pieces: Iterable[Array]) -> None:
        """Write an array whose elements the pieces hold, in order."""
        kind = np.dtype(dtype)
        self._pad()
        start, total = self._at, 0
        for piece in pieces:
            if piece.size:
                raw = _bytes(np.asarray(piece, dtype=kind))
                total = zlib.crc32(raw, total)
                self._file.write(raw)
                self._at += len(raw)
        assert self._at - start == int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        place = {"dtype": kind.str, "shape": list(shape), "at": start, "sum": total}
        self._arrays[name] = place

    def close(self, about: dict[str, Any]) -> int:
        """Make the file whole and durable; returns its size."""
        footer = canonical({"about": about, "arrays": self._arrays})
        self._file.write(footer)
        self._file.write(len(footer).to_bytes(8, "little") + sha256(footer).digest() + _MARK)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return self._path.stat().st_size

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _pad(self) -> None:
        gap = -self._at % _ALIGNED
        self._file.write(bytes(gap))
        self._at += gap
