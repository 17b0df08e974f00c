"""The root stream as its many writers see it: read what others wrote, decide, append, under one lock."""

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from actors.ports import Published
from events.base import Fact
from events.catalogue import (
    Brief,
    CancelRequested,
    CollectionCreated,
    CollectionDeleted,
    CollectionRestored,
    Entry,
    GenerationSwitched,
    JobEntered,
    Outcome,
    ProjectCreated,
    ProjectDefaultsSet,
    ProjectLinked,
    ProjectUnlinked,
    SegmentRebuilt,
    SourcePublished,
    SourceRemoved,
    StreamQuarantined,
    StreamSealed,
    TaskEntered,
    TaskImported,
)
from events.codec import Record, canonical, decode, digest
from events.errors import AlreadyThere, GenerationMoved, KeyConflict, TaskAlreadyEnded, UnknownTask
from events.home import CATALOGUE, Home
from events.stream import EventStream, Head
from events.tail import Cursor
from events.websites import WebsiteRefreshDue

QUESTION_IN_LISTS = 300
"""Characters of a question that the catalogue itself carries."""


@dataclass
class Accepted:
    """A task or job that was accepted."""

    entered: TaskEntered | JobEntered
    stop: CancelRequested | None = None
    ended: Outcome | None = None


@dataclass
class Project:
    """A choice of collections under a name."""

    collections: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()


@dataclass
class CatalogueState:
    """What the root stream adds up to, for those who decide."""

    entries: dict[str, Accepted] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    collections: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    """Collections that can be restored."""

    projects: dict[str, Project] = field(default_factory=dict)
    published: dict[tuple[str, str], Published] = field(default_factory=dict)
    generation: str = ""
    embedder: str = ""
    """The model that the corpus is embedded with."""

    jobs: set[str] = field(default_factory=set)
    """Jobs that have not ended."""

    refreshing: set[str] = field(default_factory=set)
    """Those of them that fetch websites again because they have grown old."""

    barred: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    """By job: documents that were removed after it was accepted, which it must not bring back."""

    brought: dict[str, dict[tuple[str, str], Published]] = field(default_factory=dict)
    """By job that has not ended: what it published, also where another one has replaced it since."""

    rebuilt: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """By generation, collection and document: the version that has a segment there."""

    switched: set[str] = field(default_factory=set)
    """Reindexings that changed what searches answer from."""

    def has_documents(self) -> bool:
        """Whether there is anything to search."""
        return any(collection in self.collections for collection, _ in self.published)

    def unbuilt(self, generation: str) -> list[SourcePublished]:
        """What is held and has no segment in a generation."""
        return [
            held.source
            for place, held in self.published.items()
            if held.source.generation != generation
            and self.rebuilt.get((generation, *place)) != held.source.version
        ]

    def unfinished(self) -> list[str]:
        """Tasks and jobs that still have to be worked on, oldest first."""
        return [name for name, entry in self.entries.items() if entry.ended is None]


def evolve(state: CatalogueState, fact: Fact) -> None:
    """Fold one fact in."""
    match fact:
        case TaskEntered(task=name, key=key) | JobEntered(job=name, key=key):
            state.entries[name] = Accepted(fact)
            if isinstance(fact, JobEntered):
                state.jobs.add(name)
            if key:
                state.keys[key] = name
        case TaskImported(task=name):
            entered = TaskEntered(
                task=name, brief=fact.brief, question=fact.question, researcher=fact.researcher
            )
            state.entries[name] = Accepted(entered, ended=fact.outcome)
        case CancelRequested(target=name):
            state.entries[name].stop = fact
        case StreamSealed(target=name, outcome=outcome):
            state.entries[name].ended = outcome
            _close(state, name)
        case StreamQuarantined(target=name):
            state.entries[name].ended = "quarantined"
            _close(state, name)
        case WebsiteRefreshDue(job=name):
            state.refreshing.add(name)
        case CollectionCreated(collection=name):
            state.collections.add(name)
        case CollectionDeleted(collection=name):
            state.collections.discard(name)
            state.deleted.add(name)
        case CollectionRestored(collection=name):
            state.deleted.discard(name)
            state.collections.add(name)
        case ProjectCreated(project=name):
            state.projects.setdefault(name, Project())
        case ProjectLinked():
            project = state.projects[fact.project]
            linked = dict.fromkeys((*project.collections, *fact.collections))
            project.collections = tuple(linked)
        case ProjectUnlinked():
            project = state.projects[fact.project]
            project.collections = _without(project.collections, fact.collections)
            project.defaults = _without(project.defaults, fact.collections)
        case ProjectDefaultsSet():
            state.projects[fact.project].defaults = fact.collections
        case SourcePublished():
            place = fact.collection, fact.document
            first = place not in state.published
            state.published[place] = Published(fact, first)
            if fact.job in state.jobs:
                state.brought.setdefault(fact.job, {})[place] = state.published[place]
        case SourceRemoved():
            place = fact.collection, fact.document
            state.published.pop(place, None)
            for name in state.jobs:
                state.barred.setdefault(name, set()).add(place)
        case SegmentRebuilt():
            state.rebuilt[fact.generation, fact.collection, fact.document] = fact.version
        case GenerationSwitched():
            state.generation, state.embedder = fact.generation, fact.embedder
            state.switched.add(fact.job)
        case _:
            pass


def _close(state: CatalogueState, name: str) -> None:
    state.jobs.discard(name)
    state.refreshing.discard(name)
    state.barred.pop(name, None)
    state.brought.pop(name, None)


def _without(names: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in gone)


def _place(source: SourcePublished) -> tuple[str, str]:
    return source.collection, source.document


