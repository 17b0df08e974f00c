"""How a job's pages are fetched: as ordered, in turn with everybody else, and rendered where that is wanted."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from actors.adapters.pages import Fetched, FetchSettings
from actors.adapters.walls import HTML, needs_scripts
from actors.archive import LocalArchive
from actors.ports import Archive
from events.websites import FetchOrder

if TYPE_CHECKING:
    from actors.adapters.fetching import Fetcher

Fetch = Callable[[str, FetchOrder], Fetched]
"""Fetches a page as ordered."""


class PageFetcher:
    """Fetches pages for one data home; satisfies `Fetch`."""

    def __init__(self, hosts: Path | None = None) -> None:
        """`hosts` is the folder in which its processes take turns."""
        self._hosts = str(hosts or "")

    def __call__(self, url: str, order: FetchOrder, *, packed: bool = False) -> Fetched:
        """Fetch with the one fetcher that there is; show it in a browser if there is no other way."""
        held = order.content is not None
        fetcher = self.fetcher(order)
        fetched = fetcher.fetch(
            url,
            etag=order.etag if held else None,
            last_modified=order.last_modified if held else None,
            packed=packed,
        )
        if order.render and fetched.media_type in HTML and needs_scripts(fetched.body):
            from actors.adapters.rendering import Chromium

            return Chromium(fetcher, sandbox=order.render_sandbox).render(fetched)
        return fetched

    def fetcher(self, order: FetchOrder) -> "Fetcher":
        """The fetcher with an order's settings."""
        return _fetcher(self._settings(order))

    def _settings(self, order: FetchOrder) -> FetchSettings:
        return FetchSettings(
            contact=order.contact,
            obey_robots=order.obey_robots,
            delay_s=order.delay_s,
            hosts=self._hosts,
            allow_hosts=order.allow_hosts,
        )


def fetcher_of(archive: Archive) -> PageFetcher:
    """The fetcher for the data home of an archive; on another machine it takes turns with itself."""
    return PageFetcher(archive.home.hosts if isinstance(archive, LocalArchive) else None)


@lru_cache(maxsize=4)
def _fetcher(settings: FetchSettings) -> "Fetcher":
    """One for all jobs of a process: it remembers what robots.txt says."""
    from actors.adapters.fetching import Fetcher

    return Fetcher(settings)
