"""A data home: where its streams, blobs, views and running parts lie."""

import re
from functools import lru_cache
from pathlib import Path

from events.blobs import BlobStore
from events.codec import Record
from events.errors import UnknownTask
from events.stream import refusal
from events.tail import Cursor, read_stream

CATALOGUE = "catalogue"
"""The root stream."""

QUERIES = "queries"
"""What was asked of the corpus. Like the root stream it has many writers, and nobody above it."""

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,119}")


class Home:
    """One data home. Opening it touches nothing; `prepare` makes it ready to be written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.traces = root / "traces"
        self.views = root / "views"
        self.run = root / "run"
        self.hosts = self.run / "hosts"
        self.blobs = BlobStore(root / "blobs")

    def prepare(self) -> None:
        """Make the directories, private to their owner."""
        for path in (self.root, self.traces, self.traces / "heads", self.views, self.run):
            try:
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as failure:
                raise refusal(self.root, failure) from failure

    def path(self, stream: str) -> Path:
        """The file of a stream; a name that could not be one names no task."""
        return _file(self.traces, stream)

    def read(self, stream: str, cursor: Cursor = Cursor()) -> tuple[list[Record], Cursor]:  # noqa: B008
        """The records of a stream past the cursor."""
        return read_stream(self.path(stream), cursor)


@lru_cache(4096)  # Asked for several times by every look at a task.
def _file(traces: Path, stream: str) -> Path:
    if not _NAME.fullmatch(stream) or ".." in stream:
        raise UnknownTask(stream[:80])
    return traces / f"{stream}.jsonl"
