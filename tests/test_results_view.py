"""What an ended task left behind is found again, with the evidence for it."""

from pathlib import Path

import pytest

from contracts.deep_research.named_sources import sources_of
from events.calls import CallAsked
from events.catalogue import StreamQuarantined, StreamSealed
from events.codec import canonical
from events.errors import BrokenChain, MissingBlob, TaskNotFinished, UnknownTask
from events.research import DiscoveryMade, QuestionOpened, StepTaken
from events.task import ResearcherReported, TaskCancelled, TaskFailed
from projections.results import NoResult, wall_seconds
from projections.views import Views
from tests.homes import DOCUMENT, LOCATOR, QUESTION, BuiltHome, build_home, lines_of


@pytest.fixture
def built(tmp_path: Path) -> BuiltHome:
    return build_home(tmp_path / "home", jobs=0, tasks=1, researchers=2, unfinished=1)


def end_unfinished(built: BuiltHome, end: TaskCancelled | TaskFailed) -> str:
    """End the unfinished task, after its researcher noticed a few things."""
    task = built.unfinished[0]
    researcher = built.claim(f"{task}.r1")
    researcher.append(
        StepTaken(step=1, of=2, action="search", decision="Look."),
        DiscoveryMade(
            type="paper", suggested_researcher=None, query="violet", reason="Near.", source_locator=None
        ),
        QuestionOpened(
            question="Why not violet?", context="It scatters more.", priority="high",
            source_locator=LOCATOR,
        ),
    )  # fmt: skip
    stream = built.claim(task)
    head = researcher.head
    stream.append(
        ResearcherReported(researcher=f"{task}.r1", seq=head.seq, head=head.hash, findings=None)
    )
    stream.append(end)
    outcome = "cancelled" if isinstance(end, TaskCancelled) else "failed"
    built.enter(
        StreamSealed.model_validate(
            {"target": task, "seq": stream.head.seq, "head": stream.head.hash, "outcome": outcome}
        )
    )
    return task


def test_a_result_is_what_was_concluded(built: BuiltHome) -> None:
    found = Views(built.home).result(built.tasks[0])
    assert found.result == {"answer": DOCUMENT, "of": "finished 0"}
    assert found.report.startswith(f"# {QUESTION}")
    assert (found.question, found.partial, found.status.phase) == (QUESTION, False, "completed")


def test_a_source_that_several_researchers_read_is_listed_once(built: BuiltHome) -> None:
    found = Views(built.home).result(built.tasks[0])
    assert [(source.url, source.title) for source in found.sources] == [(LOCATOR, "The sky")]
    assert found.status.sources_read == 2


def test_quotes_and_gaps_come_with_the_researcher_they_are_from(built: BuiltHome) -> None:
    task = built.tasks[0]
    found = Views(built.home).result(task)
    spans = [(quote.stream, quote.citation, quote.start, quote.end) for quote in found.quotes]
    assert spans == [(f"{task}.r1", 1, 0, 47), (f"{task}.r2", 1, 0, 47)]
    assert [gap.topic for gap in found.gaps] == ["red skies", "red skies"]


def test_a_quote_is_found_in_the_blob_it_names(built: BuiltHome) -> None:
    built.home.blobs.put(DOCUMENT.encode())
    for quote in Views(built.home).result(built.tasks[0]).quotes:
        text = built.home.blobs.get_text(quote.text_hash)
        assert text[quote.start : quote.end] == DOCUMENT[:47]


def test_wall_time_is_from_start_to_end(built: BuiltHome) -> None:
    found = Views(built.home).result(built.tasks[0])
    assert found.wall_seconds == wall_seconds(found.status.started_at, found.status.ended_at) > 0


def test_a_cancelled_task_gives_its_partial_result(built: BuiltHome) -> None:
    result = built.home.blobs.put(canonical({"answer": "So far."}))
    report = built.home.blobs.put(b"# So far\n")
    task = end_unfinished(built, TaskCancelled(result=result, report=report))
    found = Views(built.home).result(task)
    assert (found.result, found.report, found.partial) == (
        {"answer": "So far."},
        "# So far\n",
        True,
    )
    assert [each.query for each in found.discoveries] == ["violet"]
    assert [each.question for each in found.open_questions] == ["Why not violet?"]
    assert found.status.progress == 50


def test_a_task_cancelled_with_empty_hands_has_no_result(built: BuiltHome) -> None:
    task = end_unfinished(built, TaskCancelled())
    with pytest.raises(NoResult, match="was cancelled without a result"):
        Views(built.home).result(task)


