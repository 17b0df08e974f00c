"""The root stream as its many writers see it: read what others wrote, decide, append, under one lock."""

import threading
import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from actors.catalogue_state import Accepted, CatalogueState, evolve, place_of, version_at
from actors.ports import PlacedVersion, Published, Reread
from events.anchor import read_anchor
from events.base import Fact
from events.catalogue import (
    Brief,
    CancelRequested,
    Entry,
    GenerationSwitched,
    JobEntered,
    Outcome,
    SegmentRebuilt,
    SourcePublished,
    StreamQuarantined,
    StreamSealed,
    TaskEntered,
)
from events.codec import Record, canonical, decode, digest
from events.errors import (
    AlreadyThere,
    BrokenChain,
    GenerationMoved,
    KeyConflict,
    TaskAlreadyEnded,
    UnknownTask,
)
from events.home import CATALOGUE, Home
from events.shelves import CollectionCreated
from events.stream import EventStream, Head
from events.tail import Cursor, cursor_fits, file_size

QUESTION_IN_LISTS = 300
"""Characters of a question that the catalogue itself carries."""


class DeletedThere(AlreadyThere):
    """A deleted collection has that name: (what, name)."""

    says = "The collection {1!r} is deleted."
    suggestion = (
        "Restore it with manage_collections(action='restore', collection_name={1!r}), or "
        "research-agent collections restore {1!r}; or choose another name."
    )


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
            self._catch_up()
            return self._state

    def grew(self) -> bool:
        """Whether the last `state` is not what the stream comes to; costs a look at the file's end."""
        known = self._cursor
        return file_size(self._path) != known.offset or not cursor_fits(self._path, known)

    def enter_task(
        self,
        brief: Brief,
        key: str | None = None,
        cause: str | None = None,
        *,
        sync_window_s: float | None = None,
    ) -> tuple[str, Head]:
        """Accept a research task. When this returns, the id is durable.

        The same key with the same request gives the same task, however often and from
        however many processes at once.
        """
        raw = canonical(brief)
        name = str(uuid.uuid4())

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal name
            if key and (known := state.keys.get(key)):
                earlier = state.entries[known].entered
                if not isinstance(earlier, TaskEntered) or not self._asks_the_same(earlier, brief):
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
                    sync_window_s=sync_window_s,
                )
            ]

        head = self.decide(decide, cause)
        return name, head

    def _asks_the_same(self, entered: TaskEntered, brief: Brief) -> bool:
        """Whether a task was asked what a brief asks.

        What the settings, keys and documents of the moment add to it is not the caller's.
        """
        if entered.brief.hash == digest(canonical(brief)):
            return True
        earlier = Brief.model_validate(decode(self._home.blobs.get(entered.brief.hash)))
        added = ("researcher", "available", "task_cap_usd", "daily_cap_usd", "fetching")
        same = {name: getattr(earlier, name) for name in added}
        return brief.model_copy(update=same) == earlier

    def enter_job(
        self,
        collection: str,
        documents: Sequence[str | Entry],
        tags: tuple[str, ...] = (),
        cause: str | None = None,
        references: bytes | None = None,
        *,
        anew: bool = False,
        join: Callable[[str], bool] | None = None,
        untold: Collection[str] = (),
    ) -> tuple[str, Head]:
        """Accept an ingest job over documents, given whole or by where they lie, and the
        collection it fills. References tell what the documents are. Anew: also those that have
        not changed. Join: where the same job over files waits to begin already, that one is meant, and
        so is one under way of which this is true, or one of the untold, which may have ended.
        """
        cited = None if references is None else self._home.blobs.put(references)
        manifest = self._home.blobs.put(canonical(list(documents)))
        own = name = f"ingest-{uuid.uuid4()}"
        job = JobEntered(
            job=own,
            collection=collection,
            manifest=manifest,
            files=len(documents),
            tags=tags,
            references=cited,
            anew=anew,
        )
        # What is given whole may have been replaced by what waits behind it.
        read_later = all(isinstance(each, str) for each in documents)
        # Looked at before the stream is held: that takes as long as the files are large.
        alike = self._alike(self.state(), job, untold)
        under_way = [each for each in alike if self._has_begun(each)]
        fitting = {each for each in under_way if join and join(each)}

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal name
            if collection in state.deleted:
                raise DeletedThere("a deleted collection", collection)
            alike = self._alike(state, job, untold) if join else []
            joined = (
                each
                for each in alike
                if each in fitting or (read_later and not self._has_begun(each))
            )
            name = next(joined, own)
            if name != own:
                return []
            new = [] if collection in state.collections else [collection]
            return [*(CollectionCreated(collection=each) for each in new), job]

        head = self.decide(decide, cause)
        return name, head

    @staticmethod
    def _alike(state: CatalogueState, job: JobEntered, untold: Collection[str]) -> list[str]:
        """Jobs to do the same that go on, or whose good end is untold, and bring in all that they were given."""
        return [
            name
            for name in dict.fromkeys((*state.unfinished(), *untold))
            if (entry := state.entries.get(name))
            and entry.entered == job.model_copy(update={"job": name})
            and entry.ended in {None, "completed"}
            and not (entry.stop or name in state.barred)
        ]

    def _has_begun(self, job: str) -> bool:
        # Its stream begins before it reads its first file.
        return self._home.path(job).exists()

    def enter_reindexing(self, embedder: str) -> tuple[str, Head]:
        """Accept the job of cutting and embedding everything anew."""
        entering = self._reindexing(embedder)
        entered: list[JobEntered] = []

        def decide(state: CatalogueState) -> list[Fact]:
            entered[:] = [entering(state)]
            return [*entered]

        head = self.decide(decide)
        return entered[0].job, head

    def move_to(self, embedder: str, cause: str | None = None) -> str | None:
        """The job that moves everything to a model; none where everything is there already.

        However many ask at once, one job moves it: whoever comes later is told of that one.
        """
        entering = self._reindexing(embedder)
        job: str | None = None

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal job
            job = None
            moving = state.last_move
            if (moving.embedder if moving else state.embedder) == embedder:
                job = moving.job if moving else None
                return []
            entered = entering(state)
            job = entered.job
            return [entered]

        self.decide(decide, cause)
        return job

    def _reindexing(self, embedder: str) -> Callable[[CatalogueState], JobEntered]:
        """Makes the fact that everything is to be cut and embedded anew."""
        manifest = self._home.blobs.put(canonical([]))
        name = f"reindex-{uuid.uuid4()}"
        return lambda state: JobEntered(
            job=name,
            collection="",
            manifest=manifest,
            files=len(state.published),
            purpose="reindex",
            embedder=embedder,
        )

    def request_cancel(self, target: str, *, save_partial: bool) -> Head:
        """Ask for a task or job to be stopped; asking twice changes nothing."""

        def decide(state: CatalogueState) -> list[Fact]:
            entry = state.entries.get(target)
            if entry is None:
                raise UnknownTask(target)
            if entry.ended:
                raise TaskAlreadyEnded(target, entry.ended)
            return [] if entry.stop else [CancelRequested(target=target, save_partial=save_partial)]

        return self.decide(decide)

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
                if not (state.holds(each) or state.bars(each) or state.brought_before(each))
            ]

        self.decide(decide, sources[0].job if sources else None)
        with self._mutex:
            return [self._state.publication(each) for each in sources]

    def read_anew(self, rereads: Sequence[Reread], embedder: str, job: str) -> list[bool]:
        """Put what newer readers read in the place of what older ones did, all or none.

        Only where that still is as it was when it was read: what others have published, removed or
        embedded with another model meanwhile counts, and the answer for it is false.
        """
        counted: list[bool] = []

        def decide(state: CatalogueState) -> list[Fact]:
            held = (state.held(place_of(each.before)) for each in rereads)
            counted[:] = [
                state.embedder == embedder and known is not None and known.source == each.before
                for each, known in zip(rereads, held, strict=True)
            ]
            return [each.after for each, counts in zip(rereads, counted, strict=True) if counts]

        self.decide(decide, job)
        return counted

    def rebuild(self, segments: Sequence[SegmentRebuilt]) -> None:
        """Keep segments of a coming generation; keeping them twice changes nothing."""

        def decide(state: CatalogueState) -> list[Fact]:
            return [each for each in segments if not state.has_segment(each)]

        self.decide(decide, segments[0].job if segments else None)

    def switch(
        self, generation: str, embedder: str, job: str, without: Sequence[PlacedVersion]
    ) -> bool:
        """Answer from a generation from now on, unless a version but these lacks in it or its job is overtaken."""
        counts = False

        def decide(state: CatalogueState) -> list[Fact]:
            nonlocal counts
            lacking = {version_at(source) for source in state.unbuilt(generation)}
            counts = lacking <= set(without) and not state.is_overtaken(job)
            # Said also of what is so already, where somebody who came earlier would undo it.
            if not counts or (state.generation == generation and not state.overtakes(job)):
                return []
            return [GenerationSwitched(generation=generation, embedder=embedder, job=job)]

        self.decide(decide, job)
        return counts

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

    def _catch_up(self) -> None:
        """Fold what was appended; from zero, where lines that were read have been taken back.

        A writer whose sync fails takes its lines back, and somebody may have read them by then. The next lines may be
        as long as those were.
        """
        size, known = file_size(self._path), self._cursor
        if size == known.offset and cursor_fits(self._path, known):
            return
        try:
            if size > known.offset:
                self._fold(self._home.read(CATALOGUE, known))
                return
        except BrokenChain:
            if not known.offset:
                raise
        self._fold_anew()

    def _fold_anew(self) -> None:
        # Looked at before the stream: what it mentions is then there, or gone.
        noted = read_anchor(self._path)
        news = self._home.read(CATALOGUE)
        if noted and noted[0] > news[1].seq:
            raise BrokenChain(self._path.name, news[1].seq + 1, "acknowledged lines are gone")
        self._state = CatalogueState()
        self._fold(news)

    def _fold(self, news: tuple[list[Record], Cursor]) -> None:
        records, cursor = news
        try:
            for record in records:
                evolve(self._state, record.fact, record.cause)
        except Exception:
            # What is folded by halves is nobody's state: whoever asks next is told the same.
            self._state, self._cursor = CatalogueState(), Cursor()
            raise
        self._cursor = cursor

    def decide(
        self, decide: Callable[[CatalogueState], list[Fact]], cause: str | None = None
    ) -> Head:
        """Append what a decision over everything acknowledged so far comes to."""
        with self._mutex:
            self._catch_up()
            stream = EventStream(self._path)
            stream.cursor = self._cursor
            try:
                with stream.deciding() as news:
                    self._fold((news, stream.cursor))
                    facts = decide(self._state)
                    head = stream.append_decided(*facts, cause=cause)
                for fact in facts:
                    evolve(self._state, fact, cause)
                self._cursor = stream.cursor
            finally:
                stream.close()
            return head
