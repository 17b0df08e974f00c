"""Finds what stands at the edge of page after page: running heads, footers, page numbers."""

import re
from collections import Counter
from collections.abc import Iterator

from actors.adapters.pdf.lines import LARGER, Line

_PAGE_NUMBER = re.compile(r"\A\D{0,12}?(\d{1,5})\b|\b(\d{1,5})\D{0,12}\Z")
_ROMAN = re.compile(r"[ivxlc]{1,7}\Z")
_NUMBER = re.compile(r"[-–—|\s]{0,4}\d{1,5}[-–—|\s]{0,4}")
_EDGE, _NEAR = 0.14, 0.25
"""Shares of a page's height: always its margin; its margin, where it is set apart."""

_DIGITS = re.compile(r"\d+")
_MOST_NUMBERS, _LONGEST_NUMBER = 8, 5
"""Numbers of a head, among which the page's may be: a volume, a year, how many pages there are."""

_AT_END = re.compile(r"\A\s*\d{1,5}\s+(?=\D)|\s+\d{1,5}\s*\Z")
_COUNTED = re.compile(r"\A(?:chapter|section|appendix|part|kapitel|abschnitt)?\d{1,6}")
_LONGEST_HEAD, _LETTERS = 120, 4

_APART = 1.8
"""Times the size of letters."""

_FEW = 4
"""Pages of a file in which a head need not come again to be one."""

_SMALL = 0.9
"""Times the size of the text: heads are smaller."""

_NAME = re.compile(r"[^\W\d_]{3,}")
_ISSUE = re.compile(
    r"(?!fig|tab)[^\W\d_]{3}.{0,80}?\b\d{1,4}\s?(?:\(\d{1,3}\)\s?)?\((?:1[6-9]|20)\d\d\)"
    r"[\s,:;]{0,3}(?:pp?\.\s?)?(?:\w?\d{1,6}(?:\s?[-\u2013]{1,2}\s?\w?\d{1,6})?)?",
    re.I,
)
"""A journal with its volume and year: Journal of Coastal Studies 14 (2003) 120-121."""


def without_running_heads(lines: list[Line], pages: int, body: float) -> list[Line]:
    """The lines without those that stand at the edge of several pages."""
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    edges = {page: (sorted(of, key=lambda line: line.base)) for page, of in by_page.items()}
    seen: Counter[tuple[str, int | None]] = Counter()
    offsets: Counter[int] = Counter()
    for of in edges.values():
        at_edge = of if len(of) < 7 else of[:3] + of[-3:]
        seen.update({key for line in at_edge for key in (*_edge_keys(line), *_cell_keys(line))})
        offsets.update({offset for line in (of[0], of[-1]) for offset in _offsets(line)})
    needed = min(3, max(pages, 2))
    counted = {offset for offset, times in offsets.items() if times >= max(3, 0.4 * pages)}
    few = {offset for offset, times in offsets.items() if times >= 2} if pages > 1 else {0}
    titles = {form for line in lines if _is_set_off(line, body) for form in _forms(line.text)}
    dropped: set[int] = set()
    if pages <= _FEW:
        dropped |= {id(line) for line in _heads_of_few(edges, body)}
    for of in edges.values():
        for side in (of, of[::-1]):
            for place, line in enumerate(side[:3]):
                inner = side[place + 1] if place + 1 < len(side) else None
                repeated = _is_repeated(line, seen, needed)
                numbered = place == 0 and (
                    (_may_be_head(line, inner) and not counted.isdisjoint(_offsets(line)))
                    or bool(_ROMAN.match(line.text))
                    or (_is_number(line) and not few.isdisjoint(_offsets(line)))
                )
                if line.size > LARGER * body or not (
                    repeated or numbered or _names_section(line, titles, body)
                ):
                    break
                if not _in_margin(line, inner):
                    break
                dropped.add(id(line))
    return [line for line in lines if id(line) not in dropped]


