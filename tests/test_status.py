"""Given facts, where a task or job stands."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.base import Blob, Fact, UnknownFact
from events.calls import CallAnswered, CallAsked, CallFailed, Usage
from events.catalogue import Brief
from events.codec import GENESIS, Record, seal
from events.ingest import FileDone, FileRead, IngestAccepted, IngestFinished, IngestStopped
from events.research import AssignmentTaken, GapFound, PassageQuoted, SourceRead, StepTaken
from events.tail import Cursor
from events.task import (
    ResearcherAssigned,
    ResearcherReported,
    StopRequested,
    TaskAccepted,
    TaskCancelled,
    TaskConcluded,
    TaskFailed,
)
from events.upkeep import StreamClaimed
from projections.catalogue import Entry
from projections.costs import add_up, fold_spend
from projections.rows import FAILURES_SHOWN, JobRow, TaskRow, fold_job, fold_task
from projections.status import JobStatus, TaskStatus, job_status, task_status
from projections.work import Work, fold_work

HASH = "sha256:" + "ab" * 32
BLOB = Blob(hash=HASH, size=3, stored=HASH)
OTHER = Blob(hash="sha256:" + "cd" * 32, size=4, stored=HASH)
ENTERED = Entry("t", "task", 1, "2026-11-16T00:00:00.000000Z", HASH, "Why is the sky blue?")
JOB = Entry("j", "job", 1, "2026-11-16T00:00:00.000000Z", HASH, "optics", files=4)

CLAIMED = StreamClaimed(writer="a test", host="here", pid=1)
ASKED = TaskAccepted(brief=Brief(question="Why is the sky blue?"))
AIR = ResearcherAssigned(researcher="t.r1", researcher_kind="corpus", question="What scatters?")
EYE = ResearcherAssigned(researcher="t.r2", researcher_kind="corpus", question="Why not violet?")
AIR_DONE = ResearcherReported(researcher="t.r1", seq=9, head=HASH, findings=BLOB)
DONE = TaskConcluded(result=BLOB, report=OTHER)


def recorded(*decisions: Fact | tuple[Fact, ...]) -> list[Record]:
    """Facts as records; those in a tuple were decided together. A second passes with each decision."""
    records: list[Record] = []
    seq, head = 0, GENESIS
    for second, decision in enumerate(decisions):
        facts = decision if isinstance(decision, tuple) else (decision,)
        at = f"2026-11-16T00:{second // 60:02d}:{second % 60:02d}.000000Z"
        lines, last = seal("t", seq, at, 1, None, head, facts)
        records += [Record(line[:-1]) for line in lines]
        seq, head = seq + len(lines), last
    return records


def after(
    *own: Fact | tuple[Fact, ...], crew: Sequence[Sequence[Fact]] = (), entry: Entry = ENTERED
) -> TaskStatus:
    """The status of a task with that stream of its own and those of its researchers."""
    records = recorded(*own)
    cursor = Cursor(0, len(records), records[-1].hash if records else GENESIS)
    works = [fold_work(Work(), recorded(*facts)) for facts in crew]
    row = fold_task(TaskRow(), records)
    return task_status(entry, cursor, row, fold_work(Work(), records), works)


def ingested(*facts: Fact, entry: Entry = JOB) -> JobStatus:
    records = recorded(*facts)
    row, work = fold_job(JobRow(), records), fold_work(Work(), records)
    return job_status(entry, Cursor(), row, work)


def step(number: int, of: int | None = None, action: str = "search") -> StepTaken:
    return StepTaken(step=number, of=of, action="search", decision=action)


# -- phases ----------------------------------------------------------------------------------------


def test_a_task_that_nobody_took_up_is_pending() -> None:
    status = after()
    assert (status.phase, status.progress, status.started_at) == ("pending", 0, None)
    assert (status.question, status.asked_at) == ("Why is the sky blue?", ENTERED.entered_at)


def test_a_claim_alone_does_not_start_a_task() -> None:
    assert after(CLAIMED).phase == "pending"


def test_an_accepted_task_is_running() -> None:
    status = after(CLAIMED, ASKED, AIR)
    assert (status.phase, status.researchers) == ("running", ("t.r1",))
    assert status.started_at == "2026-11-16T00:00:01.000000Z"


def test_a_concluded_task_is_completed_and_has_its_result() -> None:
    status = after(ASKED, AIR, AIR_DONE, DONE)
    assert (status.phase, status.progress, status.ended) == ("completed", 100, True)
    assert (status.result, status.report) == (BLOB.hash, OTHER.hash)
    assert status.ended_at == "2026-11-16T00:00:03.000000Z"


def test_a_cancelled_task_keeps_what_it_had() -> None:
    kept = TaskCancelled(result=BLOB, report=OTHER)
    status = after(ASKED, AIR, kept, crew=[[step(3, 10)]])
    assert (status.phase, status.result, status.progress) == ("cancelled", BLOB.hash, 30)


def test_a_failed_task_says_why() -> None:
    status = after(ASKED, TaskFailed(code="timed_out", message="Too long."))
    assert (status.phase, status.failure_code, status.failure_message) == (
        "failed",
        "timed_out",
        "Too long.",
    )


def test_a_quarantined_task_says_why_although_its_own_stream_does_not() -> None:
    aside = ENTERED._replace(outcome="quarantined", ended_at="later", code="odd", message="Odd.")
    status = after(ASKED, entry=aside)
    assert (status.phase, status.failure_code, status.ended_at) == ("quarantined", "odd", "later")


def test_a_stop_shows_from_the_moment_it_is_asked_for() -> None:
    assert not after(ASKED).stop_requested
    assert after(ASKED, entry=ENTERED._replace(cancel_requested=True)).stop_requested
    assert after(ASKED, StopRequested(reason="timed_out")).stop_requested


# -- progress --------------------------------------------------------------------------------------


def test_progress_is_what_the_steps_say() -> None:
    assert after(ASKED, AIR, crew=[[step(1, 4)]]).progress == 25


def test_progress_is_not_invented_where_the_number_of_steps_is_unknown() -> None:
    status = after(ASKED, AIR, crew=[[step(7)]])
    assert (status.progress, status.steps) == (0, 7)


def test_progress_never_falls_when_the_plan_grows() -> None:
    assert after(ASKED, AIR, crew=[[step(2, 4), step(3, 30)]]).progress == 50


@pytest.mark.parametrize("number", [4, 5, 400])
def test_only_a_completed_task_is_at_a_hundred(number: int) -> None:
    assert after(ASKED, AIR, crew=[[step(number, 4)]]).progress == 99


def test_progress_of_researchers_sent_together_is_their_mean() -> None:
    status = after((ASKED, AIR, EYE), crew=[[step(1, 2)], []])
    assert status.progress == 25


def test_sending_another_researcher_later_does_not_lower_progress() -> None:
    before = after(ASKED, AIR, crew=[[step(3, 4)]])
    status = after(ASKED, AIR, EYE, crew=[[step(3, 4)], []])
    assert status.progress == before.progress == 75


def test_what_is_shown_is_the_latest_step_of_any_researcher() -> None:
    early, late = (
        [step(1, action="plan")],
        [
            CLAIMED,
            step(1, action="read"),
            GapFound(topic="x", category="scope_exceeded", detail="y"),
        ],
    )
    assert after(ASKED, AIR, EYE, crew=[early, late]).current_action == "read"
    assert after(ASKED, AIR, EYE, crew=[late, early]).current_action == "read"


# -- work ------------------------------------------------------------------------------------------


READ = SourceRead(
    step=1,
    action="fetch_url",
    url="https://example.org",
    title=None,
    content_hash=HASH,
    content_length=3,
    text_hash=HASH,
    decision="because",
)
ASK = CallAsked(call="c", port="model", operation="plan", request=BLOB)
ANSWER = CallAnswered(
    call="c",
    reply=BLOB,
    model="m",
    usage=Usage(input_tokens=10, cached_tokens=5, output_tokens=3, thought_tokens=4),
    cost_usd=0.1,
)
FAILURE = CallFailed(
    call="c", code="x", message="y", final=False, usage=Usage(input_tokens=1), cost_usd=0.2
)


def test_totals_are_summed_over_the_task_and_its_researchers() -> None:
    status = after(ASKED, AIR, EYE, ASK, ANSWER, crew=[[READ, ASK, ANSWER], [READ, READ]])
    assert (status.sources_read, status.calls_asked, status.calls_answered) == (3, 2, 2)
    assert (status.tokens_in, status.tokens_out, status.cost_usd) == (30, 14, 0.2)


def test_an_attempt_that_failed_is_counted_and_paid_for() -> None:
    status = after(ASKED, AIR, crew=[[ASK, FAILURE, ASK, ANSWER]])
    assert (status.calls_asked, status.calls_answered, status.calls_failed) == (2, 1, 1)
    assert (status.tokens_in, status.cost_usd) == (16, 0.3)


def test_restarts_are_claims_beyond_the_first_of_each_stream() -> None:
    status = after(CLAIMED, CLAIMED, ASKED, crew=[[CLAIMED, CLAIMED, CLAIMED], [CLAIMED]])
    assert status.restarts == 3


def test_the_head_is_the_task_streams_own() -> None:
    records = recorded(CLAIMED, ASKED)
    status = after(CLAIMED, ASKED, crew=[[step(1)]])
    assert (status.head_seq, status.head_hash) == (2, records[-1].hash)


@given(st.permutations([0.1, 0.2, 0.3, 1e-9, 1234.5]))
def test_costs_add_up_to_the_same_in_any_order(costs: list[float]) -> None:
    answers = [ANSWER.model_copy(update={"cost_usd": cost}) for cost in costs]
    assert add_up(fold_spend((), recorded(*answers)))[0].cost_nano == 1235_100_000_001


# -- the laws of a fold ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "twice", [ASKED, AIR, AIR_DONE, DONE, StopRequested(reason="cancelled")], ids=lambda f: f.kind
)
def test_reporting_twice_changes_nothing(twice: Fact) -> None:
    given_facts = [ASKED, AIR, EYE, AIR_DONE, StopRequested(reason="cancelled"), DONE]
    once = fold_task(TaskRow(), recorded(*given_facts))
    assert fold_task(once, recorded(*given_facts, twice)[-1:]) == once


def test_what_happens_after_the_end_does_not_change_the_end() -> None:
    ended = fold_task(TaskRow(), recorded(ASKED, DONE))
    assert fold_task(ended, recorded(TaskFailed(code="late", message="Late."))) == ended


def test_facts_of_no_interest_leave_the_row_as_it_was() -> None:
    strange = UnknownFact.model_validate({"kind": "something_new", "step": 3, "of": 4})
    quote = PassageQuoted(citation=1, content_hash=HASH, text_hash=HASH, start=0, end=1)
    taken = AssignmentTaken(researcher_kind="corpus", question="?")
    records = recorded(strange, quote, taken)
    assert fold_task(TaskRow(), records) == TaskRow()
    assert fold_job(JobRow(), records) == JobRow()
    assert fold_work(Work(), records) == Work()


MANY: list[Fact] = [
    CLAIMED, ASKED, AIR, EYE, AIR_DONE, DONE, ASK, ANSWER, FAILURE, READ, step(1, 4), step(3, 4),
    step(2), TaskFailed(code="x", message="y"), StopRequested(reason="timed_out"),
    IngestAccepted(collection="c", manifest=BLOB, files=2), FileRead(locator="a", original=BLOB),
    FileDone(locator="a", outcome="added"), FileDone(locator="b", outcome="failed", reason="z"),
    IngestFinished(added=1, updated=0, unchanged=0, empty=0, failed=1),
]  # fmt: skip


@given(st.lists(st.sampled_from(MANY), max_size=30), st.data())
def test_folding_in_parts_is_folding_at_once(facts: list[Fact], data: st.DataObject) -> None:
    records = recorded(*facts)
    cut = data.draw(st.integers(0, len(records)))
    first, second = records[:cut], records[cut:]
    assert fold_task(fold_task(TaskRow(), first), second) == fold_task(TaskRow(), records)
    assert fold_job(fold_job(JobRow(), first), second) == fold_job(JobRow(), records)
    assert fold_work(fold_work(Work(), first), second) == fold_work(Work(), records)


@given(st.lists(st.sampled_from(MANY), max_size=30))
def test_progress_never_falls_whatever_happens(facts: list[Fact]) -> None:
    shown = [after(*facts[:end]).progress for end in range(len(facts) + 1)]
    running = [value for value in shown if value < 100]
    assert running == sorted(running)


# -- ingest jobs -----------------------------------------------------------------------------------


STARTED = IngestAccepted(collection="optics", manifest=BLOB, files=4)


def done(locator: str, outcome: str, **more: str) -> FileDone:
    return FileDone.model_validate({"locator": locator, "outcome": outcome, **more})


def test_a_job_counts_what_became_of_its_files() -> None:
    status = ingested(STARTED, done("a", "added"), done("b", "unchanged"), done("c", "empty"))
    assert (status.phase, status.files, status.done, status.progress) == ("running", 4, 3, 75)
    assert (status.added, status.updated, status.unchanged, status.empty) == (1, 0, 1, 1)


def test_a_job_shows_the_file_it_is_at() -> None:
    reading = FileRead(locator="b", original=BLOB)
    assert ingested(STARTED, done("a", "added"), reading).current_file == "b"
    assert ingested(STARTED, reading, done("b", "added")).current_file is None


def test_a_job_lists_its_first_failures_and_counts_all() -> None:
    failures = [done(str(n), "failed", code="unreadable", reason="No.") for n in range(30)]
    status = ingested(STARTED, *failures)
    assert (status.failed, len(status.failures)) == (30, FAILURES_SHOWN)
    assert status.failures[0] == ("0", "unreadable", "No.")


def test_a_finished_job_is_completed() -> None:
    end = IngestFinished(added=1, updated=0, unchanged=0, empty=0, failed=0)
    status = ingested(STARTED, done("a", "added"), end)
    assert (status.phase, status.progress, status.ended) == ("completed", 100, True)


@pytest.mark.parametrize(
    ("reason", "phase"), [("cancelled", "cancelled"), ("timed_out", "failed"), ("failed", "failed")]
)
def test_a_stopped_job_says_how_it_was_stopped(reason: str, phase: str) -> None:
    stopped = IngestStopped.model_validate({"reason": reason, "code": "x", "message": "y"})
    status = ingested(STARTED, stopped)
    assert (status.phase, status.failure_code) == (phase, "x")
