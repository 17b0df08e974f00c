"""How the page's routes answer: JSON from a thread, refusals with a code and advice, nothing that a browser would run.

The routes behind are plain functions from what was asked to a reply; only this module and `contracts.page.routes` know
the web framework. Who may ask is decided before a request comes here; what changes something is checked again.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from actors.spending import SpendingCapReached
from contracts.deep_research.refusals import encodable
from contracts.http.guard import is_own_origin
from contracts.knowledge.querying import QueryTooSlow
from events.errors import (
    BadRequest,
    BadSql,
    EngineDown,
    KeyConflict,
    MissingBlob,
    NothingToSearch,
    QueryStopped,
    ResearchError,
    SqlRefused,
    StreamBusy,
    TaskAlreadyEnded,
    TaskNotFinished,
    UnknownCollection,
    UnknownDocument,
    UnknownTask,
)
from events.logs import log
from projections.results import NoResult

Reply = dict[str, Any]

BODY_LIMIT = 64 << 10
"""Bytes of a request's body."""

PATIENCE = 40.0
"""Seconds that an answer may take; what has a limit of its own ends before."""

_DIGITS = 15
ANSWERING = anyio.CapacityLimiter(16)
"""Answers that are worked on at the same time; the rest wait their turn."""

AUDITING = anyio.CapacityLimiter(4)
"""The same of questions in SQL, which may take long: nobody else waits for them."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class NotAllowed(ResearchError):
    """The caller may read, and not change anything."""

    code = "not_allowed"
    says = "This token may only read."
    suggestion = "Sign in with a token that has the scope write."


class ForeignRequest(ResearchError):
    """A change was asked for by another page: (what it lacks,)."""

    code = "foreign_request"
    says = "The request was not made by this page: {0}."
    suggestion = "Use the page itself, or the MCP tools with a token."


class BodyTooLarge(ResearchError):
    """A body beyond what is read: (limit,)."""

    code = "body_too_large"
    says = "The request has more than {0} bytes."
    suggestion = "Send less."


class TooManyWatchers(ResearchError):
    """More timelines are open than are followed at once: (limit,)."""

    code = "too_many_watchers"
    says = "There are already {0} timelines open."
    suggestion = "Close some of them, then load the page anew."


_STATUS: list[tuple[tuple[type[ResearchError], ...], int]] = [
    ((UnknownTask, UnknownCollection, UnknownDocument, MissingBlob, NoResult), 404),
    ((BadRequest, BadSql, SqlRefused), 400),
    ((TaskNotFinished, TaskAlreadyEnded, KeyConflict, NothingToSearch, SpendingCapReached), 409),
    ((EngineDown, StreamBusy, QueryTooSlow, QueryStopped), 503),
    ((NotAllowed, ForeignRequest), 403),
    ((BodyTooLarge,), 413),
    ((TooManyWatchers,), 503),
]


@dataclass(frozen=True)
class Asked:
    """What a request says."""

    path: Mapping[str, Any]
    query: Mapping[str, str]
    scopes: frozenset[str]
    client: str = ""
    """The name of the token that is used."""

    body: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str, default: str = "", most: int = 10_000) -> str:
        """A text that was given in the address or in the body."""
        value = self.query.get(name, self.body.get(name, default))
        if not isinstance(value, str) or len(value) > most or not encodable(value):
            raise BadRequest(f"{name} is not a text of up to {most} characters.", "Shorten it.")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number that was given in the address or in the body."""
        value = str(self.query.get(name, self.body.get(name, default)))
        known = value.isascii() and value.isdecimal() and len(value) <= _DIGITS
        if not known or not least <= int(value) <= most:
            shown = ascii(value[:20])
            raise BadRequest(f"{name} is {shown}.", f"Use a number from {least} to {most}.")
        return int(value)


Answer = Callable[[Asked], Reply]


def reading(path: str, answer: Answer, turns: anyio.CapacityLimiter = ANSWERING) -> Route:
    """A route that only reads."""

    async def respond(request: Request) -> Response:
        return await refusing(partial(_answered, request, answer, {}, turns))

    return Route(path, respond, methods=["GET"])


def asking(path: str, answer: Answer, turns: anyio.CapacityLimiter = ANSWERING) -> Route:
    """A route that reads, and whose question is too long or too private for an address."""

    async def respond(request: Request) -> Response:
        return await refusing(partial(_posted, request, answer, turns, writes=False))

    return Route(path, respond, methods=["POST"])


def changing(path: str, answer: Answer) -> Route:
    """A route that changes something: asked by this page itself, with the scope for it."""

    async def respond(request: Request) -> Response:
        return await refusing(partial(_posted, request, answer, ANSWERING, writes=True))

    return Route(path, respond, methods=["POST"])


async def refusing(respond: Callable[[], Awaitable[Response]]) -> Response:
    """Whatever goes wrong leaves as JSON with a code, a sentence and what to do next."""
    try:
        return await respond()
    except ResearchError as failure:
        return refusal(failure)
    except TimeoutError:
        return refusal(QueryTooSlow(PATIENCE))
    except ClientDisconnect:
        return Response(status_code=400)
    except Exception as failure:  # noqa: BLE001 - a fault of ours is told to the log, not to a browser
        log("page").error("page_failed", why=type(failure).__name__, what=str(failure)[:200])
        return refusal(ResearchError("the page came upon something it was not made for"))


def scopes_of(request: Request) -> frozenset[str]:
    """What whoever asks may do, as the guard before us found."""
    return frozenset(request.scope.get("state", {}).get("scopes", ()))


def as_json(reply: Reply, status: int = 200) -> Response:
    """A reply on the wire."""
    return Response(orjson.dumps(reply), status, HEADERS, "application/json")


def refusal(failure: ResearchError) -> Response:
    """A refusal on the wire."""
    return as_json(refused(failure), _status(failure))


def refused(failure: ResearchError) -> Reply:
    """A refusal in our words."""
    return {
        "success": False,
        "error": failure.code,
        "message": failure.sentence,
        "suggestion": failure.advice,
    }


def _status(failure: ResearchError) -> int:
    return next((status for kinds, status in _STATUS if isinstance(failure, kinds)), 500)


async def _answered(
    request: Request, answer: Answer, body: Mapping[str, Any], turns: anyio.CapacityLimiter
) -> Response:
    client = str(request.scope.get("state", {}).get("client", ""))
    asked = Asked(request.path_params, request.query_params, scopes_of(request), client, body)
    with anyio.fail_after(PATIENCE):
        reply = await anyio.to_thread.run_sync(answer, asked, limiter=turns, abandon_on_cancel=True)
    return as_json(reply)


async def _posted(
    request: Request, answer: Answer, turns: anyio.CapacityLimiter, *, writes: bool
) -> Response:
    _expect_own_page(request)
    if writes and not scopes_of(request) & {"write", "admin"}:
        raise NotAllowed
    raw = b""
    async for part in request.stream():
        raw += part
        if len(raw) > BODY_LIMIT:
            raise BodyTooLarge(BODY_LIMIT)
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError:
        body = None
    if not isinstance(body, dict):
        raise BadRequest("The body is not a JSON object.", "Send one.")
    return await _answered(request, answer, body, turns)


def _expect_own_page(request: Request) -> None:
    """A form or a script of another site can neither send JSON nor claim to be this one."""
    sent = request.headers
    if sent.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ForeignRequest("it is not JSON")
    if sent.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        raise ForeignRequest("it comes from another site")
    if not is_own_origin(sent):
        raise ForeignRequest("it comes from another origin")
