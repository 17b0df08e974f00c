"""Papers as they are set: notes and figures between the halves of a paragraph, headings without size."""

import pytest

from actors.adapters.pdf.downward import as_columns, downward
from actors.adapters.pdf.layout import lines_of_page
from actors.adapters.pdf.lines import Page
from actors.adapters.pdf.reader import parse_pdf
from actors.adapters.pdf.word import Word
from actors.ports import Parsed
from bench.layouts import width_of
from tests.pdf_files import Put, column, make_pdf

WORDS = (
    *("The estuary has a wide range of tides", "and a barrage would hold them back for"),
    *("hours, while the turbines turn below it", "and give power to the towns along the"),
)
LINES = [f"{line} {number}" for number in range(5) for line in WORDS]


def parse(pages: list[list[Put]]) -> Parsed:
    return parse_pdf("paper.pdf", make_pdf(pages))


def headings(parsed: Parsed) -> list[str]:
    return [block.title for block in parsed.blocks if block.kind == "heading"]


def test_a_paragraph_goes_on_past_the_notes_and_the_figure_between_its_halves() -> None:
    note = [Put(50, 92, "1", 5), Put(54, 88, "A note about mills and their ponds.", 8)]
    first = column(50, 700, [*LINES[:8], "and the water of the river flows"]) + note
    second = [
        Put(310, 700, "Figure 1: The mills of the coast.", 8),
        *column(310, 660, ["slowly into the sea beyond the wall.", *LINES[8:16], "It ends."]),
    ]
    parsed = parse([first + second])
    assert "the river flows slowly into the sea beyond" in parsed.text
    assert "A note about mills" in parsed.text
    assert "Figure 1: The mills" in parsed.text


def test_over_the_end_of_a_page_notes_come_before_the_paragraph_and_pages_stay_in_order() -> None:
    first = [
        *column(50, 700, [*LINES[:8], "and the water of the river flows"]),
        Put(50, 80, "1 A note about mills and their ponds.", 8),
    ]
    second = [
        Put(50, 700, "Table 1: The mills of the coast.", 8),
        *column(50, 660, ["slowly into the sea beyond the wall.", *LINES[8:16], "It ends."]),
    ]
    parsed = parse([first, second])
    assert "the river flows\nslowly into the sea" in parsed.text
    pages = [block.page for block in parsed.blocks]
    assert pages == sorted(pages, key=lambda page: page or 0)


def test_a_number_below_a_short_text_is_that_of_its_page() -> None:
    pages = [
        [
            *column(150, 700, [f"{line} of {number}." for line in LINES[:8]]),
            Put(290, 140, str(number)),
        ]
        for number in (1, 2, 3)
    ]
    parsed = parse(pages)
    assert not any(block.end - block.start < 3 for block in parsed.blocks)


def test_a_sum_at_the_foot_of_a_single_page_stays() -> None:
    parsed = parse([[*column(50, 700, LINES[:8]), Put(290, 140, "1234")]])
    assert "1234" in parsed.text


def test_headings_of_the_size_of_the_text_are_told_by_their_numerals_and_letters() -> None:
    page = [
        Put(120, 760, "Tides of the narrow channels", 18, "bold"),
        Put(230, 720, "I. INTRODUCTION"),
        *column(50, 704, [*LINES[:6], "That is all."]),
        Put(50, 610, "A. Survey of the coast", 10, "italic"),
        *column(50, 596, [*LINES[6:12], "That was it."]),
        Put(250, 500, "References"),
        *column(50, 486, [*LINES[12:18], "And so on."]),
    ]
    parsed = parse([page])
    assert headings(parsed)[1:] == ["I. INTRODUCTION", "A. Survey of the coast", "References"]
    levels = [block.level for block in parsed.blocks if block.kind == "heading"]
    assert levels[1] < levels[2]


def test_a_title_is_one_over_its_colon() -> None:
    page = [
        Put(120, 760, "Tides of the narrow channels:", 18),
        Put(160, 738, "A review of methods", 18),
        *column(50, 690, [*LINES[:8], "That is all."]),
    ]
    assert parse([page]).title == "Tides of the narrow channels: A review of methods"


def test_the_numbers_of_lines_are_no_text() -> None:
    page = [
        put
        for place, line in enumerate(LINES[:16])
        for put in (Put(30, 700 - 24 * place, str(place + 7), 6), Put(60, 700 - 24 * place, line))
    ]
    parsed = parse([page])
    assert " 9 " not in f" {parsed.text} "
    assert parsed.text.startswith("The estuary")


