"""The only way out for a browser that renders a page: a proxy on loopback that looks at every address.

A browser resolves and connects as a page's scripts tell it to. This one is told to ask here instead,
and here the same rules hold as for every fetch: http and https only, public addresses only, connected to
the very address that was checked, within requests, bytes and seconds. What is refused is remembered.
"""

import re
import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from actors.adapters import addresses
from actors.adapters.addresses import Target, shown
from events.errors import FetchFailed

MOST_REQUESTS = 200
"""Connections that one page may cause."""

AT_ONCE = 24
"""Connections that are open at the same time; more wait in the queue of the socket."""

_LONGEST_HEAD = 64 << 10
_PATIENCE = 10.0
"""Seconds for a name, a connection, or the head of a request."""

_PIECE = 64 << 10
_LINE = re.compile(rb"(CONNECT|GET|HEAD) (\S{1,8192}) HTTP/1\.[01]")
_OWN = re.compile(rb"(?i)(?:proxy-[a-z-]+|connection|keep-alive|upgrade)\s*:")


Leave = Callable[[Target, bool], None]
"""Raises a `FetchFailed` where a site does not want to be asked for a target; of what goes through a
tunnel (true) only the site is known."""


def _by_anyone(target: Target, tunnel: bool) -> None:
    """Every site is asked."""


class CheckedProxy:
    """Serves one browser, for as long as it is entered."""

    def __init__(
        self,
        allow_hosts: tuple[str, ...],
        resolve: addresses.Resolve,
        most_bytes: int,
        seconds: float,
        leave: Leave = _by_anyone,
    ) -> None:
        self._allow_hosts, self._resolve, self._leave = allow_hosts, resolve, leave
        self._bytes_left, self._requests = most_bytes, 0
        self._deadline = time.monotonic() + seconds
        self._mutex = threading.Lock()
        self._room = threading.Semaphore(AT_ONCE)
        self._over = threading.Event()
        self.refused: list[tuple[str, str]] = []
        """What was asked for and not gone to, and why."""

        self.connected: Counter[str] = Counter()
        """How often each origin was connected to: once for a request, or for all that a tunnel hides."""

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=MOST_REQUESTS)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, name="browser-proxy", daemon=True)
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._accepting.join(_PATIENCE)

    def _accept(self) -> None:
        while not self._over.is_set():
            self._room.acquire()
            try:
                browser, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(browser,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        try:
            with browser, suppress(OSError):
                browser.settimeout(_PATIENCE)
                self._answer(browser)
        finally:
            self._room.release()

    def _answer(self, browser: socket.socket) -> None:
        head = _head(browser)
        if not head:
            return  # Browsers open connections ahead of need, and close them again.
        line = _LINE.match(head)
        if line is None:
            self._refuse(browser, head[:80].decode("latin-1"), "it is no request of a page's own")
            return
        tunnel, named = line[1] == b"CONNECT", line[2].decode("latin-1")
        url = f"https://{named.partition('/')[0]}/" if tunnel else named
        try:
            self._count_request()
            target = addresses.read_url(url, self._allow_hosts)
            self._leave(target, tunnel)
            server = self._connect(target)
        except FetchFailed as refusal:
            self._refuse(browser, shown(url), str(refusal.args[1]))
            return
        with self._mutex:
            self.connected[target.origin] += 1
        with server:
            if tunnel:
                browser.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                server.sendall(_rewritten(head, line[1], target))
            self._relay(browser, server)

    def _count_request(self) -> None:
        with self._mutex:
            self._requests += 1
            if self._requests > MOST_REQUESTS:
                raise FetchFailed("", f"the page caused more than {MOST_REQUESTS} requests", {})

    def _connect(self, target: Target) -> socket.socket:
        found = addresses.checked_addresses(target, self._resolve, _PATIENCE)
        for address in found[:2]:
            with suppress(OSError):
                return socket.create_connection((address, target.port), timeout=_PATIENCE)
        raise FetchFailed(shown(target.url), f"no connection to {target.host}", {})

    def _refuse(self, browser: socket.socket, url: str, why: str) -> None:
        with self._mutex:
            if len(self.refused) < MOST_REQUESTS:
                self.refused.append((url, why))
        browser.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def _relay(self, browser: socket.socket, server: socket.socket) -> None:
        """Carry bytes both ways until one side ends, or there is no time or room left."""
        other = {browser: server, server: browser}
        with selectors.DefaultSelector() as waiting:
            for side in other:
                waiting.register(side, selectors.EVENT_READ)
            while not self._over.is_set() and (left := self._deadline - time.monotonic()) > 0:
                for key, _ in waiting.select(min(left, 0.5)):
                    side = browser if key.fileobj is browser else server
                    piece = side.recv(_PIECE)
                    if not piece or not self._count_bytes(len(piece)):
                        return
                    other[side].sendall(piece)

    def _count_bytes(self, size: int) -> bool:
        with self._mutex:
            self._bytes_left -= size
            return self._bytes_left >= 0


def _head(browser: socket.socket) -> bytes:
    raw = b""
    while b"\r\n\r\n" not in raw and len(raw) < _LONGEST_HEAD:
        if not (more := browser.recv(_PIECE)):
            break
        raw += more
    return raw


def _rewritten(head: bytes, method: bytes, target: Target) -> bytes:
    """The request as its server expects it, for one answer on one connection."""
    lines = head.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
    kept = [line for line in lines if not _OWN.match(line) and not line.lower().startswith(b"host")]
    first = b"%b %b HTTP/1.1" % (method, target.path.encode("ascii"))
    host = b"Host: " + target.authority.encode("ascii")
    return b"\r\n".join((first, host, *kept, b"Connection: close", b"", b""))
