"""What the root stream records: sources, and which tasks and jobs exist; `events.shelves` has its collections.

Several processes write it, so its facts are ordered by its lock and mean the same to everybody.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Fact, Hash
from events.websites import FetchOrder

Outcome = Literal["completed", "failed", "cancelled", "quarantined"]


LIMITS = ("max_iterations", "max_sources", "token_budget")
"""What of a research's constraints is a number."""


class Constraints(BaseModel):
    """The caller's limits on a research."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_iterations: int = 5
    token_budget: int = 20_000
    max_sources: int = 10
    source_filter: str | None = None
    said: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Which of them the caller named; one that is left alone may be decided by the depth."""

    def binds(self, name: str) -> bool:
        """Whether a limit is the caller's own."""
        return name in self.said or getattr(self, name) != type(self).model_fields[name].default


class Continued(BaseModel):
    """An ended task that another one goes on from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    head: Hash
    """Where its stream ended."""

    evidence: Blob
    """What it had read, asked and found, as `actors.earlier` packs it."""

    focus: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the caller wants to know more of."""

    answers_only: bool = Field(default=False, exclude_if=lambda value: value is False)
    """Whether only what was answered to it is known; what it found is somebody else's to carry on."""


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

    # Left out of the bytes while they say nothing, so that a brief is spelled as it always was.
    notify: bool = Field(default=False, exclude_if=lambda value: value is False)
    """Whether somebody wants to be told on their desktop when it ends."""

    task_cap_usd: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """Dollars that this task may cost: once they are spent, no further paid call is made."""

    daily_cap_usd: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """Dollars that all tasks of a day may cost together, as far as this task has a say."""

    orchestrate: bool | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whether what a researcher notices may send out further ones; by its depth where nobody says."""

    available: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    """Kinds of researchers that could be sent out when the task was accepted."""

    continues: Continued | None = Field(default=None, exclude_if=lambda value: value is None)
    """The task whose evidence this one starts from."""

    fetching: FetchOrder | None = Field(default=None, exclude_if=lambda value: value is None)
    """How its pages are fetched, where the caller's settings say otherwise than usual."""

    @property
    def wants_company(self) -> bool:
        """Whether further researchers are wanted: by the caller's word, else by the depth."""
        return self.depth == "deep" if self.orchestrate is None else self.orchestrate


class Entry(BaseModel):
    """One document that a job is to bring in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    locator: str
    """Path or URL: where it comes from, and so what it is known by, unless `document` says otherwise."""

    content: Blob | None = None
    """Its bytes, where they were handed in with it."""

    name: str | None = None
    """A file name that tells what kind of content it is, where the locator does not."""

    title: str | None = None
    metadata: dict[str, str] = {}
    tags: tuple[str, ...] = ()
    document: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What it is known by, where its locator alone does not say which one it is."""


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

    sync_window_s: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """Seconds that a caller who starts a research waited for its end, as it was set then."""


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
    """What it is to ingest, as a JSON list of `Entry` or of bare locators."""

    files: int
    key: str | None = None
    purpose: Literal["ingest", "reindex"] = "ingest"
    """To bring documents in, or to build a new generation of segments for those that are held."""

    embedder: str = ""
    """Of a reindexing: the embedding model that the new generation is made with."""

    tags: tuple[str, ...] = ()
    """What every document of this job is tagged with."""

    references: Blob | None = Field(default=None, exclude_if=lambda value: value is None)
    """The references that its documents are looked up in, as `actors.ingesting.references` packs them."""

    anew: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether its documents are read, cut and embedded although nothing of them has changed."""


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
    """Identity of the document: derived from where it comes from, of a text that was handed in also from its title."""

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

    generation: str = ""
    """The way its chunks were cut and embedded."""

    language: str = "und"
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict)
    """What it says of itself, or others of it: author, year, citekey, as far as known."""

    reader: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Who read its text, and in which version, such as `pdf-2`; none from before readers had versions."""


class SegmentRebuilt(Fact):
    """A document version was cut and embedded another way; it counts from the switch on."""

    kind: Literal["segment_rebuilt"] = "segment_rebuilt"

    generation: str
    document: str
    version: Hash
    collection: str
    text: Blob
    segment: Blob
    chunks: int
    job: str


class GenerationSwitched(Fact):
    """Searches answer from the segments of this generation from here on."""

    kind: Literal["generation_switched"] = "generation_switched"

    generation: str
    embedder: str
    """The model that queries must be embedded with; empty for the bundled one."""

    job: str


class SourceRemoved(Fact):
    """A document left a collection; its versions stay citable."""

    kind: Literal["source_removed"] = "source_removed"

    document: str
    collection: str


class ResearchRated(Fact):
    """Somebody who knows said how right an answer is; a later rating takes the place of this one."""

    kind: Literal["research_rated"] = "research_rated"

    task: str
    correct: float = Field(ge=0.0, le=1.0)
    confidence: float = Field(ge=0.0, le=1.0)
    """What the answer said of itself."""

    note: str | None = None


class ImportBegun(Fact):
    """Streams of another home are about to be put here; what is there of them counts from the import on."""

    kind: Literal["import_begun"] = "import_begun"

    task: str
    streams: tuple[str, ...]


class TaskImported(Fact):
    """An ended research of another home was taken over; its stream ends here, as it did there."""

    kind: Literal["task_imported"] = "task_imported"

    task: str
    seq: int
    head: Hash
    outcome: Literal["completed", "failed", "cancelled"]
    brief: Blob
    question: str
    researcher: str
    entered_at: str
    ended_at: str
    save_partial: bool = True
    """What was to become of partial results, if it was cancelled."""

    origin: Blob
    """The lines of the other home's catalogue that name and end it."""

    references: Blob
    """What it cites, as CSL-JSON."""

    kept: tuple[Blob, ...] = ()
    """What it read, and refers to by hash only."""
