"""What an MCP client sees, in both eras of the protocol, with the engine played by this process."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from mcp import MCPError

from contracts.core import Core
from contracts.research.calls import brief_for
from contracts.settings import Settings
from events.errors import UnknownCollection
from mcp_entry import build_server
from tests.inline_engine import InlineEngine
from traces.verify import verify_home

pytestmark = pytest.mark.anyio

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    roots = (tmp_path, SAMPLES)
    return Core(Settings(home=tmp_path / "home", sync_window_s=5.0, roots=roots))


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    core.home.prepare()
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Any:
    return request.param


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    return reply.structured_content


async def test_documents_go_in_and_a_grounded_answer_comes_out(
    core: Core, engine: InlineEngine, era: Any
) -> None:
    heard: list[float] = []

    async def progress(done: float, of: float | None, said: str | None) -> None:
        heard.append(done)

    async with Client(build_server(core), mode=era, progress_handler=progress) as client:
        report = await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
        # On a busy machine it goes on after the tool has answered.
        *_, ingested = core.follow_job(report["job_id"], 60)
        assert (ingested.phase, ingested.added) == ("completed", len(list(SAMPLES.glob("*.md"))))
        found = await call(client, "research", question=QUESTION)
    assert found["citations"]
    for citation in found["citations"]:
        text = core.home.blobs.get_text(citation["text_hash"])
        assert text[citation["start"] : citation["end"]] == citation["raw_excerpt"]
        assert f"[{citation['number']}]" in found["answer"]
    assert set(found["cost_metadata"]) == {
        "tokens_used",
        "iterations_run",
        "wall_time_sec",
        "budget_exhausted",
        "model_id",
    }
    assert heard[-1] == 100
    record = found["record"]
    head = f"{record['stream']}:{record['seq']}:{record['head']}"
    assert verify_home(core.home.root, [head]).faults == []


async def test_an_excerpt_has_the_line_breaks_of_its_source(
    core: Core, engine: InlineEngine, tmp_path: Path
) -> None:
    said = "The tidal power station at La Rance\r\ngenerates about 500 GWh of electricity a year."
    (tmp_path / "rance.txt").write_bytes(f"{said}\r\n".encode())
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(tmp_path / "rance.txt"), collection="c")
        asked = "How much electricity does La Rance generate a year?"
        found = await call(client, "research", question=asked)
    assert [each["raw_excerpt"] for each in found["citations"]] == [said]


async def test_a_research_that_ends_in_time_is_answered_at_once(
    core: Core, engine: InlineEngine
) -> None:
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
        reply = await call(client, "start_deep_research", query=QUESTION)
        assert (reply["success"], reply["status"], reply["mode"]) == (True, "completed", "sync")
        assert set(reply["results"]) == {"report", "sources", "metadata"}
        status = await call(client, "check_research_status", task_id=reply["task_id"])
        assert (status["status"], status["progress"]) == ("completed", 100)
        results = await call(client, "get_research_results", task_id=reply["task_id"])
        assert results["report"] == reply["results"]["report"]
        assert set(results["sources"][0]) >= {"title", "url", "snippet", "relevance_score"}
        bare = await call(
            client, "get_research_results", task_id=reply["task_id"], include_sources=False
        )
        assert "sources" not in bare
        refused = await call(client, "cancel_research", task_id=reply["task_id"])
        assert refused["error"] == "RESEARCH_ALREADY_COMPLETED"


async def test_a_research_that_takes_longer_goes_on_by_itself(
    core: Core, engine: InlineEngine
) -> None:
    core.settings = replace(core.settings, sync_window_s=0.1)
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
        engine.paused.set()
        reply = await call(client, "start_deep_research", query=QUESTION)
        task = reply["task_id"]
        assert (reply["status"], reply["mode"]) == ("running_async", "async")
        assert reply["check_status_command"] == f"check_research_status(task_id='{task}')"
        early = await call(client, "get_research_results", task_id=task)
        assert (early["error"], early["progress"]) == ("RESEARCH_NOT_COMPLETED", 0)
        listed = await call(client, "list_research_tasks")
        assert [each["task_id"] for each in listed["tasks"]] == [task]
    # The client is gone; another one finds the task, finished.
    engine.paused.clear()
    list(core.follow(task, 30))
    async with Client(build_server(Core(core.settings))) as client:
        results = await call(client, "get_research_results", task_id=task)
    assert results["success"]


async def test_cancelling_says_what_was_kept(core: Core, engine: InlineEngine) -> None:
    core.settings = replace(core.settings, sync_window_s=0.0)
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
        engine.paused.set()
        task = (await call(client, "start_deep_research", query=QUESTION))["task_id"]
        reply = await call(client, "cancel_research", task_id=task)
        assert (reply["status"], reply["partial_results_saved"]) == ("cancelled", False)
        results = await call(client, "get_research_results", task_id=task)
        assert (results["error"], results["status"]) == ("RESEARCH_FAILED", "cancelled")
    assert verify_home(core.home.root).faults == []


async def test_the_same_key_never_starts_a_second_task(core: Core, engine: InlineEngine) -> None:
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
        arguments = {"query": QUESTION, "idempotency_key": "k"}
        first = await call(client, "start_deep_research", **arguments)
        again = await call(client, "start_deep_research", **arguments)
    assert first["task_id"] == again["task_id"]


@pytest.mark.parametrize("task", ["", "x", NOBODY, NOBODY.upper(), "../../etc/passwd", "a" * 5000])
@pytest.mark.parametrize(
    "tool", ["check_research_status", "get_research_results", "cancel_research"]
)
async def test_an_id_of_no_task_is_refused_in_the_contracts_words(
    core: Core, tool: str, task: str
) -> None:
    async with Client(build_server(core)) as client:
        reply = await call(client, tool, task_id=task)
    assert reply["success"] is False
    assert reply["error"] == "TASK_NOT_FOUND"
    assert reply["suggestion"]


@pytest.mark.parametrize("query", ["", "  ", "ab", "x" * 10_001])
async def test_a_query_of_the_wrong_length_is_invalid(core: Core, query: str) -> None:
    async with Client(build_server(core)) as client:
        reply = await call(client, "start_deep_research", query=query)
    assert reply["error"] == "INVALID_QUERY"


async def test_with_no_provider_and_nothing_ingested_it_says_what_to_do(core: Core) -> None:
    async with Client(build_server(core)) as client:
        reply = await call(client, "start_deep_research", query=QUESTION)
        assert reply["error"] == "GEMINI_UNAVAILABLE"
        assert "ingest_documents" in reply["suggestion"]
        with pytest.raises(ToolError, match="nothing_to_search"):
            await client.call_tool("research", {"question": QUESTION})
    assert not core.home.path("catalogue").exists() or core.catalogue.state().entries == {}


async def test_while_the_first_documents_are_read_nobody_is_told_to_ingest_some(core: Core) -> None:
    core.home.prepare()
    job, _ = core.catalogue.enter_job("library", ["/library/sky.md"])
    async with Client(build_server(core)) as client:
        reply = await call(client, "start_deep_research", query=QUESTION)
        assert reply["error"] == "GEMINI_UNAVAILABLE"
        assert reply["message"].endswith("the first documents are still being read")
        assert f"when job {job} has ended" in reply["suggestion"]
        with pytest.raises(ToolError, match=rf"still being read.*{job}.*\[nothing_to_search\]"):
            await client.call_tool("research", {"question": QUESTION})


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": ""},
        {"question": "x" * 501},
        {"question": "q", "context": "x" * 2001},
        {"question": "q", "depth": "bottomless"},
        {"question": "q", "constraints": {"max_iterations": 0}},
        {"question": "q", "constraints": {"surprise": 1}},
        {"question": None},
        {},
    ],
)
async def test_a_bad_question_is_refused_and_the_server_stays_up(
    core: Core, arguments: dict[str, Any]
) -> None:
    async with Client(build_server(core)) as client:
        with pytest.raises(ToolError):
            await client.call_tool("research", arguments)
        assert (await call(client, "list_research_tasks"))["tasks"] == []


async def test_a_missing_path_is_refused_with_a_way_out(core: Core, tmp_path: Path) -> None:
    async with Client(build_server(core)) as client:
        for path in (str(tmp_path / "nowhere"), "", "\0", "/dev/zero"):
            with pytest.raises(MCPError) as caught:
                await client.call_tool("ingest_documents", {"path": path, "collection": "c"})
            assert caught.value.error.data["code"] == "path_refused"


async def test_every_tool_says_whether_it_only_reads_and_whether_something_may_be_lost(
    core: Core,
) -> None:
    async with Client(build_server(core)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
    assert len(tools) == 31
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reading == {
        "check_research_status",
        "estimate_research_cost",
        "get_research_results",
        "list_research_tasks",
        "query_knowledge_base",
        "rag_query_websites",
        "rag_list_websites",
        "rag_get_website_status",
        "query",
        "query_hybrid",
        "inspect_collection",
        "list_projects",
        "cite",
        "export_references",
        "audit_traces",
        "verify_research",
    }
    # Clients take a tool that does not say so for one that may destroy something, and ask or refuse.
    changing = tools.keys() - reading
    losing = {name for name in changing if tools[name].annotations.destructive_hint is not False}
    assert losing == {"cancel_research", "manage_collections", "rag_delete_website"}
    assert all(tool.description for tool in tools.values())
    query = tools["start_deep_research"].input_schema["properties"]["query"]
    assert (query["minLength"], query["maxLength"]) == (3, 10000)


async def test_a_collection_that_does_not_exist_is_refused(
    core: Core, engine: InlineEngine
) -> None:
    async with Client(build_server(core)) as client:
        await call(client, "ingest_documents", path=str(SAMPLES), collection="tides")
    with pytest.raises(UnknownCollection, match="tides"):
        core.start_research(brief_for(QUESTION, collections=("tidse",)))


async def test_arguments_that_fit_no_tool_are_refused_in_our_own_words(core: Core) -> None:
    async with Client(build_server(core)) as client:
        for tool in await client.list_tools():
            named = tool.input_schema.get("properties", {})
            for given in ({"no_such": 1}, {name: {"x": [1]} for name in named}):
                try:
                    reply = await client.call_tool(tool.name, given, raise_on_error=False)
                    said = f"{reply.content} {reply.structured_content}"
                except MCPError as refusal:
                    said = str(refusal)
                assert "pydantic" not in said and "validation error" not in said, tool.name
                assert "input_value" not in said, tool.name
        with pytest.raises(ToolError, match=r"question: .*schema names. \[bad_request\]"):
            await client.call_tool("research", {"question": 7})
