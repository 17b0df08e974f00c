"""Contract 04, field by field, through an MCP client: process, list, status, refresh, delete."""

from typing import Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from actors.archive import LocalArchive
from actors.ingesting.parsing import AnyParser
from actors.ingesting.readers import VERSIONS
from actors.ports import Parsed
from contracts.core import Core
from events.home import CATALOGUE
from events.websites import COLLECTION
from tests.inline_engine import InlineEngine
from tests.pdf_files import column, make_pdf
from tests.web_pages import BLOG, COMPANY_JA, JOB, JOB_JA, MIXED, Board
from tests.website_client import call, client, core, engine, everything, refused
from tests.website_desk import site

pytestmark = pytest.mark.anyio
__all__ = ["client", "core", "engine", "everything", "site"]


PROCESSED = {
    "source_id": int,
    "url": str,
    "status": str,
    "chunks_created": int,
    "processing_time_ms": int,
    "language": str,
    "message": str,
    "is_cached": bool,
}


# -- processing ------------------------------------------------------------------------------------


async def test_a_job_posting_is_processed_with_every_field(
    client: Client[Any], site: Board
) -> None:
    url = site.put("/jobs/acme", JOB)
    reply = await call(client, "rag_process_website", url=url)
    assert {name: type(reply[name]) for name in PROCESSED} == PROCESSED
    assert (reply["status"], reply["url"], reply["is_cached"]) == ("completed", url, False)
    assert reply["chunks_created"] > 0
    assert reply["language"] == "en"
    assert reply["error"] is None
    said = reply["extracted"]
    assert said["company"] == "Acme Robotics"
    assert said["role"] == "Backend Engineer"
    assert said["location"] == "Tokyo, JP"
    assert said["requirements"] == ["Five years of Python or Go", "PostgreSQL at scale"]
    assert said["salary"] == "7000000–11000000 JPY per YEAR"


async def test_a_page_with_a_zero_byte_is_read_as_browsers_show_it(
    client: Client[Any], site: Board
) -> None:
    site.put("/jobs/acme", JOB.replace("warehouse robots", "ware\0house robots") + "\0")
    reply = await call(client, "rag_process_website", url=site.url("/jobs/acme"))
    assert (reply["status"], reply["extracted"]["company"]) == ("completed", "Acme Robotics")
    found = await call(client, "rag_query_websites", query="warehouse robots")
    assert "builds warehouse robots in Tokyo" in found["results"][0]["content"]


async def test_a_url_is_answered_from_the_cache_and_keeps_its_number(
    client: Client[Any], site: Board
) -> None:
    url = site.put("/jobs/acme", JOB)
    other = site.put("/jobs/other", JOB.replace("Acme", "Other"))
    first = await call(client, "rag_process_website", url=url)
    await call(client, "rag_process_website", url=other)
    again = await call(client, "rag_process_website", url=url + "#apply")
    assert again["is_cached"] is True
    assert again["source_id"] == first["source_id"]
    assert again["chunks_created"] == first["chunks_created"]
    assert site.paths() == ["/jobs/acme", "/jobs/other"]
    forced = await call(client, "rag_process_website", url=url, force_refresh=True)
    assert forced["is_cached"] is False
    assert forced["source_id"] == first["source_id"]
    assert site.paths()[-1] == "/jobs/acme"


async def test_a_page_read_as_another_type_is_read_again_though_it_has_not_changed(
    client: Client[Any], site: Board
) -> None:
    url = site.put("/post", BLOG)
    first = await call(client, "rag_process_website", url=url)
    assert "author" not in first["extracted"]
    cached = await call(client, "rag_process_website", url=url, content_type="blog_article")
    assert cached["is_cached"]
    assert "force_refresh" in cached["message"]
    forced = await call(
        client, "rag_process_website", url=url, content_type="blog_article", force_refresh=True
    )
    assert forced["content_type"] == "blog_article"
    assert forced["extracted"]["author"] == "Mika Tanaka"
    assert forced["extracted"]["date"] == "2026-03-14"
    assert forced["extracted"]["tips"] == [
        "1. Arrive ten minutes early",
        "2. Prepare a self introduction",
    ]
    assert "What happens afterwards" in forced["extracted"]["sections"]


