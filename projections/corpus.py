"""Which documents the corpus holds, now or at any moment before, and where their chunks are.

A fold over the catalogue stream. The latest version of a document in a collection is the one
that counts; a removed document is gone from that collection only; what a deleted collection holds
is kept aside until it is restored; a version that was cut and
embedded anew is read from its new segment as soon as that generation counts. Folding a record
twice changes nothing.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

from events.base import Fact
from events.catalogue import GenerationSwitched, SegmentRebuilt, SourcePublished, SourceRemoved
from events.codec import Record
from events.errors import BadRequest
from events.home import CATALOGUE, Home
from events.shelves import CollectionCreated, CollectionDeleted, CollectionRestored
from events.tail import read_parts

_KINDS = frozenset(
    {
        "collection_created",
        "collection_deleted",
        "collection_restored",
        "source_published",
        "source_removed",
        "segment_rebuilt",
        "generation_switched",
    }
)

Place = tuple[str, str]
"""A document in a collection: (collection, document)."""


class Version(NamedTuple):
    """One document as one collection holds it."""

    collection: str
    document: str
    version: str
    size: int
    text_hash: str
    segment_hash: str
    chunks: int
    locator: str
    title: str
    media_type: str
    published_at: str
    generation: str
    tags: tuple[str, ...]
    metadata: dict[str, str]
    fingerprint: int
    """Names these very chunks in this place: what an index knows them by."""

    @property
    def place(self) -> Place:
        """Where it is held."""
        return self.collection, self.document


class Rebuilt(NamedTuple):
    """A version's chunks in another generation."""

    text_hash: str
    segment_hash: str
    chunks: int


class Corpus:
    """What the catalogue's facts add up to, fed with its records as they come."""

    def __init__(self) -> None:
        self.collections: dict[str, CollectionCreated] = {}
        self.held: dict[Place, Version] = {}
        self.deleted: set[str] = set()
        self.aside: dict[Place, Version] = {}
        """What deleted collections hold."""

        self.generation = ""
        self.embedder: str | None = None
        """What the chunks of the present generation were embedded with, if one was switched to."""

        self.published: dict[Place, Version] = {}
        """As published, where the present generation has other chunks."""

        self.rebuilt: dict[tuple[str, str, str], dict[str, Rebuilt]] = {}
        """By collection, document and version, then by generation."""

    def feed(self, records: Iterable[Record]) -> list[Place]:
        """Fold records in; returns the places that changed, each once, in order of their names."""
        changed: set[Place] = set()
        for record in records:
            if record.kind in _KINDS:
                changed.update(self._fold(record.fact, record.at))
        return sorted(changed)

    def _fold(self, fact: Fact, at: str) -> list[Place]:
        match fact:
            case CollectionCreated():
                self.collections[fact.collection] = fact
                return []
            case CollectionDeleted():
                self.deleted.add(fact.collection)
                return self._move(fact.collection, self.held, self.aside)
            case CollectionRestored():
                self.deleted.discard(fact.collection)
                back = self._move(fact.collection, self.aside, self.held)
                for place in back:
                    self._choose(place)
                return back
            case SourcePublished():
                version = _version(fact, at)
                before = self.published.pop(version.place, None)
                if fact.reader:
                    # Records of before name nobody, and are folded as they always were.
                    version = self._told_before(version, before)
                    self._drop_other_texts(version)
                if fact.collection in self.deleted:
                    self.aside[version.place] = version
                    return []
                self.held[version.place] = version
                self._choose(version.place)
                return [version.place]
            case SourceRemoved():
                place = fact.collection, fact.document
                self.published.pop(place, None)
                self.aside.pop(place, None)
                self.held.pop(place, None)
                return [place]
            case SegmentRebuilt():
                place = fact.collection, fact.document
                rebuilt = Rebuilt(fact.text.hash, fact.segment.hash, fact.chunks)
                self.rebuilt.setdefault((*place, fact.version), {})[fact.generation] = rebuilt
                if fact.generation == self.generation and place in self.held:
                    self._choose(place)
                    return [place]
                return []
            case GenerationSwitched():
                self.generation, self.embedder = fact.generation, fact.embedder
                for place in self.held:
                    self._choose(place)
                return list(self.held)
            case _:
                return []

    @staticmethod
    def _move(
        collection: str, whence: dict[Place, Version], whither: dict[Place, Version]
    ) -> list[Place]:
        """Take what a collection holds from one side to the other; its places."""
        places = [place for place in whence if place[0] == collection]
        for place in places:
            whither[place] = whence.pop(place)
        return places

    def _told_before(self, version: Version, before: Version | None) -> Version:
        """A version as it is published; since the first time, where these very chunks are there already."""
        known = before or self.held.get(version.place) or self.aside.get(version.place)
        if known is None or not (
            known.fingerprint == version.fingerprint or self._is_cut_so(known, version)
        ):
            return version
        return version._replace(published_at=known.published_at)

    def _is_cut_so(self, known: Version, version: Version) -> bool:
        """Whether a text that was published before has these very chunks in the present generation."""
        if known.generation == self.generation or known.text_hash != version.text_hash:
            return False
        rebuilt = self.rebuilt.get((*known.place, known.version), {}).get(self.generation)
        return rebuilt is not None and version.fingerprint == _fingerprint(
            *known.place, known.version, rebuilt.segment_hash
        )

    def _drop_other_texts(self, published: Version) -> None:
        """Forget chunks of a text that the version was read as before it was published with its reader's name."""
        if rebuilt := self.rebuilt.get((*published.place, published.version)):
            for generation, each in list(rebuilt.items()):
                if each.text_hash != published.text_hash:
                    del rebuilt[generation]

    def _choose(self, place: Place) -> None:
        """Take a version's chunks from the present generation if it has them, else as published."""
        published = self.published.pop(place, None) or self.held[place]
        self.held[place] = published
        if published.generation == self.generation:
            return
        if rebuilt := self.rebuilt.get((*place, published.version), {}).get(self.generation):
            self.published[place] = published
            self.held[place] = published._replace(
                **rebuilt._asdict(),
                generation=self.generation,
                fingerprint=_fingerprint(*place, published.version, rebuilt.segment_hash),
            )


