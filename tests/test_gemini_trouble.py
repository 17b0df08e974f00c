"""What becomes of a Gemini research when its job ends badly, or its provider answers in ways that it should not."""

from typing import Any

import pytest

from actors.replay import replay
from actors.reports.report_rules import SECOND, SIXTH
from events.home import Home
from tests.gemini_emulator import KEY, USAGE, GeminiEmulator
from tests.gemini_tasks import (
    emulator,
    enter,
    facts,
    provider,
    result,
    run,
    world,
)

__all__ = ["emulator", "provider"]


# -- how it can end --------------------------------------------------------------------------------


@pytest.mark.parametrize("streams", [True, False])
def test_a_failed_job_fails_the_task_in_the_providers_words(
    home: Home, provider: GeminiEmulator, streams: bool
) -> None:
    provider.final, provider.streams = "failed", streams
    provider.errors = [{"code": "safety", "message": "The question was declined."}]
    task = enter(home)
    seen = run(home, task, world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "job_failed")
    assert "The question was declined. (safety)" in (seen.failure_message or "")
    assert seen.cost_usd > 0


@pytest.mark.parametrize("status", ["incomplete", "budget_exceeded"])
def test_a_job_that_ended_early_counts_with_what_it_wrote(
    home: Home, provider: GeminiEmulator, status: str
) -> None:
    provider.final = status
    task = enter(home)
    assert run(home, task, world(provider)).phase == "completed"
    found = result(home, task)
    assert found["cost_metadata"]["budget_exhausted"]
    assert found["gaps"][0]["category"] == "budget_exhausted"
    assert found["citations"]


@pytest.mark.parametrize(
    "status", ["cancelled", "requires_action", "requires_continuation", "moon"]
)
def test_a_job_that_ended_without_a_report_fails_and_says_why(
    home: Home, provider: GeminiEmulator, status: str
) -> None:
    provider.streams, provider.final = False, status
    task = enter(home)
    seen = run(home, task, world(provider))
    assert seen.phase == "failed"
    assert seen.failure_message
    assert len(provider.created) == 1


@pytest.mark.parametrize("streams", [True, False])
def test_a_job_that_somebody_else_cancelled_is_no_research(
    home: Home, provider: GeminiEmulator, streams: bool
) -> None:
    provider.final, provider.streams = "cancelled", streams
    seen = run(home, enter(home), world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "job_failed")
    assert "The research was cancelled before" in (seen.failure_message or "")


def test_a_record_in_which_it_was_one_replays_as_it_is(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.final = "cancelled"
    task = enter(home)
    assert run(home, task, world(provider), rules=SECOND.name).phase == "completed"
    assert replay(home, task).differences == []


def test_a_job_that_waits_for_somebody_is_called_off(home: Home, provider: GeminiEmulator) -> None:
    provider.final = "requires_action"
    seen = run(home, enter(home), world(provider))
    assert len(provider.asked("POST", "/cancel")) == 1
    provider.final = "failed"
    assert seen.cost_usd == run(home, enter(home), world(provider)).cost_usd > 0, "paid for once"


def test_half_characters_and_endless_numbers_do_not_lose_a_report(
    home: Home, provider: GeminiEmulator
) -> None:
    def steps() -> list[dict[str, Any]]:
        thought, *others = GeminiEmulator.steps(provider)
        thought["summary"][0]["text"] = "Half of a \ud83d sign."
        others[-1]["content"][0]["text"] += " Half of a \ud83c sign."
        return [thought, *others]

    provider.steps = steps  # type: ignore[method-assign]
    provider.usage = USAGE | {"total_output_tokens": 10**30}
    try:
        task = enter(home)
        assert run(home, task, world(provider)).phase == "completed"
    finally:
        del provider.steps
    found = result(home, task)
    assert "Half of a ? sign." in found["answer"] and found["citations"]
    assert [each["text"] for each in facts(home, task, "thought_summarised")] == [
        "Half of a ? sign."
    ]
    assert replay(home, task).differences == []


def test_a_completed_job_without_a_report_is_a_failure(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = ""
    provider.cited = []
    provider.steps = list  # type: ignore[method-assign]
    try:
        seen = run(home, enter(home), world(provider))
    finally:
        del provider.steps
    assert (seen.phase, seen.failure_code) == ("failed", "job_failed")


# -- what can go wrong on the way ------------------------------------------------------------------

PASSING: list[dict[str, Any]] = [
    {"status": 401},
    {"status": 403},
    {"status": 429, "headers": {"retry-after": "31536000"}},
    {"status": 500},
    {"status": 503, "body": "<html>"},
    {"drop": True},
    {"status": 200, "body": "{"},
    {"status": 200, "body": ""},
    {"status": 404, "body": "{}"},
]


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: str(next(iter(fault.items()))))
def test_trouble_while_a_job_runs_is_waited_out_and_said(
    home: Home, provider: GeminiEmulator, fault: dict[str, Any]
) -> None:
    provider.streams = False
    provider.polls = ["in_progress"] * 3
    task = enter(home)
    provider.fail("GET", "stream=false", times=3, **fault)
    seen = run(home, task, world(provider))
    assert seen.phase == "completed"
    assert seen.calls_failed >= 3
    waited = facts(home, task, "provider_awaited")
    assert waited
    assert len(facts(home, task, "provider_answered")) == len(waited) == 1
    assert len(provider.created) == 1
    assert KEY.encode() not in home.path(f"{task}.r1").read_bytes()


def test_a_job_that_the_provider_no_longer_knows_ends_the_task(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.streams = False
    task, before = enter(home), enter(home)
    provider.fail("GET", "v1_job", status=404, times=-1)
    seen = run(home, task, world(provider))
    then = run(home, before, world(provider), rules=SIXTH.name)
    assert (seen.phase, seen.failure_code) == ("failed", "job_failed"), "its order was not refused"
    assert "it tells nothing of job v1_job1 any more: emulated 404" in str(seen.failure_message)
    assert then.failure_code == "request_refused", "older records are as they were"
    assert len(provider.created) == 2


@pytest.mark.parametrize("status", [401, 403, 400])
def test_a_refused_order_ends_the_task_in_the_providers_words(
    home: Home, provider: GeminiEmulator, status: int
) -> None:
    provider.fail("POST", status=status)
    task = enter(home)
    seen = run(home, task, world(provider))
    assert seen.phase == "failed"
    assert seen.failure_code in {"key_refused", "request_refused"}
    assert f"emulated {status}" in (seen.failure_message or "")
    assert provider.created == []


def test_an_order_that_was_certainly_not_taken_is_placed_again(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.fail("POST", status=429, headers={"retry-after": "3600"}, times=3)
    task = enter(home)
    assert run(home, task, world(provider)).phase == "completed"
    assert len(provider.created) == 1
    assert len(provider.asked("POST")) == 4


@pytest.mark.parametrize("fault", [{"status": 503}, {"drop": True}, {"status": 200, "body": "{"}])
def test_an_order_that_may_have_been_taken_is_never_placed_again(
    home: Home, provider: GeminiEmulator, fault: dict[str, Any]
) -> None:
    provider.fail("POST", after_doing=True, **fault)
    task = enter(home)
    seen = run(home, task, world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "fate_unknown")
    assert "It may be running there" in (seen.failure_message or "")
    assert len(provider.created) == len(provider.asked("POST")) == 1