async def test_japanese_pages_are_read_in_every_charset(client: Client[Any], site: Board) -> None:
    names = {"shift_jis": "Shift_JIS", "euc_jp": "euc-jp", "iso2022_jp": "iso-2022-jp"}
    for charset in ("shift_jis", "euc_jp", "iso2022_jp", "utf-8"):
        name = names.get(charset, charset)
        for declared in ("nowhere", "in the page", "in the header"):
            meta = f'<meta charset="{name}">' if declared == "in the page" else ""
            header = f"text/html; charset={name}" if declared == "in the header" else "text/html"
            page = COMPANY_JA.replace("{meta}", meta).encode(charset)
            url = site.put(f"/{charset}/{declared.replace(' ', '-')}", page, header)
            reply = await call(client, "rag_process_website", url=url, content_type="company_page")
            assert (reply["status"], reply["language"]) == ("completed", "ja"), url
            said = reply["extracted"]
            assert said["name"] == "株式会社みらい農業", url
            assert said["values"][2] == "失敗を隠さない"
            assert said["products"][0] == "灌漑制御システム「みずまもり」の開発と販売"
            assert said["locations"] == ["本社は札幌市中央区にあり、帯広市に研究所を置いています。"]


async def test_japanese_job_postings_are_read_by_their_labels(
    client: Client[Any], site: Board
) -> None:
    reply = await call(client, "rag_process_website", url=site.put("/job", JOB_JA))
    said = reply["extracted"]
    assert (said["company"], said["location"]) == ("青空銀行", "大阪市北区")
    assert said["role"] == "データエンジニア"
    assert said["employment_type"] == "正社員"
    assert len(said["requirements"]) == 2


async def test_documents_that_are_no_pages_are_read_too(client: Client[Any], site: Board) -> None:
    words = "The tide tables of Yokohama list high water at six in the morning."
    pdf = make_pdf([column(72, 700, [words, "Low water follows at noon, every single day."])])
    for url in (
        site.put("/tables.pdf", pdf, "application/pdf"),
        site.put("/notes.md", f"# Tides\n\n{words}\n", "text/markdown"),
        site.put("/notes.txt", words, "text/plain"),
    ):
        reply = await call(client, "rag_process_website", url=url, content_type="blog_article")
        assert reply["status"] == "completed", url
    found = await call(client, "rag_query_websites", query="tide tables of Yokohama")
    assert {each["source_id"] for each in found["results"]} == {1, 2, 3}


async def test_a_page_in_two_languages_is_mixed(client: Client[Any], site: Board) -> None:
    reply = await call(client, "rag_process_website", url=site.put("/news", MIXED))
    assert reply["language"] == "mixed"
    assert set(reply["languages"]) == {"en", "ja"}


