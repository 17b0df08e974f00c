"""Which addresses of the world may be spoken to: http or https, and public, however they are spelled.

A URL is read once, here, and what was read is what is connected to. A name is looked up once per
request; every address it has must be public, and the connection goes to one of those very
addresses, so that a name that answers differently the second time gains nothing.
"""

import ipaddress
import re
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import httpx2

from events.errors import AddressRefused, FetchTimeout, NameNotFound

Resolve = Callable[[str], Sequence[str]]
"""All addresses of a name; raises `OSError` when there are none."""

LONGEST_URL = 8_192
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_ANSWERS = 64

_SPLIT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?([^/?#]*)")
_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:@/\\%\[\]]+)(?::[0-9]{0,5})?", re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_INNER_NAMES = (
    *("localhost", "local", "internal", "intranet", "lan", "home.arpa", "onion", "invalid"),
)
"""Also what no name on the internet ever ends with."""


_DENIED_PORTS = frozenset(
    {
        *(1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 5432, 5900, 9200, 11211, 27017),
        *(1719, 1720, 1723, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6679, 6697, 10080),
        *range(6665, 6670),
        *(6379, 8265, 10001, 52365),
    }
)
"""Databases and consoles, what browsers refuse, and Ray: nobody publishes pages there."""

_NOT_PUBLIC_4 = {
    IPv4Network(network): why
    for network, why in (
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a provider's inner network"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud's metadata service"),
        ("169.254.0.0/16", "link-local, with the cloud's metadata service"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "reserved for protocols"),
        ("192.0.2.0/24", "reserved for documentation"),
        ("192.31.196.0/24", "reserved for protocols"),
        ("192.52.193.0/24", "reserved for protocols"),
        ("192.88.99.0/24", "a relay for 6to4"),
        ("192.168.0.0/16", "a private network"),
        ("192.175.48.0/24", "reserved for protocols"),
        ("198.18.0.0/15", "reserved for benchmarks"),
        ("198.51.100.0/24", "reserved for documentation"),
        ("203.0.113.0/24", "reserved for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
}
_PUBLIC_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = {
    IPv6Network(network): why
    for network, why in (
        ("2001::/23", "reserved for protocols and tunnels"),
        ("2001:db8::/32", "reserved for documentation"),
        ("2002::/16", "a 6to4 tunnel"),
        ("2620:4f:8000::/48", "reserved for protocols"),
        ("3fff::/20", "reserved for documentation"),
    )
}
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")


@dataclass(frozen=True)
class Target:
    """A URL that may be asked for, as it was read."""

    url: str
    """Normal form, without a fragment."""

    scheme: str
    host: str
    """A name in ASCII, or an address without brackets."""

    port: int
    path: str
    """With the query: what the server is asked for."""

    allowed: bool
    """It is a test host that may be on loopback."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def shown(url: str) -> str:
    """A URL as an error may repeat it: short, printable, without anybody's password."""
    bare = re.sub(r"(?<=//)[^/?#]*@", "", url[:LONGEST_URL])
    text = "".join(letter if letter.isprintable() else "?" for letter in bare)
    return text if len(text) <= 300 else text[:300] + "…"


def read_url(url: str, allow_hosts: tuple[str, ...] = ()) -> Target:
    """What a URL asks for; raises `AddressRefused` for anything odd about it.

    `allow_hosts` names `host:port` pairs, exactly as they stand in URLs, that may be on loopback.
    """
    url = url.strip(" ")
    if len(url) > LONGEST_URL:
        raise _refused(url, f"it is longer than {LONGEST_URL} characters")
    match = _SPLIT.match(url)
    if not match or match[1].lower() not in _DEFAULT_PORTS:
        raise _refused(url, "only http and https are fetched")
    if not match[2] or not match[3]:
        raise _refused(url, "it names no host")
    if "@" in match[3]:
        raise _refused(url, "it carries credentials")
    if not _AUTHORITY.fullmatch(match[3]):
        raise _refused(url, "its host or port is not written as one")
    try:
        parsed = httpx2.URL(url).copy_with(fragment=None)
    except (httpx2.InvalidURL, UnicodeError) as failure:
        raise _refused(url, "it is not a valid URL") from failure
    host = parsed.raw_host.decode("ascii").removesuffix(".")
    port = _DEFAULT_PORTS[parsed.scheme] if parsed.port is None else parsed.port
    plain = f"[{host}]" if ":" in host else host
    written = match[3].lower().removesuffix(f":{port}").removesuffix(":")
    allowed = written == plain and f"{plain}:{port}" in allow_hosts
    if (address := _literal(host)) and (written != plain or address in _NAT64):
        raise _refused(url, "it spells an address in an unusual way")
    if why := _odd_host(host, allowed=allowed) or _odd_port(port, allowed=allowed):
        raise _refused(url, why)
    parsed = parsed.copy_with(host=host)
    return Target(
        url=str(parsed),
        scheme=parsed.scheme,
        host=host,
        port=port,
        path=parsed.raw_path.decode("ascii"),
        allowed=allowed,
    )


def joined(base: Target, location: str, allow_hosts: tuple[str, ...] = ()) -> Target:
    """Where a redirect leads."""
    try:
        onward = str(httpx2.URL(base.url).join(location.strip(" ")))
    except (httpx2.InvalidURL, ValueError) as failure:
        raise _refused(location, "it is not a valid URL") from failure
    return read_url(onward, allow_hosts)


def checked_addresses(target: Target, resolve: Resolve, seconds: float) -> tuple[str, ...]:
    """All addresses of a target, each one seen to be public; raises `AddressRefused` otherwise."""
    answers = [target.host] if _literal(target.host) else _look_up(target, resolve, seconds)
    if not answers:
        raise NameNotFound(shown(target.url), f"{target.host} has no address", {})
    for answer in answers:
        if why := why_not_public(answer, loopback=target.allowed):
            raise AddressRefused(
                shown(target.url),
                f"{target.host} is at {answer}, which is {why}",
                {"address": answer, "reason": why},
            )
    return tuple(dict.fromkeys(answers))


def why_not_public(address: str, *, loopback: bool = False) -> str | None:
    """Why an address may not be spoken to, or None; `loopback` allows this machine's loopback."""
    ip = _literal(address)
    if ip is None:
        return "not an address"
    if loopback and ip.is_loopback:
        return None
    why = _special_4(ip) if isinstance(ip, IPv4Address) else _special_6(ip)
    return why or ("this machine itself" if _is_ours(ip) else None)


def look_up(host: str) -> Sequence[str]:
    """All addresses of a name, as the operating system knows it."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def _refused(url: str, why: str) -> AddressRefused:
    return AddressRefused(shown(url), why, {"reason": why})


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _odd_host(host: str, *, allowed: bool) -> str | None:
    if _literal(host):
        return None
    labels = host.split(".")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return "its host is not a name on the internet"
    if _NUMBER.fullmatch(labels[-1]):
        return "it spells an address in an unusual way"
    if allowed:
        return None
    if len(labels) == 1 or any(host.endswith("." + inner) for inner in _INNER_NAMES):
        return "its host is a name of an inner network"
    return None


def _odd_port(port: int, *, allowed: bool) -> str | None:
    """80, 443 and everything from 1024 is fair, but for what is known to be no web server."""
    if allowed or port in _DEFAULT_PORTS.values():
        return None
    if not 1024 <= port <= 65535 or port in _DENIED_PORTS:
        return f"port {port} is not one for web pages"
    return None


def _look_up(target: Target, resolve: Resolve, seconds: float) -> list[str]:
    """Ask for a name's addresses without waiting longer than that: the system's call cannot be cut."""
    outcome: Future[list[str]] = Future()

    def work() -> None:
        try:
            outcome.set_result(list(resolve(target.host))[:_MOST_ANSWERS])
        except BaseException as failure:  # noqa: BLE001 - handed to the waiting side
            outcome.set_exception(failure)

    threading.Thread(target=work, name=f"look up {target.host}", daemon=True).start()
    try:
        return outcome.result(timeout=seconds)
    except TimeoutError:
        raise FetchTimeout(
            shown(target.url),
            f"nobody said within {seconds:g} s where {target.host} is",
            {"timeout": "name", "timeout_seconds": seconds},
        ) from None
    except (OSError, UnicodeError) as failure:
        raise NameNotFound(shown(target.url), f"{target.host} is not known", {}) from failure


def _special_4(ip: IPv4Address) -> str | None:
    return next((why for network, why in _NOT_PUBLIC_4.items() if ip in network), None)


def _special_6(ip: IPv6Address) -> str | None:
    """Only what is routed on the internet is public; an address inside an address counts as well."""
    if ip.is_loopback:
        return "loopback"
    if ip in _NAT64:
        return _special_4(IPv4Address(ip.packed[12:]))
    if ip.ipv4_mapped:
        return "an IPv4 address in IPv6 clothes"
    if ip.scope_id is not None or ip not in _PUBLIC_6:
        return "not on the public internet"
    if why := next((why for network, why in _NOT_PUBLIC_6.items() if ip in network), None):
        return why
    if ip.packed[8:12] in _ISATAP:
        return _special_4(IPv4Address(ip.packed[12:]))
    return None


def _is_ours(ip: IPv4Address | IPv6Address) -> bool:
    """Whether this machine has that address; finding out sends nothing."""
    nowhere = "192.0.2.1" if ip.version == 4 else "2001:db8::1"
    if not _binds(str(ip)):
        return False
    return not _binds(nowhere) or _source_towards(str(ip)) == str(ip)


def _binds(address: str) -> bool:
    """Whether one can listen there: only at one's own, unless the system is told to allow any."""
    try:
        with _datagram(address) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True


def _source_towards(address: str) -> str:
    """The address from which one would speak to another: to oneself, the same."""
    try:
        with _datagram(address) as probe:
            probe.connect((address, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def _datagram(address: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
