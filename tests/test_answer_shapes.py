"""Every tool publishes the shape of its answers, and answers in it: nothing missing, nothing that is not described."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from contracts.citations import asking as citations
from contracts.core import Core
from contracts.knowledge.shelving import manage_projects
from contracts.settings import Settings
from mcp_entry import build_server
from projections.search import LocalCorpus
from tests.asking_letters import open_asking
from tests.inline_engine import InlineEngine
from tests.knowledge_base import SAMPLES, files
from tests.paper_files import write_papers
from tests.shapes import check, check_schema, strangers
from tests.web_pages import BLOG, JOB, Board
from tests.website_desk import site

pytestmark = pytest.mark.anyio
__all__ = ["files", "site"]

QUESTION = "How do tides generate electricity?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"
PROJECT = "citeloom/clean-arch"


@pytest.fixture
def core(tmp_path: Path, site: Board, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    for place in (
        "knowledge.ingesting.PATIENCE",
        "websites.pages.PATIENCE",
        "websites.pages.REFRESH_PATIENCE",
    ):
        monkeypatch.setattr(f"contracts.{place}", 60.0)
    for place in ("PATIENCE", "INGEST_WITHIN"):
        monkeypatch.setattr(f"contracts.citations.ingest.{place}", 60.0)
    for place in ("QUERY_WITHIN", "HYBRID_WITHIN", "INSPECT_WITHIN"):
        monkeypatch.setattr(citations, place, 60.0)
    settings = Settings(
        home=tmp_path / "home",
        roots=(tmp_path / "files", SAMPLES),
        prewarm=False,
        fetch_delay_s=0.0,
        fetch_allow_hosts=(site.host,),
    )
    core = Core(settings)
    core.__dict__["_opened_corpus"] = LocalCorpus(core.home, opening=open_asking)
    return core


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    core.home.prepare()
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


@dataclass
class Caller:
    """Calls tools, and holds every answer against what its tool publishes."""

    client: Client[Any]
    shapes: dict[str, dict[str, Any]]
    asked: set[str] = field(default_factory=set)

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = await self.client.call_tool(tool, arguments, raise_on_error=False)
        answer: dict[str, Any] | None = reply.structured_content
        assert isinstance(answer, dict), (tool, reply.content)
        check(answer, self.shapes[tool])
        assert strangers(answer, self.shapes[tool]) == set(), tool
        self.asked.add(tool)
        return answer


async def test_every_tool_answers_in_the_shape_that_it_publishes(
    core: Core, engine: InlineEngine, files: Path, site: Board, tmp_path: Path
) -> None:
    async with Client(build_server(core)) as client:
        shapes = {tool.name: tool.output_schema for tool in await client.list_tools()}
        call = Caller(client, {name: shape or {} for name, shape in shapes.items()})
        await _knowledge(call, files)
        task = await _deep_research(call, core, engine, tmp_path)
        await _research(call, task)
        await _websites(call, site)
        await _citations(call, core, files, task)
        assert call.asked == set(shapes)


async def test_every_shape_is_a_schema_and_leaves_room_for_more(core: Core) -> None:
    async with Client(build_server(core)) as client:
        for tool in await client.list_tools():
            shape = tool.output_schema
            assert shape is not None and shape["type"] == "object", tool.name
            check_schema(shape)
            assert "'additionalProperties': False" not in str(shape)
            for answer in shape["anyOf"]:
                assert answer["required"], f"{tool.name} promises nothing"


async def test_answers_stay_dictionaries_for_programs_that_use_fastmcp(core: Core) -> None:
    for era in ("auto", "legacy"):
        async with Client(build_server(core), mode=era) as client:
            reply = await client.call_tool("manage_collections", {"action": "list"})
            assert reply.data == reply.structured_content


# -- calls of every tool ---------------------------------------------------------------------------


async def _knowledge(call: Caller, files: Path) -> None:
    mixed = files / "mixed"
    mixed.mkdir()
    (mixed / "good.md").write_text("# Good\n\n## Part\n\nRed buoys mark the port side.\n")
    (mixed / "bad.pdf").write_text("no pdf")
    (mixed / "empty.md").write_text("")
    await call("ingest_documents", path=str(mixed), collection="sea")
    await call("ingest_documents", path=str(SAMPLES), collection="tides")
    await call("augment_knowledge", content="Neap tides.", source="notes", collection="sea")
    assert (await call("query_knowledge_base", query=QUESTION, top_k=3))["results"]
    await call("query_knowledge_base", query="zebra", collections="sea", document_context="x")
    named = {"collection_name": "new"}
    for action, more in (
        ("create", named | {"project_name": "sea"}),
        ("info", {"collection_name": "tides"}),
        ("info", named),
        ("delete", named),
        ("restore", named),
        ("list", {}),
    ):
        await call("manage_collections", action=action, **more)
    for action in ("link", "set-defaults", "unlink", "info", "list"):
        await call("manage_projects", action=action, project_name="sea", collections="tides")
    await call("manage_projects", action="create", project_name="land")


async def _deep_research(call: Caller, core: Core, engine: InlineEngine, tmp_path: Path) -> str:
    task = str((await call("start_deep_research", query=QUESTION))["task_id"])
    await call("check_research_status", task_id=task)
    await call("get_research_results", task_id=task)
    await call("get_research_results", task_id=task, page_size=500)
    await call("save_research_to_markdown", task_id=task, output_dir=str(tmp_path / "reports"))
    await call("estimate_research_cost", query=QUESTION)
    engine.paused.set()
    object.__setattr__(core.settings, "sync_window_s", 0.0)
    slow = (await call("start_deep_research", query=f"{QUESTION} And when?"))["task_id"]
    await call("check_research_status", task_id=slow)
    await call("get_research_results", task_id=slow)
    await call("cancel_research", task_id=slow)
    await call("check_research_status", task_id=slow)
    await call("cancel_research", task_id=slow)
    engine.paused.clear()
    await call("list_research_tasks")
    for tool in ("check_research_status", "get_research_results", "save_research_to_markdown"):
        assert (await call(tool, task_id=NOBODY))["success"] is False
    assert (await call("estimate_research_cost", query="?"))["success"] is False
    assert (await call("start_deep_research", query=""))["success"] is False
    return task


async def _research(call: Caller, task: str) -> None:
    await call("research", question=QUESTION)
    await call("research", question=QUESTION, depth="deep")
    await call("continue_research", task_id=task, extra_budget=5000)
    assert (await call("verify_research", task_id=task))["verified"]
    assert (await call("verify_research", task_id=NOBODY))["success"] is False
    await call("rate_research", task_id=task, correct=True, note="seen")
    await call("rate_research", task_id=task, correct=0.5)
    assert (await call("rate_research", task_id=task, correct=7))["success"] is False
    await call("audit_traces", name="cost_by_task")
    await call("audit_traces", sql="SELECT [1, 2] AS few, {'a': NULL} AS one, now() AS at")


async def _websites(call: Caller, site: Board) -> None:
    url = site.put("/jobs/acme", JOB)
    source = (await call("rag_process_website", url=url))["source_id"]
    await call("rag_process_website", url=url)
    gone = (await call("rag_process_website", url=site.url("/missing")))["source_id"]
    await call("rag_get_website_status", source_id=gone)
    await call("rag_query_websites", query="Python in Tokyo", include_synthesis=True)
    await call("rag_query_websites", query="Python in Tokyo", source_ids=[])
    site.put("/jobs/acme", JOB.replace("Three days", "Four days"))
    await call("rag_refresh_website", source_id=source)
    await call("rag_get_website_status", source_id=source)
    site.put("/blog", BLOG)
    await call("rag_process_site", url=site.url("/blog"), max_pages=2)
    await call("rag_list_websites")
    await call("rag_delete_website", source_id=source)
    assert "error" in await call("rag_delete_website", source_id=10**6)
    assert "error" in await call("rag_process_website", url="file:///etc/passwd")
    assert "error" in await call("rag_list_websites", limit="many")


async def _citations(call: Caller, core: Core, files: Path, task: str) -> None:
    papers = files / "papers"
    papers.mkdir()
    write_papers(papers)
    manage_projects(core, "create", PROJECT)
    asked = {"project": PROJECT}
    await call("ingest_from_source", **asked, source=str(papers))
    await call("ingest_from_source", **asked, source=str(papers))
    found = await call("query", **asked, text="turbines in the stream")
    assert found["items"]
    await call("query_hybrid", **asked, text="turbines", include_full_text=True)
    await call("inspect_collection", **asked, sample=2)
    await call("list_projects")
    await call("cite", **asked, citekeys=["severn2010", "martin2017"])
    await call("cite", **asked, chunk_ids=[found["items"][0]["chunk_id"]], style="ieee")
    for form in ("csl-json", "bibtex", "ris"):
        await call("export_references", **asked, format=form)
    await call("export_references", **asked, task_id=task)
    assert "error" in await call("query", project="no/such", text="x")
    assert "error" in await call("cite", **asked, citekeys=["nobody"])
