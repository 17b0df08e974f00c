"""Finds what stands at the foot and the head of each page of a plain text that was laid out for a printer."""

import re
from collections import Counter
from collections.abc import Sequence

_FOOT = re.compile(r"\S.*\s{2,}\[Page [0-9ivxlc]{1,6}\]\Z")
_GAP = re.compile(r"\s{3}")
_NUMBERS = re.compile(r"[0-9]+|\b[ivxlc]+\b")
_LONGEST = 200
_AGAIN = 3
"""Pages at least on which a line stands in the same place, but for its numbers."""


def page_marks_of(lines: Sequence[str]) -> frozenset[int]:
    """The lines around the pages: each that counts its page, and those that come again at every end of one."""
    feet = {
        at for at, line in enumerate(lines) if len(line) < _LONGEST and _FOOT.match(line.strip())
    }
    breaks = [at for at, line in enumerate(lines) if "\f" in line]
    if not feet and len(breaks) < _AGAIN - 1:
        return frozenset()
    last = {_words_from(lines, at - 1, -1) for at in (*breaks, len(lines))} | feet
    first = {_words_from(lines, at, 1) for at in breaks}
    heads = {_words_from(lines, at + 1, 1) for at in feet}
    # Behind a line that counts the page, what begins the next one and has gaps is around it, too.
    marks = feet | {at for at in heads & first if at is not None and _GAP.search(lines[at].strip())}
    for places in (last, first | heads):
        known = [at for at in places if at is not None]
        common = Counter(_alike(lines[at]) for at in known)
        marks |= {at for at in known if common[_alike(lines[at])] >= _AGAIN}
    return frozenset(marks)


def _words_from(lines: Sequence[str], at: int, step: int) -> int | None:
    while 0 <= at < len(lines):
        if lines[at].strip():
            return at
        at += step
    return None


def _alike(line: str) -> str:
    return " ".join(_NUMBERS.sub("#", line).split())