async def test_what_takes_longer_is_answered_as_processing_and_goes_on(
    client: Client[Any], site: Board, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.websites.pages.PATIENCE", 0.2)
    engine.paused.set()
    url = site.put("/slow", JOB)
    reply = await call(client, "rag_process_website", url=url)
    assert (reply["status"], reply["chunks_created"]) == ("processing", 0)
    again = await call(client, "rag_process_website", url=url)
    assert (again["status"], again["source_id"]) == ("processing", reply["source_id"])
    status = await call(client, "rag_get_website_status", source_id=reply["source_id"])
    assert status["processing_status"] == "pending"
    engine.paused.clear()
    monkeypatch.setattr("contracts.websites.pages.PATIENCE", 60.0)
    done = await call(client, "rag_process_website", url=url)
    assert done["status"] == "completed"
    assert site.paths() == ["/slow"]


# -- refusals --------------------------------------------------------------------------------------


NOT_PUBLIC_URLS = [
    "not-a-url",
    "",
    "ftp://example.com/a",
    "file:///etc/passwd",
    "http://user:secret@example.com/",
    "http://127.0.0.1:8080/",
    "http://169.254.169.254/latest/meta-data",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://localhost/",
    "javascript:alert(1)",
]


async def test_what_is_no_public_url_is_refused_at_once(client: Client[Any]) -> None:
    for url in NOT_PUBLIC_URLS:
        error = await refused(client, "rag_process_website", url=url)
        assert error["type"] == "ValueError"
        assert "valid HTTP/HTTPS URL" in error["message"]
        assert "secret" not in str(error)
        with pytest.raises(ToolError, match="valid HTTP/HTTPS URL"):
            await client.call_tool("rag_process_website", {"url": url})
    assert (await call(client, "rag_list_websites"))["total_count"] == 0


FAILURES = [
    ("/nothing-here", "page_not_found", 404),
    ("/status/500", "site_unavailable", 500),
    ("/status/403", "access_denied", 403),
    ("/loop", "too_many_redirects", 301),
    ("/login", "access_denied", 200),
    ("/paywall", "access_denied", 200),
    ("/shell", "needs_javascript", 200),
    ("/frames", "unsupported_content", 200),
    ("/binary-as-html", "unsupported_content", 200),
    ("/empty", "unsupported_content", 200),
    ("/pictures", "empty", None),
    ("/away", "address_refused", None),
]


async def test_what_cannot_be_had_is_failed_with_its_reason_and_never_indexed(
    client: Client[Any], site: Board, core: Core
) -> None:
    site.put("/pictures", "<html><body><img src='a.png'><img src='b.png'></body></html>")
    for path, code, status_code in FAILURES:
        reply = await call(client, "rag_process_website", url=site.url(path))
        assert (reply["status"], reply["chunks_created"]) == ("failed", 0), path
        assert isinstance(reply["error"], str) and reply["error"]
        failure = reply["failure"]
        assert (failure["type"], failure["details"]["code"]) == ("URLFetchError", code), path
        assert failure["details"]["url"]
        assert failure["details"]["status_code"] == status_code, path
        assert failure["suggestion"]
    assert not core.catalogue.state().published
    listed = await call(client, "rag_list_websites", status="failed")
    assert listed["total_count"] == len(FAILURES)
    assert all(each["error_message"] for each in listed["websites"])


async def test_a_page_that_needs_javascript_says_so(client: Client[Any], site: Board) -> None:
    reply = await call(client, "rag_process_website", url=site.url("/shell"))
    status = await call(client, "rag_get_website_status", source_id=reply["source_id"])
    assert "JavaScript" in status["error_message"]


async def test_robots_are_obeyed(client: Client[Any], site: Board) -> None:
    site.robots = b"User-agent: *\nDisallow: /private\n"
    url = site.put("/private/job", JOB)
    reply = await call(client, "rag_process_website", url=url)
    assert reply["failure"]["details"]["code"] == "robots_denied"
    assert site.paths() == []


async def test_a_failed_page_is_tried_again_under_its_number(
    client: Client[Any], site: Board
) -> None:
    failed = await call(client, "rag_process_website", url=site.url("/later"))
    site.put("/later", JOB)
    done = await call(client, "rag_process_website", url=site.url("/later"))
    assert (done["status"], done["source_id"]) == ("completed", failed["source_id"])
    assert done["error"] is None


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("rag_process_website", {"url": "https://example.com", "content_type": "poem"}),
    ("rag_query_websites", {"query": "x", "content_type_filter": "poem"}),
    ("rag_list_websites", {"order": "sideways"}),
    ("rag_get_website_status", {"source_id": "many"}),
    ("rag_delete_website", {"source_id": True}),
    ("rag_delete_website", {}),
]


async def test_wrong_arguments_are_data_validation_errors(client: Client[Any]) -> None:
    for tool, arguments in WRONG:
        assert (await refused(client, tool, **arguments))["type"] == "DataValidationError"


async def test_a_number_that_nobody_has_is_not_found(client: Client[Any]) -> None:
    for tool in ("rag_get_website_status", "rag_refresh_website", "rag_delete_website"):
        error = await refused(client, tool, source_id=4711)
        assert error["type"] == "NotFoundError"
        assert "4711" in error["message"]


# -- lists and status ------------------------------------------------------------------------------


