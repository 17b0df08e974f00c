"""Which of two orders the lines of a page are read in: that of their places, or that of the file."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.pdf.layout import lines_of_page
from actors.adapters.pdf.lines import Page, Run
from actors.adapters.pdf.order import in_better_order
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.pdf.word import Word
from tests.pdf_files import Put, column, make_pdf

CARDS = [
    ["The mill of Eling grinds", "wheat twice a day with", f"the ebb of the tide {n}."]
    for n in range(9)
]


def read(*pages: list[Put]) -> str:
    return " ".join(parse_pdf("paper.pdf", make_pdf([*pages])).text.split())


def in_order(text: str, parts: list[str]) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def word(text: str, left: float, base: float) -> Word:
    return Word(text, left, left + 5.0 * len(text), base, 10.0, bold=False, fixed=False)


def test_cards_in_rows_are_read_row_by_row_as_the_file_draws_them() -> None:
    page = [
        put
        for number, lines in enumerate(CARDS)
        for put in column(50 + 180 * (number % 3), 750 - 60 * (number // 3), lines)
    ]
    text = read(page)
    assert in_order(text, [f"ebb of the tide {n}." for n in range(9)])
    assert text.count("grinds wheat twice a day with the ebb") == 9


def test_a_foot_that_is_drawn_first_stands_last_and_decides_nothing() -> None:
    left = [
        "One column has this text and",
        "goes on with what is below it,",
        "down to its end here.",
    ]
    right = [
        "Another one stands beside it",
        "and is read when the first is",
        "read down to its end.",
    ]
    page = [Put(50, 40, "Printed in Truro"), *column(50, 700, left), *column(320, 700, right)]
    text = read(page)
    assert in_order(text, ["One column", "Another one", "read down to its end.", "Printed"])


def test_words_seen_in_an_image_have_no_order_of_their_own() -> None:
    lines = [
        word(f"{side}{n}", 50.0 + 250 * right, 100.0 + 12 * n)
        for n in range(12)
        for right, side in ((False, "left"), (True, "right"))
    ]
    runs = [
        replace(each, right=each.left + 200.0, text=f"{each.text} of the estuary and the")
        for each in lines
    ]
    page = Page(1, 595.0, 842.0, runs, drawn=False)
    read_lines, _ = lines_of_page(page)
    sides = ["left" in line.text for line in read_lines]
    assert sides == sorted(sides, reverse=True)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30, unique=True),
    st.randoms(),
)
def test_each_run_is_read_once_in_whatever_order_it_is_drawn(
    places: list[tuple[int, int]], chance: object
) -> None:
    runs = [Run([word("tides", 60.0 * x, 12.0 * y)]) for x, y in places]
    by_place = [(x, [run]) for (x, _), run in zip(places, runs, strict=True)]
    drawn = list(runs)
    chance.shuffle(drawn)  # type: ignore[attr-defined]
    found = [run for _, row in in_better_order(by_place, drawn, frozenset()) for run in row]
    assert sorted(map(id, found)) == sorted(map(id, runs))


@pytest.mark.parametrize("known", [frozenset(), frozenset({"estuary"})])
def test_a_cut_word_that_the_document_has_tells_where_the_text_goes_on(
    known: frozenset[str],
) -> None:
    first = Run([word("the", 50, 100), word("estu-", 70, 100)])
    other = Run([word("burst", 300, 100)])
    rest = Run([word("ary", 50, 500)])
    by_place = [(1, [first]), (2, [rest]), (3, [other])]
    found = in_better_order(by_place, [first, other, rest], known)
    assert (found[1][1] == [rest]) is bool(known)


def test_the_first_line_of_a_page_whose_lines_stand_far_apart_is_no_head() -> None:
    label = Run([word("lock", 50, 64)])
    lines = [Run([word(f"tide{n}", 160, 44.0 + 20 * n)]) for n in range(3)]
    by_place = [(1, [lines[0]]), (1, [label, lines[1]]), (1, [lines[2]])]
    found = in_better_order(by_place, [label, *lines], frozenset())
    assert found[0][1] == [label]


def test_names_of_rows_in_small_letters_do_not_speak_for_reading_a_table_by_columns() -> None:
    rows = [
        (
            Run([word(f"lock{n}", 50, 100.0 + 30 * n)]),
            Run([word(f"Opened {n} to the sea.", 160, 100.0 + 30 * n)]),
        )
        for n in range(6)
    ]
    for _, text in rows:
        text.words[:] = [
            replace(text.words[0], text=each) for each in ("Opened", "to", "all", "the", "sea.")
        ]
    by_place = [*((1, [name]) for name, _ in rows), *((2, [text]) for _, text in rows)]
    drawn = [run for row in rows for run in row]
    found = [run for _, row in in_better_order(by_place, drawn, frozenset()) for run in row]
    assert list(map(id, found)) == list(map(id, drawn))
