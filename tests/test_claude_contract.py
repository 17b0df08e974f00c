"""The examples of the research contract, asked of the claude researcher: every field, category and range."""

from typing import Any, get_args

import pytest

from actors.archive import LocalArchive
from actors.inline import run_task
from events.catalogue import Brief
from events.codec import decode
from events.home import Home
from events.research import GapCategory
from events.task import TaskConcluded
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, teach
from tests.emulator_claude import answer, sentence, tool, using

PARIS = (
    "Paris is the capital and most populous city of France, with an estimated population of 2,102,650 "
    "residents as of 1 January 2023. Last updated 2026-10."
)
CRISPR = (
    "The CRISPR gene-editing space has attracted over $12B in venture funding since 2018. Key players "
    "include Editas Medicine (EDIT), Beam Therapeutics (BEAM), CRISPR Therapeutics (CRSP), and newer "
    "entrants Prime Medicine and Verve Therapeutics."
)
HISTORY = (
    "The field of AI research was founded at a workshop held on the campus of Dartmouth College, USA "
    "during the summer of 1956. Those who attended would become the leaders of AI research for decades."
)
FIELDS = {
    "citations": {"source", "locator", "title", "snippet", "raw_excerpt", "confidence"},
    "gaps": {"topic", "category", "detail"},
    "discovery_events": {"type", "suggested_researcher", "query", "reason", "source_locator"},
    "open_questions": {"question", "context", "priority", "source_locator"},
}
FACTORS = {
    "num_corroborating_sources",
    "source_authority",
    "contradiction_detected",
    "query_specificity_match",
    "budget_exhausted",
    "recency",
}


def ask(home: Home, pages: dict[str, str], script: list[Any], **wishes: Any) -> dict[str, Any]:
    brief = Brief.model_validate({"researcher": "claude", **wishes})
    task = LocalArchive(home).catalogue.enter_task(brief)[0]
    run_task(LocalArchive(home), EmptyCorpus(), task, Indoors(pages, script), AT_ONCE)
    ended = home.read(task)[0][-1].fact
    assert isinstance(ended, TaskConcluded)
    result: dict[str, Any] = decode(home.blobs.get(ended.result.hash))
    check_form(result, task)
    return result


def check_form(result: dict[str, Any], task: str) -> None:
    assert result["answer"] and result["trace_id"] == task
    for name, members in FIELDS.items():
        assert all(members <= set(each) for each in result[name]), name
    for citation in result["citations"]:
        assert 0.0 <= citation["confidence"] <= 1.0 and 0 < len(citation["raw_excerpt"]) <= 500
        assert citation["snippet"] is None or 50 <= len(citation["snippet"]) <= 200
    assert {each["category"] for each in result["gaps"]} <= set(get_args(GapCategory))
    assert {each["priority"] for each in result["open_questions"]} <= {"high", "medium", "low"}
    assert 0.0 <= result["confidence"] <= 1.0
    factors = result["confidence_factors"]
    assert set(factors) == FACTORS
    assert factors["source_authority"] in {"high", "medium", "low"}
    assert factors["recency"] in {"current", "recent", "dated", None}
    assert 0.0 <= factors["query_specificity_match"] <= 1.0
    cost = result["cost_metadata"]
    assert set(cost) == {"tokens_used", "iterations_run", "budget_exhausted", "model_id"}
    assert cost["budget_exhausted"] == factors["budget_exhausted"]


@pytest.fixture(autouse=True)
def taught(monkeypatch: pytest.MonkeyPatch) -> None:
    teach(monkeypatch)


def test_a_simple_question_has_a_sure_answer(home: Home) -> None:
    page = "https://en.wikipedia.org/wiki/Paris"
    said = sentence("Paris is the capital of France.", ("p1", PARIS[:60]))
    result = ask(
        home,
        {page: PARIS},
        [answer(said, confidence=0.99)],
        question="What is the capital of France?",
        depth="shallow",
    )
    assert result["answer"] == "Paris is the capital of France. [1]"
    assert result["citations"][0]["locator"] == page
    assert result["citations"][0]["raw_excerpt"].startswith(
        "Paris is the capital and most populous"
    )
    assert result["gaps"] == [] and result["confidence"] >= 0.7
    assert result["confidence_factors"]["num_corroborating_sources"] == 1
    assert result["confidence_factors"]["recency"] == "current"
    assert result["cost_metadata"]["iterations_run"] == 1


def test_a_partial_answer_names_gaps_discoveries_and_questions(home: Home) -> None:
    page = "https://www.crunchbase.com/hub/crispr-startups"
    gaps = [
        {
            "topic": "funding rounds in 2026",
            "category": "source_not_found",
            "detail": "not indexed",
        },
        {"topic": "clinical trial status", "category": "scope_exceeded", "detail": "a database"},
    ]
    discovery = {
        "type": "related_research",
        "suggested_researcher": "database",
        "query": "CRISPR gene therapy clinical trials Phase I II III 2025-2026",
        "reason": "Sources reference ongoing trials but do not include trial data",
        "source": "p1",
    }
    asked = {
        "question": "What are the current Phase III CRISPR trial success rates?",
        "context": "Sources reference ongoing trials but none include outcome data.",
        "priority": "high",
        "source": page,
    }
    said = sentence(
        "Editas Medicine, Beam Therapeutics and CRISPR Therapeutics are key players in CRISPR.",
        (
            "p1",
            "Key players include Editas Medicine (EDIT), Beam Therapeutics (BEAM), CRISPR Therapeutics",
        ),
    )
    final = answer(said, gaps=gaps, discovery_events=[discovery], open_questions=[asked])
    result = ask(
        home,
        {page: CRISPR},
        [using(tool("fetch_pages", urls=[page])), final],
        question="What emerging startups in biotech are working on CRISPR gene therapy?",
        depth="deep",
    )
    assert [(g["topic"], g["category"]) for g in result["gaps"]] == [
        ("funding rounds in 2026", "source_not_found"),
        ("clinical trial status", "scope_exceeded"),
    ]
    assert result["discovery_events"][0]["source_locator"] == page
    assert result["discovery_events"][0]["suggested_researcher"] == "database"
    assert result["open_questions"][0]["source_locator"] == page
    assert result["confidence_factors"]["source_authority"] == "low"


def test_an_exhausted_budget_still_answers_and_says_so(home: Home) -> None:
    page = "https://en.wikipedia.org/wiki/History_of_artificial_intelligence"
    clash = {"topic": "AI winter", "category": "contradictory_sources", "detail": "two stories"}
    said = sentence(
        "AI research was founded at a workshop at Dartmouth College in the summer of 1956.",
        ("p1", HISTORY),
    )
    final = answer(said, gaps=[clash]) | {"usage": {"input_tokens": 4_500, "output_tokens": 498}}
    result = ask(
        home,
        {page: HISTORY},
        [final],
        question="Comprehensive history of AI from 1950s to 2026",
        depth="deep",
        model="claude-haiku-4-5",
        constraints={"max_iterations": 3, "token_budget": 5_000},
    )
    assert result["cost_metadata"]["budget_exhausted"]
    assert {"budget_exhausted", "contradictory_sources"} <= {g["category"] for g in result["gaps"]}
    assert result["confidence_factors"]["contradiction_detected"]
    assert result["cost_metadata"]["model_id"] == "claude-haiku-4-5"
    assert "Dartmouth" in result["answer"] and result["confidence"] <= 0.7
