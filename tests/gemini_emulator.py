"""Gemini's Interactions API and a small web, on loopback: what the real SDK and the real fetcher talk to in tests.

It speaks the wire protocol (`/v1/interactions`, server-sent events), counts every order it takes, and fails when
told to.
"""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

ENDED = {"completed", "failed", "cancelled", "incomplete", "budget_exceeded", "requires_action"}
KEY = "AIza-emulated-key-0123456789abcdefghij"

EXACT = "Heat pumps cut emissions by 60% in cold climates"
LOOSE = "Grid mix matters more than unit efficiency"
PAGES = {
    "study": f"<p>An introduction to the study.</p><p>{EXACT}. It was measured over two winters.</p>",
    "review": "<p>The review finds that grid MIX matters — more than unit efficiency; "
    "this holds everywhere.</p>",
    "opinion": "<p>Installers say that old radiators are rarely a problem for a heat pump.</p>",
}
REPORT = (
    "# Heat pumps\n\n"
    f"{EXACT} [cite: 1]. {LOOSE} [cite: 2]. "
    "Étude à part, old radiators are seldom a problem [cite: 3]. "
    "Subsidies doubled within one year in most countries [cite: 4].\n"
)
USAGE = {
    "total_input_tokens": 250_000,
    "total_cached_tokens": 150_000,
    "total_output_tokens": 8_000,
    "total_thought_tokens": 12_000,
    "total_tool_use_tokens": 90_000,
    "total_tokens": 360_000,
    "grounding_tool_count": [{"type": "google_search", "count": 12}],
}


@dataclass
class Fault:
    """What goes wrong with requests of a kind, and how often."""

    method: str
    path: str = ""
    """How the request's path, with its query, must end or what it must contain."""

    status: int | None = None
    body: str | bytes | None = None
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    """Cut the connection instead of answering."""

    after_doing: bool = False
    """Do what was asked before going wrong: the answer alone is lost."""

    times: int = 1
    """How many requests it hits; negative for all."""


@dataclass
class Request:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


class Refusal(Exception):
    """An error answer: (status, code, message)."""


