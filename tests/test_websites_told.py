# ruff: noqa: RUF001 - languages as they are written
"""What replies say of a page, where that is easily said wrongly: where it stands, its name, what is left of it."""

from typing import Any

import anyio
import pytest
from fastmcp import Client

from actors.ingesting.readers import present
from contracts.core import Core
from contracts.websites.pages import WebsiteShelf
from tests.knowledge_base import said
from tests.web_pages import BLOG, JOB, Board
from tests.website_client import call, client, core, engine, everything, refused
from tests.website_desk import run_jobs, site

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


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("kind", FEEDS)
async def test_a_feed_is_read_as_what_it_announces(
    client: Client[Any], core: Core, site: Board, kind: str, mark: str
) -> None:
    url = site.put("/feed", mark + FEEDS[kind], f"application/{kind}+xml")
    reply = await call(client, PROCESS, url=url, content_type="blog_article")
    assert (reply["title"], reply["extracted"]["sections"]) == (
        *("Port news", ["Port news", "A & B", "Quay", "Second"]),
    )
    site_held = WebsiteShelf(core).known(1).held
    assert site_held and site_held["reader"] == present("feed")
    text = core.home.blobs.get(site_held["text"]["hash"]).decode()
    assert text == (
        "# Port news\n\n## A & B\n\nTue, 10 Nov 2026 08:00:00 GMT\n\n### Quay\n\nThe new quay is open."
        "\n\n## Second\n\nShips come in."
    )


# -- what became of it -----------------------------------------------------------------------------


