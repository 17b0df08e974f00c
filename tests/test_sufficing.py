"""Quotations must answer what is asked, and not a question like it: of another thing, time or place."""

from collections.abc import Sequence

import pytest

from actors.answering.rules import FOURTH, PRESENT, TENTH
from actors.answering.verb_forms import with_forms
from actors.findings import Findings
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import SAMPLES, Shelf

PAGES = {
    "corvadine.md": "# Corvadine\n\nCorvadine is a medicine against high blood pressure. It was developed by the firm"
    " Haldane-Ruiz and approved in the European Union in 2003. The usual dose is 20 milligrams once a day.",
    "sauce.md": "# Hollandaise sauce\n\nHollandaise sauce is a warm emulsion of egg yolk and butter. The yolks thicken"
    " at a temperature of about 65 degrees Celsius.",
    "jument.md": "# La Jument\n\nLa Jument is a lighthouse in Brittany. It is built on a rock about 300 metres off the"
    " coast. It was staffed from 1911 to 1991.",
    "race.md": "# Haldberg Race\n\nThe Haldberg Race is a ski race in Norway. Eirik Moen won the race in 1998.",
    "moen.md": "# Eirik Moen\n\nEirik Moen is a Norwegian skier. He left the national team in 2004.",
    "william.md": "# William Herschel\n\nWilliam Herschel was an astronomer. He worked with his sister, Caroline"
    " Herschel.",
    "caroline.md": "# Caroline Herschel\n\nCaroline Herschel was an astronomer. She was 4 feet 3 inches tall.",
    "weir.md": "# The Quiet Weir\n\nThe Quiet Weir is a 1961 film written by Ada Novak.",
}
ANSWERED = {
    "When was Corvadine approved in the European Union?": "2003",
    "How far off the coast is La Jument built?": "300 metres",
    "Who won the Haldberg Race in 1998?": "Eirik Moen",
    "How tall was Caroline Herschel?": "4 feet 3 inches",
    "Who wrote the film The Quiet Weir?": "Ada Novak",
    "When did Eirik Moen leave the national team?": "2004",
    "Is Eirik Moen Norwegian?": "Norwegian",
    "When did the Norwegian skier Eirik Moen leave the national team?": "2004",
}
IN_VAIN = {
    "When was Corvadine approved in Japan?": "Japan",
    "How tall is La Jument?": "tall",
    "Who won the Haldberg Race in 1975?": "1975",
    "How tall was William Herschel?": "tall",
    "Who wrote the novel The Quiet Weir?": "novel",
    "When was Corvadine approved in Pakistan?": "Pakistan",
    "When was Corvadine approved in Zurich?": "Zurich",
    "Did Sebastian Bach win the Haldberg Race in 1998?": "Sebastian Bach",
    "How many medicines does Haldane-Ruiz sell?": "medicines",
}


def found(question: str, rules: str = PRESENT.model) -> Findings:
    return research(Brief(question=question), question, Shelf(PAGES), rules)


@pytest.mark.parametrize("question", ANSWERED)
def test_what_the_pages_tell_is_quoted(question: str) -> None:
    assert ANSWERED[question] in found(question).answer


@pytest.mark.parametrize("question", IN_VAIN)
def test_what_they_tell_of_something_else_is_not_quoted(question: str) -> None:
    assert found(question).citations == ()


@pytest.mark.parametrize("written", ["F\u0130LM", "f\u0131lm", "SER\u0130ES"])
def test_letters_that_only_look_like_a_kind_of_work_are_none(written: str) -> None:
    pages = {
        "weir.md": f"# The Quiet Weir\n\nThe Quiet Weir ({written}) is a 1961 film written by Ada Novak."
    }
    question = "Who wrote the film The Quiet Weir?"
    assert research(Brief(question=question), question, Shelf(pages)).citations


def test_a_decade_is_no_count() -> None:
    pages = {
        "acme.md": "# Acme Corp\n\nPeople know Acme Corp for ships. In the 1950s people of it built ferries."
    }
    question = "How many people work for Acme Corp?"
    assert not research(Brief(question=question), question, Shelf(pages)).citations


class Comparing(Shelf):
    """A desk that finds all texts about as near to a question in meaning as unlike things of one field are."""

    near = 0.48

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return [self.near] * len(texts)


class Nearer(Comparing):
    """One that finds them as near as a question and what answers it in other words."""

    near = 0.64


