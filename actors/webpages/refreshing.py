"""Fetches websites again that nobody has looked at for long: a few at a time, while the engine runs anyway.

What is due follows from the record alone. Ordering a page moves its next time, in the same append, so each
time comes once, however often the engine is restarted. A page that cannot be had is left for twice as
long each time. Nothing is kept running for this: an engine without work ends, and the next one goes on.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol, cast
from urllib.parse import urlsplit

from actors.catalogue import Catalogue
from actors.catalogue_state import CatalogueState
from actors.webpages.website_orders import KnownPage, Wanted, job_facts, new_job_name
from actors.webpages.websites import order_of
from events.base import Fact
from events.catalogue import Entry, JobEntered
from events.codec import decode
from events.errors import ResearchError
from events.home import Home
from events.logs import log
from events.stream import utc_now
from events.websites import COLLECTION, ContentType, FetchOrder, WebsiteRefreshDue

TOOL = "scheduled_refresh"
AT_ONCE = 5
"""Pages of one job; the next is ordered when it is through."""

PER_HOST = 2
"""Pages of one host among them."""

LONGEST = 5
"""Failures after which the pause grows no more: 32 times as long as usual."""

LOOK_EVERY = timedelta(seconds=30)


class Page(KnownPage, Protocol):
    """What has to be known of a page."""

    @property
    def source_id(self) -> int:
        """Its number."""

    @property
    def url(self) -> str:
        """Where it is."""

    @property
    def job(self) -> str:
        """The last job about it."""

    @property
    def ended(self) -> bool:
        """Whether that is through."""

    @property
    def started_at(self) -> str:
        """When it was last asked for."""

    @property
    def fetched_at(self) -> str | None:
        """When it was last seen."""

    @property
    def failures(self) -> int:
        """So often in a row it could not be had."""


class Pages(Protocol):
    """The websites of a data home."""

    def all(self) -> Sequence[Page]:
        """Every page that is there."""


class Refresher:
    """Orders what is due, for one engine."""

    def __init__(
        self,
        home: Home,
        catalogue: Catalogue,
        pages: Pages,
        every: timedelta,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._home, self._catalogue, self._pages = home, catalogue, pages
        self._every, self._now = every, now
        self._next_look = datetime.min.replace(tzinfo=UTC)

    def look(self) -> None:
        """Order what is due, if it is time to look at all."""
        now, pause = self._now(), min(LOOK_EVERY, self._every)
        # No look is farther away than that, unless the clock was ahead and has been set right.
        if now < self._next_look <= now + pause:
            return
        self._next_look = now + pause
        if any(self.due_at(page) <= now for page in self._pages.all() if _may_be(page)):
            self._catalogue.decide(self._decide)

    def due_at(self, page: Page) -> datetime:
        """When a page is to be fetched again."""
        seen = max(filter(None, (page.fetched_at, page.started_at)), key=datetime.fromisoformat)
        pause = self._every * (1 << min(page.failures, LONGEST))
        return datetime.fromisoformat(seen) + pause

    def _decide(self, state: CatalogueState) -> list[Fact]:
        if state.refreshing or COLLECTION not in state.collections:
            return []
        now, job = self._now(), new_job_name()
        waiting = [page for page in self._pages.all() if _may_be(page)]
        due = sorted((self.due_at(page), page.source_id, page) for page in waiting)
        wanted: list[Wanted] = []
        told: list[Fact] = []
        hosts: Counter[str] = Counter()
        for at, number, page in due:
            host = urlsplit(page.url).netloc
            if at > now or len(wanted) == AT_ONCE:
                break
            if hosts[host] == PER_HOST:
                continue
            order = self._last_order(state, page)
            if order is None:
                continue
            hosts[host] += 1
            kind = cast(ContentType, page.content_type)
            wanted.append(Wanted(page.url, number, kind, TOOL, order, page))
            told.append(
                WebsiteRefreshDue(
                    source_id=number,
                    url=page.url,
                    job=job,
                    due_at=at.isoformat(),
                    failures=page.failures,
                    timestamp=utc_now(),
                )
            )
        return [*told, *job_facts(state, self._home.blobs, job, wanted)]

    def _last_order(self, state: CatalogueState, page: Page) -> FetchOrder | None:
        """How a page was fetched the last time: with the settings of whoever wanted it."""
        entered = state.entries[page.job].entered
        if not isinstance(entered, JobEntered):
            return None
        try:
            entries = decode(self._home.blobs.get(entered.manifest.hash))
        except ResearchError as trouble:
            log("engine").warning("no order to repeat", url=page.url, code=trouble.code)
            return None
        own = next((each for each in entries if _is_of(each, page.url)), None)
        # What was served then is not what is served now.
        return (
            order_of(Entry.model_validate(own)).model_copy(update={"served": None}) if own else None
        )


def _may_be(page: Page) -> bool:
    """Only what is held can grow old, and what is being fetched is left to that."""
    return page.ended and page.held is not None


def _is_of(entry: object, url: str) -> bool:
    return isinstance(entry, dict) and entry.get("locator") == url
