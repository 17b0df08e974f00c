"""A Gemini research that is told to stop: called off at the provider, with what there is kept."""

import json
import shutil
import threading
from typing import Any

import pytest

from actors import task as tasks
from actors.archive import LocalArchive
from actors.keys import Credential
from actors.outside import Outside, Pause, Provider
from actors.ports import Answer
from actors.reports.report_rules import SECOND
from actors.researcher import Researcher
from events.codec import decode
from events.home import Home
from projections.views import Views
from tests.emulators import _opened
from tests.gemini_emulator import EXACT, KEY, REPORT, GeminiEmulator
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
    world,
)
from tests.waiting import until
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


@pytest.mark.parametrize("timed_out", [False, True])
def test_only_running_out_of_time_exhausts_a_budget(
    home: Home, provider: GeminiEmulator, timed_out: bool
) -> None:
    provider.silent_after, provider.endless = 9, True
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: facts(home, task, "search_made"))
    host.stop("timed_out" if timed_out else "cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    found = result(home, task)
    (gap,) = found["gaps"]
    why = "its time ran out" if timed_out else "it was cancelled"
    assert gap["detail"] == f"Stopped before the research was done: {why}."
    assert gap["category"] == ("budget_exhausted" if timed_out else "scope_exceeded")
    assert gap.get("cancelled", False) is not timed_out
    assert found["confidence_factors"]["budget_exhausted"] is timed_out
    assert found["cost_metadata"]["budget_exhausted"] is timed_out
    assert why in Views(home).result(task).report


def test_a_report_that_had_begun_is_kept(home: Home, provider: GeminiEmulator) -> None:
    provider.endless = True
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(facts(home, task, "search_made")) == 2)
    until(lambda: REPORT in heard(provider))
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).phase == "cancelled"
    assert result(home, task)["answer"] == REPORT.strip()


def test_a_report_is_kept_as_far_as_it_was_written(home: Home, provider: GeminiEmulator) -> None:
    provider.endless, provider.silent_after = True, 13
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(facts(home, task, "search_made")) == 2)
    until(lambda: EXACT in heard(provider))
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    answer = result(home, task)["answer"]
    assert answer.startswith("# Heat pumps") and EXACT in answer
    assert "Subsidies" not in answer


def heard(provider: GeminiEmulator) -> str:
    """What the door to the provider has heard of the report by now."""
    listening = _opened(Credential(KEY, provider.url))._listening.get("v1_job1")
    return listening.text if listening else ""


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


# -- a provider that does not listen ---------------------------------------------------------------


def cancelled_while(
    home: Home, provider: GeminiEmulator, *faults: tuple[str, str, dict[str, Any]], **more: Any
) -> str:
    """A task that was cancelled in the middle, while these things went wrong."""
    provider.silent_after, provider.endless = 9, True
    task = enter(home)
    host = start(home, task, world(provider), **more)
    until(lambda: facts(home, task, "search_made"))
    for method, path, fault in faults:
        provider.fail(method, path, **fault)
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    assert Views(home).status(task).phase == "cancelled"
    assert verify_home(home.root).faults == []
    return task


ONCE: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/cancel", {"status": 500}),
    ("POST", "/cancel", {"status": 429, "headers": {"retry-after": "1"}}),
    ("POST", "/cancel", {"drop": True}),
    ("GET", "stream=false", {"status": 500}),
]


@pytest.mark.parametrize("fault", ONCE, ids=str)
def test_one_failure_does_not_leave_a_job_running_or_its_cost_unknown(
    home: Home, provider: GeminiEmulator, fault: tuple[str, str, dict[str, Any]]
) -> None:
    task = cancelled_while(home, provider, fault)
    assert provider.jobs["v1_job1"]["status"] == "cancelled"
    assert Views(home).status(task).cost_usd == pytest.approx(0.818)
    assert facts(home, task, "job_polled")[-1]["status"] == "cancelled"
    assert "may still run" not in str(result(home, task)["gaps"])


