"""What was accepted is told: a research that nobody can wait for, and documents that are not read yet."""

from pathlib import Path

import pytest
from fastmcp import Client

from contracts.core import Core
from contracts.deep_research.pace import Pace
from contracts.research import continuing
from contracts.settings import Settings
from events.errors import BrokenChain, EngineDown, HomeUnwritable, ResearchError
from mcp_entry import build_server
from projections.search import LocalCorpus
from tests.asking_letters import open_asking
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


async def test_who_searches_while_the_first_documents_are_read_is_not_told_to_add_some(
    core: Core,
) -> None:
    core.home.prepare()
    core.__dict__["_opened_corpus"] = LocalCorpus(core.home, opening=open_asking)
    job, _ = core.catalogue.enter_job("tides", ["/tides.md"])
    async with Client(build_server(core)) as client:
        reply = await client.call_tool("query_knowledge_base", {"query": QUESTION})
        # Nothing is on its way to other collections.
        made = {"action": "create", "collection_name": "empty"}
        await client.call_tool("manage_collections", made)
        other = {"query": QUESTION, "collections": "empty"}
        empty = await client.call_tool("query_knowledge_base", other)
    assert reply.structured_content and empty.structured_content
    said = reply.structured_content["query_refinement"]["message"]
    assert f"still being read: ask again when job {job} has ended" in said
    assert "There are no documents here yet" not in said
    said = empty.structured_content["query_refinement"]["message"]
    assert "There are no documents here yet" in said
