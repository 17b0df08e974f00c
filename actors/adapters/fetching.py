"""The one way by which pages are fetched: politely, within bounds, and from the public internet only.

Decided here, once for every part that fetches:

- https may redirect to http: nothing secret is ever sent, http itself is allowed, and the hops say
  what happened. Redirects by meta tags or scripts are not followed.
- Every request waits its turn at its host, robots.txt and redirects included; all processes that
  are given one folder for it take turns with each other.
- robots.txt that cannot be had (5xx, 429) forbids; one that is not there (other 4xx) allows.
- A host that says when to come back is left alone until then. A short wait is waited out once.
- No cookies are kept or sent, no proxy is taken from the environment.
"""

import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path

from actors.adapters import addresses, dialling, inflating, sniffing
from actors.adapters.addresses import Target, shown
from actors.adapters.dialling import Dial, Phase, Reply, Watch
from actors.adapters.pages import AGENT, READABLE, Fetched, FetchSettings, Hop
from actors.adapters.robots import LONGEST as LONGEST_ROBOTS
from actors.adapters.robots import Robots, RobotsCache, read_robots
from actors.adapters.shared_turns import FileBook
from actors.adapters.turns import AskLater, Book, MemoryBook, Turns
from events.errors import (
    AccessDenied,
    FetchFailed,
    PageNotFound,
    PageTooLarge,
    RateLimited,
    RobotsDenied,
    SiteUnavailable,
    TooManyRedirects,
    UnsupportedContent,
)

_REDIRECTS = {301, 302, 303, 307, 308}
_LONGEST_HOLD = 3_600.0
_DENIED_FOR = 300.0
"""Seconds after which a robots.txt that could not be had is asked for again."""

_MINUTES_FROM = 120.0
"""Seconds from which on a wait is told in minutes."""


