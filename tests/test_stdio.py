"""The real server on stdio, as MCP clients start it: a process of its own, two pipes, a real engine."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from actors.waking import read_state
from contracts.connect import server_command
from tests.engines import PATIENCE, QUESTION, SAMPLES, RealEngine, wait_until

pytestmark = pytest.mark.timeout(300)

HEAVY = {
    *("ray", "duckdb", "torch", "pyarrow", "anthropic", "google.genai", "tavily"),
    *("sentence_transformers", "usearch", "numpy"),
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}


def environment(root: Path, **settings: str) -> dict[str, str]:
    named = {f"RESEARCH_AGENT_{name.upper()}": value for name, value in settings.items()}
    return dict(os.environ) | {"RESEARCH_AGENT_HOME": str(root)} | named


class Server:
    """A server process, spoken to in lines; everything it says is kept and judged."""

    def __init__(
        self, root: Path, logs: Path, *, interpreter: tuple[str, ...] = (), **settings: str
    ) -> None:
        program, *arguments = server_command()
        self.logs = logs / f"stderr-{len(list(logs.iterdir()))}"
        with self.logs.open("wb") as stderr:
            self.process = subprocess.Popen(
                [program, *interpreter, *arguments],
                env=environment(root, **{"roots": "/"} | settings),
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self.said: list[bytes] = []
        self._answers: dict[Any, queue.Queue[dict[str, Any]]] = {}
        self._next = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as stdout:
            for line in stdout:
                self.said.append(line)
                try:
                    message = json.loads(line)
                    self._answers[message["id"]].put(message)
                except (ValueError, KeyError, TypeError):
                    continue  # Judged in `check`.

    def send(self, raw: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def begin(self, method: str, **params: Any) -> int:
        """Ask something without waiting for the answer."""
        self._next += 1
        self._answers[self._next] = queue.Queue()
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")
        return self._next

    def answer(self, number: int) -> dict[str, Any]:
        return self._answers[number].get(timeout=PATIENCE)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer(self.begin(method, **params))

    def hello(self) -> "Server":
        assert self.ask("initialize", **HELLO)["result"]["serverInfo"]["name"] == "research-agent"
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return self

    def begin_call(self, tool: str, **arguments: Any) -> int:
        token = {"progressToken": f"p{self._next}"}
        return self.begin("tools/call", name=tool, arguments=arguments, _meta=token)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers; refusals as their text."""
        reply = self.answer(self.begin_call(tool, **arguments))
        if "error" in reply:
            return {"refused": reply["error"]["data"]["code"]}
        result = reply["result"]
        if result.get("isError"):
            return {"refused": result["content"][0]["text"]}
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    def close(self) -> int:
        """Go away, as clients do."""
        if self.process.stdin:
            self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def check(self) -> None:
        """Nothing but JSON-RPC was said on stdout."""
        for line in self.said:
            assert line.endswith(b"\n")
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0", line
            kinds = {"method", "result", "error"} & set(message)
            assert len(kinds) == 1, line
            assert "method" in kinds or isinstance(message["id"], int), line


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def bare(tmp_path: Path, logs: Path) -> Iterator[Server]:
    """A server over nothing, which starts no engine."""
    server = Server(tmp_path / "home", logs, prewarm="0")
    yield server
    if server.process.poll() is None:
        server.process.kill()
    server.close()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealEngine]:
    engine = RealEngine(tmp_path_factory.mktemp("stdio") / "home")
    engine.up()
    engine.ingest_samples()
    yield engine
    engine.down()


# -- a light start --------------------------------------------------------------------------------


def test_tools_are_listed_without_importing_anything_heavy(tmp_path: Path, logs: Path) -> None:
    server = Server(tmp_path / "home", logs, interpreter=("-X", "importtime")).hello()
    tools = {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}
    assert {"research", "query_knowledge_base"} <= tools
    assert server.close() == 0
    server.check()
    lines = server.logs.read_text().splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time")}
    assert "contracts.core" in imported
    assert {
        name for name in imported for heavy in HEAVY if (name + ".").startswith(heavy + ".")
    } == set()


