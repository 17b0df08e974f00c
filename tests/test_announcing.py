"""Clients are told when a research ends, also where nothing reaches them but answers."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from fastmcp import Client

from contracts import announcing
from contracts.core import Core
from tests.homes import build_home
from tests.http_house import house
from tests.past_tasks import PastTasks

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore"),
]

QUESTION = "Why is the sky blue?"


class Listener:
    """What a client hears beside its answers."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def __call__(self, message: Any) -> None:
        self.heard.append(message)


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PastTasks:
    monkeypatch.setattr(announcing, "_GLANCE", 0.02)
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


async def begun(client: Client[Any]) -> str:
    reply = await client.call_tool("start_deep_research", {"query": QUESTION})
    assert reply.structured_content
    return str(reply.structured_content["task_id"])


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_over_http_the_next_answer_tells_it_for_nothing_else_would_arrive(
    tmp_path: Path, past: PastTasks, era: Any
) -> None:
    listener = Listener()
    with house(tmp_path, sync_window_s=0.0) as server:
        token = server.tokens["write"]
        async with Client(server.url, auth=token, mode=era, log_handler=listener) as client:
            task = await begun(client)
            past.finish(task)
            await anyio.sleep(0.3)
            await client.call_tool("list_research_tasks", {})
            await client.call_tool("list_research_tasks", {})
    (said,) = listener.heard
    assert task in str(said.data) and "completed" in str(said.data)
