"""What actors need of the world, and nothing about who provides it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Fact, Hash
from events.calls import Usage
from events.catalogue import Brief, JobEntered, Outcome, SegmentRebuilt, SourcePublished
from events.codec import Record
from events.embedding import ToEmbed
from events.stream import Head
from events.task import ResearcherAssigned

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Stage(BaseModel):
    """What one stage of a search thought of a passage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rank: int
    """1 is best; among the candidates of that stage."""

    score: float
    scale: str
    """What the score means, such as `bm25` or `cosine`."""


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
    """Relevance, 0 to 1, calibrated: it means the same for every question and corpus."""

    chunk: str = ""
    """Identity of the chunk: the same for the same span of the same version."""

    content_type: str = "prose"
    first_page: int | None = None
    last_page: int | None = None
    language: str = "und"
    stages: dict[str, Stage] = {}
    """Rank and score at each stage that saw the passage."""

    # Left out of the bytes while they say nothing: earlier answers had none of them.
    dated: str = Field(default="", exclude_if=lambda value: not value)
    """When the document came out, by itself or its reference: a year, or a year and a month."""

    saved: str = Field(default="", exclude_if=lambda value: not value)
    """When its file was made or saved, where nothing else is known: the document is no newer."""

    searched_on: str = Field(default="", exclude_if=lambda value: not value)
    """The day of the search: what is recent is judged from here."""


class Block(BaseModel):
    """A piece of a text with a part of its own in the structure."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["heading", "paragraph", "list", "table", "code", "aside"]
    """An aside (a rule, a comment, front matter) is text that is never found."""

    start: int
    end: int
    """Character span in the text, without surrounding blank lines."""

    level: int = 0
    """Of a heading: 1 is the highest."""

    title: str = ""
    """Of a heading: its words, without markup."""

    page: int | None = None
    """Page on which it begins, counted from 1, where the original has pages."""


class Coverage(BaseModel):
    """How much of a file came out as text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pages: int = 0
    """Pages in all; 0 where the original has none."""

    empty_pages: tuple[int, ...] = ()
    """Pages without any text, counted from 1."""

    warnings: tuple[str, ...] = ()
    """What was left out, and why."""


class Parsed(BaseModel):
    """What a parser made of a file's bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    media_type: str
    text: str
    blocks: tuple[Block, ...]
    """In order, not overlapping. What lies between them is white space or markup."""

    coverage: Coverage = Coverage()
    metadata: dict[str, str] = {}
    """What the file says of itself: author, date, language, doi, as far as it does."""

    reader: str | None = None
    """Who read it, and in which version, as `actors.ingesting.readers` names them."""


class Chunk(BaseModel):
    """A piece of one document version that is found and quoted as a whole."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int
    end: int
    """Character span in the document's text."""

    headings: tuple[str, ...] = ()
    content_type: Literal["prose", "code_block", "table"] = "prose"
    first_page: int | None = None
    last_page: int | None = None
    language: str = "und"
    """ISO 639-1, or `und` where nobody can tell."""


class Corpus(Protocol):
    """What was ingested, as a researcher may ask about it."""

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """The passages nearest to the query, best first, from the named collections only.

        Only of sources whose path or URL has one of the words `among`, if there are any; * stands for anything.
        """

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question: cosines; none where nobody can tell."""


class Parser(Protocol):
    """Turns a file's bytes into text with structure."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        """Raise `Unreadable` when there is no text to be had from it."""


@runtime_checkable
class ScanParser(Protocol):
    """A parser that also reads pages which are images, in languages that it is told."""

    def parse_in(self, name: str, raw: bytes, languages: Sequence[str]) -> Parsed:
        """Like `Parser.parse`, where scanned pages are in one of these languages."""


class Embedding(Protocol):
    """What one model made of some chunks."""

    @property
    def model(self) -> str:
        """Name of the model; another one when its vectors would be other ones."""

    @property
    def vectors(self) -> "npt.NDArray[np.float16]":
        """A row for each chunk, all zero where the model does not read its language."""

    @property
    def late(self) -> list[bytes]:
        """Packed vectors of each chunk's parts."""


