"""Tables whose cells have several lines are read cell by cell, and columns of text are not tables."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.pdf.cells import blocks_of, table_of
from actors.adapters.pdf.layout import lines_of_page
from actors.adapters.pdf.lines import Page, Run, rows_of
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.pdf.word import Word
from tests.pdf_files import Put, make_pdf

CELLS = [
    [
        [f"The gates of basin {n} are", "opened when the tide is at", f"its lowest mark {n}."],
        [f"The harbour master {n} says", f"so by radio in time {n}."],
        [f"Boats wait below lock {n} and", "pass one by one before the", f"water rises again {n}."],
    ]
    for n in range(5)
]
SAID = [" ".join(cell) for row in CELLS for cell in row]


def table(lefts: tuple[int, ...] = (50, 225, 390), gap: float = 8) -> list[list[list[Put]]]:
    """The lines of each cell of each row, at their places."""
    top, rows = 740.0, []
    for row in CELLS:
        rows.append(
            [
                [Put(left, top - 12 * place, line) for place, line in enumerate(cell)]
                for left, cell in zip(lefts, row, strict=True)
            ]
        )
        top -= 12 * max(map(len, row)) + gap
    return rows


def read(page: list[Put]) -> str:
    return " ".join(parse_pdf("table.pdf", make_pdf([page])).text.split())


def in_order(text: str, parts: list[str]) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def by_cells(rows: list[list[list[Put]]]) -> list[Put]:
    return [put for row in rows for cell in row for put in cell]


def across(rows: list[list[list[Put]]]) -> list[Put]:
    return sorted(by_cells(rows), key=lambda put: (-put.y, put.x))


def by_columns(rows: list[list[list[Put]]]) -> list[Put]:
    return [put for column in zip(*rows, strict=True) for cell in column for put in cell]


@pytest.mark.parametrize("drawn", [by_cells, across, by_columns])
def test_cells_of_several_lines_are_each_read_to_their_end_however_they_are_drawn(
    drawn: object,
) -> None:
    text = read(drawn(table()))  # type: ignore[operator]
    assert in_order(text, SAID)


def test_a_table_between_paragraphs_is_read_cell_by_cell_and_they_line_by_line() -> None:
    line = "A paragraph as wide as the page goes on from one line to another and is no table at all"
    above = [Put(50, 800 - 12 * place, f"{line} {place}") for place in range(3)]
    below = [Put(50, 480 - 12 * place, f"{line} {place + 3}") for place in range(3)]
    text = read([*above, *across(table()), *below])
    assert in_order(text, [f"{line} 2", *SAID, f"{line} 3 {line} 4 {line} 5"])


def test_rows_without_gaps_begin_where_their_first_cell_does() -> None:
    page = []
    for n in range(6):
        top = 740 - 36 * n
        page += [Put(50, top, f"lock {n}")]
        page += [Put(120, top - 12 * at, put) for at, put in enumerate(CELLS[0][0])]
        page += [Put(330, top - 12 * at, put) for at, put in enumerate(CELLS[0][2])]
    text = read(sorted(page, key=lambda put: (-put.y, put.x)))
    assert text.count(f"{' '.join(CELLS[0][0])} {' '.join(CELLS[0][2])}") == 6
    assert in_order(text, [f"lock {n}" for n in range(6)])


def test_rows_of_one_line_stay_rows_also_where_gaps_part_them() -> None:
    page = [
        Put(50 + 120 * at, 700 - 13 * n - 8 * (n // 3), cell)
        for n in range(9)
        for at, cell in enumerate((f"Height of gate {n}", f"{n}51", f"{n}77"))
    ]
    text = read(page)
    assert in_order(text, [f"Height of gate {n} {n}51 {n}77" for n in range(9)])


def test_columns_of_text_whose_gaps_are_not_level_stay_columns() -> None:
    def column(left: float, name: str, lengths: tuple[int, ...]) -> list[Put]:
        top, puts = 740.0, []
        for n, lines in enumerate(lengths):
            for place in range(lines):
                words = f"the {name} text {n} goes on and on here"
                puts.append(Put(left, top, words if place + 1 < lines else f"end {name} {n}."))
                top -= 12
            top -= 8
        return puts

    left, right = column(50, "left", (3, 5, 4, 6, 3)), column(320, "right", (5, 3, 6, 3, 4))
    page = sorted([*left, *right], key=lambda put: (-put.y, put.x))
    ends = [f"end {name} {n}." for name in ("left", "right") for n in range(5)]
    assert in_order(read(page), ends)


def test_lists_beside_each_other_are_no_table_though_their_items_stand_level() -> None:
    items = ["The first line of this item is", "full and so is the second one", "below it."]

    def rows(mark: str) -> list[list[Run]]:
        return rows_of(
            [
                Run(
                    spread(
                        f"{mark} {line}" if place == 0 else line, left, 100 + 44 * n + 12 * place
                    )
                )
                for left in (50.0, 310.0)
                for n in range(4)
                for place, line in enumerate(items)
            ]
        )

    assert len(table_of(rows("A"))) == 8
    assert table_of(rows("•")) == []


def test_names_above_cards_are_read_with_their_cards_on_a_page_that_is_an_image() -> None:
    words = []
    for n in range(9):
        left, base = 50.0 + 180 * (n % 3), 100.0 + 80 * (n // 3)
        words += spread(f"Mill number{n}", left, base, bold=True)
        for place, line in enumerate(
            ("the wheel of this mill turns", "twice a day with the ebbing", f"tide{n} alone.")
        ):
            words += spread(line, left, base + 20 + 12 * place)
    lines, _ = lines_of_page(Page(1, 595.0, 842.0, words, drawn=False))
    text = " ".join(line.text for line in lines)
    assert in_order(text, [part for n in range(9) for part in (f"number{n}", f"tide{n}")])


def word(text: str, left: float, base: float) -> Word:
    return Word(text, left, left + 5.0 * len(text), base, 10.0, bold=False, fixed=False)


def spread(line: str, left: float, base: float, *, bold: bool = False) -> list[Word]:
    words = []
    for text in line.split():
        words.append(replace(word(text, left, base), bold=bold))
        left += 5.0 * (len(text) + 1)
    return words


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 60), st.sampled_from(["a", "tide", "The"])),
        max_size=60,
    )
)
def test_each_run_stands_in_one_block(places: list[tuple[int, int, str]]) -> None:
    runs = [Run(spread(f"{text} {text} {text}", x, 9.0 * y)) for x, y, text in places]
    rows = rows_of(runs)
    for blocks in (list(blocks_of(rows)), table_of(rows)):
        found = sorted(id(run) for block in blocks for row in block for run in row)
        assert found == sorted(map(id, runs)) or blocks == []


def test_a_page_of_many_thousand_scattered_words_is_parted_in_little_time() -> None:
    runs = [Run([word("ebb", 7.0 * (n * 37 % 971), 3.0 * (n % 700))]) for n in range(20_000)]
    rows = rows_of(runs)
    began = time.process_time()
    assert sum(len(row) for block in blocks_of(rows) for row in block) == len(runs)
    table_of(rows)
    assert time.process_time() - began < 5.0
