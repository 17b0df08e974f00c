"""Chromium, for tests that open a page in a real browser; where it is missing they are skipped and say so."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: no page is opened in a browser"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

PATIENCE = 20_000
"""Milliseconds."""

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: no page is opened in a browser"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # The tests run as root in containers, where Chromium has no sandbox of its own.
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a person of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def until_true(page: Any, expression: str, argument: Any = None) -> Any:
    """What an expression gives once it gives something true.

    Playwright's own waiting evaluates from a timer after its first look, which our pages' policy refuses.
    """
    for _ in range(200):
        if answer := page.evaluate(expression, argument):
            return answer
        page.wait_for_timeout(100)
    raise AssertionError(f"never true: {expression}")
