"""What is read out of PDF."""

import pytest

from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed
from events.errors import Unreadable
from tests.pdf_files import Put, column, make_pdf

LEFT = [
    "The sea rises and falls twice a day under",
    "the pull of the moon, and the height of the",
    "tide differs from port to port and from sea-",
    "son to season along every coast that has",
    "been measured with care over many years.",
    "Spring tides come at new and full moon.",
]
RIGHT = [
    "Neap tides follow seven days later, when",
    "sun and moon stand at right angles to each",
    "other as seen from the earth. Their range",
    "is a third smaller than that of the others.",
    "A well-known table lists them by the hour.",
    "It is printed every year for each harbour.",
]


def parse(raw: bytes, name: str = "paper.pdf") -> Parsed:
    return AnyParser().parse(name, raw)


def said(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, parsed.text[block.start : block.end]) for block in parsed.blocks]


def test_two_columns_are_read_one_after_the_other_and_words_made_whole() -> None:
    parsed = parse(make_pdf([column(50, 700, LEFT) + column(310, 700, RIGHT)]))
    words = " ".join(text for _, text in said(parsed))
    assert "from season to season along" in words
    assert words.index("new and full moon.") < words.index("Neap tides follow")
    assert "A well-known table" in words


def test_two_columns_drawn_row_by_row_are_still_two_columns() -> None:
    rows = [
        put
        for pair in zip(column(50, 700, LEFT), column(310, 700, RIGHT), strict=True)
        for put in pair
    ]
    title = [Put(150, 760, "On the tides of all the seas", size=18)]
    parsed = parse(make_pdf([title + rows]))
    words = " ".join(text for _, text in said(parsed))
    assert words.startswith("On the tides of all the seas The sea rises")
    assert "The sea rises and falls twice a day under the pull of the moon" in words
    assert words.index("new and full moon.") < words.index("Neap tides follow")


def test_each_block_knows_its_page() -> None:
    texts = ["First page words stand here.", "Second page words stand here.", "And the third."]
    parsed = parse(make_pdf([[Put(50, 700, text)] for text in texts]))
    assert [
        (block.page, text) for block, (_, text) in zip(parsed.blocks, said(parsed), strict=True)
    ] == [*enumerate(texts, start=1)]
    assert parsed.coverage.pages == 3


def test_running_heads_and_page_numbers_are_dropped() -> None:
    pages = [
        [
            Put(50, 810, "Journal of Tides"),
            Put(50, 700, f"The {word} page tells its own story of 3 moons."),
            Put(50, 688, f"Table {number}"),
            Put(280, 30, str(number + 40)),
        ]
        for number, word in enumerate(["first", "second", "third", "fourth"], start=1)
    ]
    parsed = parse(make_pdf(pages))
    assert "Journal" not in parsed.text
    assert "41" not in parsed.text
    assert parsed.text.count("Table") == 4
    assert "The fourth page tells" in parsed.text


def test_headings_are_told_by_size_and_weight() -> None:
    body = column(50, 640, LEFT)
    page = [
        Put(50, 760, "The Tides", size=20),
        Put(50, 700, "1 Introduction", size=14, font="bold"),
        *body,
        Put(50, 540, "1.1 Neap and spring", font="bold"),
        *column(50, 520, RIGHT),
    ]
    parsed = parse(make_pdf([page]))
    found = [(block.level, block.title) for block in parsed.blocks if block.kind == "heading"]
    assert found == [(1, "The Tides"), (2, "1 Introduction"), (3, "1.1 Neap and spring")]
    assert parsed.title == "The Tides"


def test_the_outline_of_a_file_names_its_headings() -> None:
    pages = [
        [Put(50, 700, "Beginnings"), *column(50, 660, LEFT)],
        [Put(50, 700, "Endings"), *column(50, 660, RIGHT)],
    ]
    parsed = parse(make_pdf(pages, outline=[("Beginnings", 1), ("Endings", 2)]))
    found = [(block.title, block.page) for block in parsed.blocks if block.kind == "heading"]
    assert found == [("Beginnings", 1), ("Endings", 2)]


def test_a_paragraph_goes_on_over_the_page_without_a_gap() -> None:
    pages = [column(50, 700, LEFT[:2]), column(50, 700, LEFT[2:])]
    parsed = parse(make_pdf(pages))
    assert "height of the\ntide differs" in parsed.text
    assert [block.page for block in parsed.blocks] == [1, 2]


