"""What a research that was stopped leaves behind: the words it had quoted, where they stand, and no more than that."""

from pathlib import Path

import pytest

from actors.reports.excerpts import is_verbatim
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.evidence.verifying import verify_research
from contracts.research.calls import result_of
from contracts.research.continuing import collect
from contracts.settings import Settings
from events.codec import digest
from events.research import PassageQuoted, QuestionOpened, SourceRead
from projections.partial import EXCERPT_LIMIT, QUOTES_KEPT
from projections.results import NoResult
from projections.views import Views
from tests.homes import DOCUMENT, LOCATOR, build_home
from tests.past_tasks import PastTasks
from traces.verify import verify_home

QUESTION = "Why is the sky blue?"


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


def quote(text: str, start: int, end: int) -> PassageQuoted:
    content = digest(text.encode())
    return PassageQuoted(citation=1, content_hash=content, text_hash=content, start=start, end=end)


@pytest.mark.parametrize("timed_out", [False, True])
def test_what_was_quoted_before_the_stop_is_the_result(past: PastTasks, timed_out: bool) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.note(
        task,
        QuestionOpened(
            question="Why not violet?", context="", priority="high", source_locator=None
        ),
    )
    past.stopped(task, timed_out=timed_out)
    found = Views(past.built.home).result(task)
    (citation,) = found.result["citations"]
    text = past.built.home.blobs.get_text(citation["text_hash"])
    assert text[citation["start"] : citation["end"]] == citation["raw_excerpt"] == DOCUMENT[:47]
    assert (citation["locator"], citation["title"], found.partial) == (LOCATOR, "The sky", True)
    assert [gap["topic"] for gap in found.result["gaps"]] == ["red skies", QUESTION]
    for said in (DOCUMENT[:47], "red skies", "Why not violet?", LOCATOR):
        assert said in found.report
    assert verify_home(past.built.root).faults == []


def test_a_partial_result_has_the_shape_of_a_whole_one(past: PastTasks) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.stopped(task)
    core = Core(Settings(home=past.built.root))
    shown = result_of(core, task)
    assert {"answer", "citations", "gaps", "confidence", "cost_metadata", "trace_id"} <= set(shown)
    assert deep_research.get_results(core, task, include_sources=True)["evidence"]["citations"]
    assert deep_research.status(core, task)["message"].startswith("Use get_research_results")


@pytest.mark.parametrize(
    ("timed_out", "category"), [(False, "scope_exceeded"), (True, "budget_exhausted")]
)
def test_only_a_limit_exhausts_a_budget_and_a_stop_is_a_gap(
    past: PastTasks, timed_out: bool, category: str
) -> None:
    task = past.running(QUESTION, model="claude-opus-5-5")
    past.read_and_quote(task)
    past.stopped(task, timed_out=timed_out)
    found = Views(past.built.home).result(task).result
    assert found["cost_metadata"]["budget_exhausted"] is timed_out
    assert found["confidence_factors"]["budget_exhausted"] is timed_out
    assert found["cost_metadata"]["model_id"] == "claude-opus-5-5"
    gap = found["gaps"][-1]
    assert (gap["category"], "Stopped before an answer" in gap["detail"]) == (category, True)
    assert gap.get("cancelled", False) is not timed_out, "no category says that somebody ended it"


def test_what_a_cancelled_research_had_quoted_can_be_continued(past: PastTasks) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.stopped(task)
    core = Core(Settings(home=past.built.root))
    earlier = collect(core, task, core.catalogue.brief(task), core.views.status(task).researchers)
    assert [gap.topic for gap in earlier.findings.gaps] == ["red skies", QUESTION]


def test_markup_in_what_was_quoted_is_shown_as_words(past: PastTasks) -> None:
    hostile = "See ![p](http://evil.example/p.png) [2] and <img src=x>, of the blue sky."
    past.built.home.blobs.put(hostile.encode())
    task = past.running(QUESTION, quote(hostile, 0, len(hostile)))
    past.stopped(task)
    found = Views(past.built.home).result(task)
    assert r"See !\[p](http://evil.example/p.png) (2) and \<img src=x>" in found.report
    assert found.result["citations"][0]["raw_excerpt"] == hostile


