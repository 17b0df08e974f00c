"""The command as it is installed, with a real engine."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from actors.archive import LocalArchive
from actors.waking import shut_down
from contracts.core import Core
from contracts.settings import Settings
from events.home import Home
from mcp_entry import build_server
from tests.cli_homes import QUESTION, Built, at, built, finished, refused, run
from tests.commands import Done

__all__ = ["at", "built", "finished", "run"]


def shell(*arguments: str, timeout: float) -> Done:
    """Run the command as it is installed."""
    command = [str(Path(sys.executable).parent / "research-agent"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.ray
@pytest.mark.timeout(300)
@pytest.mark.anyio
async def test_a_ray_address_where_nobody_answers_is_refused_and_the_task_stays_accepted(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built.root / "run").mkdir(exist_ok=True)
    token = built.root / "run" / "ray_token"
    token.touch(mode=0o600)
    token.write_text("0" * 64)
    monkeypatch.setenv("RESEARCH_AGENT_RAY_ADDRESS", "127.0.0.1:1")
    monkeypatch.setenv("RESEARCH_AGENT_PREWARM", "0")
    try:
        # Twice: how the first attempt ended must not be taken for the end of the second.
        for accepted in (2, 3):
            done = shell("research", QUESTION, timeout=150)
            refused(done, "127.0.0.1:1", "research-agent doctor", "[engine_down]")
            assert len(LocalArchive(Home(built.root)).catalogue.state().unfinished()) == accepted
        async with Client(build_server(Core(Settings.from_environment()))) as client:
            with pytest.raises(ToolError, match="engine_down"):
                await client.call_tool("research", {"question": QUESTION})
            reply = await client.call_tool("list_research_tasks", {})
        assert len(reply.structured_content["tasks"]) == 5
    finally:
        shut_down(built.root, 60)


def test_the_demo_says_what_its_server_refused(at: Path) -> None:
    for action in ("create", "delete"):
        assert shell("collections", action, "samples", timeout=60).code == 0
    done = shell("demo", timeout=60)
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(
        "research-agent: ingest_documents was refused: The collection 'samples' is deleted."
    )


@pytest.mark.ray
@pytest.mark.timeout(300)
def test_the_demo_shows_the_whole_of_it(at: Path) -> None:
    done = shell("demo", timeout=240)
    assert done.code == 0, done.err
    said = done.out
    for words in (
        "tools.",
        "added",
        "Question: ",
        "proven: ",
        "identical: ",
        "claude mcp add",
        "ingest PATH",
    ):
        assert words in said
    start, end = said.index('{\n  "mcpServers"'), said.index("\n}\n") + 2
    server = json.loads(said[start:end])["mcpServers"]["research-agent"]
    assert server["env"] == {"RESEARCH_AGENT_HOME": str(at)}
    assert Path(server["command"]).exists() and Path(server["args"][0]).exists()
    assert shut_down(at, 30) is False, "it leaves nothing running"
