"""The HTTP server in this process, on a port of its own, with a token of each scope."""

import http.client
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from fastmcp import Context
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp

from contracts.core import Core
from contracts.http.guard import Door
from contracts.http.server import application, config_of, open_door
from contracts.http.tokens import SCOPES, TokenStore
from contracts.settings import Settings
from mcp_entry import build_server
from tests.waiting import until

NOBODY = "550e8400-e29b-41d4-a716-446655440000"
READ_CALL = "check_research_status", {"task_id": NOBODY}
WRITE_CALL = "manage_collections", {"action": "create", "name": "forbidden"}


@dataclass
class Reply:
    """What came back."""

    status: int
    body: bytes
    headers: http.client.HTTPMessage

    @property
    def json(self) -> Any:
        """The body, also when it came as one server-sent event."""
        text = self.body.decode()
        if "data: " in text:
            text = text.partition("data: ")[2].partition("\r\n")[0]
        return json.loads(text)


@dataclass
class House:
    """A server, its home, and somebody who knocks."""

    core: Core
    port: int
    store: TokenStore
    tokens: dict[str, str]
    door: Door
    drip: threading.Event = field(default_factory=threading.Event)
    """Set, it lets the tool `drip` finish."""

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.authority}/mcp"

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(
        self,
        method: str = "GET",
        path: str = "/mcp",
        body: Any = None,
        *headers: tuple[str, str],
        token: str | None = None,
    ) -> Reply:
        """One request with exactly these headers; `token` names a scope."""
        connection = self.connect()
        sent = list(headers)
        if token:
            sent.append(("Authorization", f"Bearer {self.tokens[token]}"))
        chunked = not isinstance(body, bytes | None)
        if body is not None and not any(name == "Content-Length" for name, _ in sent):
            sent.append(
                ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body)))
            )
        try:
            connection.putrequest(method, path, skip_host=any(name == "Host" for name, _ in sent))
            for name, value in sent:
                connection.putheader(name, value)
            connection.endheaders(body, encode_chunked=chunked)
            reply = connection.getresponse()
            return Reply(reply.status, reply.read(), reply.headers)
        finally:
            connection.close()

    def call(self, tool: str, arguments: Any, *headers: tuple[str, str], token: str) -> Reply:
        """One tool call, as a client of the older era would make it."""
        return self.ask("POST", "/mcp", rpc(tool, arguments), *MCP, *headers, token=token)

    def everything_kept(self) -> dict[str, bytes]:
        """The home, byte for byte."""
        root = self.core.settings.home
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


MCP = (
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", "2025-11-25"),
)


def rpc(tool: str, arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()


@contextmanager
def house(root: Path, *, guarded: bool = True, **settings: Any) -> Iterator[House]:
    """A house that is open; with two more tools, and a stream that never ends."""
    core = Core(Settings(home=root / "home", prewarm=False, **settings))
    core.wake_engine = core.home.prepare  # type: ignore[method-assign]
    mcp = build_server(core)
    store = TokenStore(core.settings.home)
    tokens: dict[str, str] = {scope: store.add(scope, [scope]) for scope in SCOPES}
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        door = open_door(core.settings)
        built = House(core, int(listener.getsockname()[1]), store, tokens, door)

        @mcp.tool(annotations={"readOnlyHint": True})
        async def drip(ctx: Context) -> str:
            """Say something, then wait."""
            await ctx.report_progress(1, 2, "a drop")
            with anyio.fail_after(20):
                while not built.drip.is_set():
                    await anyio.sleep(0.01)
            return "done"

        @mcp.tool(tags={"admin"}, annotations={"readOnlyHint": True})
        def reign() -> str:
            """Only for administrators."""
            return "done"

        @mcp.custom_route("/endless", methods=["GET", "POST"])
        async def endless(request: Request) -> Response:
            async def drops() -> AsyncIterator[bytes]:
                while True:
                    yield b"drop\n"
                    await anyio.sleep(0.02)

            return StreamingResponse(drops())

        bare = mcp.http_app(path="/mcp", stateless_http=True)
        app: ASGIApp = application(mcp, core, door) if guarded else bare
        server = uvicorn.Server(config_of(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            until(lambda: server.started)
            yield built
        finally:
            server.should_exit = True
            thread.join(30)
