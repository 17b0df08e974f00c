"""Snapshots on disk: a directory per generation, whole or not there, proven before it is used.

Several processes may save at once: each writes a directory of its own and renames it into place,
so the last one wins and none can damage another's. Losing a snapshot costs only time.
"""

import os
import shutil
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from events.codec import canonical, decode, digest
from events.stream import sync_directory

_MANIFEST = "manifest.json"
_KEPT = 2
"""Generations left in place: the newest, and the one that somebody may just be reading."""

_ABANDONED = 3600.0
"""Seconds after which an unfinished save belongs to nobody."""


class Snapshots:
    """The generations of one kind of snapshot."""

    def __init__(self, root: Path, form: str) -> None:
        self._root = root
        self._form = form
        """Names the content's format; a snapshot of any other is none."""

    def newest(self) -> dict[str, bytes]:
        """The files of the newest generation that is whole and ours; nothing if there is none."""
        for path in reversed(self._generations()):
            if files := self._read(path):
                return files
        return {}

    def save(self, files: Mapping[str, bytes]) -> None:
        """Make a new generation durable, then drop the oldest."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        passing = self._root / f".saving-{uuid.uuid4().hex}"
        passing.mkdir(mode=0o700)
        try:
            digests = {name: digest(content) for name, content in files.items()}
            manifest = canonical({"form": self._form, "files": digests})
            for name, content in (*files.items(), (_MANIFEST, manifest)):
                with (passing / name).open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            sync_directory(passing)
            number = max(map(_number, self._generations()), default=0) + 1
            passing.rename(self._root / f"{number:012d}-{uuid.uuid4().hex[:8]}")
            sync_directory(self._root)
        except OSError:
            shutil.rmtree(passing, ignore_errors=True)
            raise
        self._tidy()

    def _generations(self) -> list[Path]:
        try:
            found = [path for path in self._root.iterdir() if _number(path)]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(found, key=lambda path: (_number(path), path.name))

    def _read(self, path: Path) -> dict[str, bytes]:
        try:
            manifest = decode((path / _MANIFEST).read_bytes())
            if manifest["form"] != self._form:
                return {}
            files = {name: (path / name).read_bytes() for name in manifest["files"]}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        whole = all(digest(files[name]) == claimed for name, claimed in manifest["files"].items())
        return files if whole else {}

    def _tidy(self) -> None:
        for path in self._generations()[:-_KEPT]:
            shutil.rmtree(path, ignore_errors=True)
        for path in self._root.glob(".saving-*"):
            try:
                abandoned = time.time() - path.stat().st_mtime > _ABANDONED
            except FileNotFoundError:
                continue
            if abandoned:
                shutil.rmtree(path, ignore_errors=True)


def _number(path: Path) -> int:
    number, _, tag = path.name.partition("-")
    return int(number) if tag and number.isdigit() else 0


def form_of(*modules: str) -> str:
    """Names what these modules of ours make of the record, by the very code they consist of.

    So no change of a fold can ever meet a snapshot that was made before it.
    """
    here = Path(__file__).parent
    return digest(b"".join((here / f"{module}.py").read_bytes() for module in modules))
