"""What a site chose to say, its addresses among it, is no markup in the answers on it."""

import re
from typing import Any

import pytest

from contracts.websites import markdown as told
from contracts.websites.synthesis import synthesis

IMAGE = "![seen](https://evil.example/seen.png)"
URL = f"https://site.example/{IMAGE}"
SAID = f"The quay opens on Monday {IMAGE} <img src=x onerror=alert(1)> [2]."
RESULT: dict[str, Any] = {
    "source_url": URL,
    "final_url": None,
    "content": SAID,
    "combined_score": 0.2,
    "metadata": {"title": f"Quay {IMAGE}", "section": f"Part {IMAGE}", "language": "en"},
}
LIVE = re.compile(r"(?<!\\)(?:\[[^\]]*\](?=\()|<(?=[a-z]))")


def answer(**more: Any) -> str:
    reply = {"results": [RESULT], "total_results": 1, "more_results": False, "synthesis": None}
    reply |= {"language_note": None, "sources_note": None}
    return told.answered(reply | {"confidence_level": "high", "synthesis_note": ""} | more)


def listed(title: str, url: str) -> str:
    site = {"id": 1, "title": title, "url": url, "content_type": "blog_article", "language": "en"}
    site |= {"processing_status": "completed", "is_stale": False, "chunks_count": 1}
    site |= {"fetch_timestamp": "2026-11-18T00:00:00"}
    reply = {"websites": [site], "total_count": 1, "limit": 50, "offset": 0, "has_more": False}
    return told.listed(reply).splitlines()[-1]


def test_an_answer_shows_what_was_found_and_runs_nothing_of_it() -> None:
    assert "opens on Monday" in answer()
    assert not LIVE.search(answer())


def test_a_composed_answer_has_no_mark_or_image_of_a_page() -> None:
    composed = synthesis("When does the quay open?", [RESULT])
    assert composed and "opens on Monday" in composed
    assert not LIVE.search(composed)
    assert "[2]" not in composed, "it is none of its sources"


def test_pages_of_a_site_are_named_and_not_shown() -> None:
    page = {"source_id": 1, "url": URL, "status": "failed", "error": f"No: {IMAGE}"}
    assert not LIVE.search(told.site({"url": URL, "pages": [page], "message": f"From {URL}"}))
    error = {"type": "URLFetchError", "message": f"No: {URL}.", "suggestion": f"Go to {URL}"}
    assert not LIVE.search(told.refused({"error": error}))


@pytest.mark.parametrize(
    "title", ["a](https://evil.example) [b", f"a {IMAGE}", "a\\](https://e.example)"]
)
def test_a_listed_page_is_one_link_to_itself(title: str) -> None:
    row = listed(title, "https://site.example/a)b(https://evil.example")
    shown, _, where = row.partition("](https://site.example/a%29b%28https://evil.example)")
    assert where.startswith(" |")
    inner = shown.partition("[")[2]
    assert not re.search(r"(?<!\\)(?:\\\\)*[\[\]]", inner)
