"""Pages are fetched from nowhere but the public internet, however an address is spelled or reached."""

import socket
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import httpcore2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters import addresses, dialling
from actors.adapters.addresses import read_url, why_not_public
from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from events.errors import (
    AddressRefused,
    FetchFailed,
    NameNotFound,
    TooManyRedirects,
)
from tests.fetching_world import PUBLIC, Clock, World, fetcher
from tests.webserver import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture(scope="module")
def canary() -> Iterator[Site]:
    """A site that nobody should ever reach."""
    with serving() as site:
        yield site


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
