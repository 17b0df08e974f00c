"""A research that goes on with a provider's job, or in company."""

import json
from typing import Any

import pytest

from contracts.core import Core
from contracts.research.continuing import start_continuation, still_open
from events.catalogue import LIMITS, Constraints
from tests.continued_tasks import (
    CREW,
    DIVERS,
    RANCE,
    YIELD,
    check,
    core,
    enter,
    finished,
    html,
    result_of,
    run,
    urgent,
    wire,
)
from tests.emulator_claude import Wire, answer, sentence, tool, using
from tests.gemini_emulator import GeminiEmulator
from tests.gemini_tasks import emulator, provider, world
from tests.gemini_tasks import enter as enter_gemini
from tests.gemini_tasks import run as run_gemini

__all__ = ["core", "emulator", "provider", "wire"]


# -- gemini ----------------------------------------------------------------------------------------


def test_a_job_follows_the_earlier_one_at_the_provider(
    core: Core, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    task = enter_gemini(core.home)
    run_gemini(core.home, task, world(provider))
    new = start_continuation(core, task, 9_000, "What do they cost?")
    run_gemini(core.home, new, world(provider))
    orders = [each.json for each in provider.asked("POST", "interactions")]
    assert orders[1]["previous_interaction_id"] == "v1_job1"
    assert "What do they cost?" in orders[1]["input"]
    assert "previous_interaction_id" not in orders[0]
    answered = result_of(core, new)["answer"]
    assert answered.startswith("# Heat pumps"), "the new report leads"
    assert "This continues" not in answered
    check(core, new)


def test_a_job_that_the_provider_has_forgotten_is_followed_by_one_that_knows_its_report(
    core: Core, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    task = enter_gemini(core.home)
    run_gemini(core.home, task, world(provider))
    new = start_continuation(core, task, 9_000)
    error = {"error": {"code": "not_found", "message": "There is no interaction v1_job1."}}
    provider.fail("POST", "interactions", status=404, body=json.dumps(error))
    assert run_gemini(core.home, new, world(provider)).phase == "completed"
    *_, following, anew = [each.json for each in provider.asked("POST", "interactions")]
    assert following["previous_interaction_id"] == "v1_job1"
    assert "previous_interaction_id" not in anew
    assert "The earlier report, as data:\n\n# Heat pumps" in anew["input"]
    assert "# Heat pumps" not in following["input"], "it is known there"
    assert len(provider.created) == 2
    check(core, new)


def test_a_continued_job_reads_as_many_sources_as_it_did_before(
    core: Core, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    free, bound = (
        enter_gemini(core.home, constraints=Constraints(said=said)) for said in ((), LIMITS)
    )
    for task, binds in ((free, False), (bound, True)):
        run_gemini(core.home, task, world(provider))
        new = core.catalogue.brief(start_continuation(core, task, 900_000)).constraints
        assert new.binds("max_sources") is binds
        assert new.binds("token_budget") and new.binds("max_iterations")


def test_a_job_beyond_the_extra_budget_is_said_to_be(
    core: Core, provider: GeminiEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    task = enter_gemini(core.home, depth="deep")
    run_gemini(core.home, task, world(provider))
    assert not result_of(core, task)["cost_metadata"]["budget_exhausted"], "it had no limit"
    tight, wide = (start_continuation(core, task, budget) for budget in (9_000, 900_000))
    assert core.catalogue.brief(tight).available == (), "it needs no company"
    for each in (tight, wide):
        run_gemini(core.home, each, world(provider))
        result = result_of(core, each)
        over = each == tight
        assert result["cost_metadata"]["budget_exhausted"] is over
        assert result["confidence_factors"]["budget_exhausted"] is over
        gaps = [gap for gap in result["gaps"] if gap["category"] == "budget_exhausted"]
        assert bool(gaps) is over
        assert not over or "360000 tokens where 9000 were allowed" in gaps[0]["detail"]
        check(core, each)


# -- company ---------------------------------------------------------------------------------------

PAY = "http://union.example.org/pay"
EARN = "The forty divers of the barrage earn ninety euros for each dive."
DEEP: dict[str, Any] = {
    "depth": "deep",
    "available": ("claude",),
    "constraints": {"token_budget": 60_000},
}


def test_what_had_company_is_continued_in_company_and_nothing_is_paid_for_twice(
    core: Core, wire: Wire
) -> None:
    wire.page(PAY, html("Pay", EARN))
    divers = answer(sentence("Forty divers maintain the turbines.", ("p1", DIVERS)))
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE])),
            answer(
                sentence("La Rance generates about 500 GWh each year.", ("p1", YIELD)),
                open_questions=[urgent("Who maintains the turbines?")],
            ),
            using(tool("fetch_pages", urls=[CREW])),
            divers,
        ]
    )
    task = enter(core, **DEEP)
    before = run(core, task, wire)
    assert before["open_questions"][0]["dispatched_to"] == f"{task}.r2"
    fetched = {page[7:]: len(wire.calls(page[7:])) for page in (RANCE, CREW)}
    assert set(fetched.values()) == {1}
    told: list[str] = []

    def whole(body: Any) -> Any:
        told.append(body["messages"][0]["content"][0]["text"])
        return answer(
            sentence("La Rance generates about 500 GWh each year.", ("p1", YIELD)),
            sentence("Forty divers maintain the turbines.", ("p2", DIVERS)),
            open_questions=[urgent("How much do the divers of the barrage earn for a dive?")],
        )

    def pay(body: Any) -> Any:
        told.append(body["messages"][0]["content"][0]["text"])
        return using(tool("fetch_pages", urls=[PAY, CREW]))

    earned = answer(sentence("The divers earn ninety euros for each dive.", ("p1", EARN)))
    wire.script.extend([whole, pay, earned])
    new = start_continuation(core, task, 60_000)
    brief = core.catalogue.brief(new)
    assert (brief.orchestrate, brief.available) == (True, ("claude",))
    result = run(core, new, wire)
    assert [each["kind"] for each in result["researchers"]] == ["claude", "claude"]
    assert "to be asked: Who maintains" not in told[0], "that was asked and answered"
    assert "notes of the earlier research" not in told[1], "who is sent out begins anew"
    assert "ninety euros" in result["answer"] and "500 GWh" in result["answer"]
    assert {each["locator"] for each in result["citations"]} == {RANCE, CREW, PAY}
    assert fetched == {page: len(wire.calls(page)) for page in fetched}, "known to everybody"
    assert result["continues"]["task"] == task
    check(core, new)
    alone = start_continuation(core, finished(core, wire, depth="balanced"), 9_000)
    assert core.catalogue.brief(alone).orchestrate is False


def test_a_lead_that_was_followed_is_carried_only_where_its_follower_was_lost() -> None:
    leads = [
        {"query": "a", "dispatched_to": "t.r2"},
        {"query": "b", "dispatched_to": "t.r3"},
        {"query": "c"},
    ]
    crew: list[dict[str, Any]] = [
        {"researcher": "t.r1", "failure": None},
        {"researcher": "t.r2", "failure": None},
        {"researcher": "t.r3", "failure": "job_failed"},
    ]
    assert still_open(leads, crew) == [{"query": "b"}, {"query": "c"}]
