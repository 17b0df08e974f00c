"""Stored texts as the page shows them: a part at a time, with the place that matters marked, and what changed."""

from difflib import unified_diff
from typing import Any

LONGEST = 20_000
"""Characters of a text that are shown at once."""

_LINES = 2_000
"""Lines of a text that are compared."""

_SHOWN = 600
_WIDEST = 1_000


def window(text: str, start: int, end: int, around: int) -> dict[str, Any]:
    """The part of a text around a place, cut between words where that is near."""
    start = max(0, min(start, len(text)))
    end = max(start, min(end, len(text), start + LONGEST))
    first = _to_word(text, max(0, start - around), start)
    last = min(len(text), end + around)
    return {
        "before": text[first:start],
        "excerpt": text[start:end],
        "after": text[end:last],
        "start": start,
        "end": end,
        "first": first,
        "last": last,
        "characters": len(text),
    }


def _to_word(text: str, first: int, start: int) -> int:
    if first == 0:
        return 0
    space = text.find(" ", first, min(start, first + 40))
    return first if space < 0 else space + 1


def changes(before: str, after: str) -> dict[str, Any]:
    """What one text has and the other has not, line by line with a little around it."""
    old, new = before.splitlines(), after.splitlines()
    compared = unified_diff(old[:_LINES], new[:_LINES], n=2, lineterm="")
    lines = [_line(each) for each in list(compared)[2 : _SHOWN + 2]]
    return {
        "lines": lines,
        "added": sum(each["op"] == "added" for each in lines),
        "removed": sum(each["op"] == "removed" for each in lines),
        "cut": max(len(old), len(new)) > _LINES or len(lines) == _SHOWN,
    }


_OPS = {"+": "added", "-": "removed", "@": "place", " ": "same"}


def _line(line: str) -> dict[str, str]:
    return {"op": _OPS[line[:1] or " "], "text": line if line[:1] == "@" else line[1 : _WIDEST + 1]}
