"""A part of the index from one document version's segment, in memory."""

from array import array
from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np

from events.codec import canonical
from events.segment import Counts, Segment
from projections.index.arrays import Array
from projections.index.part import (
    BODY_MOST,
    HEADING_MOST,
    HEADING_SHIFT,
    ROW_COLUMNS,
    Part,
    Space,
    signs,
    term_hash,
)


def part_of(fingerprint: int, segment: Segment) -> Part:
    """The part that holds just this version."""
    rows = len(segment)
    labels: dict[str, int] = {}
    paths: dict[tuple[str, ...], int] = {}
    values: dict[str, Any] = {
        "start": segment.starts,
        "end": segment.ends,
        "first_page": segment.first_pages,
        "last_page": segment.last_pages,
        "content_type": [labels.setdefault(e, len(labels)) for e in segment.content_types],
        "language": [labels.setdefault(each, len(labels)) for each in segment.languages],
        "heading": [paths.setdefault(each, len(paths)) for each in segment.headings],
        "body_length": [sum(each.values()) for each in segment.body_terms],
        "heading_length": [sum(each.values()) for each in segment.heading_terms],
    }
    texts = [_utf8(each) for each in segment.texts]
    values["text_sum"] = [crc32(each) for each in texts]
    columns = {name: np.asarray(values[name], dtype) for name, dtype in ROW_COLUMNS.items()}
    columns["fingerprint"] = np.array([fingerprint], np.uint64)
    columns["entry.at"] = np.array([0, rows], np.int64)
    columns |= strings("id", (each.encode() for each in segment.ids))
    columns |= strings("text", texts)
    columns |= strings("heading_path", (canonical(path) for path in paths))
    columns |= _terms(segment.body_terms, segment.heading_terms)
    # A model that reads none of the languages here has nothing to say, and takes no room.
    made = {name: _of_length_1(each) for name, each in segment.vectors.items() if each.any()}
    for number, (model, vectors) in enumerate(made.items()):
        columns[f"vector_{number}"] = vectors
        columns[f"sign_{number}"] = signs(vectors)
        columns[f"covered_{number}"] = np.asarray(vectors.any(axis=1))
        columns |= strings(f"late_{number}", segment.late[model])
    spaces = tuple(Space(name, each.shape[1]) for name, each in made.items())
    return Part(columns, spaces, tuple(labels), rows)


def strings(name: str, values: Iterable[bytes]) -> dict[str, Array]:
    """A column of strings: all of them in a row, and where each begins."""
    held = list(values)
    at = np.zeros(len(held) + 1, np.int64)
    np.cumsum([len(each) for each in held], out=at[1:])
    return {name: np.frombuffer(b"".join(held), np.uint8), f"{name}.at": at}


def inverted(terms: int, at: Array, forward_term: Array, forward_count: Array) -> dict[str, Array]:
    """Which rows hold each term, from which terms each row holds."""
    row = np.repeat(np.arange(len(at) - 1, dtype=np.uint32), np.diff(at))
    order = np.argsort(forward_term, kind="stable")
    starts = np.zeros(terms + 1, np.int64)
    np.cumsum(np.bincount(forward_term, minlength=terms), out=starts[1:])
    return {
        "posting.at": starts,
        "posting_row": row[order],
        "posting_count": forward_count[order],
    }


def _terms(bodies: list[Counts], headings: list[Counts]) -> dict[str, Array]:
    numbers: dict[str, int] = {}
    found, counts, lengths = array("I"), array("H"), [0]
    for body, heading in zip(bodies, headings, strict=True):
        packed = dict(body)
        if packed and max(packed.values()) > BODY_MOST:
            packed = {term: min(times, BODY_MOST) for term, times in body.items()}
        for term, times in heading.items():
            packed[term] = packed.get(term, 0) | min(times, HEADING_MOST) << HEADING_SHIFT
        found.extend([numbers.setdefault(term, len(numbers)) for term in packed])
        counts.extend(packed.values())
        lengths.append(len(found))
    hashes = np.array([term_hash(term) for term in numbers], np.uint64)
    order = np.argsort(hashes, kind="stable")
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    spelled = list(numbers)
    forward_term = place[np.frombuffer(found, np.uint32)] if found else np.zeros(0, np.uint32)
    forward_count = np.array(np.frombuffer(counts, np.uint16)) if counts else np.zeros(0, np.uint16)
    at = np.array(lengths, np.int64)
    return {
        "term_hash": hashes[order],
        **strings("term", (_utf8(spelled[each]) for each in order.tolist())),
        "forward.at": at,
        "forward_term": forward_term,
        "forward_count": forward_count,
        **inverted(len(hashes), at, forward_term, forward_count),
    }


def _of_length_1(vectors: Array) -> Array:
    """So that comparing is multiplying; a vector of zeros stays one."""
    exact = vectors.astype(np.float32)
    exact[~np.isfinite(exact).all(axis=1)] = 0
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    return (exact / np.where(lengths > 0, lengths, 1)).astype(np.float16)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
