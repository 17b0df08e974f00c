"""One document of the knowledge base, as a resource shows it."""

from typing import Any

from contracts.allowed_paths import shortened
from contracts.core import Core
from contracts.knowledge.shelving import document_row
from events.errors import UnknownDocument

LONGEST_TEXT = 2_000_000
"""Characters of a document that are handed out at once."""


def document(core: Core, name: str) -> dict[str, Any]:
    """A document's metadata and text, by its id."""
    state = core.catalogue.state()
    held = [
        source
        for source in core.views.sources()
        if source.document == name and source.collection in state.collections
    ]
    if not held:
        raise UnknownDocument(shortened(name, 80), "any collection")
    latest = max(held, key=lambda source: source.published_at)
    fact = state.published[latest.collection, latest.document].source
    text = core.home.blobs.get_text(latest.text)
    return document_row(latest) | {
        "collections": sorted({source.collection for source in held}),
        "language": fact.language,
        "tags": list(fact.tags),
        "metadata": fact.metadata,
        "text_hash": latest.text,
        "characters": len(text),
        "text": text[:LONGEST_TEXT],
        "versions": [
            {"version": each.version, "published_at": each.published_at, "ended_at": each.ended_at}
            for each in core.views.versions(latest.collection, latest.document)
        ],
    }
