"""The index files of a data home: which of them count, and how they come and go.

A small list names the files that count; it is replaced in one step. Files are never changed, and
whoever has one mapped keeps it after it is removed. So readers never wait, and a builder that
dies leaves what was there before.
"""

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from events.codec import canonical, decode, digest
from events.errors import HomeUnwritable
from events.locks import ONLY_STOPPED_AFTER, take_lock
from events.logs import log
from events.stream import refusal, sync_directory
from language import words
from projections.index.arrays import Arrays, BadFile, open_arrays
from projections.index.part import FORMAT, Part, Space

_LIST = "current.json"
_SUFFIX = ".index"

SMALL = ("fingerprint", "entry.at", "heading", "content_type", "language", "start", "end")
"""Columns that are proven whenever a file is opened; the others take longer."""


@dataclass(frozen=True, eq=False)
class Held:
    """A file that counts, opened."""

    arrays: Arrays
    part: Part


class Library:
    """The index files under a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._form = f"{FORMAT}.{words.ANALYSER}"
        self._open: dict[str, Held] = {}
        self._bad: set[str] = set()
        self._seen: tuple[int, int] | None = None

    def changed(self) -> bool:
        """Whether the list is another than at the last `refresh`."""
        return self._stamp() != self._seen

    def refresh(self) -> list[Held]:
        """Open what the list names; a file that is damaged or not ours is left out, and said so."""
        for _ in range(3):
            stamp, names = self._stamp(), self.names()
            held = {name: self._open.get(name) or self._opened(name) for name in names}
            if stamp == self._stamp():
                break  # Otherwise a file may be missing because it was just replaced.
        self._seen = stamp
        self._open = {name: each for name, each in held.items() if each}
        return list(self._open.values())

    def drop(self, name: str) -> None:
        """Let nobody open a file again that turned out to be damaged: it will be built anew."""
        self._open.pop(name, None)
        self._bad.add(name)
        with suppress(OSError):
            (self._root / name).unlink()

    def names(self) -> list[str]:
        """The files that count."""
        try:
            names = _listed((self._root / _LIST).read_bytes())
            return [name for name in names if _is_ours(name) and name not in self._bad]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as failure:
            log("index").warning("index_list_unreadable", why=str(failure)[:200])
            return []

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = (self._root / _LIST).stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _opened(self, name: str) -> Held | None:
        try:
            arrays = open_arrays(self._root / name)
            if arrays.about.get("form") != self._form:
                return None  # Of another version: its documents are indexed anew.
            return _held(arrays)
        except (BadFile, KeyError, TypeError, ValueError) as failure:
            log("index").warning("index_file_unreadable", file=name, why=str(failure)[:200])
            return None

    # -- writing -----------------------------------------------------------------------------------

    @contextmanager
    def building(self, *, wait: bool) -> Iterator[bool]:
        """Be the one builder; yields False at once if there is another and we need not wait."""
        with refused(self._root):
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            lock = os.open(self._root / "lock", flags, 0o600)
        try:
            if wait:
                # Ctrl-Z also stops the builder that a command has started; questions would wait for it.
                path = self._root / "lock"
                after = ONLY_STOPPED_AFTER
                take_lock(lock, path, end_stopped_after=after, however_long=True)
            else:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                    return
            yield True
        finally:
            os.close(lock)

    @property
    def form(self) -> str:
        """What this version's files say of their format."""
        return self._form

    def new_file(self) -> Path:
        """Where a builder may write its next file."""
        return self._root / f"{uuid.uuid4().hex}{_SUFFIX}"

    def open_new(self, name: str) -> Held:
        """A file that was just written."""
        held = self._opened(name)
        if held is None:
            raise HomeUnwritable(str(self._root), "what was written cannot be read back")
        return held

    def publish(self, names: list[str]) -> None:
        """Let these files count, and remove the others. Only within `building`."""
        with refused(self._root):
            sync_directory(self._root)
            proof = digest(canonical([self._form, names]))
            passing = self._root / f".{_LIST}"
            with passing.open("wb") as file:
                file.write(canonical({"form": self._form, "files": names, "proof": proof}))
                file.flush()
                os.fsync(file.fileno())
            passing.rename(self._root / _LIST)
            sync_directory(self._root)
            self.tidy(names)

    def tidy(self, names: list[str]) -> None:
        """Remove what a builder before us left behind. Only within `building`."""
        for path in self._root.glob(f"*{_SUFFIX}"):
            if path.name not in names:
                path.unlink(missing_ok=True)


def _listed(raw: bytes) -> list[str]:
    listed = decode(raw)
    names: list[str] = listed["files"]
    if listed["proof"] != digest(canonical([listed["form"], names])):
        raise ValueError("it was changed")
    return names


def _held(arrays: Arrays) -> Held:
    if damaged := arrays.damaged(SMALL):
        raise BadFile(f"{arrays.path.name} is damaged in {damaged[0]}")
    spaces = tuple(Space(str(model), int(size)) for model, size in arrays.about["spaces"])
    labels, rows = tuple(arrays.about["labels"]), int(arrays.about["rows"])
    return Held(arrays, Part(arrays.columns, spaces, labels, rows, arrays.path.name))


def _is_ours(name: str) -> bool:
    return name.endswith(_SUFFIX) and Path(name).name == name


@contextmanager
def refused(root: Path) -> Iterator[None]:
    """Say what is wrong with the disk in our own words."""
    try:
        yield
    except OSError as failure:
        raise refusal(root, failure) from failure
