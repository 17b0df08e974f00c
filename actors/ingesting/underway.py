"""Whether a job that is under way brings in what its files hold by now: then nobody needs another one for them."""

import os
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

from actors.archive import read_file
from actors.catalogue_state import CatalogueState
from actors.ingesting.ingest_state import document_id
from actors.ports import Published
from events.base import Blob
from events.catalogue import JobEntered
from events.codec import digest
from events.errors import ResearchError
from events.home import Home
from events.ingest import FileDone, FileRead

_LAG = 0.02
"""Seconds by which the clock of a file system may be behind ours: it ticks a hundred times a second."""

_LAG_OF_SERVERS = 300.0
"""The same where another machine keeps the files. For what is read this only costs a second look."""

_MOST_LOOKED_AT = 256 << 20
"""Bytes that are read again to tell whether they are the same; beyond that another job may as well read them."""


def brings_in(home: Home, state: CatalogueState, job: str, files: Sequence[str]) -> bool:
    """Whether all that a job has read of its files still stands there, and it will read the others as they are.

    Another job may have brought in something else of what it has read: that is not what the files hold. Wrong only
    towards the careful side: a file that is being read right now and has changed since the job began counts as changed.
    """
    order = state.entries[job].entered
    try:
        records, _ = home.read(job)
        if not records or not isinstance(order, JobEntered):
            return False
        began = datetime.fromisoformat(records[0].at).timestamp()
        facts = [record.fact for record in records if record.kind in {"file_read", "file_done"}]
        taken = [fact for fact in facts if isinstance(fact, FileRead)]
        ends = {fact.locator: fact.outcome for fact in facts if isinstance(fact, FileDone)}
        for each in taken:
            held = state.published.get((order.collection, document_id(each.locator)))
            if not _counts(each, ends.get(each.locator), held):
                return False
        read = {fact.locator: fact.original for fact in taken}
        changes = _Changes(Path(os.path.commonpath([Path(each).parent for each in files])))
        changed = [each for each in files if changes.last(each) > began - _LAG]
        if any(each not in read for each in changed):
            return False
        doubtful = [each for each in read if changes.last(each) > began - _LAG_OF_SERVERS]
        if sum(read[each].size for each in doubtful) > _MOST_LOOKED_AT:
            return False
        return all(os.lstat(each).st_size == known.size for each, known in read.items()) and all(
            _is_still(each, read[each]) for each in doubtful
        )
    except (OSError, ValueError, ResearchError):
        return False


def _counts(read: FileRead, outcome: str | None, held: Published | None) -> bool:
    """Whether what a job read of a file is held, or will be when it is done with it."""
    version = held.source.version if held else None
    if outcome in {"empty", "failed"} or version == read.original.hash:
        return True
    return outcome is None and version == (read.held.version if read.held else None)


class _Changes:
    """When files were changed last, or put in their place: they, or a folder that they lie in."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._of_folder = cache(self._folder)

    def last(self, file: str) -> float:
        """Seconds since the epoch. A renamed folder changes, and the files in it do not."""
        return max(os.lstat(file).st_ctime, self._of_folder(Path(file).parent))

    def _folder(self, folder: Path) -> float:
        own = folder.lstat().st_ctime
        return (
            own
            if folder in (self._top, folder.parent)
            else max(own, self._of_folder(folder.parent))
        )


def _is_still(file: str, known: Blob) -> bool:
    return digest(read_file(Path(file))) == known.hash
