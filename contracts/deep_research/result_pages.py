"""A result in pages: the pieces of its report, and of each list in its sources and evidence, add up to the whole."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import orjson

from events.errors import BadRequest

PAGE_SIZES = 500, 1_000_000
_LISTING = ("sources", "evidence")
"""What of an answer has lists in it that may be long."""

Reply = dict[str, Any]
Place = tuple[str, ...]
"""The names that lead to a list."""


@dataclass(frozen=True)
class Paging:
    """Which part of a result is wanted."""

    number: int = 1
    size: int | None = None
    """Characters of a page; without it as many as a page can have."""

    @property
    def asked(self) -> bool:
        """Whether somebody wants pages; others need not hear of the one that holds everything."""
        return self.size is not None or self.number != 1


def one_page(reply: Reply, paging: Paging) -> Reply:
    """One page of an answer: so many characters of its report, and of its sources and evidence as many again.

    Of these at least one entry, however long it is. What is no list, such as the confidence, is on the first page.
    """
    size = PAGE_SIZES[1] if paging.size is None else paging.size
    pieces = split_pages(reply["report"], size)
    bare, entries = _emptied({name: reply[name] for name in _LISTING if name in reply})
    portions = [*_portions(entries, size)]
    pages, number = max(len(pieces), len(portions)), paging.number
    if not 1 <= number <= pages:
        raise BadRequest(
            f"There is no page {number}: the result has {pages}.", f"Use a page from 1 to {pages}."
        )
    if pages == 1 and not paging.asked:
        return reply
    listed = deepcopy(bare) if number == 1 else {}
    for place, entry in portions[number - 1] if number <= len(portions) else ():
        _list_at(place, listed, bare).append(entry)
    rest = {name: value for name, value in reply.items() if name not in _LISTING}
    return rest | {
        "report": pieces[number - 1] if number <= len(pieces) else "",
        **listed,
        "page": {
            "number": number,
            "pages": pages,
            "characters": len(reply["report"]),
            "next": number + 1 if number < pages else None,
        },
    }


def split_pages(report: str, size: int) -> list[str]:
    """A report in pieces of at most so many characters, cut between paragraphs where that is near."""
    least, most = PAGE_SIZES
    if not least <= size <= most:
        raise BadRequest(
            f"The page_size is {size}.", f"Use {least} to {most} characters, or leave it out."
        )
    pages, start = [], 0
    while len(report) - start > size:
        window = report[start : start + size]
        cuts = (window.rfind(mark) + len(mark) for mark in ("\n\n", "\n", " "))
        cut = next((cut for cut in cuts if cut > size * 3 // 4), size)
        pages.append(report[start : start + cut])
        start += cut
    return [*pages, report[start:]]


def _emptied(told: Any, place: Place = ()) -> tuple[Any, list[tuple[Place, Any]]]:
    """The same with its lists emptied, and what was in them, in order."""
    if isinstance(told, list):
        return [], [(place, entry) for entry in told]
    if not isinstance(told, dict):
        return told, []
    inside = {name: _emptied(value, (*place, name)) for name, value in told.items()}
    entries = [entry for _, found in inside.values() for entry in found]
    return {name: bare for name, (bare, _) in inside.items()}, entries


def _portions(entries: Iterable[tuple[Place, Any]], size: int) -> Iterator[list[tuple[Place, Any]]]:
    """Entries together, as long as they are not more than so many characters of JSON."""
    portion: list[tuple[Place, Any]] = []
    room = size
    for place, entry in entries:
        length = len(orjson.dumps(entry).decode())
        if portion and length > room:
            yield portion
            portion, room = [], size
        portion.append((place, entry))
        room -= length
    if portion:
        yield portion


def _list_at(place: Place, listed: Reply, bare: Reply) -> list[Any]:
    """The list that a place leads to, made where it is not there yet."""
    inside, whole = listed, bare
    for name in place[:-1]:
        whole = whole[name]
        # Evidence comes in parts; what stands in it, as the grounding does, keeps its own counts.
        inside = inside.setdefault(name, {} if name in _LISTING else deepcopy(whole))
    found: list[Any] = inside.setdefault(place[-1], [])
    return found