def _bars(state: CatalogueState, source: SourcePublished) -> bool:
    return _place(source) in state.barred.get(source.job, ())


def _holds(state: CatalogueState, source: SourcePublished) -> bool:
    held = state.published.get(_place(source))
    return held is not None and _what_it_is(held.source) == _what_it_is(source)


def _brought(state: CatalogueState, source: SourcePublished) -> Published | None:
    """What a job published of a document before, if it was this: it may have died right after."""
    known = state.brought.get(source.job, {}).get(_place(source))
    return known if known and _what_it_is(known.source) == _what_it_is(source) else None


def _what_it_is(source: SourcePublished) -> tuple[object, ...]:
    return source.version, source.generation, source.title, source.tags, source.metadata


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

        head = self.decide(decide, cause)
        return name, head

    def enter_job(
        self,
        collection: str,
        documents: Sequence[str | Entry],
        tags: tuple[str, ...] = (),
        cause: str | None = None,
        references: bytes | None = None,
    ) -> tuple[str, Head]:
        """Accept an ingest job over documents, given whole or by where they lie, and the
        collection it fills. References tell what the documents are.
        """
        cited = None if references is None else self._home.blobs.put(references)
        manifest = self._home.blobs.put(canonical(list(documents)))
        name = f"ingest-{uuid.uuid4()}"

        def decide(state: CatalogueState) -> list[Fact]:
            if collection in state.deleted:
                raise AlreadyThere("a deleted collection", collection)
            new = [] if collection in state.collections else [collection]
            job = JobEntered(
                job=name,
                collection=collection,
                manifest=manifest,
                files=len(documents),
                tags=tags,
                references=cited,
            )
            return [*(CollectionCreated(collection=each) for each in new), job]

        return name, self.decide(decide, cause)

    def enter_reindexing(self, embedder: str, cause: str | None = None) -> tuple[str, Head]:
        """Accept the job of cutting and embedding everything anew."""
        manifest = self._home.blobs.put(canonical([]))
        name = f"reindex-{uuid.uuid4()}"

        def decide(state: CatalogueState) -> list[Fact]:
            return [
                JobEntered(
                    job=name,
                    collection="",
                    manifest=manifest,
                    files=len(state.published),
                    purpose="reindex",
                    embedder=embedder,
                )
            ]

        return name, self.decide(decide, cause)

    def request_cancel(self, target: str, *, save_partial: bool, cause: str | None = None) -> Head:
        """Ask for a task or job to be stopped; asking twice changes nothing."""

        def decide(state: CatalogueState) -> list[Fact]:
            entry = state.entries.get(target)
            if entry is None:
                raise UnknownTask(target)
            if entry.ended:
                raise TaskAlreadyEnded(target, entry.ended)
            return [] if entry.stop else [CancelRequested(target=target, save_partial=save_partial)]

        return self.decide(decide, cause)

    def seal(self, head: Head, outcome: Outcome) -> None:
        """Anchor the end of a stream, once."""

        def decide(state: CatalogueState) -> list[Fact]:
            if self._entry(state, head.stream).ended:
                return []
            return [StreamSealed(target=head.stream, seq=head.seq, head=head.hash, outcome=outcome)]

        self.decide(decide, None)

    def quarantine(self, target: str, code: str, message: str) -> None:
        """Leave a task or job alone that cannot be worked on."""

        def decide(state: CatalogueState) -> list[Fact]:
            if self._entry(state, target).ended:
                return []
            return [StreamQuarantined(target=target, code=code, message=message)]

        self.decide(decide, None)

    def publish(self, sources: Sequence[SourcePublished], embedder: str) -> list[Published | None]:
        """Make document versions searchable, all or none, each once.

        None stands for what was removed after its job was accepted: that stays removed.
        """

        def decide(state: CatalogueState) -> list[Fact]:
            if state.embedder != embedder:
                raise GenerationMoved(state.embedder)
            return [
                each
                for each in sources
                if not (_holds(state, each) or _bars(state, each) or _brought(state, each))
            ]

        self.decide(decide, sources[0].job if sources else None)
        with self._mutex:
            return [
                None
                if _bars(self._state, each)
                else _brought(self._state, each) or self._state.published[_place(each)]
                for each in sources
            ]

    def rebuild(self, segments: Sequence[SegmentRebuilt]) -> None:
        """Keep segments of a coming generation; keeping them twice changes nothing."""

        def decide(state: CatalogueState) -> list[Fact]:
            places = [(each.generation, each.collection, each.document) for each in segments]
            known = [state.rebuilt.get(place) for place in places]
            return [
                each
                for each, version in zip(segments, known, strict=True)
                if version != each.version
            ]

        self.decide(decide, segments[0].job if segments else None)

    def switch(self, generation: str, embedder: str, job: str, without: Sequence[str]) -> bool:
        """Answer from a generation from now on, unless a document but these lacks in it."""
        whole = True

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal whole
            lacking = {source.document for source in state.unbuilt(generation)}
            whole = lacking <= set(without)
            if not whole or state.generation == generation:
                return []
            return [GenerationSwitched(generation=generation, embedder=embedder, job=job)]

        self.decide(decide, job)
        return whole

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
    def _entry(state: CatalogueState, target: str) -> Accepted:
        if target not in state.entries:
            raise UnknownTask(target)
        return state.entries[target]

    def _fold(self, news: tuple[list[Record], Cursor]) -> None:
        records, self._cursor = news
        for record in records:
            evolve(self._state, record.fact)

    def decide(
        self, decide: Callable[[CatalogueState], list[Fact]], cause: str | None = None
    ) -> Head:
        """Append what a decision over everything acknowledged so far comes to."""
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
