"""The real server on stdio, as MCP clients start it: a process of its own and two pipes."""

import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.connect import server_command
from tests.engines import RealEngine
from tests.waiting import PATIENCE

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
