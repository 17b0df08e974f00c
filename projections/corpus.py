"""Which documents the corpus holds now, and where their chunks are.

A fold over the catalogue stream. The latest version of a document in a collection is the one
that counts; a removed document is gone from that collection only. Folding a record twice changes
nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from events.base import Fact
from events.blobs import BlobStore
from events.catalogue import CollectionCreated, SourcePublished, SourceRemoved
from events.codec import Record, decode
from events.errors import DamagedBlob

_KINDS = frozenset({"collection_created", "source_published", "source_removed"})

Place = tuple[str, str]
"""A document in a collection: (collection, document)."""


@dataclass(frozen=True, slots=True)
class Version:
    """One document as one collection holds it."""

    collection: str
    document: str
    version: str
    size: int
    text_hash: str
    segment_hash: str
    locator: str
    title: str
    media_type: str
    published_at: str


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A chunk of a document's text."""

    start: int
    end: int
    headings: tuple[str, ...]
    content_type: str


class Corpus:
    """What the catalogue's facts add up to, fed with its records as they come."""

    def __init__(self) -> None:
        self.collections: dict[str, CollectionCreated] = {}
        self.held: dict[Place, Version] = {}

    def feed(self, records: Iterable[Record]) -> list[Place]:
        """Fold records in; returns the places that changed, each once, in order of their names."""
        changed: set[Place] = set()
        for record in records:
            if record.kind in _KINDS:
                place = self._fold(record.fact, record.at)
                if place:
                    changed.add(place)
        return sorted(changed)

    def _fold(self, fact: Fact, at: str) -> Place | None:
        match fact:
            case CollectionCreated():
                self.collections[fact.collection] = fact
                return None
            case SourcePublished():
                version = _version(fact, at)
                self.held[version.collection, version.document] = version
                return version.collection, version.document
            case SourceRemoved():
                self.held.pop((fact.collection, fact.document), None)
                return fact.collection, fact.document
            case _:
                return None


def read_segment(blobs: BlobStore, version: Version) -> list[ChunkPlace]:
    """The chunks of a document version, as its ingest cut them."""
    segment = decode(blobs.get(version.segment_hash))
    if not isinstance(segment, dict) or "chunks" not in segment:
        raise DamagedBlob(version.segment_hash, "it is not a segment")
    return [
        ChunkPlace(
            start=chunk["start"],
            end=chunk["end"],
            headings=tuple(chunk["headings"]),
            content_type=chunk["content_type"],
        )
        for chunk in segment["chunks"]
    ]


def _version(fact: SourcePublished, at: str) -> Version:
    return Version(
        collection=fact.collection,
        document=fact.document,
        version=fact.version,
        size=fact.original.size,
        text_hash=fact.text.hash,
        segment_hash=fact.segment.hash,
        locator=fact.locator,
        title=fact.title,
        media_type=fact.media_type,
        published_at=at,
    )