def test_the_ranks_of_a_table_are_not_taken_for_numbers_of_lines() -> None:
    page = [
        put
        for place in range(8)
        for put in (
            Put(60, 700 - 14 * place, str(place + 1)),
            Put(160, 700 - 14 * place, f"Harbour of {'abcdefgh'[place]}"),
            Put(300, 700 - 14 * place, f"{17 * place + 40} ships"),
        )
    ]
    text = parse([page]).text
    assert "159 ships" in text
    assert text.startswith("1 ")


def test_a_note_in_the_margin_does_not_stand_within_the_lines_beside_it() -> None:
    even = [f"{'The tide runs through the narrow gate ' * 2}{number:02}" for number in range(14)]
    notes = column(490, 676, ["See the", "note on", "mills."])
    page = [*column(100, 700, even), *notes]
    text = parse([page]).text
    assert "See the note on mills." in text
    assert "gate 02 The tide" in text


def test_a_table_across_two_columns_keeps_its_rows() -> None:
    rows = [
        ("Severn", "35", "0.50", "790"),
        ("Rance", "26", "0.99", "240"),
        ("Fundy", "16", "0.3", "20"),
    ]
    page = [
        *(
            Put(x, 720 - 13 * place, cell)
            for place, row in enumerate(rows)
            for x, cell in zip((120, 230, 340, 450), row, strict=True)
        ),
        *column(50, 640, LINES[:18]),
        *column(310, 640, LINES[2:20]),
    ]
    found = [line.split() for line in parse([page]).text.splitlines()]
    assert ["Severn", "35", "0.50", "790"] in found


def test_the_mark_of_a_note_is_no_part_of_its_word_and_an_exponent_is() -> None:
    power, area = (
        50 + width_of("They give power", 10),
        150 + width_of("over an area of 20 km", 10),
    )
    page = [
        *(Put(50, 700, "They give power"), Put(power, 703.5, "12", 6)),
        *(Put(150, 700, "over an area of 20 km"), Put(area, 703.5, "2", 6)),
        *column(50, 680, LINES[:6]),
    ]
    text = parse([page]).text
    assert "power 12" in text
    assert "km2" in text


def test_a_doi_in_a_running_head_and_the_stamp_of_the_arxiv_are_found() -> None:
    head = "Journal of Tides  https://doi.org/10.1000/tides.2019.7"
    pages = [
        [Put(50, 815, head, 8), *column(50, 700, [f"{line} {number}" for line in LINES[:8]])]
        for number in range(4)
    ]
    assert parse(pages).metadata["doi"] == "10.1000/tides.2019.7"
    stamped = [
        Put(20, 250, "arXiv:1706.03762v5  [cs.CL]  6 Dec 2017", 20, turned=True),
        *column(60, 700, LINES),
    ]
    assert parse([stamped]).metadata["arxiv"] == "1706.03762"


def test_letters_that_are_set_apart_are_words() -> None:
    spaced = [
        Put(50 + 14 * place + 12 * (place > 6), 740, letter, 12, "bold")
        for place, letter in enumerate("METHODSUSED")
    ]
    parsed = parse([[*spaced, *column(50, 700, [*LINES[:8], "That is all."])]])
    assert headings(parsed) == ["METHODS USED"]


def test_columns_from_top_to_bottom_are_read_from_the_right() -> None:
    size, width = 12.0, 595.0
    columns = [("月と太陽の引力によって", 500.0), ("海面が昇り降りする", 476.0)]
    words = [
        downward(text, (x, 60.0), 60 + size * (len(text) - 1), width, size) for text, x in columns
    ]
    # A number of one letter stands upright in the second column.
    number = Word("3", 479.0, 486.0, 60 + size * 9, size, bold=False, fixed=False)
    lines, aside = lines_of_page(
        Page(1, width, 842.0, as_columns([words[1], number, words[0]], width))
    )
    assert [line.text.replace(" ", "") for line in lines] == [columns[0][0], columns[1][0] + "3"]
    assert aside == ""


def test_years_beside_what_was_done_in_them_are_no_numbers_of_lines() -> None:
    page = []
    for year in range(1991, 2000):
        top = 760 - 60 * (year - 1991)
        page += [Put(50, top, str(year)), *column(120, top, list(LINES[:4]))]
    text = parse([page]).text
    assert all(str(year) in text for year in range(1991, 2000))


