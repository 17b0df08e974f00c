"""What the root stream adds up to: tasks and jobs in order of entry, collections, sources."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from events.codec import Record
from events.tail import Cursor


class Anchor(NamedTuple):
    """Where a stream ends for good, as its parent recorded it."""

    seq: int
    head: str


class Entry(NamedTuple):
    """A task or job that was accepted, and how it ended if it did."""

    name: str
    role: Literal["task", "job"]
    entered: int
    """The catalogue's line that entered it."""

    entered_at: str
    blob: str
    """Hash of what it is to do: a task's brief, a job's manifest."""

    about: str
    """A task's question, its beginning; a job's collection."""

    researcher: str = ""
    """Kind of researcher that works on a task."""

    files: int = 0
    """How many a job is to bring in."""

    key: str | None = None
    cancel_requested: bool = False
    save_partial: bool = True
    outcome: str | None = None
    ended_at: str | None = None
    end: Anchor | None = None
    code: str | None = None
    message: str | None = None
    changed: int = 0
    """The catalogue's line that last said something about it."""

    imported_at: str | None = None
    """When it was taken over from another home; none, if it was done here."""


class Rating(NamedTuple):
    """How right an answer is, as somebody who knows said last."""

    task: str
    confidence: float
    """What the answer said of itself."""

    correct: float
    note: str | None
    seq: int
    """The catalogue's line."""

    rated_at: str


@dataclass(frozen=True, slots=True)
class Collection:
    """A named scope over the corpus."""

    collection: str
    created_at: str
    collection_type: str = "fundamental"
    project: str | None = None
    documents: int = 0
    """How many it holds now."""

    chunks: int = 0
    """Of those documents."""

    deleted_at: str | None = None
    """When it left every search; none, while it is there."""


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """One version of one document in one collection, and for how long it was the current one."""

    collection: str
    document: str
    version: str
    locator: str
    title: str
    media_type: str
    original: str
    size: int
    """Bytes of the original."""

    text: str
    segment: str
    chunks: int
    job: str
    published_at: str
    ended_at: str | None = None
    """When it was replaced or removed."""

    changed: int = 0
    """The catalogue's line that last said something about it."""


Place = tuple[str, str]
"""A document in a collection: (collection, document)."""


class Cut(NamedTuple):
    """How a version of a document was cut after it was published."""

    version: str
    text: str
    """Hash of what it was read as."""

    segment: str
    """Hash of its chunks."""

    chunks: int


@dataclass(slots=True)
class Cuts:
    """How many chunks documents were cut into after they were published, and which of these cuts count."""

    generation: str = ""
    """The one that searches answer from."""

    rebuilt: dict[Place, dict[str, Cut]] = field(default_factory=dict)
    """By document, then by generation."""

    def publish(self, data: dict[str, Any]) -> None:
        """A document comes with a cut of its own; one that was made before in the same way counts no more.

        Nor does one of what the version was read as before, where it is said who read it now.
        """
        place = data["collection"], data["document"]
        if place in self.rebuilt:
            self.rebuilt[place] = {
                generation: cut
                for generation, cut in self.rebuilt[place].items()
                if generation != data.get("generation", "") and not _is_read_anew(cut, data)
            }

    def rebuild(self, data: dict[str, Any]) -> None:
        """A document was cut anew, for a generation that may be yet to come."""
        place = data["collection"], data["document"]
        read_as, segment = data["text"]["hash"], data["segment"]["hash"]
        cut = Cut(data["version"], read_as, segment, data["chunks"])
        self.rebuilt.setdefault(place, {})[data["generation"]] = cut

    def today(self, place: Place, version: str, published: int) -> int:
        """How many chunks a version has now that was published with so many."""
        cut = self._now(place, version)
        return cut.chunks if cut else published

    def is_told_again(self, data: dict[str, Any]) -> bool:
        """Whether a version is published as it was cut already, by who says that he read it anew."""
        cut = self._now((data["collection"], data["document"]), data["version"])
        again = cut is not None and cut.segment == data["segment"]["hash"]
        return again and bool(data.get("reader"))

    def _now(self, place: Place, version: str) -> Cut | None:
        cut = self.rebuilt.get(place, {}).get(self.generation)
        return cut if cut and cut.version == version else None


