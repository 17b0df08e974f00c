"""Pages are fetched politely, within bounds, and from nowhere but the public internet."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import httpcore2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters import addresses, dialling
from actors.adapters.addresses import read_url, why_not_public
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import Fetched, FetchSettings
from events.errors import (
    AccessDenied,
    AddressRefused,
    FetchFailed,
    FetchTimeout,
    NameNotFound,
    PageNotFound,
    PageTooLarge,
    RateLimited,
    RobotsDenied,
    SiteUnavailable,
    TlsFailed,
    TooManyRedirects,
    UnsupportedContent,
)
from tests.webserver import JAPANESE, PAGE, Site, five_megabytes, serving

PUBLIC = "93.184.216.34"


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture(scope="module")
def canary() -> Iterator[Site]:
    """A site that nobody should ever reach."""
    with serving() as site:
        yield site


def fetcher(site: Site, clock: Clock | None = None, **settings: object) -> Fetcher:
    clock = clock or Clock()
    chosen = FetchSettings(allow_hosts=(site.host,), delay_s=0.0)
    chosen = replace(chosen, **settings)  # type: ignore[arg-type]
    return Fetcher(chosen, now=clock, sleep=clock.sleep)


class World:
    """Names that all lead, by way of public addresses, to one site on loopback."""

    def __init__(self, site: Site, names: dict[str, Sequence[str]] | None = None) -> None:
        self.site = site
        self.names = names or {}
        self.dialled: list[tuple[str, int]] = []
        self.looked_up: list[str] = []

    def resolve(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        return self.names.get(host, [PUBLIC])

    def dial(self, address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        self.dialled.append((address, port))
        return dialling.dial("127.0.0.1", self.site.port, seconds)

    def fetcher(
        self, roots: Callable[[], ssl.SSLContext] = dialling.trusted_roots, **settings: object
    ) -> Fetcher:
        clock = Clock()
        chosen = replace(FetchSettings(delay_s=0.0), **settings)  # type: ignore[arg-type]
        return Fetcher(
            chosen,
            resolve=self.resolve,
            dial=self.dial,
            roots=roots,
            now=clock,
            sleep=clock.sleep,
        )


# -- pages ---------------------------------------------------------------------------------------


def test_a_page_comes_with_all_that_matters_about_it(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/conditional#part"))
    assert page.body == PAGE
    assert (page.url, page.final_url) == (site.url("/conditional"), site.url("/conditional"))
    assert (page.status, page.media_type, page.charset) == (200, "text/html", "utf-8")
    assert (page.etag, page.last_modified) == ('"v1"', "Wed, 21 Oct 2015 07:28:00 GMT")
    assert page.date
    assert page.address == "127.0.0.1"
    assert [hop.status for hop in page.hops] == [200]


def test_a_page_survives_being_packed(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/redirect/2"))
    assert Fetched.unpack(page.pack()) == page
    assert "body" not in page.metadata()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/page", "text/html"),
        ("/xhtml", "application/xhtml+xml"),
        ("/text", "text/plain"),
        ("/notes.md", "text/markdown"),
        ("/paper.pdf", "application/pdf"),
        ("/pdf-as-html", "application/pdf"),
        ("/data.json", "application/json"),
        ("/feed", "application/rss+xml"),
        ("/atom", "application/atom+xml"),
        ("/sitemap.xml", "application/xml"),
        ("/html-as-image", "text/html"),
        ("/undeclared", "text/html"),
        ("/sjis", "text/html"),
        ("/jis", "text/html"),
        ("/utf16", "text/html"),
        ("/utf16-no-bom", "text/html"),
        ("/frames", "text/html"),
    ],
)
def test_the_type_is_told_from_the_bytes(site: Site, path: str, media_type: str) -> None:
    assert fetcher(site).fetch(site.url(path)).media_type == media_type


@pytest.mark.parametrize(
    "path",
    [
        *("/binary-as-html", "/html-then-binary", "/image-as-html", "/zip-as-html"),
        *("/svg", "/script.js", "/empty", "/blank", "/status/204"),
    ],
)
def test_what_is_no_text_is_refused_whatever_it_claims_to_be(site: Site, path: str) -> None:
    with pytest.raises(UnsupportedContent) as refused:
        fetcher(site).fetch(site.url(path))
    assert refused.value.details["url"] == site.url(path)


def test_a_caller_can_want_fewer_types(site: Site) -> None:
    with pytest.raises(UnsupportedContent, match="application/pdf"):
        fetcher(site).fetch(site.url("/paper.pdf"), accept=("text/html",))
    assert fetcher(site).fetch(site.url("/page"), accept=("text/html",)).status == 200


def test_a_wrong_charset_is_handed_on_with_the_bytes_untouched(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/sjis-said-utf8"))
    assert page.charset == "utf-8"
    assert page.body.decode("shift_jis") == JAPANESE


def test_a_page_of_five_megabytes_is_whole(site: Site) -> None:
    assert len(five_megabytes()) > 5_000_000
    assert fetcher(site).fetch(site.url("/large")).body == five_megabytes()


def test_we_say_who_we_are_and_carry_no_cookies(site: Site) -> None:
    web = fetcher(site, contact="https://example.org/bot")
    web.fetch(site.url("/cookie"))
    web.fetch(site.url("/page"))
    for _, headers in site.asked:
        assert headers["User-Agent"].startswith("research-agent/")
        assert headers["User-Agent"].endswith("(+https://example.org/bot)")
        assert headers["Host"] == site.host
        assert "Cookie" not in headers


def test_proxies_of_the_environment_are_ignored(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetcher(site).fetch(site.url("/page")).body == PAGE


# -- asking again --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "known",
    [{"etag": '"v1"'}, {"last_modified": "Wed, 21 Oct 2015 07:28:00 GMT"}],
    ids=["etag", "last-modified"],
)
def test_a_page_that_did_not_change_is_no_failure(site: Site, known: dict[str, str]) -> None:
    etag, last_modified = known.get("etag"), known.get("last_modified")
    page = fetcher(site).fetch(site.url("/conditional"), etag=etag, last_modified=last_modified)
    assert page.not_modified
    assert (page.status, page.body, page.media_type) == (304, b"", "")
    assert page.etag == '"v1"'


def test_a_304_that_nobody_asked_for_is_a_failure(site: Site) -> None:
    with pytest.raises(FetchFailed, match="304"):
        fetcher(site).fetch(site.url("/unasked-304"))


def test_a_validator_cannot_smuggle_a_header(site: Site) -> None:
    fetcher(site).fetch(site.url("/page"), etag='"a"\r\nX-Evil: 1')
    assert all("X-Evil" not in headers for _, headers in site.asked)


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


# -- status --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "gap"),
    [
        (401, AccessDenied, "access_denied"),
        (402, AccessDenied, "access_denied"),
        (403, AccessDenied, "access_denied"),
        (451, AccessDenied, "access_denied"),
        (404, PageNotFound, "source_not_found"),
        (410, PageNotFound, "source_not_found"),
        (418, FetchFailed, "source_not_found"),
        (429, RateLimited, "access_denied"),
        (500, SiteUnavailable, "source_not_found"),
        (503, SiteUnavailable, "source_not_found"),
        (206, FetchFailed, "source_not_found"),
        (300, FetchFailed, "source_not_found"),
    ],
)
def test_an_error_page_is_an_error(
    site: Site, status: int, kind: type[FetchFailed], gap: str
) -> None:
    with pytest.raises(kind) as failed:
        fetcher(site).fetch(site.url(f"/status/{status}"))
    assert type(failed.value) is kind
    assert failed.value.gap == gap
    assert failed.value.details == {"url": site.url(f"/status/{status}"), "status_code": status}
    assert failed.value.advice


# -- redirects -----------------------------------------------------------------------------------


def test_five_redirects_are_followed_and_told(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/redirect/5"))
    assert page.final_url == site.url("/page")
    assert [hop.status for hop in page.hops] == [302] * 5 + [200]


def test_a_sixth_redirect_is_one_too_many(site: Site) -> None:
    with pytest.raises(TooManyRedirects) as lost:
        fetcher(site).fetch(site.url("/redirect/6"))
    assert lost.value.details["url"] == site.url("/redirect/6")
    assert "/page" not in site.paths()


def test_a_circle_is_noticed(site: Site) -> None:
    with pytest.raises(TooManyRedirects, match="circle"):
        fetcher(site).fetch(site.url("/loop"))
    assert site.paths() == ["/loop", "/loop-back"]


def test_a_redirect_to_nowhere_is_a_failure(site: Site) -> None:
    with pytest.raises(FetchFailed, match="302"):
        fetcher(site).fetch(site.url("/nowhere"))


@pytest.mark.parametrize(
    "away",
    [
        *("http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"),
        *("//127.0.0.1:8265/api/jobs/", "http://2130706433/", "ftp://example.com/"),
        *("http://user:pass@example.com/", "javascript:alert(1)", "http://[::1]/"),
    ],
)
def test_a_redirect_is_checked_like_any_address(site: Site, away: str) -> None:
    world = World(site)
    site.away = away
    with pytest.raises(AddressRefused):
        world.fetcher().fetch("http://fair.example/away")
    assert {address for address, _ in world.dialled} == {PUBLIC}
    assert site.paths() == ["/away"]


def test_a_redirect_to_a_name_inside_is_refused_before_it_is_asked(site: Site) -> None:
    world = World(site, {"inside.example": ["192.168.1.1"]})
    site.away = "http://inside.example/secret"
    with pytest.raises(AddressRefused) as refused:
        world.fetcher().fetch("http://fair.example/away")
    assert refused.value.details["address"] == "192.168.1.1"
    assert {address for address, _ in world.dialled} == {PUBLIC}


def test_a_redirect_from_https_to_http_is_followed_and_told(
    site: Site, certificate: tuple[Path, ssl.SSLContext]
) -> None:
    _, trusting = certificate
    with serving(server_context(certificate)) as secure:
        secure.away = "http://fair.example/page"
        world = World(secure)
        plain = World(site)

        def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
            return (world if port == 443 else plain).dial(address, port, seconds)

        web = Fetcher(
            FetchSettings(delay_s=0.0), resolve=world.resolve, dial=dial, roots=lambda: trusting
        )
        page = web.fetch("https://fair.example/away")
    assert [hop.url for hop in page.hops] == [
        "https://fair.example/away",
        "http://fair.example/page",
    ]


# -- addresses -----------------------------------------------------------------------------------


def wide(text: str) -> str:
    """The full-width twins of ASCII."""
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


_LOCAL_SPELLINGS = [
    *("127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "0", "0.0.0.0", "0.0.0.1"),
    *("2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "017700000001"),
    *("0177.0x0.1", "127.0.0.1.", "425.510.425.510", "127.0.0.256", "4294967297", "0x", "1.2.3"),
    *("localhost", "LOCALHOST", "localhost.", "foo.localhost", "ip6-localhost"),
    *("①②⑦.⓪.⓪.①", wide("127") + ".0.0.1", "127。0。0。1", wide("127.0.0.1"), wide("localhost")),
    *("127.0.0.1%23.example.com", "%31%32%37.0.0.1", "127.0.0.1%00.example.com"),
    *("[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    *("[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]"),
    *("[2002:7f00:1::]", "[2001:0:7f00:1::]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]"),
    *("[2606:4700::5efe:7f00:1]", "[2606:4700::200:5efe:127.0.0.1]", "[fe80::1]", "[fe80::1%25lo]"),
    *("[::1%25lo]", "[1:2]", "[v1.a]", "[127.0.0.1]"),
]
_INNER_SPELLINGS = [
    *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1"),
    *("100.127.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.1"),
    *("203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("192.88.99.1", "[fc00::1]", "[fd12::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]"),
    *("[100::1]", "[3fff::1]", "[5f00::1]", "[2001:10::1]", "[2002:a00:1::1]", "[64:ff9b::a00:1]"),
    *("[::ffff:10.0.0.1]", "[::ffff:93.184.216.34]", "[64:ff9b::5db8:d822]"),
]
_METADATA_SPELLINGS = [
    *("169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"),
    *("169.254.170.2", "100.100.100.200", "192.0.0.192", "168.63.129.16", "[fd00:ec2::254]"),
    *("metadata.google.internal", "metadata", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]"),
]
_CONFUSIONS = [
    *("a@127.0.0.1", "a:b@example.com", "@example.com", ":@example.com"),
    *("127.0.0.1\\@example.com", "example.com\\@127.0.0.1", "example.com\\.evil.example"),
    *("exa\tmple.com", "exa\nmple.com", "exa\rmple.com", "exa mple.com", "exa\x00mple.com"),
    *("example.com:80:443", "example.com:0", "example.com:65536", "example.com:-1"),
    *("example.com:+80", "example.com:8_0", "example.com:" + wide("80"), "example.com:22"),
    *("example.com:25", "example.com:6379", "example.com:8265", "example.com:10001"),
    *("example.com:52365", "example.com:99999999999", "-a.example", "a..example", ".example"),
    *("a" * 64 + ".example", "a." * 130 + "example", "intranet", "printer.local", "x.onion"),
    *("xn--a\u202e.example", "exam\u2044ple.com"),
]


@pytest.mark.parametrize(
    "host", [*_LOCAL_SPELLINGS, *_INNER_SPELLINGS, *_METADATA_SPELLINGS, *_CONFUSIONS]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_spelling_of_an_inner_address_is_ever_connected_to(
    canary: Site, scheme: str, host: str
) -> None:
    """Numbers are read as the system reads them, so that what slips through would be connected to."""
    dialled: list[str] = []

    def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        dialled.append(address)
        return dialling.dial(address, port, seconds)

    web = Fetcher(
        FetchSettings(allow_hosts=(canary.host,), delay_s=0.0),
        resolve=_only_without_the_network,
        dial=dial,
    )
    hostport = host if ":" in host.rpartition("]")[2] else f"{host}:{canary.port}"
    for url in (f"{scheme}://{host}/", f"{scheme}://{hostport}/"):
        if url.partition("//")[2] == canary.host + "/":
            continue
        with pytest.raises(AddressRefused):
            web.fetch(url)
    assert dialled == []
    assert canary.connections == 0


def _only_without_the_network(host: str) -> Sequence[str]:
    """What the system knows by itself: odd spellings of addresses, and its own names."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    return [str(entry[4][0]) for entry in found]


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "ftp://example.com/", "gopher://example.com/", "dict://a:1/"),
        *("ldap://example.com/", "tftp://example.com/", "sftp://example.com/", "unix:/run/x"),
        *("jar:http://example.com!/", "data:text/html,hello", "javascript:alert(1)", "blob:x"),
        *("about:blank", "view-source:http://example.com/", "ws://example.com/", ""),
        *("//example.com/", "http:example.com", "http:///x", "http://", "example.com", "#part"),
        *(
            "http://?x",
            "http:\\\\example.com\\",
            "http://[",
            "http://[::1",
            "h\u200bttp://a.example/",
        ),
        "http://example.com/" + "a" * 70_000,
    ],
)
def test_only_web_addresses_are_fetched(site: Site, url: str) -> None:
    world = World(site)
    with pytest.raises(AddressRefused):
        world.fetcher().fetch(url)
    assert (world.looked_up, world.dialled) == ([], [])


