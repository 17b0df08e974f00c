"""A knowledge base to test with: a core whose engine is a thread, and a client in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp import MCPError
from mcp.types import TextContent

from contracts.core import Core
from contracts.settings import Settings
from mcp_entry import build_server
from tests.inline_engine import InlineEngine

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    # On a busy machine a job may take longer than a person would wait.
    monkeypatch.setattr("contracts.knowledge.ingesting.PATIENCE", 60.0)
    roots = (tmp_path / "files", SAMPLES)
    return Core(Settings(home=tmp_path / "home", roots=roots, prewarm=False))


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    core.home.prepare()
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder that may be read."""
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def connect(core: Core, **options: Any) -> Client[Any]:
    return Client(build_server(core), **options)


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers to a program."""
    reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    return reply.structured_content


async def said(client: Client[Any], tool: str, **arguments: Any) -> str:
    """What a tool answers to a person."""
    reply = await client.call_tool(tool, arguments)
    [block] = reply.content
    assert isinstance(block, TextContent)
    return block.text


async def refused(client: Client[Any], tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
    """The number and the data of the error that a tool answers."""
    with pytest.raises(MCPError) as caught:
        await client.call_tool(tool, arguments)
    error = caught.value.error
    assert error.message
    assert set(error.data) == {"code", "details", "suggestion"}
    assert error.data["suggestion"]
    return error.code, error.data