def test_who_did_not_want_it_kept_gets_nothing(past: PastTasks) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.stopped(task, save_partial=False)
    with pytest.raises(NoResult):
        Views(past.built.home).result(task)


def test_a_research_that_failed_by_itself_gives_no_partial_result(past: PastTasks) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.failed(task, "job_failed", "It failed.")
    with pytest.raises(NoResult, match="It failed"):
        Views(past.built.home).result(task)


def test_a_passage_is_shown_once_and_never_longer_than_allowed(past: PastTasks) -> None:
    long = "word " * 1000
    past.built.home.blobs.put(long.encode())
    task = past.running(QUESTION, quote(long, 0, 4000), quote(long, 0, 4000), quote(long, 5, 9))
    past.stopped(task)
    citations = Views(past.built.home).result(task).result["citations"]
    assert [each["number"] for each in citations] == [1, 2]
    cut, whole = (each["raw_excerpt"] for each in citations)
    assert cut.endswith("word [...]") and len(cut) <= EXCERPT_LIMIT and whole == "word"
    assert all(
        is_verbatim(each["raw_excerpt"], long, each["start"], each["end"]) for each in citations
    )


def test_words_that_are_gone_are_not_made_up(past: PastTasks) -> None:
    task = past.running(QUESTION, quote("never kept", 0, 5))
    past.read_and_quote(task)
    past.stopped(task)
    (citation,) = Views(past.built.home).result(task).result["citations"]
    assert citation["raw_excerpt"] == DOCUMENT[:47]


def test_a_text_that_no_parser_could_have_written_is_not_unpacked(
    past: PastTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.stopped(task)
    size = len(DOCUMENT.encode())
    monkeypatch.setattr("projections.partial.LARGEST_TEXT", size)
    assert len(Views(past.built.home).result(task).result["citations"]) == 1
    monkeypatch.setattr("projections.partial.LARGEST_TEXT", size - 1)
    monkeypatch.delattr("events.blobs.BlobStore.get_text")
    with pytest.raises(NoResult):
        Views(past.built.home).result(task)


PAGE = """The site of the sky's friends

Skies over deserts
are clear at night.

The sky is blue because air scatters blue light more than red, at noon and everywhere.

Write to us.
"""


def test_a_source_that_was_read_is_kept_although_nothing_was_quoted_yet(past: PastTasks) -> None:
    text = past.built.home.blobs.put(PAGE.encode()).hash
    read = SourceRead(
        step=1,
        action="fetch_url",
        url="https://sky.example/",
        title="Skies",
        content_hash=text,
        content_length=len(PAGE),
        text_hash=text,
        decision="It looks right.",
    )
    task = past.running(QUESTION, read, read)
    past.stopped(task)
    found = Views(past.built.home).result(task)
    (citation,) = found.result["citations"]
    assert citation["locator"] == "https://sky.example/"
    assert citation["raw_excerpt"].startswith("The sky is blue because air scatters")
    assert PAGE[citation["start"] : citation["end"]] == citation["raw_excerpt"]
    assert "The sources read by then" in found.report and citation["raw_excerpt"] in found.report
    assert verify_research(past.built.home, task).verified
    unwanted = past.running(QUESTION, read)
    past.stopped(unwanted, save_partial=False)
    with pytest.raises(NoResult):
        Views(past.built.home).result(unwanted)


def test_a_summary_is_as_long_as_the_contract_wants_or_none(past: PastTasks) -> None:
    task = past.running(QUESTION, quote(DOCUMENT, 0, 49), quote(DOCUMENT, 0, 60))
    past.stopped(task)
    short, longer = Views(past.built.home).result(task).result["citations"]
    assert short["snippet"] is None
    assert longer["snippet"] == " ".join(DOCUMENT[:60].split())


def test_no_number_of_quotes_makes_it_unbearable(past: PastTasks) -> None:
    task = past.running(
        QUESTION, *(quote(DOCUMENT, n % 40, n % 40 + 1 + n // 40) for n in range(250))
    )
    past.stopped(task)
    assert len(Views(past.built.home).result(task).result["citations"]) <= QUOTES_KEPT
