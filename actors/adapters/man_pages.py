"""Reads what is where in the text of a manual page, as `man` prints it: nothing but indentation says it."""

import re
from collections.abc import Iterator, Sequence

from actors.adapters.contents import FARTHEST, Contents, Titled

_HEAD = re.compile(
    r"(?P<name>[^\s()]{1,60})(?P<section>\([0-9][0-9a-zA-Z]{0,8}\))\s.*\s(?P=name)(?P=section)\Z"
)
"""Name and section on both sides of the first line."""

_HYPHENATED = re.compile(r"(?<=\w)\u2010(?P<gap>\r?\n[ \t]+)(?P<rest>[^\W\d]\S*)[ \t]?")
_LONGEST = 80
_SUBSECTION = 3
"""Blanks before the heading of a part of a section; what stands under it has more."""


def is_manual(text: str) -> bool:
    """Whether a text begins as a manual page does."""
    return _head_of(text[:1_000].split("\n")) is not None


def rejoined(manual: str) -> str:
    """A manual page without the hyphens that were put at the ends of its lines."""
    return _HYPHENATED.sub(r"\g<rest>\g<gap>", manual)


def sections_of(lines: Sequence[str]) -> Contents | None:
    """Where the sections of a manual page begin, and the lines around its pages; none of any other text."""
    found = _head_of(lines[:FARTHEST])
    if found is None:
        return None
    at, head = found
    repeated = {lines[at].strip(), _foot_of(lines)} - {""}
    around = frozenset(place for place, line in enumerate(lines) if line.strip() in repeated)
    name = head["name"]
    headings = tuple(_headings(lines, at, around))
    opening = lines[headings[0].first + 1].split() if headings else []
    # In capitals where the page itself is called otherwise.
    name = next(
        (word for word in opening[:1] if word.rstrip(",").casefold() == name.casefold()), name
    )
    return Contents(at, at, headings, around, name.rstrip(",") + head["section"])


def _head_of(lines: Sequence[str]) -> tuple[int, re.Match[str]] | None:
    for at, line in enumerate(lines):
        if bare := line.strip():
            found = _HEAD.match(bare) if len(bare) <= 300 else None
            return (at, found) if found else None
    return None


def _foot_of(lines: Sequence[str]) -> str:
    """The last line, if nothing indents it: source, date, and name."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return "" if last[:1].isspace() else last.strip()


def _headings(lines: Sequence[str], head: int, around: frozenset[int]) -> Iterator[Titled]:
    for at in range(head + 1, len(lines) - 1):
        line = lines[at].rstrip()
        bare, below = line.strip(), lines[at + 1]
        indent = _indent(line)
        if not bare or at in around or len(line) > _LONGEST or indent not in {0, _SUBSECTION}:
            continue
        if not lines[at - 1].strip() and _indent(below) > indent:
            yield Titled(at, at, 1 if indent else 0)


def _indent(line: str) -> int:
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())
