"""What actors need of the world, and nothing about who provides it."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from events.base import Blob, Fact, Hash
from events.calls import Usage
from events.catalogue import Brief, JobEntered, Outcome, SourcePublished
from events.codec import Record
from events.stream import Head
from events.task import ResearcherAssigned


class Passage(BaseModel):
    """A piece of a document in the corpus, at its exact place."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str
    version: Hash
    """Digest of the original bytes."""

    size: int
    """Length of the original in bytes."""

    text_hash: Hash
    """The text read out of it; the span counts characters of this."""

    locator: str
    title: str
    media_type: str
    collection: str
    published_at: str
    headings: tuple[str, ...]
    start: int
    end: int
    text: str
    score: float
    """Relevance, 0 to 1, comparable within one answer only."""


class Chunk(BaseModel):
    """A piece of one document version that is found and quoted as a whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int
    end: int
    """Character span in the document's text."""

    headings: tuple[str, ...] = ()
    content_type: str = "prose"
    """prose, code_block or table."""


class Parsed(BaseModel):
    """What a parser made of a file's bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    media_type: str
    text: str
    chunks: tuple[Chunk, ...]


class Corpus(Protocol):
    """What was ingested, as a researcher may ask about it."""

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
        """The passages nearest to the query, best first, from the named collections only."""


class Parser(Protocol):
    """Turns a file's bytes into text with structure."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Raise `Unreadable` when there is no text to be had from it."""


class Writer(Protocol):
    """The writing end of one stream, wherever the data home is."""

    @property
    def head(self) -> Head:
        """Where the stream ends."""

    def append(self, *facts: Fact, cause: str | None = None) -> Head:
        """Make the facts durable, all or none."""


@dataclass(frozen=True)
class Published:
    """The version of a document that a collection holds."""

    version: str
    job: str
    first: bool
    """No version of it was there before."""


class Archive(Protocol):
    """The data home as actors use it, here or on another machine."""

    def claim(self, stream: str, writer: str) -> tuple[Writer, list[Record]]:
        """Become a stream's one writer, and learn its past."""

    def put(self, content: bytes) -> Blob:
        """Keep content."""

    def get(self, content_hash: str) -> bytes:
        """The content of that hash."""

    def take_file(self, locator: str) -> Blob:
        """Keep the bytes of a file on the data home's machine."""

    def brief(self, task: str) -> Brief:
        """What a task was asked to do."""

    def manifest(self, job: str) -> JobEntered:
        """What a job is to ingest."""

    def publish(self, source: SourcePublished) -> Published:
        """Make a document version searchable, once; publishing it again changes nothing."""

    def published(self, collection: str, document: str) -> Published | None:
        """The version of a document that a collection holds now."""

    def seal(self, writer: Writer, outcome: Outcome) -> None:
        """Anchor the end of a task's or job's stream, once, and only by its present writer."""

    def arriving(self, stream: str) -> int:
        """Note that an actor is about to start on a stream; how many did so in vain before."""

    def arrived(self, stream: str) -> None:
        """Note that it did start."""


class Crew(Protocol):
    """The researchers a task can send out."""

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        """See to it that the researcher works; sending twice is harmless."""

    def stop(self, researcher: str) -> None:
        """Tell the researcher to stop soon; it reports what it has."""

    def dismiss(self, researcher: str) -> None:
        """End the researcher at once, whatever it is doing."""


class Answer(BaseModel):
    """What came back from the world."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: bytes
    model: str | None = None
    usage: Usage = Usage()
    cost_usd: float = 0.0
