"""Which texts are copies of one another: a report that many sites carry is still one source. Pure."""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice

from actors.reports.excerpts import letters_of

_WIDTH = 40
"""Letters of a piece by which texts are compared, whatever their layout."""

_KEPT = 400
"""Pieces kept of a text: those with the smallest digests, so that copies keep the same ones."""

_LOOKED_AT = 300_000
_COPIED = 0.4
"""A text of which so much stands in another is its copy."""

_REMEMBERED = 500
_sketches: dict[bytes, frozenset[bytes]] = {}
"""Of texts that were looked at lately, by their digest: the same pages are compared several times over."""


def sketch(text: str) -> frozenset[bytes]:
    """A small sample of a text by which its copies are known."""
    name = blake2b(text[:_LOOKED_AT].encode("utf-8", "replace"), digest_size=16).digest()
    found = _sketches.get(name)
    if found is None:
        while len(_sketches) >= _REMEMBERED:
            _sketches.pop(next(iter(_sketches)), None)
        found = _sketches[name] = _sketched(text)
    return found


def _sketched(text: str) -> frozenset[bytes]:
    letters = letters_of(text[:_LOOKED_AT])
    pieces = (letters[at : at + _WIDTH] for at in range(max(1, len(letters) - _WIDTH + 1)))
    digests = {blake2b(piece.encode(), digest_size=6).digest() for piece in pieces if piece}
    return frozenset(islice(sorted(digests), _KEPT))


def groups(texts: Sequence[str]) -> list[int]:
    """For each text the number of the first one that it is a copy of, or its own."""
    sketches = [sketch(text) for text in texts]
    firsts: list[int] = []
    for place, mine in enumerate(sketches):
        copied = (
            firsts[other] for other in range(place) if _alike(mine, sketches[other]) >= _COPIED
        )
        firsts.append(next(copied, place))
    return firsts


def _alike(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    """How much of the smaller text stands in the larger one, estimated from their samples."""
    if not one or not other:
        return 1.0 if one == other else 0.0
    # Beyond the smaller of the two last digests, the fuller sample says nothing about the other.
    horizon = min(max(one), max(other))
    mine, theirs = {d for d in one if d <= horizon}, {d for d in other if d <= horizon}
    smaller = min(len(mine), len(theirs))
    return len(mine & theirs) / smaller if smaller else 0.0
