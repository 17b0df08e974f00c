"""What every HTTP request passes before anything else sees it: from where, by whom, how often, how much.

Plain ASGI, so that replies stream through untouched. The order matters: a request that names another host or comes
from another site's page is refused before its token is looked at, and a body is read only for somebody who may send it.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.http.limits import Allowance, Gone, TooLarge, TooSlow, read_body, replay
from contracts.http.scopes import REFUSED
from contracts.http.sessions import Sessions
from contracts.http.tokens import Token, TokenStore

HEALTH = "/health"
PAGE = "/"
LOGIN = "/login"
LOGOUT = "/logout"
MCP = "/mcp"

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_FORM = 4096
"""Bytes of a login form."""

_REVIEW = 5.0
"""Seconds between looks whether the token or session of an open stream still counts."""

_SESSION = "session"
"""Where a request's state has the cookie that it came in with."""

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""On every reply that does not say otherwise itself; only what has a tag may be stored at all."""


@dataclass(frozen=True)
class Door:
    """What decides who gets in; shared by the guard and the login."""

    tokens: TokenStore
    sessions: Sessions
    hosts: frozenset[str]
    """Names and addresses under which this server is asked for."""

    requests: Allowance
    failures: Allowance
    """Wrong tokens of one address."""

    max_body: int
    reads: frozenset[str]
    """Paths that a reader may post to: they change nothing, or decide themselves who may."""


class Refused(Exception):
    """A request that ends here."""

    def __init__(
        self, status: int, code: str, says: str, advice: str, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(says)
        self.status, self.headers = status, headers or {}
        self.advice = advice
        self._code, self._says = code, says

    def response(self, path: str) -> Response:
        """The reply, worded so that whoever asks at that path can show it."""
        told: dict[str, Any] = {
            "error": self._code,
            "message": self._says,
            "suggestion": self.advice,
        }
        if path == MCP:
            data = {"code": self._code, "suggestion": self.advice}
            error = {"code": REFUSED, "message": f"{self._says} {self.advice}", "data": data}
            told = {"jsonrpc": "2.0", "id": None, "error": error}
        return Response(json.dumps(told), self.status, self.headers, "application/json")


def unauthorized(says: str, error: str = "") -> Refused:
    """Nobody knows who this is."""
    challenge = 'Bearer realm="research-agent"' + (f', error="{error}"' if error else "")
    return Refused(
        401,
        "unauthorized",
        says,
        "Send `Authorization: Bearer TOKEN`; `research-agent token add NAME` makes one.",
        {"WWW-Authenticate": challenge},
    )


def too_many(wait: float, says: str) -> Refused:
    """Somebody asks too often."""
    seconds = max(1, math.ceil(wait))
    return Refused(
        429,
        "too_many_requests",
        says,
        f"Try again in {seconds} s.",
        {"Retry-After": str(seconds)},
    )


def count_failure(door: Door, scope: Scope) -> None:
    """Remember a wrong token; `Refused` when that address had too many."""
    if wait := door.failures.take(_neighbourhood(scope)):
        raise too_many(wait, "Too many wrong tokens came from this address.")


def cookie_name(scope: Scope) -> str:
    """The session's cookie: browsers keep one jar for all ports of a host, so ours is in the name."""
    return f"research_agent_{(scope.get('server') or ('', 0))[1]}"


