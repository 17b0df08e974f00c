"""The answer of the researcher that quotes: its quotations, its gaps, what sources disagree on, and its leads."""

import re

import pytest

from actors.reports.phrases import ENGLISH, PHRASES
from events.codec import digest
from tests.corpus_shelf import DEMO, SAMPLES, Shelf, ask, categories


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(SAMPLES)


# -- the answer ------------------------------------------------------------------------------------


def test_the_demo_question_shows_citations_a_contradiction_and_a_gap(shelf: Shelf) -> None:
    found = ask(shelf, DEMO)
    assert "500 GWh" in found.answer and "600 GWh" in found.answer and "sandbanks" in found.answer
    assert len(found.citations) >= 4
    assert {"contradictory_sources", "source_not_found"} <= set(categories(found))
    assert found.parts[2] == "How many people does it employ?"
    assert not [each for each in found.sentences if each.about == found.parts[2]]
    assert found.confidence < 0.5 and found.confidence_factors.contradiction_detected


def test_an_answer_is_made_of_quotations_with_their_numbers(shelf: Shelf) -> None:
    found = ask(shelf, "When was the La Rance tidal power station opened?")
    for line in found.answer.splitlines():
        quoted = re.fullmatch(r"- “(.+)” ((?:\[\d+\])+)(?: \(but see .+\))?", line)
        assert quoted
        first = found.citations[int(quoted[2][1:].partition("]")[0]) - 1]
        assert quoted[1] == " ".join(first.raw_excerpt.strip("|").split())


def test_every_statement_rests_on_citations_that_exist(shelf: Shelf) -> None:
    found = ask(shelf, DEMO, depth="deep")
    numbers = {each.number for each in found.citations}
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert all(each.citations and set(each.citations) <= numbers for each in found.sentences)
    assert {n for each in found.sentences for n in each.citations} == numbers


@pytest.mark.parametrize(("depth", "most"), [("shallow", 3), ("balanced", 6), ("deep", 12)])
def test_depth_bounds_the_number_of_quotations(shelf: Shelf, depth: str, most: int) -> None:
    found = ask(shelf, "How is electricity generated from the tide, and where?", depth=depth)
    disputed = [each for each in found.sentences if each.disputes]
    assert 0 < len(found.sentences) <= most + len(disputed)


def test_a_second_source_that_says_the_same_is_cited_too() -> None:
    found = ask(
        Shelf(
            {
                "a.md": "The Sihwa station has a capacity of 254 megawatts.",
                "b.md": "In Korea the Sihwa station reaches a capacity of 254 megawatts today.",
            }
        ),
        "What is the capacity of the Sihwa station?",
    )
    assert found.sentences[0].citations == (1, 2)
    assert found.confidence_factors.num_corroborating_sources == 2


def test_a_copy_is_no_second_witness() -> None:
    words = "The Sihwa station has a capacity of 254 megawatts."
    found = ask(
        Shelf({"a.md": words, "b.md": f"# Copy\n\n{words}"}), "What is the capacity of Sihwa?"
    )
    assert found.confidence_factors.num_corroborating_sources == 1


def test_a_sentence_that_points_back_brings_what_it_points_to() -> None:
    desk = Shelf(
        {"a.md": "The mill stood at Nendrum on the lough. It was felled in 619 by all evidence."}
    )
    [citation] = ask(desk, "When was the mill at Nendrum felled?").citations
    assert citation.raw_excerpt.startswith("The mill stood at Nendrum")


def test_japanese_questions_are_answered_from_japanese_sources(shelf: Shelf) -> None:
    found = ask(shelf, "日本で干満の差が最も大きいのはどこですか。")
    assert "有明海" in found.answer
    assert {each.locator for each in found.citations} == {"choseki-ja.md"}


def test_web_and_file_sources_are_told_apart() -> None:
    desk = Shelf({"https://tides.example.gov/a.md": "The range at Avonmouth is 12 metres."})
    found = ask(desk, "What is the range at Avonmouth?")
    assert found.citations[0].source == "web"
    assert found.confidence_factors.source_authority == "high"


# -- what is not there -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Mongolia?",
        "How do I train a neural network?",
        "Who won the football World Cup in 1998?",
        "What is the boiling point of ethanol?",
        "ブラジルの首都はどこですか。",
    ],
)
def test_an_absent_topic_yields_gaps_and_no_nonsense(shelf: Shelf, question: str) -> None:
    found = ask(shelf, question)
    assert (found.answer, found.citations) == (PHRASES[found.wording].nothing, ())
    assert categories(found) == ["source_not_found"]
    assert found.confidence <= 0.1


