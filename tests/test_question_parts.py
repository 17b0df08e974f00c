"""How a question is taken apart, and what a part is about."""

import pytest

from actors.answering.questions import plan
from actors.answering.reading import Reading
from actors.answering.rules import PRESENT
from actors.answering.terms import Terms
from events.catalogue import Brief
from tests.corpus_shelf import Shelf


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is a tide?", ["What is a tide?"]),
        ("What is X? Where is Y?", ["What is X?", "Where is Y?"]),
        (
            "When was it built, who built it, and why?",
            ["When was it built?", "Who built it?", "Why?"],
        ),
        ("Compare barrages and lagoons", ["Barrages", "Lagoons"]),
        ("What is the difference between ebb and flood?", ["Ebb", "Flood"]),
        ("Compare La Rance with Sihwa in terms of output", ["La Rance: output", "Sihwa: output"]),
        (
            "Which opened first, La Rance or Sihwa?",
            ["La Rance: Which opened first", "Sihwa: Which opened first"],
        ),
        (
            "What are the causes and effects of tides?",
            ["What are the causes of tides?", "What are the effects of tides?"],
        ),
        ("Who sailed the ship, which was lost?", ["Who sailed the ship, which was lost?"]),
        ("Are salt and pepper minerals?", ["Are salt and pepper minerals?"]),
        (
            "How much is lunch, and is wine paid for?",
            ["How much is lunch?", "Is wine paid for?"],
        ),
        (
            "Are dogs allowed, may I smoke and could there be a fee?",
            ["Are dogs allowed?", "May I smoke?", "Could there be a fee?"],
        ),
        (
            "Which river rises in Ulm, and is the longest of all?",
            ["Which river rises in Ulm, and is the longest of all?"],
        ),
        (
            "Where is the mill that was built in 1900, and is owned by Orla?",
            ["Where is the mill that was built in 1900, and is owned by Orla?"],
        ),
        ("1) tide mills 2) tide tables", ["Tide mills", "Tide tables"]),
    ],
)
def test_a_question_is_taken_apart_where_it_asks_several_things(
    question: str, parts: list[str]
) -> None:
    found = [part.text for part in plan(question, "", Terms())]
    assert (
        found == parts or found == parts[:-1]
    )  # "Why?" alone has nothing to look for but its subject


def test_a_question_has_at_most_five_parts() -> None:
    assert len(plan("What is a tide? " * 3 + "What is the moon? " * 9, "", Terms())) == 5


def test_a_list_without_an_end_is_not_tried_in_all_ways_of_taking_its_words_apart() -> None:
    # The ways are more than can ever be tried; where they are, this test runs into the limit of its time.
    listed = "name, location, capacity, owner, operator, height, length, status, turbines, cost"
    (part,) = plan(f"What are the {listed} of La Rance?", "", Terms(), PRESENT)
    assert {"owner", "turbin"} <= {each.term for each in part.wanted}
    ended = plan(f"What are the {listed} and output of La Rance?", "", Terms(), PRESENT)
    assert len(ended) == 5


def test_a_part_that_says_it_takes_its_subject_from_the_part_before() -> None:
    second = plan("When did La Rance open and who built it?", "", Terms())[1]
    assert {"la", "ranc"} <= {each.term for each in second.wanted}


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Wer hat die Turbine für das Kraftwerk gebaut?", set()),
        ("Who built the machine that is called Turbine?", {"Turbine"}),
    ],
)
def test_a_german_noun_does_not_tie_a_question_to_the_page_about_it(
    question: str, named: set[str]
) -> None:
    desk = Shelf({"turbine.md": "# Turbine\n\nEine Turbine dreht sich."})
    parts = plan(question, "", Terms())
    reading = Reading(Brief(question=question), parts, desk, Terms(), PRESENT)
    reading.search_for_parts()
    judge, _ = reading.judged()
    assert reading.candidates() and judge.about(parts[0]) == named


@pytest.mark.parametrize(
    ("question", "asked", "both"),
    [
        ("Which open-air museum opened first, Arn or Bel?", {"opened"}, {"air", "museum"}),
        ("Which opened first, Arn or Bel?", {"opened"}, set()),
        ("Which mountain is higher, Arn or Bel?", {"higher"}, {"mountain"}),
    ],
)
def test_what_both_sides_are_is_not_what_is_asked_of_them(
    question: str, asked: set[str], both: set[str]
) -> None:
    wanted = plan(question, "", Terms())[0].wanted
    assert {each.surface for each in wanted if each.strong} == asked | {"Arn"}
    assert {each.surface for each in wanted if not each.strong} - {"first"} == both
