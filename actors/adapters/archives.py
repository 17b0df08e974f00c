"""Looks into a zip before anything is inflated: bombs are refused by what they declare.

A member cannot yield more than it declares, because `zipfile` stops there, so the declared sizes
bound what any reader of the archive can be made to hold.
"""

import io
import zipfile

from events.errors import Unreadable

LARGEST = 400 << 20
"""Bytes that all members may inflate to."""

MOST_MEMBERS = 20_000
_FREE = 32 << 20
"""Up to this size no ratio is suspicious: sheets of numbers compress a hundredfold."""

_RATIO = 120
_ENCRYPTED = 0x1


def members(name: str, raw: bytes) -> dict[str, int]:
    """The members of an archive and their declared sizes; raises `Unreadable` for a bomb."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as broken:
        raise Unreadable(name, "it is a damaged or cut off archive") from broken
    if len(listed) > MOST_MEMBERS:
        raise Unreadable(name, f"it is an archive of more than {MOST_MEMBERS:,} files")
    size = sum(member.file_size for member in listed)
    if size > LARGEST:
        raise Unreadable(name, f"it would inflate to {size >> 20} MB; {LARGEST >> 20} are allowed")
    if size > _FREE and size > _RATIO * len(raw):
        raise Unreadable(
            name, f"it would inflate to {size // len(raw)} times its size, like a bomb"
        )
    if any(member.flag_bits & _ENCRYPTED for member in listed):
        raise Unreadable(name, "it is encrypted")
    return {member.filename: member.file_size for member in listed}
