"""What can happen to documents on their way in."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Fact, Hash

FileOutcome = Literal["added", "updated", "unchanged", "empty", "failed"]


class IngestAccepted(Fact):
    """The job began."""

    kind: Literal["ingest_accepted"] = "ingest_accepted"

    collection: str
    manifest: Blob
    files: int


class Held(BaseModel):
    """The version of a document that its collection held when its file was read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Hash
    generation: str
    title: str
    segment: Hash
    # Left out of the bytes while they say nothing, so that a version is spelled as it always was.
    tags: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    metadata: dict[str, str] = Field(default_factory=dict, exclude_if=lambda value: not value)
    reader: str | None = Field(default=None, exclude_if=lambda value: value is None)


class FileRead(Fact):
    """A file's bytes were taken in."""

    kind: Literal["file_read"] = "file_read"

    locator: str
    original: Blob
    held: Held | None = None
    """What is compared with; recorded, because the work itself changes it."""


class FileDone(Fact):
    """A file reached its end, good or bad; it will not be looked at again by this job."""

    kind: Literal["file_done"] = "file_done"

    locator: str
    outcome: FileOutcome
    document: str | None = None
    version: Hash | None = None
    chunks: int = 0
    embedded: int = 0
    """Chunks that had to be embedded; the others were the same in the version before."""

    text: Blob | None = None
    """What was read out of it, where nothing of it was worth publishing."""

    pages: int = 0
    empty_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    """What of the file did not come out as text, and why."""

    code: str | None = None
    reason: str | None = None
    reader: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of a reindexing: who read it anew, where an older reader had read it before."""

    collection: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of a reindexing: the one that holds it."""

    instead_of: FileOutcome | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of a reindexing: what it told of the document before, which counts no more."""


class ChunksEmbedded(Fact):
    """Some more chunks of the files at hand are embedded."""

    kind: Literal["chunks_embedded"] = "chunks_embedded"

    done: int
    of: int
    locator: str
    """The file that the last of them belongs to."""


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
