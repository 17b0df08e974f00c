"""A document version's segment, as the present code would index it."""

from dataclasses import replace

import numpy as np

from events.blobs import BlobStore
from events.codec import decode as decode_json
from events.errors import DamagedBlob
from events.segment import BadSegment, Segment, decode
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
        body_terms=[words.terms(each) for each in segment.texts],
        heading_terms=[words.terms(each) for each in headings],
    )


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
