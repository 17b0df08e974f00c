"""Lists are found with what leads to them, and cut so that no item is divided."""

import pytest

from language.listings import FARTHEST, in_lines, led_by, lists_around, pieces
from language.sentences import QUOTABLE, sentences

NEST = "Bring:\n\n- Clothes\n  - a raincoat\n  - jumpers\n- Money\n\nThe bus leaves at 8."


def led(text: str, lead: str) -> str:
    """All that is quoted of a list, by the sentence that leads to it."""
    told = sentences(text)
    place = next(n for n, each in enumerate(told) if text[each.start : each.end] == lead)
    listing = led_by(text, told, place)
    return "" if listing is None else "|".join(text[a:b] for a, b in pieces(text, told, listing))


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("You need:\n\n- a card\n- a pen\n\nBye.", "You need:"),
        (
            "You need the following papers.\n- a card\n\n- a pen\n\nBye.",
            "You need the following papers.",
        ),
        ("## Tickets\n\n* Adults: £7\n* Children: £4\n\nBye.", "Tickets"),
        ("**You need**\n\n1. a card\n2. a pen\n\nBye.", "**You need**"),
        ("You need:\n\n- a card\n\n  A copy will do.\n\n- a pen\n\nBye.", "You need:"),
        ("持ち物は次のとおりです。\n・寝袋\n・雨具\n\n以上。", "持ち物は次のとおりです。"),
        ("手順は以下です。\n\n1\uff0e電話する。\n2\uff0e送る。\n\n以上。", "手順は以下です。"),
    ],
)
def test_a_list_is_found_with_what_leads_to_it(text: str, lead: str) -> None:
    end = text.rindex("\n\n")
    assert led(text, lead) == text[text.index(lead) : end]


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("The office is open.\n\n- a card\n- a pen", "The office is open."),
        ("Note: we are closed today:\n\nThe office opens at 9.", "Note: we are closed today:"),
        ("- Clothes\n- Money", "Clothes"),
    ],
)
def test_other_sentences_lead_to_none(text: str, lead: str) -> None:
    assert led(text, lead) == ""


def test_an_item_belongs_to_the_lists_around_it() -> None:
    told = sentences(NEST)
    place = next(n for n, each in enumerate(told) if NEST[each.start : each.end] == "jumpers")
    inner, outer = lists_around(NEST, told, place)
    assert led(NEST, "Clothes") == "Clothes\n  - a raincoat\n  - jumpers"
    assert (inner.lead, outer.lead, outer.last) == (place - 2, 0, place + 1)


def test_a_long_list_is_cut_between_its_items() -> None:
    text = "You need:\n\n" + "\n".join(f"- thing number {n}" for n in range(200))
    told = sentences(text)
    listing = led_by(text, told, 0)
    assert listing is not None and (listing.last, listing.ended) == (FARTHEST, False)
    found = pieces(text, told, listing)
    assert all(end - start <= QUOTABLE for start, end in found)
    items = [line for start, end in found for line in text[start:end].splitlines()]
    assert items == text.splitlines()[: FARTHEST + 2]


def test_what_a_list_says_comes_line_by_line() -> None:
    assert in_lines("Bring:\n\n* Clothes\n  * a coat,\n    warm\n10. Money\n(a) maps") == [
        (0, "", "Bring:\n\n"),
        (0, "-", "Clothes\n"),
        (1, "-", "a coat,\n    warm\n"),
        (0, "10.", "Money\n"),
        (0, "-", "(a) maps"),
    ]
    assert in_lines("It is - as said - 5 km.") == [(0, "", "It is - as said - 5 km.")]
