"""Finds what stands at the edge of page after page: running heads, footers, page numbers."""

import re
from collections import Counter
from collections.abc import Iterator

from actors.adapters.pdf_layout import LARGER, Line

_PAGE_NUMBER = re.compile(r"\A\D{0,12}?(\d{1,5})\b|\b(\d{1,5})\D{0,12}\Z")
_ROMAN = re.compile(r"[ivxlc]{1,7}\Z")


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
        seen.update({key for line in at_edge for key in _edge_keys(line)})
        offsets.update({offset for line in (of[0], of[-1]) for offset in _offsets(line)})
    needed = min(3, max(pages, 2))
    counted = {offset for offset, times in offsets.items() if times >= max(3, 0.4 * pages)}
    dropped: set[int] = set()
    for of in edges.values():
        for side in (of, of[::-1]):
            for place, line in enumerate(side[:3]):
                margin = line.base < 0.14 * line.height or line.base > 0.86 * line.height
                repeated = any(seen[key] >= needed for key in _edge_keys(line))
                numbered = place == 0 and (
                    not counted.isdisjoint(_offsets(line)) or bool(_ROMAN.match(line.text))
                )
                if not margin or line.size > LARGER * body or not (repeated or numbered):
                    break
                dropped.add(id(line))
    return [line for line in lines if id(line) not in dropped]


def _edge_keys(line: Line) -> Iterator[tuple[str, int | None]]:
    """What a line would say on other pages too: the same words, or the same and the page's number."""
    text = line.text.casefold().strip()
    yield text, None
    for found in _PAGE_NUMBER.finditer(text):
        number = found.group(1) or found.group(2)
        rest = text.replace(number, "#", 1)
        yield rest, int(number) - line.page


def _offsets(line: Line) -> set[int]:
    """By how much the number at the end of a line may differ from the number of its page."""
    if len(line.text) > 120:
        return set()
    found = _PAGE_NUMBER.finditer(line.text)
    return {int(number.group(1) or number.group(2)) - line.page for number in found}
