"""Where sentences and blocks begin and end."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.blocks import blocks
from language.sentences import LONGEST, QUOTABLE, clip, sentences


def split(text: str) -> list[str]:
    return [text[each.start : each.end] for each in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rose. It fell.", ["It rose.", "It fell."]),
        ("Dr. Smith saw St. Malo. He left.", ["Dr. Smith saw St. Malo.", "He left."]),
        ("See e.g. the tide, i.e. the sea, in Fig. 2 of it.", None),
        ("The range is 3.5 m at 12.42 hours.", None),
        ("J. K. Rowling and G. B. Shaw met.", None),
        ("It lacks vitamin C. The cure is simple.", ["It lacks vitamin C.", "The cure is simple."]),
        ("In the U.S. Navy it is so. In the U.S. The rest differs.", None),
        ('"Why?" he asked. "Because."', ['"Why?" he asked.', '"Because."']),
        ("He said “Go.” Then he left.", ["He said “Go.”", "Then he left."]),
        (
            "It held, as shown.[12] Later work agrees.",
            ["It held, as shown.[12]", "Later work agrees."],
        ),
        ("Wait... and see. pH is 7.", ["Wait... and see.", "pH is 7."]),
        ("No. 5 was first. Was it? Yes!", ["No. 5 was first.", "Was it?", "Yes!"]),
        ("Born in Paris (b. 1950) he moved.", None),
        ("It opened at 9 a.m. on Monday.", None),
    ],
)
def test_a_sentence_ends_where_a_reader_would_say_so(text: str, expected: list[str] | None) -> None:
    if text.startswith("In the U.S."):
        expected = ["In the U.S. Navy it is so.", "In the U.S.", "The rest differs."]
    assert split(text) == (expected or [text])


def test_japanese_sentences_end_without_a_space() -> None:
    assert split("潮が満ちる。本当ですか？はい！") == ["潮が満ちる。", "本当ですか？", "はい！"]  # noqa: RUF001


def test_a_quotation_inside_a_japanese_sentence_does_not_end_it() -> None:
    assert split("「行く。」と言った。次の日。") == ["「行く。」と言った。", "次の日。"]


def test_a_quotation_that_nothing_follows_up_ends_the_japanese_sentence() -> None:
    assert split("「行く。」「来る。」そして帰った。") == [
        "「行く。」",
        "「来る。」",
        "そして帰った。",
    ]


def test_no_sentence_or_clipping_ends_inside_a_character() -> None:
    assert split("潮。\u0301次。") == ["潮。\u0301", "次。"]
    family = "👨‍👩‍👧‍👦"
    _, end = clip(family * 100, 0, 100 * len(family))
    assert end % len(family) == 0


def test_list_items_are_taken_apart_and_lose_their_bullets() -> None:
    text = "Intro:\n\n- first one\n  goes on\n- second\n1. third\n2) fourth\n"
    assert split(text) == ["Intro:", "first one\n  goes on", "second", "third", "fourth"]


def test_a_heading_is_a_sentence_of_its_own_kind() -> None:
    text = "# Tides #\n\nBelow it.\n\nSprings\n-------\nMore text."
    kinds = [(each.kind, text[each.start : each.end]) for each in sentences(text)]
    assert kinds == [
        ("heading", "Tides"),
        ("prose", "Below it."),
        ("heading", "Springs"),
        ("prose", "More text."),
    ]


def test_code_is_never_split_and_prose_after_it_is() -> None:
    text = "```py\nx = 1. \nprint(x). Done\n```\nOne. Two."
    assert split(text) == ["```py\nx = 1. \nprint(x). Done\n```", "One.", "Two."]


def test_table_rows_come_one_by_one_without_the_rule() -> None:
    text = "| a | b |\n| --- | ---: |\n| 1. x | 2 |\n"
    assert split(text) == ["| a | b |", "| 1. x | 2 |"]


def test_front_matter_comments_and_rules_are_not_text() -> None:
    text = "---\ntitle: x\n---\n<!-- hidden\nwords -->\n\nSeen.\n\n***\n\nAlso seen."
    assert split(text) == ["Seen.", "Also seen."]


def test_a_title_line_in_plain_text_does_not_run_into_its_paragraph() -> None:
    text = "The tides of Brittany\nThe range at Saint-Malo is among the largest of all Europe, they say.\n"
    assert split(text)[0] == "The tides of Brittany"


def test_a_wrapped_line_may_begin_with_a_number() -> None:
    text = "The station opened on the day that everyone knows and has, since then, had\n24. It was cold."
    assert split(text)[0].endswith("had\n24.")


def test_windows_line_ends_change_nothing() -> None:
    text = "# A\r\n\r\nOne. Two\r\nmore.\r\n\r\n- x\r\n- y\r\n"
    assert split(text) == ["A", "One.", "Two\r\nmore.", "x", "y"]


def test_only_blocks_that_touch_the_span_are_read() -> None:
    text = "First. Second.\n\nThird.\n\nFourth."
    start = text.index("Third")
    assert [text[each.start : each.end] for each in sentences(text, start, start + 3)] == ["Third."]


def test_a_long_sentence_is_clipped_at_the_end_of_a_clause() -> None:
    text = "word " * 60 + "end of clause, " + "word " * 60
    start, end = clip(text, 0, len(text))
    assert (start, text[:end].endswith("clause,"), end <= QUOTABLE) == (0, True, True)


def test_a_short_sentence_is_left_alone() -> None:
    assert clip("Short.", 0, 6) == (0, 6)


@given(st.text())
def test_spans_are_ordered_apart_and_without_blanks_around_them(text: str) -> None:
    end = 0
    for each in sentences(text):
        assert end <= each.start < each.end <= len(text)
        assert text[each.start : each.end].strip() == text[each.start : each.end]
        assert each.kind == "code" or each.end - each.start <= LONGEST
        end = each.end


WORDS = st.lists(
    st.sampled_from(["tide", "The", "3.5", "Dr.", "U.S.", "end.", "why?", "(b.", "mm"])
)


@given(WORDS)
def test_no_word_is_ever_cut(words: list[str]) -> None:
    text = " ".join(words)
    for each in sentences(text):
        for edge in (each.start, each.end):
            assert edge in {0, len(text)} or text[edge].isspace() or text[edge - 1].isspace()


@given(st.text(), st.integers(10, 60))
def test_a_clipped_span_is_within_the_limit_and_begins_alike(text: str, limit: int) -> None:
    start, end = clip(text, 0, len(text), limit)
    assert start == 0
    assert end <= max(limit, 0) or len(text) <= limit


@given(st.text(alphabet="#-=|>`*. \nab1"))
def test_blocks_cover_every_word(text: str) -> None:
    covered = {place for block in blocks(text) for place in range(block.start, block.end)}
    assert all(place in covered for place, letter in enumerate(text) if not letter.isspace())


@pytest.mark.parametrize(
    "unit", [".", " ", "# a ", "| ", "- ", ">", "`", '."', "a", "潮", "Dr. ", "<!--\n"]
)
def test_hostile_input_takes_no_longer_than_its_length(unit: str) -> None:
    began = time.process_time()
    sentences(unit * 20_000)
    assert time.process_time() - began < 5
