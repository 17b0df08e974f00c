"""Contract 01 as its document has it: every request and response, field for field, in both protocol eras."""

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from mcp import MCPError

from contracts import saving
from contracts.core import Core
from contracts.deep_research_tools import TOOLS
from contracts.refusals import refused
from contracts.settings import Settings
from events import errors
from events.errors import ResearchError
from events.research import StepTaken
from mcp_entry import build_server
from tests.homes import DOCUMENT, build_home
from tests.past_tasks import MODEL, REPORT, PastTasks

pytestmark = pytest.mark.anyio

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


async def ask(core: Core, era: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    async with Client(build_server(core), mode=era) as client:
        reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    # Clients without structured content read the same from the text.
    assert json.loads(reply.content[0].text) == reply.structured_content
    return reply.structured_content


# -- schemas --------------------------------------------------------------------------------------

TASK_ID = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
}
QUERY = {"type": "string", "minLength": 3, "maxLength": 10000}
SCHEMAS: dict[str, dict[str, dict[str, Any]]] = {
    "start_deep_research": {
        "query": QUERY,
        "enable_notifications": {"type": "boolean", "default": True},
        "max_wait_hours": {"type": "integer", "default": 8, "minimum": 1, "maximum": 24},
        "model": {"type": "string", "default": "deep-research-pro-preview-12-2025"},
    },
    "check_research_status": {"task_id": TASK_ID},
    "get_research_results": {
        "task_id": TASK_ID,
        "include_sources": {"type": "boolean", "default": True},
    },
    "cancel_research": {
        "task_id": TASK_ID,
        "save_partial": {"type": "boolean", "default": True},
    },
    "estimate_research_cost": {"query": QUERY},
    "save_research_to_markdown": {
        "task_id": TASK_ID,
        "output_dir": {"type": "string", "default": "./research_reports"},
        "filename_prefix": {"type": "string", "default": "research"},
        "include_metadata": {"type": "boolean", "default": True},
        "include_sources": {"type": "boolean", "default": True},
    },
}


async def test_every_tool_has_the_contracts_schema(core: Core, era: Any) -> None:
    async with Client(build_server(core), mode=era) as client:
        tools = {tool.name: tool.input_schema for tool in await client.list_tools()}
    for name, properties in SCHEMAS.items():
        assert len(tools[name]["required"]) == 1
        for field, wanted in properties.items():
            found = tools[name]["properties"][field]
            assert {key: found.get(key) for key in wanted} == wanted, (name, field)
            assert found["description"]
        # Whatever there is besides is optional.
        assert set(tools[name]["required"]) <= set(properties)


# -- 1: start_deep_research -----------------------------------------------------------------------


class QuickEngine:
    """Ends whatever is accepted, at once."""

    def __init__(self, core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch) -> None:
        def end_it(self: Core) -> None:
            for name in self.catalogue.state().unfinished():
                past.finish(name)

        monkeypatch.setattr(Core, "wake_engine", end_it)


