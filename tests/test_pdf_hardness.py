"""PDFs that are large, hostile or odd, and that what is read stands on the page it is said to."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.adapters.pdf.letters import unnamed_letters
from actors.adapters.sandbox import Limits, SandboxedParser
from actors.ingesting.chunking import chunk
from actors.ingesting.parsing import AnyParser
from events.errors import Unreadable
from tests.pdf_files import Put, column, make_pdf


def test_five_thousand_pages_are_read_within_the_limits_of_a_file() -> None:
    pages = [[Put(50, 700, f"Words of sheet {n} alone.")] for n in range(1, 5001)]
    with SandboxedParser(limits=Limits(memory=512 << 20)) as parser:
        parsed = parser.parse("long.pdf", make_pdf(pages))
    assert parsed.coverage.pages == 5000
    assert [block.page for block in parsed.blocks] == [*range(1, 5001)]
    assert "Words of sheet 5000 alone." in parsed.text


def test_attachments_stay_closed_and_scripts_are_not_run() -> None:
    raw = make_pdf(
        [[Put(50, 700, "Words of the page.")]],
        script="this.exportDataObject\\(1\\)",
        attachment=b"MZ words of an attachment",
    )
    parsed = AnyParser().parse("x.pdf", raw)
    assert parsed.text == "Words of the page."


def test_a_page_of_too_many_letters_is_cut_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.adapters.pdf.words._MOST_CHARACTERS", 12)
    parsed = AnyParser().parse("x.pdf", make_pdf([[Put(50, 700, "Words of a page without end")]]))
    assert parsed.text == "Words of a p"
    assert any("too many characters" in each for each in parsed.coverage.warnings)


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=200), st.integers(0, 3000), st.sampled_from(["cut", "overwritten", "grown"])
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    noise: bytes, place: int, how: str
) -> None:
    raw = make_pdf([[Put(50, 700, f"Page {n}.")] for n in range(3)], outline=[("Page 1", 2)])
    at = place % len(raw)
    spoiled = {
        "cut": raw[:at],
        "overwritten": raw[:at] + noise + raw[at + len(noise) :],
        "grown": raw[:at] + noise + raw[at:],
    }[how]
    try:
        parsed = AnyParser().parse("x.pdf", spoiled)
    except Unreadable:
        return
    assert all(0 <= block.start < block.end <= len(parsed.text) for block in parsed.blocks)


# -- pages -----------------------------------------------------------------------------------------

SIZES = st.lists(st.integers(1, 14), min_size=1, max_size=5)


def words_on(page: int, side: int, lines: int) -> list[str]:
    """Lines of words that occur nowhere else: each says its page."""
    letters = "abcdefghij"
    name = f"{letters[page]}{letters[side]}"
    return [
        " ".join(
            f"{name}{letters[line % 10]}{letters[line // 10]}{letters[at]}o" for at in range(6)
        )
        + ("." if line % 3 == 2 else "")
        for line in range(lines)
    ]


@settings(max_examples=40, deadline=None)
@given(sizes=SIZES, sides=st.integers(1, 2), running=st.booleans(), cut=st.booleans())
def test_each_chunk_stands_on_its_pages(
    sizes: list[int], sides: int, running: bool, cut: bool
) -> None:
    pages, on_page = [], []
    for number, lines in enumerate(sizes):
        puts: list[Put] = []
        words: set[str] = set()
        for side in range(sides):
            said = words_on(number, side, lines)
            words |= set(" ".join(said).replace(".", "").split())
            if cut and lines >= (2 if sides == 1 else 5):
                head, last = said[0].rsplit(" ", 1)
                said[0], said[1] = f"{head} {last[:3]}-", f"{last[3:]} {said[1]}"
            puts += column(50 + 260 * side, 700, said)
        if running:
            puts += [Put(50, 815, "Journal of tides"), Put(280, 30, str(number + 7))]
        pages.append(puts)
        on_page.append(words)
    parsed = AnyParser().parse("x.pdf", make_pdf(pages))
    everything = set(itertools.chain.from_iterable(on_page))
    seen: set[str] = set()
    for each in chunk(parsed.text, parsed.blocks):
        assert each.first_page
        assert each.last_page
        span = range(each.first_page - 1, each.last_page)
        found = set(parsed.text[each.start : each.end].replace(".", "").split()) & everything
        assert found <= set().union(*(on_page[page] for page in span))
        seen |= found
    assert seen == everything


# -- what is set ----------------------------------------------------------------------------------


def test_words_cut_at_the_end_of_a_line_are_whole_in_whatever_order_they_are_drawn() -> None:
    left = [
        "A barrage across the estuary would gener-",
        "ate much power all the year round. It is a",
        "modern and in every way state-of-the-",
        "art design, or so its builders say,",
        "and has been praised by all of them",
    ]
    right = [
        "as well-known among engineers as it is",
        "among those who never built one. A well-",
        "known design is better than none at all,",
        "but no design is as good as one that",
        "stands where it has to stand for long.",
    ]
    puts = column(50, 700, left) + column(310, 700, right)
    texts = set()
    for drawn in (puts, puts[::-1], puts[::2] + puts[1::2]):
        texts.add(" ".join(AnyParser().parse("x.pdf", make_pdf([drawn])).text.split()))
    [text] = texts
    assert "would generate much power" in text
    assert "state-of-the-art design" in text
    assert "A well-known design" in text


def test_authors_beside_each_other_stand_above_both_columns() -> None:
    lines = [f"Line {n} of the text runs on and on and on" for n in range(12)]
    page = [
        Put(120, 780, "On the tides of all the seas and their uses", 16),
        Put(120, 740, "Ann Bee"),
        Put(400, 740, "Cee Dee"),
        *column(50, 690, lines),
        *column(310, 690, lines),
    ]
    text = AnyParser().parse("x.pdf", make_pdf([page])).text
    assert text.index("Cee Dee") < text.index("Line 0")


def test_authors_below_a_title_are_no_headings() -> None:
    lines = [f"Line {n} of the text runs on and on and on" for n in range(12)]
    page = [
        Put(120, 780, "On the tides of all the seas", 16),
        Put(120, 740, "Ann Bee and Cee Dee", 12),
        Put(50, 710, "1 Beginnings", 12, "bold"),
        *column(50, 690, lines),
    ]
    parsed = AnyParser().parse("x.pdf", make_pdf([page]))
    found = [block.title for block in parsed.blocks if block.kind == "heading"]
    assert found == ["On the tides of all the seas", "1 Beginnings"]


def test_a_title_of_two_lines_across_the_columns_is_one_heading() -> None:
    lines = [f"Line {n} of the text runs on and on and on" for n in range(12)]
    page = [
        Put(80, 790, "On the tides of all the seas and what may", 18, "bold"),
        Put(200, 768, "be done with all of them", 18, "bold"),
        *column(50, 700, lines),
        *column(310, 700, lines),
    ]
    parsed = AnyParser().parse("x.pdf", make_pdf([page]))
    assert parsed.title == "On the tides of all the seas and what may be done with all of them"


def test_references_stay_whole_and_apart() -> None:
    lines = [
        (50, "[1] J. Smith. Efficient simulation of it."),
        (66, "Journal of Flows, 12(3):45, 1998."),
        (50, "[2] B. Jones. Files of all sorts."),
        (66, "Proceedings, pages 1 to 9, 2001."),
    ]
    page = [Put(x, 700 - 12 * at, line) for at, (x, line) in enumerate(lines)]
    parsed = AnyParser().parse("x.pdf", make_pdf([page]))
    said = [parsed.text[block.start : block.end] for block in parsed.blocks]
    assert [each[:3] for each in said] == ["[1]", "[2]"]
    assert said[0].endswith("1998.")


@pytest.mark.parametrize(
    ("codes", "word"),
    [
        ([0x6F, 0x1E, 0x63, 0x65], "oﬃce"),
        ([0x6F, 0x0E, 0x63, 0x65], "oﬃce"),
        ([0x0B, 0x1B], "ﬀœ"),
    ],
)
def test_letters_of_fonts_without_names_are_told_by_their_codes(
    codes: list[int], word: str
) -> None:
    assert "".join(map(chr, unnamed_letters(codes, lambda place: True))) == word


def test_line_ends_that_are_not_drawn_are_no_letters() -> None:
    codes = [0x61, 0x0D, 0x0A, 0x62]
    assert list(unnamed_letters(codes, lambda place: False)) == codes


def test_an_accent_set_over_a_letter_is_one_letter() -> None:
    parsed = AnyParser().parse("x.pdf", make_pdf([[Put(50, 700, "J¨org M¨uller, K¨oln")]]))
    assert parsed.text == "Jörg Müller, Köln"
