"""What researchers read, quoted, missed, noticed and wondered about; and what became of files."""

from collections.abc import Iterable
from typing import NamedTuple

from events.codec import Record


class Read(NamedTuple):
    """A source that was read; its bytes are kept."""

    stream: str
    task: str
    at: str
    step: int
    action: str
    url: str
    title: str | None
    content_hash: str
    content_length: int
    text_hash: str
    decision: str


class Quote(NamedTuple):
    """A passage that was taken verbatim, by its place in the text."""

    stream: str
    task: str
    at: str
    citation: int
    content_hash: str
    text_hash: str
    start: int
    end: int


class Gap(NamedTuple):
    """Something asked for that could not be resolved."""

    stream: str
    task: str
    at: str
    topic: str
    category: str
    detail: str


class Discovery(NamedTuple):
    """Something off the path that deserves another researcher."""

    stream: str
    task: str
    at: str
    type: str
    suggested_researcher: str | None
    query: str
    reason: str
    source_locator: str | None


class Question(NamedTuple):
    """A further question that the evidence raised."""

    stream: str
    task: str
    at: str
    question: str
    context: str
    priority: str
    source_locator: str | None


class File(NamedTuple):
    """What became of one file of an ingest job."""

    stream: str
    task: str
    at: str
    locator: str
    outcome: str
    document: str | None
    version: str | None
    chunks: int
    code: str | None
    reason: str | None


EvidenceRow = Read | Quote | Gap | Discovery | Question | File

KINDS: dict[str, type[EvidenceRow]] = {
    "source_read": Read,
    "passage_quoted": Quote,
    "gap_found": Gap,
    "discovery_made": Discovery,
    "question_opened": Question,
    "file_done": File,
}
"""Kinds of fact that are evidence by themselves, and the row each becomes."""

_MEMBERS = {kind: row._fields[3:] for kind, row in KINDS.items()}


def evidence(stream: str, task: str, records: Iterable[Record]) -> list[EvidenceRow]:
    """One row for each fact that is evidence, in order. Each stands alone, so nothing is folded."""
    rows: list[EvidenceRow] = []
    for record in records:
        if (row := KINDS.get(record.kind)) is not None:
            members = map(record.data.get, _MEMBERS[record.kind])
            rows.append(row._make((stream, task, record.at, *members)))
    return rows