def test_headings_that_are_as_many_as_the_paragraphs_are_headings() -> None:
    page: list[Put] = []
    for number in range(8):
        top = 780 - 80 * number
        page += [Put(50, top, f"Mill of bay {number}", 12, "bold")]
        page += column(50, top - 20, [*LINES[:3], "and so it ends."])
    parsed = parse([[Put(50, 815, "All the mills of the coast", 18, "bold"), *page]])
    assert len(headings(parsed)) == 9


def test_a_counted_section_right_below_a_title_of_its_size_is_not_part_of_it() -> None:
    page = [
        Put(50, 780, "The Mills of", 16, "bold"),
        Put(50, 758, "1. Where They Stand", 16, "bold"),
        *column(50, 720, [*LINES[:8], "It ends."]),
    ]
    assert headings(parse([page])) == ["The Mills of", "1. Where They Stand"]


def test_a_large_first_letter_is_not_put_to_the_heading_above_it() -> None:
    page = [
        Put(50, 719, "Of Tidal Mills Along", 13, "bold"),
        Put(50, 688, "T", 30),
        Put(70, 700, "idal mills of the coast stood"),
        Put(70, 688, "in a row along the wall and"),
        *column(50, 676, LINES[:8]),
    ]
    parsed = parse([page])
    assert headings(parsed) == ["Of Tidal Mills Along"]
    assert "Tidal mills of the coast stood in a row" in parsed.text


def test_names_left_of_broad_cells_are_no_notes_in_the_margin() -> None:
    wide = "The gate of this basin is opened when the tide is at its lowest and"
    page = [Put(50, 790 - 12 * n, f"{wide} the boats wait below {n}") for n in range(4)]
    for row in range(5):
        top = 730 - 32 * row
        page += [Put(50, top, f"basin {row}"), Put(160, top, wide), Put(160, top - 12, wide)]
        page += [Put(540, top, f"{row}77")]
    text = parse([page]).text
    places = [text.find(f"basin {row}") for row in range(5)]
    assert places == sorted(places)
    assert -1 not in places
    assert text.rfind("opened") > places[-1]


@pytest.mark.parametrize(
    "first", ["Foreword to the handbook of dykes", "Preface", "Handbook of dykes"]
)
def test_chapters_are_not_below_a_preface_that_is_set_like_them(first: str) -> None:
    titles = [first, "Preface", "Chapter 1 Clay", "1.1 Blue clay", "Chapter 2 Grass", "Index"]
    pages = [
        [Put(72, 770, title, 13 if "." in title else 16, "bold"), *column(72, 740, [_SENTENCE])]
        for title in titles
    ]
    parsed = parse(pages)
    found = [(block.title, block.level) for block in parsed.blocks if block.kind == "heading"]
    assert found == [(title, 2 if "." in title else 1) for title in titles]


def test_sections_of_a_paper_are_below_a_title_of_their_size() -> None:
    pages = [
        [Put(72, 770, title, 14, "bold"), *column(72, 740, [_SENTENCE])]
        for title in ("Clay for dykes", "1 Introduction", "2 Results")
    ]
    parsed = parse(pages)
    assert [block.level for block in parsed.blocks if block.kind == "heading"] == [1, 2, 2]


_SENTENCE = "Clay for dykes should hold less than forty percent of sand, says the water board."


def _two_pages(head: str, above: str) -> str:
    """A paper whose first page is headed by one line, and whose second by another."""
    first = [Put(72, 800, head, 8), Put(72, 760, "Sediment transport in estuaries", 18, "bold")]
    first += [Put(72, 738, "Jan van der Berg and Ana de la Cruz", 10)]
    first += column(72, 600, [_SENTENCE] * 4)
    second = [Put(200, 800, above, 8), *column(72, 740, ["Mud was found only in the upper reach."])]
    return parse([first, second]).text


def test_heads_of_a_short_paper_are_dropped_though_none_comes_again() -> None:
    issue = "Journal of Coastal Studies 14 (2003) 120-121"
    text = _two_pages(issue, "J. van der Berg, A. de la Cruz / Coastal Studies 14")
    assert "Coastal Studies" not in text
    assert text.count("Cruz") == 1
    assert "Sediment transport" not in _two_pages(issue, "Sediment transport").partition("\n")[2]


@pytest.mark.parametrize(
    "line",
    [
        "Samples from the Ribble estuary, taken in June",
        "Table 2 (1998)",
        "Sediment as it was measured by Price 14 (1963) and others",
        "Measured at noon",
    ],
)
def test_small_lines_above_a_page_that_say_something_of_their_own_stay(line: str) -> None:
    assert line in _two_pages("A first word about the sea", line)
