"""Contract 05: the pages that a citation names, which are those in print and not those of a file."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from actors.ingesting.page_labels import PAGE_LABELS, label_of, roman
from actors.ingesting.references import Reference, text_of
from events.catalogue import SourcePublished

_WHOLE = frozenset({"book", "thesis", "report", "document", "software", "webpage", "manuscript"})
"""Works of which a single number is how many pages they have."""

_NUMBER = r"([A-Za-z]{0,3}?)-?(\d{1,7}|[ivxlc]{1,9}|[IVXLC]{1,9})"
_SAID = re.compile(_NUMBER)
_PAGES = re.compile(rf"{_NUMBER}(?:\s*[-–—]{{1,3}}\s*{_NUMBER})?\s*(\+|ff?\.?)?")
_ABBREVIATED = re.compile(r"\A(?:pp?|S)\.\s*|\App?\s+", re.I)
_LAST = 10**9
"""Where only the first page of a work is known, any may be its last."""

Page = tuple[str, int]
"""A page of one count: Roman or Arabic, and its number."""


def labels_of(file: SourcePublished, pages: Sequence[int] | None) -> list[str] | None:
    """What the pages of a passage are called in print, as far as its file says so."""
    if not pages:
        return None
    packed = file.metadata.get(PAGE_LABELS, "")
    called = [label_of(packed, page) for page in pages]
    return called if all(called) else None


def counted(file: SourcePublished, pages: Sequence[int] | None) -> Sequence[int] | None:
    """The pages of a passage by their count, unless its file calls pages otherwise: then those it does not name are
    called nobody knows what."""
    return None if PAGE_LABELS in file.metadata else pages


def locator_of(
    reference: Reference, pages: Sequence[int] | None, labels: Sequence[str] | None
) -> str | None:
    """The pages to be named in a citation; none where the work itself cannot have them.

    A file counts its pages from one, wherever in a journal it stands.
    """
    called = labels or [str(page) for page in pages or ()]
    ranges = _ranges(reference.item)
    if not called or (ranges and not all(_is_within(each, ranges) for each in called)):
        return None
    return called[0] if called[0] == called[-1] else f"{called[0]}-{called[-1]}"


def _is_within(called: str, ranges: Sequence[tuple[Page, Page]]) -> bool:
    said = _SAID.fullmatch(called)
    page = _page(said[2]) if said else None
    return page is not None and any(
        page[0] == first[0] and first <= page <= last for first, last in ranges
    )


def _ranges(item: Mapping[str, Any]) -> list[tuple[Page, Page]]:
    """The pages that a work stands on; nothing where that cannot be told."""
    found: list[tuple[Page, Page]] = []
    for part in re.split(r"[,;&]", text_of(item.get("page"))):
        said = _PAGES.fullmatch(_ABBREVIATED.sub("", part.strip()))
        if said is None:
            return []
        mark, begin, _, end, open_end = said.groups()
        first = _page(begin)
        if end is None and (mark or (item.get("type") in _WHOLE and not open_end)):
            return []  # An article's number, or how many pages there are.
        last = (first[0], _LAST) if end is None else _page(_in_full(end, begin))
        if last[0] != first[0] or last < first:
            return []
        found.append((first, last))
    return found


def _in_full(end: str, begin: str) -> str:
    """The last page of 120-35, of which only the figures that change are written."""
    if not (begin.isdecimal() and end.isdecimal() and len(end) < len(begin)):
        return end
    head = int(begin[: -len(end)])
    # Of 298-04 the first figure changes as well.
    return f"{head + (end < begin[-len(end) :])}{end}"


def _page(number: str) -> Page:
    return ("arabic", int(number)) if number.isdecimal() else ("roman", roman(number))
