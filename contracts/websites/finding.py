"""Which pages a site has: by its sitemaps, by its feed, and by links from page to page.

A place among the pages is for one that can be had: what robots.txt forbids takes none, nor does what
was looked at and is missing, or is a page that was found under another address. While more pages wait
than there are places for, those that have one are looked at; whoever reads them gets what was served.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from actors.webpages import feeds
from contracts.core import Core
from contracts.websites import links as said
from contracts.websites.fetching import fetch_order
from contracts.websites.pages import WebsiteShelf
from events.base import Blob
from events.errors import (
    AccessDenied,
    AddressRefused,
    FetchFailed,
    PageNotFound,
    RobotsDenied,
    Unreadable,
    UnsupportedContent,
)

if TYPE_CHECKING:
    from actors.adapters.pages import Fetched

CRAWL_SECONDS = 20.0
"""For so long sitemaps, feeds and links are followed; what was found by then is processed."""

_MOST_SITEMAPS = 5
_MOST_FEEDS = 2
_MOST_LINKS = 5_000
_LONGEST = 5_000_000
_IN_RESERVE = 100
"""Pages that are kept in mind beyond those that are wanted, for the places of those that turn out to be none: no
more are ever asked for in vain."""

_UNNAMED_SITEMAPS = ("/sitemap_index.xml", "/sitemap.txt")
"""Where sitemaps also are that nobody names."""

_FORBIDDEN = "its robots.txt asks robots not to read it"
_FOR_GOOD = (PageNotFound, RobotsDenied, UnsupportedContent, AccessDenied)
"""What the next one who asks is told as well."""


class _Seen(NamedTuple):
    """What was found at an address, and where that is."""

    text: str
    url: str
    answer: "Fetched"


class SiteFinder:
    """Finds the pages of one site."""

    def __init__(self, core: Core, shelf: WebsiteShelf, most: int) -> None:
        from actors.webpages.page_fetching import PageFetcher

        core.home.prepare()
        self._order, self._shelf, self._most = fetch_order(core.settings), shelf, most
        self._fetch, self._blobs = PageFetcher(core.home.hosts), core.home.blobs
        self.served: dict[str, Blob] = {}
        """What was answered for pages that were looked at for their links and are yet to be read, packed."""

        self.left_out: dict[str, str] = {}
        """Addresses that take no place, and why."""

        self._found: dict[str, None] = {}
        self._looked_at: set[str] = set()
        self._same: dict[tuple[str, bytes], str] = {}
        """Pages that were looked at, by where they say they are and what they say."""

        self._ends: set[str] = set()
        """Where the addresses that were looked at led."""

        self._silent: set[str] = set()
        """Origins whose robots.txt could not be had; they are not asked for every link."""

        self._start, self._led_to = "", ""
        """The page that was given, and where its address led if that is another."""

        self._hosts: set[str] = set()
        self._until = 0.0

    def pages(self, start: str) -> tuple[list[str], str]:
        """Pages of the site, the given one first, and how they were found."""
        first = self._look_at(start, packed=urlsplit(start).path.endswith(".gz"))
        self._looked_at = {start, first.url}
        self._start, self._led_to = start, "".join(self._addresses(first.url, [""]))
        self._hosts = {_site(start), _site(first.url)}
        self._until = time.monotonic() + CRAWL_SECONDS
        how = self._find(start, first)
        self._look_at_places()
        return list(self._found)[: self._most], how

    def _find(self, start: str, first: _Seen) -> str:
        if said.is_sitemap(first.text):
            self._take(first.url, self._listed([start], first))
            return "sitemap"
        if feeds.is_feed(first.text):
            self._take(first.url, feeds.links(first.text))
            return "feed"
        self._take(start, [start])
        self._keep(start, first)
        if self._by_sitemap(start):
            return "sitemap"
        by_feed = self._by_feed(first)
        self._by_links(start, first)
        return "feed and links" if by_feed else "links"

    # -- ways of finding ---------------------------------------------------------------------------

    def _by_sitemap(self, start: str) -> bool:
        try:
            named = self._fetch.fetcher(self._order).robots(start).sitemaps
        except FetchFailed:
            # Where it is to be obeyed, whatever is fetched next says so itself.
            named = ()
        usual = [*named[:_MOST_SITEMAPS], "/sitemap.xml"]
        return self._take(start, self._listed(self._addresses(start, usual))) or any(
            self._take(start, self._listed(self._addresses(start, [each])))
            for each in _UNNAMED_SITEMAPS
        )

    def _by_feed(self, first: _Seen) -> bool:
        took = False
        for feed in self._addresses(_counted_from(first), said.feeds(first.text)[:_MOST_FEEDS]):
            if self._is_late():
                break
            try:
                there = self._look_at(feed)
            except FetchFailed:
                continue
            took |= self._take(there.url, feeds.links(there.text))
        return took

    def _by_links(self, start: str, first: _Seen) -> None:
        """From page to page, the nearest first, while there is room and time."""
        self._take(_counted_from(first), said.links(first.text))
        while len(self._found) < self._most and not self._is_late():
            page = self._next_place()
            if page is None:
                return
            there = self._visit(page)
            if there and _site(there.url) in self._hosts:
                self._take(_counted_from(there), said.links(there.text))

    def _listed(self, sitemaps: list[str], first: _Seen | None = None) -> Iterator[str]:
        waiting = list(dict.fromkeys(sitemaps))[:_MOST_SITEMAPS]
        for place in range(_MOST_SITEMAPS):
            known = first if place == 0 else None
            if place >= len(waiting) or (not known and self._is_late()):
                return
            try:
                there = known or self._look_at(waiting[place], packed=True)
            except FetchFailed:
                continue
            named = islice(said.locations(there.text), _MOST_LINKS)
            if said.is_index(there.text):
                for each in named:
                    if len(waiting) == _MOST_SITEMAPS:
                        break
                    found = self._addresses(there.url, [each])
                    waiting.extend(one for one in found if one not in waiting)
            else:
                for each in named:
                    yield from self._addresses(there.url, [each])

    def _addresses(self, base: str, links: Iterable[str]) -> list[str]:
        """Where links lead that are not yet known to be of the site."""
        found = []
        for link in links:
            try:
                found.append(self._shelf.normal(urljoin(base, link)))
            except (AddressRefused, ValueError):
                continue
        return found

    def _is_late(self) -> bool:
        return time.monotonic() >= self._until

    # -- looking at pages --------------------------------------------------------------------------

    def _look_at_places(self) -> None:
        """Let the pages that wait have the places of those that cannot be had, while there is time to look."""
        while len(self._found) > self._most and not self._is_late():
            page = self._next_place()
            if page is None:
                return
            if self._shelf.wants(page):
                self._visit(page)

    def _next_place(self) -> str | None:
        """The first page with a place that is yet to be looked at; each is named once."""
        places = islice(self._found, self._most)
        page = next((each for each in places if each not in self._looked_at), None)
        if page is not None:
            self._looked_at.add(page)
        return page

    def _visit(self, page: str) -> _Seen | None:
        """What is at a page that has a place; it loses that for good reasons."""
        try:
            there = self._look_at(page)
        except _FOR_GOOD as refusal:
            self._leave_out(page, str(refusal.args[1]))
            return None
        except FetchFailed:
            return None  # Whoever processes it will say why, or have more luck.
        if self._is_new(page, there):
            self._keep(page, there)
        return there

    def _look_at(self, url: str, *, packed: bool = False) -> _Seen:
        from actors.adapters.decoding import decode_text
        from actors.webpages.websites import readable

        fetched = self._fetch(url, self._order, packed=packed)
        beginning = readable(replace(fetched, body=fetched.body[:_LONGEST]))
        try:
            text = decode_text("page.html", beginning)
        except Unreadable:
            text = ""  # It leads nowhere; its reader will say what it is.
        return _Seen(text, fetched.final_url, fetched)

    def _keep(self, url: str, seen: _Seen) -> None:
        """Let nobody fetch again what was looked at; what nobody will ask for is not stored."""
        self._same.setdefault(self._identity(seen), url)
        self._ends.add(seen.url)
        if self._shelf.wants(url):
            self.served[url] = self._blobs.put(seen.answer.pack())

    def _is_new(self, url: str, seen: _Seen) -> bool:
        """Whether a page is none that is known by another address; the address that it gives itself stays."""
        identity = self._identity(seen)
        known = self._same.get(identity)
        if known is None and seen.url not in self._ends:
            return True
        if known and url == identity[0] and known != next(iter(self._found)):
            self._leave_out(known, f"it is the same page as {url}")
            self._same[identity] = url
            return True
        self._leave_out(url, f"it is the same page as {known or seen.url}")
        return False

    def _identity(self, seen: _Seen) -> tuple[str, bytes]:
        """Where a page says that it is, and its words: by mistake, all pages of a site may say they are its first."""
        from actors.webpages.markup import visible_text

        named = said.canonical(seen.text)
        own = self._addresses(_counted_from(seen), [named]) if named else []
        words = visible_text(seen.text).encode("utf-8", "replace")
        return (own or [seen.url])[0], sha256(words).digest()

    # -- places ------------------------------------------------------------------------------------

    def _take(self, base: str, links: Iterable[str]) -> bool:
        """Keep pages of the same site, each once; whether one was new."""
        before = len(self._found)
        for seen, link in enumerate(links):
            if len(self._found) >= self._most + _IN_RESERVE or seen > _MOST_LINKS:
                break
            for url in self._addresses(base, [link]):
                page = _site(url) in self._hosts and said.may_be_page(urlsplit(url).path)
                if page and url not in self._found and url not in self.left_out:
                    self._place(url)
        return len(self._found) > before

    def _place(self, url: str) -> None:
        if url == self._led_to != self._start and self._start in self._found:
            # By https or another name of the host: every page leads there, and it is taken in as it was asked for.
            self._leave_out(url, f"it is the same page as {self._start}")
        elif self._may_read(url):
            self._found[url] = None
        else:
            self._leave_out(url, _FORBIDDEN)

    def _may_read(self, url: str) -> bool:
        """Whether robots.txt lets it be read, as far as there is time to look."""
        if not self._order.obey_robots or self._is_late():
            return True
        parts = urlsplit(url)
        if (origin := f"{parts.scheme}://{parts.netloc}") in self._silent:
            return True
        try:
            robots = self._fetch.fetcher(self._order).robots(url)
        except FetchFailed:
            self._silent.add(origin)
            return True  # Whoever fetches it will say so.
        return robots.allows(parts.path + (f"?{parts.query}" if parts.query else ""))

    def _leave_out(self, url: str, why: str) -> None:
        self._found.pop(url, None)
        self.served.pop(url, None)
        self.left_out[url] = why


def _counted_from(page: _Seen) -> str:
    """The address that the links of a page are relative to."""
    try:
        return urljoin(page.url, said.base(page.text))
    except ValueError:
        return page.url


def _site(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")
