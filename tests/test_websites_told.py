"""What replies say of a page, where that is easily said wrongly: where it stands, its name, what is left of it."""

from typing import Any

import pytest
from fastmcp import Client

from contracts.core import Core
from contracts.websites import WebsiteShelf
from tests.web_pages import BLOG, JOB, Board
from tests.website_client import call, client, core, engine, everything
from tests.website_desk import site

pytestmark = pytest.mark.anyio
__all__ = ["client", "core", "engine", "everything", "site"]

PROCESS = "rag_process_website"


# -- where it stands -------------------------------------------------------------------------------


async def test_a_page_that_led_elsewhere_is_cited_where_it_stands(
    client: Client[Any], site: Board
) -> None:
    site.away = site.put("/careers", JOB)
    processed = await call(client, PROCESS, url=site.url("/away"))
    status = await call(client, "rag_get_website_status", source_id=1)
    listed = (await call(client, "rag_list_websites"))["websites"][0]
    for reply in (processed, status):
        assert (reply["url"], reply["final_url"]) == (site.url("/away"), site.url("/careers"))
        assert any(site.url("/careers") in warning for warning in reply["warnings"])
    assert listed["final_url"] == site.url("/careers")
    answer = await call(client, "rag_query_websites", query="requirements", include_synthesis=True)
    first = answer["results"][0]
    assert (first["source_url"], first["final_url"]) == (site.url("/away"), site.url("/careers"))
    assert first["metadata"]["citation"].startswith(f"Source: {site.url('/careers')} ")
    assert f" {site.url('/careers')}" in answer["synthesis"]


async def test_a_refresh_tells_that_a_page_leads_elsewhere_now(
    client: Client[Any], site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.put("/redirect/1", JOB)
    before = await call(client, PROCESS, url=url)
    assert (before["final_url"], before["warnings"]) == (url, [])
    site.pages["/page"] = BLOG.encode(), "text/html"
    del site.pages["/redirect/1"]
    after = await call(client, "rag_refresh_website", source_id=1)
    assert after["final_url"] == site.url("/page")
    assert any(site.url("/page") in warning for warning in after["warnings"])


async def test_a_page_that_could_not_be_had_stands_nowhere(
    client: Client[Any], site: Board
) -> None:
    reply = await call(client, PROCESS, url=site.url("/gone"))
    assert (reply["status"], reply["final_url"], reply["warnings"]) == ("failed", None, [])


# -- what it is called -----------------------------------------------------------------------------

PROSE = "<p>The harbour of Kobe was opened to foreign trade in 1868 and grew quickly. </p>" * 5


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/docs/harbour_of-kobe.html", "harbour of kobe"),
        ("/%E7%A5%9E%E6%88%B8/", "神戸"),
        ("/ports/index.php?id=3", "ports"),
        ("/", "127.0.0.1"),
    ],
)
async def test_a_page_without_a_title_is_called_after_its_address(
    client: Client[Any], site: Board, path: str, title: str
) -> None:
    reply = await call(client, PROCESS, url=site.put(path, f"<html><body>{PROSE}</body></html>"))
    assert (reply["status"], reply["title"]) == ("completed", title)
    assert "role" not in reply["extracted"]


async def test_a_text_is_called_after_its_file(client: Client[Any], site: Board) -> None:
    url = site.put("/docs/notes.txt", "The harbour was opened in 1868.", "text/plain")
    reply = await call(client, PROCESS, url=url)
    assert (reply["title"], reply["extracted"]) == ("notes", {})


FEEDS = {
    "rss": """<?xml version="1.0"?><rss version="2.0"><channel><title>Port news</title>
<item><title>A &amp; B</title><pubDate>Tue, 10 Nov 2026 08:00:00 GMT</pubDate>
<description><![CDATA[<h1>Quay</h1><p>The new quay is <b>open</b>.</p>]]></description></item>
<item><title>Second</title><description>&lt;p&gt;Ships come in.&lt;/p&gt;</description></item></channel></rss>""",
    "atom": """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Port news</title>
<entry><title type="html">A &amp;amp; B</title><published>Tue, 10 Nov 2026 08:00:00 GMT</published>
<content type="xhtml"><div><h1>Quay</h1><p>The new quay is <b>open</b>.</p></div></content></entry>
<entry><title>Second</title><summary>Ships come in.</summary></entry></feed>""",
}


@pytest.mark.parametrize("kind", FEEDS)
async def test_a_feed_is_read_as_what_it_announces(
    client: Client[Any], core: Core, site: Board, kind: str
) -> None:
    url = site.put("/feed", FEEDS[kind], f"application/{kind}+xml")
    reply = await call(client, PROCESS, url=url, content_type="blog_article")
    assert (reply["title"], reply["extracted"]["sections"]) == (
        *("Port news", ["Port news", "A & B", "Quay", "Second"]),
    )
    site_held = WebsiteShelf(core).known(1).held
    assert site_held and site_held["reader"] == "feed-1"
    text = core.home.blobs.get(site_held["text"]["hash"]).decode()
    assert text == (
        "# Port news\n\n## A & B\n\nTue, 10 Nov 2026 08:00:00 GMT\n\n### Quay\n\nThe new quay is open."
        "\n\n## Second\n\nShips come in."
    )
