"""The page in a real browser: by mouse and keyboard, on a phone and in the dark, with nothing executed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from contracts.bundles import bundling
from events.research import StepTaken
from tests.browsers import PATIENCE, browser, needs_chromium, until_true
from tests.page_world import (
    HOSTILE_QUESTION,
    QUESTION,
    SCRIPT,
    World,
    address,
    bare_world,
    serving,
    world,
)

__all__ = ["address", "browser", "world"]

pytestmark = needs_chromium

WIDTH = "document.documentElement.scrollWidth <= window.innerWidth"


@dataclass
class Tab:
    """A page, and everything that must not happen on it."""

    page: Any
    address: str
    faults: list[str] = field(default_factory=list)

    def open(self, place: str) -> Any:
        self.page.goto(f"{self.address}/{place}")
        return self.page

    def watch(self) -> None:
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", self._console)
        self.page.on("request", self._request)
        self.page.on("dialog", lambda dialog: self.faults.append("a dialog"))

    def _console(self, message: Any) -> None:
        # A refusal that the page shows in its own words is logged by the browser as well.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(f"console: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith(self.address):
            self.faults.append(f"request to {request.url}")


@pytest.fixture
def tab(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Tab]:
    options = {"viewport": {"width": 1280, "height": 860}} | getattr(request, "param", {})
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    tab = Tab(context.new_page(), address)
    tab.watch()
    yield tab
    hit = tab.page.evaluate("window.hit")
    context.close()
    assert tab.faults == []
    assert hit is None


PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True}


def test_the_list_shows_status_progress_and_cost_as_they_are(tab: Tab, world: World) -> None:
    page = tab.open("")
    rows = page.locator(".tasks li")
    rows.first.wait_for()
    assert rows.count() == len(world.tasks)
    running = rows.filter(has_text="quantum error correction")
    assert running.locator(".badge").inner_text() == "Running"
    before = int(running.locator("progress").get_attribute("value") or 0)
    assert 0 < before < 90
    assert "$0.25" in rows.filter(has_text="Why is the sky blue?").inner_text()
    world.past.note(
        world.tasks["running"], StepTaken(step=3, of=4, action="read", decision="Third step")
    )
    until_true(
        page,
        "before => [...document.querySelectorAll('.tasks progress')].some(bar => bar.value > before)",
        before,
    )
    page.get_by_role("link", name="Cancelled", exact=True).click()
    rows.filter(has_text="batteries").wait_for()
    assert {badge.inner_text() for badge in rows.locator(".badge").all()} == {"Cancelled"}


def test_a_timeline_grows_while_facts_are_appended(tab: Tab, world: World) -> None:
    page = tab.open(f"#/tasks/{world.tasks['running']}")
    facts = page.locator(".timeline li")
    facts.filter(has_text="Reading page 2").wait_for()
    before = facts.count()
    for number in (11, 12):
        step = StepTaken(step=number, action="read", decision=f"Appended fact {number}")
        world.past.note(world.tasks["running"], step)
        facts.filter(has_text=f"Appended fact {number}").wait_for()
    assert facts.count() == before + 4, "each note is a claim and a step, each shown once"
    page.locator(".stand .action", has_text="Appended fact 12").wait_for()
    page.get_by_role("button", name="Story").click()
    assert not facts.filter(has_text="Work taken up").first.is_visible()
    facts.filter(has_text="Appended fact 12").locator("summary").click()
    assert '"decision": "Appended fact 12"' in page.locator(".timeline pre").inner_text()


def test_a_citation_opens_its_excerpt_highlighted_in_the_stored_source(
    tab: Tab, world: World
) -> None:
    page = tab.open(f"#/tasks/{world.tasks['tides']}")
    page.locator(".verified.good", has_text="Every citation holds").wait_for()
    page.locator(".report .cite").first.click()
    drawer = page.locator("#drawer")
    drawer.locator("mark").wait_for()
    cited = world.core.views.result(world.tasks["tides"]).result["citations"][0]
    assert drawer.locator("mark").text_content() == cited["raw_excerpt"]
    assert len(drawer.locator(".stored").inner_text()) > len(cited["raw_excerpt"])
    hashes = [each.get_attribute("title") or "" for each in drawer.locator(".hash").all()]
    assert cited["content_hash"] in " ".join(hashes)
    marks = drawer.locator(".mark.good").all_inner_texts()
    assert {"Verbatim", "Hash equal"} <= {mark.lstrip("✓\n ") for mark in marks}
    page.keyboard.press("Escape")
    assert not drawer.is_visible()
    beside = page.locator(".beside").inner_text()
    for part in ("Confidence", "Gaps", "Open questions", "Discoveries", "Sources"):
        assert part in beside


def test_a_report_is_copied_as_markdown(tab: Tab, world: World) -> None:
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=tab.address)
    page = tab.open(f"#/tasks/{world.tasks['tides']}/report")
    page.get_by_role("button", name="Copy as Markdown").wait_for()
    # The mark stays for less than a second, in which a busy machine may not look.
    page.evaluate(
        """() => {
            window.marked = false;
            const look = () => { window.marked ||= document.querySelector(".colophon .copied") !== null; };
            new MutationObserver(look).observe(document.body, { subtree: true, attributes: true });
        }"""
    )
    page.get_by_role("button", name="Copy as Markdown").click()
    until_true(page, "window.marked")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == world.core.views.result(world.tasks["tides"]).report


def test_citations_are_gone_through_by_the_keyboard(tab: Tab, world: World) -> None:
    page = tab.open(f"#/tasks/{world.tasks['tides']}")
    page.locator(".verified.good").wait_for()
    last = len(world.core.views.result(world.tasks["tides"]).result["citations"])
    page.locator(".report .cite").first.focus()
    page.keyboard.press("Enter")
    title, focused = page.locator("#drawer-title"), page.locator("#drawer :focus")
    for number in range(1, last):
        assert (title.inner_text(), focused.inner_text()) == (f"Citation {number}", "Next")
        page.keyboard.press("Enter")
    assert (title.inner_text(), focused.inner_text()) == (f"Citation {last}", "Previous")
    page.keyboard.press("ArrowRight")
    page.keyboard.press('"')
    page.keyboard.press("ArrowLeft")
    assert (title.inner_text(), focused.inner_text()) == (f"Citation {last - 1}", "Previous")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "cite", "back where it began"


NO_COPYING = """
Object.defineProperty(navigator, "clipboard", {
  value: { writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) },
});"""


def test_a_browser_that_does_not_allow_copying_is_told_of_on_the_button(
    tab: Tab, world: World
) -> None:
    tab.page.add_init_script(NO_COPYING)
    page = tab.open(f"#/tasks/{world.tasks['tides']}/report")
    page.get_by_role("button", name="Copy as Markdown").click()
    page.locator(".colophon .refused").wait_for()
    page.locator("#live", has_text="does not allow copying").wait_for(state="attached")
    told = "getComputedStyle(document.querySelector('.colophon .refused'), '::after').content"
    assert "copy" in page.evaluate(told).casefold()


HEARING_THE_END = """
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    this.addEventListener("end", () => setTimeout(() => { window.heardTheEnd = true; }));
  }
};"""


def test_a_report_is_not_drawn_anew_when_its_timeline_comes_to_the_end(
    tab: Tab, world: World
) -> None:
    held: list[Any] = []
    tab.page.add_init_script(HEARING_THE_END)
    tab.page.route("**/events", lambda asked: held.append(asked))
    page = tab.open(f"#/tasks/{world.tasks['tides']}")
    page.locator(".verified.good").wait_for()
    page.locator(".report .cite").first.focus()
    (timeline,) = held
    timeline.continue_()
    until_true(page, "window.heardTheEnd")
    assert page.evaluate("document.activeElement.className") == "cite", "the reader's place"


def test_what_is_not_there_is_not_offered_to_be_tried_again(tab: Tab) -> None:
    page = tab.open("#/tasks/550e8400-e29b-41d4-a716-446655440000")
    page.locator(".error", has_text="No research task found").wait_for()
    assert page.get_by_role("button", name="Try again").count() == 0
    page.get_by_role("link", name="← Tasks").click()
    page.locator(".tasks li").first.wait_for()


def test_a_task_has_its_team_its_cost_and_its_evidence(tab: Tab, world: World) -> None:
    page = tab.open(f"#/tasks/{world.tasks['tides']}/team")
    page.locator(".tree .tree, .tree ul .member", has_text="r1").wait_for()
    page.keyboard.press("2")
    page.locator(".citations .mark.good").first.wait_for()
    assert page.locator(".sentences li").count() > 0
    tab.open(f"#/tasks/{world.tasks['sky']}/cost")
    page.locator("td", has_text="450,000").wait_for()
    tab.open(f"#/tasks/{world.tasks['failed']}")
    page.locator(".empty", has_text="There is no report").wait_for()
    tab.open(f"#/tasks/{world.tasks['tides']}/timeline")
    page.locator(".timeline .fact-title", has_text="Searching the documents").first.wait_for()
    page.get_by_role("link", name="Read the report").click()
    page.locator(".report .cite").first.wait_for()


def test_a_search_explains_each_stage(tab: Tab) -> None:
    page = tab.open("#/search")
    page.locator("#q").fill("why are there tides")
    page.keyboard.press("Enter")
    first = page.locator(".result").first
    first.wait_for()
    assert "q=why+are+there+tides" in page.url
    told = first.locator(".stages").inner_text()
    for word in ("Words", "Meaning", "Together", "bm25", "cosine"):
        assert word in told
    passages = page.locator(".content").all_inner_texts()
    assert not [each for each in passages if re.search(r"[a-z,]\n[a-z]", each)], "lines are joined"
    assert first.locator(".decided .tag").inner_text() == "decided"
    first.locator(".result-title").click()
    page.locator(".stored mark").wait_for()


def test_the_audit_prompt_shows_a_table_and_a_chart(tab: Tab) -> None:
    page = tab.open("#/audit")
    page.locator("#sql").fill("SELECT status, count(*) AS n FROM tasks GROUP BY 1 ORDER BY 2 DESC")
    page.keyboard.press("Control+Enter")
    page.locator(".grid tbody tr").first.wait_for()
    assert "completed" in page.locator(".grid").inner_text()
    assert page.locator('[data-chart="bar"] rect').count() >= 3
    page.locator(".tables > summary").click()
    page.locator(".tables summary", has_text="researchers").click()
    page.locator("#sql").fill("SELECT nothing FROM tasks")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".error", has_text="bad_sql").wait_for()


def test_a_named_question_shows_its_sql_and_a_chart_of_what_it_is_about(tab: Tab) -> None:
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = tab.open("#/audit")
    page.locator(".choice button", has_text="cost_by_task").click()
    page.locator('[data-chart="bar"] figcaption', has_text="cost_usd by question").wait_for()
    assert "What did each task cost" in page.locator(".answer").inner_text()
    assert "left join costs" in page.locator("#sql").input_value()
    page.locator("#sql").fill("SELECT [1, 2] AS list, {'a': NULL} AS pair, NULL AS none")
    page.keyboard.press("Control+Enter")
    page.locator(".grid td", has_text="[1,2]").wait_for()
    page.get_by_role("button", name="Copy as CSV").click()
    page.locator("#live", has_text="Copied").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines()[1] == '"[1,2]","{""a"":null}",""'


def test_sources_show_versions_and_what_changed(tab: Tab, world: World) -> None:
    page = tab.open("#/sources")
    page.locator(".sources li", has_text="example.org").locator(
        ".mark", has_text="Pending"
    ).wait_for()
    tab.open("#/sources?collection=notes")
    page.locator(".sources .badge", has_text="2 versions").click()
    page.get_by_role("link", name="What changed").click()
    page.locator(".diff .added", has_text="Mie scattering").wait_for()
    tab.open(f"#/sources/websites/{world.page}")
    page.locator(".beside blockquote", has_text="Tides come twice a day.").wait_for()


def test_nothing_hostile_is_executed(tab: Tab, world: World) -> None:
    page = tab.open("")
    page.locator(".tasks li", has_text=SCRIPT).wait_for()
    tab.open(f"#/tasks/{world.tasks['hostile']}/report")
    page.locator(".report .cite").first.wait_for()
    assert SCRIPT in page.locator("h1").inner_text()
    assert page.locator("#main script, #main iframe, #main img").count() == 0
    links = [each.get_attribute("href") for each in page.locator("#main a").all()]
    assert not [link for link in links if link and link.startswith("javascript")]
    page.locator(".report .cite").first.click()
    page.locator("#drawer mark").wait_for()
    assert page.locator("#drawer mark").inner_text() == SCRIPT
    assert page.locator("#drawer a").count() == 0
    page.keyboard.press("Escape")
    for part in ("timeline", "evidence", "team"):
        tab.open(f"#/tasks/{world.tasks['hostile']}/{part}")
        page.locator(".panel", has_text="window.hit").wait_for()
    assert "\u202e" not in page.locator("body").inner_text()
    assert "\u202e" in HOSTILE_QUESTION


def test_everything_can_be_reached_with_the_keyboard(tab: Tab) -> None:
    page = tab.open("")
    page.locator(".tasks li").first.wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    focused = "document.activeElement === document.querySelector('.tasks [data-row]')"
    assert page.evaluate(focused)
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("?")
    page.locator("#keys", has_text="Next and previous in a list").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("gs?")
    assert page.locator("#question").input_value() == "gs?"
    page.keyboard.press("Escape")
    for keys, place in (("gs", "#/search"), ("go", "#/sources"), ("ga", "#/audit")):
        page.evaluate("document.activeElement.blur()")
        for key in keys:
            page.keyboard.press(key)
        # The address changes before the view does, which may take the keys into its field.
        page.locator(f'[data-view="{place[2:]}"] h1').wait_for()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.locator(".tasks li", has_text=QUESTION).wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator(".task-head h1").wait_for()


@pytest.mark.parametrize("tab", [PHONE], indirect=True, ids=["phone"])
def test_nothing_is_wider_than_a_phone(tab: Tab, world: World) -> None:
    tides = world.tasks["tides"]
    places = {
        "": ".tasks li",
        f"#/tasks/{tides}/report": ".verified",
        f"#/tasks/{tides}/evidence": ".citations .mark",
        f"#/tasks/{tides}/timeline": ".timeline li",
        f"#/tasks/{tides}/team": ".member",
        f"#/tasks/{world.tasks['sky']}/cost": ".grid",
        f"#/tasks/{world.tasks['hostile']}/report": ".verified",
        "#/search?q=tides": ".result",
        "#/sources": ".sources li",
        f"#/sources/notes/{world.notes}": ".stored",
        "#/audit?sql=SELECT+*+FROM+events+LIMIT+20": ".grid",
    }
    for place, there in places.items():
        page = tab.open(place)
        page.locator(there).first.wait_for()
        assert page.evaluate(WIDTH), place
    tab.open(f"#/tasks/{tides}/report").locator(".report .cite").first.click()
    page.locator("#drawer mark").wait_for()
    assert page.evaluate("document.querySelector('#drawer').scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("tab", [PHONE, {}], indirect=True, ids=["phone", "desktop"])
def test_why_a_passage_stands_where_it_does_stays_on_its_card(tab: Tab) -> None:
    page = tab.open("#/search?q=tides")
    decided = page.locator(".stages .decided").first
    decided.wait_for()
    # The longest words there are, whichever stage decided here.
    decided.evaluate("row => { row.cells[0].firstChild.data = 'Part by part'; }")
    decided.evaluate("row => { row.cells[3].textContent = 'mean cosine'; }")
    table, card = (
        decided.locator("xpath=../..").bounding_box(),
        page.locator(".result").first.bounding_box(),
    )
    assert table["x"] + table["width"] < card["x"] + card["width"]


@pytest.mark.parametrize("tab", [{"color_scheme": "dark"}], indirect=True, ids=["dark"])
def test_it_is_dark_where_the_system_is_and_the_choice_is_kept(tab: Tab) -> None:
    page = tab.open("")
    page.locator(".tasks li").first.wait_for()
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "Light"
    light = page.evaluate(paper)
    assert dark != light
    page.reload()
    page.locator(".tasks li").first.wait_for()
    assert page.evaluate(paper) == light
    page.keyboard.press("d")
    assert page.evaluate(paper) == dark


CONTRASTS = """() => {
  const rgb = (text) => {
    const [red, green, blue, solid] = text.match(/[\\d.]+/g).map(Number), unit = text.startsWith("color(") ? 255 : 1;
    return [red * unit, green * unit, blue * unit, solid ?? 1];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const linear = (part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const faint = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement, style = getComputedStyle(node), words = texts.currentNode.textContent;
    const seen = words.trim() && node.checkVisibility() && !node.closest(".unseen, .skip, :disabled, style, script");
    if (!seen) continue;
    const behind = [];
    for (let at = node; at; at = at.parentElement) behind.unshift(rgb(getComputedStyle(at).backgroundColor));
    const paper = behind.reduce((under, top) => over(top, under), [255, 255, 255, 1]);
    const [more, less] = [light(over(rgb(style.color), paper)), light(paper)].sort((a, b) => b - a);
    const needed = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if ((more + 0.05) / (less + 0.05) < needed) faint.push(`${node.className}: ${words.slice(0, 40)}`);
  }
  return faint;
}"""
"""Texts that are harder to read than WCAG's level AA allows."""


@pytest.mark.parametrize(
    "tab",
    [{"color_scheme": "light"}, {"color_scheme": "dark"}],
    indirect=True,
    ids=["light", "dark"],
)
def test_everything_can_be_read_in_either_colours(tab: Tab, world: World) -> None:
    tides = world.tasks["tides"]
    places = {
        "": ".tasks li",
        f"#/tasks/{tides}/report": ".verified",
        f"#/tasks/{tides}/evidence": ".sentences li",
        f"#/tasks/{tides}/timeline": ".timeline li",
        f"#/tasks/{world.tasks['failed']}": ".empty",
        "#/search?q=tides": ".result",
        "#/sources": ".sources li",
        "#/audit": ".choice li",
        "#/audit?sql=nothing": ".error",
    }
    for place, there in places.items():
        page = tab.open(place)
        page.locator(there).first.wait_for()
        assert page.evaluate(CONTRASTS) == [], place


def test_the_page_of_a_bundle_shows_a_citation_in_its_source_from_a_file(
    browser: Any, world: World, tmp_path: Path
) -> None:
    made = bundling.contents(world.core, world.tasks["tides"])["index.html"]
    assert isinstance(made, bytes)
    (tmp_path / "index.html").write_bytes(made)
    context = browser.new_context(**PHONE, color_scheme="dark")
    page = context.new_page()
    tab = Tab(page, tmp_path.as_uri())
    tab.watch()
    page.goto(f"{tmp_path.as_uri()}/index.html")
    assert page.evaluate(WIDTH)
    assert page.evaluate(CONTRASTS) == []
    assert page.locator(".cites .fails").count() == 0 < page.locator(".cites .holds").count()
    page.locator("a.cite").first.click()
    cited = page.locator(":target + mark")
    assert cited.inner_text() == page.locator(".cites blockquote").first.inner_text()
    place = cited.bounding_box()
    assert 0 < place["y"] < PHONE["viewport"]["height"]
    context.close()
    assert tab.faults == []


def test_whoever_may_only_read_is_offered_nothing_else(browser: Any, world: World) -> None:
    with serving(world, "read") as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}/#/tasks/{world.tasks['running']}")
        page.locator(".timeline li").first.wait_for()
        assert page.get_by_role("button", name="Cancel research").count() == 0
        page.goto(f"{address}/#/tasks")
        page.locator(".tasks li").first.wait_for()
        assert page.locator("#question").count() == 0
        context.close()


