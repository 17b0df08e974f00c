"""What replies say of a page, where that is easily said wrongly: where it stands, its name, what is left of it."""

from typing import Any

import pytest
from fastmcp import Client

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