NEVER = {"drop": True, "times": -1}
DEAF = ("POST", "/cancel", NEVER)
GONE = (DEAF, ("GET", "stream=false", NEVER))


@pytest.mark.parametrize("faults", [GONE, (DEAF,)], ids=["gone", "deaf"])
def test_a_provider_that_cannot_be_told_is_said_to_go_on_and_does_not_hold_up_a_cancel(
    home: Home, provider: GeminiEmulator, faults: tuple[tuple[str, str, dict[str, Any]], ...]
) -> None:
    task = cancelled_while(home, provider, *faults)
    assert len(provider.asked("POST", "/cancel")) > 1
    assert provider.jobs["v1_job1"]["status"] == "in_progress"
    # The provider never said anything else of it.
    assert {each["status"] for each in facts(home, task, "job_polled")} <= {"in_progress"}
    stop, gap = result(home, task)["gaps"]
    assert stop["cancelled"] and gap["category"] == "access_denied"
    assert "The provider could not be told" in gap["detail"]
    assert "job v1_job1 may still run there and cost" in gap["detail"]
    assert "job v1_job1 may still run there and cost" in Views(home).result(task).report
    assert "Searched for heat pumps emissions" in Views(home).result(task).report
    assert gap["detail"] in [each["detail"] for each in facts(home, task, "gap_found")]
    if faults == GONE:
        failed = facts(home, task, "call_failed")[-1]
        assert (failed["code"], failed["final"]) == ("provider_silent", True)


