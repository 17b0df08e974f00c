"""No page, honest or not, takes more bytes or time than it may."""

import gzip
import socket
import threading
from collections.abc import Iterator

import pytest
import zstandard

from actors.adapters import inflating
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from events.errors import (
    FetchFailed,
    FetchTimeout,
    PageTooLarge,
    UnsupportedContent,
)
from tests.fetching_world import PUBLIC, World, fetcher
from tests.web_pages import Board, board
from tests.webserver import PAGE, Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


# -- packed pages and bombs ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    ["/gzip", "/gzip-twice", "/deflate", "/raw-deflate", "/br", "/zstd", "/nested"],
)
def test_packed_pages_are_unpacked(site: Site, path: str) -> None:
    assert fetcher(site).fetch(site.url(path)).body == PAGE


@pytest.mark.parametrize("path", ["/gzip-bomb", "/br-bomb", "/zstd-bomb"])
@pytest.mark.parametrize("most", [1 << 20, 1 << 30], ids=["by size", "by ratio"])
def test_bombs_are_left_alone_early(site: Site, path: str, most: int) -> None:
    with pytest.raises(PageTooLarge):
        fetcher(site, max_bytes=most).fetch(site.url(path))


@pytest.mark.parametrize(
    "path",
    ["/lying", "/half-gzip", "/half-br", "/half-zstd", "/unknown-packing", "/packed-thrice"],
)
def test_what_cannot_be_unpacked_is_refused(site: Site, path: str) -> None:
    with pytest.raises(UnsupportedContent):
        fetcher(site).fetch(site.url(path))


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_what_is_packed_in_very_many_parts_is_refused(name: str) -> None:
    part = gzip.compress(b"") if name == "gzip" else zstandard.compress(b"")
    with pytest.raises(inflating.NotUnpackable, match="too many parts"):
        list(inflating.unpacked(iter([part * 20_000]), name, 1 << 20))
    few = b"".join(inflating.unpacked(iter([part * 500]), name, 1 << 20))
    assert few == b""


# -- packed files --------------------------------------------------------------------------------


@pytest.fixture
def shelf() -> Iterator[Board]:
    with board() as made:
        yield made


def test_a_packed_file_is_opened_only_for_who_wants_that(shelf: Board) -> None:
    url = shelf.put("/page.gz", gzip.compress(PAGE), "application/gzip")
    web = fetcher(shelf)
    page = web.fetch(url, packed=True)
    assert (page.body, page.media_type) == (PAGE, "text/html")
    with pytest.raises(UnsupportedContent, match="gzip archive"):
        web.fetch(url)
    assert web.fetch(shelf.put("/plain", PAGE), packed=True).body == PAGE


@pytest.mark.parametrize("most", [1 << 20, 20 << 20], ids=["by size", "by ratio"])
def test_a_packed_file_is_opened_no_farther_than_any_page(shelf: Board, most: int) -> None:
    url = shelf.put("/bomb.gz", gzip.compress(bytes(64 << 20)), "application/gzip")
    with pytest.raises(PageTooLarge) as large:
        fetcher(shelf, max_bytes=most).fetch(url, packed=True)
    assert large.value.details["limit_bytes"] == most


@pytest.mark.parametrize("body", [gzip.compress(PAGE)[:-9], b"\x1f\x8b" + b"nonsense" * 9])
def test_a_packed_file_that_is_damaged_is_refused(shelf: Board, body: bytes) -> None:
    with pytest.raises(UnsupportedContent, match="packed content"):
        fetcher(shelf).fetch(shelf.put("/half.gz", body, "application/gzip"), packed=True)


# -- size and time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/endless", "/too-long-to-say", "/large", "/small-bomb", "/endless-packing"]
)
def test_reading_stops_at_the_limit(site: Site, path: str) -> None:
    with pytest.raises(PageTooLarge) as large:
        fetcher(site, max_bytes=100_000).fetch(site.url(path))
    assert large.value.details["limit_bytes"] == 100_000


@pytest.mark.parametrize("path", ["/endless-headers", "/informational"])
def test_headers_without_end_are_left_alone(site: Site, path: str) -> None:
    with pytest.raises(FetchFailed) as left:
        fetcher(site, max_bytes=100_000).fetch(site.url(path))
    # Each by what was sent, long before the time for it was over.
    assert not isinstance(left.value, FetchTimeout)


@pytest.mark.parametrize(
    ("path", "limit", "which"),
    [
        ("/silent", {"first_byte_s": 0.15}, "first_byte"),
        ("/drip-headers", {"first_byte_s": 0.15}, "first_byte"),
        ("/drip", {"whole_s": 0.25}, "whole"),
        ("/drip-headers", {"whole_s": 0.25}, "whole"),
    ],
)
def test_a_slow_server_is_left_in_time(
    site: Site, path: str, limit: dict[str, float], which: str
) -> None:
    web = fetcher(site, None, obey_robots=False, **limit)
    with pytest.raises(FetchTimeout) as slow:
        web.fetch(site.url(path))
    assert slow.value.details["timeout"] == which
    assert slow.value.details["timeout_seconds"] == next(iter(limit.values()))


def test_a_connection_that_never_comes_is_given_up(site: Site) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
        web = fetcher(site, allow_hosts=(f"127.0.0.1:{port}",), connect_s=0.2, first_byte_s=0.2)
        try:
            with pytest.raises(FetchTimeout):
                web.fetch(f"http://127.0.0.1:{port}/")
        finally:
            for each in waiting:
                each.close()


def test_a_name_that_takes_too_long_to_find_is_given_up(site: Site) -> None:
    done = threading.Event()
    world = World(site)
    web = Fetcher(
        FetchSettings(connect_s=0.1),
        resolve=lambda _: [PUBLIC] if done.wait(10) else [],
        dial=world.dial,
    )
    with pytest.raises(FetchTimeout) as slow:
        web.fetch("http://slow.example/")
    done.set()
    assert slow.value.details["timeout"] == "name"
    assert world.dialled == []


@pytest.mark.parametrize("path", ["/cut", "/cut-at-once", "/not-http"])
def test_a_broken_answer_is_a_failure_and_not_half_a_page(site: Site, path: str) -> None:
    with pytest.raises(FetchFailed) as broken:
        fetcher(site).fetch(site.url(path))
    assert broken.value.code == "fetch_failed"


def test_nobody_listening_is_a_failure(site: Site) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(FetchFailed, match="no connection"):
        fetcher(site, allow_hosts=(f"127.0.0.1:{port}",)).fetch(f"http://127.0.0.1:{port}/")
