"""Files that are made once from a model's weights and kept, so that later starts only map them."""

import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from events.logs import log

_BLOCK = 1 << 20


def cache_directory() -> Path:
    """Where built files are kept; anything in it can be deleted at any time."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(stated) if stated.startswith("/") else Path.home() / ".cache"
    return base / "research-agent" / "models"


def built(name: str, build: Callable[[Path], None]) -> Path:
    """The whole file of that name, built if it is missing or damaged.

    Where nothing can be kept it is built in a temporary place, anew in each process.
    """
    folder = cache_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / name
        if not _is_whole(kept):
            _build(kept, build)
    except OSError as failure:
        log("encoders").warning("models_not_kept", folder=str(folder), why=str(failure))
        kept = Path(tempfile.mkdtemp(prefix="research-agent-")) / name
        _build(kept, build)
    return kept


def _is_whole(path: Path) -> bool:
    try:
        return _seal_of(path).read_text() == _seal(path)
    except (OSError, UnicodeDecodeError):
        return False


def _build(path: Path, build: Callable[[Path], None]) -> None:
    """Several processes may do so at once: each renames a whole file into place."""
    with tempfile.TemporaryDirectory(prefix=".building-", dir=path.parent) as scratch:
        made = Path(scratch) / path.name
        build(made)
        seal = _seal_of(made)
        seal.write_text(_seal(made))
        made.replace(path)
        seal.replace(_seal_of(path))


def _seal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.crc32")


def _seal(path: Path) -> str:
    value = size = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
            size += len(block)
    return f"{value:08x} {size}\n"
