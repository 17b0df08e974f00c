"""A research of the corpus that goes on from another: its quotations stay, and what was open is looked for."""

import re
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.earlier import Earlier, wanted
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.reports.phrases import JAPANESE
from contracts.core import Core
from contracts.research.continuing import start_continuation
from events.catalogue import Brief
from tests.continued_tasks import (
    QUESTION,
    check,
    core,
    ingest,
    noted,
    research,
    run,
    wire,
)
from tests.embedders import open_letters
from tests.emulator_claude import Wire, answer, sentence
from tests.made_findings import made
from tests.test_crash_matrix import served

__all__ = ["core", "wire"]


# -- the corpus ------------------------------------------------------------------------------------


def test_the_corpus_keeps_its_quotations_and_looks_for_what_was_open(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance generate?"
    wishes = {"question": asked, "depth": "deep", "available": ("corpus",)}
    task = core.catalogue.enter_task(Brief.model_validate(wishes))[0]
    before = research(core, task, tmp_path / "ledger")
    assert any("dispatched_to" in each for each in before["discovery_events"])
    focus = "How many people does the Rance station employ?"
    new = start_continuation(core, task, 15_000, focus)
    after = research(core, new, tmp_path / "ledger")
    quoted = [each["raw_excerpt"] for each in after["citations"]]
    assert [each["raw_excerpt"] for each in before["citations"]] == quoted[
        : len(before["citations"])
    ]
    assert any("40 people" in each for each in quoted)
    assert "40 people" in after["answer"] and "500 GWh" in after["answer"]
    assert max(served(tmp_path / "ledger").values()) == 1, "a search was made twice"
    check(core, new)


def test_sources_that_a_limit_left_unread_are_read_without_a_new_search(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance station generate, and whom does it employ?"
    task = core.catalogue.enter_task(
        Brief.model_validate(
            {"question": asked, "depth": "deep", "constraints": {"max_sources": 1}}
        )
    )[0]
    before = research(core, task, tmp_path / "ledger")
    assert any(gap["topic"].startswith("Left unread") for gap in before["gaps"])
    searched = served(tmp_path / "ledger")
    new = start_continuation(core, task, 15_000)
    after = research(core, new, tmp_path / "ledger")
    assert len(after["citations"]) > len(before["citations"])
    assert noted(core, new, "answer_carried")
    assert max((served(tmp_path / "ledger") - searched).values(), default=1) == 1
    assert max(served(tmp_path / "ledger").values()) == 1
    check(core, new)


def test_a_corpus_research_can_be_continued_on_the_web(
    core: Core, wire: Wire, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "How much electricity does the Rance station generate?"
    task = core.catalogue.enter_task(Brief(question=asked, researcher="corpus"))[0]
    research(core, task, tmp_path / "ledger")
    brief = core.catalogue.brief(start_continuation(core, task, 9_000))
    assert brief.researcher == "corpus", "who began goes on while there are documents"
    claude = brief.model_copy(update={"researcher": "claude"})
    words = "The Rance station generates 500 GWh of electricity a year."
    wire.script.append(
        answer(sentence("It generates 500 GWh of electricity a year.", ("p1", words)))
    )
    new = core.catalogue.enter_task(claude)[0]
    result = run(core, new, wire)
    assert result["citations"][0]["source"] == "file"
    assert result["citations"][0]["locator"].endswith("yield.md")
    check(core, new)


# -- what is left to be found out ------------------------------------------------------------------


def test_open_points_are_asked_as_the_questions_they_are_parts_of() -> None:
    def gap(topic: str, category: str = "source_not_found") -> dict[str, str]:
        return {"topic": topic, "category": category, "detail": "Nothing."}

    asked = [
        "How many people does it employ?",
        "潮力発電所は何人を雇うか\uff1f",
        "Who paid (and why)?",
    ]
    gaps = [
        gap(f"people, employ ({asked[0]})"),
        gap(f"雇う ({asked[1]})"),
        gap(asked[2]),
        gap("the oak gates (of 1961)"),
        gap("http://walled.example/", "access_denied"),
        gap("Left unread: The gates"),
    ]
    questions: list[dict[str, Any]] = [
        {"question": f"Which source speaks of “employ”: {asked[0]}", "priority": "high"},
        {"question": "Which source mentions “gates”: What are the gates?", "priority": "medium"},
        {"question": "What does GWh stand for here?", "priority": "low"},
    ]
    loose = [{"context": "…", "source_locator": None} | each for each in questions]
    found = made(QUESTION, gaps=gaps, open_questions=loose)
    earlier = Earlier(task="t", researcher="corpus", findings=found, pages=(), answers={})
    points = [QUESTION, *asked, "the oak gates (of 1961)", "What are the gates?"]
    assert wanted(earlier, None, 9) == points
    assert wanted(earlier, None, 2) == points[:2]
    assert wanted(earlier, "Who dives?", 9) == ["Who dives?"]


def test_open_points_in_japanese_are_asked_again_too() -> None:
    asked = ["港町の資料館の館長は誰ですか。", "館長はいつ着任したか", "入館料はいくらですか。"]
    topics = ["読まなかった資料: 港町史", asked[0], f"着任 ({asked[1]})"]
    gaps = [{"topic": topic, "category": "source_not_found", "detail": "…"} for topic in topics]
    question = JAPANESE.which_source.format("入館料", asked[2])
    loose = {"question": question, "priority": "high", "context": "…", "source_locator": None}
    found = made("港町の資料館について教えてください。", gaps=gaps, open_questions=[loose])
    earlier = Earlier(task="t", researcher="corpus", findings=found, pages=(), answers={})
    assert JAPANESE.left_unread.format("港町史") == topics[0]
    assert wanted(earlier, None, 9) == [found.question, *asked]


def test_a_continuation_reads_like_an_answer(core: Core, tmp_path: Path) -> None:
    ingest(core, tmp_path)
    asked = "How many people does the Rance station employ, and who painted the station?"
    task = asked_deeply(core, asked)
    before = research(core, task, tmp_path / "ledger")
    assert before["gaps"], "something is open"
    after = research(core, start_continuation(core, task, 15_000), tmp_path / "ledger")
    headings = re.findall(r"^\*\*(.*)\*\*$", after["answer"], re.M)
    parts = {"How many people does the Rance station employ?", "Who painted the station?"}
    assert set(headings) <= parts
    topics = [gap["topic"] for gap in after["gaps"]]
    assert len(topics) == len(set(topics)) and not any(t.count("(") > 1 for t in topics)


# -- what was not found before ---------------------------------------------------------------------

DESIGNER = "Who designed the Rance turbines?"


def asked_deeply(core: Core, question: str, **constraints: int) -> str:
    wishes = {"question": question, "depth": "deep", "constraints": constraints}
    return core.catalogue.enter_task(Brief.model_validate(wishes))[0]


def test_what_was_ingested_meanwhile_is_found(core: Core, tmp_path: Path) -> None:
    ingest(core, tmp_path)
    task = asked_deeply(core, f"How much does the Rance station generate? {DESIGNER}")
    assert "Caquot" not in research(core, task, tmp_path / "ledger")["answer"]
    late = tmp_path / "designer.md"
    late.write_text("# Designer\n\nThe Rance turbines were designed by Albert Caquot.\n")
    job, _ = core.catalogue.enter_job("library", [str(late)])
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    further = start_continuation(core, task, 15_000, DESIGNER)
    assert "Caquot" in research(core, further, tmp_path / "ledger")["answer"]


def test_the_numbers_in_an_answer_are_those_of_its_citations_when_a_page_is_not_carried(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(core, tmp_path)
    asked = "How many people does the Rance station employ and how much does it generate?"
    task = asked_deeply(core, asked)
    assert len(research(core, task, tmp_path / "ledger")["citations"]) > 1
    monkeypatch.setattr("contracts.research.continuing.MOST_PAGES", 1)
    further = start_continuation(core, task, 15_000, "Zebras of Patagonia and penguins?")
    result = research(core, further, tmp_path / "ledger")
    marks = {int(number) for number in re.findall(r"\[(\d+)\]", result["answer"])}
    assert marks == {each["number"] for each in result["citations"]}
    check(core, further)


def test_what_was_left_unread_stays_a_gap_when_the_budget_goes_elsewhere(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance station generate, and whom does it employ?"
    task = asked_deeply(core, asked, max_sources=1)
    before = research(core, task, tmp_path / "ledger")
    assert "budget_exhausted" in {gap["category"] for gap in before["gaps"]}
    further = start_continuation(core, task, 15_000, "Zebras of Patagonia?")
    after = research(core, further, tmp_path / "ledger")
    assert "budget_exhausted" in {gap["category"] for gap in after["gaps"]}
