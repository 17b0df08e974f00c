"""What belongs to a research besides its trace: the lines of the catalogue about it, its blobs, what it cites."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from events.base import Blob
from events.codec import Record, decode
from events.errors import RecordError
from events.home import CATALOGUE, Home

ABOUT = {"task_entered": "task", "cancel_requested": "target", "stream_sealed": "target"}
"""What the catalogue says of a task, and where it names it."""

_HASH = re.compile(rb'"(sha256:[0-9a-f]{64})"')
_READABLE = 4 << 20
"""Bytes of a blob that is searched for further ones."""

Item = dict[str, Any]


def extract(home: Home, task: str) -> bytes:
    """The catalogue's own lines about a task, as they are."""
    wanted = task.encode()
    return b"".join(
        line for line in _catalogue_lines(home) if wanted in line and _is_about(line, task)
    )


def _catalogue_lines(home: Home) -> Iterator[bytes]:
    with home.path(CATALOGUE).open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield line


def _is_about(line: bytes, task: str) -> bool:
    record = Record(line[:-1])
    return record.data.get(ABOUT.get(record.kind, "")) == task


def blobs_of(home: Home, brief: str, streams: Iterable[str]) -> set[str]:
    """Every blob here that the streams speak of, and those that these speak of in turn."""
    waiting = {brief}
    for stream in streams:
        with home.path(stream).open("rb") as lines:
            for line in lines:
                waiting |= {name.decode() for name in _HASH.findall(line)}
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found and home.blobs.path(name).exists():
            found.add(name)
            waiting |= {each.hash for each in _within(home, name)} - found
    return found


def _within(home: Home, name: str) -> Iterator[Blob]:
    """References in a blob that is JSON, such as the recorded answer of a fetch."""
    if home.blobs.unpacked_size(name) > _READABLE:
        return
    content = home.blobs.get(name)
    if b'"stored"' not in content:
        return
    try:
        yield from references(decode(content))
    except ValueError:
        return


def references(value: Any) -> Iterator[Blob]:
    """Every reference to a blob in something that was JSON, however deep."""
    nested = [value]
    for each in nested:
        if isinstance(each, dict):
            if each.keys() == {"hash", "size", "stored"}:
                try:
                    yield Blob.model_validate(each)
                except ValueError:
                    continue
            nested += each.values()
        elif isinstance(each, list):
            nested += each


# -- what is cited ---------------------------------------------------------------------------------


def csl_items(home: Home, citations: Iterable[dict[str, Any]]) -> list[Item]:
    """The cited sources as CSL-JSON, with what the corpus knew of them when it first held them."""
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for each in citations:
        first.setdefault((each["locator"], each["content_hash"]), each)
    known = _published(home, set(first)) if first else {}
    return [
        _item(number, citation, known.get(place, {}))
        for number, (place, citation) in enumerate(first.items(), 1)
    ]


def _published(home: Home, places: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in _catalogue_lines(home):
        if b'"kind":"source_published"' in line:
            data = Record(line[:-1]).data
            place = data["locator"], data["version"]
            if place in places:
                found.setdefault(place, data.get("metadata") or {})
    return found


def _item(number: int, citation: dict[str, Any], known: dict[str, Any]) -> Item:
    locator, title = citation["locator"], citation.get("title") or citation["locator"]
    web = locator.lower().startswith(("http://", "https://"))
    item: Item = {"type": "webpage" if web else "document", "title": title}
    try:
        described = decode(known["csl"].encode())
    except (KeyError, ValueError, AttributeError):
        described = None
    if isinstance(described, dict):
        item |= described
    item["id"] = known.get("citekey") or f"source-{number}"
    if web:
        item.setdefault("URL", locator)
    return item | {"note": f"{locator} {citation['content_hash']}"}


def readable(home: Home, name: str) -> str | None:
    """The text of a blob; none, if it is not here or no text."""
    try:
        return home.blobs.get_text(name)
    except (RecordError, UnicodeDecodeError):
        return None
