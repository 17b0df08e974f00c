"""Contract 01, estimates, saved reports, lists, notices and error codes: through a client in both eras."""

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.deep_research import saving
from contracts.deep_research.refusals import refused
from events import errors
from events.calls import ProviderAwaited
from events.errors import ResearchError
from events.research import StepTaken
from mcp_entry import build_server
from tests.deep_research_client import NOBODY, QUESTION, ask, core, era, past
from tests.past_tasks import PastTasks

__all__ = ["core", "era", "past"]
pytestmark = pytest.mark.anyio


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
    assert reply["recommendation"] == (
        "Complex multi-domain query detected. Will likely take about 35 minutes and switch to async "
        "mode. Consider breaking into smaller focused queries if time is critical. Based on "
        "published figures."
    )
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
    monkeypatch.setattr(
        "contracts.deep_research.saving.shutil.disk_usage", lambda path: _Usage(10 << 10)
    )
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
    lost = await ask(core, era, "list_research_tasks", status="lost" * 10_000)
    assert lost == {
        "success": False,
        "error": "INVALID_QUERY",
        "message": f"There is no status '{'lost' * 10}'.",
        "suggestion": "Use one of pending, running, completed, failed, cancelled, quarantined.",
    }


async def test_those_that_were_set_aside_are_among_the_failed_as_they_are_listed(
    core: Core, past: PastTasks, era: Any
) -> None:
    tasks = list[str]()
    for number in range(7):
        task = past.running(f"Question {number}?", steps=1)
        past.completed(f"Another question {number}?")
        tasks.append(task)
        if number % 3 == 1:
            stream = past.built.stream(task)
            stream.write_bytes(stream.read_bytes().replace(b"Question", b"Questiom"))
        else:
            past.failed(task, "job_failed", "It failed.")
    everything = await ask(core, era, "list_research_tasks")
    failed = [each["task_id"] for each in everything["tasks"] if each["status"] == "failed"]
    assert failed == [*reversed(tasks)]
    for limit in (1, 2, 3, 7, 50):
        listed, cursor = list[str](), None
        while True:
            asked = {"status": "failed", "limit": limit} | ({"cursor": cursor} if cursor else {})
            page = await ask(core, era, "list_research_tasks", **asked)
            assert len(page["tasks"]) <= limit
            listed += [each["task_id"] for each in page["tasks"]]
            if (cursor := page["next_cursor"]) is None:
                break
        assert listed == failed, limit
    aside = await ask(core, era, "list_research_tasks", status="quarantined")
    assert [each["task_id"] for each in aside["tasks"]] == [tasks[4], tasks[1]]


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_list_of_nothing_is_refused(core: Core, era: Any, limit: int) -> None:
    reply = await ask(core, era, "list_research_tasks", limit=limit)
    assert reply == {
        "success": False,
        "error": "INVALID_QUERY",
        "message": "limit must be 1 or more",
        "suggestion": "Use a value between 1 and 200",
    }


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


ADVICE = {
    "spending_cap_reached": "Nothing more is paid for. Raise RESEARCH_AGENT_TASK_CAP_USD for a task's own "
    "cap; for the daily one raise RESEARCH_AGENT_DAILY_CAP_USD or wait for the next day (UTC). Then start it again",
    "fate_unknown": "It is not ordered twice. Look at the provider's console for a job that runs, "
    "then start the research again.",
    "request_refused": "Check the model's name and the question; the provider says what it did not "
    "like. Then start it again",
    "provider_away": "Check the network and the provider's base URL. Then start it again",
    "job_failed": "Read what the provider says, then start the research again.",
    "poisoned": "Read its trace with research-agent verify, and report the cause.",
    "timed_out": "Start it again with a larger max_wait_hours, or ask for less at once",
    "internal": "Start it again; research-agent verify and the trace say what happened.",
}


@pytest.mark.parametrize(("code", "advice"), ADVICE.items(), ids=ADVICE)
async def test_what_to_do_after_an_end_depends_on_the_end(
    core: Core, past: PastTasks, era: Any, code: str, advice: str
) -> None:
    task = past.failed(past.running(QUESTION), code, "So it ended.")
    for tool in ("get_research_results", "save_research_to_markdown"):
        reply = await ask(core, era, tool, task_id=task)
        assert (reply["message"], reply["suggestion"]) == ("So it ended.", advice)


@pytest.mark.parametrize(
    ("why", "error"),
    [
        ("provider_failed: The model is overloaded. (503)", "GEMINI_UNAVAILABLE"),
        ("provider_silent: Connection error.", "GEMINI_UNAVAILABLE"),
        ("the work was interrupted while it waited", "RESEARCH_FAILED"),
    ],
)
async def test_an_order_that_was_lost_in_an_outage_is_one_of_the_provider(
    core: Core, past: PastTasks, era: Any, why: str, error: str
) -> None:
    lost = errors.FateUnknown("gemini", why)
    task = past.failed(past.running(QUESTION), lost.code, lost.sentence)
    reply = await ask(core, era, "get_research_results", task_id=task)
    assert (reply["error"], reply["message"]) == (error, lost.sentence)
    assert reply["suggestion"] == ADVICE["fate_unknown"]


async def test_who_keeps_a_research_waiting_is_told_at_once(
    core: Core, past: PastTasks, era: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "gemini: You exceeded your current quota."
    waiting = ProviderAwaited(provider="gemini", code="provider_busy", message=said)
    task = past.running(QUESTION, waiting)
    monkeypatch.setattr(deep_research, "accept", lambda *_, **__: (task, None))
    core.settings = replace(core.settings, sync_window_s=0.0)
    reply = await ask(core, era, "start_deep_research", query=QUESTION)
    assert (reply["status"], said in reply["message"]) == ("running_async", True)


async def test_a_broken_store_is_a_store_error(core: Core, past: PastTasks, era: Any) -> None:
    task = past.completed(QUESTION)
    path = past.built.stream(task)
    path.write_bytes(path.read_bytes().replace(b"quantum", b"quantun"))
    for tool in ("check_research_status", "get_research_results"):
        assert (await ask(core, era, tool, task_id=task))["error"] == "SQLITE_ERROR"
