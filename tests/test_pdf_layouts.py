"""Pages as other programs set them: heads that change, coloured headings, code in columns, headlines."""

from collections import Counter

import pytest

from actors.adapters import scans
from actors.adapters.page_lines import Seen
from actors.adapters.pdf.layout import lines_of_page
from actors.adapters.pdf.lines import Page, Run
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.pdf.scans import reads_better
from actors.adapters.pdf.word import Word
from actors.adapters.scans import Reading
from actors.ports import Parsed
from tests.pdf_files import Put, column, make_pdf

WORDS = (
    *("The estuary has a wide range of tides", "and a barrage would hold them back for"),
    *("hours, while the turbines turn below it", "and give power to the towns along the"),
)
LINES = [f"{line} {number}" for number in range(9) for line in WORDS]


def parse(*pages: list[Put]) -> Parsed:
    return parse_pdf("paper.pdf", make_pdf([*pages]))


def headings(parsed: Parsed) -> list[str]:
    return [block.title for block in parsed.blocks if block.kind == "heading"]


def text_of(number: int, lines: int = 6) -> list[str]:
    return [*LINES[number : number + lines], f"That is all of {number}."]


def test_a_head_with_a_volume_and_a_count_of_pages_is_no_text() -> None:
    pages = [
        [Put(50, 800, f"Waters 2023, 15, 1234    {n} of 6", 8), *column(50, 700, text_of(n))]
        for n in (1, 2, 3)
    ]
    assert "Waters" not in parse(*pages).text


def test_a_head_that_says_the_section_is_no_text_and_the_section_is() -> None:
    pages = [
        [
            *([Put(50, 800, f"{n}.1 On {name} and mills", 9, "italic")] if n > 1 else []),
            Put(50, 740, f"{n}.1 On {name} and mills", 14, "bold"),
            *column(50, 700, text_of(n)),
        ]
        for n, name in ((1, "rivers"), (2, "tides"), (3, "currents"))
    ]
    parsed = parse(*pages)
    assert headings(parsed) == [
        f"{n}.1 On {name} and mills" for n, name in ((1, "rivers"), (2, "tides"), (3, "currents"))
    ]
    assert parsed.text.count("and mills") == 3


def test_a_table_at_the_top_of_each_page_stays() -> None:
    pages = [
        [Put(50, 800, f"Harbour {'abc'[n]}    {37 * n}", 9), *column(50, 700, text_of(n))]
        for n in range(3)
    ]
    assert "Harbour b" in parse(*pages).text


def test_the_number_of_a_chapter_belongs_to_its_name() -> None:
    page = [
        Put(50, 740, "Chapter 3", 20, "bold"),
        Put(50, 700, "Mills of the coast", 24, "bold"),
        *column(50, 640, text_of(1)),
        Put(50, 540, "3.1 Ponds", 14, "bold"),
        *column(50, 520, text_of(9)),
    ]
    assert headings(parse(page)) == ["Chapter 3 Mills of the coast", "3.1 Ponds"]


def test_a_heading_that_is_hardly_larger_is_told_by_its_colour() -> None:
    blue = "0.18 0.33 0.59"
    page = [
        Put(50, 760, "Report on the mills", 22),
        *column(50, 720, text_of(1)),
        Put(50, 620, "Ponds and gates", 10.8, colour=blue),
        *column(50, 600, text_of(9)),
        Put(50, 500, "https://mills.example/ponds", 10.8, colour=blue),
        *column(50, 480, text_of(17)),
    ]
    assert headings(parse(page)) == ["Report on the mills", "Ponds and gates"]


def test_where_all_words_have_a_colour_none_is_a_heading_for_it() -> None:
    grey = "0.2 0.2 0.2"
    lines = [Put(put.x, put.y, put.text, put.size, colour=grey) for put in column(50, 720, LINES)]
    page = [*lines, Put(50, 250, "Written at the coast", 10.8, colour=grey)]
    assert headings(parse(page)) == []


def test_counted_headings_in_small_capitals_are_headings() -> None:
    page = [
        Put(120, 760, "Tides of the narrow channels", 18, "bold"),
        Put(230, 720, "1. Introduction to mills", 10, "small capitals"),
        *column(50, 700, text_of(1)),
        Put(230, 590, "2. Ponds", 10, "small capitals"),
        *column(50, 570, text_of(9)),
    ]
    assert headings(parse(page))[1:] == ["1. Introduction to mills", "2. Ponds"]


