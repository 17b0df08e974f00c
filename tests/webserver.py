"""A web site on loopback with the shapes that sites have in the world, good and bad.

Every path has its own behaviour; what is not there is a 404. Each request is written down.
"""

import gzip
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

import brotli  # type: ignore[import-untyped]
import zstandard

PAGE = (
    "<!doctype html><html><head><title>Tides</title></head><body><h1>Tides</h1>"
    + "<p>Tides are the rise and fall of sea levels caused by the Moon and the Sun.</p>" * 20
    + "</body></html>"
).encode()
JAPANESE = "<html><head><title>潮汐</title></head><body><p>潮の満ち引きは月の引力による。</p></body></html>"
LOGIN = (
    b"<html><head><title>Sign in</title></head><body><h1>Sign in</h1><form>"
    b"<input name=user><input type='password' name=p></form></body></html>"
)
PAYWALL = (
    b"<html><head><title>Big story</title></head><body><h1>Big story</h1><p>The first lines.</p>"
    b"<div>Subscribe to continue reading. Already a subscriber? Log in.</div></body></html>"
)
FRAMES = (
    b"<html><head><title>Old site</title></head><frameset cols='20%,80%'>"
    b"<frame src='menu.html'><frame src='main.html'></frameset></html>"
)
SHELL = (
    b"<html><head><title>App</title><script src='a.js'></script></head><body>"
    b"<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div></body></html>"
)
BINARY = bytes(range(256)) * 40