@pytest.mark.parametrize("question", ["?", "What is it?", "   ", "the of and", "🙂"])
def test_a_question_about_nothing_is_answered_honestly(shelf: Shelf, question: str) -> None:
    assert ask(shelf, question).answer == ENGLISH.nothing
    assert shelf.queries == []


def test_an_empty_corpus_is_no_error() -> None:
    found = ask(Shelf({}), "What is a tide?")
    assert (found.answer, categories(found)) == (ENGLISH.nothing, ["source_not_found"])


def test_a_name_without_support_is_a_gap_of_its_own(shelf: Shelf) -> None:
    found = ask(shelf, "Who opened La Rance, and what is the range at Avonmouth in Atlantis?")
    assert any("Atlantis" in gap.topic for gap in found.gaps)


def test_a_source_whose_text_is_lost_is_reported(shelf: Shelf) -> None:
    lost = digest(SAMPLES["tide-mills.md"].encode())
    del shelf.texts[lost]
    found = ask(shelf, "How many tide mills were there on the Atlantic coasts?")
    assert "access_denied" in categories(found)
    assert all(each.text_hash != lost for each in found.citations)


# -- disagreement ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "How much electricity does La Rance generate?",
            "La Rance generates about 500 GWh of electricity a year.",
            "La Rance produces 600 GWh of electricity a year.",
        ),
        (
            "When was the Woodbridge mill built?",
            "The Woodbridge mill was built in 1170.",
            "The Woodbridge mill was built in 1792.",
        ),
        (
            "How long is the barrage at La Rance?",
            "The barrage at La Rance is 750 metres long.",
            "The barrage at La Rance is 0.9 km long.",
        ),
        (
            "How many turbines does La Rance have?",
            "The La Rance station has 24 turbines.",
            "The La Rance station has 20 turbines.",
        ),
    ],
)
def test_different_figures_for_the_same_thing_are_a_contradiction(
    question: str, one: str, other: str
) -> None:
    found = ask(Shelf({"a.md": one, "b.md": other}), question)
    assert "contradictory_sources" in categories(found)
    assert found.confidence_factors.contradiction_detected
    assert [each.type for each in found.discovery_events] == ["contradiction"]
    assert found.open_questions[0].priority == "high"
    assert {each.locator for each in found.citations} == {"a.md", "b.md"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "La Rance generates 500 GWh of electricity a year.",
            "Sihwa generates 550 GWh of electricity a year.",
        ),
        ("The mean range at La Rance is 8 metres.", "The largest range at La Rance is 13 metres."),
        ("The barrage at La Rance is 750 metres long.", "The barrage at La Rance is 0.75 km long."),
        ("La Rance generates 500 GWh a year.", "La Rance generates 480 to 520 GWh a year."),
        ("The range at Malo is 12 metres at springs.", "The range at Malo is 4 metres at neaps."),
        (
            "In 1970 La Rance generated 400 GWh of power.",
            "In 1990 La Rance generated 500 GWh of power.",
        ),
    ],
)
def test_figures_for_different_things_are_none(one: str, other: str) -> None:
    found = ask(
        Shelf({"a.md": one, "b.md": other}), "How does La Rance, Sihwa or Malo generate and range?"
    )
    assert "contradictory_sources" not in categories(found)


# -- leads -----------------------------------------------------------------------------------------


def test_references_in_quoted_passages_become_discoveries(shelf: Shelf) -> None:
    found = ask(shelf, "How many tide mills were there on the Atlantic coasts?")
    assert [(each.type, each.query.partition(":")[0]) for each in found.discovery_events] == [
        ("related_research", "Minchinton 1979")
    ]


def test_what_a_source_calls_unknown_becomes_an_open_question(shelf: Shelf) -> None:
    found = ask(shelf, "What is the effect of turbine noise on porpoises?")
    assert any(
        "turbine noise on harbour porpoises?" in each.question for each in found.open_questions
    )


def test_context_says_what_to_look_at_and_what_is_known(shelf: Shelf) -> None:
    question = "What are the effects of a barrage?"
    plain = ask(shelf, question).answer
    known = "I already know that wading birds feed on mudflats that are exposed between tides and shrink."
    assert ask(shelf, question, context=f"{known} Focus on fish mortality.").answer != plain
