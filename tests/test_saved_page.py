"""A research that was saved as a page, opened from the disk in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.settings import Settings
from tests.browsers import browser, needs_chromium
from tests.homes import DOCUMENT, build_home
from tests.past_tasks import PastTasks

__all__ = ["browser"]

pytestmark = needs_chromium

HOSTILE = (
    "## Findings\n\nAir scatters blue light. [1] <script>document.title='taken'</script>\n\n"
    "![x](https://elsewhere.example/x.png) [press me](javascript:alert(1))\n\n"
    "| a | b |\n| --- | --- |\n| It is the air. [2] | " + "wide" * 200 + " |\n"
)


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    return Core(Settings(home=tmp_path / "home", prewarm=False))


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


class Opened:
    """A saved page in a tab, and whatever it did that it must not do."""

    def __init__(self, browser: Any, path: str) -> None:
        self.page = browser.new_page(viewport={"width": 900, "height": 700})
        self.faults: list[str] = []
        self.page.on("console", lambda said: self.faults.append(said.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda asked: self._asked(asked.url))
        self.address = Path(path).as_uri()
        self.page.goto(self.address)

    def _asked(self, url: str) -> None:
        if url.partition("#")[0] != self.address:
            self.faults.append(f"asked for {url}")


@pytest.fixture
def opened(core: Core, past: PastTasks, tmp_path: Path, browser: Any) -> Iterator[Any]:
    tabs: list[Opened] = []

    def open_saved(question: str = "Why is the sky blue?", **kept: Any) -> Opened:
        reply = deep_research.save(
            core,
            past.completed(question, **kept),
            str(tmp_path / "reports"),
            "research",
            include_metadata=True,
            include_sources=True,
            form="html",
        )
        assert reply["success"], reply
        tabs.append(Opened(browser, reply["file_path"]))
        return tabs[-1]

    yield open_saved
    for tab in tabs:
        tab.page.close()


def test_a_citation_opens_its_excerpt_and_nothing_else_happens(opened: Any) -> None:
    tab = opened()
    excerpt = tab.page.locator("#cite-1")
    assert not excerpt.is_visible()
    tab.page.locator("a.cite", has_text="[1]").first.click()
    excerpt.wait_for(state="visible")
    assert excerpt.inner_text() in DOCUMENT
    assert not tab.page.locator("#cite-2").is_visible(), "one excerpt at a time"
    tab.page.locator("summary", has_text="[2]").click()
    assert tab.page.locator("#cite-2").is_visible()
    assert tab.page.title() == "Why is the sky blue?"
    assert tab.page.locator("body").evaluate("each => getComputedStyle(each).maxWidth") != "none"
    assert tab.faults == []


def test_nothing_of_a_hostile_report_is_run_or_loaded(opened: Any) -> None:
    tab = opened(question="<img src=x onerror=alert(1)>", report=HOSTILE)
    assert tab.page.title() == "<img src=x onerror=alert(1)>"
    assert tab.page.locator("script, img").count() == 0
    assert tab.page.locator("a", has_text="press me").count() == 0
    tab.page.locator("table a.cite", has_text="[2]").click()
    tab.page.locator("#cite-2").wait_for(state="visible")
    wide = "document.documentElement.scrollWidth <= window.innerWidth"
    assert tab.page.evaluate(wide), "a wide table scrolls by itself"
    assert tab.faults == []


LINES = """words => words.map((word) => {
  const cell = [...document.querySelectorAll("th, td")].find((each) => each.textContent === word);
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map((box) => box.top)).size;
})"""
"""In how many lines cells of tables are written."""

TABLE = """## Findings

| Year | Installed capacity (GW) | What was said about it | Source | Share |
|---|---|---|---|---|
| 2019 | 123.4 | {} | [1] | 12.5% |
"""


def test_short_words_in_a_table_stay_whole(opened: Any) -> None:
    said = "It grew because the subsidies of the years before had shown what they could do. " * 4
    page = opened(report=TABLE.format(said + "long" * 60)).page
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(LINES, ["Year", "2019", "12.5%"]) == [1, 1, 1]