def test_a_password_in_a_url_is_never_repeated() -> None:
    with pytest.raises(AddressRefused) as refused:
        read_url("https://anna:hunter2@example.com/")
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in str(refused.value.details)


@pytest.mark.parametrize(
    "answers",
    [
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        [PUBLIC, "fd00::1"],
        [PUBLIC] * 50 + ["10.0.0.1"],
        ["fe80::1%lo"],
        ["169.254.169.254"],
        ["::ffff:127.0.0.1"],
    ],
)
def test_every_address_of_a_name_must_be_public(site: Site, answers: list[str]) -> None:
    world = World(site, {"mixed.example": answers})
    with pytest.raises(AddressRefused):
        world.fetcher().fetch("http://mixed.example/page")
    assert world.dialled == []


def test_a_name_that_changes_its_mind_gains_nothing(site: Site) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    world = World(site)
    clock = Clock()
    web = Fetcher(
        FetchSettings(delay_s=0.0, obey_robots=False),
        resolve=lambda _: next(answers),
        dial=world.dial,
        now=clock,
        sleep=clock.sleep,
    )
    page = web.fetch("http://rebinding.example/page")
    assert page.address == PUBLIC
    assert world.dialled == [(PUBLIC, 80)]
    with pytest.raises(AddressRefused):
        web.fetch("http://rebinding.example/page")
    assert world.dialled == [(PUBLIC, 80)]


