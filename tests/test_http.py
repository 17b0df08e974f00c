"""The server on loopback HTTP: it answers MCP to this machine, and to nobody who pretends to be it."""

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from tests.engines import wait_until

NOBODY = "550e8400-e29b-41d4-a716-446655440000"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


class Server:
    """`research-agent serve --http` in a process of its own."""

    def __init__(self, root: Path, *arguments: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        command = [str(Path(sys.executable).parent / "research-agent"), "serve", "--http"]
        settings = {"RESEARCH_AGENT_HOME": str(root / "home"), "RESEARCH_AGENT_PREWARM": "0"}
        self.stdout, self.stderr = root / "stdout", root / "stderr"
        with self.stdout.open("wb") as stdout, self.stderr.open("wb") as stderr:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), *arguments],
                env=dict(os.environ) | settings,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
        wait_until(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.stderr.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def post(self, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """One request, with headers as a browser or an attacker would set them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        usual = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
        }
        try:
            raw = json.dumps(LIST).encode() if body is None else body
            connection.request("POST", "/mcp", raw, usual | headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("http"))
    yield server
    server.process.terminate()
    server.process.wait(30)


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_it_answers_clients_of_either_era(server: Server, era: Any) -> None:
    async with Client(server.url, mode=era) as client:
        assert len(await client.list_tools()) == 27
        reply = await client.call_tool("check_research_status", {"task_id": NOBODY})
        assert reply.structured_content
        assert reply.structured_content["error"] == "TASK_NOT_FOUND"


def test_it_answers_this_machine_under_its_own_names(server: Server) -> None:
    assert server.post()[0] == 200
    for name in ("127.0.0.1", "localhost"):
        here = f"{name}:{server.port}"
        assert server.post(Host=here, Origin=f"http://{here}")[0] == 200


ORIGINS = [
    "http://evil.example",
    "https://evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "http://evil.example/?http://127.0.0.1",
    "file://",
    "null",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_page_of_somebody_else_is_refused(server: Server, origin: str) -> None:
    status, said = server.post(Origin=origin)
    assert status == 403
    assert b"ingest_documents" not in said


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "169.254.169.254", "0.0.0.0"],
)
def test_a_name_that_was_rebound_to_this_machine_is_refused(server: Server, host: str) -> None:
    status, said = server.post(Host=host)
    assert status == 421
    assert b"ingest_documents" not in said


def listening(port: int) -> set[str]:
    """The addresses, as the kernel writes them, on which somebody listens at a port."""
    found = set()
    for table in ("tcp", "tcp6"):
        path = Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            _, local, _, state, *_ = line.split()
            address, _, number = local.partition(":")
            if state == "0A" and int(number, 16) == port:
                found.add(address)
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells who listens")
def test_it_listens_on_loopback_alone(server: Server) -> None:
    assert listening(server.port) == {"0100007F"}


BODIES = {
    "garbage": b"hello?",
    "empty": b"",
    "list": b"[]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "no utf-8": b"\xff\xfe",
    "too large": b"x" * ((4 << 20) + 1),
}


@pytest.mark.parametrize("body", BODIES)
def test_bad_bodies_are_refused_and_the_server_stays(server: Server, body: str) -> None:
    status, said = server.post(BODIES[body])
    assert 400 <= status < 500
    assert b"Traceback" not in said
    assert server.post()[0] == 200


def test_it_says_nothing_on_stdout(server: Server) -> None:
    assert server.post()[0] == 200
    assert server.stdout.read_bytes() == b""
    assert "Traceback" not in server.stderr.read_text()


@pytest.mark.parametrize("arguments", [["--port", "many"], ["--frobnicate"]])
def test_misuse_is_refused(arguments: list[str]) -> None:
    command = [str(Path(sys.executable).parent / "research-agent"), "serve", "--http", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"usage: research-agent serve" in done.stderr


def test_a_port_that_is_taken_is_refused(server: Server, tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "research-agent"), "serve", "--http"]
    done = subprocess.run(
        [*command, "--port", str(server.port)],
        env=dict(os.environ) | {"RESEARCH_AGENT_HOME": str(tmp_path / "home")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == b""
    assert b"in use" in done.stderr
