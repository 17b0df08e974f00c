"""The real server on stdio without an engine: a light start, and lines that no client should send."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.connect import server_command
from tests.engines import QUESTION, SAMPLES
from tests.stdio_server import HEAVY, HELLO, Server, bare, environment, logs
from tests.waiting import PATIENCE

__all__ = ["bare", "logs"]

pytestmark = pytest.mark.timeout(300)


# -- a light start ---------------------------------------------------------------------------------


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


def test_the_command_that_clients_are_told_is_the_one_that_is_tested() -> None:
    program, script = server_command()
    assert (program, Path(script).name) == (sys.executable, "mcp_entry.py")


# -- bad lines -------------------------------------------------------------------------------------


BAD_LINES = {
    "garbage": b"hello?\n",
    "empty": b"\n",
    "list": b"[]\n",
    "null": b"null\n",
    "object": b"{}\n",
    "number": b"1e400\n",
    "no method": b'{"jsonrpc":"2.0","id":97}\n',
    "wrong version": b'{"jsonrpc":"1.0","id":98,"method":"tools/list"}\n',
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