def test_reading_needs_no_engine_and_makes_no_home(bare: Server, tmp_path: Path) -> None:
    bare.hello()
    assert bare.call("list_research_tasks")["tasks"] == []
    assert bare.call("check_research_status", task_id="x")["error"] == "TASK_NOT_FOUND"
    assert not (tmp_path / "home").exists()
    assert bare.close() == 0
    bare.check()


# -- bad lines ------------------------------------------------------------------------------------

BAD_LINES = {
    "garbage": b"hello?\n",
    "empty": b"\n",
    "list": b"[]\n",
    "null": b"null\n",
    "object": b"{}\n",
    "number": b"1e400\n",
    "no method": b'{"jsonrpc":"2.0","id":1}\n',
    "wrong version": b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}\n',
    "strange id": b'{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}\n',
    "no utf-8": b"\xff\xfe\xc3\n",
    "bom": b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"x"}\n',
    "nul": b"\0\0\0\n",
    "lone surrogate": b'{"jsonrpc":"2.0","id":9,"method":"\\ud800"}\n',
    "deep": b"[" * 100_000 + b"\n",
    "huge": b"x" * (20 << 20) + b"\n",
    "unknown answer": b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
    "unknown cancel": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}\n',
    "two in one": b'{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}\n',
}


def test_bad_lines_neither_kill_the_server_nor_make_it_babble(bare: Server) -> None:
    for name, line in BAD_LINES.items():
        bare.send(line)
        assert bare.process.poll() is None, name
    bare.hello()
    for name, line in BAD_LINES.items():
        bare.send(line)
        assert bare.call("list_research_tasks")["tasks"] == [], name
    assert bare.close() == 0
    bare.check()


@pytest.mark.parametrize(
    "part", [b"", b"{", b'{"jsonrpc":"2.0","id":1,"method":"tools/li', b"\xe2\x82"]
)
def test_a_client_that_goes_away_ends_the_server_also_in_the_middle_of_a_line(
    bare: Server, part: bytes
) -> None:
    bare.hello()
    bare.send(part)
    assert bare.close() == 0
    bare.check()


def test_bad_requests_are_answered_and_the_server_stays(bare: Server) -> None:
    assert bare.ask("tools/list")["error"]["code"] == -32602, "before the handshake"
    bare.hello()
    assert bare.ask("no/such")["error"]["code"] == -32601
    assert "error" in bare.ask("tools/call", name=7)
    assert "Unknown tool" in bare.call("no_such_tool")["refused"]
    assert "bad_request" in bare.call("research", question="x" * (5 << 20))["refused"]
    assert "refused" in bare.call("research", question=["?"])
    assert "refused" in bare.call("research", question="q", surprise=1)
    assert "path_refused" in bare.call("ingest_documents", path="\0", collection="c")["refused"]
    assert bare.call("list_research_tasks", cursor="'; drop")["error"] == "INVALID_QUERY"
    assert bare.call("start_deep_research", query="ab")["error"] == "INVALID_QUERY"
    assert bare.close() == 0
    bare.check()
    assert "Traceback" not in "".join(map(bytes.decode, bare.said))


