"""Lines that a source was wrapped at flow on any screen, and what is shown stays the stored text to the letter."""

from typing import Any

import pytest

from tests.browsers import browser, needs_chromium, page
from tests.page_world import World, address, world

__all__ = ["address", "browser", "page", "world"]

pytestmark = needs_chromium

SHOWN = """async (text) => {
  const { flowing } = await import("/web/flow.js");
  return flowing(text).map((part) => part.nodeType ? (part.className === "flow" ? " " : "") : part).join("");
}"""
WRAPPED = """tides rise.
The Earth turns under the two bulges once a day, so most coasts see
two high waters and two low waters daily. The Moon moves on along its
orbit meanwhile."""
WHOLE = WRAPPED.partition("\n")[2]
FLOWN = WHOLE.replace("\n", " ")
UNEVEN = """Coasts differ in how the tide comes to them over a whole day and night, and in how often.
Most of them see it twice, as on the Atlantic.
Some see it once only, and others see two that differ by a lot."""
JAPANESE = """潮汐とは、月と太陽の引力によって海面が周期的に上下する現象である。満潮
と干潮は通常一日に二回ずつ起こり、その間隔は約十二時間二十五分である。こ
の周期は月の動きによる。"""
KEPT = {
    "verse": "The sea is calm tonight.\nThe tide is full, the moon lies fair\nUpon the straits;",
    "address": "Office of Tides and Currents of the Northern Administration\n1 Long Street\nSmalltown\nFar",
    "list": "These are the four estuaries that were surveyed in that year:\n- the Severn estuary\n- the Mersey",
    "table": "| a column of a wide table | another column of that table |\n|---|---|\n| one | two |",
    "columns": "Station          Height of the highest tide     Spring range\n"
    "Avonmouth        13.2 metres above the datum    12.3 metres",
    "tabs": "Station\tHeight of the highest astronomical tide\tSpring range\n"
    "Avonmouth\t13.2 metres above the datum of the chart\t12.3 metres",
    "log": "2026-01-01 10:00:00 INFO the turbine has started and runs at full speed\n"
    "2026-01-01T10:05:00 WARN the gate of the second basin is stuck and stays open",
    "code": "def of(tide):\n    return tide.height_above_the_lowest_astronomical_tide()\n\n\nclass A:\n    b = 1",
    "program": "for (const tide of tides) {\nrise(tide.height, tide.hour, tide.place, tide.moon);\n}",
    "heading": "# A heading that is as wide as the lines of the paragraph below it\nIt begins here.",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (WRAPPED, WRAPPED.replace("\n", " ")),
        (f"# Tides\n{WHOLE}\n\n{WHOLE}", f"# Tides\n{FLOWN}\n\n{FLOWN}"),
        (WRAPPED.replace("\n", "\r\n"), WRAPPED.replace("\n", " ")),
        (UNEVEN, UNEVEN.replace("\n", " ")),
        (JAPANESE, JAPANESE.replace("\n", "")),
        ("- " + WRAPPED.replace("\n", "\n  "), "- " + WRAPPED.replace("\n", " ")),
        *((text, text) for text in KEPT.values()),
    ],
    ids=["wrapped", "paragraphs", "windows", "uneven", "japanese", "item", *KEPT],
)
def test_a_break_that_only_fits_a_line_to_its_width_flows(
    page: Any, address: str, text: str, shown: str
) -> None:
    page.goto(address)
    assert page.evaluate(SHOWN, text) == shown


def test_an_excerpt_fills_the_lines_of_a_phone_and_stays_verbatim(
    page: Any, address: str, world: World
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    cited = world.core.views.result(world.tasks["tides"]).result["citations"]
    wrapped = [each for each in cited if "\n" in each["raw_excerpt"]]
    assert wrapped, "a sample that is wrapped is cited"
    page.goto(f"{address}/#/tasks/{world.tasks['tides']}/evidence")
    for each in wrapped:
        card = page.locator(".citations li").nth(cited.index(each))
        assert card.locator("blockquote").text_content() == each["raw_excerpt"]
        assert "\n" not in card.locator("blockquote").inner_text()
    page.locator(".citations .cite").nth(cited.index(wrapped[0])).click()
    mark = page.locator("#drawer mark")
    assert mark.text_content() == wrapped[0]["raw_excerpt"]
    assert "\n" not in mark.inner_text()
