"""What stands around the pages of a plain text is no part of what it says."""

from time import process_time

from actors.adapters.page_marks import page_marks_of
from actors.ingesting.parsing import AnyParser

PAGES = [
    "Gauges measure the height of the water, and a client that hears nothing asks again, but no",
    "more than three times. After that, the gauge is taken for broken.",
    "Readings are not signed.",
    "They may be in a later version.",
]


def laid_out(foot: str, head: str) -> str:
    pages = []
    for number, words in enumerate(PAGES, start=1):
        above = f"{head}\n\n\n" if number > 1 else ""
        pages.append(f"{above}   {words}\n\n\n{foot.replace('7', str(number))}\n".lstrip("\n"))
    return "\n\f".join(pages)


def found(text: str) -> list[tuple[str, str]]:
    page = AnyParser().parse("gauges.txt", text.encode())
    return [(each.kind, page.text[each.start : each.end].strip()) for each in page.blocks]


def test_feet_and_heads_of_pages_are_set_aside() -> None:
    foot = "Gauger                       Informational                      [Page 7]"
    head = "RFC 9999                    Tide Gauge Protocol               March 2021"
    told = found(laid_out(foot, head))
    assert [words for kind, words in told if kind == "paragraph"] == PAGES
    assert sum(words == head for kind, words in told if kind == "aside") == len(PAGES) - 1


def test_lines_that_come_again_at_every_break_are_of_the_pages() -> None:
    told = found(laid_out("Gauge manual - 7 -", "TIDE OFFICE"))
    assert [words for kind, words in told if kind == "paragraph"] == PAGES


def test_rows_of_a_table_that_goes_on_over_pages_are_text() -> None:
    rows = [f"Station {number}  {10 + number / 10:.1f}  {number % 7}" for number in range(1, 25)]
    pages = ["\n".join(rows[begin : begin + 6]) for begin in range(0, 24, 6)]
    told = found("\n\f".join(pages))
    assert all(kind == "paragraph" for kind, _ in told)
    footed = (f"{page}\n\n{' ' * 30}Page {number} of 4" for number, page in enumerate(pages, 1))
    told = found("\n\f".join(footed))
    assert [words for kind, words in told if kind == "aside"] == [
        f"Page {n} of 4" for n in (1, 2, 3, 4)
    ]


def test_what_stands_there_once_is_text() -> None:
    said = ["One.", "Two.", "Three.", "Four."]
    assert found("\n\n\f".join(said)) == [("paragraph", each) for each in said]


def test_the_head_of_the_second_page_of_two_is_one() -> None:
    foot = "Gauger                       Informational                      [Page 1]"
    text = f"One.\n\n{foot}\n\fRFC 9999      Tides      March 2021\n\nTwo.\n"
    assert [words for kind, words in found(text) if kind == "paragraph"] == ["One.", "Two."]


def test_pages_on_which_nothing_stands_take_no_time() -> None:
    began = process_time()
    assert page_marks_of(["text", *["\f"] * 20_000, "more"]) == frozenset()
    assert page_marks_of([f"a{' ' * 190}b"] * 20_000) == frozenset()
    assert process_time() - began < 3.0
