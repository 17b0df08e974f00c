"""Unpacks what was compressed for the way, in small bounded pieces, and stops at bombs."""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]
import zstandard

OFFERED = "gzip, deflate, br, zstd"
"""What a server may use, as a header says it."""

_PIECE = 1 << 16
_ZSTD_SLICE = 128
"""Four bytes of zstd can stand for 128 KiB, and its unpacking cannot be paused: 4 MiB at most."""

_ZSTD_WINDOW = 8 << 20
"""What a receiver must offer by RFC 9659, and all that is offered."""

_MOST_LAYERS = 2
_MOST_MEMBERS = 10_000
"""Packed files in a row that count as one; to begin each costs time, also where nothing is in it."""

_GZIP = b"\x1f\x8b"
_BOMB_FLOOR = 8 << 20
_BOMB_RATIO = 200
"""Text shrinks to a tenth; beyond the floor, a two-hundredth is no text."""


class NotUnpackable(Exception):
    """The packed bytes are not what they claim to be: (why,)."""


class TooMuch(Exception):
    """There is more in it than may come out: (why,)."""


class _Layer(Protocol):
    """One compression, undone."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What comes out of the next bytes, piece by piece."""

    @property
    def complete(self) -> bool:
        """Whether it may end here."""


def unpacked(chunks: Iterator[bytes], encoding: str, most_bytes: int) -> Iterator[bytes]:
    """The content of a body sent with that Content-Encoding, never more than that many bytes."""
    names = [name.strip().lower() for name in encoding.split(",")]
    layers = [_layer(name) for name in reversed(names) if name not in ("", "identity")]
    if len(layers) > _MOST_LAYERS:
        raise NotUnpackable("it is packed more than twice")
    taken = given = 0
    for chunk in chunks:
        taken += len(chunk)
        for piece in _through(layers, chunk):
            given += len(piece)
            if given > most_bytes:
                raise TooMuch(f"it is larger than {most_bytes} bytes")
            if given > _BOMB_FLOOR and given > taken * _BOMB_RATIO:
                raise TooMuch("it grows out of all proportion when unpacked")
            yield piece
    if taken and not all(layer.complete for layer in layers):
        raise NotUnpackable("its packed content is cut off")


def opened(body: bytes, most_bytes: int) -> bytes:
    """What is in a gzip file, never more than that many bytes; anything else as it is."""
    if not body.startswith(_GZIP):
        return body
    pieces = (body[start : start + _PIECE] for start in range(0, len(body), _PIECE))
    return b"".join(unpacked(pieces, "gzip", most_bytes))


def _layer(name: str) -> _Layer:
    match name:
        case "gzip" | "x-gzip":
            return _Zlib(zlib.MAX_WBITS | 16)
        case "deflate":
            return _Zlib(None)
        case "br":
            return _Brotli()
        case "zstd":
            return _Zstd()
    raise NotUnpackable(f"it is packed as {name[:40]!r}, which is not read")


def _through(layers: list[_Layer], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    try:
        for piece in layers[0].feed(data):
            yield from _through(layers[1:], piece)
    except (zlib.error, brotli.error, zstandard.ZstdError) as failure:
        raise NotUnpackable("its packed content is damaged") from failure


class _Members:
    """Counts the packed files that follow each other in one."""

    def __init__(self) -> None:
        self._begun = 1

    def next(self) -> None:
        """One more begins; raises `NotUnpackable` where they are too many."""
        self._begun += 1
        if self._begun > _MOST_MEMBERS:
            raise NotUnpackable("it is packed in too many parts")


class _Zlib:
    """gzip, of one member or several; deflate with its header, or without as some servers send it."""

    def __init__(self, window: int | None) -> None:
        self._window, self._members = window, _Members()
        self._first = b""
        self._inner = None if window is None else zlib.decompressobj(window)

    @property
    def complete(self) -> bool:
        return self._inner is not None and self._inner.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._inner is None:
            self._first += data
            if len(self._first) < 2:
                return
            data = self._first
            headed = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if headed else -zlib.MAX_WBITS)
        while data:
            if self._inner.eof:
                if self._window is None or not data.startswith(b"\x1f"):
                    return  # Padding after the end, as browsers pass over it.
                self._members.next()
                self._inner = zlib.decompressobj(self._window)
            piece = self._inner.decompress(data, _PIECE)
            if piece:
                yield piece
            data = self._inner.unused_data if self._inner.eof else self._inner.unconsumed_tail


class _Brotli:
    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._inner.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self.complete:
            piece = self._inner.process(data, output_buffer_limit=_PIECE)
            data = b""
            if piece:
                yield piece
            if self._inner.can_accept_more_data():
                return


class _Zstd:
    def __init__(self) -> None:
        self._inner, self._members = self._fresh(), _Members()

    @staticmethod
    def _fresh() -> "zstandard.ZstdDecompressionObj":
        return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()

    @property
    def complete(self) -> bool:
        return self._inner.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _ZSTD_SLICE):
            rest = data[start : start + _ZSTD_SLICE]
            while rest:
                if self._inner.eof:
                    self._members.next()
                    self._inner = self._fresh()
                piece = self._inner.decompress(rest)
                if piece:
                    yield piece
                rest = self._inner.unused_data if self._inner.eof else b""
