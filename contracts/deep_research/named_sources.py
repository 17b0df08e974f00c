"""The sources of a result, as contract 01 lists and counts them. Pure."""

from collections.abc import Iterable
from typing import Any

from projections.evidence import Read

Reply = dict[str, Any]


def sources_of(result: Reply) -> list[Reply]:
    """The cited sources, once each, in order of their first citation; then those that a report names in vain."""
    sources: dict[str, Reply] = {}
    for citation in result.get("citations", []):
        sources.setdefault(
            citation["locator"],
            {
                "title": citation["title"],
                "url": citation["locator"],
                "snippet": citation["snippet"] or citation["raw_excerpt"][:200],
                "relevance_score": citation["confidence"],
                "content_hash": citation["content_hash"],
            },
        )
    for named in (result.get("grounding") or {}).get("sources", []):
        sources.setdefault(
            named["url"],
            {
                "title": named["title"],
                "url": named["url"],
                "snippet": "",
                "relevance_score": 0.0,
                "content_hash": named["content_hash"],
                "note": named["reason"] or "Read, and nothing that is said of it was found there.",
            },
        )
    return list(sources.values())


def unread_sources(result: Reply) -> list[Reply]:
    """The sources that a provider's report names and that could not be read."""
    named: list[Reply] = (result.get("grounding") or {}).get("sources", [])
    return [each for each in named if each["content_hash"] is None]


def pages_read(reads: Iterable[Read]) -> int:
    """How many pages were read: one that was found at several addresses, or that says the same there, is one."""
    known: set[str] = set()
    number = 0
    for read in reads:
        names = {read.url, read.content_hash, read.text_hash}
        number += known.isdisjoint(names)
        known |= names
    return number
