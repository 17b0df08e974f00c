"""An overview of a topic is what several sections and sources say about it, and about what is wished for of it."""

from pathlib import Path

import pytest

from actors.answering.rules import ELEVENTH, PRESENT
from actors.findings import Findings
from actors.kinds.corpus import research
from events.catalogue import Brief
from tests.corpus_shelf import MeaningShelf, Shelf

SAMPLES = Path(__file__).parent.parent / "docs" / "samples"
PAGES = {path.name: path.read_text() for path in sorted(SAMPLES.glob("*.md"))}


def asked(question: str, depth: str = "balanced", rules: str = PRESENT.model) -> Findings:
    brief = Brief.model_validate({"question": question, "depth": depth})
    return research(brief, question, MeaningShelf(PAGES), rules)


def test_an_overview_quotes_several_sections_and_sources_in_their_order() -> None:
    found = asked("Describe the effects of tidal power on the environment", "deep")
    places = [(each.content_hash, each.start) for each in found.citations]
    assert len({content for content, _ in places}) > 1
    assert len(found.citations) >= 4
    by_source = {content: [at for other, at in places if other == content] for content, _ in places}
    assert all(starts == sorted(starts) for starts in by_source.values())
    assert found.parts == ("Describe the effects of tidal power on the environment",)


def test_sources_that_disagree_on_a_topic_are_told_beside_each_other() -> None:
    found = asked("Describe the La Rance power station")
    assert "barrage across the estuary of the river Rance" in found.citations[0].raw_excerpt
    assert [each.category for each in found.gaps] == ["contradictory_sources"]


def test_an_overview_grows_with_the_depth_and_says_nothing_twice() -> None:
    few, many = (
        [each.text for each in asked("Tell me about tide mills", depth).sentences]
        for depth in ("shallow", "deep")
    )
    assert 1 < len(few) <= 3 < len(many)
    assert len(set(many)) == len(many)


def test_a_topic_that_the_documents_are_about_needs_no_verb() -> None:
    assert len(asked("tidal power and the environment").citations) > 1


@pytest.mark.parametrize(
    "question",
    ["Give me an overview of nuclear fusion", "Tell me about Otto Lind", "poetry of the sea"],
)
def test_nothing_is_quoted_of_what_no_document_is_about(question: str) -> None:
    found = asked(question)
    assert found.citations == ()
    assert [each.category for each in found.gaps] == ["source_not_found"]


def test_nothing_to_read_makes_no_overview() -> None:
    brief = Brief(question="Tell me about tides")
    assert research(brief, brief.question, MeaningShelf({}), PRESENT.model).citations == ()


def test_where_nobody_compares_meanings_the_rules_alone_tell_of_a_topic() -> None:
    brief = Brief(question="Tell me about spring tides")
    found = research(brief, brief.question, Shelf(PAGES), PRESENT.model)
    assert "A spring tide is a tide of large range" in found.citations[0].raw_excerpt


def test_earlier_rules_know_no_overview() -> None:
    question = "Tell me about tide mills"
    now, before = (asked(question, rules=each.model) for each in (PRESENT, ELEVENTH))
    assert len(now.citations) > len(before.citations)


BRIEF = (
    "I'm preparing a talk on tidal stream turbines. Please give me an overview of the technology, its costs, and how "
    "seals are protected. Include sources. Keep it short."
)


def test_each_thing_that_is_wished_for_of_a_topic_is_told_under_its_name() -> None:
    found = asked(BRIEF)
    assert found.parts == (
        "Tidal stream turbines",
        "Technology",
        "Costs",
        "How seals are protected",
    )
    told = {each.about: each.text for each in reversed(found.sentences)}
    assert "178.54 pounds per megawatt-hour" in told["Costs"]
    # A sentence that answers a question may be told of something else as well.
    surveyed = [each.text for each in found.sentences if each.about != found.parts[-1]]
    assert len(set(surveyed)) == len(surveyed)


def test_what_is_said_of_the_topic_alone_does_not_tell_of_what_is_wished_for() -> None:
    found = asked("Write a report on the Swansea Bay lagoon, including its choir and cost.")
    about = {each.about for each in found.sentences}
    assert "Cost" in about and "Choir" not in about
    assert any("choir" in each.detail for each in found.gaps)