@dataclass
class Site:
    """A running server, and what it was asked."""

    port: int
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and headers, in order."""

    connections: int = 0
    robots: bytes | int = 404
    """What /robots.txt says, or the status it fails with."""

    away: str = "http://10.0.0.1/"
    """Where /away redirects to."""

    busy_for: int = 0
    """How often /busy still says 429."""

    retry_after: str = "2"

    @property
    def host(self) -> str:
        """As a setting names it."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str, scheme: str = "http") -> str:
        return f"{scheme}://{self.host}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked if path != "/robots.txt"]


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Site]:
    """A site on a free port of loopback."""

    class Handler(_Handler):
        pass

    server = _Server(("127.0.0.1", 0), Handler)
    site = Site(server.server_address[1])
    Handler.site = server.site = site
    if tls:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    site: Site

    def server_bind(self) -> None:
        """Bind without asking anybody for a name of loopback."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def get_request(self) -> tuple[socket.socket, object]:
        self.site.connections += 1
        return super().get_request()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what many of these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.site.asked.append((self.path, dict(self.headers.items())))
        path = self.path.partition("?")[0]
        if path == "/robots.txt":
            self._robots()
        elif path in _PAGES:
            body, content_type = _PAGES[path]
            self._send(200, body, content_type)
        elif path in _SPECIAL:
            with suppress(OSError):
                _SPECIAL[path](self)
        elif path.startswith("/status/"):
            self._send(int(path.rpartition("/")[2]), b"<html><body>no</body></html>")
        elif path.startswith("/redirect/"):
            self._redirect(int(path.rpartition("/")[2]))
        else:
            self._send(404, b"<html><body>Not found</body></html>")

    def _send(
        self, status: int, body: bytes, content_type: str = "text/html", **headers: str
    ) -> None:
        self.send_response(status)
        if content_type:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def _robots(self) -> None:
        if isinstance(self.site.robots, int):
            self._send(self.site.robots, b"")
        else:
            self._send(200, self.site.robots, "text/plain")

    def _redirect(self, left: int) -> None:
        onward = f"/redirect/{left - 1}" if left > 1 else "/page"
        self._send(302, b"", Location=onward)


def _begin(handler: _Handler, *lines: str) -> None:
    head = "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html", *lines))
    handler.wfile.write(head.encode("latin-1") + b"\r\n\r\n")
    handler.close_connection = True


def _drip(handler: _Handler) -> None:
    _begin(handler)
    for _ in range(200):
        handler.wfile.write(b"<")
        time.sleep(0.02)


def _drip_headers(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(200):
        handler.wfile.write(b"a")
        time.sleep(0.02)


def _silent(handler: _Handler) -> None:
    time.sleep(1.0)
    handler.close_connection = True


def _endless(handler: _Handler) -> None:
    _begin(handler)
    while True:
        handler.wfile.write(b"<p>and so on</p>" * 4_096)


def _endless_packing(handler: _Handler) -> None:
    """A packed page whose own name never ends: nothing ever comes out of it."""
    _begin(handler, "Content-Encoding: gzip")
    handler.wfile.write(b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff")
    while True:
        handler.wfile.write(b"a" * 65_536)


def _endless_headers(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: yes\r\n" * 1_000)


def _informational_flood(handler: _Handler) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000)


def _cut(handler: _Handler) -> None:
    _begin(handler, f"Content-Length: {len(PAGE)}")
    handler.wfile.write(PAGE[:100])


def _cut_at_once(handler: _Handler) -> None:
    handler.close_connection = True


def _not_http(handler: _Handler) -> None:
    handler.wfile.write(b"<html>HTTP/0.9 had no headers</html>")
    handler.close_connection = True


def _conditional(handler: _Handler) -> None:
    known = handler.headers.get("If-None-Match") == '"v1"' or (
        handler.headers.get("If-Modified-Since") == "Wed, 21 Oct 2015 07:28:00 GMT"
    )
    stamp = {"ETag": '"v1"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
    if known:
        handler.send_response(304)
        for name, value in stamp.items():
            handler.send_header(name, value)
        handler.end_headers()
    else:
        handler._send(200, PAGE, "text/html; charset=UTF-8", **stamp)


def _busy(handler: _Handler) -> None:
    if handler.site.busy_for > 0:
        handler.site.busy_for -= 1
        handler._send(429, b"slow down", Retry_After=handler.site.retry_after)
    else:
        handler._send(200, PAGE)


def _packed(body: bytes, encoding: str) -> Callable[[_Handler], None]:
    return lambda handler: handler._send(200, body, Content_Encoding=encoding)


def _bomb(encoding: str) -> Callable[[_Handler], None]:
    return lambda handler: handler._send(200, bomb(encoding), Content_Encoding=encoding)


@cache
def bomb(encoding: str) -> bytes:
    """64 MiB of blanks in a few kilobytes."""
    blanks = b"<html>" + b" " * (64 << 20)
    match encoding:
        case "gzip":
            return gzip.compress(blanks, 9)
        case "br":
            return bytes(brotli.compress(blanks, quality=3))
    return zstandard.compress(blanks)


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


@cache
def five_megabytes() -> bytes:
    """A page of that size which is no bomb."""
    rows = "".join(
        f"<tr><td>{n}</td><td>{n * 2654435761 % 2**32}</td></tr>" for n in range(125_000)
    )
    return f"<html><body><table>{rows}</table></body></html>".encode()


_PAGES: dict[str, tuple[bytes, str]] = {
    "/page": (PAGE, "text/html; charset=utf-8"),
    "/xhtml": (
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>',
        "application/xhtml+xml",
    ),
    "/text": (b"Tide: the rise and fall of the sea.\n", "text/plain"),
    "/notes.md": (b"# Tides\n\nThey rise.\n", "text/plain"),
    "/paper.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "application/pdf"),
    "/pdf-as-html": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "text/html"),
    "/data.json": (b'{"tide": 1}', "application/json"),
    "/feed": (b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>', "text/xml"),
    "/atom": (b'<feed xmlns="http://www.w3.org/2005/Atom"></feed>', "application/xml"),
    "/sitemap.xml": (b'<?xml version="1.0"?><urlset></urlset>', "application/xml"),
    "/html-as-image": (PAGE, "image/png"),
    "/binary-as-html": (BINARY, "text/html"),
    "/html-then-binary": (PAGE + BINARY, "text/html"),
    "/image-as-html": (b"\x89PNG\r\n\x1a\n" + BINARY, "text/html"),
    "/zip-as-html": (b"PK\x03\x04" + BINARY, "text/html"),
    "/svg": (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "image/svg+xml"),
    "/script.js": (b"var a = 1;", "text/javascript"),
    "/empty": (b"", "text/html"),
    "/blank": (b" \n\n ", "text/html"),
    "/sjis": (JAPANESE.encode("shift_jis"), "text/html; charset=Shift_JIS"),
    "/sjis-said-utf8": (JAPANESE.encode("shift_jis"), "text/html; charset=utf-8"),
    "/jis": (JAPANESE.encode("iso-2022-jp"), "text/html"),
    "/utf16": (JAPANESE.encode("utf-16"), "text/html"),
    "/utf16-no-bom": (PAGE.decode().encode("utf-16-le"), "text/html"),
    "/undeclared": (PAGE, ""),
    "/login": (LOGIN, "text/html"),
    "/paywall": (PAYWALL, "text/html"),
    "/frames": (FRAMES, "text/html"),
    "/shell": (SHELL, "text/html"),
}

_SPECIAL: dict[str, Callable[[_Handler], None]] = {
    "/large": lambda handler: handler._send(200, five_megabytes()),
    "/drip": _drip,
    "/drip-headers": _drip_headers,
    "/silent": _silent,
    "/endless": _endless,
    "/endless-packing": _endless_packing,
    "/endless-headers": _endless_headers,
    "/informational": _informational_flood,
    "/cut": _cut,
    "/cut-at-once": _cut_at_once,
    "/not-http": _not_http,
    "/conditional": _conditional,
    "/busy": _busy,
    "/too-long-to-say": lambda handler: _begin(handler, f"Content-Length: {10**10}"),
    "/gzip": _packed(gzip.compress(PAGE), "gzip"),
    "/gzip-twice": _packed(gzip.compress(PAGE[:50]) + gzip.compress(PAGE[50:]), "x-gzip"),
    "/deflate": _packed(zlib.compress(PAGE), "deflate"),
    "/raw-deflate": _packed(_raw_deflate(PAGE), "deflate"),
    "/br": _packed(brotli.compress(PAGE), "br"),
    "/zstd": _packed(zstandard.compress(PAGE), "zstd"),
    "/nested": _packed(brotli.compress(gzip.compress(PAGE)), "gzip, br"),
    "/packed-thrice": _packed(PAGE, "gzip, gzip, gzip"),
    "/lying": _packed(PAGE, "gzip"),
    "/half-gzip": _packed(gzip.compress(PAGE)[:-30], "gzip"),
    "/half-br": _packed(brotli.compress(PAGE)[:-5], "br"),
    "/half-zstd": _packed(zstandard.compress(PAGE)[:-5], "zstd"),
    "/unknown-packing": _packed(PAGE, "sdch"),
    "/small-bomb": _packed(gzip.compress(b"<html>" + b" " * (4 << 20)), "gzip"),
    "/gzip-bomb": _bomb("gzip"),
    "/br-bomb": _bomb("br"),
    "/zstd-bomb": _bomb("zstd"),
    "/loop": lambda handler: handler._send(302, b"", Location="/loop-back"),
    "/loop-back": lambda handler: handler._send(301, b"", Location="/loop"),
    "/away": lambda handler: handler._send(307, b"", Location=handler.site.away),
    "/cookie": lambda handler: handler._send(
        302, b"", Location="/page", Set_Cookie="session=secret"
    ),
    "/nowhere": lambda handler: handler._send(302, b""),
    "/unasked-304": lambda handler: handler._send(304, b""),
}