async def test_a_research_that_ends_in_time_is_answered_with_its_results(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    QuickEngine(core, past, monkeypatch)
    core.settings = replace(core.settings, sync_window_s=30.0)
    heard: list[float] = []

    async def progress(done: float, of: float | None, said: str | None) -> None:
        heard.append(done)

    async with Client(build_server(core), mode=era, progress_handler=progress) as client:
        reply = (
            await client.call_tool(
                "start_deep_research",
                {"query": QUESTION, "enable_notifications": True, "max_wait_hours": 8},
            )
        ).structured_content
    assert reply and UUID.match(reply["task_id"])
    assert (reply["success"], reply["status"], reply["mode"]) == (True, "completed", "sync")
    results = reply["results"]
    assert results["report"] == REPORT
    assert set(results["sources"][0]) >= {"title", "url", "relevance_score"}
    metadata = results["metadata"]
    assert metadata["duration_minutes"] >= 0
    assert metadata["tokens_used"] == {"input": 450_000, "output": 120_000}
    assert metadata["cost_usd"] == 3.24
    assert metadata["model"] == MODEL
    assert heard[-1] == 100


async def test_a_research_that_takes_longer_is_answered_with_its_id(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.desktop = True
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    task = reply["task_id"]
    assert UUID.match(task)
    assert reply | {"record": 0} == {
        "success": True,
        "task_id": task,
        "status": "running_async",
        "mode": "async",
        "message": "Research running in background. "
        "Desktop notification will be sent on completion.",
        "check_status_command": f"check_research_status(task_id='{task}')",
        "researcher": "gemini",
        "record": 0,
    }
    # The id is durable: another process finds it, and what was asked.
    brief = Core(core.settings).catalogue.brief(task)
    assert (brief.question, brief.max_wait_s, brief.model) == (QUESTION, 8 * 3600, MODEL)
    assert brief.notify


async def test_what_is_set_reaches_the_task(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.settings = replace(core.settings, task_cap_usd=2.5, daily_cap_usd=20.0)
    reply = await ask(
        core,
        era,
        "start_deep_research",
        query=QUESTION,
        enable_notifications=False,
        max_wait_hours=24,
        model="deep-research-preview-04-2026",
    )
    assert "notification" not in reply["message"]
    brief = core.catalogue.brief(reply["task_id"])
    assert (brief.notify, brief.max_wait_s) == (False, 24 * 3600)
    assert brief.model == "deep-research-preview-04-2026"
    assert (brief.task_cap_usd, brief.daily_cap_usd) == (2.5, 20.0)


async def test_with_nothing_to_research_with_gemini_is_unavailable(core: Core, era: Any) -> None:
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert set(reply) == {"success", "error", "message", "suggestion"}
    assert (reply["success"], reply["error"]) == (False, "GEMINI_UNAVAILABLE")
    assert reply["message"].startswith("Gemini API is not available: ")
    assert reply["suggestion"].startswith("Check GEMINI_API_KEY in .env file")


async def test_a_key_that_is_refused_makes_gemini_unavailable(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.failed(past.running(QUESTION), "key_refused", "Invalid API key")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"] == "Gemini API is not available: Invalid API key"
    assert reply["suggestion"] == "Check GEMINI_API_KEY in .env file"


async def test_who_refused_a_key_is_named(core: Core, past: PastTasks, era: Any) -> None:
    past.kind = "claude"
    task = past.running(QUESTION)
    past.failed(task, "key_refused", "claude: invalid x-api-key")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert reply["message"].startswith("Anthropic API is not available: ")
    assert reply["suggestion"] == "Check ANTHROPIC_API_KEY in .env file"


async def test_the_days_cap_refuses_before_anything_is_accepted(
    core: Core, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    monkeypatch.setattr("projections.spent.Spent.today", lambda self: 5.0)
    core.settings = replace(core.settings, daily_cap_usd=5.0)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert reply["error"] == "GEMINI_UNAVAILABLE"
    assert "daily spending cap of $5.00" in reply["message"]
    assert "RESEARCH_AGENT_DAILY_CAP_USD" in reply["suggestion"]
    assert core.catalogue.state().entries == {}


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "ab"},
        {"query": "  a  "},
        {"query": "x" * 10_001},
        {"query": QUESTION, "max_wait_hours": 0},
        {"query": QUESTION, "max_wait_hours": 25},
        {"query": QUESTION, "model": " "},
    ],
    ids=str,
)
async def test_words_that_are_off_are_an_invalid_query(
    core: Core, era: Any, arguments: dict[str, Any]
) -> None:
    reply = await ask(core, era, "start_deep_research", **arguments)
    assert (reply["success"], reply["error"]) == (False, "INVALID_QUERY")
    assert core.catalogue.state().entries == {}


MALFORMED: list[tuple[str, dict[str, Any], str]] = [
    ("start_deep_research", {}, "query"),
    ("start_deep_research", {"query": None}, "query"),
    ("start_deep_research", {"query": ["a", "b"]}, "query"),
    ("start_deep_research", {"query": QUESTION, "max_wait_hours": "soon"}, "max_wait_hours"),
    ("check_research_status", {}, "task_id"),
    ("get_research_results", {"task_id": NOBODY, "include_sources": "maybe"}, "include_sources"),
    ("cancel_research", {"task_id": {}}, "task_id"),
    ("estimate_research_cost", {"query": 7}, "query"),
    ("save_research_to_markdown", {"task_id": NOBODY, "format": "pdf"}, "format"),
    ("list_research_tasks", {"limit": "many"}, "limit"),
    ("list_research_tasks", {"surprise": 1}, "surprise"),
]


async def test_malformed_arguments_are_refused_in_the_contracts_shape(core: Core, era: Any) -> None:
    async with Client(build_server(core), mode=era) as client:
        for tool, arguments, wrong in MALFORMED:
            reply = (await client.call_tool(tool, arguments)).structured_content
            assert reply and set(reply) == {"success", "error", "message", "suggestion"}
            assert (reply["success"], reply["error"]) == (False, "INVALID_QUERY")
            assert (
                reply["message"].startswith("Malformed arguments: ") and wrong in reply["message"]
            )
        assert {tool for tool, _, _ in MALFORMED} == TOOLS
    assert core.catalogue.state().entries == {}


# -- 2: check_research_status ---------------------------------------------------------------------


async def test_a_running_research_says_how_far_it_is(core: Core, past: PastTasks, era: Any) -> None:
    task = past.running(QUESTION)
    past.pay(task, 0.90, (150_000, 50_000))
    past.note(task, StepTaken(step=13, of=20, action="read", decision="Analyzing source 45/70..."))
    reply = await ask(core, era, "check_research_status", task_id=task)
    assert (reply["task_id"], reply["status"]) == (task, "running_async")
    assert reply["progress"] == 65
    assert reply["current_action"] == "Analyzing source 45/70..."
    assert reply["elapsed_minutes"] > 0
    assert reply["tokens_used"] == {"input": 150_000, "output": 50_000}
    assert reply["cost_so_far"] == 0.90
    assert reply["estimated_completion_minutes"] >= 0


async def test_a_completed_research_says_where_its_results_are(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.completed(QUESTION, minutes=18.5)
    reply = await ask(core, era, "check_research_status", task_id=task)
    assert (reply["status"], reply["progress"]) == ("completed", 100)
    assert reply["current_action"] == "Research complete"
    assert reply["elapsed_minutes"] == 18.5
    assert reply["message"] == f"Use get_research_results(task_id='{task}') to retrieve results"
    assert "estimated_completion_minutes" not in reply


@pytest.mark.parametrize(
    "tool",
    [
        "check_research_status",
        "get_research_results",
        "cancel_research",
        "save_research_to_markdown",
    ],
)
async def test_a_task_that_nobody_knows_is_not_found(core: Core, era: Any, tool: str) -> None:
    reply = await ask(core, era, tool, task_id=NOBODY)
    assert (reply["success"], reply["error"]) == (False, "TASK_NOT_FOUND")
    assert reply["message"] == f"No research task found with ID: {NOBODY}"
    assert reply["suggestion"].startswith("Verify task_id from start_deep_research response")


# -- 3: get_research_results ----------------------------------------------------------------------


async def test_results_have_every_field(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert (reply["success"], reply["task_id"], reply["query"]) == (True, task, QUESTION)
    assert reply["report"] == REPORT
    for source in reply["sources"]:
        assert set(source) >= {"title", "url", "snippet", "relevance_score"}
        assert 0 <= source["relevance_score"] <= 1
    metadata = reply["metadata"]
    assert metadata["duration_minutes"] == 18.5
    assert metadata["tokens_used"] == {"input": 450_000, "output": 120_000}
    assert (metadata["cost_usd"], metadata["mode"]) == (3.24, "async")
    assert (metadata["model"], metadata["source_count"]) == (MODEL, 1)
    assert metadata["started_at"] < metadata["completed_at"]
    bare = await ask(core, era, "get_research_results", task_id=task, include_sources=False)
    assert "sources" not in bare


async def test_results_that_are_asked_for_too_early(core: Core, past: PastTasks, era: Any) -> None:
    task = past.running(QUESTION, StepTaken(step=13, of=20, action="read", decision="Reading"))
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply == {
        "success": False,
        "error": "RESEARCH_NOT_COMPLETED",
        "task_id": task,
        "status": "running_async",
        "progress": 65,
        "message": "Research is still in progress. Current progress: 65%",
        "suggestion": "Wait for completion or use check_research_status to monitor",
    }


async def test_a_failed_research_says_why(core: Core, past: PastTasks, era: Any) -> None:
    task = past.failed(past.running(QUESTION), "job_failed", "The model is on strike.")
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert (reply["success"], reply["error"]) == (False, "RESEARCH_FAILED")
    assert (reply["status"], reply["message"]) == ("failed", "The model is on strike.")


async def test_a_long_report_comes_in_pages_that_add_up_to_it(
    core: Core, past: PastTasks, era: Any
) -> None:
    report = "# Long\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 40 for n in range(50))
    task = past.completed(QUESTION, report=report)
    first = await ask(core, era, "get_research_results", task_id=task, page_size=2000)
    pages = first["page"]["pages"]
    assert pages > 2 and "sources" in first
    assert first["page"] == {
        "number": 1,
        "pages": pages,
        "characters": len(report),
        "next": 2,
    }
    rest = [
        await ask(core, era, "get_research_results", task_id=task, page_size=2000, page=number)
        for number in range(2, pages + 1)
    ]
    assert "".join(each["report"] for each in (first, *rest)) == report
    assert all(len(each["report"]) <= 2000 for each in (first, *rest))
    assert rest[-1]["page"]["next"] is None
    beyond = await ask(
        core, era, "get_research_results", task_id=task, page_size=2000, page=pages + 1
    )
    assert beyond["error"] == "INVALID_QUERY"


async def test_report_and_trace_are_resources(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    async with Client(build_server(core), mode=era) as client:
        templates = {each.uri_template for each in await client.list_resource_templates()}
        (report,) = await client.read_resource(f"research://tasks/{task}/report.md")
        (trace,) = await client.read_resource(f"research://tasks/{task}/trace.jsonl")
        (crew,) = await client.read_resource(f"research://tasks/{task}/trace.jsonl?stream=r1")
    assert any(each.startswith("research://tasks/{task_id}/report.md") for each in templates)
    assert (report.text, report.mime_type) == (REPORT, "text/markdown")
    assert trace.text == past.built.stream(task).read_text()
    assert crew.text == past.built.stream(f"{task}.r1").read_text()


@pytest.mark.parametrize("task", [NOBODY, "..%2Fcatalogue", "catalogue"])
@pytest.mark.parametrize("name", ["report.md", "trace.jsonl"])
async def test_a_resource_that_is_not_there_is_refused(
    core: Core, past: PastTasks, era: Any, task: str, name: str
) -> None:
    async with Client(build_server(core), mode=era) as client:
        with pytest.raises(MCPError):
            await client.read_resource(f"research://tasks/{task}/{name}")


# -- 4: cancel_research ---------------------------------------------------------------------------


@pytest.fixture
def stopper(core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An engine that hears of cancels only."""

    def stop_it(self: Core) -> None:
        for name, entry in self.catalogue.state().entries.items():
            if entry.stop and not entry.ended:
                past.stopped(name, save_partial=entry.stop.save_partial)

    monkeypatch.setattr(Core, "wake_engine", stop_it)
    yield


@pytest.mark.usefixtures("stopper")
async def test_cancelling_keeps_what_was_found_and_says_what_it_cost(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.running(QUESTION, StepTaken(step=13, of=20, action="read", decision="Reading"))
    past.pay(task, 0.90)
    past.read_and_quote(task)
    reply = await ask(core, era, "cancel_research", task_id=task)
    assert reply | {"record": 0} == {
        "success": True,
        "task_id": task,
        "status": "cancelled",
        "partial_results_saved": True,
        "progress_at_cancellation": 65,
        "cost_usd": 0.90,
        "message": "Research cancelled. "
        "Partial results saved and accessible via get_research_results.",
        "record": 0,
    }
    kept = await ask(core, era, "get_research_results", task_id=task)
    assert kept["success"] and kept["metadata"]["partial"]
    assert (kept["metadata"]["status"], kept["metadata"]["cost_usd"]) == ("cancelled", 0.9)
    assert DOCUMENT[:47] in kept["report"]
    assert kept["sources"][0]["snippet"] == DOCUMENT[:47]


@pytest.mark.usefixtures("stopper")
@pytest.mark.parametrize("save_partial", [True, False])
async def test_cancelling_never_claims_to_have_kept_what_is_not_there(
    core: Core, past: PastTasks, era: Any, save_partial: bool
) -> None:
    task = past.running(QUESTION, steps=1)
    if not save_partial:
        past.read_and_quote(task)
    reply = await ask(core, era, "cancel_research", task_id=task, save_partial=save_partial)
    assert (reply["success"], reply["partial_results_saved"]) == (True, False)
    assert "not" in reply["message"] or "no partial" in reply["message"]
    empty = await ask(core, era, "get_research_results", task_id=task)
    assert (empty["error"], empty["status"]) == ("RESEARCH_FAILED", "cancelled")


async def test_a_completed_research_cannot_be_cancelled(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.completed(QUESTION)
    reply = await ask(core, era, "cancel_research", task_id=task)
    assert reply == {
        "success": False,
        "error": "RESEARCH_ALREADY_COMPLETED",
        "task_id": task,
        "status": "completed",
        "message": "Cannot cancel: research already completed",
        "suggestion": "Use get_research_results to retrieve completed research",
    }


# -- 5: estimate_research_cost --------------------------------------------------------------------


async def test_an_estimate_has_every_field(core: Core, era: Any) -> None:
    query = (
        "What are the geopolitical implications of AI regulation differences between US, EU, "
        "and China?"
    )
    reply = await ask(core, era, "estimate_research_cost", query=query)
    assert (reply["query"], reply["query_complexity"]) == (query, "complex")
    assert reply["estimated_duration"] == {
        "min_minutes": 15,
        "max_minutes": 60,
        "likely_minutes": 35,
    }
    cost = reply["estimated_cost"]
    assert set(cost) == {"min_usd", "max_usd", "likely_usd"}
    assert 0 < cost["min_usd"] < cost["likely_usd"] < cost["max_usd"]
    assert reply["will_likely_go_async"] is True
    assert reply["recommendation"].startswith("Complex multi-domain query detected.")
    assert reply["based_on_tasks"] == 0
    short = await ask(core, era, "estimate_research_cost", query="ab")
    assert short["error"] == "INVALID_QUERY"


# -- 6: save_research_to_markdown -----------------------------------------------------------------


async def test_a_saved_research_is_where_the_answer_says(
    core: Core, past: PastTasks, tmp_path: Path, era: Any
) -> None:
    task = past.completed(QUESTION)
    folder = tmp_path / "out"
    reply = await ask(core, era, "save_research_to_markdown", task_id=task, output_dir=str(folder))
    assert (reply["success"], reply["task_id"]) == (True, task)
    path = Path(reply["file_path"])
    assert path.name == reply["filename"]
    assert re.fullmatch(rf"research_{task[:8]}_\d{{8}}_\d{{6}}\.md", path.name)
    created = reply["created_at"]
    assert path.parent == folder / created[:7]
    assert created.replace("-", "").replace(":", "").replace("T", "_")[:15] in path.name
    assert reply["file_size_kb"] == round(path.stat().st_size / 1024, 1)
    assert reply["sections_included"] == [
        "metadata",
        "executive_summary",
        "findings",
        "conclusion",
        "sources",
    ]


async def test_a_research_that_is_not_done_cannot_be_saved(
    core: Core, past: PastTasks, tmp_path: Path, era: Any
) -> None:
    task = past.running(QUESTION, StepTaken(step=13, of=20, action="read", decision="Reading"))
    reply = await ask(
        core, era, "save_research_to_markdown", task_id=task, output_dir=str(tmp_path / "out")
    )
    assert reply == {
        "success": False,
        "error": "RESEARCH_NOT_COMPLETED",
        "task_id": task,
        "status": "running_async",
        "progress": 65,
        "message": "Cannot save: research still in progress (65%)",
        "suggestion": "Wait for completion before saving to Markdown",
    }
    assert not (tmp_path / "out").exists()


async def test_a_full_disk_says_what_is_missing(
    core: Core, past: PastTasks, tmp_path: Path, era: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = past.completed(QUESTION)
    monkeypatch.setattr("contracts.saving.shutil.disk_usage", lambda path: _Usage(10 << 10))
    reply = await ask(
        core, era, "save_research_to_markdown", task_id=task, output_dir=str(tmp_path / "out")
    )
    assert (reply["success"], reply["error"]) == (False, "DISK_FULL")
    assert Path(reply["file_path"]).parent.parent == tmp_path / "out"
    assert (reply["available_kb"], reply["required_kb"] > 10) == (10, True)
    assert reply["message"] == "Insufficient disk space to save report"
    assert reply["suggestion"] == "Free up disk space or specify alternative output_dir"


class _Usage:
    def __init__(self, free: int) -> None:
        self.free = free


# -- 7: list_research_tasks, and what clients are told --------------------------------------------


async def test_an_id_is_found_again_page_by_page(core: Core, past: PastTasks, era: Any) -> None:
    tasks = [past.entered(f"Question {number}?") for number in range(5)]
    done = past.completed(QUESTION)
    first = await ask(core, era, "list_research_tasks", limit=4)
    rest = await ask(core, era, "list_research_tasks", limit=4, cursor=first["next_cursor"])
    listed = [each["task_id"] for each in (*first["tasks"], *rest["tasks"])]
    assert listed == [done, *reversed(tasks)]
    assert rest["next_cursor"] is None
    only = await ask(core, era, "list_research_tasks", status="completed")
    assert [each["task_id"] for each in only["tasks"]] == [done]
    assert (await ask(core, era, "list_research_tasks", status="lost"))["error"] == "INVALID_QUERY"


async def test_without_a_desktop_the_client_is_told_when_a_research_ends(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    heard: list[Any] = []

    async def log_handler(message: Any) -> None:
        heard.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with Client(build_server(core), mode=era, log_handler=log_handler) as client:
            reply = await client.call_tool("start_deep_research", {"query": QUESTION})
            assert reply.structured_content
            assert "log message" in reply.structured_content["message"]
            task = reply.structured_content["task_id"]
            assert heard == []
            past.finish(task)
            await client.call_tool("list_research_tasks", {})
            await client.call_tool("list_research_tasks", {})
    (said,) = heard
    assert (said.level, said.logger) == ("info", "research-agent")
    assert task in str(said.data) and "completed" in str(said.data)


async def test_a_desktop_somewhere_keeps_no_client_from_being_told(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch, era: Any
) -> None:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    core.desktop = True  # The engine may have been started without one.
    heard: list[Any] = []

    async def log_handler(message: Any) -> None:
        heard.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with Client(build_server(core), mode=era, log_handler=log_handler) as client:
            reply = await client.call_tool("start_deep_research", {"query": QUESTION})
            assert reply.structured_content
            past.finish(reply.structured_content["task_id"])
            await client.call_tool("list_research_tasks", {})
            await client.call_tool("list_research_tasks", {})
    assert len(heard) == 1 and "completed" in str(heard[0].data)


# -- the codes ------------------------------------------------------------------------------------

CODES: list[tuple[ResearchError, str]] = [
    (errors.NothingToSearch(), "GEMINI_UNAVAILABLE"),
    (errors.BadRequest("Off.", "Fix it."), "INVALID_QUERY"),
    (errors.UnknownTask(NOBODY), "TASK_NOT_FOUND"),
    (errors.TaskNotFinished(NOBODY, 65), "RESEARCH_NOT_COMPLETED"),
    (errors.TaskAlreadyEnded(NOBODY, "completed"), "RESEARCH_ALREADY_COMPLETED"),
    (errors.EngineDown("here", "it is down"), "RESEARCH_FAILED"),
    (errors.BrokenChain("x.jsonl", 3, "it is broken"), "SQLITE_ERROR"),
    (errors.StreamBusy("catalogue", 5), "SQLITE_ERROR"),
    (errors.DiskFull("/home/you"), "DISK_FULL"),
    (saving.NoRoom("/home/you/x.md", 50, 10), "DISK_FULL"),
    (errors.HomeUnwritable("/home/you", "it is read only"), "PERMISSION_DENIED"),
    (saving.NotAllowed("/x", "Permission denied"), "PERMISSION_DENIED"),
]


@pytest.mark.parametrize(("failure", "code"), CODES, ids=lambda each: getattr(each, "code", each))
def test_every_refusal_has_the_contracts_code(failure: ResearchError, code: str) -> None:
    reply = refused(failure)
    assert (reply["success"], reply["error"]) == (False, code)
    assert reply["message"] and reply["suggestion"]


def test_every_code_of_the_contract_is_used() -> None:
    assert {code for _, code in CODES} == {
        "GEMINI_UNAVAILABLE",
        "INVALID_QUERY",
        "TASK_NOT_FOUND",
        "RESEARCH_NOT_COMPLETED",
        "RESEARCH_ALREADY_COMPLETED",
        "RESEARCH_FAILED",
        "SQLITE_ERROR",
        "DISK_FULL",
        "PERMISSION_DENIED",
    }


async def test_a_broken_store_is_a_store_error(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    path = past.built.stream(task)
    path.write_bytes(path.read_bytes().replace(b"quantum", b"quantun"))
    for tool in ("check_research_status", "get_research_results"):
        assert (await ask(core, era, tool, task_id=task))["error"] == "SQLITE_ERROR"
