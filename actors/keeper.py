"""The data home for actors on other machines, and its open corpus for all: one actor, and its clients.

The keeper remembers nothing between calls: a writer sends its cursor along with what it appends, so
a keeper that was restarted goes on where the old one stopped, and a stale writer is still refused.
"""

import socket
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from actors.archive import LocalArchive
from actors.keys import HomeKeys
from actors.ports import Corpus, Passage, Place, PlacedVersion, Published, Reread, Writer
from events.base import Blob, Fact
from events.catalogue import Brief, JobEntered, Outcome, SegmentRebuilt, SourcePublished
from events.codec import Record
from events.errors import EngineDown
from events.logs import log
from events.stream import EventStream, Head
from events.tail import Cursor

T = TypeVar("T")


class Keeper:
    """Lives on the data home's machine. Every method may be called from anywhere."""

    def __init__(
        self,
        archive: LocalArchive,
        corpus: Corpus,
        spent_today: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._archive, self._corpus, self._spent_today = archive, corpus, spent_today

    def claim(self, stream: str, writer: str) -> tuple[Cursor, list[Record]]:
        """Claim a stream for a writer elsewhere."""
        held, past = self._archive.claim(stream, writer)
        held.close()
        # What is over is only read: no append fits behind a cursor that is nowhere.
        return held.cursor._replace(offset=-1) if held.over else held.cursor, past

    def append(
        self, stream: str, cursor: Cursor, facts: tuple[Fact, ...], cause: str | None
    ) -> Cursor:
        """Append for a writer elsewhere, if it still is the writer."""
        held = EventStream.resume(self._archive.home.path(stream), cursor)
        try:
            held.append(*facts, cause=cause)
        finally:
            held.close()
        return held.cursor

    def append_in_turn(self, stream: str, cursor: Cursor, fact: Fact) -> Cursor:
        """The same in its turn."""
        held = EventStream.resume(self._archive.home.path(stream), cursor)
        try:
            self._archive.append_in_turn(held, fact)
        finally:
            held.close()
        return held.cursor

    def seal(self, stream: str, cursor: Cursor, outcome: Outcome) -> None:
        """Anchor the end of a stream for its writer elsewhere."""
        held = EventStream.resume(self._archive.home.path(stream), cursor)
        try:
            self._archive.seal(held, outcome)
        finally:
            held.close()

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """Ask the corpus for a researcher elsewhere."""
        return self._corpus.search(query, limit, collections, among)

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Compare texts with a question for a researcher elsewhere."""
        return self._corpus.likeness(question, texts)

    def spent_today(self) -> float:
        """Dollars that the whole data home has cost today."""
        return self._spent_today()

    def keys(self) -> dict[str, str]:
        """Providers' keys for a researcher elsewhere; they pass through memory only."""
        return HomeKeys(self._archive.home.root).all()

    def do(self, method: str, *arguments: Any) -> Any:
        """Everything else an archive does, as it does it."""
        return getattr(self._archive, method)(*arguments)


class Ask(Protocol):
    """Calls a method of the keeper and waits for its answer."""

    def __call__(self, method: str, *arguments: Any) -> Any:
        """Raise what the keeper raised, or `EngineDown` when it does not answer."""


class KeeperWriter:
    """The writing end of a stream in a data home elsewhere."""

    def __init__(self, ask: Ask, stream: str, cursor: Cursor) -> None:
        self._ask, self._stream, self._cursor = ask, stream, cursor

    @property
    def head(self) -> Head:
        """Where the stream ends."""
        return Head(self._stream, self._cursor.seq, self._cursor.head)

    @property
    def cursor(self) -> Cursor:
        """How far this writer knows the stream."""
        return self._cursor

    def append(self, *facts: Fact, cause: str | None = None) -> Head:
        """Make the facts durable, all or none."""
        self._cursor = self._ask("append", self._stream, self._cursor, facts, cause)
        return self.head

    def append_in_turn(self, fact: Fact) -> None:
        """Make a fact durable while nobody else does so."""
        self._cursor = self._ask("append_in_turn", self._stream, self._cursor, fact)


class KeeperArchive:
    """Satisfies `ports.Archive` through the keeper."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def claim(self, stream: str, writer: str) -> tuple[KeeperWriter, list[Record]]:
        """Become a stream's one writer, and learn its past."""
        place = f"{writer} on {socket.gethostname()}"
        cursor, past = self._ask("claim", stream, place)
        return KeeperWriter(self._ask, stream, cursor), past

    def append_in_turn(self, writer: Writer, fact: Fact) -> None:
        """Make a fact durable while nobody else does so, in whichever stream."""
        assert isinstance(writer, KeeperWriter)
        writer.append_in_turn(fact)

    def seal(self, writer: Writer, outcome: Outcome) -> None:
        """Anchor the end of a task's or job's stream, once."""
        assert isinstance(writer, KeeperWriter)
        self._ask("seal", writer.head.stream, writer.cursor, outcome)

    def put(self, content: bytes) -> Blob:
        """Keep content."""
        kept: Blob = self._ask("do", "put", content)
        return kept

    def put_all(self, contents: Sequence[bytes]) -> list[Blob]:
        """Keep several contents."""
        kept: list[Blob] = self._ask("do", "put_all", contents)
        return kept

    def get(self, content_hash: str) -> bytes:
        """The content of that hash."""
        content: bytes = self._ask("do", "get", content_hash)
        return content

    def take_file(self, locator: str) -> Blob:
        """Keep the bytes of a file on the data home's machine."""
        kept: Blob = self._ask("do", "take_file", locator)
        return kept

    def brief(self, task: str) -> Brief:
        """What a task was asked to do."""
        brief: Brief = self._ask("do", "brief", task)
        return brief

    def manifest(self, job: str) -> JobEntered:
        """What a job is to ingest."""
        entered: JobEntered = self._ask("do", "manifest", job)
        return entered

    def publish(self, sources: Sequence[SourcePublished], embedder: str) -> list[Published | None]:
        """Make document versions searchable, all at once."""
        published: list[Published | None] = self._ask("do", "publish", sources, embedder)
        return published

    def published(self, collection: str, documents: Sequence[str]) -> list[Published | None]:
        """The versions of some documents that a collection holds now."""
        published: list[Published | None] = self._ask("do", "published", collection, documents)
        return published

    def embedder(self) -> str:
        """The model that the corpus is embedded with now."""
        setting: str = self._ask("do", "embedder")
        return setting

    def unbuilt(self, generation: str) -> list[SourcePublished]:
        """What the corpus holds and a generation has no segments for."""
        sources: list[SourcePublished] = self._ask("do", "unbuilt", generation)
        return sources

    def outdated(self) -> list[SourcePublished]:
        """What the corpus holds as older readers have read it."""
        sources: list[SourcePublished] = self._ask("do", "outdated")
        return sources

    def read_anew(self, rereads: Sequence[Reread], embedder: str, job: str) -> list[bool]:
        """Put what newer readers read in the place of what older ones did, all at once."""
        counted: list[bool] = self._ask("do", "read_anew", rereads, embedder, job)
        return counted

    def rebuild(self, segments: Sequence[SegmentRebuilt]) -> None:
        """Keep segments of a coming generation."""
        self._ask("do", "rebuild", segments)

    def rebuilt_by(self, job: str) -> list[SegmentRebuilt]:
        """The segments that a reindexing has kept, and that count or may count yet."""
        segments: list[SegmentRebuilt] = self._ask("do", "rebuilt_by", job)
        return segments

    def readings_of(self, job: str) -> dict[Place, bool]:
        """Where a reindexing has published newer readings, and whether they say what was said before."""
        readings: dict[Place, bool] = self._ask("do", "readings_of", job)
        return readings

    def switch(
        self, generation: str, embedder: str, job: str, without: Sequence[PlacedVersion]
    ) -> bool:
        """Answer from a generation from now on, when it is whole and nobody came later."""
        switched: bool = self._ask("do", "switch", generation, embedder, job, without)
        return switched

    def has_switched(self, job: str) -> bool:
        """Whether a reindexing has told searches what to answer from."""
        switched: bool = self._ask("do", "has_switched", job)
        return switched

    def is_overtaken(self, job: str) -> bool:
        """Whether a reindexing that was accepted later has told searches to answer from another model."""
        overtaken: bool = self._ask("do", "is_overtaken", job)
        return overtaken

    def rest(self, stream: str) -> float:
        """Seconds that an actor should wait before it starts on a stream on which others just died."""
        seconds: float = self._ask("do", "rest", stream)
        return seconds

    def arriving(self, stream: str) -> int:
        """Note that an actor is about to start on a stream."""
        before: int = self._ask("do", "arriving", stream)
        return before

    def arrived(self, stream: str) -> None:
        """Note that it did start."""
        self._ask("do", "arrived", stream)


class KeeperCorpus:
    """Satisfies `ports.Corpus` through the keeper."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """The passages nearest to the query."""
        found: list[Passage] = self._ask("search", query, limit, collections, among)
        return found

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question."""
        alike: list[float | None] = self._ask("likeness", question, texts)
        return alike


class SharedCorpus:
    """The corpus as the keeper has it open, for actors on the data home's own machine.

    Models and indexes take seconds and half a gigabyte in each process that opens them. Where the keeper does not
    answer, the corpus is opened here: an actor beside the files needs nobody.
    """

    def __init__(self, ask: Ask, open_here: Callable[[], Corpus]) -> None:
        self._keepers, self._open_here = KeeperCorpus(ask), open_here
        self._own: Corpus | None = None

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """The passages nearest to the query."""
        return self._asked(lambda corpus: corpus.search(query, limit, collections, among))

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question."""
        return self._asked(lambda corpus: corpus.likeness(question, texts))

    def _asked(self, question: Callable[[Corpus], T]) -> T:
        if self._own is None:
            try:
                return question(self._keepers)
            except EngineDown as down:
                log("keeper").warning("corpus_opened_here", why=down.sentence)
                self._own = self._open_here()
        return question(self._own)
