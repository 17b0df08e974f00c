"""A Gemini research that is told to stop: called off at the provider, with what there is kept."""

from actors import task as tasks
from actors.archive import LocalArchive
from actors.researcher import Researcher
from events.home import Home
from projections.views import Views
from tests.gemini_emulator import REPORT, GeminiEmulator
from tests.gemini_tasks import (
    BRISK,
    QUESTION,
    NoCorpus,
    emulator,
    enter,
    facts,
    provider,
    result,
    start,
    until,
    world,
)
from traces.verify import verify_home

__all__ = ["emulator", "provider"]


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
