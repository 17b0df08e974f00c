"""Contract 04, additive: the pages of a site, found by its sitemap, its feed or its links.

Finding them is done here and now; fetching them is one job with an order for each page. A page that
was looked at for its links is handed to the job as it was served. One that fails does not fail its
siblings.
"""

from collections.abc import Sequence
from typing import Any

import anyio

from contracts.core import Core
from contracts.websites.finding import SiteFinder
from contracts.websites.pages import WebsiteShelf
from events.errors import BadRequest
from events.websites import ContentType
from events.words import count
from projections.websites import Website

Reply = dict[str, Any]

MOST_PAGES = 200
_MOST_TOLD = 50
"""Addresses that were left out and are told of."""


async def process_site(
    core: Core, shelf: WebsiteShelf, url: str, max_pages: int, content_type: ContentType
) -> Reply:
    """Accept the pages of a site; where each stands by now."""
    if not 1 <= max_pages <= MOST_PAGES:
        raise BadRequest(f"max_pages is {max_pages}.", f"Use a number from 1 to {MOST_PAGES}.")

    def accept() -> tuple[list[int], str, dict[str, str]]:
        start = shelf.normal(url)
        finder = SiteFinder(core, shelf, max_pages)
        found, how = finder.pages(start)
        tool, served = "rag_process_site", finder.served
        numbers = shelf.accept(found, content_type, tool, force=False, served=served)
        return numbers, how, finder.left_out

    numbers, how, left_out = await anyio.to_thread.run_sync(accept)
    sites = [shelf.known(number) for number in numbers]
    return {
        "url": url,
        "found_by": how,
        "pages": [
            {
                "source_id": site.source_id,
                "url": site.url,
                "status": site.phase,
                "error": site.error,
            }
            for site in sites
        ],
        "total_pages": len(sites),
        "left_out": [
            {"url": each, "reason": why} for each, why in list(left_out.items())[:_MOST_TOLD]
        ],
        "message": f"{count(len(sites), 'page')} found by {how}{_under_way(sites)}{_without(left_out)}",
    }


def _under_way(sites: Sequence[Website]) -> str:
    """What becomes of the pages now: one that was processed before is not processed again."""
    before = sum(site.phase == "completed" for site in sites)
    left = len(sites) - before
    if not left:
        return ", processed before." if sites else "."
    if before:
        known = f"{before} of them {'was' if before == 1 else 'were'} processed before, "
        known += "the other one is" if left == 1 else "the others are"
    else:
        known = "it is" if left == 1 else "they are"
    return f"; {known} being processed in the background. Follow this with rag_list_websites."


def _without(left_out: dict[str, str]) -> str:
    if not left_out:
        return ""
    reasons = "forbidden to robots, not to be had, or the same as another"
    return f" {len(left_out)} more took no place: {reasons}."
