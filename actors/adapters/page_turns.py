"""Reads the image of a page whichever way it lies: scanners get pages sideways and upside down.

Only a page that is hard to read as it is is turned: most pages cost one look.
"""

from collections.abc import Callable, Sequence
from typing import Any

from actors.adapters.page_lines import Seen

_DOUBTFUL = 0.8
"""Mean sureness of letters below which a page may be upside down."""

_BETTER = 1.3
"""Times as much must be seen on a turned page."""

_ON_ITS_SIDE = 0.6
"""What a line on its side counts: engines turn it by themselves, and its place is still wrong."""

_FEW = 3
_LITTLE, _CERTAIN = 40, 0.95
"""Letters on a page that may as well have been guessed, and how sure they must be."""

Read = Callable[[Any], list[Seen]]


def read_any_way(image: Any, read: Read) -> tuple[list[Seen], int]:
    """The lines of an image, and by how many quarters to the left it was turned for them."""
    import numpy as np

    best, turn = read(image), 0
    needed = 1.0 if mostly_tall(best) else _BETTER
    for quarters in _worth_trying(best):
        seen = read(np.ascontiguousarray(np.rot90(image, quarters)))
        if weight_of(seen) > needed * weight_of(best):
            best, turn, needed = seen, quarters, 1.0
    return best, turn


def _worth_trying(seen: Sequence[Seen]) -> tuple[int, ...]:
    if not seen:
        return (1, 3, 2)
    if mostly_tall(seen):
        return (1, 3)
    letters = sum(len(line.text) for line in seen)
    sure = sum(len(line.text) * line.sure for line in seen) / letters
    if sure >= (_DOUBTFUL if letters >= _LITTLE else _CERTAIN):
        return ()
    return (1, 3) if any(line.is_tall for line in seen) else (2,)


def mostly_tall(seen: Sequence[Seen]) -> bool:
    """Whether the lines of a page run from its top to its bottom."""
    letters = sum(len(line.text) for line in seen)
    tall = [line for line in seen if line.is_tall]
    return len(tall) >= _FEW and sum(len(line.text) for line in tall) > 0.5 * letters


def weight_of(seen: Sequence[Seen]) -> float:
    """How much was seen, and how surely."""
    return sum(
        len(line.text) * max(line.sure - 0.5, 0.0) * (_ON_ITS_SIDE if line.is_tall else 1.0)
        for line in seen
    )