def test_a_research_is_started_and_cancelled_from_the_page(tab: Tab, world: World) -> None:
    page = tab.open("")
    page.locator("#question").fill("What is a tide mill?")
    page.get_by_role("button", name="Start research").click()
    page.locator(".task-head h1", has_text="What is a tide mill?").wait_for()
    page.get_by_role("button", name="Cancel research").click()
    page.get_by_role("button", name="Cancel it now?").click()
    page.locator(".stand", has_text="Stop requested").wait_for()
    task = page.url.rpartition("/tasks/")[2].partition("/")[0]
    assert world.core.views.status(task).stop_requested
    world.tasks["started"] = task


def test_a_home_with_nothing_in_it_says_what_comes_first(browser: Any, tmp_path: Path) -> None:
    with serving(bare_world(tmp_path / "home")) as address:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/")
        page.locator(".empty", has_text="Nothing to research yet").wait_for()
        page.locator("#question").fill("Why are there tides?")
        page.locator(".start .fine", has_text="Nobody can research this yet").wait_for()
        page.get_by_role("button", name="Start research").click()
        page.locator(".start .wrong", has_text="Ingest documents first").wait_for()
        page.goto(f"{address}/#/search?q=tides")
        page.locator(".empty", has_text="The corpus is empty").wait_for()
        page.close()


