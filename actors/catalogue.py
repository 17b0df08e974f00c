"""The root stream as its many writers see it: read what others wrote, decide, append, under one lock."""

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from actors.ports import Published
from events.base import Fact
from events.catalogue import (
    Brief,
    CancelRequested,
    CollectionCreated,
    JobEntered,
    Outcome,
    SourcePublished,
    SourceRemoved,
    StreamQuarantined,
    StreamSealed,
    TaskEntered,
)
from events.codec import Record, canonical, decode, digest
from events.errors import KeyConflict, TaskAlreadyEnded, UnknownTask
from events.home import CATALOGUE, Home
from events.stream import EventStream, Head
from events.tail import Cursor

QUESTION_IN_LISTS = 300
"""Characters of a question that the catalogue itself carries."""


@dataclass
class Entry:
    """A task or job that was accepted."""

    entered: TaskEntered | JobEntered
    stop: CancelRequested | None = None
    ended: Outcome | None = None


@dataclass
class CatalogueState:
    """What the root stream adds up to, for those who decide."""

    entries: dict[str, Entry] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    collections: set[str] = field(default_factory=set)
    published: dict[tuple[str, str], Published] = field(default_factory=dict)

    def unfinished(self) -> list[str]:
        """Tasks and jobs that still have to be worked on, oldest first."""
        return [name for name, entry in self.entries.items() if entry.ended is None]


def evolve(state: CatalogueState, fact: Fact) -> None:
    """Fold one fact in."""
    match fact:
        case TaskEntered(task=name, key=key) | JobEntered(job=name, key=key):
            state.entries[name] = Entry(fact)
            if key:
                state.keys[key] = name
        case CancelRequested(target=name):
            state.entries[name].stop = fact
        case StreamSealed(target=name, outcome=outcome):
            state.entries[name].ended = outcome
        case StreamQuarantined(target=name):
            state.entries[name].ended = "quarantined"
        case CollectionCreated(collection=name):
            state.collections.add(name)
        case SourcePublished():
            place = fact.collection, fact.document
            first = place not in state.published
            state.published[place] = Published(fact.version, fact.job, first)
        case SourceRemoved():
            state.published.pop((fact.collection, fact.document), None)
        case _:
            pass


class Catalogue:
    """One process's hold on the root stream. Safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._path: Path = home.path(CATALOGUE)
        self._state = CatalogueState()
        self._cursor = Cursor()
        self._mutex = threading.Lock()

    def state(self) -> CatalogueState:
        """Everything acknowledged so far, by anybody."""
        with self._mutex:
            self._fold(self._home.read(CATALOGUE, self._cursor))
            return self._state

    def grew(self) -> bool:
        """Whether there is anything the last `state` did not include; costs one look at the file."""
        try:
            return self._path.stat().st_size != self._cursor.offset
        except FileNotFoundError:
            return False

    def enter_task(
        self, brief: Brief, key: str | None = None, cause: str | None = None
    ) -> tuple[str, Head]:
        """Accept a research task. When this returns, the id is durable.

        The same key with the same brief gives the same task, however often and from
        however many processes at once.
        """
        raw = canonical(brief)
        name = str(uuid.uuid4())

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal name
            if key and (known := state.keys.get(key)):
                earlier = state.entries[known].entered
                if not isinstance(earlier, TaskEntered) or earlier.brief.hash != digest(raw):
                    raise KeyConflict(key, known)
                name = known
                return []
            return [
                TaskEntered(
                    task=name,
                    brief=self._home.blobs.put(raw),
                    question=brief.question[:QUESTION_IN_LISTS],
                    researcher=brief.researcher,
                    key=key,
                )
            ]

        head = self._decide(decide, cause)
        return name, head

    def enter_job(
        self, collection: str, locators: list[str], cause: str | None = None
    ) -> tuple[str, Head]:
        """Accept an ingest job, and the collection it fills."""
        manifest = self._home.blobs.put(canonical(locators))
        name = f"ingest-{uuid.uuid4()}"

        def decide(state: CatalogueState) -> list[Fact]:
            new = [] if collection in state.collections else [collection]
            job = JobEntered(
                job=name, collection=collection, manifest=manifest, files=len(locators)
            )
            return [*(CollectionCreated(collection=each) for each in new), job]

        return name, self._decide(decide, cause)

    def request_cancel(self, target: str, *, save_partial: bool, cause: str | None = None) -> Head:
        """Ask for a task or job to be stopped; asking twice changes nothing."""

        def decide(state: CatalogueState) -> list[Fact]:
            entry = state.entries.get(target)
            if entry is None:
                raise UnknownTask(target)
            if entry.ended:
                raise TaskAlreadyEnded(target, entry.ended)
            return [] if entry.stop else [CancelRequested(target=target, save_partial=save_partial)]

        return self._decide(decide, cause)

    def seal(self, head: Head, outcome: Outcome) -> None:
        """Anchor the end of a stream, once."""

        def decide(state: CatalogueState) -> list[Fact]:
            if self._entry(state, head.stream).ended:
                return []
            return [StreamSealed(target=head.stream, seq=head.seq, head=head.hash, outcome=outcome)]

        self._decide(decide, None)

    def quarantine(self, target: str, code: str, message: str) -> None:
        """Leave a task or job alone that cannot be worked on."""

        def decide(state: CatalogueState) -> list[Fact]:
            if self._entry(state, target).ended:
                return []
            return [StreamQuarantined(target=target, code=code, message=message)]

        self._decide(decide, None)

    def publish(self, source: SourcePublished) -> Published:
        """Make a document version searchable, once."""
        place = source.collection, source.document

        def decide(state: CatalogueState) -> list[Fact]:
            now = state.published.get(place)
            return [] if now and now.version == source.version else [source]

        self._decide(decide, source.job)
        return self._state.published[place]

    def brief(self, task: str) -> Brief:
        """What a task was asked to do."""
        entered = self._entry(self.state(), task).entered
        if not isinstance(entered, TaskEntered):
            raise UnknownTask(task)
        return Brief.model_validate(decode(self._home.blobs.get(entered.brief.hash)))

    def job(self, job: str) -> JobEntered:
        """What a job is to ingest."""
        entered = self._entry(self.state(), job).entered
        if not isinstance(entered, JobEntered):
            raise UnknownTask(job)
        return entered

    # -- inside ----------------------------------------------------------------------------------

    @staticmethod
    def _entry(state: CatalogueState, target: str) -> Entry:
        if target not in state.entries:
            raise UnknownTask(target)
        return state.entries[target]

    def _fold(self, news: tuple[list[Record], Cursor]) -> None:
        records, self._cursor = news
        for record in records:
            evolve(self._state, record.fact)

    def _decide(self, decide: Callable[[CatalogueState], list[Fact]], cause: str | None) -> Head:
        with self._mutex:
            stream = EventStream(self._path)
            stream.cursor = self._cursor
            try:
                with stream.deciding() as news:
                    self._fold((news, stream.cursor))
                    facts = decide(self._state)
                    head = stream.append_decided(*facts, cause=cause)
                for fact in facts:
                    evolve(self._state, fact)
                self._cursor = stream.cursor
            finally:
                stream.close()
            return head
