"""A research that quotes speaks the language of its question, and earlier rules speak as they did."""

import string
from dataclasses import fields

import pytest

from actors.answering.rules import EIGHTH
from actors.findings import Findings
from actors.kinds.corpus import research
from actors.reports.phrases import ENGLISH, FIRST, JAPANESE, Phrases
from actors.reports.report import render_report
from events.catalogue import Brief
from language.detection import language_of
from tests.corpus_shelf import Shelf

MUSEUM = (
    "# 港町の資料館\n\n港町の資料館は1974年に開館した。入館料は大人500円である。月曜日は休館する。"
)
ASKED = "港町の資料館はいつ開館しましたか。館長は誰ですか。"
NEVER_TOLD = "港町の資料館の館長の電話番号は何番ですか。"


def found(question: str, rules: str | None = None) -> Findings:
    shelf = Shelf({"museum.md": MUSEUM})
    brief = Brief(question=question)
    return research(brief, question, shelf, rules) if rules else research(brief, question, shelf)


def test_a_question_in_japanese_is_answered_in_japanese_throughout() -> None:
    findings = found(ASKED)
    assert "「港町の資料館は1974年に開館した。」 [1]" in findings.answer
    report = render_report(ASKED, findings)
    for section in JAPANESE.headings.values():
        told = f"## {section}\n" in report
        assert told or section in {"矛盾", "残る疑問", "手がかり"}
    for gap in findings.gaps:
        assert language_of(gap.detail) == "ja", gap.detail
    assert not [heading for heading in ENGLISH.headings.values() if f"## {heading}" in report]


def test_nothing_found_is_said_in_the_language_of_the_question() -> None:
    assert found(NEVER_TOLD).answer == JAPANESE.nothing
    assert found("What is the phone number of the director?").answer == ENGLISH.nothing


def test_earlier_rules_say_it_as_they_did() -> None:
    findings = found(NEVER_TOLD, EIGHTH.model)
    assert findings.answer == FIRST.nothing
    assert "wording" not in findings.model_dump()
    assert "## Summary" in render_report(NEVER_TOLD, findings)


def places(phrases: Phrases) -> dict[str, list[str]]:
    """How many things each sentence has room for."""
    told: dict[str, list[str]] = {}
    for field in fields(phrases):
        value = getattr(phrases, field.name)
        texts = value if isinstance(value, tuple) else [value]
        if isinstance(value, dict):
            texts = [
                text
                for each in value.values()
                for text in ([each] if isinstance(each, str) else each)
            ]
        if field.name not in {"values", "headings"}:
            told[field.name] = [
                "{}"
                for text in texts
                for _, name, *_ in string.Formatter().parse(text)
                if name is not None
            ]
    return told


@pytest.mark.parametrize("phrases", [ENGLISH, JAPANESE])
def test_every_language_tells_the_same(phrases: Phrases) -> None:
    assert places(phrases) == places(FIRST)
    assert set(phrases.headings) == set(FIRST.headings)
