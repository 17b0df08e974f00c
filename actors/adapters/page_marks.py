"""Finds what stands at the foot and the head of each page of a plain text that was laid out for a printer."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

_FOOT = re.compile(r"\S.*\s\s\[Page [0-9ivxlc]{1,6}\]\Z")
_GAP = re.compile(r"\s{3}")
_NUMBERS = re.compile(r"[0-9]+|\b[ivxlc]+\b")
_LONGEST = 200
_AGAIN = 3
"""Pages at least on which a line stands in the same place, but for its numbers."""

_NEAR = range(3)
"""From one page to the next, or to the next that has the same side of a book."""


def page_marks_of(lines: Sequence[str]) -> frozenset[int]:
    """The lines around the pages: each that counts its page, and those that come again at every end of one."""
    feet = {
        at for at, line in enumerate(lines) if len(line) < _LONGEST and _FOOT.match(line.strip())
    }
    breaks = [at for at, line in enumerate(lines) if "\f" in line]
    if not feet and len(breaks) < _AGAIN - 1:
        return frozenset()
    said = [at for at, line in enumerate(lines) if line.strip()]
    last = {at for end in (*breaks, len(lines)) for at in _before(said, end)} | feet
    first = {at for begin in breaks for at in _from(said, begin)}
    heads = {at for foot in feet for at in _from(said, foot + 1)}
    # Behind a line that counts the page, what begins the next one and has gaps is around it, too.
    marks = feet | {at for at in heads & first if _GAP.search(lines[at].strip())}
    for places in (last, first | heads):
        alike: dict[str, list[int]] = defaultdict(list)
        for at in sorted(places):
            alike[_alike(lines[at])].append(at)
        for group in alike.values():
            if len(group) >= _AGAIN and _count_pages([lines[at] for at in group]):
                marks |= set(group)
    return frozenset(marks)


def _before(said: list[int], line: int) -> list[int]:
    """The last line with words before a place, if there is one."""
    place = bisect_left(said, line)
    return said[place - 1 : place] if place else []


def _from(said: list[int], line: int) -> list[int]:
    """The first line with words from a place on, if there is one."""
    place = bisect_left(said, line)
    return said[place : place + 1]


def _alike(line: str) -> str:
    return " ".join(_NUMBERS.sub("#", line).split())


def _count_pages(lines: Sequence[str]) -> bool:
    """Whether the numbers of lines stay, or go on from page to page; those of rows of a table jump."""
    for told in zip(*(_NUMBERS.findall(line) for line in lines), strict=True):
        pairs = [(one, other) for one, other in pairwise(told) if (one + other).isdecimal()]
        near = sum(int(other[-9:]) - int(one[-9:]) in _NEAR for one, other in pairs)
        if 2 * near < len(pairs):
            return False
    return True
