"""A document version's segment, as the present code would index it."""

from dataclasses import replace
from itertools import zip_longest

import numpy as np

from events.blobs import BlobStore
from events.codec import decode as decode_json
from events.errors import DamagedBlob
from events.segment import BadSegment, Counts, Segment, decode
from language import words
from projections.corpus import Version


def read_segment(blobs: BlobStore, version: Version) -> Segment:
    """Raises `MissingBlob` or `DamagedBlob` when it cannot be had."""
    raw = blobs.get(version.segment_hash)
    try:
        segment = _plain(blobs, version, raw) if raw[:1] == b"{" else decode(raw)
    except (BadSegment, KeyError, TypeError, ValueError) as failure:
        raise DamagedBlob(version.segment_hash, str(failure)[:200]) from None
    if segment.analyser == words.ANALYSER:
        return segment
    headings = [" ".join((version.title, *each)) for each in segment.headings]
    return replace(
        segment,
        analyser=words.ANALYSER,
        body_terms=_terms(segment.analyser, segment.texts, segment.body_terms),
        heading_terms=_terms(segment.analyser, headings, segment.heading_terms),
    )


def _terms(analyser: int, texts: list[str], found: list[Counts]) -> list[Counts]:
    """The terms of some texts, from those that another version of the code found where they are the same."""
    return [
        known if known is not None and words.has_terms_of(analyser, text) else words.terms(text)
        for text, known in zip_longest(texts, found)
    ]


def _plain(blobs: BlobStore, version: Version, raw: bytes) -> Segment:
    """A segment of the first releases: only spans, headings and types."""
    chunks = decode_json(raw)["chunks"]
    text = blobs.get_text(version.text_hash)
    starts = np.array([chunk["start"] for chunk in chunks], np.int64)
    ends = np.array([chunk["end"] for chunk in chunks], np.int64)
    none = np.zeros(len(chunks), np.int32)
    return Segment(
        chunker=0,
        analyser=0,
        ids=["" for _ in chunks],
        starts=starts,
        ends=ends,
        headings=[tuple(map(str, chunk["headings"])) for chunk in chunks],
        content_types=[str(chunk["content_type"]) for chunk in chunks],
        first_pages=none,
        last_pages=none,
        languages=["und" for _ in chunks],
        texts=[text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)],
        body_terms=[],
        heading_terms=[],
        vectors={},
        late={},
    )
