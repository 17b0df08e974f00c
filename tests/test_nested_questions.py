"""Questions within questions, and questions that compare."""

import pytest

from actors.answering.comparing import compared
from actors.answering.linking import (
    ANOTHER,
    NAMESAKE,
    exact_titles,
    leads_to,
    names_in,
    surely_meant,
)
from actors.answering.nesting import MOST_STEPS, steps_of
from actors.answering.questions import plan
from actors.answering.rules import FIRST
from actors.answering.senses import sense_of
from actors.answering.terms import Terms


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        (
            "Who is the mother of the director of film Distant Shores?",
            ("director of Distant Shores", "Who is the mother of"),
        ),
        (
            "Where was the performer of song Old Letters born?",
            ("performer of Old Letters", "Where was born"),
        ),
        (
            "What is the award that the composer of film Distant Shores won?",
            ("composer of Distant Shores", "What is the award that won"),
        ),
        (
            "What office was held by the woman who portrayed Nell Harker in Distant Shores?",
            ("the woman who portrayed Nell Harker in Distant Shores", "What office was held by"),
        ),
        (
            "In which town was the actor born who played Doctor Quill?",
            ("the actor who played Doctor Quill", "In which town was born"),
        ),
        (
            "Which tunnel did the father of the engineer who built the Western Railway construct?",
            (
                "the engineer who built the Western Railway",
                "father of",
                "Which tunnel did construct",
            ),
        ),
        ("When did Ada Novak's father die?", ("father of Ada Novak", "When did die")),
        (
            "Who is the paternal grandmother of Ada Novak?",
            ("father of Ada Novak", "mother"),
        ),
        ("Who is Ada Novak's maternal grandfather?", ("mother of Ada Novak", "father")),
        (
            "Where was the father-in-law of Anton Belsky born?",
            ("spouse of Anton Belsky", "father of", "Where was born"),
        ),
        (
            "Which tunnel did Ada Novak's uncle build?",
            ("parent of Ada Novak", "brother of", "Which tunnel did build"),
        ),
        (
            "When did the aunt of the director of film The Mill die?",
            ("director of The Mill", "parent of", "sister of", "When did die"),
        ),
        (
            "The actor who played Doctor Quill in The Mill held what office?",
            ("The actor who played Doctor Quill in The Mill", "held what office"),
        ),
    ],
)
def test_a_nested_question_is_taken_in_steps(question: str, steps: tuple[str, ...]) -> None:
    assert steps_of(question) == steps
    [part] = plan(question, "", Terms())
    assert part.steps == steps


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Distant Shores?",
        "Who was the director of Distant Shores?",
        "What is a neap tide?",
        "How long is the Thames Tunnel?",
        "What is the bird that nests on the cliffs?",
        "What is the capacity of the Sihwa station?",
        "",
        "the of and",
    ],
)
def test_a_plain_question_has_no_steps(question: str) -> None:
    assert steps_of(question) == ()


def test_no_question_has_more_steps_than_can_be_followed() -> None:
    deep = "Who is " + "the father of " * 50 + "Ada Novak?"
    assert len(steps_of(deep)) <= MOST_STEPS


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Which mill is older, Eling or Woodbridge", ["Eling", "Woodbridge"]),
        ("Who was born first, Ada Novak or Emil Brandt", ["Ada Novak", "Emil Brandt"]),
        (
            "Which magazine was started first Town Digest or First Light",
            ["Town Digest", "First Light"],
        ),
        ("Were Ada Novak and Emil Brandt of the same nationality", ["Ada Novak", "Emil Brandt"]),
        ("Are both Eling and Woodbridge in England", ["Eling", "Woodbridge"]),
        ("Between Eling and Woodbridge, which is larger", ["Eling", "Woodbridge"]),
        (
            "Which is longer, the Thames Tunnel or the Severn Tunnel",
            ["Thames Tunnel", "Severn Tunnel"],
        ),
        ("Are Apollo 11 and Apollo 13 spacecraft", ["Apollo 11", "Apollo 13"]),
        ("Did Ada Novak and Emil Brandt both study in Paris", ["Ada Novak", "Emil Brandt"]),
        ("Ada Novak and Emil Brandt share what profession", ["Ada Novak", "Emil Brandt"]),
        ("In which country are both Eling and Woodbridge located", ["Eling", "Woodbridge"]),
        (
            "Are the director of The Mill and the director of The Ferry from the same country",
            ["director of The Mill", "director of The Ferry"],
        ),
    ],
)
def test_a_comparison_has_a_side_for_each_thing(question: str, sides: list[str]) -> None:
    assert [side.thing for side in compared(question)] == sides


@pytest.mark.parametrize(
    "question",
    [
        "Are salt and pepper minerals",
        "Who built the mill and the weir",
        "When was the Institute of Arts and Crafts founded",
        "What is a tide",
        "Does Johnson and Johnson make vaccines",
        "Do Johnson and Johnson make vaccines",
        "Is Bosnia and Herzegovina in NATO",
        "Of Mice and Men, which year was it published",
        "Between 1914 and 1918, who ruled Germany",
        "Between March 1914 and May 1918, who ruled Germany",
        "Which two actors starred in Romeo and Juliet",
        "Who also wrote War and Peace",
    ],
)
def test_what_compares_nothing_has_no_sides(question: str) -> None:
    assert compared(question) == []


