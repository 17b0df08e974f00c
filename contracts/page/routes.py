"""The web interface: a page at `/`, its files, and what it asks under `/api/`.

Everything the page shows of traces, sources and models travels as JSON and becomes text nodes in the browser. The
page itself may load nothing but its own files, and none of them holds a line of anybody else's.
"""

import mimetypes
from collections.abc import AsyncIterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from contracts.core import Core
from contracts.deep_research.refusals import checked
from contracts.knowledge.querying import Librarian
from contracts.page import search as page_search
from contracts.page import sources as page_sources
from contracts.page import tasks as page_tasks
from contracts.page.answers import (
    AUDITING,
    HEADERS,
    Answer,
    Asked,
    Reply,
    TooManyWatchers,
    as_json,
    asking,
    changing,
    reading,
    refusing,
)
from contracts.page.audit import AuditRoom
from contracts.page.timeline import events, positions
from events.codec import digest

FILES = Path(__file__).resolve().parent.parent / "web"

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_OF_FILES = {
    **HEADERS,
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # Not less: the form that logs out has to say where it comes from.
    "Referrer-Policy": "same-origin",
}

WATCHERS = 64
"""Timelines that may be open at the same time."""


def routes(core: Core, librarian: Librarian | None = None) -> list[BaseRoute]:
    """Everything that the page consists of; whoever may not read is turned away before."""
    asked_of, audit = librarian or Librarian(core), AuditRoom(core)
    reads = {path: partial(answer, core) for path, answer in page_tasks.READS.items()}
    writes = {path: partial(answer, core) for path, answer in page_tasks.WRITES.items()}
    asks: dict[str, Answer] = {
        "/api/estimate": partial(page_tasks.estimate, core),
        "/api/search": partial(page_search.search, asked_of),
    }
    everything: dict[str, Answer] = {
        **reads,
        **page_sources.reads(core),
        "/api/audit": audit.questions,
        "/api/session": partial(_session, core),
    }
    return [
        Route("/", _index, methods=["GET"]),
        Route("/web/{name}", _file, methods=["GET"]),
        Route("/api/tasks/{task}/events", Watching(core).watch, methods=["GET"]),
        *(reading(path, answer) for path, answer in everything.items()),
        *(asking(path, answer) for path, answer in asks.items()),
        asking("/api/audit", audit.ask, AUDITING),
        reading("/api/audit/tables", audit.tables, AUDITING),
        *(changing(path, answer) for path, answer in writes.items()),
        Route("/api/{rest:path}", _nothing, methods=["GET", "POST"]),
    ]


def _session(core: Core, asked: Asked) -> Reply:
    """What whoever asks may do here."""
    return {
        "scopes": sorted(asked.scopes),
        "client": asked.client,
        "may_write": bool(asked.scopes & {"write", "admin"}),
        "version": version("research-agent"),
        "project": core.settings.project,
    }


async def _nothing(request: Request) -> Response:
    told = {"success": False, "error": "unknown_route", "message": "There is nothing here."}
    return as_json(told | {"suggestion": "Open the page at /."}, 404)


# -- files ----------------------------------------------------------------------------------------


@cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """Every file of the page by its name: bytes, type, tag. Nothing else can be asked for."""
    return {
        path.name: (raw, mimetypes.guess_type(path.name)[0] or "text/plain", f'"{digest(raw)}"')
        for path in sorted(FILES.iterdir())
        if path.is_file() and (raw := path.read_bytes())
    }


async def _index(request: Request) -> Response:
    return _sent(request, "index.html")


async def _file(request: Request) -> Response:
    return _sent(request, request.path_params["name"])


def _sent(request: Request, name: str) -> Response:
    if name not in _files():
        return Response("Not found.", 404, HEADERS, "text/plain")
    raw, kind, tag = _files()[name]
    headers = _OF_FILES | {"ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(raw, 200, headers, kind)


# -- timelines ------------------------------------------------------------------------------------


class Watching:
    """Hands out timelines, so many at a time."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._open = 0

    async def watch(self, request: Request) -> Response:
        """A task's timeline, from where the browser's last one ended."""
        return await refusing(partial(self._begin, request))

    async def _begin(self, request: Request) -> Response:
        task = checked(request.path_params["task"])
        sent = request.headers.get("last-event-id") or request.query_params.get("after", "")
        told = positions(sent)
        # An id that nobody knows is refused as such, not within a stream.
        await anyio.to_thread.run_sync(self._core.views.status, task)
        if self._open >= WATCHERS:
            raise TooManyWatchers(WATCHERS)
        headers = {**HEADERS, "X-Accel-Buffering": "no"}
        return StreamingResponse(
            self._counted(events(self._core, task, told, page_tasks.status)),
            headers=headers,
            media_type="text/event-stream",
        )

    async def _counted(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            async for part in parts:
                yield part
        finally:
            self._open -= 1
