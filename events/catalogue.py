"""What the root stream records: collections, sources, and which tasks and jobs exist.

Several processes write it, so its facts are ordered by its lock and mean the same to everybody.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from events.base import Blob, Fact, Hash

Outcome = Literal["completed", "failed", "cancelled", "quarantined"]


class Constraints(BaseModel):
    """The caller's limits on a research."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_iterations: int = 5
    token_budget: int = 20_000
    max_sources: int = 10
    source_filter: str | None = None


class Brief(BaseModel):
    """What a research task was asked to do, whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    context: str | None = None
    depth: Literal["shallow", "balanced", "deep"] = "balanced"
    constraints: Constraints = Constraints()
    researcher: str = "corpus"
    """Kind of researcher that works on it."""

    model: str | None = None
    """Model the caller asked for, where the kind has a choice."""

    collections: tuple[str, ...] | None = None
    """Scope; none means everything."""

    max_wait_s: float = 8 * 3600.0
    """After this long the task ends with what it has."""

    asked_through: str = "cli"
    """The door it came in by."""


class CollectionCreated(Fact):
    """A named scope over the corpus came to be."""

    kind: Literal["collection_created"] = "collection_created"

    collection: str
    collection_type: Literal["fundamental", "project-specific"] = "fundamental"
    project: str | None = None


class TaskEntered(Fact):
    """A research task was accepted: from here on it will be worked on until it ends."""

    kind: Literal["task_entered"] = "task_entered"

    task: str
    """The task's UUID, also the name of its stream."""

    brief: Blob
    """The `Brief`, as JSON."""

    question: str
    """The question's beginning, for lists."""

    researcher: str
    key: str | None = None
    """The caller's idempotency key: the same key never makes a second task."""


class CancelRequested(Fact):
    """Somebody wants a task or job stopped."""

    kind: Literal["cancel_requested"] = "cancel_requested"

    target: str
    save_partial: bool = True


class JobEntered(Fact):
    """An ingest job was accepted."""

    kind: Literal["job_entered"] = "job_entered"

    job: str
    collection: str
    manifest: Blob
    """What it is to ingest, as a JSON list of locators."""

    files: int
    key: str | None = None


class StreamSealed(Fact):
    """A task or job ended; its stream will not grow again, and this is where it ends."""

    kind: Literal["stream_sealed"] = "stream_sealed"

    target: str
    seq: int
    head: Hash
    outcome: Outcome


class StreamQuarantined(Fact):
    """A task or job whose actor cannot even start is left alone from here on."""

    kind: Literal["stream_quarantined"] = "stream_quarantined"

    target: str
    code: str
    message: str


class SourcePublished(Fact):
    """One version of one document became searchable, whole."""

    kind: Literal["source_published"] = "source_published"

    document: str
    """Identity of the document: derived from where it comes from, whatever its content."""

    version: Hash
    """Digest of the original bytes."""

    collection: str
    locator: str
    """Path or URL."""

    title: str
    media_type: str
    original: Blob
    text: Blob
    """What was read out of it; spans count characters of this."""

    segment: Blob
    """Its chunks."""

    chunks: int
    job: str
    """The job that brought it in."""


class SourceRemoved(Fact):
    """A document left a collection; its versions stay citable."""

    kind: Literal["source_removed"] = "source_removed"

    document: str
    collection: str
