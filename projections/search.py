"""The corpus as one asks it: always up to what was acknowledged before the question."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from events.blobs import BlobStore
from events.errors import DamagedBlob, MissingBlob, ResearchError
from events.home import CATALOGUE, Home
from events.logs import log
from events.tail import Cursor
from projections.corpus import ChunkPlace, Corpus, Place, Version, read_segment
from projections.lexical import Hit, LexicalIndex

TEXT_MEMORY = 32 << 20
"""Characters of text kept at hand; what is beyond is read from its blob when it is found."""


def open_corpus(home_path: str) -> "LocalCorpus":
    """The corpus of a data home. Reads nothing yet."""
    return LocalCorpus(Home(Path(home_path)))


class LocalCorpus:
    """Search over one data home, for any number of threads."""

    def __init__(self, home: Home, text_memory: int = TEXT_MEMORY) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._cursor = Cursor()
        self._corpus = Corpus()
        self._index = LexicalIndex()
        self._chunks: dict[int, tuple[Version, ChunkPlace]] = {}
        self._numbers: dict[Place, list[int]] = {}
        self._texts = _Texts(home.blobs, text_memory)

    def search(
        self, query: str, limit: int, collections: tuple[str, ...] | None = None
    ) -> list[dict[str, Any]]:
        """The passages nearest to the query, best first, from the named collections only.

        The same words at the same place of the same text come once, however many collections
        or paths hold them.
        """
        with self._lock:
            self._catch_up()
            wanted = limit
            while True:
                hits = self._index.search(query, wanted, collections)
                found = self._passages(hits, limit)
                if len(found) == limit or len(hits) < wanted:
                    return found
                wanted *= 2

    def _passages(self, hits: list[Hit], limit: int) -> list[dict[str, Any]]:
        found: dict[tuple[str, int, int], dict[str, Any]] = {}
        for hit in hits:
            version, chunk = self._chunks[hit.chunk]
            place = version.text_hash, chunk.start, chunk.end
            if place in found or len(found) == limit:
                continue
            try:
                found[place] = self._passage(version, chunk, hit.score)
            except (MissingBlob, DamagedBlob) as failure:
                _report_unreadable(version, failure)
        return list(found.values())

    def _passage(self, version: Version, chunk: ChunkPlace, score: float) -> dict[str, Any]:
        return {
            "document": version.document,
            "version": version.version,
            "size": version.size,
            "text_hash": version.text_hash,
            "locator": version.locator,
            "title": version.title,
            "media_type": version.media_type,
            "collection": version.collection,
            "published_at": version.published_at,
            "headings": list(chunk.headings),
            "start": chunk.start,
            "end": chunk.end,
            "text": self._texts.get(version.text_hash)[chunk.start : chunk.end],
            "score": score,
        }

    def _catch_up(self) -> None:
        records, cursor = self._home.read(CATALOGUE, self._cursor)
        for place in self._corpus.feed(records):
            self._index.mask(self._forget(place))
            if version := self._corpus.held.get(place):
                self._learn(place, version)
        # Last: a catch-up that failed half-way is repeated whole, and folding again is harmless.
        self._cursor = cursor

    def _forget(self, place: Place) -> list[int]:
        numbers = self._numbers.pop(place, [])
        for number in numbers:
            del self._chunks[number]
        return numbers

    def _learn(self, place: Place, version: Version) -> None:
        try:
            chunks = read_segment(self._home.blobs, version)
            text = self._texts.get(version.text_hash)
        except (MissingBlob, DamagedBlob) as failure:
            _report_unreadable(version, failure)
            return
        numbers = self._numbers[place] = []
        for chunk in chunks:
            heading = " ".join((version.title, *chunk.headings))
            name = version.locator, chunk.start, version.collection
            body = text[chunk.start : chunk.end]
            number = self._index.add(version.collection, name, heading, body)
            self._chunks[number] = version, chunk
            numbers.append(number)


def _report_unreadable(version: Version, failure: ResearchError) -> None:
    """Say so and go on: erased or damaged content must not hide everything else."""
    log("search").warning("source_unreadable", locator=version.locator, code=failure.code)


class _Texts:
    """Texts by their hash; the ones not asked for lately make room for others."""

    def __init__(self, blobs: BlobStore, room: int) -> None:
        self._blobs, self._room = blobs, room
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    def get(self, text_hash: str) -> str:
        """The text of that hash."""
        text = self._kept.get(text_hash)
        if text is None:
            text = self._blobs.get_text(text_hash)
            self._kept[text_hash] = text
            self._size += len(text)
            while self._size > self._room and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped)
        self._kept.move_to_end(text_hash)
        return text