@pytest.mark.parametrize(("thing", "told"), [("hollandaise sauce", True), ("mayonnaise", False)])
def test_a_thing_that_no_source_speaks_of_is_missed_unless_the_meaning_is_near(
    thing: str, told: bool
) -> None:
    question = f"At what temperature does {thing} thicken?"
    # By the rules alone: learned weights know no likeness that is the same for all.
    answer = research(Brief(question=question), question, Comparing(PAGES), TENTH.model).answer
    assert ("65 degrees" in answer) is told


@pytest.mark.parametrize(
    "question",
    [
        "What does the Moon have to do with the length of a day?",
        "What are the main environmental concerns people have about tidal barrages?",
        "What happened to the Swansea Bay lagoon project in the end?",
    ],
)
def test_an_open_question_is_answered_in_whatever_words_the_texts_have(question: str) -> None:
    assert research(Brief(question=question), question, Nearer(SAMPLES)).citations


def test_a_gap_names_what_the_sources_do_not_speak_of() -> None:
    [gap] = found("When was Corvadine approved in Japan?").gaps
    assert gap.category == "source_not_found"
    assert "do not mention “Japan”" in gap.detail


def test_of_a_question_that_is_half_answered_that_half_is_told_and_the_other_is_a_gap() -> None:
    half = found("What is the usual dose of Corvadine, and when was Corvadine approved in Japan?")
    assert [each.raw_excerpt for each in half.citations] == [
        "The usual dose is 20 milligrams once a day."
    ]
    assert [gap.topic for gap in half.gaps] == ["When was Corvadine approved in Japan?"]


def test_a_year_is_told_by_years_that_it_lies_within() -> None:
    assert found("Was La Jument staffed in 1950?").citations
    assert not found("Was La Jument staffed in 1850?").citations


def test_where_the_best_sentence_does_not_answer_the_next_is_tried() -> None:
    pages = {
        "weir.md": "# The Quiet Weir\n\nThe Quiet Weir is a 1961 film, a film of rivers. The Quiet Weir, a film of"
        " 1961, was the directorial debut of Ada Novak."
    }
    question = "Who directed the 1961 film The Quiet Weir?"
    assert "Ada Novak" in research(Brief(question=question), question, Shelf(pages)).answer


def test_questions_whose_small_words_it_does_not_know_are_answered_as_before() -> None:
    pages = {"rance.md": "# La Rance\n\nDas Kraftwerk La Rance wurde 1966 von de Gaulle eröffnet."}
    question = "Wann wurde das Kraftwerk La Rance von Charles de Gaulle eröffnet?"
    then, now = (
        research(Brief(question=question), question, Shelf(pages), rules.model)
        for rules in (FOURTH, PRESENT)
    )
    assert now.answer == then.answer
    assert "1966" in now.answer


def test_the_rules_before_these_quoted_what_was_near_and_still_do() -> None:
    told = [bool(found(question, FOURTH.model).citations) for question in IN_VAIN]
    assert sum(told) >= 4


@pytest.mark.parametrize(
    ("word", "stem", "text"),
    [
        ("leave", "leav", "He left the band."),
        ("broken", "broken", "The shaft broke in 1957."),
        ("directed", "direct", "It was her directorial debut."),
    ],
)
def test_other_forms_of_a_word_speak_of_it(word: str, stem: str, text: str) -> None:
    sense = with_forms(None, word, stem)
    assert sense is not None and sense.search(text)


def test_a_word_without_other_forms_keeps_its_sense() -> None:
    assert with_forms(None, "tide", "tide") is None


LOANS = "# Car loans\n\nA car loan is treated exactly as a house loan is, but for its interest.\n"


def asked_of(locator: str, rules: str = PRESENT.model) -> Findings:
    question = "How is a car loan treated in Loomwright?"
    return research(Brief(question=question), question, Shelf({locator: LOANS}), rules)


@pytest.mark.parametrize(
    "locator",
    [
        "/usr/share/doc/loomwright-4/html/loans.md",
        "/manuals/Loomwright/loans.md",
        "https://www.loomwright.org/guide/loans.md",
        "loomwright_loans.md",
    ],
)
def test_a_manual_need_not_say_on_every_page_whose_manual_it_is(locator: str) -> None:
    told = asked_of(locator)
    assert "treated exactly as a house loan" in told.answer
    assert not told.gaps
    assert not asked_of(locator, TENTH.model).citations


@pytest.mark.parametrize(
    "locator",
    ["/home/loomwright/loans.md", "C:\\Users\\Loomwright\\loans.md", "/manuals/abacus/loans.md"],
)
def test_whose_home_a_page_lies_in_does_not_say_what_it_is_of(locator: str) -> None:
    told = asked_of(locator)
    assert not told.citations
    assert "Loomwright" in told.gaps[0].detail
