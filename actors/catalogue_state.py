"""What the root stream adds up to, for those who decide by it."""

from dataclasses import dataclass, field

from actors.ingesting.readers import is_outdated
from actors.ports import Place, PlacedVersion, Published
from events.base import Fact
from events.catalogue import (
    CancelRequested,
    GenerationSwitched,
    JobEntered,
    Outcome,
    SegmentRebuilt,
    SourcePublished,
    SourceRemoved,
    StreamQuarantined,
    StreamSealed,
    TaskEntered,
    TaskImported,
)
from events.shelves import (
    CollectionCreated,
    CollectionDeleted,
    CollectionRestored,
    ProjectCreated,
    ProjectDefaultsSet,
    ProjectLinked,
    ProjectUnlinked,
)
from events.websites import WebsiteRefreshDue


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
    published: dict[Place, Published] = field(default_factory=dict)
    generation: str = ""
    embedder: str = ""
    """The model that the corpus is embedded with."""

    jobs: set[str] = field(default_factory=set)
    """Jobs that have not ended."""

    refreshing: set[str] = field(default_factory=set)
    """Those of them that fetch websites again because they have grown old."""

    barred: dict[str, set[Place]] = field(default_factory=dict)
    """By job: documents that were removed after it was accepted, which it must not bring back."""

    brought: dict[str, dict[Place, Published]] = field(default_factory=dict)
    """By job that has not ended: what it published, also where another one has replaced it since."""

    rebuilt: dict[Place, dict[str, SegmentRebuilt]] = field(default_factory=dict)
    """By collection and document, then by generation: the segment of one of its versions there."""

    moves: dict[str, JobEntered] = field(default_factory=dict)
    """Reindexings, in the order in which they were accepted."""

    switched: set[str] = field(default_factory=set)
    """Reindexings that told searches what to answer from."""

    overtaken: set[str] = field(default_factory=set)
    """Reindexings that had been overtaken when they ended."""

    read_anew: dict[str, dict[Place, bool]] = field(default_factory=dict)
    """By reindexing: where it published newer readings, and whether they say what was said before."""

    @property
    def last_move(self) -> JobEntered | None:
        """The reindexing under way that was accepted last: by it, the corpus ends up with its model."""
        newest_first = reversed([*self.moves.values()])
        return next((each for each in newest_first if self._is_under_way(each)), None)

    def is_overtaken(self, job: str) -> bool:
        """Whether a reindexing that was accepted later has told searches to answer from another model.

        Whoever was accepted last decides, however long each of them takes.
        """
        _, later = self._other_moves(job)
        return any(each.job in self.switched for each in later)

    def overtakes(self, job: str) -> bool:
        """Whether a reindexing that was accepted earlier could still move everything to another model."""
        earlier, _ = self._other_moves(job)
        return any(self.entries[each.job].ended is None for each in earlier)

    def _other_moves(self, job: str) -> tuple[list[JobEntered], list[JobEntered]]:
        """The reindexings to other models that were accepted before one, and after it."""
        if (own := self.moves.get(job)) is None:
            return [], []
        moves = [*self.moves.values()]
        at = moves.index(own)
        earlier, later = (
            [each for each in part if each.embedder != own.embedder]
            for part in (moves[:at], moves[at:])
        )
        return earlier, later

    def _is_under_way(self, move: JobEntered) -> bool:
        entry = self.entries[move.job]
        return entry.ended is None and entry.stop is None and not self.is_overtaken(move.job)

    def has_documents(self) -> bool:
        """Whether there is anything to search."""
        return any(collection in self.collections for collection, _ in self.published)

    def unbuilt(self, generation: str) -> list[SourcePublished]:
        """What is held and has no segment in a generation."""
        return [
            held.source
            for place, held in self.published.items()
            if held.source.generation != generation
            and self._rebuilt_in(generation, place, held.source.version) is None
        ]

    def outdated(self) -> list[SourcePublished]:
        """What is held as older readers have read it, with the chunks that it has now."""
        return [
            self._as_cut_now(place, held).source
            for place, held in self.published.items()
            if is_outdated(held.source.reader)
        ]

    def held(self, place: Place) -> Published | None:
        """What a collection holds of a document, with the chunks that it has now."""
        known = self.published.get(place)
        return self._as_cut_now(place, known) if known else None

    def _as_cut_now(self, place: Place, known: Published) -> Published:
        rebuilt = self._rebuilt_in(self.generation, place, known.source.version)
        if rebuilt is None or known.source.generation == self.generation:
            return known
        now = {name: getattr(rebuilt, name) for name in ("generation", "text", "segment", "chunks")}
        return Published(known.source.model_copy(update=now), known.first)

    def _rebuilt_in(self, generation: str, place: Place, version: str) -> SegmentRebuilt | None:
        found = self.rebuilt.get(place, {}).get(generation)
        return found if found and found.version == version else None

    def has_segment(self, segment: SegmentRebuilt) -> bool:
        """Whether a document version has a segment in a generation already."""
        place = segment.collection, segment.document
        return self._rebuilt_in(segment.generation, place, segment.version) is not None

    def rebuilt_by(self, job: str) -> list[SegmentRebuilt]:
        """The segments that a reindexing has kept, but for those of a text that is read another way by now."""
        segments = (each for by_way in self.rebuilt.values() for each in by_way.values())
        return [each for each in segments if each.job == job]

    def unfinished(self) -> list[str]:
        """Tasks and jobs that still have to be worked on, oldest first."""
        # Copied first: who asks outside the catalogue's lock may be met by what another thread takes in.
        return [name for name, entry in list(self.entries.items()) if entry.ended is None]

    def publication(self, source: SourcePublished) -> Published | None:
        """What came of publishing a document version; none where it was removed after its job was accepted."""
        if self.bars(source):
            return None
        return self.brought_before(source) or self.published[place_of(source)]

    def bars(self, source: SourcePublished) -> bool:
        """Whether a document was removed after the job was accepted that would bring it back."""
        return place_of(source) in self.barred.get(source.job, ())

    def holds(self, source: SourcePublished) -> bool:
        """Whether exactly this is there already, and nobody wants it anew."""
        held = self.published.get(place_of(source))
        order = self.entries[source.job].entered if source.job in self.entries else None
        wanted_anew = isinstance(order, JobEntered) and order.anew
        return (
            held is not None and not wanted_anew and _what_it_is(held.source) == _what_it_is(source)
        )

    def brought_before(self, source: SourcePublished) -> Published | None:
        """What a job published of a document before, if it was this: it may have died right after."""
        known = self.brought.get(source.job, {}).get(place_of(source))
        return known if known and _what_it_is(known.source) == _what_it_is(source) else None


