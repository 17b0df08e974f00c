"""What can happen to documents on their way in."""

from typing import Literal

from events.base import Blob, Fact, Hash

FileOutcome = Literal["added", "updated", "unchanged", "empty", "failed"]


class IngestAccepted(Fact):
    """The job began."""

    kind: Literal["ingest_accepted"] = "ingest_accepted"

    collection: str
    manifest: Blob
    files: int


class FileRead(Fact):
    """A file's bytes were taken in."""

    kind: Literal["file_read"] = "file_read"

    locator: str
    original: Blob


class FileDone(Fact):
    """A file reached its end, good or bad; it will not be looked at again by this job."""

    kind: Literal["file_done"] = "file_done"

    locator: str
    outcome: FileOutcome
    document: str | None = None
    version: Hash | None = None
    chunks: int = 0
    code: str | None = None
    reason: str | None = None


class IngestFinished(Fact):
    """The job ended."""

    kind: Literal["ingest_finished"] = "ingest_finished"

    added: int
    updated: int
    unchanged: int
    empty: int
    failed: int


class IngestStopped(Fact):
    """The job ended early; what was published stays."""

    kind: Literal["ingest_stopped"] = "ingest_stopped"

    reason: Literal["cancelled", "timed_out", "failed"]
    code: str | None = None
    message: str | None = None
