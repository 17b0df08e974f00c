"""Marks of a deep-research report: whose they are, and what they mean."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.reports.interaction import Draft, draft_of
from actors.reports.report_checking import cited_sentences, uncited_sentences
from actors.reports.report_marks import report_sentences, with_sources, without_list
from language.sentences import Sentence, sentences


def annotated(text: str) -> Draft:
    """A report whose annotations cover its marks, in bytes, as the provider's do."""
    marks = [
        {"url": f"https://x.example/{number}", "start_index": mark.start(), "end_index": mark.end()}
        for mark in re.finditer(rb"\[cite: ([0-9, ]+)\]", text.encode())
        for number in mark[1].decode().split(", ")
    ]
    block = {"type": "text", "text": text, "annotations": marks}
    return draft_of({"steps": [{"type": "model_output", "content": [block]}]})


def cited(text: str) -> list[tuple[str, str]]:
    found = cited_sentences(annotated(text), report_sentences(text))
    return [(words, "".join(url[-1] for url in urls)) for words, urls in found]


FIRST, SECOND = "Heat pumps cut emissions by half.", "Radiators of old houses are no trouble."


@pytest.mark.parametrize(
    "text",
    [
        "Heat pumps cut emissions by half [cite: 1, 2]. Radiators of old houses are no trouble [cite: 3].",
        "Heat pumps cut emissions by half. [cite: 1, 2] Radiators of old houses are no trouble. [cite: 3]",
        "Heat pumps cut emissions by half.[cite: 1, 2] Radiators of old houses are no trouble.[cite: 3]",
        "Heat pumps cut emissions by half. [cite: 1][cite: 2]\nRadiators of old houses are no trouble [cite: 3].",
        "*   Heat pumps cut emissions by half. [cite: 1, 2]\n*   Radiators of old houses are no trouble. [cite: 3]",
    ],
)
def test_a_mark_belongs_to_the_sentence_that_it_follows(text: str) -> None:
    assert cited(text) == [(FIRST, "12"), (SECOND, "3")]


def test_every_one_of_several_marks_at_the_end_belongs_to_the_last_sentence() -> None:
    assert cited(f"{FIRST} [cite: 1][cite: 2]") == [(FIRST, "12")]
    assert cited(f"{SECOND} [cite: 3] {FIRST} [cite: 1] [cite: 2]\n\n{SECOND}") == [
        (SECOND, "3"),
        (FIRST, "12"),
    ]


def test_a_mark_behind_a_japanese_sentence_is_its_own() -> None:
    text = "潮力発電所は五百GWhを発電する。[cite: 7] 次の文には出典が何もない。"
    assert cited(text) == [("潮力発電所は五百GWhを発電する。", "7")]
    assert uncited_sentences(annotated(text), report_sentences(text)) == [
        "次の文には出典が何もない。"
    ]


def test_a_mark_that_begins_a_paragraph_stays_there() -> None:
    text = f"{FIRST}\n\n[cite: 4] {SECOND}"
    assert cited(text) == [(SECOND, "4")]


LIST = "\n\n**Sources:**\n1. [one.example](https://r.example/A==)\n2. [two.example](https://r.example/B)\n"


def test_without_annotations_the_marks_and_the_list_say_what_is_cited() -> None:
    text = f"{FIRST[:-1]} [cite: 2, 1]. {SECOND[:-1]} [cite: 9].{LIST}"
    found = with_sources(Draft(text, ()))
    assert [(each.url[-3:], each.title) for each in found.cited] == [
        ("e/B", "two.example"),
        ("A==", "one.example"),
    ]
    assert {text[each.start : each.end] for each in found.cited} == {"[cite: 2, 1]"}


def test_a_source_that_the_provider_does_not_name_is_called_as_in_the_list() -> None:
    text = f"{FIRST[:-1]} [cite: 1].{LIST}"
    marked = draft_of(
        {
            "steps": [
                {
                    "type": "model_output",
                    "content": [
                        {
                            "type": "text",
                            "text": text,
                            "annotations": [
                                {"url": "https://r.example/A==", "start_index": 33, "end_index": 42}
                            ],
                        }
                    ],
                }
            ]
        }
    )
    assert [each.title for each in with_sources(marked).cited] == ["one.example"]


@given(st.text(alphabet='ab .。[]cite:1,\n*|"', max_size=80))
def test_sentences_follow_one_another_and_lose_no_word(text: str) -> None:
    spans = report_sentences(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(0 <= each.start < each.end <= len(text) for each in spans)
    assert letters(text, spans) == letters(text, sentences(text))


def letters(text: str, spans: list[Sentence]) -> str:
    return "".join("".join(text[each.start : each.end].split()) for each in spans)


# -- the list of sources ---------------------------------------------------------------------------

TITLED = [
    "1. [Heat pumps in cold climates: a field study - Nature](https://x.example/1)",
    "2. [Do heat pumps pay off in Europe? A review by the IEA](https://x.example/2)",
    "- [Radiators of old houses and how to keep them](https://x.example/3)",
]
PLAIN = [
    "[1] Miller et al., Heat pumps in cold climates, Nature 2023. https://x.example/(1)",
    "Smith, Radiators of old houses and how to keep them, <https://x.example/2>",
]


def uncited(text: str) -> list[str]:
    return uncited_sentences(annotated(text), without_list(text, report_sentences(text)))


@pytest.mark.parametrize(
    "heading", ["**Sources:**", "## References", "### Works cited:", "参考文献"]
)
@pytest.mark.parametrize("entries", [TITLED, PLAIN])
def test_entries_of_a_list_of_sources_are_no_sentences_without_a_source(
    heading: str, entries: list[str]
) -> None:
    listed = "\n".join(entries)
    text = (
        f"# Pumps\n\n{FIRST} [cite: 1]\n\n{SECOND}\n\n{heading}\n\n{listed}\n\n# More\n\n{SECOND}\n"
    )
    assert uncited(text) == [SECOND, SECOND]


def test_what_is_claimed_under_such_a_heading_or_beside_a_link_is_claimed_all_the_same() -> None:
    claim = "Radiators are no trouble, says [a study of old houses](https://x.example/1)."
    assert len(uncited(f"{FIRST} [cite: 1]\n\n{claim}\n\n## Sources\n\n- {SECOND}\n")) == 2


@pytest.mark.timeout(30)
@pytest.mark.parametrize("piece", ["sources \t", "[a](https://", "*", "# ", "1. ", "https://x "])
def test_no_list_of_sources_holds_a_report_up(piece: str) -> None:
    without_list(piece * 200_000, [])
