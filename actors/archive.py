"""The data home on this machine, as actors use it."""

import os
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from actors.budgeting import narrowed
from actors.catalogue import Catalogue
from actors.catalogue_state import CatalogueState
from actors.ports import Place, PlacedVersion, Published, Reread, Writer
from actors.unlinked import folder_at
from actors.vain_claims import VAIN_CLAIMS, rest, vain_claims
from events.base import Blob, Fact
from events.catalogue import Brief, JobEntered, Outcome, SegmentRebuilt, SourcePublished
from events.codec import Record
from events.errors import PathRefused, Poisoned
from events.home import Home
from events.research import ResearchFinished, ResearchStopped
from events.stream import EventStream, refusal
from events.task import ResearcherAssigned

WRITERS = 4
"""Contents that are written side by side."""

SIZE_LIMIT = 64 << 20
"""Larger files are refused."""

_READING = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class LocalArchive:
    """Satisfies `ports.Archive` with files."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.catalogue = Catalogue(home)

    def claim(self, stream: str, writer: str) -> tuple[EventStream, list[Record]]:
        """Become a stream's one writer, and learn its past; one that is over is only read."""

        def over(past: list[Record]) -> bool:
            entry = self.catalogue.state().entries.get(stream)
            return ending(past) is not None if entry is None else entry.ended is not None

        held, past = EventStream.claim(self.home.path(stream), writer, over=over)
        if vain_claims(past) > VAIN_CLAIMS:
            held.close()
            raise Poisoned(stream)
        return held, past

    def append_in_turn(self, writer: Writer, fact: Fact) -> None:
        """Make a fact durable while nobody else does so, in whichever stream: the catalogue's lock is everybody's."""

        assert isinstance(writer, EventStream)

        def append(_: CatalogueState) -> list[Fact]:
            writer.append_decided(fact)
            return []

        # The stream's lock first, as in a claim and a seal: the other way round, two would wait for each other.
        with writer.holding():
            self.catalogue.decide(append)

    def put(self, content: bytes) -> Blob:
        """Keep content."""
        return self.home.blobs.put(content)

    def put_all(self, contents: Sequence[bytes]) -> list[Blob]:
        """Keep several contents; the disk takes them side by side."""
        if len(contents) < 2:
            return [self.put(each) for each in contents]
        with ThreadPoolExecutor(max_workers=WRITERS) as pool:
            return list(pool.map(self.put, contents))

    def get(self, content_hash: str) -> bytes:
        """The content of that hash."""
        return self.home.blobs.get(content_hash)

    def take_file(self, locator: str) -> Blob:
        """Keep the bytes of a file on this machine."""
        return self.put(read_file(Path(locator)))

    def brief(self, task: str) -> Brief:
        """What a task, or one of its researchers, was asked to do."""
        name, (task, _, member) = task, task.partition(".")
        brief = self.catalogue.brief(task)
        sent = self.home.read(task)[0] if member else []
        for assigned in (record.fact for record in sent if record.kind == "researcher_assigned"):
            assert isinstance(assigned, ResearcherAssigned)
            if assigned.researcher == name:
                return narrowed(brief, assigned)
        return brief

    def manifest(self, job: str) -> JobEntered:
        """What a job is to ingest."""
        return self.catalogue.job(job)

    def publish(self, sources: Sequence[SourcePublished], embedder: str) -> list[Published | None]:
        """Make document versions searchable, all at once."""
        return self.catalogue.publish(sources, embedder)

    def published(self, collection: str, documents: Sequence[str]) -> list[Published | None]:
        """The versions of some documents that a collection holds now."""
        state = self.catalogue.state()
        return [state.held((collection, document)) for document in documents]

    def embedder(self) -> str:
        """The model that the corpus is embedded with now."""
        return self.catalogue.state().embedder

    def unbuilt(self, generation: str) -> list[SourcePublished]:
        """What the corpus holds and a generation has no segments for."""
        return self.catalogue.state().unbuilt(generation)

    def outdated(self) -> list[SourcePublished]:
        """What the corpus holds as older readers have read it."""
        return self.catalogue.state().outdated()

    def read_anew(self, rereads: Sequence[Reread], embedder: str, job: str) -> list[bool]:
        """Put what newer readers read in the place of what older ones did, all at once."""
        return self.catalogue.read_anew(rereads, embedder, job)

    def rebuild(self, segments: Sequence[SegmentRebuilt]) -> None:
        """Keep segments of a coming generation."""
        self.catalogue.rebuild(segments)

    def rebuilt_by(self, job: str) -> list[SegmentRebuilt]:
        """The segments that a reindexing has kept, and that count or may count yet."""
        return self.catalogue.state().rebuilt_by(job)

    def readings_of(self, job: str) -> dict[Place, bool]:
        """Where a reindexing has published newer readings, and whether they say what was said before."""
        return dict(self.catalogue.state().read_anew.get(job, {}))

    def switch(
        self, generation: str, embedder: str, job: str, without: Sequence[PlacedVersion]
    ) -> bool:
        """Answer from a generation from now on, when it is whole and nobody came later."""
        return self.catalogue.switch(generation, embedder, job, without)

    def has_switched(self, job: str) -> bool:
        """Whether a reindexing has told searches what to answer from."""
        return job in self.catalogue.state().switched

    def is_overtaken(self, job: str) -> bool:
        """Whether a reindexing that was accepted later has told searches to answer from another model."""
        return self.catalogue.state().is_overtaken(job)

    def seal(self, writer: Writer, outcome: Outcome) -> None:
        """Anchor the end of a task's or job's stream, once, and only by its present writer."""
        assert isinstance(writer, EventStream)
        if self.catalogue.state().entries[writer.name].ended:
            return
        # Both locks: between the look at the stream's end and its anchoring nobody may claim it.
        with writer.holding():
            self.catalogue.seal(writer.head, outcome)

    def rest(self, stream: str) -> float:
        """Seconds that an actor should wait before it starts on a stream on which others just died."""
        return rest(self.home.read(stream)[0])

    def arriving(self, stream: str) -> int:
        """Note that an actor is about to start on a stream; how many did so in vain before."""
        path = self.home.run / "arrivals" / stream
        try:
            path.parent.mkdir(exist_ok=True)
            with path.open("ab", buffering=0) as file:
                file.write(b".")
                return file.tell() - 1
        except OSError as failure:
            raise refusal(path.parent, failure) from failure

    def arrived(self, stream: str) -> None:
        """Note that it did start."""
        path = self.home.run / "arrivals" / stream
        try:
            path.unlink(missing_ok=True)
        except OSError as failure:
            raise refusal(path.parent, failure) from failure


