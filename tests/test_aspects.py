"""How high something is is not told by how far away it is."""

import pytest

from actors.answering.aspects import tells_of_another
from tests.corpus_shelf import Shelf, ask

TOWER = "Ellis Tower stands in Leeds."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How high is Ellis Tower?", "Ellis Tower is 300 m from the station."),
        ("What is the height of Ellis Tower?", "Ellis Tower is 40 m in diameter."),
        ("How long is Wye Bridge?", "The road over Wye Bridge is 9 m (30 feet) wide."),
        ("How deep is the Garonne?", "At Toulouse the Garonne has a width of about 200 m."),
        ("How wide is the Garonne?", "The Garonne is 529 km long."),
    ],
)
def test_a_length_of_something_else_is_no_answer(question: str, told: str) -> None:
    assert tells_of_another(question, [told])


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How high is Ellis Tower?", "Ellis Tower rises to 90 m, 300 m from the station."),
        ("How high is Ellis Tower?", "Ellis Tower is a tower of 90 m."),
        ("How high is Ellis Tower?", "Its 12 storeys are 300 m from the station."),
        ("How long is the tour?", "The tour takes 3 hours and begins 2 km from the town."),
        ("How wide is the Garonne?", "The Garonne is 529 km long and up to 200 m wide."),
        ("How far is Ellis Tower from the town?", "The path to Ellis Tower is 12 km long."),
        ("How many people live in Leeds?", "Leeds is 300 km from London."),
        ("How high is Ellis Tower?", "Nobody has measured Ellis Tower."),
    ],
)
def test_a_length_that_may_be_the_one_is_left(question: str, told: str) -> None:
    assert not tells_of_another(question, [told])


def test_a_question_for_a_height_is_not_answered_by_a_distance() -> None:
    far, high = "Ellis Tower is 300 m from the station.", "Ellis Tower has a height of 90 m."
    shelf = Shelf({"tower.md": f"# Ellis Tower\n\n{TOWER} {far}"})
    assert ask(shelf, "How high is Ellis Tower?").citations == ()
    shelf = Shelf({"tower.md": f"# Ellis Tower\n\n{TOWER} {far} {high}"})
    assert [each.raw_excerpt for each in ask(shelf, "How high is Ellis Tower?").citations] == [high]
