"""Whoever waits for a research that was accepted is told which one it is, also where waiting came to nothing."""

from pathlib import Path

import pytest
from fastmcp import Client

from contracts.core import Core
from contracts.deep_research.pace import Pace
from contracts.research import continuing
from contracts.settings import Settings
from events.errors import BrokenChain, EngineDown, HomeUnwritable, ResearchError
from mcp_entry import build_server
from tests.shapes import check

pytestmark = pytest.mark.anyio

QUESTION = "How do tides generate electricity?"
DOWN = EngineDown("here", "it is down")
UNREADABLE = [BrokenChain("x.jsonl", 3, "it is broken"), HomeUnwritable("/home/you", "no room")]


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    monkeypatch.setattr(Core, "choose_grounded", lambda self: "claude")
    return Core(Settings(home=tmp_path / "home", prewarm=False, sync_window_s=5.0))


def tasks(core: Core) -> list[str]:
    return list(core.catalogue.state().entries)


def spoil(monkeypatch: pytest.MonkeyPatch, failure: ResearchError) -> None:
    def fail(*_: object) -> None:
        raise failure

    if isinstance(failure, EngineDown):
        monkeypatch.setattr(Core, "expect_engine", fail)
    else:
        monkeypatch.setattr(Pace, "look", fail)


@pytest.mark.parametrize("failure", [DOWN, *UNREADABLE], ids=lambda each: each.code)
async def test_who_waits_for_an_answer_learns_the_id_and_that_asking_again_costs_again(
    core: Core, monkeypatch: pytest.MonkeyPatch, failure: ResearchError
) -> None:
    spoil(monkeypatch, failure)
    async with Client(build_server(core)) as client:
        reply = await client.call_tool("research", {"question": QUESTION}, raise_on_error=False)
        (task,) = tasks(core)
        monkeypatch.setattr(continuing, "start_continuation", lambda *_: task)
        further = {"task_id": task, "extra_budget": 9_000}
        again = await client.call_tool("continue_research", further, raise_on_error=False)
    for told in (reply, again):
        assert told.is_error
        said = told.content[0].text
        assert said.startswith(f"Research {task} is accepted")
        assert failure.sentence in said and "Do not ask again" in said
        assert f"check_research_status(task_id='{task}')" in said
    code = failure.code if failure is DOWN else "out_of_sight"
    assert said.endswith(f"[{code}]")


@pytest.mark.parametrize("failure", UNREADABLE, ids=lambda each: each.code)
async def test_where_a_record_cannot_be_read_the_id_of_what_was_accepted_is_told(
    core: Core, monkeypatch: pytest.MonkeyPatch, failure: ResearchError
) -> None:
    spoil(monkeypatch, failure)
    async with Client(build_server(core)) as client:
        shapes = {each.name: each.output_schema for each in await client.list_tools()}
        reply = await client.call_tool("start_deep_research", {"query": QUESTION})
    told = reply.structured_content
    assert told and (told["success"], told["error"]) == (False, "SQLITE_ERROR")
    assert [told["task_id"]] == tasks(core)
    assert failure.sentence in told["message"] and "Do not ask again" in told["suggestion"]
    check(told, shapes["start_deep_research"])
