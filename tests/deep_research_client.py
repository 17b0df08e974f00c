"""A client of contract 01 in both protocol eras, over a home with past tasks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP

from contracts.core import Core
from contracts.settings import Settings
from mcp_entry import build_server
from tests.homes import build_home
from tests.past_tasks import PastTasks

QUESTION = "What are the latest developments in quantum computing?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    monkeypatch.setattr("contracts.core.desktop_exists", lambda: False)
    return Core(Settings(home=past.built.root, sync_window_s=0.0, prewarm=False))


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Any:
    return request.param


def server_of(core: Core) -> FastMCP[Any]:
    """The one server over a core: to build it takes longer than most calls."""
    if "_server" not in core.__dict__:
        core.__dict__["_server"] = build_server(core)
    return core.__dict__["_server"]  # type: ignore[no-any-return]


async def ask(core: Core, era: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    async with Client(server_of(core), mode=era) as client:
        reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    # Clients without structured content read the same from the text.
    assert json.loads(reply.content[0].text) == reply.structured_content
    return reply.structured_content
