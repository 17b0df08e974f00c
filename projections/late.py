"""Late interaction: a chunk is compared part by part with the parts of the query.

A chunk's parts are the vectors of its tokens (or sentences). Whole they would take a hundred times
the room of the text, so of each number only the sign is kept, and the query's side is exact:
measured on labelled text, nothing is lost by it, while leaving out dimensions costs quality at
twice the size. Before that, vectors are turned, so that every sign says about as much as another.
Codes are rows of equal width, one after the other: joining two codes is joining their bytes.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from projections.products import products

Floats = npt.NDArray[np.float32]
Codes = bytes | memoryview | npt.NDArray[np.uint8]

REVISION = 2
"""Changes when the same vectors would get other codes."""

_BLOCK = 128
"""Dimensions that are mixed with each other; vectors are filled up to a multiple of it."""

_AT_ONCE = 2048
"""Codes unpacked at once, of whole chunks: they stay close to the processor until they are compared."""

_BLOCKS_AT_ONCE = 15
"""Blocks of a query that are mixed at once: so few that no other thread is woken for the product,
which on a busy machine takes longer than all the rest."""


def row_bytes(dimension: int) -> int:
    """Bytes that the code of one part takes."""
    return -(-dimension // _BLOCK) * _BLOCK // 8


def pack(vectors: Floats) -> bytes:
    """The codes of some parts."""
    return np.packbits(_turned(vectors) > 0, axis=1).tobytes()


def max_sim(parts: Floats, weights: Floats, chunks: Sequence[Codes]) -> npt.NDArray[np.float64]:
    """How well each chunk answers all parts of the query; nan for a chunk without codes.

    For each part of the query, what is most like it in the chunk counts, by its weight. The
    likeness is that of a part of length 1 to the signs, put so that it estimates the cosine.
    """
    width = row_bytes(parts.shape[1])
    scores = np.full(len(chunks), np.nan)
    filled = [number for number, codes in enumerate(chunks) if len(codes) >= width]
    if not filled or not len(parts):
        return scores
    few = max(_BLOCKS_AT_ONCE * _BLOCK // (8 * width), 1)
    turned = np.concatenate([_turned(parts[at : at + few]) for at in range(0, len(parts), few)])
    steps = np.maximum(np.abs(turned).max(axis=1), 1e-12) / 127
    # Whole numbers: several times faster than fractions, and the same sum in any order.
    whole = np.rint(turned / steps[:, None]).astype(np.int8)
    numbers = np.ascontiguousarray(whole.T)
    groups = _groups([chunks[number] for number in filled], width)
    best = np.concatenate([_most_set(group, width, numbers) for group in groups])
    # A sign that is not set counts against: twice what is set, less everything.
    likeness = 2 * best - whole.sum(axis=1, dtype=np.int32)
    scores[filled] = likeness @ (steps * weights).astype(np.float64) * _cosine_of_signs(width * 8)
    return scores


def _groups(chunks: Sequence[Codes], width: int) -> Iterator[Sequence[Codes]]:
    """Chunks one after the other, as many together as are compared at once, and at least one."""
    begin = codes = 0
    for place, chunk in enumerate(chunks):
        own = len(chunk) // width
        if codes and codes + own > _AT_ONCE:
            yield chunks[begin:place]
            begin, codes = place, 0
        codes += own
    yield chunks[begin:]


def _most_set(
    chunks: Sequence[Codes], width: int, numbers: npt.NDArray[np.int8]
) -> npt.NDArray[np.int32]:
    """Of each part's numbers, the sum of those whose sign is set: the most in each chunk; (chunks, parts)."""
    counts = [len(chunk) // width for chunk in chunks]
    held: list[Any] = [chunk[: own * width] for chunk, own in zip(chunks, counts, strict=True)]
    bits = np.unpackbits(np.frombuffer(b"".join(held), np.uint8)).reshape(-1, len(numbers))
    begins = np.cumsum([0, *counts[:-1]])
    return np.maximum.reduceat(products(bits, numbers), begins, axis=0)


def _cosine_of_signs(dimension: int) -> float:
    # The mean size of a normal number is sqrt(2 / pi) of its deviation, 1 / sqrt(dimension).
    return float(np.sqrt(np.pi / 2 / dimension))


def _turned(vectors: Floats) -> Floats:
    """The same vectors in other coordinates: signs flipped at random, then blocks mixed."""
    missing = -vectors.shape[1] % _BLOCK
    filled = np.pad(vectors, ((0, 0), (0, missing))) if missing else vectors
    flipped = filled * _flips(filled.shape[1])
    mixed = flipped.reshape(-1, _BLOCK) @ _mixing()
    return np.asarray(mixed.reshape(filled.shape), np.float32)


@cache
def _flips(dimension: int) -> Floats:
    drawn = hashlib.shake_128(b"late interaction").digest(dimension // 8)
    return np.unpackbits(np.frombuffer(drawn, np.uint8)).astype(np.float32) * 2 - 1


@cache
def _mixing() -> Floats:
    """Hadamard's matrix: orthogonal, and every number in it as large as any other."""
    places = np.arange(_BLOCK)
    common = np.bitwise_count(places[:, None] & places) % 2
    return np.asarray((1 - 2.0 * common) / np.sqrt(_BLOCK), np.float32)
