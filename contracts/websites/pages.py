"""Contract 04: pages of the web, processed, refreshed, deleted and looked at.

Processing is an ingest job over a URL: accepted in the record, done by the engine, and answered
for here as soon as it is through or has taken too long to wait for.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from contracts.core import Core
from contracts.websites.errors import BadUrl, UnknownWebsite, WebsitesDeleted
from contracts.websites.fetching import fetch_order, normal_url
from contracts.websites.listing import CONTENT_TYPES, expect_one_of, listing
from contracts.websites.wording import about, is_stale, left_of_address, message, refreshed
from events.base import Blob, Fact
from events.catalogue import CancelRequested, SourceRemoved
from events.errors import AddressRefused
from events.stream import utc_now
from events.websites import COLLECTION, ContentType, WebsiteDeleted
from projections.websites import Website, Websites

Reply = dict[str, Any]

PATIENCE = 4.5
"""Seconds a call waits for a page; what takes longer goes on by itself."""

REFRESH_PATIENCE = 14.0
"""Seconds a refresh waits: its answer says what became of it."""

_GLANCE = 0.02


class WebsiteShelf:
    """The websites of a data home, for any number of threads."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.view = Websites(core.home)

    # -- processing --------------------------------------------------------------------------------

    async def process(
        self, url: str, content_type: ContentType = "job_posting", *, force_refresh: bool = False
    ) -> Reply:
        """Make a page searchable, or say that it is."""
        began = time.perf_counter()

        def accept() -> Website | int:
            place = self.normal(url)
            if not force_refresh and (known := self._cached(place)):
                return known
            tool = "rag_process_website"
            return self.accept([place], content_type, tool, force=force_refresh)[0]

        accepted = await anyio.to_thread.run_sync(accept)
        if isinstance(accepted, Website):
            return self._processed(accepted, url, began, content_type, cached=True)
        site = await self._wait(accepted, PATIENCE)
        return self._processed(site, url, began, content_type, cached=False)

    def normal(self, url: str) -> str:
        """A URL as it is known by; refuses what cannot be one, and addresses that are not public."""
        try:
            return normal_url(url, self._core.settings)
        except AddressRefused as refusal:
            raise BadUrl(*refusal.args) from None

    def accept(
        self,
        urls: Sequence[str],
        content_type: ContentType,
        tool: str,
        *,
        force: bool,
        served: Mapping[str, Blob] | None = None,
    ) -> list[int]:
        """Accept the job of fetching pages; their numbers. One that is under way is left to it.

        `served` holds what servers answered already for some of them, packed.
        """
        from actors.webpages.website_orders import Wanted, job_facts, new_job_name

        expect_one_of("content_type", content_type, CONTENT_TYPES)
        self._core.home.prepare()
        order = fetch_order(self._core.settings)
        numbers: list[int] = []

        def decide(state: Any) -> list[Fact]:
            if COLLECTION in state.deleted:
                raise WebsitesDeleted
            numbers.clear()
            wanted: list[Wanted] = []
            free = self.view.next_number()
            for url in dict.fromkeys(urls):
                known = self.view.of_url(url)
                # Under the address that it was kept by: it is the same document then.
                number, place = self.view.known_as(url) or (free, url)
                free += number == free
                numbers.append(number)
                if _is_wanted(known, force=force):
                    own = order.model_copy(update={"served": (served or {}).get(url)})
                    wanted.append(Wanted(place, number, content_type, tool, own, known))
            return job_facts(state, self._core.home.blobs, new_job_name(), wanted)

        self._core.catalogue.decide(decide)
        self._core.wake_engine()
        return numbers

    def wants(self, url: str) -> bool:
        """Whether a page would be fetched if it were asked for: it is neither held nor under way."""
        return _is_wanted(self.view.of_url(url), force=False)

    def _cached(self, url: str) -> Website | None:
        known = self.view.of_url(url)
        return known if known and _is_cached(known) else None

    async def _wait(self, source_id: int, seconds: float) -> Website:
        with anyio.move_on_after(seconds):
            while True:
                site = await anyio.to_thread.run_sync(self.known, source_id)
                if site.ended:
                    return site
                self._core.expect_engine()
                await anyio.sleep(_GLANCE)
        return await anyio.to_thread.run_sync(self.known, source_id)

    def _processed(
        self, site: Website, url: str, began: float, asked: ContentType, *, cached: bool
    ) -> Reply:
        status = site.phase if site.ended else "processing"
        told = about(site)
        return {
            "source_id": site.source_id,
            "url": url,
            "status": status,
            "chunks_created": site.chunks,
            "processing_time_ms": round((time.perf_counter() - began) * 1000),
            "language": site.language,
            "message": message(site, asked, cached=cached),
            "is_cached": cached,
            "error": site.error,
            **told,
            "warnings": [*told["warnings"], *left_of_address(url)],
        }

    def known(self, source_id: int) -> Website:
        """The page of a number."""
        site = self.view.of_id(source_id)
        if site is None:
            raise UnknownWebsite(str(source_id)[:40])
        return site

    # -- refreshing --------------------------------------------------------------------------------

    async def refresh(self, source_id: int) -> Reply:
        """Fetch a page again; what has not changed costs nothing."""
        began = time.perf_counter()

        def accept() -> Website:
            site = self.known(source_id)
            kind: Any = site.content_type
            self.accept([site.url], kind, "rag_refresh_website", force=True)
            return site

        before = await anyio.to_thread.run_sync(accept)
        after = await self._wait(source_id, REFRESH_PATIENCE)
        changed = after.ended and _version(before) != _version(after)
        return {
            "source_id": source_id,
            "url": after.url,
            "old_chunks_deleted": before.chunks if changed else 0,
            "new_chunks_created": after.chunks if changed else 0,
            "status": after.phase if after.ended else "processing",
            "processing_time_ms": round((time.perf_counter() - began) * 1000),
            "message": refreshed(before, after, changed=changed),
            "changed": changed,
            "chunks_embedded": (after.ending or {}).get("embedded", 0),
            "citations_affected": await self._affected(after) if changed and before.held else [],
            **about(after),
        }

    async def _affected(self, site: Website) -> list[Reply]:
        from contracts.websites.drift import affected_citations

        return await anyio.to_thread.run_sync(affected_citations, self._core, site)

    # -- deleting ----------------------------------------------------------------------------------

    def delete(self, source_id: int) -> Reply:
        """Take a page out of every search at once."""
        site = self.known(source_id)

        def decide(state: Any) -> list[Fact]:
            entry = state.entries.get(site.job)
            under_way = entry is not None and entry.ended is None
            alone = under_way and entry.stop is None and entry.entered.files == 1
            held = (COLLECTION, site.document) in state.published
            # Also of a page that is only on its way: no job that runs now brings it back.
            gone = SourceRemoved(collection=COLLECTION, document=site.document)
            return [
                *([CancelRequested(target=site.job)] if alone else []),
                *([gone] if held or under_way else []),
                WebsiteDeleted(
                    tool_name="rag_delete_website",
                    source_id=source_id,
                    url=site.url,
                    chunks_deleted=site.chunks,
                    timestamp=utc_now(),
                ),
            ]

        self._core.catalogue.decide(decide)
        return {
            "source_id": source_id,
            "url": site.url,
            "chunks_deleted": site.chunks,
            "message": "Deleted successfully: no search finds it any more. "
            "What research has cited of it can still be verified.",
        }

    # -- looking -----------------------------------------------------------------------------------

    def status(self, source_id: int) -> Reply:
        """Where a page stands."""
        site = self.known(source_id)
        self._keep_working(site.phase)
        versions = self._core.views.versions(COLLECTION, site.document)
        return {
            "source_id": source_id,
            "url": site.url,
            "processing_status": site.phase,
            "chunks_created": site.chunks,
            "fetch_timestamp": site.fetched_at or site.started_at,
            "error_message": site.error,
            "message": message(site, None, cached=False),
            "is_stale": is_stale(site),
            **about(site),
            "versions": [
                {
                    "version": each.version,
                    "published_at": each.published_at,
                    "chunks": each.chunks,
                    "changed_since": each.ended_at,
                }
                for each in versions
            ],
        }

    def listed(self, *filters: Any) -> Reply:
        """The pages that there are: `listing`."""
        reply = listing(self.view, *filters)
        self._keep_working(*(each["processing_status"] for each in reply["websites"]))
        return reply

    def _keep_working(self, *phases: str) -> None:
        """Who follows pages asks again and again: if the engine was killed, nobody else would wake it for them."""
        if not {"completed", "failed"}.issuperset(phases):
            self._core.keep_engine()


def _is_cached(site: Website) -> bool:
    return site.phase == "completed" and site.held is not None


def _is_wanted(site: Website | None, *, force: bool) -> bool:
    return site is None or (site.ended and (force or not _is_cached(site)))


def _version(site: Website) -> str | None:
    return site.held["version"] if site.held else None
