"""An MCP client over the websites of a data home, with an engine in the same process."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP

from contracts.core import Core
from contracts.settings import Settings
from contracts.websites import tools as websites_tools
from mcp_entry import build_server
from tests.inline_engine import InlineEngine
from tests.web_pages import Board


@pytest.fixture
def core(tmp_path: Path, site: Board, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    # On a busy machine a page may take longer than a person would wait.
    monkeypatch.setattr("contracts.websites.pages.PATIENCE", 60.0)
    monkeypatch.setattr("contracts.websites.pages.REFRESH_PATIENCE", 60.0)
    settings = Settings(
        home=tmp_path / "home",
        prewarm=False,
        fetch_delay_s=0.0,
        fetch_allow_hosts=(site.host,),
    )
    return Core(settings)


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    core.home.prepare()
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


@pytest.fixture
async def client(core: Core, engine: InlineEngine) -> Any:
    server: FastMCP[Any] = FastMCP("websites", mask_error_details=True)
    websites_tools.declare(server, core)
    async with Client(server) as connected:
        yield connected


@pytest.fixture
async def everything(core: Core, engine: InlineEngine) -> Any:
    """A client of the whole server."""
    async with Client(build_server(core)) as connected:
        yield connected


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    return reply.structured_content


async def refused(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    """The contract's error, as a program gets it."""
    reply = await client.call_tool(tool, arguments, raise_on_error=False)
    assert reply.is_error
    assert isinstance(reply.structured_content, dict)
    error: dict[str, Any] = reply.structured_content["error"]
    assert set(error) == {"type", "message", "details", "suggestion"}
    assert error["suggestion"]
    return error
