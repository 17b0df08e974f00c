"""Contract 01, how far a research is, and how it is cancelled: through a client in both eras."""

from collections.abc import Iterator
from typing import Any

import pytest

from contracts.core import Core
from events.research import StepTaken
from tests.deep_research_client import NOBODY, QUESTION, ask, core, era, past
from tests.homes import DOCUMENT
from tests.past_tasks import PastTasks

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


@pytest.mark.parametrize("timed_out", [True, False])
@pytest.mark.parametrize("kept", [True, False])
async def test_a_research_that_was_stopped_says_where_its_part_is_if_there_is_one(
    core: Core, past: PastTasks, era: Any, timed_out: bool, kept: bool
) -> None:
    task = past.running(QUESTION, steps=1)
    if kept:
        past.read_and_quote(task)
    past.stopped(task, timed_out=timed_out)
    # Asked twice: the second time it is at hand.
    for _ in range(2):
        reply = await ask(core, era, "check_research_status", task_id=task)
        assert reply["status"] == ("failed" if timed_out else "cancelled")
        use = f"Use get_research_results(task_id='{task}') to retrieve results"
        assert reply.get("message") == (use if kept else None)
    found = await ask(core, era, "get_research_results", task_id=task)
    assert found["success"] is kept


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
    assert reply["suggestion"] == (
        "Verify task_id from start_deep_research response, or find it with list_research_tasks"
    )


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
async def test_whoever_cancels_first_decides_what_is_kept(
    core: Core, past: PastTasks, era: Any
) -> None:
    task = past.running(QUESTION, steps=1)
    past.read_and_quote(task)
    core.catalogue.request_cancel(task, save_partial=False)
    reply = await ask(core, era, "cancel_research", task_id=task)
    told = await ask(core, era, "get_research_results", task_id=task)
    assert not reply["partial_results_saved"]
    assert (
        reply["message"]
        == told["message"]
        == ("Research cancelled. Partial results were not kept.")
    )


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


async def test_what_is_done_to_stop_a_research_is_no_progress(
    core: Core, past: PastTasks, era: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_it(self: Core) -> None:
        for name, entry in self.catalogue.state().entries.items():
            if entry.stop and not entry.ended:
                # Whoever is stopped looks once more what there is, and that is the last step.
                past.note(name, StepTaken(step=20, of=20, action="poll", decision="Called off"))
                past.stopped(name)

    monkeypatch.setattr(Core, "wake_engine", stop_it)
    task = past.running(QUESTION, StepTaken(step=8, of=20, action="read", decision="Reading"))
    reply = await ask(core, era, "cancel_research", task_id=task)
    assert (reply["status"], reply["progress_at_cancellation"]) == ("cancelled", 40)


@pytest.mark.parametrize("started", [True, False])
async def test_a_cancel_that_is_only_recorded_is_not_called_done(
    core: Core, past: PastTasks, era: Any, monkeypatch: pytest.MonkeyPatch, started: bool
) -> None:
    monkeypatch.setattr("contracts.deep_research.calls.CANCEL_PATIENCE", 0.1)
    task = past.running(QUESTION) if started else past.entered(QUESTION)
    word = "running_async" if started else "pending"
    reply = await ask(core, era, "cancel_research", task_id=task)
    assert (reply["success"], reply["status"]) == (True, word)
    assert reply["partial_results_saved"] is False
    assert reply["message"] == (
        "Cancellation is recorded. The research has not stopped yet: it does when its engine gets "
        "to it. Use check_research_status to see when"
    )
    status = await ask(core, era, "check_research_status", task_id=task)
    assert status["status"] == word
    assert status["current_action"] == (
        "Being stopped: cancelled, or out of time" if started else "Being cancelled"
    )


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
    assert reply["message"] == (
        "Research cancelled. There were no partial results to save."
        if save_partial
        else "Research cancelled. Partial results were not kept."
    )
    empty = await ask(core, era, "get_research_results", task_id=task)
    assert (empty["error"], empty["status"]) == ("RESEARCH_FAILED", "cancelled")
    before = "The research was cancelled before it found anything."
    assert empty["message"] == (before if save_partial else reply["message"])
    again = await ask(core, era, "cancel_research", task_id=task)
    assert (again["error"], again["status"]) == ("RESEARCH_ALREADY_COMPLETED", "cancelled")
    assert again["suggestion"] == "It left no result. If it is still wanted, start it again"


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
