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

CANDIDATES = 512
"""Least rows whose vectors are compared, if there are as many."""

PER_RESULT = 16
"""Rows compared for each row wanted, if that is more."""

_FEW = 1536
"""So few rows are all compared: choosing among them takes as long."""

_ROUGHLY = 4
"""How many times as many rows are looked at more closely, before their vectors are."""

_SPARSE = 2
"""If one row in so many is in scope, or fewer, their signs are taken out and the others' left alone."""

_SMALLER = 0.6
"""Share of a vector's numbers whose signs count once; the others' count three times."""

_FAR = 0xFFFF
"""Beyond any distance there can be."""

_BLOCK = 1 << 14
"""Rows compared at once: what is computed on the way stays close to the processor."""

_TOGETHER = 3
"""Words of 64 signs whose differences are surely counted in a byte, where adding is quickest."""

_SAMPLED = 16
"""One row in so many tells about how near the nearest ones are."""

_ENLARGED = np.float32(1 << 11)
"""What rounding to a half leaves of a number is at most so small a part of it, and halves near 0 are slow."""

Vector = npt.NDArray[np.float32]
Signs = npt.NDArray[np.uint64]
Distances = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.int64]
Halves = npt.NDArray[np.float16]
Mask = npt.NDArray[np.bool_]


def candidates(vector: Vector, parts: Sequence[Signs], scope: Mask, limit: int) -> Rows:
    """The rows in scope worth comparing, out of those that the parts' signs tell of, in order."""
    wanted = max(CANDIDATES, PER_RESULT * limit)
    inside = np.count_nonzero(scope)
    if inside <= max(wanted, _FEW):
        return np.flatnonzero(scope)
    if inside * _SPARSE <= len(scope):
        rows = np.flatnonzero(scope)
        return rows[_promising(vector, _picked(parts, rows), None, wanted)]
    return _promising(vector, parts, None if inside == len(scope) else scope, wanted)


def _promising(vector: Vector, parts: Sequence[Signs], scope: Mask | None, wanted: int) -> Rows:
    """The rows whose signs are nearest, at least as many as wanted; there are more in scope."""
    own = signs(vector.astype(np.float16)[None])[:, 0]
    # Disagreeing with the vector about its larger numbers costs more.
    sizes = np.abs(vector)
    least = np.sort(sizes)[int(_SMALLER * len(sizes))]
    large = signs((sizes >= least).astype(np.float16)[None])[:, 0]
    distances = _differing(own, parts)
    if len(distances) <= 2 * _ROUGHLY * wanted:
        # So few that looking closely at all of them is no more work than choosing.
        distances += np.uint16(2) * _differing(own, parts, large)
        return _nearest(_within(scope, distances), wanted)
    rows = _nearest(_within(scope, distances), _ROUGHLY * wanted)
    if scope is not None:
        rows = rows[scope[rows]]
    closely = distances[rows] + np.uint16(2) * _differing(own, _picked(parts, rows), large)
    return rows[_nearest(closely, wanted)]


def _within(scope: Mask | None, distances: Distances) -> Distances:
    """With what is out of scope beyond any distance there can be."""
    if scope is not None:
        distances[~scope] = _FAR
    return distances


def _nearest(distances: Distances, count: int) -> Rows:
    """At least so many, and all that are as near as the last of them."""
    sample = distances[::_SAMPLED]
    often = 2 * count // _SAMPLED
    if often < len(sample):
        # Most rows are farther than twice as many of the sample: only the others are counted.
        rows = np.flatnonzero(distances <= np.partition(sample, often)[often])
        if len(rows) >= count:
            return rows[_nearest_of_few(distances[rows], count)]
    return _nearest_of_few(distances, count)


def _nearest_of_few(distances: Distances, count: int) -> Rows:
    near = np.cumsum(np.bincount(distances))
    return np.flatnonzero(distances <= np.uint16(np.searchsorted(near, count)))


def _picked(parts: Sequence[Signs], rows: Rows) -> list[Signs]:
    """The signs of ascending rows only."""
    bases = np.cumsum([0, *(part.shape[1] for part in parts)])
    bounds = np.searchsorted(rows, bases).tolist()
    return [
        # Clipping never happens; it only saves looking at the numbers first.
        part.take(rows[begin:end] - base, axis=1, mode="clip")
        for part, base, begin, end in zip(parts, bases, bounds, bounds[1:], strict=False)
        if begin < end
    ]


def _differing(own: Signs, parts: Sequence[Signs], among: Signs | None = None) -> Distances:
    """In how many places each row's signs differ, of all or among some."""
    distances = np.empty(sum(part.shape[1] for part in parts), np.uint16)
    # Kept between blocks: making room anew takes longer than the comparison.
    most = min(_BLOCK, max((part.shape[1] for part in parts), default=0))
    differing, counted = np.empty((len(own), most), np.uint64), np.empty((len(own), most), np.uint8)
    few = np.empty(most, np.uint8)
    done = 0
    for part in parts:
        for start in range(0, part.shape[1], _BLOCK):
            block = part[:, start : start + _BLOCK]
            count = block.shape[1]
            differ = np.bitwise_xor(block, own[:, None], out=differing[:, :count])
            if among is not None:
                np.bitwise_and(differ, among[:, None], out=differ)
            counts = np.bitwise_count(differ, out=counted[:, :count])
            total = distances[done : done + count]
            total[:] = 0
            for word in range(0, len(own), _TOGETHER):
                together = counts[word : word + _TOGETHER]
                total += np.add.reduce(together, axis=0, dtype=np.uint8, out=few[:count])
            done += count
    return distances


def cosines(vector: Vector, rows: Halves) -> npt.NDArray[np.float64]:
    """How near rows of length 1 are. Each row's figure depends on that row alone."""
    if not len(rows):
        return np.zeros(0)
    # In two halves, so that rounding the query costs nothing.
    whole = vector.astype(np.float16)
    rest = ((vector - whole.astype(np.float32)) * _ENLARGED).astype(np.float16)
    both = np.asarray(numkong.dots_packed(rows, numkong.dots_pack(np.stack((whole, rest)))))
    return np.asarray(both[:, 0] + both[:, 1] / np.float64(_ENLARGED))
