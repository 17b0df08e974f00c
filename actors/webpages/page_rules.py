"""What a page's own words say under its headings: sections, labelled lines, lists.

For pages that say nothing for machines. The rules know how English and Japanese pages commonly
name their parts; what they do not recognise is left out, never guessed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from actors.ports import Block

MOST = 60
"""Entries of one list."""

LONGEST = 500
"""Characters of one entry."""

_MARK = re.compile(r"^\s*(?:[-*+•‣◦▪・●■□○✓✔]|\d{1,3}[.)、\uff0e]|[①-⑳])\s*")
_LABEL = re.compile(r"^\s*(?:[-*•・■●]\s*)?([^:\uff1a|]{1,40}?)\s*(?:[:\uff1a]|\|)\s*(\S.{0,400})$")
_MARKED = re.compile(
    "[▼▽■□●◆◇【\uff1c]\\s*+([^\\s▼▽■□●◆◇【】\uff1e・]{2,30}+)[】\uff1e]?+\\s*+([^▼▽■□●◆◇【\uff1c\n]{2,2000}+)"
)
_POINT = re.compile(r"(?:[・•]|(?<!\S)-)\s*+(?=\S)")
_ROW = re.compile(r"^\s*\|?\s*([^|]{1,40}?)\s*\|\s*([^|]{1,400}?)\s*\|?\s*$")


@dataclass(frozen=True)
class Section:
    """What stands under one heading."""

    heading: str
    level: int
    text: str
    lists: tuple[str, ...]
    """The entries of its lists."""


def sections(text: str, blocks: Sequence[Block]) -> list[Section]:
    """The page from heading to heading; what stands before the first has none."""
    found: list[Section] = []
    heading, level = "", 0
    parts: list[str] = []
    entries: list[str] = []

    def close() -> None:
        if heading or parts:
            found.append(Section(heading, level, "\n".join(parts), tuple(entries)))

    for block in blocks:
        words = text[block.start : block.end]
        if block.kind == "heading":
            close()
            heading, level, parts, entries = block.title or words.strip(), block.level, [], []
        elif block.kind != "aside":
            parts.append(words)
            if block.kind == "list":
                entries += _entries(words.splitlines())
    close()
    return found


def under(found: Iterable[Section], wanted: re.Pattern[str]) -> list[str]:
    """What the page lists under headings of that kind; its sentences where it lists nothing."""
    entries: list[str] = []
    inside = 0
    for section in found:
        if wanted.search(section.heading):
            inside = section.level or 7
        elif section.level <= inside:
            inside = 0
        if inside:
            own = section.lists or tuple(_entries(section.text.splitlines()))
            nested = section.level > inside
            entries += [section.heading, *own] if nested and not section.lists else own
    return list(dict.fromkeys(entries))[:MOST]


def marked(text: str, wanted: re.Pattern[str]) -> list[str]:
    """What is listed behind a mark with a name of that kind: `▼必須の経験 ・SQL ・英語`."""
    entries: list[str] = []
    for match in islice(_MARKED.finditer(text), MOST):
        if wanted.search(match[1]):
            entries += _entries(_POINT.split(match[2]))
    return list(dict.fromkeys(entries))[:MOST]


def labelled(text: str, wanted: re.Pattern[str]) -> str:
    """What follows the first label of that kind: `Location: Tokyo`, `| 勤務地 | 東京 |`."""
    rows = text.splitlines()
    for place, row in enumerate(rows):
        for pattern in (_LABEL, _ROW):
            match = pattern.match(row[:500])
            if match and wanted.fullmatch(match[1].strip(" *#|")):
                return _short(match[2].strip(" |*"))
        if wanted.fullmatch(row.strip(" *#|:\uff1a")) and place + 1 < len(rows):
            after = next((line for line in rows[place + 1 : place + 3] if line.strip()), "")
            if after:
                return _short(_MARK.sub("", after))
    return ""


def _entries(rows: Iterable[str]) -> Iterator[str]:
    for row in rows:
        if entry := _short(_MARK.sub("", row)):
            yield entry


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST]
