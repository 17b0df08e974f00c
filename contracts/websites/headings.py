"""The headings above a passage under the contract's names: `Header 2` is one of the second level.

A passage knows the titles above it, and the text of its page knows their levels, because headings are written
there as Markdown writes them. In a text without such marks they are counted from the outermost.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from events.blobs import BlobStore
from events.errors import ResearchError
from projections.websites import Website

_HEADING = re.compile(r"^(#{1,6}) (\S.*)$", re.M)
_PAGES = 256
"""Pages whose headings are remembered."""


class Heading(NamedTuple):
    """A heading of a text."""

    start: int
    level: int
    title: str


def headings_in(text: str) -> tuple[Heading, ...]:
    """All that are marked as such, in order."""
    found = _HEADING.finditer(text)
    return tuple(Heading(each.start(), len(each[1]), each[2].strip()) for each in found)


def levels_of(titles: Sequence[str], start: int, headings: Sequence[Heading]) -> list[int]:
    """The levels of the titles above a place; by their order, where the text does not tell."""
    levels: list[int] = []
    wanted, below = list(titles), 7
    place = bisect_right(headings, start, key=lambda each: each.start)
    while wanted and place:
        place -= 1
        each = headings[place]
        if each.level < below and each.title == wanted[-1]:
            levels.append(each.level)
            below = each.level
            wanted.pop()
    return list(range(1, len(titles) + 1)) if wanted else levels[::-1]


class HeaderNames:
    """Names the headings above passages of pages that are held. For any number of threads."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self._headings = lru_cache(maxsize=_PAGES)(self._read)

    def above(
        self, site: Website, version: str, start: int, titles: Sequence[str]
    ) -> dict[str, str]:
        """The titles above a place, each under the name of its level."""
        held = site.held if site.held and site.held["version"] == version else None
        headings = self._headings(held["text"]["hash"]) if held and titles else ()
        levels = levels_of(titles, start, headings)
        return {f"Header {level}": title for level, title in zip(levels, titles, strict=True)}

    def _read(self, text_hash: str) -> tuple[Heading, ...]:
        try:
            return headings_in(self._blobs.get(text_hash).decode())
        except ResearchError:
            return ()  # The passage was found all the same.