class Fetcher:
    """Fetches pages; one serves any number of threads, and shares nothing with another."""

    def __init__(
        self,
        settings: FetchSettings | None = None,
        *,
        resolve: addresses.Resolve = addresses.look_up,
        dial: Dial = dialling.dial,
        roots: Callable[[], ssl.SSLContext] = dialling.trusted_roots,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings or FetchSettings()
        self.resolve, self._dial, self._roots = resolve, dial, roots
        self._turns = _turns(self.settings, now, sleep)
        self._robots = RobotsCache(self._ask_robots, now)

    def fetch(
        self,
        url: str,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        accept: tuple[str, ...] = READABLE,
        packed: bool = False,
    ) -> Fetched:
        """Fetch a page; raises a `FetchFailed` that says what was in the way.

        With an ETag or Last-Modified of an earlier fetch, the answer can be a 304 without a body.
        `accept` names media types; `text/*` stands for all of a kind. A file that is `packed` by
        gzip, as sitemaps are, is opened.
        """
        target = self._read(url)
        headers = {
            "Accept": ", ".join(accept) + ", */*;q=0.1",
            **_condition("If-None-Match", etag),
            **_condition("If-Modified-Since", last_modified),
        }
        way = _Way(self, target, headers, self.settings.max_bytes)
        reply, body = way.walk()
        conditional = "If-None-Match" in headers or "If-Modified-Since" in headers
        unchanged = reply.status == 304 and conditional
        if not unchanged:
            _refuse_status(way.here, reply)
        if packed:
            with _unpacking(way.here, self.settings.max_bytes):
                body = inflating.opened(body, self.settings.max_bytes)
        return Fetched(
            url=target.url,
            final_url=way.here.url,
            hops=tuple(way.hops),
            status=reply.status,
            media_type="" if unchanged else _accepted_type(way.here, reply, body, accept),
            content_type=reply.headers.get("content-type", ""),
            charset=sniffing.declared_charset(reply.headers.get("content-type", "")),
            etag=reply.headers.get("etag", ""),
            last_modified=reply.headers.get("last-modified", ""),
            date=reply.headers.get("date", ""),
            address=reply.address,
            body=body,
        )

    def robots(self, url: str) -> Robots:
        """What the site of a URL asks of robots: rules, delay, sitemaps."""
        return self._robots.of(self._read(url).origin)

    @contextmanager
    def turn(self, url: str, delay: float | None = None) -> Iterator[None]:
        """A turn at the host of a URL; `RateLimited` where it wants to be left alone for long."""
        target = self._read(url)
        try:
            with self._turns.turn(target.host, delay):
                yield
        except AskLater as later:
            seconds = round(later.args[0], 1)
            long = f"{seconds / 60:.0f} minutes" if seconds >= _MINUTES_FROM else f"{seconds:g} s"
            why = f"{target.host} asked not to be asked again for {long}"
            details = {"retry_after_seconds": seconds}
            raise RateLimited(shown(target.url), why, details) from None

    def delay_at(self, url: str) -> float:
        """Seconds between two requests to the site of a URL: ours, or what it wishes for and gets."""
        return max(self.settings.delay_s, self._wished_delay(self._read(url)))

    def rest(self, url: str, requests: int) -> None:
        """Leave a host alone for as long as so many requests would have taken one after the other."""
        try:
            delay = self.delay_at(url)
        except FetchFailed:
            delay = self.settings.delay_s
        self._turns.rest(self._read(url).host, min(requests * delay, self.settings.patience_s))

    def _wished_delay(self, target: Target) -> float:
        if not self.settings.obey_robots:
            return 0.0
        wished = self._robots.of(target.origin).crawl_delay or 0.0
        return min(wished, self.settings.max_crawl_delay_s)

    def _read(self, url: str) -> Target:
        return addresses.read_url(url, self.settings.allow_hosts)

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        return self._roots()

    def _ask_robots(self, origin: str) -> tuple[Robots, float]:
        target = self._read(origin + "/robots.txt")
        way = _Way(self, target, {"Accept": "text/plain, */*;q=0.1"}, LONGEST_ROBOTS, robots=True)
        reply, body = way.walk()
        if reply.status in (200, 203):
            return read_robots(body, AGENT), self.settings.robots_ttl_s
        if reply.status >= 500 or reply.status == 429:
            why = f"its robots.txt cannot be had (status {reply.status})"
            return Robots(unavailable=why), _DENIED_FOR
        return Robots(), self.settings.robots_ttl_s


def _turns(
    settings: FetchSettings, now: Callable[[], float], sleep: Callable[[float], None]
) -> Turns:
    """Turns that are kept in files where all processes of a data home share them."""
    book: Book = MemoryBook(settings.per_host, now)
    if settings.hosts:
        book, now = FileBook(Path(settings.hosts), settings.per_host, sleep), time.time
    return Turns(book, settings.delay_s, settings.patience_s, now, sleep)


class _Way:
    """One fetch, from hop to hop."""

    def __init__(
        self,
        fetcher: Fetcher,
        target: Target,
        headers: dict[str, str],
        most_bytes: int,
        *,
        robots: bool = False,
    ) -> None:
        self._fetcher, self._settings = fetcher, fetcher.settings
        self._headers = {
            "User-Agent": self._settings.user_agent,
            **headers,
            "Accept-Encoding": inflating.OFFERED,
        }
        self._most_bytes, self._for_robots = most_bytes, robots
        self._spent = 0.0
        self.here = target
        self.hops: list[Hop] = []

    def walk(self) -> tuple[Reply, bytes]:
        """Go where the redirects lead; the last reply, and its body if it is a page."""
        patient = True
        while True:
            leads_on = self.here.host in self._settings.redirectors
            reply, body = self._ask(None if leads_on else self._crawl_delay())
            pause = _pause_asked_for(reply)
            if pause is not None:
                self._fetcher._turns.hold(self.here.host, min(pause, _LONGEST_HOLD))
                if patient and not self._for_robots and pause <= self._settings.patience_s:
                    patient = False
                    continue
            self.hops.append(Hop(self.here.url, reply.status, reply.address))
            if reply.status not in _REDIRECTS or "location" not in reply.headers:
                if leads_on and reply.status in (200, 203):
                    self._crawl_delay()  # What such a host shows itself is a page like any other.
                return reply, body
            self._follow(reply.headers["location"])

    def _follow(self, location: str) -> None:
        onward = addresses.joined(self.here, location, self._settings.allow_hosts)
        seen = {hop.url for hop in self.hops}
        details = {"redirects": len(self.hops), "status_code": self.hops[-1].status}
        if onward.url in seen:
            why = f"its redirects lead in a circle to {shown(onward.url)}"
            raise TooManyRedirects(shown(self.hops[0].url), why, details)
        if len(self.hops) > self._settings.max_redirects:
            why = f"it redirects more than {self._settings.max_redirects} times"
            raise TooManyRedirects(shown(self.hops[0].url), why, details)
        self.here = onward

    def _crawl_delay(self) -> float | None:
        """Ask the site's leave; the delay it wishes for."""
        if self._for_robots or not self._settings.obey_robots:
            return None
        url = shown(self.here.url)
        try:
            robots = self._fetcher._robots.of(self.here.origin)
        except FetchFailed as failure:
            why, details = failure.args[1], {**failure.args[2], "while_fetching": "robots.txt"}
            raise type(failure)(url, why, details) from failure
        if not robots.allows(self.here.path):
            why = robots.unavailable or "its robots.txt asks robots not to read it"
            raise RobotsDenied(url, why, {"reason": why})
        return self._fetcher._wished_delay(self.here)

    def _ask(self, delay: float | None) -> tuple[Reply, bytes]:
        turn = self._fetcher.turn(self.here.url, delay)
        with _unpacking(self.here, self._most_bytes), turn:
            return self._ask_now()

    def _ask_now(self) -> tuple[Reply, bytes]:
        limits: dict[Phase, float] = {
            "connect": self._settings.connect_s,
            "first_byte": self._settings.first_byte_s,
            "whole": self._settings.whole_s,
        }
        watch = Watch(self.here.url, limits, self._most_bytes, already=self._spent)
        tls = self._fetcher._trusted if self.here.scheme == "https" else None
        try:
            found = addresses.checked_addresses(self.here, self._fetcher.resolve, watch.left())
            with dialling.asked(
                self.here, found, self._headers, watch, self._fetcher._dial, tls
            ) as reply:
                body = b"".join(self._body(reply)) if reply.status in (200, 203) else b""
                return replace(reply, chunks=iter(())), body
        finally:
            self._spent = watch.took

    def _body(self, reply: Reply) -> Iterator[bytes]:
        stated = reply.headers.get("content-length", "")
        if stated.isdecimal() and int(stated) > self._most_bytes and not self._for_robots:
            raise inflating.TooMuch(f"it is larger than {self._most_bytes} bytes")
        encoding = reply.headers.get("content-encoding", "")
        most = self._most_bytes
        try:
            yield from inflating.unpacked(reply.chunks, encoding, most)
        except inflating.TooMuch:
            if not self._for_robots:
                raise


@contextmanager
def _unpacking(target: Target, most_bytes: int) -> Iterator[None]:
    """Say of the target what was in the way of unpacking it."""
    url = shown(target.url)
    try:
        yield
    except inflating.TooMuch as failure:
        raise PageTooLarge(url, str(failure), {"limit_bytes": most_bytes}) from failure
    except inflating.NotUnpackable as failure:
        raise UnsupportedContent(url, str(failure), {"reason": str(failure)}) from failure


def _condition(name: str, value: str | None) -> dict[str, str]:
    """A condition as the server once worded it, if that can stand in a header at all."""
    fit = value and value.isascii() and value.isprintable() and len(value) <= 1_000
    return {name: value} if value and fit else {}


def _pause_asked_for(reply: Reply) -> float | None:
    """Seconds to wait, where a busy server says so."""
    asked = reply.headers.get("retry-after", "")
    if reply.status not in (429, 503) or not asked:
        return None
    if asked.isdecimal():
        return float(asked[:9])
    stated = reply.headers.get("date", "")
    try:
        now = parsedate_to_datetime(stated) if stated else datetime.now(UTC)
        return max(0.0, (parsedate_to_datetime(asked) - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _refuse_status(target: Target, reply: Reply) -> None:
    status = reply.status
    if status in (200, 203):
        return
    kind: type[FetchFailed]
    match status:
        case 401 | 402 | 403 | 407 | 451:
            kind, why = AccessDenied, f"access is denied (status {status})"
        case 404 | 410:
            kind, why = PageNotFound, f"there is no such page (status {status})"
        case 429:
            kind, why = RateLimited, "the site gets too many requests (status 429)"
        case 204 | 205:
            kind, why = UnsupportedContent, f"it has no content (status {status})"
        case _ if status >= 500 or status in (408, 425):
            kind, why = SiteUnavailable, f"the site is in trouble (status {status})"
        case _:
            kind, why = FetchFailed, f"the site answered with status {status}"
    details: dict[str, str | int | float] = {"status_code": status}
    if (pause := _pause_asked_for(reply)) is not None:
        details["retry_after_seconds"] = pause
    raise kind(shown(target.url), why, details)


def _accepted_type(target: Target, reply: Reply, body: bytes, accept: tuple[str, ...]) -> str:
    declared = reply.headers.get("content-type", "")
    path = target.path.partition("?")[0]
    details = {"status_code": reply.status, "content_type": declared[:200]}
    try:
        found = sniffing.media_type(body, declared, path)
    except sniffing.NotReadable as failure:
        why = f"it is {failure}"
        raise UnsupportedContent(shown(target.url), why, {**details, "reason": why}) from None
    if found not in accept and found.partition("/")[0] + "/*" not in accept:
        why = f"it is {found}, which was not asked for"
        raise UnsupportedContent(shown(target.url), why, {**details, "media_type": found})
    return found