FROM_RIGHT = "\u05de\u05d3\u05d5\u05e2 \u05d9\u05e9 \u05d2\u05d0\u05d5\u05ea? (tides)"
"""Asks in Hebrew why there are tides."""

PLACES = """(place) => {
  const text = place.firstChild, range = document.createRange();
  const left = (at) => {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  };
  return [left(0), left(text.data.indexOf("?")), left(text.data.indexOf("tides"))];
}"""
"""Where the first letter stands, the question mark, and the word behind it."""


def test_what_is_written_from_the_right_reads_so(browser: Any, tmp_path: Path) -> None:
    world = bare_world(tmp_path / "home")
    report = f"# R\n\n## Findings\n\n{FROM_RIGHT}\n\nWhy are they? (tides)\n"
    task = world.past.completed(FROM_RIGHT, report=report, citations=[])
    with serving(world) as address:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/")
        places = {"#/tasks": ".tasks .title", f"#/tasks/{task}/report": "h1"}
        for place, there in (*places.items(), (f"#/tasks/{task}/report", ".report p")):
            page.goto(f"{address}/{place}")
            page.locator(there).first.wait_for()
            first, mark, word = page.locator(there).first.evaluate(PLACES)
            assert first > mark > word, there
        first, mark, word = page.locator(".report p", has_text="Why").evaluate(PLACES)
        assert first < mark < word
        page.close()


def test_a_line_within_one_day_is_told_by_the_clock(tab: Tab) -> None:
    moments = "(VALUES (TIMESTAMP '2026-11-17 09:30:00', 1), (TIMESTAMP '2026-11-17 10:45:00', 2))"
    page = tab.open(f"#/audit?sql=SELECT * FROM {moments} t(moment, n)")
    ends = page.locator(".axis-names span")
    ends.first.wait_for()
    first, last = ends.all_inner_texts()
    assert re.fullmatch(r"Nov 1\d, 2026, \d\d:30:00", first) and re.fullmatch(r"\d\d:45:00", last)