def test_a_table_keeps_its_rows() -> None:
    rows = [
        ("Port", "Range", "Year"),
        ("Malo", "12", "1990"),
        ("Brest", "7", "1991"),
        ("Nice", "0", "1992"),
    ]
    page = [
        Put(60 + 120 * place, 700 - 14 * row, cell)
        for row, cells in enumerate(rows)
        for place, cell in enumerate(cells)
    ]
    parsed = parse(make_pdf([page]))
    assert said(parsed) == [("table", "\n".join("  ".join(cells) for cells in rows))]


def test_code_keeps_its_lines() -> None:
    page = [
        *column(50, 700, LEFT),
        Put(50, 600, "for tide in tides:", font="code"),
        Put(74, 588, "print(tide)", font="code"),
        *column(50, 560, RIGHT),
    ]
    parsed = parse(make_pdf([page]))
    assert ("code", "for tide in tides:\n    print(tide)") in said(parsed)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_turned_page_is_read_like_any_other(turn: int) -> None:
    parsed = parse(make_pdf([[Put(50, 700, "Words on a page.")]], rotate=turn))
    assert parsed.text == "Words on a page."


def test_a_page_that_lies_on_its_side_is_read_line_by_line() -> None:
    lines = [Put(100 + 12 * place, 50, line, turned=True) for place, line in enumerate(LEFT)]
    assert "twice a day under the pull of the moon" in parse(make_pdf([lines])).text


def test_what_is_written_along_the_margin_does_not_cut_the_text() -> None:
    stamp = Put(20, 300, "stamped 2020", turned=True)
    parsed = parse(make_pdf([[*column(50, 700, LEFT), stamp]]))
    assert parsed.text.endswith("stamped 2020")
    assert "under the pull of the moon" in parsed.text


def test_a_scanned_page_is_reported_and_never_silently_empty() -> None:
    parsed = parse(make_pdf([[]], image=True))
    assert (parsed.text, parsed.blocks) == ("", ())
    assert parsed.coverage.empty_pages == (1,)
    assert "scanned" in parsed.coverage.warnings[0]


def test_an_empty_page_among_others_is_reported() -> None:
    parsed = parse(make_pdf([[Put(50, 700, "Words.")], [], [Put(50, 700, "More.")]]))
    assert (parsed.coverage.pages, parsed.coverage.empty_pages) == (3, (2,))


def test_what_a_file_says_of_itself_is_kept() -> None:
    info = {"Title": "On Tides", "Author": "Ann Bee", "CreationDate": "D:20200304120000"}
    page = [Put(50, 700, "Words. doi: 10.1234/tides.2020.7")]
    parsed = parse(make_pdf([page], info=info))
    assert parsed.title == "On Tides"
    assert parsed.metadata == {
        "title": "On Tides",
        "author": "Ann Bee",
        "date": "2020-03-04",
        "doi": "10.1234/tides.2020.7",
        "pages": "1",
    }


def test_a_title_that_is_a_file_name_is_none() -> None:
    info = {"Title": "Microsoft Word - draft7.doc"}
    assert parse(make_pdf([[Put(50, 700, "Words.")]], info=info)).title == "paper"


def test_an_encrypted_file_is_refused_by_that_name() -> None:
    with pytest.raises(Unreadable, match="encrypted with a password"):
        parse(make_pdf([[Put(50, 700, "Words.")]], encrypted=True))


def test_a_file_without_pages_is_refused() -> None:
    with pytest.raises(Unreadable, match="no pages"):
        parse(make_pdf([]))


def test_a_file_cut_off_is_read_or_refused() -> None:
    raw = make_pdf([[Put(50, 700, f"Page {number}.")] for number in range(9)])
    for cut in range(0, len(raw), 97):
        try:
            parse(raw[:cut])
        except Unreadable:
            continue


def test_scripts_in_a_file_are_no_text_and_are_not_run() -> None:
    raw = make_pdf([[Put(50, 700, "Words.")]], script="app.alert\\(1\\)")
    assert parse(raw).text == "Words."


def test_a_pdf_under_another_name_is_still_one() -> None:
    assert parse(make_pdf([[Put(50, 700, "Words.")]]), "notes.txt").media_type == "application/pdf"


def test_many_pages_are_read_each_once() -> None:
    raw = make_pdf([[Put(50, 700, f"Words of sheet {n} alone.")] for n in range(1, 301)])
    parsed = parse(raw)
    assert [block.page for block in parsed.blocks] == [*range(1, 301)]