def test_a_client_that_stops_reading_does_not_keep_the_server_alive(
    tmp_path: Path, logs: Path
) -> None:
    program, *arguments = server_command()
    reading, writing = os.pipe()
    os.close(reading)
    with (logs / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            [program, *arguments],
            env=environment(tmp_path / "home", prewarm="0"),
            stdin=subprocess.PIPE,
            stdout=writing,
            stderr=stderr,
        )
    os.close(writing)
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    try:
        process.communicate(json.dumps(message).encode() + b"\n", timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()


def test_a_home_that_cannot_be_is_refused_by_each_call_and_the_server_stays(
    tmp_path: Path, logs: Path
) -> None:
    (tmp_path / "home").write_text("a file in its place")
    server = Server(tmp_path / "home", logs).hello()
    for _ in range(2):
        said = server.call("ingest_documents", path=str(SAMPLES), collection="c")
        assert "home_unwritable" in said["refused"]
        assert server.call("start_deep_research", query=QUESTION)["error"] == "PERMISSION_DENIED"
        assert server.call("list_research_tasks")["error"] == "PERMISSION_DENIED"
    assert server.close() == 0
    server.check()


def test_a_bad_setting_is_refused_on_stderr_alone(tmp_path: Path, logs: Path) -> None:
    server = Server(tmp_path / "home", logs, max_running="abc")
    assert server.close() == 2
    assert server.said == []
    assert "RESEARCH_AGENT_MAX_RUNNING" in server.logs.read_text()


# -- whole sessions -------------------------------------------------------------------------------


@pytest.mark.ray
@pytest.mark.parametrize("level", ["warning", "debug"])
def test_a_whole_session_says_nothing_but_json_rpc(
    engine: RealEngine, logs: Path, level: str
) -> None:
    engine.pace(0)
    server = Server(engine.home.root, logs, log_level=level).hello()
    report = server.call("ingest_documents", path=str(SAMPLES), collection=f"session-{level}")
    *_, job = engine.core.follow_job(report["job_id"])
    assert (job.phase, job.failed) == ("completed", 0)
    found = server.call("research", question=QUESTION)
    assert found["citations"]
    task = server.call("start_deep_research", query=QUESTION)["task_id"]
    assert server.call("get_research_results", task_id=task)["success"]
    assert "refused" in server.call("research", question="")
    assert server.call("cancel_research", task_id=task)["error"] == "RESEARCH_ALREADY_COMPLETED"
    assert server.close() == 0
    server.check()
    said = [json.loads(line) for line in server.said]
    progress = [each for each in said if each.get("method") == "notifications/progress"]
    assert progress[-1]["params"]["progress"] == 100


@pytest.mark.ray
@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_of_either_era_gets_a_grounded_answer(
    engine: RealEngine, logs: Path, era: Any
) -> None:
    engine.pace(0)
    program, *arguments = server_command()
    transport = StdioTransport(
        program, arguments, env=environment(engine.home.root), log_file=logs / "stderr"
    )
    async with Client(transport, mode=era) as client:
        assert len(await client.list_tools()) == 31
        found = (await client.call_tool("research", {"question": QUESTION})).structured_content
        assert found
        for citation in found["citations"]:
            text = engine.home.blobs.get_text(citation["text_hash"])
            assert text[citation["start"] : citation["end"]] == citation["raw_excerpt"]
        with pytest.raises(ToolError, match="bad_request"):
            await client.call_tool("research", {"question": " "})


@pytest.mark.ray
def test_a_client_that_goes_away_in_the_middle_of_a_call_ends_the_server_but_not_the_task(
    engine: RealEngine, logs: Path
) -> None:
    engine.pace(60)
    before = {each.task for each in engine.core.views.tasks().tasks}
    server = Server(engine.home.root, logs).hello()
    server.begin_call("research", question=QUESTION)
    wait_until(lambda: {each.task for each in engine.core.views.tasks().tasks} != before)
    (task,) = {each.task for each in engine.core.views.tasks().tasks} - before
    wait_until(lambda: engine.core.views.status(task).calls_asked == 1)
    assert server.close() == 0
    server.check()
    engine.pace(0)
    assert engine.end_of(task).phase == "completed"


@pytest.mark.ray
def test_a_server_killed_in_the_middle_changes_nothing(engine: RealEngine, logs: Path) -> None:
    engine.pace(60)
    first = Server(engine.home.root, logs, sync_window_s="0").hello()
    task = first.call("start_deep_research", query=QUESTION)["task_id"]
    first.begin_call("research", question="What are spring tides?")
    wait_until(lambda: engine.core.views.status(task).calls_asked == 1)
    first.process.send_signal(signal.SIGKILL)
    first.close()
    first.check()
    second = Server(engine.home.root, logs).hello()
    assert second.call("check_research_status", task_id=task)["status"] == "running_async"
    assert second.call("get_research_results", task_id=task)["error"] == "RESEARCH_NOT_COMPLETED"
    engine.pace(0)
    wait_until(lambda: second.call("check_research_status", task_id=task)["status"] == "completed")
    assert second.call("get_research_results", task_id=task)["sources"]
    listed = second.call("list_research_tasks")["tasks"]
    assert listed[0]["query"] == "What are spring tides?", "it was accepted before the kill"
    assert engine.end_of(listed[0]["task_id"]).phase == "completed"
    assert second.close() == 0
    second.check()
    engine.check_record()


# -- two servers ----------------------------------------------------------------------------------


@pytest.fixture
def both(engine: RealEngine, logs: Path) -> Iterator[tuple[Server, Server]]:
    """Two clients' servers over one home."""
    engine.pace(0)
    servers = tuple(Server(engine.home.root, logs, sync_window_s="0").hello() for _ in range(2))
    yield servers[0], servers[1]
    for server in servers:
        assert server.close() == 0
        server.check()
    engine.check_record()


@pytest.mark.ray
def test_what_one_server_acknowledges_the_other_sees_at_its_next_question(
    engine: RealEngine, both: tuple[Server, Server], tmp_path: Path
) -> None:
    one, other = both
    for number in range(3):
        task = one.call("start_deep_research", query=f"What are neap tides, take {number}?")[
            "task_id"
        ]
        assert other.call("list_research_tasks", limit=1)["tasks"][0]["task_id"] == task
        assert other.call("check_research_status", task_id=task)["task_id"] == task
        engine.end_of(task)
        answers = [
            (each.call("get_research_results", task_id=task), each.call("list_research_tasks"))
            for each in both
        ]
        assert answers[0] == answers[1]
        assert answers[0][0]["success"]
        one, other = other, one
    (tmp_path / "gorlov.md").write_text("# Gorlov\n\nThe Gorlov turbine turns in slow tides.\n")
    report = one.call("ingest_documents", path=str(tmp_path / "gorlov.md"), collection="new")
    # On a busy machine the answer may come before the job has ended.
    ended = list(engine.core.follow_job(report["job_id"], PATIENCE))[-1]
    assert (ended.phase, ended.done, ended.failed) == ("completed", 1, 0)
    found = other.call("research", question="What is the Gorlov turbine?")
    assert any("Gorlov turbine turns" in each["raw_excerpt"] for each in found["citations"])
    cancelled = one.call("start_deep_research", query="What are spring tides?")["task_id"]
    reply = other.call("cancel_research", task_id=cancelled)
    assert reply.get("status") == "cancelled" or reply["error"] == "RESEARCH_ALREADY_COMPLETED"


@pytest.mark.ray
def test_starts_from_both_servers_at_once_are_all_accepted_once(
    engine: RealEngine, both: tuple[Server, Server]
) -> None:
    pending = [
        (server, server.begin_call("start_deep_research", query=f"What are tides, {number}?"))
        for number in range(6)
        for server in both
    ]
    pending += [
        (server, server.begin_call("start_deep_research", query=QUESTION, idempotency_key="one"))
        for _ in range(3)
        for server in both
    ]
    answers = [server.answer(number)["result"]["structuredContent"] for server, number in pending]
    assert all(answer["success"] for answer in answers), answers
    started = [answer["task_id"] for answer in answers]
    assert len(set(started[:12])) == 12
    assert len(set(started[12:])) == 1
    for server in both:
        listed = {
            each["task_id"] for each in server.call("list_research_tasks", limit=200)["tasks"]
        }
        assert set(started) <= listed
    for task in set(started):
        assert engine.end_of(task).phase == "completed"


# -- the engine -----------------------------------------------------------------------------------


@pytest.mark.ray
def test_a_server_brings_the_engine_up_after_its_first_answer_and_leaves_it_running(
    engine: RealEngine, logs: Path
) -> None:
    engine.down()
    assert read_state(engine.home.root) is None
    server = Server(engine.home.root, logs, log_level="debug").hello()
    server.ask("tools/list")
    assert read_state(engine.home.root) is None, "listing needs no engine"
    assert server.call("list_research_tasks")["tasks"]
    wait_until(lambda: (state := read_state(engine.home.root)) is not None and state.state == "up")
    assert server.call("research", question=QUESTION)["citations"]
    assert server.close() == 0
    server.check()
    assert read_state(engine.home.root), "it outlives the server"


def test_the_command_that_clients_are_told_is_the_one_that_is_tested() -> None:
    program, script = server_command()
    assert (program, Path(script).name) == (sys.executable, "mcp_entry.py")
