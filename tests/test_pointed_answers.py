"""A sentence must say what is asked of a thing, and not only name it."""

import pytest

from actors.answering.deeds import acted_upon
from actors.answering.giving import counts
from actors.answering.kinds_of_things import of_another_kind
from actors.answering.questions import plan
from actors.answering.rules import PRESENT, THIRD
from actors.answering.terms import Terms
from actors.answering.unspoken import asked_of
from actors.findings import Findings
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import DEMO, SAMPLES, Shelf, ask, candidates_of

DAM = """# Marl Dam

Marl Dam is a dam on the river Oder, near the town of Lunow. It was built by the engineer Paul Wendt in 1931. The dam
blocked the sturgeon from the upper river. Its road is used by 900 cars a day.
"""
PEN = """# Ballpoint pen

A ballpoint pen is a pen that writes with a small ball. The tanner John Loud had one patented in 1888. László Bíró made
the first one that worked well.
"""
TEA = """# Tea

Tea is a drink made from leaves. It came to Europe in 1610. In small amounts it is harmless for adults.
"""
CLUB = """# Lunow Rovers

Lunow Rovers is a football club. The club was founded on 12 May 1899. It has won the cup 21 times.
"""
FILM = """# The Quiet Weir

The Quiet Weir is a 1961 film written by Ada Novak. It was shown in Berlin.
"""


def told(document: str, question: str, rules: str = PRESENT.model) -> str:
    """What is answered from one page; nothing where nothing is quoted."""
    found = research(Brief(question=question), question, Shelf({"page.md": document}), rules)
    return found.answer if found.citations else ""


def test_what_a_thing_did_is_not_answered_by_what_it_is() -> None:
    answer = told(DAM, "What did Marl Dam do to the sturgeon?")
    assert "blocked the sturgeon" in answer
    assert "is a dam on the river" not in answer


def test_what_was_done_to_another_thing_is_not_told_of_this_one() -> None:
    assert told(DAM, "What did Marl Dam do to the orchards?") == ""


def test_whether_something_is_bad_is_answered_by_what_says_that_it_harms() -> None:
    answer = told(TEA, "Is tea bad for you?")
    assert "harmless for adults" in answer
    assert "drink made from leaves" not in answer


def test_what_was_invented_is_told_by_who_made_the_first_one() -> None:
    answer = told(PEN, "Who invented the ballpoint pen?")
    assert "László Bíró" in answer
    assert "small ball" not in answer


def test_a_page_on_one_kind_of_a_thing_says_nothing_of_another_kind() -> None:
    question = "Who invented the fountain pen?"
    [fountain], [ballpoint] = (
        plan(each, "", Terms()) for each in (question, question.replace("fountain", "ballpoint"))
    )
    last = candidates_of(PEN)[-1]
    assert (of_another_kind(fountain, last), of_another_kind(ballpoint, last)) == (True, False)
    assert told(PEN, question) == ""


def test_what_is_counted_must_be_spoken_of() -> None:
    assert told(CLUB, "How many goals did Lunow Rovers score in 1899?") == ""
    assert "21 times" in told(CLUB, "How many times has Lunow Rovers won the cup?")


def test_who_made_a_part_of_a_thing_is_not_told_by_who_made_the_thing() -> None:
    assert told(FILM, "Who wrote the score of The Quiet Weir?") == ""
    scored = f"{FILM} Olga Brandt composed the music.\n"
    assert "Olga Brandt" in told(scored, "Who wrote the score of The Quiet Weir?")


def test_a_date_is_no_number() -> None:
    assert not counts("The station was opened on 26 November 1966.")
    assert counts("The station was opened on 26 November 1966 with 24 turbines.")


def test_the_rules_before_these_answered_otherwise_and_still_do() -> None:
    before = research(Brief(question=DEMO), DEMO, Shelf(SAMPLES), THIRD.model)
    assert "is a barrage across" in deed_told(before)
    assert told(CLUB, "How many goals did Lunow Rovers score in 1899?", THIRD.model) != ""


@pytest.mark.parametrize(
    ("question", "upon"),
    [
        ("What did the dam do to the river?", ["river"]),
        ("How did the cane toad affect quolls?", ["quolls"]),
        ("What effect do turbines have on fish?", ["fish"]),
        ("Is tidal power bad for fish?", ["fish"]),
        ("What happened to the estuary?", ["estuary"]),
        ("Is coffee bad for you?", []),
        ("What is a barrage?", []),
    ],
)
def test_what_is_acted_upon_stands_behind_what_is_done(question: str, upon: list[str]) -> None:
    [part] = plan(question, "", Terms(), PRESENT)
    assert [each.surface for each in acted_upon(part)] == upon


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many goals did the Rovers score?", ["goals"]),
        ("How many bulb turbines does it have?", ["bulb", "turbines"]),
        ("How many kilometres long is the wall?", []),
        ("Who wrote the score of The Mill?", ["score"]),
        ("Who wrote the novel about the sea?", []),
    ],
)
def test_what_is_asked_about_is_what_is_counted_or_belongs_to_a_name(
    question: str, asked: list[str]
) -> None:
    [part] = plan(question, "", Terms(), PRESENT)
    assert [part.wanted[place].surface for place in asked_of(part)] == asked


def deed_told(found: Findings) -> str:
    """What the demo says of the barrage."""
    _, _, behind = found.answer.partition("**What did its barrage do to the estuary?**")
    return behind.partition("**How many people")[0]


def cited(found: Findings) -> str:
    return " ".join(each.raw_excerpt for each in found.citations)


def test_the_demo_says_what_the_barrage_did_and_not_what_it_is() -> None:
    said = deed_told(ask(Shelf(SAMPLES), DEMO))
    assert "turned sandbanks into mud" in said
    assert "is a barrage across" not in said


def test_whether_tidal_power_is_bad_for_fish_is_answered_by_what_fish_suffer() -> None:
    said = cited(ask(Shelf(SAMPLES), "Is tidal power bad for fish?"))
    assert "caused serious harm to fish" in said
    assert "burns nothing" not in said
