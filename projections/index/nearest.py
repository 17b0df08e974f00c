"""Nearest vectors, exactly in effect and the same however the rows are cut into parts.

Comparing signs costs a sixteenth of comparing vectors, so the signs name the candidates of a
large scope, far more than are wanted, and the vectors decide among them. All rows whose signs are
as near as the last candidate's are candidates, so nothing depends on the order of rows.
"""

from collections.abc import Sequence

import numkong
import numpy as np
import numpy.typing as npt

from projections.index.part import signs

CANDIDATES = 1536
"""Least rows whose vectors are compared, if there are as many."""

PER_RESULT = 16
"""Rows compared for each row wanted, if that is more."""

_ROUGHLY = 4
"""How many times as many rows are looked at more closely, before their vectors are."""

_SMALLER = 0.6
"""Share of a vector's numbers whose signs count once; the others' count three times."""

_FAR = 0xFFFF
"""Beyond any distance there can be."""

_BLOCK = 1 << 15
"""Rows compared at once: what is computed on the way stays close to the processor."""

Vector = npt.NDArray[np.float32]
Signs = npt.NDArray[np.uint64]
Distances = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.int64]
Halves = npt.NDArray[np.float16]


def candidates(
    vector: Vector, parts: Sequence[Signs], scope: npt.NDArray[np.bool_], limit: int
) -> Rows:
    """The rows in scope worth comparing, out of those that the parts' signs tell of, in order."""
    wanted = max(CANDIDATES, PER_RESULT * limit)
    inside = np.count_nonzero(scope)
    if inside <= wanted:
        return np.flatnonzero(scope)
    own = signs(vector.astype(np.float16)[None])[:, 0]
    distances = _differing(own, parts)
    if inside < len(distances):
        distances[~scope] = _FAR
    rows = _nearest(distances, _ROUGHLY * wanted)
    if inside < len(distances):
        rows = rows[scope[rows]]
    # Disagreeing with the vector about its larger numbers costs more.
    sizes = np.abs(vector)
    least = np.sort(sizes)[int(_SMALLER * len(sizes))]
    large = signs((sizes >= least).astype(np.float16)[None])[:, 0]
    closely = distances[rows] + np.uint16(2) * _differing(own, _picked(parts, rows), large)
    return rows[_nearest(closely, wanted)]


def _nearest(distances: Distances, count: int) -> Rows:
    """At least so many, and all that are as near as the last of them."""
    near = np.cumsum(np.bincount(distances))
    return np.flatnonzero(distances <= np.uint16(np.searchsorted(near, count)))


def _picked(parts: Sequence[Signs], rows: Rows) -> list[Signs]:
    """The signs of ascending rows only."""
    bases = np.cumsum([0, *(part.shape[1] for part in parts)])
    bounds = np.searchsorted(rows, bases).tolist()
    return [
        part.take(rows[begin:end] - base, axis=1)
        for part, base, begin, end in zip(parts, bases, bounds, bounds[1:], strict=False)
        if begin < end
    ]


def _differing(own: Signs, parts: Sequence[Signs], among: Signs | None = None) -> Distances:
    """In how many places each row's signs differ, of all or among some."""
    distances = np.zeros(sum(part.shape[1] for part in parts), np.uint16)
    done = 0
    for part in parts:
        for start in range(0, part.shape[1], _BLOCK):
            block = part[:, start : start + _BLOCK]
            end = done + block.shape[1]
            _count(block, own, among, distances[done:end])
            done = end
    return distances


def _count(block: Signs, own: Signs, among: Signs | None, distances: Distances) -> None:
    differ = np.empty(block.shape[1], np.uint64)
    counted = np.empty(block.shape[1], np.uint8)
    for number, word in enumerate(block):
        np.bitwise_xor(word, own[number], out=differ)
        if among is not None:
            np.bitwise_and(differ, among[number], out=differ)
        np.bitwise_count(differ, out=counted)
        np.add(distances, counted, out=distances)


def cosines(vector: Vector, rows: Halves) -> npt.NDArray[np.float64]:
    """How near rows of length 1 are. Each row's figure depends on that row alone."""
    if not len(rows):
        return np.zeros(0)
    # In two halves, so that rounding the query costs nothing.
    whole = vector.astype(np.float16)
    rest = (vector - whole.astype(np.float32)).astype(np.float16)
    both = np.asarray(numkong.cdist(rows, np.stack((whole, rest)), "dot"))
    return np.asarray(both[:, 0] + both[:, 1], np.float64)
