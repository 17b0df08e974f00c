"""Contract 04, additive: the pages of a site, found by its sitemap, its feed or its links.

Finding them is done here and now; fetching them is one job with an order for each page. A page that
was looked at for its links is handed to the job as it was served. One that fails does not fail its
siblings.
"""

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import anyio

from contracts import websites_links as said
from contracts.core import Core
from contracts.websites import WebsiteShelf
from contracts.websites_fetching import fetch_order
from events.base import Blob
from events.errors import AddressRefused, BadRequest, FetchFailed
from events.websites import ContentType

if TYPE_CHECKING:
    from actors.adapters.pages import Fetched

Reply = dict[str, Any]

MOST_PAGES = 200
CRAWL_SECONDS = 20.0
"""For so long sitemaps, feeds and links are followed; what was found by then is processed."""

_MOST_SITEMAPS = 5
_MOST_FEEDS = 2
_MOST_LINKS = 5_000
_LONGEST = 5_000_000


async def process_site(
    core: Core, shelf: WebsiteShelf, url: str, max_pages: int, content_type: ContentType
) -> Reply:
    """Accept the pages of a site; where each stands by now."""
    if not 1 <= max_pages <= MOST_PAGES:
        raise BadRequest(f"max_pages is {max_pages}.", f"Use a number from 1 to {MOST_PAGES}.")

    def accept() -> tuple[list[int], str]:
        start = shelf.normal(url)
        finder = _Finder(core, shelf, max_pages)
        found, how = finder.pages(start)
        tool, served = "rag_process_site", finder.served
        return shelf.accept(found, content_type, tool, force=False, served=served), how

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


class _Seen(NamedTuple):
    """What was found at an address, and where that is."""

    text: str
    url: str
    answer: "Fetched"


class _Finder:
    def __init__(self, core: Core, shelf: WebsiteShelf, most: int) -> None:
        from actors.page_fetching import PageFetcher

        core.home.prepare()
        self._order, self._shelf, self._most = fetch_order(core.settings), shelf, most
        self._fetch, self._blobs = PageFetcher(core.home.hosts), core.home.blobs
        self.served: dict[str, Blob] = {}
        """What was answered for pages that were looked at for their links and are yet to be read, packed."""

        self._found: dict[str, None] = {}
        self._hosts: set[str] = set()
        self._until = 0.0

    def pages(self, start: str) -> tuple[list[str], str]:
        """Pages of the site, the given one first, and how they were found."""
        first = self._look_at(start, packed=urlsplit(start).path.endswith(".gz"))
        self._hosts = {_site(start), _site(first.url)}
        self._until = time.monotonic() + CRAWL_SECONDS
        how = self._find(start, first)
        return list(self._found), how

    def _find(self, start: str, first: _Seen) -> str:
        if said.is_sitemap(first.text):
            self._take(first.url, self._listed([start], first.text))
            return "sitemap"
        if said.is_feed(first.text):
            self._take(first.url, said.entries(first.text))
            return "feed"
        self._take(start, [start])
        self._keep(start, first)
        if self._by_sitemap(start):
            return "sitemap"
        by_feed = self._by_feed(first)
        self._by_links(start, first)
        return "feed and links" if by_feed else "links"

    def _by_sitemap(self, start: str) -> bool:
        try:
            named = self._fetch.fetcher(self._order).robots(start).sitemaps
        except FetchFailed:
            # Where it is to be obeyed, whatever is fetched next says so itself.
            named = ()
        parts = urlsplit(start)
        sitemaps = [*named, f"{parts.scheme}://{parts.netloc}/sitemap.xml"]
        return self._take(start, self._listed(sitemaps))

    def _by_feed(self, first: _Seen) -> bool:
        took = False
        for feed in said.feeds(first.text)[:_MOST_FEEDS]:
            if self._is_late():
                break
            try:
                there = self._look_at(self._shelf.normal(urljoin(_counted_from(first), feed)))
            except (FetchFailed, ValueError):
                continue
            took |= self._take(there.url, said.entries(there.text))
        return took

    def _by_links(self, start: str, first: _Seen) -> None:
        """From page to page, the nearest first, while there is room and time."""
        self._take(_counted_from(first), said.links(first.text))
        looked_at = {start, first.url}
        while len(self._found) < self._most and not self._is_late():
            page = next((each for each in self._found if each not in looked_at), None)
            if page is None:
                return
            looked_at.add(page)
            try:
                there = self._look_at(page)
            except FetchFailed:
                continue  # Whoever processes it will say why.
            self._keep(page, there)
            if _site(there.url) in self._hosts:
                self._take(_counted_from(there), said.links(there.text))

    def _listed(self, sitemaps: list[str], first: str = "") -> Iterator[str]:
        waiting = list(dict.fromkeys(sitemaps))[:_MOST_SITEMAPS]
        for place in range(_MOST_SITEMAPS):
            known = first if place == 0 else ""
            if place >= len(waiting) or (not known and self._is_late()):
                return
            try:
                text = known or self._look_at(waiting[place], packed=True).text
            except FetchFailed:
                continue
            if said.is_index(text):
                for each in islice(said.locations(text), _MOST_LINKS):
                    if len(waiting) < _MOST_SITEMAPS and each not in waiting:
                        waiting.append(each)
            else:
                yield from islice(said.locations(text), _MOST_LINKS)

    def _is_late(self) -> bool:
        return time.monotonic() >= self._until

    def _look_at(self, url: str, *, packed: bool = False) -> _Seen:
        fetched = self._fetch(url, self._order, packed=packed)
        text = fetched.body[:_LONGEST].decode("utf-8", "replace")
        return _Seen(text, fetched.final_url, fetched)

    def _keep(self, url: str, seen: _Seen) -> None:
        """Let nobody fetch again what was looked at; what nobody will ask for is not stored."""
        if self._shelf.wants(url):
            self.served[url] = self._blobs.put(seen.answer.pack())

    def _take(self, base: str, links: Iterable[str]) -> bool:
        """Keep pages of the same site, each once; whether one was new."""
        before = len(self._found)
        for seen, link in enumerate(links):
            if len(self._found) == self._most or seen > _MOST_LINKS:
                break
            try:
                url = self._shelf.normal(urljoin(base, link))
            except (AddressRefused, ValueError):
                continue
            if _site(url) in self._hosts and said.may_be_page(urlsplit(url).path):
                self._found[url] = None
        return len(self._found) > before


def _counted_from(page: _Seen) -> str:
    """The address that the links of a page are relative to."""
    try:
        return urljoin(page.url, said.base(page.text))
    except ValueError:
        return page.url


def _site(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")