def _version(fact: SourcePublished, at: str) -> Version:
    return Version(
        collection=fact.collection,
        document=fact.document,
        version=fact.version,
        size=fact.original.size,
        text_hash=fact.text.hash,
        segment_hash=fact.segment.hash,
        chunks=fact.chunks,
        locator=fact.locator,
        title=fact.title,
        media_type=fact.media_type,
        published_at=at,
        generation=fact.generation,
        tags=fact.tags,
        metadata=fact.metadata,
        fingerprint=_fingerprint(fact.collection, fact.document, fact.version, fact.segment.hash),
    )


def _fingerprint(*parts: str) -> int:
    raw = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(raw.digest(), "little")


# -- the past --------------------------------------------------------------------------------------


def corpus_at(home: Home, moment: int | str) -> Corpus | None:
    """The corpus as it stood after a record of the catalogue, or at a time; None if it still does.

    A day without a time is meant whole: the corpus as it stood when the day was over.
    """
    until = _time(moment) if isinstance(moment, str) else ""
    corpus = Corpus()
    for records, _ in read_parts(home.path(CATALOGUE)):
        for place, record in enumerate(records):
            if record.at > until if until else record.seq > int(moment):
                corpus.feed(records[:place])
                return corpus
        corpus.feed(records)
    return None


def _time(moment: str) -> str:
    """As records spell it."""
    try:
        time = datetime.fromisoformat(moment.strip())
        if len(moment.strip()) == len("2026-11-16"):
            time += timedelta(days=1, microseconds=-1)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):  # The latter beyond the first or the last year there is.
        raise BadRequest(
            f"{moment[:60]!r} is not a time.", "Give it as 2026-11-16 or 2026-11-16T09:30:00Z."
        ) from None
    # Not by `strftime`, which writes early years with fewer digits: they would be later than any other.
    return time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