def test_each_hop_to_the_same_name_is_looked_up_and_checked_again(site: Site) -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    world = World(site)
    web = Fetcher(
        FetchSettings(delay_s=0.0, obey_robots=False),
        resolve=lambda _: next(answers),
        dial=world.dial,
    )
    with pytest.raises(AddressRefused):
        web.fetch("http://rebinding.example/redirect/1")
    assert world.dialled == [(PUBLIC, 80)]


def test_the_next_address_is_tried_when_the_first_is_dead(site: Site) -> None:
    world = World(site, {"two.example": ["2606:4700::1", PUBLIC]})

    def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
        if ":" in address:
            raise httpcore2.ConnectError("no route")
        return world.dial(address, port, seconds)

    web = Fetcher(FetchSettings(delay_s=0.0), resolve=world.resolve, dial=dial)
    assert web.fetch("http://two.example/page").address == PUBLIC


def test_the_host_header_is_that_of_the_name(site: Site) -> None:
    world = World(site)
    world.fetcher().fetch("http://Fair.Example.:8080/page")
    assert {headers["Host"] for _, headers in site.asked} == {"fair.example:8080"}
    assert set(world.dialled) == {(PUBLIC, 8080)}


def test_a_name_nobody_knows_is_a_failure(site: Site) -> None:
    def unknown(host: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(NameNotFound):
        Fetcher(FetchSettings(), resolve=unknown).fetch("http://missing.example/")
    with pytest.raises(NameNotFound):
        Fetcher(FetchSettings(), resolve=lambda _: []).fetch("http://missing.example/")


def test_only_the_very_host_and_port_that_are_named_may_be_on_loopback(site: Site) -> None:
    with serving() as other:
        web = fetcher(site)
        assert web.fetch(site.url("/page")).status == 200
        for url in (
            other.url("/page"),
            f"http://localhost:{site.port}/page",
            f"http://127.0.0.2:{site.port}/page",
            f"http://0x7f000001:{site.port}/page",
        ):
            with pytest.raises(AddressRefused):
                web.fetch(url)
        assert other.connections == 0


def test_a_test_host_may_not_be_in_a_private_network(site: Site) -> None:
    world = World(site, {"wiki.test": ["10.0.0.1"]})
    with pytest.raises(AddressRefused):
        world.fetcher(allow_hosts=("wiki.test:80",)).fetch("http://wiki.test/")
    assert world.dialled == []


def test_the_addresses_of_this_machine_are_refused_even_when_they_are_public(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert why_not_public(PUBLIC) is None
    monkeypatch.setattr(addresses, "_special_4", lambda _: None)
    assert why_not_public("127.0.0.1") == "this machine itself"


@pytest.mark.parametrize(
    "address",
    [
        *("1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.0"),
        *("192.0.1.1", "198.17.255.255", "223.255.255.255", "2606:4700::1", "2a00:1450::1"),
        "64:ff9b::101:101",
    ],
)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert why_not_public(address) is None


@given(st.ip_addresses(v=4))
def test_whatever_python_calls_private_is_refused(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert why_not_public(str(address))


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_outside_the_public_range_is_taken(address: IPv6Address) -> None:
    if why_not_public(str(address)) is None:
        assert address in addresses._PUBLIC_6 or address in addresses._NAT64


@given(st.ip_addresses(v=4, network="10.0.0.0/8"), st.sampled_from(["::ffff:0:0", "64:ff9b::"]))
def test_a_private_address_inside_another_is_refused(inner: IPv4Address, around: str) -> None:
    whole = ip_address(int(IPv6Address(around)) | int(inner))
    assert why_not_public(str(whole))


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_refused(text: str) -> None:
    for url in (text, "http://" + text, "http://example.com/" + text):
        try:
            target = read_url(url)
        except AddressRefused as refused:
            assert str(refused)
        else:
            assert target.host.isascii()
            assert target.path.isascii()
            assert "#" not in target.url
            assert read_url(target.url) == target


# -- certificates --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ssl.SSLContext]:
    """A certificate for fair.example, and a client that trusts it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "fair.example")])
    today = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("fair.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "fair.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path, ssl.create_default_context(cafile=str(path))


def server_context(certificate: tuple[Path, ssl.SSLContext]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[0])
    return context


def test_the_certificate_is_that_of_the_name_though_we_connect_to_an_address(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    names: list[str | None] = []
    serving_tls = server_context(certificate)
    serving_tls.sni_callback = lambda _socket, name, _context: names.append(name)
    with serving(serving_tls) as secure:
        world = World(secure)
        page = world.fetcher(lambda: certificate[1]).fetch("https://fair.example/page")
    assert page.body == PAGE
    assert set(names) == {"fair.example"}
    assert set(world.dialled) == {(PUBLIC, 443)}


def test_a_certificate_of_another_name_is_refused(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    with serving(server_context(certificate)) as secure:
        world = World(secure)
        with pytest.raises(TlsFailed, match="prove"):
            world.fetcher(lambda: certificate[1]).fetch("https://other.example/page")
        assert secure.asked == []


def test_a_certificate_nobody_signed_is_refused(
    certificate: tuple[Path, ssl.SSLContext],
) -> None:
    with serving(server_context(certificate)) as secure:
        with pytest.raises(TlsFailed):
            World(secure).fetcher().fetch("https://fair.example/page")
        assert secure.asked == []


def test_a_server_that_speaks_no_tls_is_refused(site: Site) -> None:
    with pytest.raises(TlsFailed):
        World(site).fetcher().fetch("https://fair.example/page")


# -- robots and manners --------------------------------------------------------------------------


def test_robots_are_asked_once_and_obeyed(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\nAllow: /text\n"
    web = fetcher(site)
    for _ in range(2):
        with pytest.raises(RobotsDenied) as denied:
            web.fetch(site.url("/page"))
    assert denied.value.gap == "access_denied"
    assert web.fetch(site.url("/text")).status == 200
    assert [path for path, _ in site.asked] == ["/robots.txt", "/text"]


def test_robots_are_asked_again_after_a_while(site: Site) -> None:
    clock = Clock()
    web = fetcher(site, clock)
    web.fetch(site.url("/page"))
    site.robots = b"User-agent: research-agent\nDisallow: /\n"
    clock.now += 3_601
    with pytest.raises(RobotsDenied):
        web.fetch(site.url("/page"))


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (403, True), (500, False), (429, False)]
)
def test_missing_robots_allow_and_failing_robots_forbid(
    site: Site, status: int, allowed: bool
) -> None:
    site.robots = status
    if allowed:
        assert fetcher(site).fetch(site.url("/page")).status == 200
    else:
        with pytest.raises(RobotsDenied, match=str(status)):
            fetcher(site).fetch(site.url("/page"))
        assert site.paths() == []


def test_a_redirect_asks_for_leave_as_well(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\n"
    with pytest.raises(RobotsDenied):
        fetcher(site).fetch(site.url("/redirect/1"))
    assert site.paths() == ["/redirect/1"]


def test_robots_can_be_passed_over_by_setting(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /\n"
    assert fetcher(site, obey_robots=False).fetch(site.url("/page")).status == 200
    assert site.paths() == [path for path, _ in site.asked]


def test_an_endless_robots_file_is_read_as_far_as_it_matters(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\n" + b"# and so on\n" * 100_000
    with pytest.raises(RobotsDenied):
        fetcher(site).fetch(site.url("/page"))


def test_a_failure_on_the_way_to_robots_is_told_of_the_page(site: Site) -> None:
    with pytest.raises(NameNotFound) as failed:
        Fetcher(FetchSettings(), resolve=lambda _: []).fetch("http://missing.example/page")
    assert failed.value.details["url"] == "http://missing.example/page"
    assert failed.value.details["while_fetching"] == "robots.txt"


def test_requests_to_one_host_keep_their_distance(site: Site) -> None:
    clock = Clock()
    web = fetcher(site, clock, delay_s=1.0)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/text"))
    assert clock.slept == [1.0, 1.0]


def test_the_delay_of_robots_counts_up_to_a_point(site: Site) -> None:
    site.robots = b"User-agent: *\nCrawl-delay: 7\n"
    clock = Clock()
    web = fetcher(site, clock)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/page"))
    assert clock.slept == [7.0]
    clock = Clock()
    web = fetcher(site, clock, max_crawl_delay_s=3.0)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/page"))
    assert clock.slept == [3.0]


def test_a_short_pause_is_waited_out_once(site: Site) -> None:
    site.busy_for = 1
    clock = Clock()
    assert fetcher(site, clock).fetch(site.url("/busy")).status == 200
    assert clock.slept == [2.0]


def test_a_site_that_stays_busy_is_left(site: Site) -> None:
    site.busy_for = 5
    with pytest.raises(RateLimited) as busy:
        fetcher(site).fetch(site.url("/busy"))
    assert busy.value.details == {
        "url": site.url("/busy"),
        "status_code": 429,
        "retry_after_seconds": 2.0,
    }
    assert site.paths() == ["/busy", "/busy"]


@pytest.mark.parametrize("retry_after", ["315360000", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_a_long_pause_is_kept_without_waiting(site: Site, retry_after: str) -> None:
    site.busy_for, site.retry_after = 1, retry_after
    clock = Clock()
    web = fetcher(site, clock)
    for _ in range(2):
        with pytest.raises(RateLimited):
            web.fetch(site.url("/busy"))
    assert site.paths() == ["/busy"]
    assert clock.slept == []
    clock.now += 3_600
    assert web.fetch(site.url("/busy")).status == 200


@pytest.mark.parametrize("retry_after", ["soon", "-1", "", "Fri, 99 Foo"])
def test_a_pause_that_makes_no_sense_is_passed_over(site: Site, retry_after: str) -> None:
    site.busy_for, site.retry_after = 1, retry_after
    with pytest.raises(RateLimited):
        fetcher(site).fetch(site.url("/busy"))


def test_many_threads_share_a_fetcher_and_its_manners(site: Site) -> None:
    web = fetcher(site)
    bodies: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: bodies.append(web.fetch(site.url("/page")).body))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bodies == [PAGE] * 12
    assert [path for path, _ in site.asked].count("/robots.txt") == 1