def _heads_of_few(edges: dict[int, list[Line]], body: float) -> Iterator[Line]:
    """Small lines alone above the text that name a journal's issue, or once more the paper or its authors."""
    first = edges[min(edges)] if edges else []
    opening = {
        name
        for line in first
        if line.base < _NEAR * line.height
        for name in _NAME.findall(line.text.casefold())
    }
    for of in edges.values():
        if len(of) < 2:
            continue
        line, inner = of[0], of[1]
        alone = inner.base - line.base > _APART * line.size
        small = line.size < _SMALL * body and not line.bold and len(line.text) <= _LONGEST_HEAD
        if not (alone and small and line.base < _EDGE * line.height):
            continue
        names = set(_NAME.findall(line.text.casefold()))
        known = of is not first and len(names) > 1 and names <= opening
        if known or _ISSUE.fullmatch(line.text.strip()):
            yield line


def _is_repeated(line: Line, seen: Counter[tuple[str, int | None]], needed: int) -> bool:
    """Whether other pages say the same: as one line, or as parts of it in columns of their own."""
    if any(seen[key] >= needed for key in _edge_keys(line)):
        return True
    return len(line.cells) > 1 and all(
        seen[cell.casefold().strip(), None] >= needed for cell in line.cells
    )


def _is_set_off(line: Line, body: float) -> bool:
    return line.bold or line.size > LARGER * body


def _names_section(line: Line, titles: set[str], body: float) -> bool:
    """Whether a line says again what stands elsewhere as a heading: heads change with sections."""
    if _is_set_off(line, body) or len(line.text) > _LONGEST_HEAD:
        return False
    return not titles.isdisjoint(_forms(_AT_END.sub("", line.text)))


def _forms(title: str) -> set[str]:
    """A title as it is compared, with its number and without."""
    bare = "".join(letter for letter in title[:_LONGEST_HEAD].casefold() if letter.isalnum())
    forms = {bare, _COUNTED.sub("", bare)}
    return {form for form in forms if sum(map(str.isalpha, form)) >= _LETTERS}


def _may_be_head(line: Line, inner: Line | None) -> bool:
    """Whether a line with the page's number in it is no item or section that has the same number."""
    if _is_number(line):
        return True
    return not line.bold and (inner is None or abs(inner.base - line.base) > _APART * line.size)


def _in_margin(line: Line, inner: Line | None) -> bool:
    """Whether a line stands at the edge of a page, or near it and apart from the text."""
    if line.base < _EDGE * line.height or line.base > (1 - _EDGE) * line.height:
        return True
    near = line.base < _NEAR * line.height or line.base > (1 - _NEAR) * line.height
    return near and inner is not None and abs(inner.base - line.base) > _APART * line.size


def _is_number(line: Line) -> bool:
    """Whether a line is a page's number and nothing else, with dashes around it or not."""
    return bool(_NUMBER.fullmatch(line.text.strip()))


def _edge_keys(line: Line) -> Iterator[tuple[str, int | None]]:
    """What a line would say on other pages too: the same words, or the same and the page's number."""
    text = line.text.casefold().strip()
    yield text, None
    rest = _DIGITS.sub("#", text)
    for number in _DIGITS.findall(text)[:_MOST_NUMBERS]:
        if len(number) <= _LONGEST_NUMBER:
            yield rest, int(number) - line.page


def _cell_keys(line: Line) -> Iterator[tuple[str, int | None]]:
    """What the parts of a line say, which stand in columns of their own on other pages."""
    return ((cell.casefold().strip(), None) for cell in line.cells if len(line.cells) > 1)


def _offsets(line: Line) -> set[int]:
    """By how much the number at the end of a line may differ from the number of its page."""
    if len(line.text) > 120:
        return set()
    found = _PAGE_NUMBER.finditer(line.text)
    return {int(number.group(1) or number.group(2)) - line.page for number in found}
