"""A list is quoted whole where only that answers, and shown as a list; else the item that answers by itself."""

from itertools import pairwise

import pytest

from actors.answering.rules import NINTH
from actors.findings import Citation, Findings
from actors.kinds.corpus import research
from actors.reports.excerpts import is_verbatim
from actors.reports.report import render_report
from events.catalogue import Brief
from tests.corpus_shelf import Shelf, ask

STOPS = [
    f"{a} {b}"
    for a in ("Upper", "Lower", "Old")
    for b in ("Ash", "Birch", "Cole", "Dunn", "Elm", "Fenn")
]
FURTHER = [f"{name} {n} with a bench, a shelter and a bin" for n in range(5) for name in STOPS]
PAGES = {
    "account.md": "# Opening a current account\n\nTo open an account you need one of:\n\n- a passport\n"
    "- a driving licence\n- an identity card\n\nYou also need proof of address.\n\n## Fees\n\n"
    "- Monthly fee: £4\n- Replacement card: £6.50",
    "pool.md": "# Millfield pool\n\nThe pool is heated.\n\n## Opening hours\n\n- Monday to Friday: 7 am to 9 pm\n"
    "- Saturday: 9 am to 6 pm\n- Sunday: closed",
    "scones.md": "# Scones\n\nScones are baked.\n\n**Method**\n\n1. Heat the oven.\n2. Rub butter into the flour for"
    " the scones.\n3. Bake the scones for 12 minutes.",
    "bus.md": "# Bus 12\n\nBus 12 stops at the following places:\n\n"
    + "\n".join(f"- {each}" for each in (*STOPS, *FURTHER)),
    "news.md": "# Mapper\n\nMapper draws maps.\n\n## Changes in Mapper 4\n\n- A dark mode was added.\n"
    "- Windows 8 is dropped.",
    "camp.md": "# 青葉キャンプ場のご案内\n\n持ち物は次のとおりです。\n・寝袋\n・懐中電灯\n\n花火はご遠慮ください。",
}
ACCOUNT = "“To open an account you need one of:\n  - a passport\n  - a driving licence\n  - an identity card”"
WHOLE = {
    "What do I need to open an account?": ACCOUNT,
    "Is a driving licence enough to open an account?": ACCOUNT,
    "What are the opening hours of Millfield pool?": "“Opening hours\n  - Monday to Friday: 7 am to 9 pm\n"
    "  - Saturday: 9 am to 6 pm\n  - Sunday: closed”",
    "How do I make scones?": "“**Method**\n  1. Heat the oven.\n  2. Rub butter into the flour for the scones.\n"
    "  3. Bake the scones for 12 minutes.”",
    "キャンプの持ち物は何ですか\uff1f": "「持ち物は次のとおりです。\n  - 寝袋\n  - 懐中電灯」",
}
ALONE = {
    "How much is a replacement card?": "- “Replacement card: £6.50” [1]",
    "When is Millfield pool open on Saturday?": "- “Saturday: 9 am to 6 pm” [1]",
}


@pytest.mark.parametrize("question", WHOLE)
def test_a_list_is_quoted_with_what_leads_to_it_and_shown_as_one(question: str) -> None:
    found = ask(Shelf(PAGES), question)
    assert WHOLE[question] in found.answer
    assert f"- {WHOLE[question]}" in render_report(question, found)
    assert not any(held(one, other) for one, other in pairwise(found.citations))


def held(one: Citation, other: Citation) -> bool:
    inside = one.start <= other.start and other.end <= one.end
    return one.text_hash == other.text_hash and inside


@pytest.mark.parametrize("question", ALONE)
def test_an_item_that_answers_by_itself_is_quoted_alone(question: str) -> None:
    assert ask(Shelf(PAGES), question).answer == ALONE[question]


def test_whole_sentences_under_a_heading_are_quoted_one_by_one() -> None:
    found = ask(Shelf(PAGES), "What changes are in Mapper 4?")
    assert "A dark mode was added." in [each.raw_excerpt for each in found.citations]


def test_of_a_long_list_the_item_that_is_asked_for_is_quoted_with_what_leads_to_it() -> None:
    excerpts = [
        each.raw_excerpt for each in ask(Shelf(PAGES), "Does bus 12 stop at Old Dunn?").citations
    ]
    assert "Bus 12 stops at the following places:" in excerpts
    assert not any("Upper Ash" in each for each in excerpts)
    assert any(each.startswith("Old Dunn") for each in excerpts)


def test_of_a_long_list_the_beginning_is_quoted_and_said_to_go_on() -> None:
    desk = Shelf(PAGES)
    found = ask(desk, "At which places does bus 12 stop?")
    assert "places:\n  - Upper Ash\n  - Upper Birch" in found.answer
    assert found.answer.count("\n  …”") == 1
    assert len(found.answer) < 2000
    assert_found(found, desk)


@pytest.mark.parametrize("question", [*WHOLE, *ALONE])
def test_every_excerpt_stands_in_its_text(question: str) -> None:
    desk = Shelf(PAGES)
    assert_found(ask(desk, question), desk)


def assert_found(found: Findings, desk: Shelf) -> None:
    assert found.citations
    for each in found.citations:
        assert is_verbatim(each.raw_excerpt, desk.text(each.text_hash), each.start, each.end)


def test_records_of_earlier_rules_quote_no_lists() -> None:
    question = "What do I need to open an account?"
    found = research(Brief(question=question), question, Shelf(PAGES), NINTH.model)
    assert "a passport" not in found.answer
