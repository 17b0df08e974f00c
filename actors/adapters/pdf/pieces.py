"""From lines in reading order to paragraphs, lists, tables and code."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from actors.adapters.pdf.lines import Line
from actors.adapters.pdf.table_rows import with_whole_rows

AS_IT_STANDS = frozenset({"table", "contents", "code"})
"""Pieces whose lines are not run together."""

_ENDED = re.compile(r"[.!?:;。\uff01\uff1f][\"'”’)\]」』]*\Z")
CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_HYPHENATED = re.compile(r"([^\W\d_]{1,40})[-\u00ad\u2010]\Z")
_CHAIN = re.compile(r"[^\W\d_]-[^\W\d_]{1,40}-[^\W\d_]{1,40}-\Z")
"""As in state-of-the-art: with two hyphens, a third is no cut."""

_USUAL = 3
"""Times that each half of a compound stands by itself in a document."""

_FIRST_WORD = re.compile(r"[^\W\d_]{1,40}")
BULLET = re.compile(r"(?:[•‣◦▪●○■–—・*-]|\(?(?:\d{1,2}|[a-z])[.)])\s+\S")
_MARKED = re.compile(r"\[[\w+.:-]{1,12}\]\s*\S")
"""The beginning of a reference in a list of them."""

_LONGEST_ALONE = 90
_LEADERS = re.compile(r"(?:\s?\.){5,}\s*\S{1,8}\Z")


@dataclass(slots=True)
class Piece:
    """Lines that belong together."""

    lines: list[Line]
    kind: str
    text: str = ""
    level: int = 0

    @property
    def page(self) -> int:
        """The page on which it begins."""
        return self.lines[0].page


def ended(text: str) -> bool:
    """Whether a sentence ends with the text."""
    return bool(_ENDED.search(text, max(len(text) - 12, 0)))


def hyphenated(text: str) -> re.Match[str] | None:
    """The word that is cut at the end of a text, if one is."""
    return _HYPHENATED.search(text, max(len(text) - 42, 0))


def pieces_of(lines: list[Line]) -> Iterator[Piece]:
    """The lines, taken together where they belong together."""
    lines = with_whole_rows(lines, _table_length)
    leading = _leading(lines)
    widths = _columns(lines)
    _mark_centred(lines, widths)
    all_fixed = sum(line.fixed for line in lines) > 0.6 * len(lines)
    at = 0
    while at < len(lines):
        rows = _table_length(lines, at)
        if rows:
            yield Piece(lines[at : at + rows], "table")
            at += rows
            continue
        last = at
        while (
            last + 1 < len(lines)
            and not _table_length(lines, last + 1)
            and not _breaks(lines[last], lines[last + 1], lines[at], leading, widths)
        ):
            last += 1
        kind = "list" if BULLET.match(lines[at].text) else "paragraph"
        if all(line.fixed for line in lines[at : last + 1]) and not all_fixed:
            kind = "code"
        elif _LEADERS.search(lines[last].text[-200:]):
            kind = "contents"
        yield Piece(lines[at : last + 1], kind)
        at = last + 1


def _leading(lines: list[Line]) -> dict[float, float]:
    """The usual distance of base lines, by the size of the letters."""
    distances: dict[float, list[float]] = {}
    for line, below in pairwise(lines):
        if line.page == below.page and line.column == below.column and line.size == below.size:
            distance = below.base - line.base
            if 0.8 * line.size < distance < 3 * line.size:
                distances.setdefault(line.size, []).append(distance)
    # The lower part: the distance within paragraphs, not between them.
    return {size: sorted(some)[len(some) * 2 // 5] for size, some in distances.items()}


def _columns(lines: list[Line]) -> dict[tuple[int, int], tuple[float, float]]:
    """Left and right end of each column of each page."""
    ends: dict[tuple[int, int], tuple[list[float], float]] = {}
    for line in lines:
        lefts, right = ends.setdefault((line.page, line.column), ([], 0.0))
        lefts.append(line.left)
        ends[line.page, line.column] = (lefts, max(right, line.right))
    return {place: (median(lefts), right) for place, (lefts, right) in ends.items()}


def _table_length(lines: list[Line], at: int) -> int:
    """How many lines from here on are the rows of a table; 0 where there is none."""
    if len(lines[at].cells) < 2:
        return 0
    last = at
    while last + 1 < len(lines) and _same_table(lines[last], lines[last + 1]):
        last += 1
    rows = lines[at : last + 1]
    full = sum(len(line.cells) > 1 for line in rows)
    return len(rows) if full >= 3 and full >= 0.7 * len(rows) else 0


def _same_table(line: Line, below: Line) -> bool:
    if line.page != below.page or line.column != below.column:
        return False
    if not 0 < below.base - line.base < 3 * line.size:
        return False
    aligned = sum(
        any(abs(start - other) < line.size for other in line.starts) for start in below.starts
    )
    return len(below.cells) > 1 and aligned >= min(2, len(below.starts))


def _breaks(
    line: Line,
    below: Line,
    first: Line,
    leading: dict[float, float],
    widths: dict[tuple[int, int], tuple[float, float]],
) -> bool:
    """Whether a new paragraph begins with the line below."""
    if line.page != below.page or line.column != below.column:
        return True
    if abs(line.size - below.size) > 0.06 * line.size or line.bold != below.bold:
        return True
    if line.fixed != below.fixed or (below.bold and _COUNTED_BOLD.match(below.text)):
        return True
    distance, usual = below.base - line.base, leading.get(line.size, 1.3 * line.size)
    if distance <= 0 or distance > max(1.3 * usual, usual + 0.25 * line.size):
        return True
    if line.fixed and first.fixed:
        return False
    if (line is first and stands_alone(line, widths)) or (
        stands_alone(below, widths) and ended(line.text)
    ):
        return True
    if BULLET.match(below.text) and (below.left < line.left + line.size or ended(line.text)):
        return bool(BULLET.match(first.text)) or ended(line.text)
    left, right = widths[line.page, line.column]
    short = line.right < right - 0.12 * (right - left)
    indented = below.left > left + 0.8 * line.size and line.left <= left + 0.5 * line.size
    over = ended(line.text)
    if BULLET.match(first.text):
        return short and over and below.left < first.left + 0.3 * line.size
    hanging = below.left > first.left + 0.5 * line.size
    if _MARKED.match(first.text):
        return bool(_MARKED.match(below.text)) or (over and short and not hanging)
    return (indented and over) or (short and over and not hanging and below.text[:1].isupper())


_ALONE = re.compile(
    r"(?:abstract|zusammenfassung|references|bibliography|literatur|acknowledge?ments?|keywords|"
    r"introduction|conclusions?|appendix|contents|summary)\Z",
    re.I,
)
_COUNTED_BOLD = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+[^\W\d_]{2}")
"""A section below a title of the same size, and no second line of it."""

_COUNTED = re.compile(r"(?:[IVX]{1,5}|[A-H]|\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s+\S")


def stands_alone(line: Line, widths: dict[tuple[int, int], tuple[float, float]]) -> bool:
    """Whether a line is set as a heading is that has the size of the text, and ends early."""
    left, right = widths[line.page, line.column]
    return line.right <= right - 0.1 * (right - left) and is_alone(line)


def _mark_centred(lines: list[Line], widths: dict[tuple[int, int], tuple[float, float]]) -> None:
    """Note which lines stand in the middle of their column."""
    for line in lines:
        left, right = widths[line.page, line.column]
        before, behind, width = line.left - left, right - line.right, right - left
        line.centred = before > 0.05 * width and abs(before - behind) < 0.1 * width


def _is_loud(text: str) -> bool:
    """Whether a text is of words in capitals, and no abbreviation or number."""
    words = text.split()
    return text.isupper() and len(words) > 1 and "".join(words).isalpha()


def is_alone(line: Line) -> bool:
    """Whether a line is a heading by its words, or is set like one in capitals or italics."""
    text = line.text.strip()
    if len(text) > _LONGEST_ALONE or ended(text):
        return False
    counted = bool(_COUNTED.match(text)) and (line.italic or text.isupper())
    return counted or bool(_ALONE.match(text)) or (line.centred and _is_loud(text))


def indented(piece: Piece) -> Iterator[str]:
    """The lines of a piece; those of code keep their distance from the margin."""
    margin = min(line.left for line in piece.lines)
    for line in piece.lines:
        letter = (line.right - line.left) / max(len(line.text), 1) or 1.0
        blanks = round((line.left - margin) / letter) if piece.kind == "code" else 0
        yield " " * min(blanks, 60) + line.text


def flowing(lines: list[Line], words: Counter[str]) -> str:
    """The lines of a paragraph as one."""
    text = lines[0].text
    for line in lines[1:]:
        text = joined(text, line.text, words)
    return text.replace("\u00ad", "")


def _is_compound(before: str, rest: re.Match[str], words: Counter[str]) -> bool:
    """Whether a hyphen at the end of a line belongs to the word: by what the document says else."""
    if _CHAIN.search(before, max(len(before) - 80, 0)):
        return True
    cut = hyphenated(before)
    halves = (cut.group(1).casefold() if cut else "", rest.group().casefold())
    whole = "".join(halves)
    return not words[whole] and all(len(half) > 3 and words[half] >= _USUAL for half in halves)


def joined(before: str, after: str, words: Counter[str]) -> str:
    """Two lines as one: a word cut by a hyphen is made whole, Japanese runs on without a blank."""
    cut = hyphenated(before)
    rest = _FIRST_WORD.match(after)
    if cut and rest:
        whole = (cut.group(1) + rest.group()).casefold()
        compound = f"{cut.group(1)}-{rest.group()}".casefold()
        soft = before.endswith("\u00ad")
        one_word = soft or (
            words[compound] <= words[whole] and not _is_compound(before, rest, words)
        )
        if rest.group()[0].islower() and one_word:
            return before[:-1] + after
        return before[:-1] + "-" + after
    if before.endswith("\u00ad"):
        return before[:-1] + "-" + after
    if CJK.match(before[-1:]) and CJK.match(after[:1]):
        return before + after
    return f"{before} {after}"