def ending(past: list[Record]) -> ResearchFinished | ResearchStopped | None:
    """How a researcher's stream ended, if it did."""
    for record in reversed(past):
        if record.kind in {"research_finished", "research_stopped"}:
            fact = record.fact
            assert isinstance(fact, ResearchFinished | ResearchStopped)
            return fact
    return None


def read_file(path: Path) -> bytes:
    """The bytes of a plain file of bearable size; anything else is refused without blocking.

    Paths were resolved when they were accepted: what is a link by now was put there since.
    """
    try:
        with folder_at(path.parent) as folder:
            descriptor = os.open(path.name, _READING, dir_fd=folder)
            try:
                named = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
                return _content(path.name, descriptor, named)
            finally:
                os.close(descriptor)
    except (OSError, ValueError) as failure:
        raise PathRefused(path.name, getattr(failure, "strerror", None) or "no such path") from None


def _content(name: str, descriptor: int, named: os.stat_result) -> bytes:
    """What an opened file holds, if it is the one that is called so."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(name, "it is not a regular file")
    if not os.path.samestat(status, named):
        raise PathRefused(name, "it has become a link, or another file")
    if status.st_size <= SIZE_LIMIT:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(SIZE_LIMIT + 1)
        if len(content) <= SIZE_LIMIT:
            return content
    raise PathRefused(name, f"it is larger than {SIZE_LIMIT >> 20} MiB")