async def test_a_refresh_during_the_first_fetch_replaces_nothing(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.websites.pages.REFRESH_PATIENCE", 60.0)
    shelf = WebsiteShelf(core)
    shelf.accept([site.put("/job", JOB)], "job_posting", PROCESS, force=False)

    async def meanwhile() -> None:
        await anyio.to_thread.run_sync(run_jobs, core)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(meanwhile)
        reply = await shelf.refresh(1)
    assert (reply["status"], reply["old_chunks_deleted"]) == ("completed", 0)
    assert reply["message"] == f"Processed successfully into {reply['new_chunks_created']} chunks."


async def test_a_page_whose_collection_is_deleted_is_not_said_to_be_processed_into_nothing(
    everything: Client[Any], site: Board
) -> None:
    await call(everything, PROCESS, url=site.put("/job", JOB))
    about = {"collection_name": "websites"}
    await call(everything, "manage_collections", action="delete", **about)
    reply = await call(everything, "rag_get_website_status", source_id=1)
    assert reply["chunks_created"] == 0
    assert "was deleted" in reply["message"] and "action='restore'" in reply["message"]
    error = await refused(everything, "rag_query_websites", query="requirements")
    assert "is deleted" in error["message"] and "action='restore'" in error["suggestion"]
    await call(everything, "manage_collections", action="restore", **about)
    reply = await call(everything, "rag_get_website_status", source_id=1)
    assert reply["message"].startswith("Processed successfully into ")
    assert (await call(everything, "rag_query_websites", query="requirements"))["results"]


async def test_an_address_of_a_view_that_scripts_make_says_that_it_is_not_what_was_read(
    client: Client[Any], site: Board
) -> None:
    url = site.put("/jobs", JOB)
    for view in ("#/jobs/1", "#!jobs/2"):
        reply = await call(client, PROCESS, url=f"{url}{view}")
        assert (reply["status"], reply["source_id"]) == ("completed", 1)
        [warning] = reply["warnings"]
        assert f"{url} is read" in warning and view in warning
    for plain in (url, f"{url}#requirements"):
        assert (await call(client, PROCESS, url=plain))["warnings"] == []
    failed = await call(client, PROCESS, url=f"{site.url('/none')}#/jobs/1")
    assert failed["status"] == "failed"
    assert "was read" not in str(failed["warnings"])


async def test_what_there_is_one_of_is_told_in_the_singular(
    client: Client[Any], site: Board
) -> None:
    url = site.put(
        "/one", "<title>One</title><main><p>The lock opens at dawn and is shut at dusk.</p>"
    )
    reply = await call(client, PROCESS, url=url)
    assert reply["message"] == "Processed successfully into 1 chunk."
    assert " · 1 chunk · " in await said(client, "rag_get_website_status", source_id=1)
    again = await call(client, PROCESS, url=url, force_refresh=True)
    assert again["message"] == "The page has not changed; its chunk stays as it is."
    assert "# 1 website\n" in await said(client, "rag_list_websites")


async def test_of_the_pages_of_a_site_those_that_were_processed_before_are_told_so(
    client: Client[Any], site: Board
) -> None:
    pages = [site.put("/one", BLOG), site.put("/two", JOB)]
    site.put("/sitemap.txt", pages[0], "text/plain")
    told = await call(client, "rag_process_site", url=pages[0])
    assert told["message"].startswith(f"1 page found by {told['found_by']}; it is being processed")
    site.put("/sitemap.txt", "\n".join(pages), "text/plain")
    await call(client, PROCESS, url=pages[0])
    told = await call(client, "rag_process_site", url=pages[0])
    assert told["message"].startswith(
        f"2 pages found by {told['found_by']}; 1 of them was processed before, the other one is being"
    )
    await call(client, PROCESS, url=pages[1])
    told = await call(client, "rag_process_site", url=pages[0])
    assert told["message"] == f"2 pages found by {told['found_by']}, processed before."


@pytest.mark.parametrize(
    "content", ["0;url=/new", "5; URL='/new'", "0; url = /new "], ids=["plain", "quoted", "blanks"]
)
async def test_a_page_that_only_leads_on_names_where_to(
    client: Client[Any], site: Board, content: str
) -> None:
    head = f'<html><head><meta http-equiv="Refresh" content="{content}"><title>Moved</title></head>'
    url = site.put("/old", f"{head}<body>This page has moved.</body></html>")
    reply = await call(client, PROCESS, url=url)
    assert (reply["status"], reply["failure"]["details"]["code"]) == (
        *("failed", "unsupported_content"),
    )
    assert reply["failure"]["suggestion"].endswith(site.url("/new"))
    assert reply["failure"]["details"]["leads_to"] == site.url("/new")


@pytest.mark.parametrize(
    ("text", "language", "main"),
    [
        ("Le port de Marseille accueille des navires du monde entier. ", "mixed", "fr"),
        ("神户港是日本重要的国际贸易港口，每年有许多船舶进出，运输货物到世界各地。", "mixed", "zh"),
        ("부산항은 한국에서 가장 큰 항구이며 매년 많은 선박이 드나든다. ", "mixed", "ko"),
        ("神戸港は日本の重要な国際貿易港であり、毎年多くの船が出入りする。", "ja", "ja"),
        ("札幌支店、仙台支店、新潟支店、金沢支店、福岡支店。", "ja", "ja"),
        ("The harbour of Kobe is one of the busiest of the country. ", "en", "en"),
    ],
    ids=["fr", "zh", "ko", "ja", "ja without kana", "en"],
)
async def test_the_language_of_a_page_is_told_beyond_the_contracts_two(
    client: Client[Any], site: Board, text: str, language: str, main: str
) -> None:
    page = f"<html><head><title>1</title></head><body><p>{text * 5}</p></body></html>"
    reply = await call(client, PROCESS, url=site.put("/harbour", page))
    assert (reply["language"], reply["main_language"]) == (language, main)
    listed = (await call(client, "rag_list_websites"))["websites"][0]
    assert (listed["language"], listed["main_language"]) == (language, main)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("rag_query_websites", {"query": "x", "source_ids": [True]}),
        ("rag_query_websites", {"query": "x", "max_results": True}),
        ("rag_list_websites", {"limit": True}),
        ("rag_list_websites", {"offset": False}),
        ("rag_process_site", {"url": "https://a.example/", "max_pages": True}),
    ],
    ids=["source_ids", "max_results", "limit", "offset", "max_pages"],
)
async def test_a_truth_value_is_no_number(
    client: Client[Any], tool: str, arguments: dict[str, Any]
) -> None:
    assert (await refused(client, tool, **arguments))["type"] == "DataValidationError"


async def test_no_count_of_results_is_given_for_a_whole_one_that_is_none(
    client: Client[Any], site: Board
) -> None:
    sections = "".join(f"<h2>Quay {n}</h2>{PROSE}" for n in range(60))
    await call(client, PROCESS, url=site.put("/few", JOB))
    few = await call(client, "rag_query_websites", query="requirements")
    assert not few["more_results"]
    await call(client, PROCESS, url=site.put("/quays", f"<h1>Quays</h1>{sections}"))
    many = await call(client, "rag_query_websites", query="harbour of Kobe")
    assert (many["total_results"], many["more_results"]) == (50, True)
