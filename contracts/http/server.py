"""MCP and the page over HTTP, behind the guard: what is served where, and on which address."""

import asyncio
import socket
import sys
from contextlib import suppress
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any

import uvicorn
from fastmcp import FastMCP
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from contracts.core import Core
from contracts.http import login as http_login
from contracts.http.guard import HEALTH, LOGIN, LOGOUT, LOOPBACK, MCP, Door, Guard
from contracts.http.limits import Allowance
from contracts.http.sessions import CODE_MINUTES, Sessions
from contracts.http.tokens import Token, TokenStore, make_token
from contracts.page import routes as page
from contracts.settings import Settings
from events.errors import BadRequest

READS = frozenset({MCP, LOGOUT, "/api/audit", "/api/estimate", "/api/search"})
"""What a reader may post to. MCP decides tool by tool; the page's questions change nothing."""

_BURST = 10.0
"""Seconds' worth of requests that may come at once."""

_CONNECTIONS = 512
"""Connections at the same time; one more is told to come back."""

_HEAD_PATIENCE = 15.0
"""Seconds that a connection may take to say what it wants; then its place is somebody else's."""


def application(mcp: FastMCP[Any], core: Core, door: Door | None = None) -> ASGIApp:
    """The whole server as an application: `/mcp`, the page, its login, and `/health`."""
    door = door or open_door(core.settings)
    app = mcp.http_app(path=MCP, stateless_http=True, host_origin_protection=False)
    app.router.routes.extend(
        [
            Route(HEALTH, _health, methods=["GET"]),
            *http_login.routes(door),
            *page.routes(core),
        ]
    )
    return Guard(app, door, http_login.login_form)


async def _health(request: Request) -> Response:
    return JSONResponse({"ok": True, "version": version("research-agent")})


def open_door(
    settings: Settings, hosts: frozenset[str] = frozenset(), guests: tuple[Token, ...] = ()
) -> Door:
    """Who gets in, as the settings say."""
    per_minute = settings.http_wrong_tokens
    return Door(
        tokens=TokenStore(settings.home, guests),
        sessions=Sessions(),
        hosts=LOOPBACK | hosts | frozenset(settings.http_allow_hosts),
        requests=Allowance(settings.http_rate, settings.http_rate * _BURST),
        failures=Allowance(per_minute / 60, per_minute),
        max_body=int(settings.http_max_mb * (1 << 20)),
        reads=READS,
    )


# -- listening -------------------------------------------------------------------------------------


def serve(mcp: FastMCP[Any], core: Core, host: str, port: int, names: tuple[str, ...]) -> int:
    """Serve until told to stop; refuses to be everybody's."""
    family, address = _resolved(host, port)
    here = ip_address(address[0].partition("%")[0])
    store = TokenStore(core.settings.home)
    store.listed()  # Refuses a file that cannot be trusted, now and not at the first request.
    stored = store.any_counts()
    if not here.is_loopback and not stored:
        raise BadRequest(
            f"{host} can be reached from other machines, and no token is stored.",
            "Create one first with research-agent token add NAME, or serve on 127.0.0.1.",
        )
    with _bound(family, address) as listener:
        where = _url("localhost" if here.is_unspecified else host, listener.getsockname()[1])
        spelled, guest = make_token("this-run", ["admin"])
        watched = sys.stderr.isatty()
        door = open_door(
            core.settings,
            # An address needs no leave: the guard sees on which one it was reached.
            frozenset(name.lower() for name in (*names, host) if name != address[0]),
            () if stored and not watched else (guest,),
        )
        code = door.sessions.issue_code(guest) if watched else None
        _tell(where, None if stored else spelled, code, loopback=here.is_loopback)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config_of(application(mcp, core, door))).run(sockets=[listener])
    return 0


def config_of(app: ASGIApp) -> uvicorn.Config:
    """How it is served: one process, no log of requests, nobody's word for who they are."""
    return uvicorn.Config(
        app,
        http=Patient,
        ws="none",
        lifespan="on",
        log_level="error",
        access_log=False,
        # Anybody could claim to be somebody else; limits count who really is at the other end.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=2,
    )


class Patient(H11Protocol):
    """Closes a connection that asks nothing, or never finishes asking; whoever is being answered may take long."""

    _ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait no longer once a request is there; a part of one gains no time."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.transport.is_closing() or (self.cycle and not self.cycle.response_complete):
            self._unwatch()
        elif self._ends is None:
            self._ends = self.loop.call_later(_HEAD_PATIENCE, self.transport.close)

    def _unwatch(self) -> None:
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    if not 0 <= port <= 65535:
        raise BadRequest(f"There is no port {port}.", "Choose one from 1 to 65535.")
    try:
        # An empty name would stand for every address there is.
        found = socket.getaddrinfo(host or "?", port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadRequest(f"Nobody knows the host {host[:80]!r}.", "Use 127.0.0.1.") from None
    family, _, _, _, address = found[0]
    return family, address


def _bound(family: socket.AddressFamily, address: tuple[Any, ...]) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as failure:
        listener.close()
        raise BadRequest(
            f"Cannot listen on {address[0]} port {address[1]}: {failure.strerror}.",
            "Choose another with --port.",
        ) from None
    return listener


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _tell(where: str, token: str | None, code: str | None, *, loopback: bool) -> None:
    # A line each: whoever clicks on an address in a narrow terminal gets all of it.
    lines = [f"research-agent: MCP at {where}{MCP}", f"The page is at {where}/"]
    if token:
        lines += [
            "No token is stored (research-agent token add NAME), so here is one for this run:",
            f"  Authorization: Bearer {token}",
        ]
    if code:
        lines += [
            f"This link opens the page; it works once, within {CODE_MINUTES} minutes:",
            f"  {where}{LOGIN}?code={code}",
        ]
    if not loopback:
        lines.append("This is plain HTTP: put a proxy with TLS in front of it (docs/http.md).")
    sys.stderr.write("\n".join(lines) + "\n")
    sys.stderr.flush()
