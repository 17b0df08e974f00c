"""Keeping a research as a file: the name says what and when, the write is whole or not at all.

Nothing that exists is ever overwritten, nothing is written outside the folder that was named, and nothing into the
data home.
"""

import errno
import os
import re
import shutil
import uuid
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contracts.core import Core
from contracts.deep_research.results import metadata_of
from contracts.rendering import ENDINGS, Document, Format, render
from contracts.seen_letters import seen
from contracts.wording import record_of
from events.errors import BadRequest, ResearchError
from projections.results import ResultView

DEFAULT_FOLDER = "./research_reports"
PREFIX_LENGTH = 100
_PREFIX_BYTES = 200
"""What of the 255 bytes that a file's name may have is left for its beginning."""

_RESERVE = 64 << 10
"""Bytes that must stay free: a disk filled to its last block is nobody's friend."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_TRIES = 100


class NoRoom(ResearchError):
    """A report does not fit on the disk: (path, required kB, available kB)."""

    code = "no_room"
    says = "Insufficient disk space to save report"
    suggestion = "Free up disk space or specify alternative output_dir"


class NotAllowed(ResearchError):
    """A report may not be written there: (path, why)."""

    code = "not_allowed"
    says = "Cannot write to {0}: {1}"
    suggestion = "Specify an output_dir that you can write to, without '..' in it"


class NotAName(NotAllowed):
    """The beginning of a file's name is a path, or hides the file: (what was given,)."""

    says = "The filename_prefix {0} has a slash or begins with a dot"
    suggestion = "Use a filename_prefix without slashes that does not begin with a dot; a folder is named in output_dir"


def save(
    core: Core,
    task: str,
    output_dir: str,
    prefix: str,
    *,
    include_metadata: bool,
    include_sources: bool,
    form: Format,
) -> dict[str, Any]:
    """Write an ended research to a file; what was written, and where."""
    if form not in ENDINGS:
        raise BadRequest(f"There is no format {form!r}.", f"Use one of {', '.join(ENDINGS)}.")
    folder = checked_folder(output_dir, core.home.root)
    stem = checked_prefix(prefix)
    found = without_unseen(core.views.result(task))
    now = datetime.now(UTC)
    created_at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    document = Document(
        found,
        metadata_of(core, found) if include_metadata else None,
        include_sources,
        record_of(found.status),
        created_at,
    )
    content, sections = render(document, form)
    name = f"{stem}_{task[:8]}_{now:%Y%m%d_%H%M%S}"
    path = write_new(folder, f"{now:%Y-%m}", name, ENDINGS[form], content)
    return {
        "success": True,
        "task_id": task,
        "file_path": str(path),
        "filename": path.name,
        "file_size_kb": round(len(content) / 1024, 1),
        "created_at": created_at,
        "sections_included": sections,
        "format": form,
        "record": record_of(found.status),
    }


def without_unseen(found: ResultView) -> ResultView:
    """What was found without the letters that nobody sees; the record keeps them."""
    return replace(
        found, question=seen(found.question), result=seen(found.result), report=seen(found.report)
    )


def checked_folder(output_dir: str, home: Path) -> Path:
    """The folder that was named, absolute; refused when it leads out of itself or into the data home."""
    _expect_text(output_dir, "output_dir")
    if not output_dir.strip() or "\0" in output_dir or len(output_dir) > 4000:
        why = "has a null character" if "\0" in output_dir else "is empty or too long"
        raise BadRequest(f"The output_dir {why}.", "Name a folder.")
    if ".." in re.split(r"[/\\]", output_dir):
        raise NotAllowed(output_dir, "it contains '..'")
    try:
        folder = Path(output_dir).expanduser().absolute()
        real = folder.resolve()
        inside = real.is_relative_to(home.resolve())
    except (OSError, RuntimeError) as failure:
        raise NotAllowed(output_dir, _why(failure)) from None
    if inside:
        raise NotAllowed(output_dir, "it is in the data home")
    return folder


def checked_prefix(prefix: str) -> str:
    """The beginning of a file's name; refused when it could be a path."""
    _expect_text(prefix, "filename_prefix")
    if re.search(r"[/\\]", prefix) or prefix.startswith("."):
        raise NotAName(prefix[:PREFIX_LENGTH])
    if not 1 <= len(prefix) <= PREFIX_LENGTH:
        raise BadRequest(
            "The filename_prefix is empty or too long.", f"Use 1 to {PREFIX_LENGTH} characters."
        )
    if (size := len(prefix.encode())) > _PREFIX_BYTES:
        raise BadRequest(
            f"The filename_prefix takes {size} bytes, and no file could have the name.",
            f"Use fewer characters: in this script about {_PREFIX_BYTES * len(prefix) // size}.",
        )
    if not re.fullmatch(r"[\w .+@=-]+", prefix):
        raise BadRequest(
            "The filename_prefix has characters that no file name should have.",
            "Use letters, digits, spaces and . _ - + @ =",
        )
    return prefix


def _expect_text(given: str, name: str) -> None:
    """Refuse half signs: no file can be named so, and no answer could repeat them."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise BadRequest(
            f"The {name} is not valid text.", "Remove the broken characters."
        ) from None


def write_new(folder: Path, month: str, name: str, ending: str, content: bytes) -> Path:
    """Write a file that was not there before, whole or not at all."""
    place = folder / month
    path = place / f"{name}.{ending}"
    try:
        place.mkdir(parents=True, exist_ok=True)
        if place.resolve() != folder.resolve() / month:
            raise NotAllowed(str(place), "it leads somewhere else")
        free = shutil.disk_usage(place).free
        if free < len(content) + _RESERVE:
            raise NoRoom(str(path), kilobytes(len(content) + _RESERVE), free >> 10)
        return _link_new(place, name, ending, content)
    except OSError as failure:
        if failure.errno in _FULL:
            raise NoRoom(str(path), kilobytes(len(content)), _free_kb(folder)) from None
        raise NotAllowed(str(path), _why(failure)) from None


def _link_new(place: Path, name: str, ending: str, content: bytes) -> Path:
    passing = place / f".{uuid.uuid4().hex}"
    try:
        _write(passing, content)
        for number in range(1, _TRIES):
            path = place / (f"{name}.{ending}" if number == 1 else f"{name}_{number}.{ending}")
            # A link, unlike a rename, never replaces what is there.
            with suppress(FileExistsError):
                _give_name(passing, path)
                return path
        raise NotAllowed(str(place), "every name for this file is taken")
    finally:
        passing.unlink(missing_ok=True)


def _give_name(passing: Path, path: Path) -> None:
    try:
        path.hardlink_to(passing)
    except OSError as failure:
        if failure.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}:
            raise
        # A file system without links: whoever makes the name first has it.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        passing.replace(path)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def kilobytes(size: int) -> int:
    """Whole kilobytes, rounded up."""
    return -(-size // 1024)


def _free_kb(folder: Path) -> int:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free >> 10
    except OSError:
        return 0


def _why(failure: Exception) -> str:
    return getattr(failure, "strerror", None) or str(failure)
