"""A sentence that is too long to be quoted whole is said to go on, in its excerpt and in the answer."""

from actors.answering.rules import NINTH
from actors.findings import Findings
from actors.kinds.corpus import research
from actors.reports.excerpts import is_verbatim
from events.catalogue import Brief
from language.sentences import CUT
from tests.corpus_shelf import Shelf, ask

QUESTION = "When was the Halden lighthouse built?"
LONG = (
    "The Halden lighthouse was built in 1874 of granite from the quarries at Skarn, "
    + ", ".join(f"with a stair of {n} steps in its {n}th year" for n in range(30, 48))
    + ", and it still stands today."
)
SHORT = "The Halden lighthouse was built in 1874 of granite."


def excerpt_of(found: Findings, text: str) -> str:
    [cited] = found.citations
    assert is_verbatim(cited.raw_excerpt, text, cited.start, cited.end)
    return cited.raw_excerpt


def test_a_quotation_that_ends_within_its_sentence_says_that_it_goes_on() -> None:
    found = ask(Shelf({"a.md": LONG}), QUESTION)
    assert excerpt_of(found, LONG).endswith(CUT)
    assert " …” [1]" in found.answer
    assert all(each.text.endswith(" …") for each in found.sentences)


def test_a_whole_sentence_does_not() -> None:
    text = f"{SHORT} Its lamp was lit in May."
    found = ask(Shelf({"a.md": text}), QUESTION)
    assert CUT not in excerpt_of(found, text) and "…" not in found.answer


def test_records_of_earlier_rules_are_as_they_were() -> None:
    found = research(Brief(question=QUESTION), QUESTION, Shelf({"a.md": LONG}), NINTH.model)
    assert CUT not in excerpt_of(found, LONG) and "…" not in found.answer
