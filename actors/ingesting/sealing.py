"""Makes segments: what is new in a document is embedded, what it said before is taken over."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from actors.ingesting.chunking import VERSION, chunk_id, embedded_context
from actors.ports import Chunk, Embedder
from events.embedding import ToEmbed
from events.errors import CallCut
from events.segment import Segment, encode
from language.words import ANALYSER, terms

AT_ONCE = 256
"""Chunks embedded together: enough to sort them by length, few enough to show progress."""

Parts = dict[str, tuple[npt.NDArray[np.float16], bytes]]
"""By model: a chunk's vector and the packed vectors of its parts."""


@dataclass(frozen=True)
class Earlier:
    """The version of a document that is held now."""

    title: str
    segment: Segment


@dataclass(frozen=True)
class Cut:
    """A document version, cut into chunks."""

    locator: str
    version: str
    title: str
    text: str
    chunks: tuple[Chunk, ...]
    earlier: Earlier | None

    def text_of(self, chunk: Chunk) -> str:
        """What a chunk says."""
        return self.text[chunk.start : chunk.end]


@dataclass(frozen=True)
class Made:
    """A segment's bytes."""

    raw: bytes
    chunks: int
    embedded: int


def seal_segments(
    cuts: Sequence[Cut],
    embedder: Embedder,
    advance: Callable[[int, int, str], None],
    stop: threading.Event,
) -> list[Made]:
    """The segments of some documents; `advance` hears how many chunks of how many are embedded."""
    known = [_taken_over(cut, embedder) for cut in cuts]
    missing = [
        (number, row)
        for number, cut in enumerate(cuts)
        for row in range(len(cut.chunks))
        if row not in known[number]
    ]
    for begin in range(0, len(missing), AT_ONCE):
        if stop.is_set():
            raise CallCut("the next chunks")
        places = missing[begin : begin + AT_ONCE]
        embeddings = embedder.embed([_to_embed(cuts[number], row) for number, row in places])
        for at, (number, row) in enumerate(places):
            known[number][row] = {
                each.model: (each.vectors[at], each.late[at]) for each in embeddings
            }
        advance(begin + len(places), len(missing), cuts[places[-1][0]].locator)
    new = [0] * len(cuts)
    for number, _ in missing:
        new[number] += 1
    return [
        Made(encode(_segment(cut, parts, embedder)), len(cut.chunks), embedded)
        for cut, parts, embedded in zip(cuts, known, new, strict=True)
    ]


def _to_embed(cut: Cut, row: int) -> ToEmbed:
    chunk = cut.chunks[row]
    return ToEmbed(embedded_context(cut.title, chunk), cut.text_of(chunk), chunk.language)


def _taken_over(cut: Cut, embedder: Embedder) -> dict[int, Parts]:
    """By row: what the version before already has of chunks that say the same in the same place."""
    if cut.earlier is None or cut.earlier.title != cut.title:
        return {}
    segment = cut.earlier.segment
    if segment.models != embedder.names:
        return {}
    rows = {
        (segment.headings[row], segment.texts[row], segment.languages[row]): row
        for row in range(len(segment))
    }
    found: dict[int, Parts] = {}
    for row, chunk in enumerate(cut.chunks):
        before = rows.get((chunk.headings, cut.text_of(chunk), chunk.language))
        if before is not None:
            found[row] = {
                model: (segment.vectors[model][before], segment.late[model][before])
                for model in segment.models
            }
    return found


def _segment(cut: Cut, parts: dict[int, Parts], embedder: Embedder) -> Segment:
    rows = [parts[row] for row in range(len(cut.chunks))]
    return Segment(
        chunker=VERSION,
        analyser=ANALYSER,
        ids=[chunk_id(cut.version, each.start, each.end) for each in cut.chunks],
        starts=np.array([each.start for each in cut.chunks], dtype=np.int64),
        ends=np.array([each.end for each in cut.chunks], dtype=np.int64),
        headings=[each.headings for each in cut.chunks],
        content_types=[each.content_type for each in cut.chunks],
        first_pages=np.array([each.first_page or 0 for each in cut.chunks], dtype=np.int32),
        last_pages=np.array([each.last_page or 0 for each in cut.chunks], dtype=np.int32),
        languages=[each.language for each in cut.chunks],
        texts=[cut.text_of(each) for each in cut.chunks],
        body_terms=[terms(cut.text_of(each)) for each in cut.chunks],
        heading_terms=[terms(" ".join((cut.title, *each.headings))) for each in cut.chunks],
        vectors={
            model: np.array([each[model][0] for each in rows], dtype=np.float16)
            for model in embedder.names
        },
        late={model: [each[model][1] for each in rows] for model in embedder.names},
    )
