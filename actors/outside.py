"""The world beyond the data home, as researchers reach it: providers, pages, and how pages are read.

Nothing here records anything: the desk does, around each call.
"""

import mimetypes
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Protocol
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from actors.adapters.walls import HTML, refuse_walls
from actors.keys import Credential, HomeKeys, KeySource
from actors.opened import named
from actors.ports import Answer, Parser
from actors.webpages.page_fetching import Fetch
from events.base import Blob
from events.errors import ReplayDiffers, ResearchError, Unreadable
from events.home import Home
from events.logs import log
from events.websites import FetchOrder

ADAPTERS = {
    "claude": "actors.adapters.claude:Claude",
    "gemini": "actors.adapters.gemini:Gemini",
    "tavily": "actors.adapters.web_search:WebSearch",
}
"""Providers by name; a module each, imported only by the process that needs it."""

FREE = {("gemini", "follow"), ("gemini", "get"), ("gemini", "cancel")}
"""What costs nothing to ask, so that no cap on spending is in its way."""

_TITLE_LIMIT = 300

Pause = Callable[[float], None]
"""Waits, and raises `events.errors.CallCut` as soon as the work is told to stop."""


class Provider(Protocol):
    """Somebody who answers for money. Made from a credential; replaced when that changes."""

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        """Raise a `ProviderError` with the provider's own words when it does not answer."""


class FetchedPage(Protocol):
    """What a fetcher brings back."""

    @property
    def final_url(self) -> str:
        """Where the address led to."""

    @property
    def media_type(self) -> str:
        """What the bytes are."""

    @property
    def body(self) -> bytes:
        """What was served."""


class Page(BaseModel):
    """A page that was fetched and read; what came and the text in it are kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    final_url: str
    title: str
    media_type: str
    original: Blob
    text: Blob
    fetched_at: str
    """When, UTC: what "recent" means is judged from here."""


class Outside(Protocol):
    """What is out there."""

    def provider(self, name: str) -> Provider | None:
        """Whoever goes by that name; none while there is no key for it."""

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        """Fetch a page and read it, as ordered; raise `FetchFailed` or `Unreadable` where that fails."""


class World:
    """The real one."""

    def __init__(
        self,
        keys: KeySource,
        parser: Parser,
        fetcher: str = "actors.webpages.page_fetching:PageFetcher",
        adapters: dict[str, str] | None = None,
    ) -> None:
        self._keys, self._parser = keys, parser
        self._adapters = ADAPTERS if adapters is None else adapters
        self._fetcher = fetcher
        self._fetch: Fetch | None = None
        self._opened: dict[str, tuple[Credential, Provider]] = {}

    def provider(self, name: str) -> Provider | None:
        """Whoever goes by that name; none while there is no key for it."""
        credential = self._keys.credential(name)
        if credential is None:
            return None
        known = self._opened.get(name)
        if known is None or known[0] != credential:
            known = credential, named(self._adapters[name])(credential)
            self._opened[name] = known
        return known[1]

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        """Fetch a page and read it, as ordered; raise `FetchFailed` or `Unreadable` where that fails."""
        if self._fetch is None:
            self._fetch = named(self._fetcher)(self._hosts())
        fetched = self._fetch(url, order or FetchOrder())
        try:
            return read_page(url, fetched, self._parser, keep)
        except ResearchError:
            raise
        except Exception as failure:  # noqa: BLE001 - no page may end a research that was paid for
            log("outside").exception("unreadable page", url=url)
            raise Unreadable(url, f"reading it failed with {type(failure).__name__}") from None

    def _hosts(self) -> Path | None:
        """Where everybody who fetches for the data home takes turns, if that is on this machine."""
        keys = self._keys
        return Home(keys.home).hosts if isinstance(keys, HomeKeys) else None


class Nowhere:
    """For replays: whatever is asked of it was not asked before."""

    def provider(self, name: str) -> Provider | None:
        """Refuse."""
        raise ReplayDiffers(name, "it was asked something that the record does not answer")

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        """Refuse."""
        raise ReplayDiffers("fetch", f"it asked for {url[:100]}, which the record does not answer")


def read_page(
    url: str, fetched: FetchedPage, parser: Parser, keep: Callable[[bytes], Blob]
) -> Page:
    """What a fetched page says, with everything kept; what stands in its place is refused."""
    if fetched.media_type in HTML:
        refuse_walls(url, fetched.body)
    parsed = parser.parse(_file_name(fetched), fetched.body)
    return Page(
        url=url,
        final_url=fetched.final_url,
        title=parsed.title[:_TITLE_LIMIT],
        media_type=fetched.media_type,
        original=keep(fetched.body),
        text=keep(parsed.text.encode()),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _file_name(fetched: FetchedPage) -> str:
    """A name whose end tells a parser what the bytes are."""
    path = PurePosixPath(urlsplit(fetched.final_url).path)
    stem = path.stem or "page"
    suffix = mimetypes.guess_extension(fetched.media_type) or path.suffix or ".html"
    return stem + suffix
