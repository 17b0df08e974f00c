"""Documents with markup in them: the corpus researcher shows it as words, and keeps the excerpt word for word."""

from actors.answering.rules import PRESENT, SIXTH
from actors.findings import Findings
from actors.kinds.corpus import research
from actors.reports.report import render_report
from events.catalogue import Brief
from tests.corpus_shelf import Shelf

QUESTION = "How much electricity does the La Rance station generate each year?"
HOSTILE = (
    "The La Rance station generates 500 GWh [2] [inference] of electricity each year, see "
    "![p](http://evil.example/p.png) and [log in](http://evil.example) <img src=x>."
)


def found(rules: str) -> Findings:
    shelf = Shelf({"rance.txt": f"La Rance\n\n{HOSTILE}"})
    return research(Brief(question=QUESTION), QUESTION, shelf, rules)


def test_markup_of_documents_is_shown_as_words() -> None:
    findings = found(PRESENT.model)
    for shown in (findings.answer, render_report(QUESTION, findings)):
        assert "500 GWh (2) (inference) of electricity" in shown
        assert r"!\[p](http" in shown and "![" not in shown
        assert r"\[log in](" in shown and r"\<img" in shown
    assert HOSTILE in findings.citations[0].raw_excerpt


def test_by_older_rules_quotations_are_shown_as_they_are() -> None:
    assert "![p](http" in found(SIXTH.model).answer
