"""One request over one connection, to an address that was checked, within time and bytes.

The connection is made to the address itself; certificate and Host header are those of the name.
Nothing is kept: no pool, no cookies, no proxy from the environment. Every read goes through a
watch, so that a server that sends a byte a second, or headers without end, is left in time.
"""

import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import httpcore2

from actors.adapters.addresses import Target, shown
from events.errors import FetchFailed, FetchTimeout, PageTooLarge, TlsFailed

Phase = Literal["connect", "first_byte", "whole"]
Dial = Callable[[str, int, float], httpcore2.NetworkStream]
"""Connects to an address and port within seconds."""

_ATTEMPTS = 3
"""Addresses of one name that are tried."""

_HEADROOM = 1 << 20
"""Bytes a reply may have besides its body: headers, chunk sizes, encryption is not counted."""

_SLOW = {
    "connect": "there was no connection within {0:g} s",
    "first_byte": "the server did not begin to answer within {0:g} s",
    "whole": "the page was not complete within {0:g} s",
}


def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
    """Connect to an address."""
    return httpcore2.SyncBackend().connect_tcp(address, port, timeout=seconds, socket_options=())


def trusted_roots() -> ssl.SSLContext:
    """Certificates as the operating system trusts them, TLS 1.2 or later."""
    context = httpcore2.default_ssl_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class Watch:
    """The time and the bytes that one request has left."""

    def __init__(
        self, url: str, limits: Mapping[Phase, float], most_bytes: int, already: float = 0.0
    ) -> None:
        """`already` says how many seconds of the whole are gone."""
        self._url, self._limits = url, limits
        self._bytes_left = most_bytes + _HEADROOM
        self._most_bytes = most_bytes
        self._began = time.monotonic() - already
        self.phase: Phase = "connect"
        self._phase_end = self._began
        self.enter("connect")

    def enter(self, phase: Phase) -> None:
        """Begin a phase, with its own limit."""
        self.phase = phase
        whole_end = self._began + self._limits["whole"]
        phase_end = time.monotonic() + self._limits[phase]
        self._phase_end = whole_end if phase == "whole" else min(phase_end, whole_end)

    @property
    def took(self) -> float:
        """Seconds of the whole that are gone."""
        return time.monotonic() - self._began

    def left(self) -> float:
        """Seconds until the phase must be over; raises `FetchTimeout` when it should be."""
        left = self._phase_end - time.monotonic()
        if left <= 0:
            self.expire()
        return left

    def expire(self) -> NoReturn:
        """Raise `FetchTimeout` for the phase."""
        over = self.took >= self._limits["whole"]
        phase: Phase = "whole" if over else self.phase
        seconds = self._limits[phase]
        why = _SLOW[phase].format(seconds)
        raise FetchTimeout(
            shown(self._url), why, {"timeout": phase, "timeout_seconds": round(seconds, 3)}
        )

    def count(self, size: int) -> None:
        """Take bytes off what may still come."""
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise PageTooLarge(
                shown(self._url),
                f"it is larger than {self._most_bytes} bytes",
                {"limit_bytes": self._most_bytes},
            )


@dataclass(frozen=True)
class Reply:
    """What a server answers, its body still to be read."""

    status: int
    headers: dict[str, str]
    """By lower-case name; of a header that came twice, both, with a comma."""

    address: str
    chunks: Iterator[bytes]
    """The body as it was sent, compressed or not."""


@contextmanager
def asked(
    target: Target,
    addresses: tuple[str, ...],
    headers: Mapping[str, str],
    watch: Watch,
    dial: Dial,
    tls: ssl.SSLContext | None,
) -> Iterator[Reply]:
    """Ask one of the addresses for the target, and close the connection afterwards."""
    pinned = _Pinned(addresses, watch, dial)
    connection = httpcore2.HTTPConnection(
        origin=httpcore2.Origin(
            target.scheme.encode("ascii"), target.host.encode("ascii"), target.port
        ),
        ssl_context=tls,
        network_backend=pinned,
    )
    url = httpcore2.URL(
        scheme=target.scheme.encode("ascii"),
        host=target.host.encode("ascii"),
        port=target.port,
        target=target.path.encode("ascii"),
    )
    sent = [("Host", target.authority), *headers.items(), ("Connection", "close")]
    with (
        _told_as_ours(target, watch),
        connection,
        connection.stream("GET", url, headers=sent) as got,
    ):
        watch.enter("whole")
        yield Reply(
            status=got.status,
            headers=_read_headers(got.headers),
            address=pinned.connected_to,
            chunks=got.iter_stream(),
        )


class _Pinned(httpcore2.NetworkBackend):
    """Connects to the addresses that were checked, whatever name it is asked for."""

    def __init__(self, addresses: tuple[str, ...], watch: Watch, dial: Dial) -> None:
        self._addresses, self._watch, self._dial = addresses[:_ATTEMPTS], watch, dial
        self.connected_to = ""

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *_: Any, **__: Any
    ) -> httpcore2.NetworkStream:
        for place, address in enumerate(self._addresses):
            to_try = len(self._addresses) - place
            try:
                stream = self._dial(address, port, self._watch.left() / to_try)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if to_try == 1:
                    raise
            else:
                self.connected_to = address
                return _Watched(stream, self._watch)
        raise httpcore2.ConnectError("there is no address to connect to")


class _Watched(httpcore2.NetworkStream):
    """A connection whose every move is timed and counted."""

    def __init__(self, inner: httpcore2.NetworkStream, watch: Watch) -> None:
        self._inner, self._watch = inner, watch

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._inner.read(max_bytes, timeout=self._watch.left())
        self._watch.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self._watch.phase == "connect":
            self._watch.enter("first_byte")
        self._inner.write(buffer, timeout=self._watch.left())

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        secured = self._inner.start_tls(ssl_context, server_hostname, timeout=self._watch.left())
        return _Watched(secured, self._watch)

    def close(self) -> None:
        self._inner.close()

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


@contextmanager
def _told_as_ours(target: Target, watch: Watch) -> Iterator[None]:
    """Say in our own words what the library raises."""
    url = shown(target.url)
    try:
        yield
    except httpcore2.TimeoutException:
        watch.expire()
    except httpcore2.ConnectError as failure:
        if proof := _tls_cause(failure):
            raise TlsFailed(url, f"{target.host} could not prove who it is: {proof}", {}) from None
        raise FetchFailed(url, f"no connection to {target.host}", {}) from failure
    except httpcore2.RemoteProtocolError as failure:
        raise FetchFailed(url, "the answer was cut off or is not HTTP", {}) from failure
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as failure:
        raise FetchFailed(url, "the connection was lost", {}) from failure


def _tls_cause(failure: BaseException | None) -> str | None:
    while failure is not None:
        if isinstance(failure, ssl.SSLCertVerificationError):
            return failure.verify_message
        if isinstance(failure, ssl.SSLError):
            return (failure.reason or "the handshake failed").replace("_", " ").lower()
        failure = failure.__cause__
    return None


def _read_headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), _decoded(value)
        if key == "content-encoding" and key in headers:
            headers[key] += ", " + text
        else:
            headers.setdefault(key, text)
    return headers


def _decoded(value: bytes) -> str:
    """Headers are ASCII by the rules, and UTF-8 or Latin-1 in the world."""
    try:
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.decode("latin-1").strip()
