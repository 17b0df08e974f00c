"""`research-agent serve --http` as a process: who it answers, where it listens, and what it lets slip.

What the guard refuses is in `test_http_guard.py`, the page's login in `test_http_login.py`.
"""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastmcp import Client

import cli
import mcp_entry
from contracts.core import Core
from contracts.http import server as http_server
from contracts.http.tokens import TokenStore
from contracts.settings import Settings
from tests.waiting import until

NOBODY = "550e8400-e29b-41d4-a716-446655440000"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
RESEARCH_AGENT = str(Path(sys.executable).parent / "research-agent")
PAGE = Path(__file__).resolve().parent.parent / "docs" / "http.md"


class Server:
    """`research-agent serve --http` in a process of its own."""

    def __init__(self, root: Path, *arguments: str, stored: bool = True) -> None:
        self.home = root / "home"
        self.token = TokenStore(self.home).add("a-test", ["admin"]) if stored else ""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        command = [RESEARCH_AGENT, "serve", "--http"]
        settings = {"RESEARCH_AGENT_HOME": str(self.home), "RESEARCH_AGENT_PREWARM": "0"}
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
        until(self._answers)

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
            "Authorization": f"Bearer {self.token}",
        }
        try:
            raw = json.dumps(LIST).encode() if body is None else body
            connection.request("POST", "/mcp", raw, usual | headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("http"))
    yield server
    server.stop()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_it_answers_clients_of_either_era(server: Server, era: Any, tmp_path: Path) -> None:
    here = mcp_entry.build_server(Core(Settings(home=tmp_path)))
    async with Client(server.url, auth=server.token, mode=era) as client:
        offered = [tool.name for tool in await client.list_tools()]
        assert sorted(offered) == sorted(tool.name for tool in await here.list_tools())
        assert len(offered) >= 27
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
def test_misuse_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", "--http", *arguments])
    said, why = capsys.readouterr()
    assert (ended.value.code, said) == (2, "")
    assert "usage: research-agent serve" in why


REFUSED = {
    "another address without a token": (["--host", "0.0.0.0"], "no token is stored"),
    "no address": (["--host", ""], "Nobody knows the host"),
    "no host": (["--host", "nowhere.invalid"], "Nobody knows the host"),
    "no port": (["--port", "70000"], "no port 70000"),
    "no name": (["--allow-host", "research.example:80"], "not a host name"),
    "an address with a port": (["--allow-host", "10.0.0.1:8765"], "not a host name"),
    "no address of IPv6": (["--allow-host", "2001:db8::1::2"], "not a host name"),
}


@pytest.mark.parametrize("case", [*REFUSED, "a port that is taken"])
def test_it_does_not_start_where_it_should_not(
    server: Server,
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    arguments, because = REFUSED.get(case, (["--port", str(server.port)], "in use"))
    assert mcp_entry.main(["--http", *arguments]) == 2
    said, why = capsys.readouterr()
    assert said == ""
    assert because in why
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("option", [["--http", "--port", "0"], []])
def test_a_home_that_cannot_be_is_told_in_a_sentence(
    option: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "home" / "tokens.json").mkdir(parents=True)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home") if option else "home")
    assert mcp_entry.main(option) == 2
    assert "irectory. Run research-agent doctor.\n" in capsys.readouterr().err


# -- tokens ---------------------------------------------------------------------------------------


def test_without_a_stored_token_one_is_made_for_the_run_and_kept_nowhere(tmp_path: Path) -> None:
    alone = Server(tmp_path, stored=False)
    try:
        assert alone.post()[0] == 401
        (alone.token,) = re.findall(r"Bearer (rtok_\S+)", alone.stderr.read_text())
        assert alone.post()[0] == 200
        assert not alone.home.exists()
        assert "/login?code=" not in alone.stderr.read_text()
    finally:
        alone.stop()


def test_elsewhere_it_starts_with_a_token_and_warns_and_on_a_terminal_it_shows_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[int] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: started.append(len(sockets)))
    core = Core(Settings(home=tmp_path / "home"))
    token = TokenStore(core.settings.home).add("a-test", ["read"])
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda shown=terminal: shown, raising=False)
        assert http_server.serve(mcp_entry.build_server(core), core, "0.0.0.0", 0, ()) == 0
        said = capsys.readouterr().err
        assert re.search(r"MCP at http://localhost:\d+/mcp", said)
        assert "plain HTTP" in said and token not in said and "Bearer" not in said
        assert bool(re.search(r"http://localhost:\d+/login\?code=\S{43}\n", said)) == terminal
    assert started == [1, 1]


def test_a_file_of_tokens_that_others_may_change_keeps_it_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path))
    TokenStore(tmp_path).add("a-test", ["read"])
    (tmp_path / "tokens.json").chmod(0o666)
    assert mcp_entry.main(["--http", "--port", "0"]) == 2
    assert "chmod 600" in capsys.readouterr().err


def test_a_stored_token_is_told_to_nobody(server: Server) -> None:
    call = {
        "name": "query_knowledge_base",
        "arguments": {"query": f"What opens {server.token}?"},
    }
    asked = LIST | {"method": "tools/call", "params": call}
    assert server.post(json.dumps(asked).encode())[0] == 200
    assert server.post(Authorization="Bearer wrong-and-long-enough-to-be-one")[0] == 401
    proc = Path("/proc") / str(server.process.pid)
    told = {
        "stdout": server.stdout,
        "stderr": server.stderr,
        **{name: proc / name for name in ("cmdline", "environ") if proc.exists()},
        **{str(path): path for path in server.home.rglob("*") if path.is_file()},
    }
    secret = server.token.removeprefix("rtok_").encode()
    assert [name for name, path in told.items() if secret in path.read_bytes()] == []
    assert (server.home / "tokens.json").stat().st_mode & 0o777 == 0o600


def test_the_servers_of_the_documentation_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each as it is shown, but for a port that there is not."""
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    shown = re.findall(r"^research-agent serve (.*)$", PAGE.read_text(), re.M)
    assert len(shown) >= 2
    for line in shown:
        assert mcp_entry.main([*line.partition("#")[0].split(), "--port", "70000"]) == 2
        assert "no port 70000" in capsys.readouterr().err


def test_the_configurations_of_the_documentation_name_the_right_place() -> None:
    blocks = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert blocks
    for block in map(json.loads, blocks):
        (entry,) = block["mcpServers"].values()
        assert entry["url"] == "http://127.0.0.1:8765/mcp"
        assert entry["headers"]["Authorization"].startswith("Bearer ")