def evolve(state: CatalogueState, fact: Fact, cause: str | None) -> None:
    """Fold one fact in, with what led to it."""
    match fact:
        case TaskEntered(task=name, key=key) | JobEntered(job=name, key=key):
            state.entries[name] = Accepted(fact)
            if isinstance(fact, JobEntered):
                state.jobs.add(name)
                if fact.purpose == "reindex":
                    state.moves[name] = fact
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
            if state.is_overtaken(name):
                state.overtaken.add(name)
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
            place = place_of(fact)
            if cause in state.moves and (held := state.held(place)):
                same = says_the_same(held.source, fact)
                state.read_anew.setdefault(cause, {})[place] = same
            first = place not in state.published
            state.published[place] = Published(fact, first)
            _drop_other_texts(state, fact)
            if fact.job in state.jobs and cause not in state.moves:
                state.brought.setdefault(fact.job, {})[place] = state.published[place]
        case SourceRemoved():
            place = fact.collection, fact.document
            state.published.pop(place, None)
            for name in state.jobs:
                state.barred.setdefault(name, set()).add(place)
        case SegmentRebuilt():
            place = fact.collection, fact.document
            state.rebuilt.setdefault(place, {})[fact.generation] = fact
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


def _drop_other_texts(state: CatalogueState, published: SourcePublished) -> None:
    """Forget segments of a text that the version was read as before.

    Where no reader is named nothing is forgotten: such records were folded without this.
    """
    if published.reader and (rebuilt := state.rebuilt.get(place_of(published))):
        for generation, segment in list(rebuilt.items()):
            if segment.text.hash != published.text.hash:
                del rebuilt[generation]


def _without(names: tuple[str, ...], gone: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in gone)


def place_of(source: SourcePublished) -> Place:
    """Where a document lies: its collection and its name there."""
    return source.collection, source.document


def version_at(source: SourcePublished) -> PlacedVersion:
    """Which version of a document lies there."""
    return source.collection, source.document, source.version


def says_the_same(before: SourcePublished, after: SourcePublished) -> bool:
    """Whether two publications differ in nothing but who read the document."""
    return _all_said(before) == _all_said(after)


def _all_said(source: SourcePublished) -> dict[str, object]:
    kept = {name: getattr(source, name).hash for name in ("original", "text", "segment")}
    return source.model_dump(exclude={"reader", *kept}) | kept


def _what_it_is(source: SourcePublished) -> tuple[object, ...]:
    said = source.title, source.tags, source.metadata
    return source.version, source.generation, source.reader, *said
