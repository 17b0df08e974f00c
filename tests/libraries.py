"""Documents published into a data home without any parser or model: made of words and numbers.

publish(home, "/a.md", ["The tide rises.", "The mill grinds."])
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from events.base import Fact
from events.catalogue import SourcePublished
from events.codec import digest
from events.home import CATALOGUE, Home
from events.segment import Segment, encode
from events.stream import EventStream, utc_now
from language import words
from projections.corpus import Version
from projections.index.filters import Filters
from projections.index.making import part_of
from projections.index.shelf import Shelf

AT = "2026-11-16T00:00:00.000000Z"
MODEL = "made-up/1"


def record(home: Home, *facts: Fact, at: str | None = AT) -> int:
    """Append to the catalogue; returns its last number."""
    catalogue = EventStream(home.path(CATALOGUE), (lambda: at) if at else utc_now)
    with catalogue.deciding():
        head = catalogue.append_decided(*facts)
    catalogue.close()
    return head.seq


def vectors_of(texts: Sequence[str], dimension: int = 64) -> npt.NDArray[np.float16]:
    """A vector for each text that depends on its words alone; similar texts get similar ones."""
    rows = np.zeros((len(texts), dimension), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for term, times in words.terms(text).items():
            seed = int(digest(term.encode())[7:15], 16)
            row += times * np.random.default_rng(seed).standard_normal(dimension)
        length = float(np.linalg.norm(row))
        row /= length or 1.0
    return rows.astype(np.float16)


def segment_of(
    version: str,
    texts: Sequence[str],
    *,
    title: str = "",
    headings: Sequence[tuple[str, ...]] | None = None,
    content_types: Sequence[str] | None = None,
    languages: Sequence[str] | None = None,
    vectors: dict[str, npt.NDArray[np.float16]] | None = None,
    analyser: int = words.ANALYSER,
) -> Segment:
    """The segment of a document whose text is these, one below the other."""
    ends = np.cumsum([len(text) + 2 for text in texts]) - 2
    starts = ends - [len(text) for text in texts]
    paths = list(headings or [() for _ in texts])
    numbers = np.zeros(len(texts), np.int32)
    found = {MODEL: vectors_of(texts)} if vectors is None else vectors
    return Segment(
        chunker=1,
        analyser=analyser,
        ids=[f"chk-{digest(f'{version}{n}'.encode())[7:39]}" for n in starts],
        starts=starts.astype(np.int64),
        ends=ends.astype(np.int64),
        headings=paths,
        content_types=list(content_types or ["prose" for _ in texts]),
        first_pages=numbers,
        last_pages=numbers,
        languages=list(languages or ["en" for _ in texts]),
        texts=list(texts),
        body_terms=[words.terms(text) for text in texts],
        heading_terms=[words.terms(" ".join((title, *path))) for path in paths],
        vectors=found,
        late={model: [b"" for _ in texts] for model in found},
    )


class Words:
    """Chunks in memory, found by their words alone."""

    def __init__(self) -> None:
        self._shelf = Shelf()

    def add(
        self, locator: str, title: str, headings: Sequence[tuple[str, ...]], texts: Sequence[str]
    ) -> None:
        """Take in a document; its chunks are numbered after those before."""
        number = len(self._shelf.parts()) + 1
        segment = segment_of(locator, texts, title=title, headings=headings, vectors={})
        fields = dict.fromkeys(Version._fields, "")
        named = fields | {"document": locator, "locator": locator, "fingerprint": number}
        self._shelf.put(("", locator), Version(**named | {"metadata": {}, "tags": ()}))  # type: ignore[arg-type]
        self._shelf.use_files([*self._shelf.parts(), part_of(number, segment)])

    def search(
        self, query: str, limit: int, among: tuple[str, ...] = ()
    ) -> list[tuple[int, float]]:
        """The best chunks with their scores, the best of which is 1."""
        scope = self._shelf.scopes().of(Filters(among=among))
        rows, scores = scope.lexical(words.query_terms(query), limit)
        return [(row, score / scores[0]) for row, score in zip(rows.tolist(), scores, strict=True)]


def source_of(
    home: Home,
    locator: str,
    texts: Sequence[str],
    collection: str = "tides",
    *,
    title: str = "",
    tags: tuple[str, ...] = (),
    metadata: dict[str, str] | None = None,
    generation: str = "",
    **about: Any,
) -> SourcePublished:
    """A document whose blobs are kept, not yet published."""
    text = "\n\n".join(texts).encode()
    original = home.blobs.put(text + b"\n")
    segment = segment_of(original.hash, texts, title=title, **about)
    return SourcePublished(
        document="doc-" + digest(locator.encode())[7:39],
        version=original.hash,
        collection=collection,
        locator=locator,
        title=title,
        media_type="text/markdown",
        original=original,
        text=home.blobs.put(text),
        segment=home.blobs.put(encode(segment)),
        chunks=len(texts),
        job="ingest-1",
        generation=generation,
        tags=tags,
        metadata=metadata or {},
    )


def publish(
    home: Home, locator: str, texts: Sequence[str], collection: str = "tides", **about: Any
) -> SourcePublished:
    """A document that can be found from here on."""
    source = source_of(home, locator, texts, collection, **about)
    record(home, source)
    return source