def _is_read_anew(cut: Cut, published: dict[str, Any]) -> bool:
    another = cut.version == published["version"] and cut.text != published["text"]["hash"]
    return another and bool(published.get("reader"))


@dataclass(slots=True)
class Catalogue:
    """The fold of the root stream, up to its cursor. What it hands out never changes."""

    cursor: Cursor = field(default_factory=Cursor)
    tasks: dict[str, Entry] = field(default_factory=dict)
    jobs: dict[str, Entry] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """Tasks as they were entered; only ever appended to, so places in it are stable."""

    keys: dict[str, str] = field(default_factory=dict)
    """Idempotency keys, and the task or job that each belongs to."""

    collections: dict[str, Collection] = field(default_factory=dict)
    history: dict[tuple[str, str], tuple[SourceVersion, ...]] = field(default_factory=dict)
    """Every version of a document in a collection, oldest first."""

    ratings: dict[str, Rating] = field(default_factory=dict)
    """The last rating of each task that has one."""

    cuts: Cuts = field(default_factory=Cuts)
    published: dict[Place, int] = field(default_factory=dict)
    """Chunks as published, of documents that were told to have others since."""

    def unfinished(self) -> list[str]:
        """Tasks and jobs that neither ended nor were given up, in order of entry."""
        return [entry.name for entry in self.by_entry() if entry.outcome is None]

    def entries(self) -> Mapping[str, Entry]:
        """Tasks and jobs by name."""
        return ChainMap(self.tasks, self.jobs)

    def by_entry(self) -> list[Entry]:
        """Tasks and jobs in the order in which they were entered."""
        entries = (*self.tasks.values(), *self.jobs.values())
        return sorted(entries, key=lambda entry: entry.entered)

    def sources(self, collection: str | None = None) -> Iterator[SourceVersion]:
        """What is there now: the current version of each document that was not removed."""
        for versions in self.history.values():
            latest = versions[-1]
            if latest.ended_at is None and collection in (None, latest.collection):
                if self.is_deleted(latest.collection):
                    continue
                yield latest

    def is_deleted(self, collection: str) -> bool:
        """Whether a collection was deleted, with what it holds, and not restored."""
        held = self.collections.get(collection)
        return held is not None and held.deleted_at is not None

    def fold(self, records: Iterable[Record], cursor: Cursor) -> None:
        """Take records in, up to the cursor. Total: facts of no interest change nothing.

        Not a pure function, because copying a catalogue for each question would cost more than
        reading it; if this raises, the catalogue is to be thrown away.
        """
        seq = self.cursor.seq
        for record in records:
            seq += 1
            match record.kind:
                case "stream_sealed" | "stream_quarantined" | "cancel_requested":
                    self._change(record.kind, record.data, record.at, seq)
                case "task_entered":
                    self._enter_task(record.data, record.at, seq)
                case "source_published":
                    self._publish(record.data, record.at, seq)
                case "source_removed":
                    self._remove(record.data, record.at, seq)
                case "job_entered":
                    self._enter_job(record.data, record.at, seq)
                case "segment_rebuilt":
                    self.cuts.rebuild(record.data)
                    self._count((record.data["collection"], record.data["document"]), seq)
                case "generation_switched":
                    self.cuts.generation = record.data["generation"]
                    for place in self.history:
                        self._count(place, seq)
                case "collection_created":
                    self._create(record.data, record.at)
                case "task_imported":
                    self._import(record.data, record.at, seq)
                case "research_rated":
                    self._rate(record.data, record.at, seq)
                case "collection_deleted":
                    self._mark(record.data["collection"], record.at, record.at)
                case "collection_restored":
                    self._mark(record.data["collection"], record.at, None)
                case _:
                    pass
        self.cursor = cursor

    # -- one fact each; whatever is said twice changes nothing -------------------------------------

    def _enter_task(self, data: dict[str, Any], at: str, seq: int) -> None:
        name = data["task"]
        if name not in self.tasks:
            self.tasks[name] = Entry(
                name,
                "task",
                seq,
                at,
                data["brief"]["hash"],
                data["question"],
                researcher=data["researcher"],
                key=data.get("key"),
                changed=seq,
            )
            self.order.append(name)
            self._own(data.get("key"), name)

    def _import(self, data: dict[str, Any], at: str, seq: int) -> None:
        name = data["task"]
        if name not in self.tasks:
            self.tasks[name] = Entry(
                name,
                "task",
                seq,
                data["entered_at"],
                data["brief"]["hash"],
                data["question"],
                researcher=data["researcher"],
                cancel_requested=data["outcome"] == "cancelled",
                save_partial=data.get("save_partial", True),
                outcome=data["outcome"],
                ended_at=data["ended_at"],
                end=Anchor(data["seq"], data["head"]),
                changed=seq,
                imported_at=at,
            )
            self.order.append(name)

    def _rate(self, data: dict[str, Any], at: str, seq: int) -> None:
        name = data["task"]
        rating = Rating(name, data["confidence"], data["correct"], data.get("note"), seq, at)
        self.ratings[name] = rating

    def _enter_job(self, data: dict[str, Any], at: str, seq: int) -> None:
        name = data["job"]
        if name not in self.jobs:
            self.jobs[name] = Entry(
                name,
                "job",
                seq,
                at,
                data["manifest"]["hash"],
                data["collection"],
                files=data["files"],
                key=data.get("key"),
                changed=seq,
            )
            self._own(data.get("key"), name)

    def _own(self, key: str | None, name: str) -> None:
        if key is not None:
            self.keys.setdefault(key, name)

    def _change(self, kind: str, data: dict[str, Any], at: str, seq: int) -> None:
        name = data["target"]
        shelf = self.tasks if name in self.tasks else self.jobs
        entry = shelf.get(name)
        if entry is None:
            return
        if kind == "cancel_requested":
            if not entry.cancel_requested:
                shelf[name] = entry._replace(
                    cancel_requested=True,
                    save_partial=data.get("save_partial", True),
                    changed=seq,
                )
        elif entry.outcome is None:
            sealed = kind == "stream_sealed"
            shelf[name] = entry._replace(
                outcome=data["outcome"] if sealed else "quarantined",
                ended_at=at,
                end=Anchor(data["seq"], data["head"]) if sealed else None,
                code=data.get("code"),
                message=data.get("message"),
                changed=seq,
            )

    def _create(self, data: dict[str, Any], at: str) -> None:
        name = data["collection"]
        kind = data.get("collection_type", "fundamental")
        self.collections.setdefault(name, Collection(name, at, kind, data.get("project")))

    def _mark(self, name: str, at: str, deleted_at: str | None) -> None:
        held = self.collections.get(name) or Collection(name, at)
        self.collections[name] = replace(held, deleted_at=deleted_at)

    def _publish(self, data: dict[str, Any], at: str, seq: int) -> None:
        place = data["collection"], data["document"]
        version = SourceVersion(
            *place,
            data["version"],
            data["locator"],
            data["title"],
            data["media_type"],
            data["original"]["hash"],
            data["original"]["size"],
            data["text"]["hash"],
            data["segment"]["hash"],
            data["chunks"],
            data["job"],
            at,
            changed=seq,
        )
        is_told_again = self.cuts.is_told_again(data)
        self.cuts.publish(data)
        self.published.pop(place, None)
        past = self.history.get(place, ())
        if past and past[-1].ended_at is None:
            latest = past[-1]
            same_text = latest.text == version.text
            same_chunks = latest.segment == version.segment or (same_text and is_told_again)
            if latest.version == version.version and same_chunks:
                # The same version, perhaps in other words: what is said of it last counts.
                told = replace(version, job=latest.job, published_at=latest.published_at)
                if told != replace(latest, changed=seq):
                    self.history[place] = (*past[:-1], told)
                    self._count(place, seq)
                return
            past = (*past[:-1], replace(latest, ended_at=at, changed=seq))
        self.history[place] = (*past, version)
        self._count(place, seq)

    def _count(self, place: Place, seq: int) -> None:
        """Tell of what is there how many chunks searches know of it."""
        past = self.history.get(place, ())
        if not past or past[-1].ended_at is not None:
            return
        latest = past[-1]
        published = self.published.get(place, latest.chunks)
        if (chunks := self.cuts.today(place, latest.version, published)) != latest.chunks:
            self.published[place] = published
            self.history[place] = (*past[:-1], replace(latest, chunks=chunks, changed=seq))

    def _remove(self, data: dict[str, Any], at: str, seq: int) -> None:
        place = data["collection"], data["document"]
        past = self.history.get(place)
        if past and past[-1].ended_at is None:
            self.history[place] = (*past[:-1], replace(past[-1], ended_at=at, changed=seq))