class GeminiEmulator:
    """One provider with its jobs, and the pages that its reports cite."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.reset()
        emulator = self

        class Handler(_Handler):
            pass

        Handler.emulator = emulator
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def reset(self) -> None:
        """Forget everything; a job that was ordered before is unknown from now on."""
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.jobs: dict[str, dict[str, Any]] = {}
        self.created: list[str] = []
        """What was ordered, once for each order that was taken on."""

        self.key = KEY
        self.polls = ["in_progress"]
        """What the looks at a job find before it ends; the last one for ever, if `endless`."""

        self.endless = False
        self.final = "completed"
        self.errors: list[dict[str, str]] = []
        self.streams = True
        self.cut_stream_after: int | None = None
        self.silent_after: int | None = None
        """A stream says nothing more after so many events, until the job has ended."""

        self.nameless = False
        """Whether events have no ids."""

        self.said_at_the_end: str | None = None
        """The status in a stream's last event, where it is not the job's."""

        self.report = REPORT
        self.cited = ["study", "review", "opinion", "gone"]
        self.marks_only = False
        """Whether an annotation covers the mark alone, without a title, as the provider's do."""

        self.placeless = False
        """Whether annotations leave out which part of the report they are for."""

        self.usage: dict[str, Any] | None = USAGE
        self.pages = dict(PAGES)
        """What stands on the pages that reports cite, by name."""

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.place}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.jobs = {}  # Streams of jobs that never end would go on in their threads.

    def fail(self, method: str, path: str = "", **what: Any) -> None:
        with self.lock:
            self.faults.append(Fault(method, path, **what))

    def asked(self, method: str, path: str = "") -> list[Request]:
        with self.lock:
            return [r for r in self.requests if r.method == method and path in r.path]

    def end(self, status: str = "completed") -> None:
        """End every job now."""
        with self.lock:
            for job in self.jobs.values():
                self._end(job, status)

    # -- the provider ------------------------------------------------------------------------------

    def answer(self, request: Request) -> Any:
        url = urlsplit(request.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        if request.headers.get("x-goog-api-key") != self.key:
            raise Refusal(401, "unauthenticated", "The key is not valid.")
        if parts[:2] != ["v1", "interactions"]:
            raise Refusal(404, "not_found", "There is no such method.")
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        with self.lock:
            if request.method == "POST" and len(parts) == 2:
                return self._create(request.json)
            job = self.jobs.get(parts[2])
            if job is None:
                raise Refusal(404, "not_found", f"There is no interaction {parts[2]}.")
            if request.method == "POST" and parts[-1] == "cancel":
                if job["status"] in ENDED:
                    raise Refusal(400, "failed_precondition", f"It is {job['status']} already.")
                self._end(job, "cancelled")
                return self._public(job)
            if query.get("stream") == "true":
                if not self.streams:
                    raise Refusal(400, "invalid_request", "Streaming is not supported.")
                return self._events(job, query.get("last_event_id"))
            self._poll(job)
            return self._public(job)

    def _create(self, body: dict[str, Any]) -> dict[str, Any]:
        if not body.get("background") or not str(body.get("agent")).startswith("deep-research"):
            raise Refusal(400, "invalid_request", f"{body.get('agent')} is no agent we know.")
        name = f"v1_job{len(self.created) + 1}"
        self.created.append(body["input"])
        self.jobs[name] = {
            "id": name,
            "object": "interaction",
            "agent": body["agent"],
            "status": self.polls[0] if self.polls else "in_progress",
            "input": body["input"],
            "looks": 0,
        }
        if not self.polls:
            self._end(self.jobs[name], self.final)
        return self._public(self.jobs[name])

    def _poll(self, job: dict[str, Any]) -> None:
        if job["status"] in ENDED or job["status"] == self.final:
            return
        job["looks"] += 1
        if job["looks"] < len(self.polls):
            job["status"] = self.polls[job["looks"]]
        elif not self.endless:
            self._end(job, self.final)

    def _end(self, job: dict[str, Any], status: str) -> None:
        if job["status"] in ENDED:
            return
        job["status"] = status
        job["usage"] = self.usage
        if status in {"completed", "incomplete", "budget_exceeded"}:
            job["steps"] = self.steps()
        if status == "failed":
            job["errors"] = self.errors or [{"code": "internal", "message": "research failed"}]

    def _public(self, job: dict[str, Any]) -> dict[str, Any]:
        told = {k: v for k, v in job.items() if k not in {"input", "looks"} and v is not None}
        if "steps" in told:
            question = {"type": "user_input", "content": [{"type": "text", "text": job["input"]}]}
            told["steps"] = [question, *told["steps"]]
        return told

    def cited_url(self, page: str) -> str:
        return f"{self.url}/redirect/{page}"

    def steps(self) -> list[dict[str, Any]]:
        text = self.report
        raw, annotations = text.encode(), list[dict[str, Any]]()
        for number, page in enumerate(self.cited, 1):
            end = raw.find(f" [cite: {number}]".encode())
            if end > 0:
                start = max(raw.rfind(b". ", 0, end) + 2, raw.rfind(b"\n", 0, end) + 1, 0)
                if self.marks_only:
                    start, end = end + 1, raw.index(b"]", end) + 1
                annotations.append(
                    {
                        "type": "url_citation",
                        "url": self.cited_url(page),
                        "title": None if self.marks_only else page,
                        "start_index": start,
                        "end_index": end,
                    }
                )
        half = len(text.encode()) // 2
        while raw[half] & 0xC0 == 0x80:
            half += 1
        first = {
            "type": "text",
            "text": raw[:half].decode(),
            "annotations": [a for a in annotations if a["end_index"] <= half],
        }
        shifted = [
            a | {"start_index": max(0, a["start_index"] - half), "end_index": a["end_index"] - half}
            for a in annotations
            if a["end_index"] > half
        ]
        second = {"type": "text", "text": raw[half:].decode(), "annotations": shifted}
        if self.placeless:
            first["annotations"], second["annotations"] = map(_without_place, (annotations, ()))
        picture = {"type": "image", "data": "aGk=", "mime_type": "image/png"}
        thought = {"type": "text", "text": "Planning: two questions."}
        queries, urls = ["heat pumps emissions"], [self.cited_url(p) for p in self.cited[:2]]
        return [
            {"type": "thought", "signature": "c2ln", "summary": [thought]},
            {"type": "google_search_call", "id": "s1", "arguments": {"queries": queries}},
            {"type": "google_search_result", "call_id": "s1", "result": []},
            {"type": "url_context_call", "id": "u1", "arguments": {"urls": urls}},
            {"type": "model_output", "content": [first, picture, second]},
        ]

    def _events(self, job: dict[str, Any], after: str | None) -> Iterator[tuple[str, Any]]:
        head = {"id": job["id"], "agent": job["agent"]}
        events: list[dict[str, Any]] = [
            {"event_type": "interaction.created", "interaction": head | {"status": "in_progress"}},
            {
                "event_type": "interaction.status_update",
                "interaction_id": job["id"],
                "status": "in_progress",
            },
        ]
        for index, step in enumerate(self.steps()):
            events += _of_step(index, step)
        numbered = [{**event, "event_id": f"e{n}"} for n, event in enumerate(events)]
        names = [event["event_id"] for event in numbered]
        rest = numbered[names.index(after) + 1 :] if after in names else numbered
        cut, self.cut_stream_after = self.cut_stream_after, None
        return self._told(job, rest, cut)

    def _told(
        self, job: dict[str, Any], events: list[dict[str, Any]], cut: int | None
    ) -> Iterator[tuple[str, Any]]:
        for number, event in enumerate(events):
            if cut is not None and number >= cut:
                raise ConnectionResetError
            if self.silent_after is not None and int(event["event_id"][1:]) >= self.silent_after:
                while job["status"] not in ENDED:
                    if self.jobs.get(job["id"]) is not job:
                        raise ConnectionResetError  # Forgotten: nobody would ever end it.
                    time.sleep(0.01)
            if job["status"] == "cancelled":
                break
            told = {k: v for k, v in event.items() if not self.nameless or k != "event_id"}
            yield event["event_type"], told
        with self.lock:
            if not self.endless and job["status"] not in ENDED:
                self._end(job, self.final)
        if job["status"] in ENDED or job["status"] == self.final:
            done = {"id": job["id"], "status": self.said_at_the_end or job["status"]}
            yield (
                "interaction.completed",
                {"event_type": "interaction.completed", "interaction": done, "event_id": "end"},
            )
        yield "done", "[DONE]"


def _without_place(annotations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    places = {"start_index", "end_index"}
    return [{k: v for k, v in each.items() if k not in places} for each in annotations]


def _of_step(index: int, step: dict[str, Any]) -> list[dict[str, Any]]:
    place = {"index": index}
    start = {"event_type": "step.start", **place, "step": {"type": step["type"]}}
    stop = {"event_type": "step.stop", **place}
    if step["type"] == "thought":
        deltas = [{"type": "thought_summary", "content": part} for part in step["summary"]]
    elif step["type"] == "model_output":
        deltas = [
            {"type": "text", "text": part["text"]}
            for part in step["content"]
            if part["type"] == "text"
        ]
    else:
        return [{"event_type": "step.start", **place, "step": step}, stop]
    return [start, *({"event_type": "step.delta", **place, "delta": d} for d in deltas), stop]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    emulator: GeminiEmulator

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, self.rfile.read(size))
        with self.emulator.lock:
            self.emulator.requests.append(request)
            fault = self._fault()
        try:
            if fault:
                time.sleep(fault.delay)
                if fault.after_doing:
                    self.emulator.answer(request)
                if fault.drop:
                    self._cut()
                    return
                if fault.status:
                    self._fail(fault)
                    return
            if self.path.startswith(("/pages/", "/redirect/", "/robots.txt")):
                self._page()
                return
            try:
                answer = self.emulator.answer(request)
            except Refusal as refusal:
                status, code, message = refusal.args
                self._send(status, json.dumps({"error": {"code": code, "message": message}}))
                return
            if isinstance(answer, dict):
                self._send(200, json.dumps(answer))
            else:
                self._stream(answer)
        except (BrokenPipeError, ConnectionResetError):
            self._cut()

    def _fault(self) -> Fault | None:
        for fault in self.emulator.faults:
            if fault.method == self.command and fault.path in self.path and fault.times:
                fault.times -= 1
                return fault
        return None

    def _fail(self, fault: Fault) -> None:
        body = fault.body
        if body is None:
            said = f"emulated {fault.status}, your key was {self.headers.get('x-goog-api-key')}"
            body = json.dumps({"error": {"code": "emulated", "message": said}})
        self._send(fault.status or 500, body, fault.content_type, fault.headers)

    def _page(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.path.startswith("/redirect/"):
            self._send(302, "", headers={"location": f"/pages/{name}"})
        elif body := self.emulator.pages.get(name):
            page = f"<html><head><title>The {name}</title></head><body>{body}</body></html>"
            self._send(200, page, "text/html; charset=utf-8")
        else:
            self._send(404, "<html><body>Not found.</body></html>", "text/html")

    def _send(
        self,
        status: int,
        body: str | bytes,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        raw = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in {"content-type": content_type, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, events: Iterator[tuple[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data)
            frame = f"event: {name}\ndata: {text}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(frame), frame))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _cut(self) -> None:
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
