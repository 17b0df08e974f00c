"""Questions as people put them to manuals, price lists, club pages and lists of questions and answers."""

import pytest

from actors.findings import Findings
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import Shelf, ask

CLUB = (
    "The club meets every Tuesday at 7 pm in the library. The club won the county league in 2009."
)
BRIDGE = (
    "The Orra Bridge is a suspension bridge over the Orra Strait. The toll for a car is 4.50 euros."
    " About 41,000 vehicles cross it each day. It was opened on 3 June 1964."
)
PAGES = {
    "ten.md": "# Windows 10\n\nWindows 10 support ends on 14 October 2025.",
    "eleven.md": "# Windows 11\n\nWindows 11 needs 4 GB of memory. It was released in October 2021.",
    "club.md": f"# Rookhill Chess Club\n\n{CLUB}",
    "town.md": "# Kettleby\n\nKettleby is a market town. The market is held every Thursday.",
    "office.md": "# Office\n\nThe office opens at 9:00. On Fridays the office closes at 15:30.",
    "bridge.md": f"# Orra Bridge\n\n{BRIDGE}",
    "car.md": "# Vanto Cityline owner's handbook\n\nThe fuel tank holds 45 litres.",
    "badger.md": "# Badger\n\nBadgers live in setts, which may be 30 m long.",
    "rowing.md": "# Ostenby Rowing Club\n\nOstenby Rowing Club was founded in 1877. The club has 260 members.",
    "castle.md": "# Dunmorrow Castle\n\nThe chapel of Dunmorrow Castle has been closed since 2019.\n\nThe moat was"
    " drained because it smelt.",
    "washer.md": "# Aquawash 7\n\nThe drum holds 7 kg of laundry. Error E20 means that the drain is blocked.",
}
ANSWERED = {
    "How much memory does Windows 11 need?": "4 GB",
    "When does support for Windows 10 end?": "14 October 2025",
    "When does the chess club meet?": "every Tuesday at 7 pm",
    "When is the market held in Kettleby?": "every Thursday",
    "At what time does the office close on Fridays?": "15:30",
    "When was the Orra Bridge opened?": "3 June 1964",
    "What does error E20 mean on the Aquawash 7?": "the drain is blocked",
    "When was the Ostenby Rowing Club founded?": "1877",
    "Why was the moat of Dunmorrow Castle drained?": "because it smelt",
}
IN_VAIN = {
    "When does support for Windows 11 end?": "give no date",
    "How much memory does Windows 10 need?": "give no figure",
    "How long is the Orra Bridge?": "give no figure",
    "How high is the Orra Bridge?": "give no figure",
    "How many seats does the Vanto Cityline have?": "give no figure",
    "How long do badgers live?": "give no figure",
    "What does error E50 mean on the Aquawash 7?": "E50",
    "Who founded the Ostenby Rowing Club?": "",
    "Why has the chapel of Dunmorrow Castle been closed?": "",
}
LAYOUTS = {
    "letters": "Q: {0}\nA: {1}\n\nQ: {2}\nA: {3}\n",
    "words": "Question: {0}\nAnswer: {1}\n\nQuestion: {2}\nAnswer: {3}\n",
    "bold": "**{0}**\n\n{1}\n\n**{2}**\n\n{3}\n",
    "headings": "## {0}\n\n{1}\n\n## {2}\n\n{3}\n",
    "list": "- {0} {1}\n- {2} {3}\n",
}
ASKED, TOLD = "Can I pay by invoice?", "Yes, from 100 euros on."
ALSO_ASKED, ALSO_TOLD = "How long is the warranty?", "It is 24 months."


@pytest.mark.parametrize("question", ANSWERED)
def test_what_the_pages_tell_is_quoted(question: str) -> None:
    assert ANSWERED[question] in ask(Shelf(PAGES), question).answer


@pytest.mark.parametrize("question", IN_VAIN)
def test_what_they_tell_of_something_else_is_not(question: str) -> None:
    found = ask(Shelf(PAGES), question)
    assert found.citations == ()
    assert IN_VAIN[question] in found.gaps[0].detail


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("question", "answer"), [(ASKED, TOLD), (ALSO_ASKED, ALSO_TOLD)])
def test_a_question_that_is_asked_often_is_answered_by_its_answer(
    layout: str, question: str, answer: str
) -> None:
    page = "# Shop FAQ\n\n" + LAYOUTS[layout].format(ASKED, TOLD, ALSO_ASKED, ALSO_TOLD)
    quoted = [each.raw_excerpt for each in ask(Shelf({"faq.md": page}), question).citations]
    other = {TOLD, ALSO_TOLD} - {answer}
    assert any(answer in each for each in quoted)
    assert not any(each in text for text in quoted for each in other)


def test_a_question_that_nobody_answers_can_be_quoted() -> None:
    page = "# Meeting\n\nOpen points:\n\nShould we support Safari?\n\nShould we raise prices?\n"
    found = ask(Shelf({"notes.md": page}), "Should Safari be supported?")
    assert [each.raw_excerpt for each in found.citations] == ["Should we support Safari?"]


def test_two_sources_with_other_figures_are_both_quoted() -> None:
    pages = {
        "old.md": "# Price list 2023\n\nAn adult ticket costs 12 euros.",
        "new.md": "# Price list 2024\n\nAn adult ticket costs 14 euros.",
        "copy.md": "# Price list 2024, copy\n\nAn adult ticket costs 14 euros.",
    }
    found = ask(Shelf(pages), "How much does an adult ticket cost?")
    assert sorted(each.raw_excerpt for each in found.citations) == [
        "An adult ticket costs 12 euros.",
        "An adult ticket costs 14 euros.",
    ]


def test_records_of_earlier_rules_are_read_by_those() -> None:
    def earlier(question: str) -> Findings:
        return research(Brief(question=question), question, Shelf(PAGES), "corpus-extractive-4")

    assert "4.50 euros" in earlier("How long is the Orra Bridge?").answer
    assert "2009" in earlier("When does the chess club meet?").answer
