"""Anthropic's Messages API, Tavily's search and a small web, on loopback, with the failures they have."""

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

Reply = dict[str, Any]
STRICT = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1")
"""Models that refuse forced tools, settings of thinking, and answers begun for them."""

WITHOUT_EFFORT = ("claude-haiku-4-5", "claude-sonnet-4-5")
"""Models that refuse to be told how hard to try."""


@dataclass
class Fault:
    """What the next requests to a path meet instead of an answer."""

    path: str
    status: int = 0
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    drop: bool = False
    delay: float = 0.0
    times: int = 1
    """-1 for ever."""


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Any


def said(text: str, stop: str = "end_turn", **usage: int) -> Reply:
    """A message of text."""
    return {"content": [{"type": "text", "text": text}], "stop_reason": stop, "usage": usage}


def tool(name: str, number: int = 1, **given: Any) -> Reply:
    """A block that uses a tool."""
    return {"type": "tool_use", "id": f"toolu_{name}_{number}", "name": name, "input": given}


def using(*tools: Reply, text: str = "Looking it up.") -> Reply:
    """A message that uses tools."""
    return {"content": [{"type": "text", "text": text}, *tools], "stop_reason": "tool_use"}


def answer(*sentences: dict[str, Any], **members: Any) -> Reply:
    """A message with a final answer."""
    whole = {
        "sentences": list(sentences),
        "gaps": [],
        "discovery_events": [],
        "open_questions": [],
        "confidence": 0.8,
        **members,
    }
    return said(json.dumps(whole))


def sentence(text: str, *evidence: tuple[str, str], inference: bool = False) -> dict[str, Any]:
    """A sentence of an answer, with pages and excerpts."""
    claims = [{"page": page, "excerpt": excerpt} for page, excerpt in evidence]
    return {"text": text, "evidence": claims, "inference": inference}


class Wire:
    """The three of them behind one address."""

    def __init__(self) -> None:
        self.script: deque[Reply | Callable[[Any], Reply]] = deque()
        """The model's next messages."""

        self.results: list[dict[str, Any]] = []
        """What every search finds, best first."""

        self.pages: dict[str, tuple[int, str, str]] = {}
        """By host and path: status, content type, body."""

        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.address = ""
        self.port = 0

    def page(self, url: str, body: str, status: int = 200, kind: str = "text/html") -> str:
        """Put a page on the web, and into the results."""
        self.pages[url.partition("://")[2]] = status, kind, body
        self.results.append({"url": url, "title": url, "content": body[:100], "score": 0.9})
        return url

    def fail(self, path: str, **how: Any) -> None:
        self.faults.append(Fault(path, **how))

    def calls(self, path: str) -> list[Asked]:
        return [each for each in self.asked if each.path == path]

    def fault(self, path: str) -> Fault | None:
        for fault in self.faults:
            if path == fault.path and fault.times:
                fault.times -= fault.times > 0
                return fault
        return None

    # -- who answers -----------------------------------------------------------------------------

    def message(self, body: Any) -> tuple[int, Any]:
        refusal = _refusal(body)
        if refusal:
            return 400, _error("invalid_request_error", refusal)
        item = self.script.popleft() if self.script else answer()
        reply = item(body) if callable(item) else item
        size = len(json.dumps(body)) // 4
        usage = {"input_tokens": size, "output_tokens": len(json.dumps(reply["content"])) // 4}
        return 200, {
            "id": f"msg_{len(self.asked)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": reply["content"],
            "stop_reason": reply.get("stop_reason", "end_turn"),
            "stop_details": reply.get("stop_details"),
            "usage": usage | reply.get("usage", {}),
        }

    def search(self, body: Any) -> tuple[int, Any]:
        if not body.get("query"):
            return 400, {"detail": {"error": "Query is missing."}}
        wanted = body.get("include_domains") or []
        found = [
            each
            for each in self.results
            if not wanted or any(domain in each["url"].split("/")[2] for domain in wanted)
        ]
        return 200, {
            "query": body["query"],
            "results": found[: body.get("max_results", 5)],
            "request_id": "search-1",
            **({"usage": {"credits": 1}} if body.get("include_usage") else {}),
        }


def _refusal(body: Any) -> str | None:
    """What the real API would answer 400 to."""
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            return f"{name}: Field required"
    if any(name in body for name in ("temperature", "top_p", "top_k")):
        return "Extra inputs are not permitted"
    if body["model"].startswith(WITHOUT_EFFORT) and "effort" in body.get("output_config", {}):
        return "This model does not support the effort parameter."
    strict = body["model"] in STRICT
    if strict and (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        return "tool_choice: forced tool use is not supported by this model"
    if strict and body["messages"][-1]["role"] == "assistant":
        return "messages: assistant prefill is not supported by this model"
    marked = json.dumps(body).count('"cache_control"')
    if marked > 4:
        return "at most 4 blocks may have cache_control"
    pending: set[str] = set()
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        if any(b.get("type") == "text" and not b.get("text", "").strip() for b in blocks):
            return "messages: text content blocks must be non-empty"
        answered = {b.get("tool_use_id") for b in blocks if b.get("type") == "tool_result"}
        if pending - answered:
            return "messages: `tool_use` ids were found without `tool_result` blocks"
        mine = message["role"] == "assistant"
        pending = {b["id"] for b in blocks if b.get("type") == "tool_use"} if mine else set()
    return None


def _error(kind: str, words: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}


@contextmanager
def wired() -> Iterator[Wire]:
    """The emulator on a free port."""
    wire = Wire()

    class Handler(_Handler):
        pass

    Handler.wire = wire
    server = _Server(("127.0.0.1", 0), Handler)
    wire.port = server.server_address[1]
    wire.address = f"http://127.0.0.1:{wire.port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield wire
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def server_bind(self) -> None:
        """Bind without asking anybody for a name of loopback."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wire: Wire

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.wire.lock:
            self.wire.asked.append(Asked(self.path, headers, json.loads(raw)))
            fault = self.wire.fault(self.path)
        if fault and self._meet(fault):
            return
        key = headers.get("authorization", "").removeprefix("Bearer ")
        with self.wire.lock:
            if self.path == "/v1/messages":
                bad = 401, _error("authentication_error", f"invalid x-api-key {key}")
                status, body = bad if "bad" in key else self.wire.message(json.loads(raw))
            elif self.path == "/search":
                refused = 401, {"detail": {"error": "Unauthorized: missing or invalid API key."}}
                status, body = refused if "bad" in key else self.wire.search(json.loads(raw))
            else:
                status, body = 404, {}
        self._send(status, json.dumps(body).encode(), "application/json", {"request-id": "req_1"})

    def do_GET(self) -> None:
        address = f"{self.headers['host']}{self.path}"
        with self.wire.lock:
            self.wire.asked.append(Asked(address, {}, None))
            fault = self.wire.fault(address)
            missing = (404, "text/plain", "no")
            status, kind, body = self.wire.pages.get(address, missing)
        if fault and self._meet(fault):
            return
        moved = {"location": body} if 300 <= status < 400 else {}
        self._send(status, body.encode(), f"{kind}; charset=utf-8", moved)

    def _meet(self, fault: Fault) -> bool:
        time.sleep(fault.delay)
        if fault.drop:
            self.close_connection = True
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        elif fault.status:
            body = fault.body if fault.body is not None else _error("api_error", "emulated")
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self._send(fault.status, raw, fault.content_type, fault.headers)
        return fault.drop or bool(fault.status)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
