"""Contract 04, additive: the pages of a site, found by its sitemap, its feed or its links.

Finding them is done here and now; fetching them is one job with an order for each page. A page
that fails does not fail its siblings.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import anyio

from contracts.core import Core
from contracts.websites import WebsiteShelf
from contracts.websites_fetching import fetch_order
from events.errors import AddressRefused, BadRequest, FetchFailed
from events.websites import ContentType

Reply = dict[str, Any]

MOST_PAGES = 200
_MOST_SITEMAPS = 5
_MOST_LINKS = 5_000
_LONGEST = 5_000_000

_LOC = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2000})", re.I)
_INDEX = re.compile(r"<sitemapindex\b", re.I)
_URLSET = re.compile(r"<urlset\b", re.I)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)\b", re.I)
_RSS_LINK = re.compile(r"<(?:item|entry)\b.*?</(?:item|entry)>", re.I | re.S)
_LINK = re.compile(
    r"<link\b[^<>]{0,500}?href\s*=\s*[\"']([^\"'<>]{1,2000})|<link>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2000})",
    re.I,
)
_ANCHOR = re.compile(r"<a\b[^<>]{0,1000}?href\s*=\s*[\"']?([^\"'<>\s]{1,2000})", re.I)
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|css|js|json|zip|gz|mp[34]|mov|avi|woff2?|xml|rss|exe|dmg)$",
    re.I,
)


async def process_site(
    core: Core, shelf: WebsiteShelf, url: str, max_pages: int, content_type: ContentType
) -> Reply:
    """Accept the pages of a site; where each stands by now."""
    if not 1 <= max_pages <= MOST_PAGES:
        raise BadRequest(f"max_pages is {max_pages}.", f"Use a number from 1 to {MOST_PAGES}.")

    def accept() -> tuple[list[int], str]:
        start = shelf.normal(url)
        found, how = _Finder(core, shelf).pages(start, max_pages)
        return shelf.accept(found, content_type, "rag_process_site", force=False), how

    numbers, how = await anyio.to_thread.run_sync(accept)
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
        "message": f"{len(sites)} pages found by {how}; they are processed in the background. "
        "Follow them with rag_list_websites.",
    }


class _Finder:
    def __init__(self, core: Core, shelf: WebsiteShelf) -> None:
        from actors.page_fetching import PageFetcher

        self._order, self._shelf = fetch_order(core.settings), shelf
        self._fetch = PageFetcher(core.home.hosts)

    def pages(self, start: str, most: int) -> tuple[list[str], str]:
        """Pages of the site, the given one first, and how they were found."""
        text = self._text(start)
        if _URLSET.search(text) or _INDEX.search(text):
            return self._own(start, self._listed([start], text), most), "sitemap"
        if _FEED.search(text[:5_000]):
            return self._own(start, _entries(text), most), "feed"
        robots = self._fetch.fetcher(self._order).robots(start)
        parts = urlsplit(start)
        sitemaps = [*robots.sitemaps, f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
        listed = list(self._listed(sitemaps))
        if listed:
            return self._own(start, [start, *listed], most), "sitemap"
        links = (match.group(1) for match in _ANCHOR.finditer(text))
        return self._own(start, [start, *links], most), "links"

    def _listed(self, sitemaps: list[str], first: str = "") -> Iterator[str]:
        waiting = list(dict.fromkeys(sitemaps))
        for place in range(_MOST_SITEMAPS):
            if place >= len(waiting):
                return
            try:
                text = first if place == 0 and first else self._text(waiting[place])
            except FetchFailed:
                continue
            found = [unescape(match.group(1)) for match in _LOC.finditer(text)]
            if _INDEX.search(text):
                waiting += [each for each in found if each not in waiting]
            else:
                yield from found

    def _text(self, url: str) -> str:
        body = self._fetch(url, self._order).body[:_LONGEST]
        return body.decode("utf-8", "replace")

    def _own(self, start: str, links: Iterable[str], most: int) -> list[str]:
        """Pages of the same site, each once."""
        host = _site(start)
        found: dict[str, None] = {}
        for seen, link in enumerate(links):
            if len(found) == most or seen > _MOST_LINKS:
                break
            try:
                url = self._shelf.normal(urljoin(start, unescape(link)))
            except (AddressRefused, ValueError):
                continue
            if _site(url) == host and not _NOT_PAGES.search(urlsplit(url).path):
                found[url] = None
        return list(found)


def _entries(feed: str) -> Iterator[str]:
    for entry in _RSS_LINK.finditer(feed):
        if link := _LINK.search(entry.group()):
            yield unescape(link.group(1) or link.group(2))


def _site(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")