class Guard:
    """The application behind the guard."""

    def __init__(self, app: ASGIApp, door: Door, login_form: Callable[[str], Response]) -> None:
        self._app, self._door, self._login_form = app, door, login_form

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._judge(scope, receive, _dressed(send))

    async def _judge(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            _expect_own_host(headers, scope, self._door.hosts)
            _expect_own_origin(headers)
            token = self._authenticate(headers, scope)
            most = _FORM if token is None else self._door.max_body
            body = await _whole_body(receive, headers, most)
        except Gone:
            return
        except Refused as refusal:
            await self._refuse(refusal, headers, scope, receive, send)
        else:
            state = scope.setdefault("state", {})
            state["scopes"] = token.grants() if token else frozenset()
            state["client"] = token.name if token else ""
            await self._pass(token, scope, replay(body, receive), send)

    async def _refuse(
        self, refusal: Refused, headers: Headers, scope: Scope, receive: Receive, send: Send
    ) -> None:
        response = refusal.response(scope["path"])
        if refusal.status == 401 and scope["method"] == "GET" and _wants_page(headers):
            response = self._login_form(scope["path"])
        await response(scope, receive, send)

    # -- by whom ----------------------------------------------------------------------------------

    def _authenticate(self, headers: Headers, scope: Scope) -> Token | None:
        """Whose request it is; nobody's for the paths that are open to all."""
        path, method = scope["path"], scope["method"]
        if path == HEALTH and method in {"GET", "HEAD"}:
            return None
        if path == LOGIN and method == "GET":
            return None
        if path in {LOGIN, PAGE} and method == "POST":
            _expect_origin_is_told(headers)
            return None
        token = self._presented(headers, scope)
        if wait := self._door.requests.take(token.digest):
            raise too_many(wait, f"The token {token.name!r} is used too often.")
        needs = "read" if method in {"GET", "HEAD"} or path in self._door.reads else "write"
        if needs not in token.grants():
            raise _lacking(needs)
        return token

    def _presented(self, headers: Headers, scope: Scope) -> Token:
        said = headers.getlist("authorization")
        if said:
            scheme, _, spelled = said[0].partition(" ")
            found = self._door.tokens.find(spelled.strip())
            if found and len(said) == 1 and scheme.lower() == "bearer":
                return found
            count_failure(self._door, scope)
            raise unauthorized("The token is wrong, expired or removed.", "invalid_token")
        cookie = cookie_parser(headers.get("cookie", "")).get(cookie_name(scope))
        # A browser sends its cookie along unasked; what is for programs wants a token.
        if cookie and scope["path"] != MCP:
            digest = self._door.sessions.holder(cookie)
            found = self._door.tokens.holder(digest) if digest else None
            if found:
                if scope["method"] not in {"GET", "HEAD"}:
                    _expect_origin_is_told(headers)
                scope.setdefault("state", {})[_SESSION] = cookie
                return found
        raise unauthorized("A token is needed.")

    # -- through ----------------------------------------------------------------------------------

    async def _pass(self, token: Token | None, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; a stream ends soon after its token or session is gone."""
        started = ended = False

        async def watched(message: Message) -> None:
            nonlocal started, ended
            started = True
            ended = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def until_gone() -> Message:
            while True:
                with anyio.move_on_after(_REVIEW):
                    return await receive()
                if token and not self._still_in(token, scope["state"].get(_SESSION)):
                    return {"type": "http.disconnect"}

        await self._app(scope, until_gone, watched)
        if started and not ended:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _still_in(self, token: Token, session: str | None) -> bool:
        lasts = session is None or self._door.sessions.holder(session) is not None
        return lasts and self._door.tokens.holder(token.digest) is not None


async def _whole_body(receive: Receive, headers: Headers, most: int) -> bytes:
    try:
        return await read_body(receive, headers.get("content-length"), most)
    except TooLarge:
        says = f"The request has more than {most} bytes."
        raise Refused(413, "too_large", says, "Send less.") from None
    except TooSlow:
        says = "The request did not arrive in time."
        raise Refused(408, "too_slow", says, "Send it again.") from None


def _lacking(needs: str) -> Refused:
    return Refused(
        403,
        "scope_missing",
        f"This needs a token with the scope {needs!r}.",
        f"Make one with `research-agent token add NAME --scope {needs}`.",
        {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{needs}"'},
    )


# -- from where ------------------------------------------------------------------------------------


def _expect_own_host(headers: Headers, scope: Scope, hosts: frozenset[str]) -> None:
    """Refuse what was sent to another name: that is how a page reaches this machine by its own name."""
    said = headers.getlist("host")
    asked = _authority(f"http://{said[0]}") if len(said) == 1 else None
    here = _plain_address((scope.get("server") or ("",))[0])
    if not asked or asked[0] not in hosts | {here}:
        raise Refused(
            421,
            "wrong_host",
            "This server does not answer to that host name.",
            "Ask it by its address, or serve with --allow-host NAME.",
        )


def is_own_origin(headers: Headers) -> bool:
    """Whether the page that sent a request is ours, by its Origin; programs send none."""
    said = headers.getlist("origin")
    if not said:
        return True
    # The scheme is the page's: behind a proxy with TLS it is https, and we are not told.
    scheme, _, _ = said[0].partition("://")
    here = _authority(f"{scheme}://{headers.get('host', '')}")
    return len(said) == 1 and here is not None and _authority(said[0]) == here


def _expect_own_origin(headers: Headers) -> None:
    """Refuse what the page of another site, or of another port, sent."""
    # Forms of a page that sends no referrer have no origin either; this header only a browser can set.
    if headers.getlist("origin") == ["null"] and headers.get("sec-fetch-site") == "same-origin":
        return
    if not is_own_origin(headers):
        raise Refused(
            403,
            "wrong_origin",
            "The page of another site may not use this server.",
            "Open the page that this server serves itself.",
        )


def _expect_origin_is_told(headers: Headers) -> None:
    if "origin" not in headers:
        raise Refused(
            403,
            "wrong_origin",
            "A page must say where it comes from.",
            "Use a browser that sends Origin, or a token in the Authorization header.",
        )


def _authority(url: str) -> tuple[str, int] | None:
    """Host and port of an address that has nothing else; none of anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (ValueError, KeyError):
        return None
    more = parts.path or parts.query or parts.fragment or "@" in parts.netloc
    return (parts.hostname, port) if parts.hostname and not more else None


def _neighbourhood(scope: Scope) -> str:
    """The address that failures are counted for; of IPv6 the network, for one machine has all of it."""
    said = _plain_address((scope.get("client") or ("",))[0])
    try:
        address = ip_address(said)
    except ValueError:
        return said
    return said if address.version == 4 else address.exploded[:19]


def _plain_address(said: str) -> str:
    """An address as people write it: a socket for both IPv4 and IPv6 has ::ffff: before those of IPv4."""
    try:
        address = ip_address(said)
    except ValueError:
        return said
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped) if mapped else said


def _wants_page(headers: Headers) -> bool:
    return "text/html" in headers.get("accept", "") and "authorization" not in headers


def _dressed(send: Send) -> Send:
    """Adds to every reply what a browser must know."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if "etag" not in headers and "no-store" not in headers["Cache-Control"]:
                headers["Cache-Control"] += ", no-store"
        await send(message)

    return dressed