def test_a_failed_task_says_why_it_has_no_result(built: BuiltHome) -> None:
    task = end_unfinished(built, TaskFailed(code="nothing_to_search", message="Empty corpus."))
    with pytest.raises(NoResult, match=r"failed without a result: Empty corpus\..*\[no_result\]"):
        Views(built.home).result(task)


def test_a_quarantined_task_says_why_it_has_no_result(built: BuiltHome) -> None:
    aside = StreamQuarantined(target=built.unfinished[0], code="oom", message="It never starts.")
    built.enter(aside)
    with pytest.raises(NoResult, match=r"It never starts\."):
        Views(built.home).result(built.unfinished[0])


def test_a_running_task_says_how_far_it_is(built: BuiltHome) -> None:
    task = built.unfinished[0]
    built.claim(f"{task}.r1").append(StepTaken(step=2, of=3, action="search", decision="Look."))
    with pytest.raises(TaskNotFinished) as refusal:
        Views(built.home).result(task)
    assert refusal.value.args == (task, 66)


@pytest.mark.parametrize("name", ["never-entered", "../catalogue", "catalogue", ""])
def test_an_unknown_task_is_refused(built: BuiltHome, name: str) -> None:
    with pytest.raises(UnknownTask):
        Views(built.home).result(name)


def test_a_result_whose_blob_is_gone_is_refused(built: BuiltHome) -> None:
    views = Views(built.home)
    status = views.status(built.tasks[0])
    assert status.report
    built.home.blobs.path(status.report).unlink()
    with pytest.raises(MissingBlob):
        views.result(built.tasks[0])


def test_evidence_is_read_from_the_checked_record_every_time(built: BuiltHome) -> None:
    views = Views(built.home)
    views.result(built.tasks[0])
    path = built.stream(f"{built.tasks[0]}.r1")
    path.write_bytes(path.read_bytes().replace(b"red skies", b"red seas!"))
    with pytest.raises(BrokenChain):
        views.result(built.tasks[0])


def test_calls_are_listed_with_their_attempts_usage_and_cost(built: BuiltHome) -> None:
    task = built.tasks[0]
    calls = Views(built.home).calls(task)
    assert [call.port for call in calls] == ["corpus", "model"] * 2
    paid = calls[1]
    assert (paid.outcome, paid.attempts, paid.input_tokens) == ("answered", 2, 1000)
    assert (paid.cost_usd, paid.took_ms, paid.model) == (0.0125, 900.0, "claude-1")
    assert paid.asked_at and paid.answered_at and paid.asked_at < paid.answered_at
    assert built.home.blobs.get(paid.request or "") and built.home.blobs.get(paid.reply or "")


def test_a_call_without_an_answer_is_shown_as_asked(built: BuiltHome) -> None:
    (call,) = Views(built.home).calls(built.unfinished[0])
    assert (call.outcome, call.final, call.reply) == ("asked", False, None)


def test_a_call_that_is_asked_again_is_one_call(built: BuiltHome) -> None:
    task = built.unfinished[0]
    request = built.home.blobs.put(b"again")
    again = CallAsked(
        call="search:lost:1", port="search", operation="query", request=request, attempt=2
    )
    built.claim(f"{task}.r1").append(again)
    (call,) = Views(built.home).calls(task)
    assert call.attempts == 2


def test_lines_of_a_result_are_those_of_the_traces(built: BuiltHome) -> None:
    task = built.tasks[0]
    found = Views(built.home).result(task)
    assert found.status.head_seq == len(lines_of(built.stream(task)))


def test_sources_that_a_report_names_in_vain_are_listed_after_those_it_is_cited_from() -> None:
    quoted = {"locator": "https://a.example/", "title": "A", "snippet": "", "raw_excerpt": "Words."}
    named = [
        {"url": "https://a.example/", "title": "A", "content_hash": "sha256:aa", "reason": None},
        {"url": "https://b.example/", "title": "B", "content_hash": None, "reason": "It is gone."},
        {"url": "https://c.example/", "title": "C", "content_hash": "sha256:cc", "reason": None},
    ]
    listed = sources_of(
        {
            "citations": [quoted | {"confidence": 0.9, "content_hash": "sha256:aa"}],
            "grounding": {"sources": named},
        }
    )
    assert [each["url"][8] for each in listed] == ["a", "b", "c"]
    assert [each["relevance_score"] for each in listed] == [0.9, 0.0, 0.0]
    assert listed[0]["snippet"] == "Words."
    assert "note" not in listed[0]
    assert listed[1]["note"] == "It is gone."
    assert listed[2]["note"].startswith("Read, and nothing")