def test_bold_names_below_a_title_are_no_heading_where_headings_are_counted() -> None:
    page = [
        Put(50, 760, "Tides of the narrow channels", 18, "bold"),
        Put(50, 735, "Jane Doe, Piet van der Berg", 10, "bold"),
    ]
    for number in (1, 2, 3):
        top = 880 - 180 * number
        page += [
            Put(50, top, f"{number}. Mills", 10, "bold"),
            *column(50, top - 20, text_of(number)),
        ]
    assert headings(parse(page))[1:] == ["1. Mills", "2. Mills", "3. Mills"]


def test_code_in_both_columns_is_no_table_and_keeps_its_lines() -> None:
    def code(x: float, name: str) -> list[Put]:
        return [
            put
            for n in range(5)
            for put in (
                Put(x, 400 - 12 * n, str(n + 1), 5),
                Put(x + 12, 400 - 12 * n, f"{name} = {name}({n})", 9, "code"),
            )
        ]

    page = [
        *column(50, 760, LINES[:28]),
        *code(50, "left"),
        *column(50, 300, text_of(1, 12)),
        *column(310, 760, LINES[:28]),
        *code(310, "right"),
        *column(310, 300, text_of(5, 12)),
    ]
    parsed = parse(page)
    assert parsed.text.index("That is all of 1.") < parsed.text.index("right = right(0)")
    listed = [parsed.text[b.start : b.end] for b in parsed.blocks if b.kind == "code"]
    assert [len(each.splitlines()) for each in listed] == [5, 5]


def test_a_headline_over_the_first_columns_alone_parts_the_stories() -> None:
    page = [
        Put(50, 800, "Storm closes the harbour of the coast for the whole week", 18, "bold"),
        *column(50, 770, text_of(1, 14), 13),
        *column(310, 770, text_of(9, 14), 13),
        Put(50, 520, "Mills reopen", 18, "bold"),
        *column(50, 490, text_of(3, 14), 13),
        *column(310, 490, text_of(11, 14), 13),
    ]
    text = parse(page).text
    ends = [text.index(f"That is all of {n}.") for n in (1, 9)]
    assert ends[0] < ends[1] < text.index("Mills reopen") < text.index("That is all of 3.")


def test_many_large_rows_are_not_each_held_against_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: Counter[int] = Counter()

    def left(run: Run) -> float:
        looks[0] += 1
        return run.words[0].left

    def looked_at(rows: int) -> int:
        words = [
            Word("w" * 30, x, x + 200, base, size, bold=False, fixed=False)
            for row in range(0, 60 * rows, 60)
            for x, base, size in ((50.0, row, 10.0), (310.0, row, 10.0), (50.0, row + 30, 30.0))
            if size < 20 or row % 180 == 0
        ]
        looks.clear()
        lines, _ = lines_of_page(Page(1, 600.0, 60.0 * rows, words))
        assert len(lines) == 2 * rows + rows // 3
        return looks[0]

    monkeypatch.setattr(Run, "left", property(left))
    assert looked_at(600) < 3 * looked_at(300)


# -- scans with a text of their own ----------------------------------------------------------------

GARBLED = [
    "7h3 qvxt4ry ]-[4z 4 w1d3 r4ng3 0f t1d3z",
    "xQzRt vvKpL 8#4 mNbVc",
    "zzt kkrt pPlQ 0x",
] * 4


def words(*lines: str) -> list[Word]:
    return [
        Word(word, 10.0 * at, 10.0 * at + 9, 20.0 * row, 10, bold=False, fixed=False)
        for row, line in enumerate(lines)
        for at, word in enumerate(line.split())
    ]


def test_a_text_that_hardly_looks_like_words_gives_way_to_what_is_read() -> None:
    clean = words(*LINES[:4])
    assert reads_better(clean, words(*GARBLED))
    assert not reads_better(words(*GARBLED[:3]), words(*GARBLED))
    assert not reads_better(clean[:-3], words(*LINES[:4], "潮力発電は、潮の満ち引きを利用する。"))


