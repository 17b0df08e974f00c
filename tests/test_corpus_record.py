"""What the researcher that quotes may use, what it notes, and that it does so the same way every time."""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.findings import Findings
from actors.reports.phrases import ENGLISH, PHRASES
from events.catalogue import Constraints
from events.codec import canonical
from events.errors import CallCut
from events.research import (
    ConfidenceWeighed,
    GapFound,
    PassageQuoted,
    SentenceChecked,
    SourceRead,
    StepTaken,
)
from tests.corpus_shelf import DEMO, ROOT, SAMPLES, Shelf, ask, categories


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


# -- limits ----------------------------------------------------------------------------------------


def test_no_more_searches_are_made_than_allowed(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, constraints={"max_iterations": 1})
    assert (len(shelf.queries), found.iterations_run, found.budget_exhausted) == (1, 1, True)
    assert "budget_exhausted" in categories(found)


def test_no_search_allowed_is_no_answer(shelf: Shelf) -> None:
    found = ask(shelf, "What is a neap tide?", constraints={"max_iterations": 0})
    assert (shelf.queries, found.answer, categories(found)) == (
        [],
        ENGLISH.nothing,
        ["budget_exhausted"],
    )


def test_no_more_sources_are_read_than_allowed(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, constraints={"max_sources": 1})
    assert len(shelf.noted(SourceRead)) == 1
    assert len({each.text_hash for each in found.citations}) == 1
    assert found.confidence_factors.budget_exhausted and "budget_exhausted" in categories(found)


def test_an_ordinary_question_does_not_exhaust_the_budget(shelf: Shelf) -> None:
    assert not ask(shelf, "What is a neap tide?").budget_exhausted


def test_a_filter_keeps_other_sources_out(shelf: Shelf) -> None:
    found = ask(shelf, "When was La Rance opened?", constraints={"source_filter": "tidal-stations"})
    assert {each.locator for each in found.citations} == {"tidal-stations.md"}


def test_the_last_step_says_whether_there_is_an_answer(shelf: Shelf) -> None:
    ask(shelf, "When was La Rance opened?")
    assert shelf.noted(StepTaken)[-1].decision.startswith("Answered")
    ask(shelf, "Who painted the Mona Lisa?")
    assert shelf.noted(StepTaken)[-1].decision == "Found nothing that answers the question."


def test_a_filter_finds_what_many_others_would_come_before() -> None:
    tower = "The Halden tower was built in {}."
    others = {f"others/{n}.md": tower.format(1500 + n) * 3 for n in range(200)}
    shelf = Shelf(others | {"archive/halden.md": f"{tower.format(1874)} It is grey."})
    for names in ("archive/", "nothing.org; arch*.MD"):
        found = ask(shelf, "When was the Halden tower built?", constraints={"source_filter": names})
        assert {each.locator for each in found.citations} == {"archive/halden.md"}


@pytest.mark.parametrize(
    "question", ["When was La Rance opened?", "ランス発電所はいつ開業しましたか\uff1f"]
)
def test_a_gap_names_a_filter_that_leaves_nothing(shelf: Shelf, question: str) -> None:
    found = ask(shelf, question, constraints={"source_filter": "nowhere.org"})
    assert not found.citations and all("nowhere.org" in each.detail for each in found.gaps)


# -- the record ------------------------------------------------------------------------------------


def test_what_is_noted_is_what_is_found(shelf: Shelf) -> None:
    found = ask(shelf, DEMO)
    assert [(each.citation, each.start, each.end) for each in shelf.noted(PassageQuoted)] == [
        (each.number, each.start, each.end) for each in found.citations
    ]
    assert [each.topic for each in shelf.noted(GapFound)] == [each.topic for each in found.gaps]
    read = {each.text_hash for each in shelf.noted(SourceRead)}
    assert len(read) == len(shelf.noted(SourceRead))
    assert {each.text_hash for each in found.citations} <= read


def test_steps_go_up_to_the_number_announced(shelf: Shelf) -> None:
    ask(shelf, DEMO)
    steps = shelf.noted(StepTaken)
    assert [each.step for each in steps] == sorted(each.step for each in steps)
    assert steps[-1].step == steps[-1].of
    assert [steps[0].action, steps[-2].action, steps[-1].action] == ["plan", "select", "compose"]


def test_the_same_question_is_answered_and_noted_the_same_way(shelf: Shelf) -> None:
    again = Shelf(dict(reversed(SAMPLES.items())))
    first, second = ask(shelf, DEMO, depth="deep"), ask(again, DEMO, depth="deep")
    assert canonical(first) == canonical(second)
    assert shelf.notes == again.notes


ANSWER_ELSEWHERE = """
from tests.corpus_shelf import DEMO, SAMPLES, Shelf, ask
from events.codec import canonical, digest
desk = Shelf(SAMPLES)
print(digest(canonical(ask(desk, DEMO, depth="deep")) + repr(desk.notes).encode()))
"""


def test_no_order_of_hashing_changes_a_byte() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", ANSWER_ELSEWHERE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_stop_takes_effect_between_steps() -> None:
    whole = Shelf(SAMPLES)
    ask(whole, DEMO)
    lengths: list[int] = []
    for steps in range(12):
        desk = Shelf(SAMPLES, stop_after=steps)
        with pytest.raises(CallCut):
            ask(desk, DEMO)
        assert desk.notes == whole.notes[: len(desk.notes)]
        lengths.append(len(desk.notes))
    assert lengths == sorted(lengths) and lengths[0] == 0 and lengths[-1] > 5


# -- properties ------------------------------------------------------------------------------------

WORDS = (
    "La Rance",
    "tide",
    "the",
    "Moon",
    "generates",
    "500",
    "600",
    "GWh",
    "a year",
    "in 1966",
    "is",
    "not",
    "潮汐",
)
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(
    lambda words: " ".join(words) + "."
)
DOCUMENT = st.lists(SENTENCE | st.text(max_size=60), max_size=6).map("\n\n".join)
QUESTION = SENTENCE | st.text(max_size=80) | st.lists(SENTENCE, max_size=3).map(" and what ".join)


@settings(max_examples=120, deadline=None)
@given(
    st.lists(DOCUMENT, max_size=4),
    QUESTION,
    st.sampled_from(["shallow", "balanced", "deep"]),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_no_corpus_and_no_question_lead_to_an_unverifiable_citation(
    documents: Sequence[str], question: str, depth: str, iterations: int, sources: int
) -> None:
    desk = Shelf({f"{number}.md": document for number, document in enumerate(documents)})
    limits = Constraints(max_iterations=iterations, max_sources=sources)
    found = ask(desk, question, depth=depth, constraints=limits.model_dump())
    for each in found.citations:
        assert desk.texts[each.text_hash][each.start : each.end] == each.raw_excerpt
        assert 0 < len(each.raw_excerpt) <= 500
    assert bool(found.citations) == (found.answer != PHRASES[found.wording].nothing)
    assert found.iterations_run == len(desk.queries) <= iterations
    assert len(desk.noted(SourceRead)) <= sources
    checks = desk.noted(SentenceChecked)
    assert [(each.sentence, each.citations) for each in checks] == [
        (each.text, each.citations) for each in found.sentences
    ]
    assert all(each.outcome == "inference" or each.support == 1.0 for each in checks)
    assert [each.computed for each in desk.noted(ConfidenceWeighed)] == [found.confidence]
    assert 0 <= found.confidence <= (0.95 if found.citations else 0.1)
    assert canonical(found) and Findings.model_validate_json(canonical(found)) == found
