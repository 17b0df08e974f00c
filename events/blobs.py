"""Content kept by its hash: compressed, deduplicated, whole or absent."""

import errno
import os
import uuid
from contextlib import suppress
from pathlib import Path

import zstandard

from events.base import Blob
from events.codec import digest
from events.errors import DamagedBlob, MissingBlob
from events.stream import refusal, sync_directory

LIMIT = 1 << 30
"""No content is larger than this, whatever a damaged or hostile file claims."""

_FRAME_START = 18
"""Bytes that the beginning of a packed file has at the most."""


class BlobStore:
    """A directory of blobs, `ab/cdef…` by the hash of their content."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, content_hash: str) -> Path:
        """Where content of that hash lies, if it is here."""
        name = content_hash.removeprefix("sha256:")
        if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise MissingBlob(content_hash)
        return self._root / name[:2] / name[2:]

    def put(self, content: bytes) -> Blob:
        """Keep content; the same content twice is kept once."""
        name = digest(content)
        path = self.path(name)
        try:
            stored = path.read_bytes()
            if _content(name, stored) == content:
                return Blob(hash=name, size=len(content), stored=digest(stored))
        except (OSError, DamagedBlob):
            pass  # Not there, or not whole: written anew below.
        stored = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(content)
        try:
            if not path.parent.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                sync_directory(self._root)
            passing = path.parent / f".{uuid.uuid4().hex}"
            _write_durably(passing, stored)
            passing.rename(path)
            sync_directory(path.parent)
        except OSError as failure:
            raise refusal(self._root, failure) from failure
        return Blob(hash=name, size=len(content), stored=digest(stored))

    def take(self, content_hash: str, packed: Path) -> None:
        """Move a packed file here that lies on the same disk; what is here already stays."""
        path = self.path(content_hash)
        with suppress(MissingBlob, DamagedBlob):
            self.get(content_hash)
            return
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            sync_directory(self._root)
        packed.replace(path)
        sync_directory(path.parent)

    def unpacked_size(self, content_hash: str) -> int:
        """How large content says that it is, without unpacking it."""
        try:
            with self.path(content_hash).open("rb") as file:
                size = zstandard.frame_content_size(file.read(_FRAME_START))
        except FileNotFoundError:
            raise MissingBlob(content_hash) from None
        except OSError as failure:
            raise _unreadable(content_hash, failure) from None
        except zstandard.ZstdError as failure:
            raise DamagedBlob(content_hash, str(failure)) from None
        if not 0 <= size <= LIMIT:
            raise DamagedBlob(content_hash, "its length is not believable")
        return size

    def get(self, content_hash: str) -> bytes:
        """The content of that hash, checked."""
        try:
            stored = self.path(content_hash).read_bytes()
        except FileNotFoundError:
            raise MissingBlob(content_hash) from None
        except OSError as failure:
            raise _unreadable(content_hash, failure) from None
        return _content(content_hash, stored)

    def get_text(self, content_hash: str) -> str:
        """The content of that hash, as text."""
        return self.get(content_hash).decode("utf-8")


_LOST = frozenset(
    number
    for name in ("EIO", "EISDIR", "ENOTDIR", "ELOOP", "EUCLEAN")
    if (number := getattr(errno, name, None))
)
"""What is wrong with the file itself; anything else may pass, and must not be remembered as damage."""


def _unreadable(name: str, failure: OSError) -> Exception:
    damaged = failure.errno in _LOST
    return DamagedBlob(name, failure.strerror or str(failure)) if damaged else failure


def _content(name: str, stored: bytes) -> bytes:
    try:
        size = zstandard.frame_content_size(stored)
        if not 0 <= size <= LIMIT:
            raise DamagedBlob(name, "its length is not believable")
        content = zstandard.ZstdDecompressor().decompress(
            stored, max_output_size=LIMIT, allow_extra_data=False
        )
    except zstandard.ZstdError as failure:
        raise DamagedBlob(name, str(failure)) from None
    if digest(content) != name:
        raise DamagedBlob(name, "its bytes do not match its hash")
    return content


def _write_durably(path: Path, raw: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        left = memoryview(raw)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