@pytest.mark.parametrize(("layer", "expected"), [(GARBLED, True), (LINES[:12], False)])
def test_only_a_scan_with_a_bad_text_is_read_again(
    layer: list[str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def read(*_: object) -> Reading:
        asked.append(1)
        said = [
            Seen(line, 100, 100 + 30 * n, 700, 120 + 30 * n) for n, line in enumerate(LINES[:8])
        ]
        return Reading(said, "rapidocr")

    monkeypatch.setattr(scans, "engines_for", lambda languages: ("rapidocr",))
    monkeypatch.setattr(scans, "read_page", read)
    raw = make_pdf([column(50, 700, layer)], image=True).replace(
        b"q 300 0 0 300 100 300 cm", b"q 595 0 0 842 000 000 cm"
    )
    parsed = parse_pdf("scan.pdf", raw)
    assert bool(asked) is expected
    assert "The estuary has a wide range" in parsed.text
    assert (parsed.metadata.get("ocr_pages") == "1") is expected


# -- the first letter of a chapter -----------------------------------------------------------------


@pytest.mark.parametrize("glued", [True, False])
def test_a_letter_over_two_lines_belongs_to_the_word_on_the_first_of_them(glued: bool) -> None:
    gap = 20.0 if glued else 24.0
    lines = ["idal mills of the coast stood", "in a row along the wall and", *text_of(1, 10)]
    page = [
        Put(50, 688, "T", 30),
        Put(50 + gap, 700, lines[0]),
        Put(50 + gap, 688, lines[1]),
        *column(50, 676, lines[2:]),
    ]
    assert parse(page).text.startswith("Tidal mills of the coast stood in a row along the wall and")


def test_a_large_letter_by_itself_stays_where_it_is() -> None:
    page = [Put(50, 760, "A", 30), *column(50, 700, text_of(1, 10))]
    assert parse(page).text.startswith("A\n")


def test_sections_beside_each_other_below_a_title_are_two() -> None:
    page = [
        Put(150, 780, "Tides of the narrow channels of the north", 18, "bold"),
        Put(50, 720, "1 Mills", 12, "bold"),
        *column(50, 700, text_of(1, 14)),
        Put(310, 720, "2 Ponds", 12, "bold"),
        *column(310, 700, text_of(9, 14)),
    ]
    assert headings(parse(page))[1:] == ["1 Mills", "2 Ponds"]


def test_the_few_lines_of_a_last_page_stand_in_the_columns_of_the_page_before() -> None:
    full = [*column(50, 760, LINES[:30]), *column(310, 760, LINES[:30])]
    last = [
        *column(50, 760, ["the last words of the left", "column go on here and", "end there."]),
        *column(310, 760, ["Others stand beside them", "and end, too."]),
    ]
    text = parse(full, last).text
    assert "column go on here and end there." in text
    assert text.endswith("Others stand beside them and end, too.")


def test_numbers_of_lines_between_two_columns_are_no_text() -> None:
    page = [
        *column(50, 760, LINES[:34]),
        *column(320, 760, LINES[:34]),
        *(Put(288, 712 - 60 * at, str(5 * at + 5), 7) for at in range(6)),
    ]
    text = parse(page).text
    assert not [number for number in ("15", "20", "25", "30") if f" {number} " in text]


def test_words_in_capitals_in_the_middle_of_a_column_are_a_heading() -> None:
    page = [
        *column(50, 760, text_of(1, 10)),
        Put(100, 610, "FIELD OF THE MILLS"),
        *column(50, 590, text_of(9, 10)),
        Put(50, 440, "NOT IN THE MIDDLE"),
        *column(50, 420, text_of(17, 10)),
    ]
    assert headings(parse(page)) == ["FIELD OF THE MILLS"]


def test_a_head_in_one_line_or_in_two_is_the_same() -> None:
    head = [Put(50, 800, "MILLS 2021/0123"), Put(480, 800, "Jan. 5, 2021")]
    lines = [*WORDS] * 7
    two = [*head, *column(50, 760, lines), *column(310, 760, lines)]
    one = [*head, *column(50, 760, [f"{line} {line}" for line in lines[:12]])]
    assert "2021" not in parse(two, one).text


def test_names_of_boxes_beside_each_other_are_headings_of_their_own() -> None:
    page = [Put(120, 800, "A poster about the mills of the coast", 20, "bold")]
    for at, name in enumerate(("Ponds", "Gates", "Wheels")):
        x = 40 + 180 * at
        page += [Put(x + 8, 740, name, 13, "bold")]
        page += column(x, 712, [line[:30] for line in LINES[4 * at : 4 * at + 10]])
    assert headings(parse(page))[1:] == ["Ponds", "Gates", "Wheels"]


def test_an_item_or_section_that_has_the_number_of_its_page_stays() -> None:
    pages = []
    for number in range(1, 5):
        first = [
            Put(50, 800, f"({number}) The mill of the {'abcd'[number - 1]} coast was built then"),
            *column(50, 788, text_of(number)),
            Put(50, 400, f"{number} Mills", 10, "bold"),
        ]
        second = [Put(50, 800, f"{number} Ponds", 10, "bold"), *column(50, 770, text_of(number))]
        pages.append([*(first if number % 2 else second), Put(290, 40, str(number))])
    parsed = parse(*pages)
    assert parsed.text.count("The mill of the") == 2
    assert {"2 Ponds", "4 Ponds"} <= {*headings(parsed)}
    assert not any(block.end - block.start < 3 for block in parsed.blocks)
