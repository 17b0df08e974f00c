"""Reaching what stands at a path through the path's own folders, none of which may be a link.

Paths are resolved when they are accepted, so a link in one of them was put there since. To ask beforehand whether there
is one would not help, for it can be put there between the question and the opening: each folder is opened from the one
above it.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Where it can be told apart, a folder is only passed through: that needs no permission to list it.
_PASSING = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


@contextmanager
def folder_at(path: Path) -> Iterator[int]:
    """A descriptor of a folder, from which to open what is in it; an `OSError` where a link would lead there."""
    path = path.absolute()
    held = os.open(path.anchor, _PASSING)
    try:
        for part in path.parts[1:]:
            inner = _entered(part, held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)


def open_unlinked(path: Path, flags: int) -> int:
    """A descriptor of what is at a path; an `OSError` where it, or a folder on its way, is a link."""
    with folder_at(path.parent) as folder:
        return os.open(path.name or ".", flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _entered(part: str, above: int) -> int:
    try:
        return os.open(part, _PASSING, dir_fd=above)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(part, dir_fd=above, follow_symlinks=False).st_mode):
            raise OSError(
                errno.ELOOP, f"the folder {part!r} on its way has become a link"
            ) from None
        raise
