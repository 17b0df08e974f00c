"""Contract 01, how far a research is, what it found, and how it is cancelled: through a client in both eras."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastmcp import Client
from mcp import MCPError

from actors.findings import CitedSource, Grounding
from contracts.core import Core
from events.research import StepTaken
from mcp_entry import build_server
from tests.deep_research_client import NOBODY, QUESTION, ask, core, era, past
from tests.homes import DOCUMENT
from tests.past_tasks import MODEL, REPORT, PastTasks

__all__ = ["core", "era", "past"]
pytestmark = pytest.mark.anyio


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


async def test_sources_that_could_not_be_read_count_as_sources(
    core: Core, past: PastTasks, era: Any
) -> None:
    gone = CitedSource(url="https://a.example/", title="A", content_hash=None, reason="It is gone")
    tally = Grounding(outcomes=(), sources=(gone,), supported=0, not_found=0, unreachable=0)
    task = past.completed(QUESTION, grounding=tally.model_dump(mode="json"), citations=[])
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert reply["metadata"]["source_count"] == 1 + 1, "one was read"
    [named] = reply["sources"]
    assert (named["url"], named["note"]) == ("https://a.example/", "It is gone")


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
