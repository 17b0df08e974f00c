"""What a page's own words say under its headings: sections, labelled lines, lists.

For pages that say nothing for machines. The rules know how English and Japanese pages commonly
name their parts; what they do not recognise is left out, never guessed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from actors.ports import Block
from actors.webpages.markup import untagged

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
_HEADER = 12
"""Letters up to which the second cell of a table's first row may be the name of its column."""

_PART = re.compile(r"<(/?)(d[tdl])\b[^<>]{0,500}>", re.I)
_CELL = re.compile(r"<(/?)(t[rdh])\b[^<>]{0,500}>", re.I)
_LINE = re.compile(r"<(?:li|br|p)\b[^<>]{0,500}>", re.I)
_ITEM = re.compile(r"<li\b[^<>]{0,500}>", re.I)
_SPACES = re.compile(r"[\s・-]+")
_PARTS, _LONGEST_TERM, _COMPARED = 2_000, 40, 30
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


def beside(text: str, wanted: re.Pattern[str]) -> list[str]:
    """What a table of two columns says beside a name of that kind: `| 応募資格 | ・SQL ・英語 |`."""
    entries: list[str] = []
    rows = [[cell.strip() for cell in row.split("|")] for row in text.splitlines()]
    for row, after in pairwise([*rows, []]):
        match row:
            case ["", name, said, ""] if 0 < len(name) <= _LONGEST_TERM and wanted.search(name):
                is_header = after[1:2] == ["---"] and len(said) <= _HEADER
                entries += [] if is_header else _entries(_POINT.split(said))
            case _:
                pass
    return list(dict.fromkeys(entries))[:MOST]


def definitions(html: str, text: str, *, by_line: bool = False) -> str:
    """The pairs of a page's description lists as rows of a table, as far as they stand in its text.

    By line: with a point for each line of what is said, and not only for each entry of a list.

    In the text they are entries of one list, and nothing tells a name from what is said of it.
    """
    written = _SPACES.sub("", text)
    rows: list[str] = []
    term = before = ""
    for part, after in islice(pairwise(_PART.finditer(html)), _PARTS):
        opened, name = not part[1], part[2].lower()
        inside = html[part.end() : after.start()]
        if opened and name == "dt":
            term = untagged(inside)
            before = _SPACES.sub("", term)
        elif opened and name == "dd" and term:
            said = _said(inside, _LINE if by_line else _ITEM)
            bare = _SPACES.sub("", said)
            stands = before + bare[:_COMPARED] in written
            if said and len(term) <= _LONGEST_TERM and "|" not in term and stands:
                rows.append(f"| {term} | {said} |")
                # More may be said of the same, in an element of its own.
                before = bare[-_COMPARED:]
            else:
                term = ""
        elif name == "dl":
            term = ""
    return "\n".join(rows)


def _said(inside: str, begins: re.Pattern[str]) -> str:
    """The words of an element, with a point where an entry begins."""
    return untagged(begins.sub(" ・", inside)).replace("|", "/").rstrip(" ・")


def cells(html: str, text: str) -> str:
    """The rows of two cells of a page's tables, as far as they stand in its text, with a point for each line.

    In the text a cell is one line, and nothing tells one entry from the next.
    """
    written = _SPACES.sub("", text)
    rows: list[str] = []
    row: list[tuple[str, str]] = []
    for part, after in islice(pairwise(_CELL.finditer(html)), _PARTS):
        opened, name = not part[1], part[2].lower()
        if name != "tr":
            row += [(name, html[part.end() : after.start()])] if opened else []
            continue
        match row:
            case [(first, name_of), (second, said_of)] if (first, second) != ("th", "th"):
                term = untagged(name_of)
                said = _said(said_of, _LINE)
                pair = f"{_SPACES.sub('', term)}|{_SPACES.sub('', said)[:_COMPARED]}"
                if said and 0 < len(term) <= _LONGEST_TERM and pair in written:
                    rows.append(f"| {term} | {said} |")
            case _:
                pass
        row = []
    return "\n".join(rows)


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
