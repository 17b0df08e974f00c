"""What a person notices of the page: words stay whole, nothing comes twice, and what is left out is told."""

import uuid
from typing import Any

import pytest

from events.catalogue import SourcePublished
from events.codec import canonical, digest
from tests.browsers import browser, needs_chromium, page, until_true
from tests.page_world import World, address, world
from tests.past_tasks import citation

__all__ = ["address", "browser", "page", "world"]

pytestmark = needs_chromium

WIDTH = "document.documentElement.scrollWidth <= window.innerWidth"
LINES = """Object.fromEntries([...document.querySelectorAll(".report th, .report td")].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return [cell.textContent, new Set([...range.getClientRects()].map((box) => box.top)).size];
}))"""
"""In how many lines each cell of a report's tables is written."""

KEYS = "[...document.querySelectorAll('.timeline li')].map((each) => each.dataset.stream + each.dataset.seq)"
TABLE = """## Findings

| Year | Installed capacity (GW) | What was said about it | Source | Share |
|---|---|---|---|---|
| 2019 | 123.4 | {} | [1] | 12.5% |
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_short_words_in_a_table_stay_whole(
    page: Any, address: str, world: World, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    said = "It grew because the subsidies of the years before had shown what they could do. " * 4
    task = world.past.completed("How much is there?", report=TABLE.format(said + "long" * 60))
    page.goto(f"{address}/#/tasks/{task}/report")
    # The report may be drawn anew at any moment: that it is there and how it is written is one look.
    lines = until_true(page, f"(lines => 'Year' in lines && lines)({LINES})")
    assert (lines["Year"], lines["2019"], lines["12.5%"]) == (1, 1, 1)
    assert page.evaluate(WIDTH)


def test_a_chart_says_what_it_leaves_out(page: Any, address: str) -> None:
    page.goto(f"{address}/#/audit?sql=SELECT 'n' || range AS name, 90 - range AS n FROM range(50)")
    page.locator(".chart figcaption", has_text="n by name, the first 30 of 50").wait_for()
    assert page.locator(".bars li").count() == 30


def test_a_line_is_drawn_to_its_end(page: Any, address: str) -> None:
    sql = "SELECT DATE '2020-01-01' %2B CAST(range AS INTEGER) AS day, range AS n FROM range(900)"
    page.goto(f"{address}/#/audit?limit=2000&sql={sql}")
    page.locator(".chart .axis-names", has_text="Jun 18, 2022").wait_for()


def test_earlier_facts_that_are_asked_for_twice_come_once(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("How long is a timeline?", steps=310)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.get_by_role("button", name="Show some of them").dblclick()
    until_true(page, f"{KEYS}.length > 400")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(f"{KEYS}.length === new Set({KEYS}).size")


def test_text_that_is_asked_for_twice_comes_once(page: Any, address: str, world: World) -> None:
    blobs, document = world.past.built.home.blobs, str(uuid.uuid4())
    text = blobs.put("".join(f"Line {number}.\n" for number in range(6_000)).encode())
    world.past.built.enter(
        SourcePublished(
            document=document,
            version=text.hash,
            collection="long",
            locator="/long.txt",
            title="Long",
            media_type="text/plain",
            original=text,
            text=text,
            segment=blobs.put(canonical([[0, 100]])),
            chunks=1,
            job=f"ingest-{uuid.uuid4()}",
        )
    )
    page.goto(f"{address}/#/sources/long/{document}")
    more, parts = page.get_by_role("button", name="Show more"), page.locator("#main .stored")
    more.dblclick()
    parts.nth(1).wait_for()
    page.wait_for_load_state("networkidle")
    shown = "".join(parts.all_text_contents())
    assert shown.count("Line 2000.") == 1


def test_a_research_that_waits_says_that_it_does_until_it_begins(
    page: Any, address: str, world: World
) -> None:
    task = world.past.entered("Has it begun?")
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.locator(".bar", has_text="Nothing has happened yet.").wait_for()
    head = page.locator(".stand").inner_text()
    assert "Waiting for" in head
    assert "Running for" not in head
    assert "its own trace is still empty" in head
    world.past.finish(task)
    page.locator(".timeline li", has_text="Task accepted").wait_for()
    assert page.locator(".bar", has_text="Nothing has happened yet.").count() == 0


def test_a_part_of_the_timeline_without_facts_says_so(
    page: Any, address: str, world: World
) -> None:
    page.goto(f"{address}/#/tasks/{world.tasks['running']}/timeline")
    page.locator(".timeline li", has_text="Reading page 2").wait_for()
    said = "getComputedStyle(document.querySelector('.timeline'), '::after').content"
    for part, words in (("Story", "none"), ("Trouble", '"None of these so far."')):
        page.get_by_role("button", name=part).click()
        assert page.evaluate(said) == words


def test_a_record_that_is_not_proven_is_told_apart_from_citations_that_do_not_hold(
    page: Any, address: str, world: World
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    task = world.past.completed("Is all of it there?", citations=[citation(1, 0, 47)])
    bare = world.past.completed("Is nothing cited?", report="# Nothing\n", citations=[])
    seal = page.locator(".verified")
    page.goto(f"{address}/#/tasks/{task}/report")
    page.locator(".verified.good", has_text="Every citation holds").wait_for()
    assert "not proven" not in seal.inner_text()
    request = world.core.home.blobs.path(digest(b"asked"))
    away = request.rename(request.with_name("away"))
    try:
        page.reload()
        page.locator(".verified.bad", has_text="The record is not proven").wait_for()
        said = seal.inner_text()
        assert "Every citation holds" in said and "Not every" not in said
        assert f"blobs/{request.parent.name}/{request.name}: it is missing" in said
        assert page.evaluate(WIDTH)
        page.goto(f"{address}/#/tasks/{bare}/report")
        page.locator(".verified.bad", has_text="Nothing is cited").wait_for()
        assert "The record is not proven" in seal.inner_text()
    finally:
        away.rename(request)