async def test_websites_are_listed_filtered_and_paged(client: Client[Any], site: Board) -> None:
    await call(client, "rag_process_website", url=site.put("/b", JOB))
    await call(client, "rag_process_website", url=site.put("/a", BLOG), content_type="blog_article")
    await call(client, "rag_process_website", url=site.url("/missing"))
    whole = await call(client, "rag_list_websites")
    assert (whole["total_count"], whole["has_more"]) == (3, False)
    assert (whole["limit"], whole["offset"]) == (50, 0)
    first = whole["websites"][0]
    assert {name: type(value) for name, value in first.items() if name != "error_message"} == {
        "id": int,
        "url": str,
        "final_url": type(None),
        "title": str,
        "content_type": str,
        "language": str,
        "main_language": type(None),
        "fetch_timestamp": str,
        "processing_status": str,
        "chunks_count": int,
        "is_stale": bool,
    }
    blogs = await call(client, "rag_list_websites", content_type="blog_article")
    assert [each["title"] for each in blogs["websites"]] == [
        "How to interview at Japanese companies"
    ]
    by_url = await call(client, "rag_list_websites", order_by="url", order="ASC", limit=2)
    assert [each["url"].rpartition("/")[2] for each in by_url["websites"]] == ["a", "b"]
    assert by_url["has_more"]
    rest = await call(client, "rag_list_websites", order_by="url", order="ASC", limit=2, offset=2)
    assert len(rest["websites"]) == 1
    assert not rest["has_more"]
    # One that could not be fetched stands where it was asked for.
    tried = ["b", "a", "missing"]
    for order_by, order, paths in (
        ("fetch_timestamp", "ASC", tried),
        ("fetch_timestamp", "DESC", tried[::-1]),
        ("status", "ASC", tried),
    ):
        ordered = await call(client, "rag_list_websites", order_by=order_by, order=order)
        assert [each["url"].rpartition("/")[2] for each in ordered["websites"]] == paths
    assert whole["websites"] == ordered["websites"][::-1]
    assert (await refused(client, "rag_list_websites", limit=101))["type"] == "ValueError"


async def test_status_has_every_field_and_the_versions(client: Client[Any], site: Board) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    status = await call(client, "rag_get_website_status", source_id=done["source_id"])
    assert status["source_id"] == done["source_id"]
    assert status["url"] == site.url("/job")
    assert status["processing_status"] == "completed"
    assert status["chunks_created"] == done["chunks_created"]
    assert status["fetch_timestamp"].startswith("20")
    assert status["error_message"] is None
    assert status["message"]
    assert status["is_stale"] is False
    assert [each["changed_since"] for each in status["versions"]] == [None]


# -- refreshing ------------------------------------------------------------------------------------


async def test_a_page_that_has_not_changed_costs_nothing(
    client: Client[Any], site: Board, core: Core
) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    published = len(core.home.read(CATALOGUE)[0])
    reply = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert (reply["status"], reply["changed"]) == ("completed", False)
    assert (reply["old_chunks_deleted"], reply["new_chunks_created"]) == (0, 0)
    assert reply["chunks_embedded"] == 0
    assert "304" in reply["message"]
    assert site.asked[-1][1]["If-None-Match"].startswith('"')
    kinds = [record.kind for record in core.home.read(CATALOGUE)[0][published:]]
    assert "source_published" not in kinds
    status = await call(client, "rag_get_website_status", source_id=done["source_id"])
    assert status["chunks_created"] == done["chunks_created"]
    assert status["extracted"] == done["extracted"]


