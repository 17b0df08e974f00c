"""The only way out for a browser: what may be had comes through it, and nothing else is even asked for."""

import socket
from collections.abc import Iterator

import pytest

from actors.adapters import browser_proxy
from actors.adapters.addresses import Target
from actors.adapters.browser_proxy import CheckedProxy
from events.errors import RobotsDenied
from tests.private_service import private_service
from tests.web_pages import Board, board

PAGE = "<html><body><main><h1>Ledger</h1><p>Every tide since 1911, in ink.</p></main></body></html>"


@pytest.fixture
def site() -> Iterator[Board]:
    with board() as made:
        made.put("/app", PAGE)
        yield made


@pytest.fixture
def private() -> Iterator[tuple[str, list[bytes]]]:
    with private_service() as made:
        yield made


def ask(proxy: CheckedProxy, head: bytes) -> bytes:
    host, _, port = proxy.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as browser:
        browser.sendall(head)
        reply = b""
        while piece := browser.recv(65_536):
            reply += piece
    return reply


def proxy_for(*allowed: str, resolve: object = None, most: int = 1 << 20) -> CheckedProxy:
    look_up = resolve or (lambda host: ["10.0.0.7"])
    return CheckedProxy(allowed, look_up, most, 10.0)  # type: ignore[arg-type]


def test_a_connection_on_which_nothing_is_asked_for_is_no_refusal() -> None:
    with proxy_for() as proxy:
        host, _, port = proxy.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=5) as browser:
            browser.shutdown(socket.SHUT_WR)
            assert browser.recv(1) == b""
    assert proxy.refused == []


@pytest.mark.parametrize(
    "line",
    [
        "GET http://127.0.0.1:{port}/secret",
        "GET http://localhost:{port}/secret",
        "GET http://2130706433:{port}/",
        "GET http://0x7f.1:{port}/",
        "GET http://[::ffff:127.0.0.1]:{port}/",
        "GET http://inner.example:{port}/",
        "GET http://user:pass@127.0.0.1:{port}/",
        "GET ftp://127.0.0.1:{port}/",
        "GET file:///etc/passwd",
        "GET /secret",
        "CONNECT 127.0.0.1:{port}",
        "CONNECT rebound.example:{port}",
        "CONNECT 169.254.169.254:80",
        "CONNECT example.com:22",
        "POST http://127.0.0.1:{port}/",
    ],
)
def test_the_proxy_refuses_before_a_byte_is_sent(
    private: tuple[str, list[bytes]], line: str
) -> None:
    secret, heard = private
    port = secret.partition("127.0.0.1:")[2].partition("/")[0]
    with proxy_for() as proxy:
        reply = ask(proxy, line.format(port=port).encode() + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 403")
    assert len(proxy.refused) == 1
    assert heard == []


def test_the_proxy_asks_for_leave_before_it_connects(site: Board) -> None:
    asked: list[tuple[str, bool]] = []

    def leave(target: Target, tunnel: bool) -> None:
        asked.append((target.path, tunnel))
        raise RobotsDenied(target.url, "it does not want to be asked", {})

    with CheckedProxy((site.host,), lambda host: [], 1 << 20, 10.0, leave) as proxy:
        plain = ask(proxy, f"GET {site.url('/app')} HTTP/1.1\r\n\r\n".encode())
        tunnel = ask(proxy, f"CONNECT {site.host} HTTP/1.1\r\n\r\n".encode())
    assert plain.startswith(b"HTTP/1.1 403") and tunnel.startswith(b"HTTP/1.1 403")
    assert asked == [("/app", False), ("/", True)]
    assert site.asked == []


def test_the_proxy_brings_what_may_be_had(site: Board) -> None:
    with proxy_for(site.host) as proxy:
        head = f"GET {site.url('/app')} HTTP/1.1\r\nHost: evil\r\nProxy-Connection: x\r\n\r\n"
        assert ask(proxy, head.encode()).endswith(PAGE.encode())
        asked = site.asked[-1][1]
        assert asked["Host"] == site.host
        assert "Proxy-Connection" not in asked
        tunnel = f"CONNECT {site.host} HTTP/1.1\r\n\r\n"
        inner = f"GET /app HTTP/1.1\r\nHost: {site.host}\r\nConnection: close\r\n\r\n"
        host, _, port = proxy.address.partition(":")
        with socket.create_connection((host, int(port)), timeout=5) as browser:
            browser.sendall(tunnel.encode())
            assert browser.recv(1_000).startswith(b"HTTP/1.1 200")
            browser.sendall(inner.encode())
            assert browser.recv(1_000).startswith(b"HTTP/1.1 200 OK")


def test_the_proxy_has_room_for_so_many_bytes_and_requests(
    site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.put("/big", "x" * 300_000)
    head = f"GET {site.url('/big')} HTTP/1.1\r\n\r\n".encode()
    with proxy_for(site.host, most=100_000) as proxy:
        assert len(ask(proxy, head)) <= 100_000
    monkeypatch.setattr(browser_proxy, "MOST_REQUESTS", 2)
    with proxy_for(site.host) as proxy:
        replies = [ask(proxy, head)[:12] for _ in range(3)]
    assert replies == [b"HTTP/1.1 200"] * 2 + [b"HTTP/1.1 403"]
