"""Manual pages as `man` prints them into files: bold by overstriking, sections by indentation."""

from time import process_time

import pytest

from actors.adapters.man_pages import sections_of
from actors.adapters.overstrikes import as_printed
from actors.adapters.sniffing import PLAIN, media_type
from actors.ingesting.chunking import chunk
from actors.ingesting.parsing import AnyParser


def bold(text: str) -> str:
    return "".join(f"{letter}\b{letter}" if letter.strip() else letter for letter in text)


def under(text: str) -> str:
    return "".join(f"_\b{letter}" for letter in text)


HEAD = "TIDEWATCH(1)                 User Commands                 TIDEWATCH(1)"
FOOT = "tidewatch 2.1                  May 2021                  TIDEWATCH(1)"
PAGE = f"""{HEAD}


{bold("NAME")}
       tidewatch - tell when the water comes

{bold("OPTIONS")}
       {bold("-g")} {under("gauge")}
              Read the gauge of that name. It is speci\u2010
              fied by its number.

   {bold("Units of height")}
       Heights are in metres above the lowest tide.

{HEAD}

{bold("FILES")}
       +\bo   /etc/tidewatch.conf says which gauges there are.

{FOOT}
"""


def test_a_manual_page_is_read_with_its_sections() -> None:
    page = AnyParser().parse("tidewatch.txt", PAGE.encode())
    assert page.title == "tidewatch(1)"
    assert not set(page.text) & {"\b", "\ufffd"}
    found = {
        page.text[each.start : each.end].strip(): each.headings
        for each in chunk(page.text, page.blocks)
    }
    assert found == {
        "tidewatch - tell when the water comes": ("NAME",),
        "-g gauge\n              Read the gauge of that name. It is specified\n              by its number.": (
            "OPTIONS",
        ),
        "Heights are in metres above the lowest tide.": ("OPTIONS", "Units of height"),
        "o   /etc/tidewatch.conf says which gauges there are.": ("FILES",),
    }


@pytest.mark.parametrize(
    ("told", "seen"),
    [
        (bold("bold") + " " + under("under_lined"), "bold under_lined"),
        ("t\bt\bt thrice, ___\b\b\bold, x\b_ and y\b\b\b", "t thrice, old, x and y"),
        ("\x1b[1mNAME\x1b[0m \x1b[38;5;12mblue\x1b[m", "NAME blue"),
        ("\x1b]8;;https://tides.example\x1b\\a link\x1b]8;;\x07", "a link"),
        ("10 %\b\b\b\b90 %\nnext \b\n", "90 %\nnext \n"),
        ("Nothing of the kind\r\n", "Nothing of the kind\r\n"),
    ],
)
def test_what_is_struck_over_or_coloured_is_read_as_it_is_seen(told: str, seen: str) -> None:
    assert as_printed(told) == seen


def test_a_manual_page_may_come_from_a_server() -> None:
    assert media_type(PAGE.encode(), "text/plain") == PLAIN


@pytest.mark.parametrize(
    "text",
    [
        "tide(1) is a command.\n\nNAME\n       no heading",
        "See TIDE(1)\n\nNAME\n       no heading",
        "TIDE(1)  and  SEA(1)\n\nNAME\n       no heading",
    ],
)
def test_other_texts_have_no_sections_of_a_manual(text: str) -> None:
    page = AnyParser().parse("notes.txt", text.encode())
    assert all(block.kind != "heading" for block in page.blocks)


def test_long_lines_beside_one_that_is_struck_over_take_no_time() -> None:
    text = "b\bb\n" + "a" * 300_000
    began = process_time()
    assert as_printed(text) == text.replace("b\b", "")
    assert process_time() - began < 3.0


def test_a_manual_page_that_ends_in_blank_lines_takes_no_time() -> None:
    lines = PAGE.splitlines() + ["       word"] * 20_000 + [""] * 20_000
    began = process_time()
    assert (found := sections_of(lines)) and found.title == "tidewatch(1)"
    assert process_time() - began < 5.0
