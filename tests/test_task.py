"""What a research task decides, whatever runs it."""

from functools import reduce

import pytest

from actors.archive import LocalArchive
from actors.researcher import Report
from actors.task import (
    PATIENCE,
    Accept,
    Collect,
    Fail,
    ResearchTask,
    Stop,
    TaskState,
    decide,
    evolve,
)
from events.base import Blob, Fact
from events.catalogue import Brief
from events.codec import digest
from events.errors import StaleWriter
from events.home import Home
from events.research import StepTaken
from events.stream import Head
from events.task import (
    ResearcherAssigned,
    ResearcherReported,
    StopRequested,
    TaskAccepted,
    TaskCancelled,
    TaskConcluded,
    TaskFailed,
)
from traces.verify import verify_home

BRIEF = Brief(question="Why is the sky blue?")
KEPT = Blob(hash=digest(b"a"), size=1, stored=digest(b"b"))
ASSIGNED = ResearcherAssigned(researcher="t.r1", researcher_kind="corpus", question=BRIEF.question)
REPORT = Report(Head("t.r1", 9, digest(b"head")), KEPT)
REPORTED = ResearcherReported(researcher="t.r1", seq=9, head=digest(b"head"), findings=KEPT)


def after(*facts: Fact) -> TaskState:
    return reduce(evolve, facts, TaskState())


def test_accepting_assigns_a_researcher_of_the_kind_asked_for() -> None:
    assert decide("t", after(), Accept(BRIEF)) == [TaskAccepted(brief=BRIEF), ASSIGNED]


def test_accepting_twice_changes_nothing() -> None:
    assert decide("t", after(TaskAccepted(brief=BRIEF), ASSIGNED), Accept(BRIEF)) == []


def test_a_report_anchors_the_researchers_stream() -> None:
    assert decide("t", after(TaskAccepted(brief=BRIEF), ASSIGNED), Collect(REPORT)) == [REPORTED]


def test_a_report_is_taken_once() -> None:
    state = after(TaskAccepted(brief=BRIEF), ASSIGNED, REPORTED)
    assert decide("t", state, Collect(REPORT)) == []


def test_a_report_from_nobody_it_sent_is_passed_over() -> None:
    stranger = Report(Head("other.r1", 1, digest(b"x")), None)
    assert decide("t", after(TaskAccepted(brief=BRIEF), ASSIGNED), Collect(stranger)) == []


def test_a_task_waits_until_its_researcher_reports() -> None:
    assert after(TaskAccepted(brief=BRIEF), ASSIGNED).waiting == [ASSIGNED]
    assert after(TaskAccepted(brief=BRIEF), ASSIGNED, REPORTED).waiting == []


def test_stopping_is_recorded_once() -> None:
    stop = StopRequested(reason="cancelled", save_partial=False)
    assert decide("t", after(), Stop("cancelled", save_partial=False)) == [stop]
    assert decide("t", after(stop), Stop("timed_out")) == []


def test_a_task_stopped_before_it_began_sends_nobody_out() -> None:
    state = after(StopRequested(reason="cancelled"))
    assert decide("t", state, Accept(BRIEF)) == [TaskAccepted(brief=BRIEF)]


@pytest.mark.parametrize(
    "end",
    [
        TaskConcluded(result=KEPT, report=KEPT),
        TaskCancelled(),
        TaskFailed(code="x", message="y"),
    ],
)
def test_nothing_happens_to_a_task_that_has_ended(end: Fact) -> None:
    state = after(TaskAccepted(brief=BRIEF), ASSIGNED, REPORTED, end)
    commands = Accept(BRIEF), Collect(REPORT), Stop("cancelled"), Fail("x", "y")
    assert [decide("t", state, command) for command in commands] == [[], [], [], []]


class SilentCrew:
    """Sends researchers out who never report."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        self.said.append("send")

    def stop(self, researcher: str) -> None:
        self.said.append("stop")

    def dismiss(self, researcher: str) -> None:
        self.said.append("dismiss")


def start_silent(home: Home, brief: Brief) -> tuple[ResearchTask, SilentCrew, LocalArchive, str]:
    archive, crew = LocalArchive(home), SilentCrew()
    name, _ = archive.catalogue.enter_task(brief)
    task = ResearchTask(archive, name, crew)
    task.begin()
    return task, crew, archive, name


def test_a_task_that_takes_too_long_ends_and_says_so(home: Home) -> None:
    brief = Brief(question="Why is the sky blue?", max_wait_s=0.0)
    task, crew, archive, name = start_silent(home, brief)
    task.tick()
    assert crew.said[:2] == ["send", "stop"]
    task._stopped_for = PATIENCE
    task.tick()
    assert task.ended.is_set()
    assert archive.catalogue.state().entries[name].ended == "failed"
    last = home.read(name)[0][-1]
    assert (last.kind, last.data["code"]) == ("task_failed", "timed_out")
    assert [record.kind for record in home.read(f"{name}.r1")[0]][-1] == "research_stopped"
    assert verify_home(home.root).faults == []


@pytest.mark.parametrize(
    ("seconds", "said"), [(8 * 3600.0, "8 hours"), (3600.0, "1 hour"), (0.5, "0.5 s")]
)
def test_a_time_that_is_up_is_told_as_it_was_set(home: Home, seconds: float, said: str) -> None:
    brief = Brief(question="Why is the sky blue?", max_wait_s=seconds)
    task, _, _, name = start_silent(home, brief)
    task.handle(Stop("timed_out"))
    task.end_the_waiting()
    assert home.read(name)[0][-1].data["message"] == f"The task did not end within {said}."


def test_a_researcher_that_does_not_stop_is_ended_in_its_place(home: Home) -> None:
    task, _, archive, name = start_silent(home, BRIEF)
    held, _ = archive.claim(f"{name}.r1", "a researcher that hangs")
    task.handle(Stop("cancelled"))
    task._stopped_for = PATIENCE
    task.tick()
    assert archive.catalogue.state().entries[name].ended == "cancelled"
    with pytest.raises(StaleWriter):
        held.append(StepTaken(step=1, action="a", decision="b"))
    assert verify_home(home.root).faults == []


def test_a_task_within_its_time_is_left_alone(home: Home) -> None:
    task, crew, _, _ = start_silent(home, BRIEF)
    task.tick()
    task.tick()
    assert crew.said == ["send"]
    assert not task.ended.is_set()
