"""Whoever reads, chooses, types or waits on the page keeps their place, whatever arrives meanwhile."""

from typing import Any

import pytest

from events.research import StepTaken
from tests.browsers import browser, needs_chromium, page, until_true
from tests.page_world import World, address, world

__all__ = ["address", "browser", "page", "world"]

pytestmark = needs_chromium

FOCUSED = "document.activeElement.className || document.activeElement.tagName"
REFUSAL = '{"error": "stream_busy", "message": "Busy.", "suggestion": "Again."}'
SEEING = """
let hidden = false;
Object.defineProperty(document, "hidden", { get: () => hidden });
window.see = (seen) => { hidden = !seen; document.dispatchEvent(new Event("visibilitychange")); };"""


def step(world: World, task: str, number: int, said: str) -> None:
    world.past.note(task, StepTaken(step=number, action="read", decision=said))


def holding(page: Any, address: str, method: str = "GET") -> list[Any]:
    """The requests to an address, which wait to be let go."""
    held: list[Any] = []
    page.route(
        address,
        lambda asked: held.append(asked) if asked.request.method == method else asked.continue_(),
    )
    return held


def test_a_timeline_that_is_read_stays_when_its_task_ends(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Does it stay?", steps=2)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.locator(".timeline li", has_text="Reading page 2").wait_for()
    page.locator(".timeline summary").nth(1).focus()
    world.past.conclude(task)
    page.locator(".bar", has_text="Ended").wait_for()
    page.locator(".stand .badge", has_text="Completed").wait_for()
    assert page.evaluate(FOCUSED) == "SUMMARY"


def test_a_status_that_arrives_takes_nobody_from_the_head_of_a_task(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Where was I?", steps=2)
    page.route("**/cancel", lambda asked: asked.fulfill(status=503, body=REFUSAL))
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.locator(".timeline li", has_text="Reading page 2").wait_for()
    page.locator(".danger").dblclick()
    assert page.locator(".danger").inner_text() == "Cancel it now?", "nobody read that yet"
    page.locator(".danger").click()
    page.locator(".task-head .error", has_text="Busy.").wait_for()
    page.locator(".record .hash").focus()
    step(world, task, 3, "Moved on")
    page.locator(".stand .action", has_text="Moved on").wait_for()
    assert page.evaluate(FOCUSED).startswith("hash")
    assert page.locator(".task-head .error").count() == 1, "the refusal of the cancel stays"


def test_a_status_from_before_the_end_does_not_undo_it(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Which came last?", steps=1)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.locator(".timeline li", has_text="Reading page 1").wait_for()
    before = page.request.get(f"{address}/api/tasks/{task}").text()
    held = holding(page, "**/cancel", "POST")
    for _ in range(2):
        page.locator(".danger").click()
    until_true(page, "document.querySelector('.danger') !== null")
    world.past.conclude(task)
    page.locator(".bar", has_text="Ended").wait_for()
    (cancel,) = held
    with page.expect_response("**/cancel"):
        cancel.fulfill(body=before, content_type="application/json")
    page.locator("#live", has_text="Cancellation is recorded").wait_for(state="attached")
    assert page.locator(".stand .badge").inner_text() == "Completed"


def test_only_tabs_that_are_seen_keep_a_connection_and_go_on_where_they_were(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Who looks?", steps=2)
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url) if "/events" in each.url else None)
    page.add_init_script(SEEING)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    facts = page.locator(".timeline li")
    facts.filter(has_text="Reading page 2").wait_for()
    with page.expect_event("requestfailed", lambda each: "/events" in each.url):
        page.evaluate("window.see(false)")
    before = facts.count()
    step(world, task, 3, "While nobody looked")
    page.evaluate("window.see(true)")
    facts.filter(has_text="While nobody looked").wait_for()
    assert facts.count() == before + 2, "a claim and a step, and nothing twice"
    assert len(asked) == 2 and "?after=task" in asked[1]


def test_a_gap_that_is_too_long_to_be_sent_leaves_no_hole(
    page: Any, address: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.page.timeline.Follower.news.__defaults__", (5,))
    task = world.past.running("Is it whole?", steps=2)
    page.add_init_script(SEEING)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    facts = page.locator(".timeline li")
    facts.filter(has_text="Reading page 2").wait_for()
    page.evaluate("window.see(false)")
    for number in range(3, 13):
        step(world, task, number, f"Reading page {number}")
    page.evaluate("window.see(true)")
    facts.filter(has_text="Reading page 12").wait_for()
    more = page.get_by_role("button", name="Show some of them")
    more.focus()
    page.keyboard.press("Enter")
    until_true(page, "document.querySelector('.timeline').children.length > 20")
    shown = page.evaluate(
        "[...document.querySelectorAll('.timeline li')].map((each) => [each.dataset.stream, +each.dataset.seq])"
    )
    own = [seq for stream, seq in shown if stream == "r1"]
    assert own == list(range(1, len(own) + 1)), "all of them, in order"


def test_a_team_is_looked_at_by_one_clock_and_drawn_when_it_has_changed(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Who is out?", steps=1)
    page.clock.install()
    page.goto(f"{address}/#/tasks/{task}/team")
    page.locator(".member").first.wait_for()
    for _ in range(4):
        page.keyboard.press("3")
        page.keyboard.press("4")
        page.locator(".member").first.wait_for()
    page.keyboard.press("j")
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url) if "researchers" in each.url else None)
    began = seconds = page.evaluate("Date.now() / 1000")
    while len(asked) < 3 and seconds - began < 90:
        page.clock.run_for(1_000)
        page.wait_for_timeout(50)
        # The page's own time: beside what is run for, it goes on by itself.
        seconds = page.evaluate("Date.now() / 1000")
    assert 3 <= len(asked) <= 1 + (seconds - began) / 3
    assert page.evaluate(FOCUSED) == "card member"


def test_an_answer_to_an_earlier_look_takes_nobody_from_their_place(
    page: Any, address: str, world: World
) -> None:
    task = world.past.running("Who came late?", steps=1)
    page.goto(f"{address}/#/tasks/{task}/timeline")
    page.locator(".timeline li", has_text="Reading page 1").wait_for()
    held = holding(page, "**/researchers")
    for key in ("4", "3", "4"):
        page.keyboard.press(key)
        page.wait_for_timeout(100)
    earlier, later = held
    later.continue_()
    page.locator(".member").first.wait_for()
    page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == "card member"
    with page.expect_response("**/researchers"):
        earlier.continue_()
    page.wait_for_timeout(200)
    assert page.evaluate(FOCUSED) == "card member"


def test_a_passage_is_in_sight_also_where_it_is_come_to_from_the_search(
    page: Any, address: str, world: World
) -> None:
    page.goto(f"{address}/#/search")
    page.locator("#q").wait_for()
    page.evaluate("document.body.style.paddingTop = '2000px'")
    page.goto(f"{address}/#/search?q=tides")
    page.locator(".result-title").first.click()
    page.locator(".stored mark").wait_for()
    until_true(
        page,
        """() => { const at = document.querySelector(".stored mark").getBoundingClientRect();
                   return at.top >= 0 && at.bottom <= innerHeight; }""",
    )


def test_a_citation_is_not_called_unverified_while_it_is_being_verified(
    page: Any, address: str, world: World
) -> None:
    held = holding(page, "**/verification")
    page.goto(f"{address}/#/tasks/{world.tasks['tides']}")
    page.locator(".report .cite").first.click()
    drawer = page.locator("#drawer")
    drawer.get_by_text("Verifying…").wait_for()
    held[0].continue_()
    drawer.locator(".mark.good", has_text="Verbatim").wait_for()


def test_a_verification_that_fails_says_why_and_is_tried_again(
    page: Any, address: str, world: World
) -> None:
    held = holding(page, "**/verification")
    page.goto(f"{address}/#/tasks/{world.tasks['tides']}/evidence")
    until_true(page, "document.querySelectorAll('.citations li').length > 0")
    held[0].fulfill(status=503, body=REFUSAL)
    page.locator(".citations .mark", has_text="Not verified: Busy.").first.wait_for()
    page.keyboard.press("1")
    page.locator(".report .cite").first.wait_for()
    held[1].continue_()
    page.locator(".verified.good").wait_for()


def test_a_refusal_is_not_written_over_by_an_estimate(page: Any, address: str) -> None:
    page.clock.install()
    page.goto(f"{address}/")
    page.route(
        "**/api/tasks",
        lambda asked: (
            asked.fulfill(status=409, body=REFUSAL)
            if asked.request.method == "POST"
            else asked.continue_()
        ),
    )
    page.locator("#question").fill("Why are there two tides a day?")
    page.keyboard.press("Control+Enter")
    page.locator(".start .wrong", has_text="Busy.").wait_for()
    page.clock.run_for(2_000)
    page.wait_for_timeout(500)
    assert "Busy." in page.locator(".start .fine").inner_text()


def test_whoever_has_gone_on_is_not_taken_to_what_they_started(page: Any, address: str) -> None:
    page.goto(f"{address}/")
    held = holding(page, "**/api/tasks", "POST")
    page.locator("#question").fill("What is a tide pole?")
    page.keyboard.press("Control+Enter")
    page.locator("#nav a", has_text="Audit").click()
    page.locator("#sql").fill("SELECT 1")
    with page.expect_response("**/api/tasks"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert page.evaluate("location.hash") == "#/audit"
    assert page.locator("#sql").input_value() == "SELECT 1"


def test_an_answer_to_a_question_that_was_left_is_not_shown(page: Any, address: str) -> None:
    page.goto(f"{address}/#/audit")
    held = holding(page, "**/api/audit", "POST")
    page.locator("#sql").fill("SELECT 42 AS x")
    page.keyboard.press("Control+Enter")
    until_true(page, "location.hash.includes('42')")
    page.go_back()
    page.locator(".answer h2", has_text="Or choose a question").wait_for()
    with page.expect_response("**/api/audit"):
        held[0].continue_()
    page.wait_for_timeout(200)
    assert page.locator(".answer h2").inner_text() == "Or choose a question"


def test_collections_are_gone_through_by_the_keyboard(page: Any, address: str) -> None:
    page.goto(f"{address}/#/sources")
    page.locator("#filter").fill("tide")
    page.locator("#shelf").focus()
    page.keyboard.press("ArrowDown")
    until_true(page, "location.hash.includes('q=tide') && location.hash.includes('collection=')")
    until_true(page, "document.activeElement.id === 'shelf'")


def test_the_list_is_updated_around_whoever_reads_it(page: Any, address: str, world: World) -> None:
    for number in range(26):
        world.past.entered(f"Filler number {number}")
    page.goto(f"{address}/")
    page.get_by_role("button", name="Show more").focus()
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.tasks .title'))")
    for _ in range(2):
        with page.expect_response("**/api/tasks?*"):
            pass
    page.wait_for_timeout(100)
    assert page.evaluate("document.activeElement.textContent") == "Show more"
    assert page.evaluate("String(getSelection())") == "Filler number 25"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chosen_chip_can_be_read_under_the_mouse(browser: Any, address: str, scheme: Any) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(f"{address}/#/tasks?status=completed")
    chip = page.locator(".chips a[aria-current]")
    chip.hover()
    style = "each => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor]"
    letters, paper = chip.evaluate(style)
    assert letters != paper
    page.close()
