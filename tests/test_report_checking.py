"""A report held against its sources: what is called supported stands there, word for word."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.answering.terms import Terms
from actors.reports.interaction import Cited, Draft, draft_of, news_of, usage_of, words_of
from actors.reports.report_checking import (
    _MARKS,
    Check,
    PageText,
    as_read,
    check,
    cited_sentences,
    uncited_sentences,
)

TERMS = Terms()
URL = "https://example.org/a"


def checked(sentence: str, *pages: str) -> Check:
    texts = {f"{URL}{n}": PageText(f"{URL}{n}", text, TERMS) for n, text in enumerate(pages)}
    (result,) = check([(sentence, (*texts, "https://gone.example/"))], texts, TERMS)
    return result


def shown(result: Check, *pages: str) -> list[str]:
    return [pages[int(p.url[-1])][p.start : p.end] for p in result.places]


# -- finding ---------------------------------------------------------------------------------------


def test_words_that_stand_there_are_found_exactly() -> None:
    page = "First. Heat pumps cut emissions by 60% in cold climates. Last."
    result = checked("Heat pumps cut emissions by 60% in cold climates.", page)
    assert (result.outcome, result.match) == ("supported", "exact")
    assert shown(result, page) == ["Heat pumps cut emissions by 60% in cold climates."]


@pytest.mark.parametrize(
    ("sentence", "page"),
    [
        ("Heat pumps cut emissions by half.", "HEAT PUMPS\n  cut “emissions” — by half!"),
        (
            "The café was founded in 1920.",
            unicodedata.normalize("NFKC", "The CAFÉ was founded; in 1920"),
        ),
        ("Die Straße ist sehr lang.", "So heißt es: die STRASSE ist sehr lang, ja."),
        ("熱交換器は効率を大きく改善する。", "昔から、熱交換器は効率を大きく改善する、と言う。"),
    ],
)
def test_case_spacing_and_punctuation_do_not_matter(sentence: str, page: str) -> None:
    result = checked(sentence, page)
    assert (result.outcome, result.match) == ("supported", "normalised")
    (found,) = shown(result, page)
    assert found
    assert found in page


def test_words_in_quotation_marks_are_enough() -> None:
    page = "Asked, she said: the old grid will not carry it, and left."
    result = checked("The minister warned that “the old grid will not carry it” again.", page)
    assert result.outcome == "supported"
    assert shown(result, page) == ["the old grid will not carry it"]


def test_parts_of_words_are_not_words() -> None:
    assert checked("At hers he pumps out.", "That hers he pumps outside.").outcome == "not_found"


def test_a_few_words_prove_nothing() -> None:
    assert checked("It is so.", "It is so. Everybody says it.").outcome == "not_found"


def test_what_is_not_there_is_shown_beside_the_nearest_passage() -> None:
    page = "Cats sleep. Old radiators are rarely a problem for a heat pump. Dogs bark."
    result = checked("Old radiators are seldom any problem at all.", page)
    assert (result.outcome, result.match) == ("not_found", "none")
    assert shown(result, page) == ["Old radiators are rarely a problem for a heat pump."]


def test_what_is_far_from_everything_shows_nothing() -> None:
    result = checked("Subsidies doubled within one year.", "Cats sleep. Dogs bark.")
    assert (result.outcome, result.places) == ("not_found", ())


def test_a_sentence_without_a_readable_source_is_unreachable() -> None:
    (result,) = check([("Any words that cite something.", ("https://gone/",))], {}, TERMS)
    assert result.outcome == "unreachable"


def test_every_source_that_has_the_words_is_named() -> None:
    page = "Heat pumps cut emissions by 60% in cold climates."
    assert len(checked(page, page, "Nothing of that.", page).places) == 2


def test_a_very_long_match_is_shortened_to_what_may_be_quoted() -> None:
    sentence = " ".join(f"word{number}" for number in range(300)) + "."
    page = f"Before. {sentence} After."
    (found,) = shown(checked(sentence, page), page)
    assert len(found) <= 500
    assert sentence.startswith(found)


@given(st.text(max_size=200), st.text(max_size=400))
def test_whatever_is_found_lies_within_the_page(words: str, page: str) -> None:
    for text in (page, f"{page} {words} {page}"):
        for place in checked(words, text).places:
            assert 0 <= place.start <= place.end <= len(text)


@given(
    st.lists(
        st.sampled_from(["ab", "ß", "İ", "ǆ", "ﬁ", "漢字", "—", "\n", ".", "é"]),
        min_size=6,
        max_size=30,
    )
)
def test_sentences_are_found_again_whatever_letters_they_have(letters: list[str]) -> None:
    words = " ".join(f"{letter}word{n}" for n, letter in enumerate(letters))
    page = f"Before it {words.upper()} and after it."
    assert checked(words, page).outcome == "supported"


# -- what is cited ---------------------------------------------------------------------------------


def test_marks_and_markup_are_not_words() -> None:
    raw = "- **Heat pumps** [work](https://x.example) well [cite: 1, 2] [3]. ![p](https://e.example/x)"
    assert as_read(raw) == "Heat pumps work well. p"


_MARKS_AS_FIRST_WRITTEN = re.compile(
    r"\[cite:[^\]\n]{0,80}\]|\[(?:\d{1,3}(?:,\s*)?)+\](?!\()", re.I
)
"""Slow over long numbers, and what older records were made by."""


@given(
    st.lists(st.sampled_from(["[", "]", "(", "1", "22", "٣", ",", " ", "\n", "x", "[cite:"])).map(
        lambda parts: "".join(parts)[:24]
    )
)
def test_the_same_marks_are_found_as_in_older_records(text: str) -> None:
    spans = [found.span() for found in _MARKS_AS_FIRST_WRITTEN.finditer(text)]
    assert [found.span() for found in _MARKS.finditer(text)] == spans


def test_a_number_without_end_in_brackets_costs_no_more_than_its_length() -> None:
    raw = f"Heat pumps [{'1' * 100_000} x] work well."
    assert as_read(raw) == raw


def test_blank_lines_of_code_cost_no_more_than_their_length() -> None:
    prose = "Heat pumps work well in cold climates."
    blank = "\n" * 200_000
    text = f"{prose}\n\n```\n{blank}x\n```\n"
    assert uncited_sentences(Draft(text, ())) == [prose]


def test_a_source_belongs_to_the_sentence_its_mark_covers() -> None:
    text = "# Title\n\nFirst sentence here. Second sentence here. Third one stands alone.\n"
    second = text.index("Second")
    cited = Cited(URL, None, second, second + len("Second sentence here"))
    assert cited_sentences(Draft(text, (cited,))) == [("Second sentence here.", (URL,))]


def test_a_mark_over_a_paragraph_belongs_to_each_of_its_sentences() -> None:
    text = "First sentence here. Second sentence here."
    assert len(cited_sentences(Draft(text, (Cited(URL, None, 0, len(text)),)))) == 2


# -- what the provider sends -----------------------------------------------------------------------


def job(*content: dict[str, object]) -> dict[str, object]:
    return {"steps": [{"type": "model_output", "content": list(content)}]}


def text(words: str, *marks: tuple[int, int]) -> dict[str, object]:
    annotations = [
        {"type": "url_citation", "url": URL, "start_index": start, "end_index": end}
        for start, end in marks
    ]
    return {"type": "text", "text": words, "annotations": annotations}


def test_places_are_counted_in_bytes_within_each_piece() -> None:
    first, second = "Ünïcode fïrst. ", "Zweïter Satz."
    end = len("Zweïter".encode())
    picture: dict[str, object] = {"type": "image", "data": "aGk="}
    draft = draft_of(job(text(first, (0, 9)), picture, text(second, (0, end))))
    assert draft.text == first + second
    assert [draft.text[c.start : c.end] for c in draft.cited] == ["Ünïcode", "Zweïter"]


@given(st.text(max_size=50), st.integers(-5, 300), st.integers(-5, 300))
def test_places_that_make_no_sense_do_no_harm(words: str, start: int, end: int) -> None:
    words = words.encode(errors="ignore").decode()
    for cited in draft_of(job(text(words, (start, end)))).cited:
        assert 0 <= cited.start < cited.end <= len(words)


MEMBERS = [
    *("steps", "type", "content", "text", "annotations", "url"),
    *("usage", "errors", "summary", "arguments", "queries"),
]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(MEMBERS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["steps", "usage", "errors"]), JUNK))
def test_an_answer_of_any_shape_is_read_without_an_error(answer: dict[str, object]) -> None:
    draft_of(answer)
    usage_of(answer)
    assert words_of(answer)


@given(st.dictionaries(st.sampled_from(["type", "summary", "arguments"]), JUNK))
def test_a_step_of_any_shape_is_read_without_an_error(step: dict[str, object]) -> None:
    news_of(step)