class Embedder(Protocol):
    """Turns chunks into vectors."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models that `embed` answers for, in that order."""

    def embed(self, chunks: Sequence[ToEmbed]) -> Sequence[Embedding]:
        """One embedding by each model."""


class OpenEmbedder(Protocol):
    """Loads an embedding model."""

    def __call__(self, setting: str) -> Embedder:
        """The model of that name; the bundled one for an empty name."""


class Writer(Protocol):
    """The writing end of one stream, wherever the data home is."""

    @property
    def head(self) -> Head:
        """Where the stream ends."""

    def append(self, *facts: Fact, cause: str | None = None) -> Head:
        """Make the facts durable, all or none."""


Place = tuple[str, str]
"""A document in a collection: (collection, document)."""

PlacedVersion = tuple[str, str, str]
"""A version of a document in a collection: (collection, document, version)."""


@dataclass(frozen=True)
class Published:
    """The version of a document that a collection holds."""

    source: SourcePublished
    first: bool
    """No version of it was there before."""


@dataclass(frozen=True)
class Reread:
    """A document version that is held, and the same as a newer reader reads it."""

    before: SourcePublished
    after: SourcePublished


class Archive(Protocol):
    """The data home as actors use it, here or on another machine."""

    def claim(self, stream: str, writer: str) -> tuple[Writer, list[Record]]:
        """Become a stream's one writer, and learn its past."""

    def append_in_turn(self, writer: Writer, fact: Fact) -> None:
        """Make a fact durable by itself: of two that are appended so, the later one's writer can see the earlier."""

    def put(self, content: bytes) -> Blob:
        """Keep content."""

    def put_all(self, contents: Sequence[bytes]) -> list[Blob]:
        """Keep several contents; faster than one after the other."""

    def get(self, content_hash: str) -> bytes:
        """The content of that hash."""

    def take_file(self, locator: str) -> Blob:
        """Keep the bytes of a file on the data home's machine."""

    def brief(self, task: str) -> Brief:
        """What a task, or one of its researchers, was asked to do."""

    def manifest(self, job: str) -> JobEntered:
        """What a job is to ingest."""

    def publish(self, sources: Sequence[SourcePublished], embedder: str) -> list[Published | None]:
        """Make document versions searchable, all at once; doing it again changes nothing.

        None stands for what was removed after its job was accepted: that stays removed.
        Raise `GenerationMoved` when the corpus is embedded with another model by now.
        """

    def published(self, collection: str, documents: Sequence[str]) -> list[Published | None]:
        """The versions of some documents that a collection holds now."""

    def embedder(self) -> str:
        """The model that the corpus is embedded with now."""

    def unbuilt(self, generation: str) -> list[SourcePublished]:
        """What the corpus holds and a generation has no segments for."""

    def outdated(self) -> list[SourcePublished]:
        """What the corpus holds as older readers have read it, with the chunks that it has now."""

    def read_anew(self, rereads: Sequence[Reread], embedder: str, job: str) -> list[bool]:
        """Put what newer readers read in the place of what older ones did, all at once.

        False stands for what is not as it was before any more, or embedded with another model by now.
        """

    def rebuild(self, segments: Sequence[SegmentRebuilt]) -> None:
        """Keep segments of a coming generation."""

    def rebuilt_by(self, job: str) -> list[SegmentRebuilt]:
        """The segments that a reindexing has kept, and that count or may count yet."""

    def readings_of(self, job: str) -> dict[Place, bool]:
        """Where a reindexing has published newer readings, and whether they say what was said before."""

    def switch(
        self, generation: str, embedder: str, job: str, without: Sequence[PlacedVersion]
    ) -> bool:
        """Answer from a generation from now on; not while any version but these lacks in it, nor once overtaken."""

    def has_switched(self, job: str) -> bool:
        """Whether a reindexing has told searches what to answer from."""

    def is_overtaken(self, job: str) -> bool:
        """Whether a reindexing that was accepted later has told searches to answer from another model."""

    def seal(self, writer: Writer, outcome: Outcome) -> None:
        """Anchor the end of a task's or job's stream, once, and only by its present writer."""

    def rest(self, stream: str) -> float:
        """Seconds that an actor should wait before it starts on a stream on which others just died."""

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
