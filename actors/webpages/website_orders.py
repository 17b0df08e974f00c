"""How pages of the web are ordered: what stands in the root stream when one is to be fetched.

Used by whoever accepts a page for a client, and by the engine where pages have grown old.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from actors.catalogue import DeletedThere
from actors.catalogue_state import CatalogueState
from actors.ingesting.ingest_state import document_id
from events.base import Fact
from events.blobs import BlobStore
from events.catalogue import Entry, JobEntered, SourcePublished
from events.codec import canonical
from events.shelves import CollectionCreated
from events.stream import utc_now
from events.websites import COLLECTION, ORDER, ContentType, FetchOrder, WebsiteProcessingStarted


class KnownPage(Protocol):
    """What is known of a page that was asked for before."""

    @property
    def held(self) -> Mapping[str, Any] | None:
        """What was published of it, if it is held."""

    @property
    def content(self) -> Mapping[str, Any] | None:
        """What was last said of its content."""

    @property
    def content_type(self) -> str:
        """As what it was read."""


@dataclass(frozen=True)
class Wanted:
    """A page that is to be fetched."""

    url: str
    """In normal form."""

    number: int
    content_type: ContentType
    tool: str
    order: FetchOrder
    """With the settings to fetch by."""

    known: KnownPage | None = None


def new_job_name() -> str:
    """A job like every other that brings documents in."""
    return f"ingest-{uuid.uuid4()}"


def job_facts(
    state: CatalogueState, blobs: BlobStore, job: str, pages: Sequence[Wanted]
) -> list[Fact]:
    """Everything that makes a job over pages; nothing where there is no page."""
    if COLLECTION in state.deleted:
        raise DeletedThere("a deleted collection", COLLECTION)
    if not pages:
        return []
    made = [] if COLLECTION in state.collections else [COLLECTION]
    entries = [_entry(page) for page in pages]
    return [
        *(CollectionCreated(collection=each) for each in made),
        *(_started(page, job) for page in pages),
        JobEntered(
            job=job,
            collection=COLLECTION,
            manifest=blobs.put(canonical(entries)),
            files=len(entries),
        ),
    ]


def entry_for(url: str, order: FetchOrder, **about: Any) -> Entry:
    """A document that its job has to fetch."""
    return Entry(locator=url, metadata={ORDER: canonical(order).decode()}, **about)


def with_held(order: FetchOrder, held: SourcePublished) -> FetchOrder:
    """An order that lets the server say that what is held is still the page."""
    said = held.metadata
    return order.model_copy(
        update={
            "content": held.original,
            "media_type": held.media_type,
            "served_as": said.get("served_as", ""),
            "etag": said.get("etag", ""),
            "last_modified": said.get("last_modified", ""),
        }
    )


def _entry(page: Wanted) -> Entry:
    known = page.known
    held = known.held if known else None
    described = known is not None and known.content is not None
    order = with_held(page.order, SourcePublished.model_validate(held)) if held else page.order
    order = order.model_copy(
        update={
            "source_id": page.number,
            "tool_name": page.tool,
            "content_type": page.content_type,
            "anew": not described
            or (known is not None and known.content_type != page.content_type),
        }
    )
    return entry_for(page.url, order, tags=("website", page.content_type))


def _started(page: Wanted, job: str) -> WebsiteProcessingStarted:
    return WebsiteProcessingStarted(
        tool_name=page.tool,
        source_id=page.number,
        url=page.url,
        content_type=page.content_type,
        timestamp=utc_now(),
        job=job,
        collection=COLLECTION,
        document=document_id(page.url),
    )