async def test_a_page_that_has_not_changed_is_read_anew_by_a_newer_reader(
    client: Client[Any], site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    monkeypatch.setitem(VERSIONS, "html", VERSIONS["html"] + 1)
    same = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert (same["changed"], same["chunks_embedded"]) == (False, 0)
    assert "304" in same["message"] and "Nothing was embedded again" in same["message"]

    class Better(AnyParser):
        def parse(self, name: str, raw: bytes) -> Parsed:
            return super().parse(name, raw.replace(b"four thousand", b"five thousand"))

    monkeypatch.setattr("tests.inline_engine.AnyParser", Better)
    monkeypatch.setitem(VERSIONS, "html", VERSIONS["html"] + 1)
    anew = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert (anew["changed"], anew["status"]) == (False, "completed")
    assert "304" in anew["message"] and "It was read anew" in anew["message"]
    found = await call(client, "rag_query_websites", query="five thousand robots")
    assert "five thousand" in str(found["results"])


async def test_equal_content_without_an_etag_costs_nothing_either(
    client: Client[Any], site: Board
) -> None:
    site.etags = False
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    reply = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert reply["changed"] is False
    assert "content is the same" in reply["message"]


async def test_a_changed_page_is_replaced_and_its_old_version_stays(
    client: Client[Any], site: Board, core: Core
) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    site.put("/job", JOB.replace("Three days a week", "Every day of the week"))
    reply = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert reply["changed"] is True
    assert reply["old_chunks_deleted"] == done["chunks_created"]
    assert reply["new_chunks_created"] > 0
    assert 0 < reply["chunks_embedded"] < reply["new_chunks_created"]
    status = await call(client, "rag_get_website_status", source_id=done["source_id"])
    old, new = status["versions"]
    assert old["changed_since"] == new["published_at"]
    assert new["changed_since"] is None
    assert b"Three days a week" in core.home.blobs.get(old["version"])
    found = await call(client, "rag_query_websites", query="work from home days a week")
    texts = " ".join(each["content"] for each in found["results"])
    assert "Every day of the week" in texts
    assert "Three days a week" not in texts


async def test_a_refresh_that_fails_keeps_what_was_there(client: Client[Any], site: Board) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    del site.pages["/job"]
    reply = await call(client, "rag_refresh_website", source_id=done["source_id"])
    assert reply["status"] == "failed"
    assert reply["failure"]["details"]["status_code"] == 404
    status = await call(client, "rag_get_website_status", source_id=done["source_id"])
    assert status["processing_status"] == "failed"
    assert status["chunks_created"] == done["chunks_created"]
    found = await call(client, "rag_query_websites", query="warehouse robots")
    assert found["results"]


# -- deleting --------------------------------------------------------------------------------------


async def test_a_deleted_website_is_gone_from_every_door_and_its_number_stays_its_own(
    everything: Client[Any], site: Board
) -> None:
    client = everything
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    kept = await call(client, "rag_process_website", url=site.put("/post", BLOG))
    reply = await call(client, "rag_delete_website", source_id=done["source_id"])
    assert reply["source_id"] == done["source_id"]
    assert reply["url"] == site.url("/job")
    assert reply["chunks_deleted"] == done["chunks_created"]
    assert "Deleted successfully" in reply["message"]
    found = await call(client, "rag_query_websites", query="warehouse robots requirements")
    assert {each["source_id"] for each in found["results"]} <= {kept["source_id"]}
    other = await call(client, "query_knowledge_base", query="warehouse robots requirements")
    assert all("/job" not in each["place"]["locator"] for each in other["results"])
    await refused(client, "rag_get_website_status", source_id=done["source_id"])
    await refused(client, "rag_delete_website", source_id=done["source_id"])
    back = await call(client, "rag_process_website", url=site.url("/job"))
    assert (back["source_id"], back["is_cached"]) == (done["source_id"], False)
    assert back["chunks_created"] == done["chunks_created"]


async def test_a_failed_website_can_be_deleted(client: Client[Any], site: Board) -> None:
    failed = await call(client, "rag_process_website", url=site.url("/missing"))
    reply = await call(client, "rag_delete_website", source_id=failed["source_id"])
    assert reply["chunks_deleted"] == 0
    assert (await call(client, "rag_list_websites"))["total_count"] == 0


# -- the record ------------------------------------------------------------------------------------


async def test_processing_is_told_by_facts_with_the_contracts_fields(
    client: Client[Any], site: Board, core: Core
) -> None:
    done = await call(client, "rag_process_website", url=site.put("/job", JOB))
    failed = await call(client, "rag_process_website", url=site.url("/missing"))
    started = _facts(core, CATALOGUE, "website_processing_started")[0]
    assert started["source_app"] == "research-agent"
    assert started["tool_name"] == "rag_process_website"
    assert started["url"] == site.url("/job")
    assert started["content_type"] == "job_posting"
    assert started["timestamp"]
    [completed] = _facts(core, done["job_id"], "website_processing_completed")
    assert completed["source_id"] == done["source_id"]
    assert completed["chunks_created"] == done["chunks_created"]
    assert isinstance(completed["processing_time_ms"], int)
    [failure] = _facts(core, failed["job_id"], "website_processing_failed")
    assert failure["url"] == site.url("/missing")
    assert "no such page" in failure["error"]
    [asked] = [r for r in _facts(core, done["job_id"], "call_asked") if r["port"] == "fetch"]
    assert asked["attempt"] == 1


async def test_pages_are_found_through_the_other_doors(
    everything: Client[Any], site: Board, core: Core
) -> None:
    client = everything
    await call(client, "rag_process_website", url=site.put("/job", JOB))
    found = await call(client, "query_knowledge_base", query="terabyte PostgreSQL databases")
    best = found["results"][0]
    assert best["metadata"]["collection"] == COLLECTION
    assert best["place"]["locator"] == site.url("/job")
    [held] = LocalArchive(core.home).catalogue.state().published.values()
    assert held.source.metadata["etag"]
    assert "fetch" not in held.source.metadata
    assert held.source.tags == ("website", "job_posting")


def _facts(core: Core, stream: str, kind: str) -> list[dict[str, Any]]:
    return [record.data for record in core.home.read(stream)[0] if record.kind == kind]
