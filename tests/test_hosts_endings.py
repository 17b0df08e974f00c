"""How hosted actors end: replaced, lost, told to stop."""

from collections.abc import Callable

import pytest

from actors.archive import LocalArchive
from actors.hosts import IngestHost, ResearcherHost, TaskHost
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.researcher import Report
from events.home import Home
from events.stream import EventStream
from tests.embedders import open_letters
from tests.hosted_actors import (
    PATIENCE,
    Died,
    Gate,
    exits,
    full_disk,
    idle_crew,
    kinds,
    library,
    no_time_passes,
    outcome,
    research_here,
    task,
)
from tests.waiting import until
from traces.verify import verify_home

__all__ = ["exits", "full_disk", "library", "no_time_passes", "task"]


# -- stale writers ---------------------------------------------------------------------------------


def take_over(home: Home, stream: str) -> None:
    EventStream.claim(home.path(stream), "a newer one")[0].close()


def test_a_task_whose_stream_was_taken_over_ends_its_process(
    home: Home, task: str, exits: list[int]
) -> None:
    host = TaskHost(LocalArchive(home), idle_crew(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    take_over(home, task)
    before = home.path(task).read_bytes()
    with pytest.raises(Died):
        host.stop("cancelled", save_partial=True)
    assert exits == [1]
    assert home.path(task).read_bytes() == before
    host._task.ended.set()


def test_a_researcher_whose_stream_was_taken_over_ends_its_process(
    home: Home, task: str, exits: list[int]
) -> None:
    gate, reports = Gate(home), list[Report]()
    name, question = f"{task}.r1", "What causes tides?"
    archive = LocalArchive(home)
    ResearcherHost(archive, gate, name, "corpus", question, task, reports.append)
    assert gate.asked.wait(PATIENCE)
    take_over(home, name)
    before = home.path(name).read_bytes()
    gate.open.set()
    until(lambda: exits)
    assert exits == [1]
    assert reports == []
    assert home.path(name).read_bytes() == before


def test_an_ingest_whose_stream_was_taken_over_ends_its_process(
    home: Home, library: list[str], exits: list[int]
) -> None:
    gate = Gate(home)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    IngestHost(LocalArchive(home), gate, open_letters, job)
    assert gate.asked.wait(PATIENCE)
    take_over(home, job)
    before = home.path(job).read_bytes()
    gate.open.set()
    until(lambda: exits)
    assert exits == [1]
    assert home.path(job).read_bytes() == before
    assert LocalArchive(home).catalogue.state().published == {}


def test_work_that_fails_in_an_unforeseen_way_ends_its_process_instead_of_lingering(
    home: Home, library: list[str], exits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(job: IngestJob) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(IngestJob, "run", fail)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: exits)
    assert exits == [1]


# -- researchers that do not come back -------------------------------------------------------------


def test_a_task_ends_the_stream_of_a_researcher_that_is_lost_and_fails_with_its_reason(
    home: Home, task: str
) -> None:
    crew = idle_crew(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    crew.gone = [(f"{task}.r1", "out of memory")]
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "failed"
    assert kinds(home, f"{task}.r1") == ["research_stopped"]
    failed = home.read(task)[0][-1].data
    assert (failed["code"], failed["message"]) == ("researcher_lost", "out of memory")
    assert verify_home(home.root).faults == []


def test_a_researcher_that_was_lost_after_its_report_was_written_still_counts(
    home: Home, task: str
) -> None:
    crew = idle_crew(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    research_here(home, task)
    crew.gone = [(f"{task}.r1", "out of memory")]
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "completed"


def test_a_task_whose_researchers_record_is_broken_fails_and_says_where(
    home: Home, task: str
) -> None:
    crew = idle_crew(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    research_here(home, task)
    path = home.path(f"{task}.r1")
    path.write_bytes(path.read_bytes().replace(b"assignment_taken", b"assignment_token"))
    crew.gone = [(f"{task}.r1", "it cannot start")]
    until(lambda: outcome(home, task))
    failed = home.read(task)[0][-1].data
    assert (outcome(home, task), failed["code"]) == ("failed", "broken_chain")
    assert "r1.jsonl, line 2" in failed["message"]


# -- stopping --------------------------------------------------------------------------------------


def test_a_task_told_to_stop_ends_also_when_its_researcher_does_not(
    home: Home, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.task.PATIENCE", 0.05)
    crew = idle_crew(home)
    host = TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    host.stop("cancelled", save_partial=True)
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "cancelled"
    assert crew.stopped == [f"{task}.r1"]
    assert f"{task}.r1" in crew.dismissed
    assert verify_home(home.root).faults == []


def test_a_researcher_told_to_stop_in_the_middle_of_a_call_reports_at_once(
    home: Home, task: str
) -> None:
    gate, reports = Gate(home), list[Report]()
    name, question = f"{task}.r1", "What causes tides?"
    archive = LocalArchive(home)
    host = ResearcherHost(archive, gate, name, "corpus", question, task, reports.append)
    assert gate.asked.wait(PATIENCE)
    host.stop()
    until(lambda: reports)
    gate.open.set()
    assert reports[0].failure == "call_cut"
    assert kinds(home, name)[-1] == "research_stopped"


def test_a_stop_is_not_forgotten_while_the_disk_is_full(
    home: Home, library: list[str], full_disk: Callable[..., None]
) -> None:
    gate = Gate(home)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    host = IngestHost(LocalArchive(home), gate, open_letters, job)
    assert gate.asked.wait(PATIENCE)
    full_disk(before=0, failing=4)
    host.stop("cancelled", save_partial=True)
    until(lambda: outcome(home, job))
    gate.open.set()
    assert outcome(home, job) == "cancelled"
