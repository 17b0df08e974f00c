"""Finds the table of contents that a plain text begins with, and where its entries stand as headings.

Each of its lines comes again as the heading of what it names. Taken for text it is nearer to most questions than
what answers them: it has their words, and says nothing. What it lists is what plain text marks nowhere else.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_NAMES = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis|sübersicht)?|table des matières|sommaire|sommario"
    r"|indice|índice|tabla de contenidos?|目\s*次|もくじ",
    re.I,
)
_UNDERLINE = re.compile(r"([=\-~*_#])\1{2,}\Z")
_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|kapitel|abschnitt|anhang|chapitre|capítulo)\s+)?"
    r"(?P<number>(?:[0-9]{1,3}|[A-Z]|[IVX]{1,5})(?:\.[0-9]{1,3}){0,5})(?:[.):]+\s+|\s{2,}|(?<=[0-9])\s)",
    re.I,
)
_PAGE = re.compile(r"(?:\s*\.){2,}\s*[0-9ivxlc]{0,5}\s*\Z|\s{2,}[0-9ivxlc]{1,5}\s*\Z")
"""Dots that lead to a page, or a page set apart."""

FARTHEST = 600
"""Lines after which no text begins with its contents any more."""

LONGEST = 3_000
"""Lines of a table of contents."""

_LOOKED_AT = 4_000_000
"""Letters behind it in which its entries are looked for."""

_COME_AGAIN = 0.85
"""Share of its lines that must."""

_FEWEST = 3
_BEGINNING = 8
"""Letters by which lines are found that may say an entry."""

_LINES_OF_A_HEADING = 4


@dataclass(frozen=True, slots=True)
class Titled:
    """An entry where it stands as a heading."""

    first: int
    last: int
    """The lines of it."""

    depth: int
    """How many numbers it has: 1 for a chapter, 2 for its sections; 0 where no chapters are over it."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a text says of its own order: a table of contents, lines `first` to `last`, and what stands as headings."""

    first: int
    last: int
    headings: tuple[Titled, ...]
    asides: frozenset[int] = frozenset()
    """Further lines that are around the text, and not of it."""

    title: str | None = None


def contents_of(lines: Sequence[str]) -> Contents | None:
    """The table of contents that a text of these lines begins with, if it has one."""
    for at, line in enumerate(lines[:FARTHEST]):
        if _NAMES.fullmatch(line.strip(" \t:#*=")) and (found := _listed_from(lines, at)):
            return found
    return None


def _listed_from(lines: Sequence[str], at: int) -> Contents | None:
    begin = _next_words(lines, at + 1)
    if begin is None:
        return None
    if _UNDERLINE.match(lines[begin].strip()):
        begin = _next_words(lines, begin + 1)
    key = _key(lines[begin]) if begin is not None else ""
    if begin is None or not key:
        return None
    behind = range(begin + 1, min(len(lines), begin + LONGEST))
    end = next((place for place in behind if _key(lines[place]) == key), None)
    if end is None or not _come_again(lines[begin:end], lines[end:]):
        return None
    last = max(place for place in range(begin, end) if lines[place].strip())
    return Contents(at, last, tuple(_headings(lines[begin:end], lines[end:], end)))


def _come_again(entries: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether nearly all lines of what may be contents stand once more behind them, in the same order."""
    listed = [key for line in entries if (key := _key(line))]
    if len(listed) < _FEWEST:
        return False
    rest, letters = [], 0
    for line in behind:
        rest.append(_letters(line))
        letters += len(rest[-1])
        if letters > _LOOKED_AT:
            break
    said, place, missed = "".join(rest), 0, 0
    for key in listed:
        found = said.find(key, place)
        if found < 0:
            missed += 1
            if missed > (1 - _COME_AGAIN) * len(listed):
                return False
        else:
            place = found + len(key)
    return True


def _headings(entries: Sequence[str], behind: Sequence[str], offset: int) -> Iterator[Titled]:
    """The entries as they stand behind, in their order; one that does not is passed over."""
    keys = [_key(line) for line in behind]
    beginning: dict[str, list[int]] = {}
    for place, key in enumerate(keys):
        beginning.setdefault(key[:_BEGINNING], []).append(place)
    next_free = 0
    for depth, key in _entries(entries):
        places = beginning.get(key[:_BEGINNING], [])
        for first in places[bisect_left(places, next_free) :]:
            last = _said_by(key, keys, behind, first)
            if last is not None:
                yield Titled(offset + first, offset + last, depth)
                next_free = last + 1
                break


def _entries(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """How deep each entry is, and its letters; where they are numbered, a line without a number goes on with one."""
    numbered = _NUMBER.match(next(filter(str.strip, lines)).strip()) is not None
    depth, key = 0, ""
    for line in lines:
        if not line.strip():
            continue
        number = _NUMBER.match(line.strip())
        if key and numbered and not number:
            key += _key(line)
            continue
        if key:
            yield depth, key
        depth, key = number["number"].count(".") + 1 if number else 1, _key(line)
    if key:
        yield depth, key


def _said_by(key: str, keys: Sequence[str], lines: Sequence[str], first: int) -> int | None:
    """The last of the lines that from a place on say an entry and nothing else."""
    said, last = keys[first], first
    while key.startswith(said) and said != key and last - first < _LINES_OF_A_HEADING:
        last += 1
        more = _letters(lines[last]) if last < len(lines) else ""
        if not more:
            return None
        said += more
    return last if said == key else None


def _next_words(lines: Sequence[str], at: int) -> int | None:
    return next((place for place in range(at, len(lines)) if lines[place].strip()), None)


def _key(line: str) -> str:
    """What a line names, without its number and its page."""
    bare = _PAGE.sub("", line.strip()) if len(line) < 1_000 else line[:1_000]
    number = _NUMBER.match(bare)
    return _letters(bare[number.end() :] if number else bare)


def _letters(line: str) -> str:
    return "".join(filter(str.isalnum, line.casefold()))