def test_a_side_may_ask_for_something_of_the_thing_first() -> None:
    sides = compared("Which film has the director who was born first, The Mill or The Ferry")
    assert [side.steps for side in sides] == [
        ("director of The Mill", "was born first"),
        ("director of The Ferry", "was born first"),
    ]


def test_each_side_of_a_comparison_has_its_own_subject() -> None:
    one, other = plan("Which came first, La Rance or Sihwa?", "", Terms())
    assert [each.surface for each in one.wanted if each.strong] == ["La", "Rance"]
    assert [each.surface for each in other.wanted if each.strong] == ["Sihwa"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where does Ada Novak come from?", "come"),
        ("What does Acme make?", "make"),
        ("When did the caravel come into use in the Baltic?", None),
        ("What makes the tide rise at Eling?", None),
        ("Where does the power come from at La Rance?", None),
        ("What does it take to make steel at Eling?", None),
    ],
)
def test_a_common_verb_is_asked_only_of_a_name(question: str, asked: str | None) -> None:
    [part] = plan(question, "", Terms())
    verbs = {"come", "comes", "came", "make", "makes"}
    assert [w.surface for w in part.wanted if w.surface in verbs] == ([asked] if asked else [])


def test_the_first_rules_take_a_question_as_they_did() -> None:
    [part] = plan("Who is the mother of the director of film The Mill?", "", Terms(), FIRST)
    assert part.steps == () and all(wanted.sense is None for wanted in part.wanted)


# -- names and pages -----------------------------------------------------------------------------


def test_a_page_is_named_by_the_whole_of_its_title() -> None:
    titles = ["The Mill", "The Old Mill", "Mill (film)", "Ferry"]
    assert exact_titles("Who directed The Old Mill?", titles) == {"The Old Mill"}
    assert exact_titles("Who directed The Mill?", titles) == {"The Mill"}


def test_words_in_brackets_say_which_of_two_pages_is_meant() -> None:
    titles = ["Border War (film)", "Border War (novel)"]
    assert exact_titles("Who made Border War (Film)?", titles) == {"Border War (film)"}
    assert exact_titles("Who made Border War?", titles) == set(titles)


def test_a_noun_with_a_capital_is_no_name_where_all_nouns_have_one() -> None:
    titles = ["Turbine", "Silberner Hafen", "Erneuerbare Energie"]
    asked = (
        "Wann drehte man Silberner Hafen, und was hat erneuerbare Energie mit der Turbine zu tun?"
    )
    assert exact_titles(asked, titles, nouns=True) == {"Silberner Hafen"}
    assert "Turbine" in exact_titles(asked, titles)


def test_the_setting_of_a_name_tells_its_namesakes_apart() -> None:
    footballer, director = "John Smith (footballer)", "John Smith (director)"
    said = "The Mill is a film directed by John Smith."
    for around in (said, f"director of The Mill {said}"):
        sure = surely_meant("John Smith", [footballer, director, "Ada Novak"], around)
        assert sure == {footballer: ANOTHER, director: 1.0}
    assert surely_meant("John Smith", [footballer], said) == {footballer: NAMESAKE}
    plain_one = surely_meant("John Smith", [footballer, "John Smith"], said)
    assert plain_one == {footballer: NAMESAKE, "John Smith": 1.0}


@pytest.mark.parametrize(
    ("name", "title", "sure"),
    [
        ("Ada Novak", "Ada Novak", 1.0),
        ("Ada Novak", "Ada Novak (writer)", 1.0),
        ("Novak", "Ada Novak", 0.45),
        ("Ada Maria Novak", "Ada Novak", 0.6),
        ("Ada Novak", "Emil Brandt", 0.0),
        ("", "Emil Brandt", 0.0),
    ],
)
def test_a_name_leads_to_its_page(name: str, title: str, sure: float) -> None:
    assert leads_to(name, title) == sure


def test_names_are_found_whole_and_adjectives_are_none() -> None:
    text = "It is a 1990 Polish film with Ada Novak of Eling and Emil Brandt."
    found = [name for name, _ in names_in(text, Terms().tokens(text))]
    assert found == ["Ada Novak of Eling", "Emil Brandt"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("mother", "She is the daughter of Emil Brandt and Ada Novak."),
        ("nationality", "Ada Novak is a Hungarian composer."),
        ("older", "Ada Novak (3 May 1901 – 4 June 1980) was a composer."),
        ("spouse", "In 1930 he married Ada Novak."),
        ("population", "At the last census it had 4,512 inhabitants."),
    ],
)
def test_a_thing_is_told_in_other_words(word: str, said: str) -> None:
    sense = sense_of(word)
    assert sense and sense.search(said)
    assert not sense.search("The mill grinds corn.")