def test_a_job_that_had_done_nothing_yet_is_said_to_go_on_as_well(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.streams, provider.endless = False, True
    task = enter(home)
    host = start(home, task, world(provider))
    until(lambda: len(provider.asked("GET")) > 2)
    for fault in GONE:
        provider.fail(fault[0], fault[1], **fault[2])
    host.stop("cancelled", save_partial=True)
    until(lambda: Views(home).status(task).ended)
    assert "job v1_job1 may still run there and cost" in Views(home).result(task).report


def test_a_job_that_goes_on_although_the_provider_was_told_is_said_to(
    home: Home, provider: GeminiEmulator
) -> None:
    going_on = json.dumps({"id": "v1_job1", "status": "in_progress"})
    said = {"status": 200, "body": going_on, "times": -1}
    task = cancelled_while(home, provider, ("POST", "/cancel", said))
    _, gap = result(home, task)["gaps"]
    assert "job v1_job1 is in_progress still: it may go on and cost" in gap["detail"]
    assert len(provider.asked("POST", "/cancel")) == 1


def test_a_job_that_waits_for_somebody_and_cannot_be_told_is_said_to(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.final = "requires_action"
    provider.fail("POST", "/cancel", status=500, times=-1)
    task = enter(home)
    start(home, task, world(provider))
    until(lambda: Views(home).status(task).ended)
    assert "job v1_job1 may still run" in (Views(home).status(task).failure_message or "")


@pytest.mark.parametrize("faults", [GONE, (DEAF,)], ids=["gone", "deaf"])
def test_a_record_that_was_begun_by_older_rules_ends_by_them(
    home: Home, provider: GeminiEmulator, faults: tuple[tuple[str, str, dict[str, Any]], ...]
) -> None:
    task = cancelled_while(home, provider, *faults, rules=SECOND.name)
    assert facts(home, task, "job_polled")[-1]["status"] == "cancelled"
    (gap,) = facts(home, task, "gap_found")
    assert gap["detail"] == "The research was cancelled before the report was complete."
    assert [each["step"] for each in facts(home, task, "step_taken")] == [1, 2, 3, 4, 5]


def test_a_research_that_is_called_off_takes_no_more_steps(
    home: Home, provider: GeminiEmulator
) -> None:
    task = cancelled_while(home, provider)
    assert [each["step"] for each in facts(home, task, "step_taken")] == [1, 2]
    assert Views(home).status(task).progress == 40


# -- killed while it calls a job off ---------------------------------------------------------------


class Killed(BaseException):
    """What happens to a process."""


class DyingWorld:
    """Satisfies `actors.outside.Outside`: whoever calls a job off dies, before or after it is done."""

    def __init__(self, provider: GeminiEmulator, *, done: bool) -> None:
        self._world, self._done = world(provider), done
        self.read = self._world.read

    def provider(self, name: str) -> Provider:
        opened = self._world.provider(name)
        assert opened
        self._real = opened
        return self

    def do(self, operation: str, request: dict[str, Any], pause: Pause) -> Answer:
        if operation != "cancel" or self._done:
            answer = self._real.do(operation, request, pause)
        if operation == "cancel":
            raise Killed
        return answer


def researcher(home: Home, task: str, outside: Outside) -> Researcher:
    archive = LocalArchive(home)
    brief = archive.brief(task)
    return Researcher(archive, NoCorpus(), f"{task}.r1", "gemini", QUESTION, brief, outside, BRISK)


@pytest.mark.parametrize("done", [True, False])
def test_a_job_that_was_called_off_before_a_crash_is_still_called_off_by_us(
    home: Home, provider: GeminiEmulator, done: bool
) -> None:
    provider.silent_after, provider.endless = 9, True
    task = enter(home)
    first = researcher(home, task, DyingWorld(provider, done=done))

    def stop_when_it_has_begun() -> None:
        until(lambda: facts(home, task, "search_made"))
        first.stop.set()

    threading.Thread(target=stop_when_it_has_begun).start()
    with pytest.raises(Killed):
        first.run()
    assert provider.jobs["v1_job1"]["status"] == ("cancelled" if done else "in_progress")
    # Nobody has told the next one to stop yet.
    report = researcher(home, task, world(provider)).run()
    assert (report.failure, provider.jobs["v1_job1"]["status"]) == (None, "cancelled")
    assert report.findings
    found = decode(home.blobs.get(report.findings.hash))
    assert "Searched for heat pumps emissions" in found["answer"]
    assert report.cost_usd == pytest.approx(0.818)
    assert [each["step"] for each in facts(home, task, "step_taken")] == [1, 2]


def test_a_research_killed_after_it_could_not_tell_the_provider_ends_the_same(
    home: Home, provider: GeminiEmulator
) -> None:
    task = cancelled_while(home, provider, *GONE)
    told = home.read(f"{task}.r1")[0]
    # The record up to the failure: what came after it was lost.
    at = next(n for n, r in enumerate(told) if r.kind == "call_failed" and r.data["final"])
    again = Home(home.root.parent / "again")
    again.prepare()
    shutil.copytree(home.root / "blobs", again.root / "blobs", dirs_exist_ok=True)
    archive = LocalArchive(again)
    stream, _ = archive.claim(f"{task}.r1", "test")
    stream.append(*(r.fact for r in told[: at + 1] if r.kind != "stream_claimed"))
    stream.close()
    brief = LocalArchive(home).brief(task)
    report = Researcher(
        archive, NoCorpus(), f"{task}.r1", "gemini", QUESTION, brief, world(provider), BRISK
    ).run()
    assert report.findings
    (finished,) = [r.data for r in told if r.kind == "research_finished"]
    assert report.findings.hash == finished["findings"]["hash"]


# -- other ends ------------------------------------------------------------------------------------


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
    # Why nothing was read of it is said once, in words, and the steps that were left are not taken.
    assert [gap["detail"] for gap in found["gaps"] if "topp" in gap["detail"]] == [
        "Stopped before the research was done: it was cancelled."
    ]
    assert "budget_exhausted" not in {gap["category"] for gap in found["gaps"]}
    unread = {each["reason"] for each in found["grounding"]["sources"]}
    assert "The research was stopped before it was read." in unread
    assert "fetch.read" not in Views(home).result(task).report
    assert [each["step"] for each in facts(home, task, "step_taken")] == [1, 2, 3]
    assert Views(home).status(task).progress == 60


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
