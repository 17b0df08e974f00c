"""Websites that are held: read anew, known by either spelling of their address, counted as they are cut."""

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.ingesting.readers import VERSIONS, present
from actors.ingesting.reindex import ReindexJob
from actors.ports import Parsed
from actors.webpages.website_orders import entry_for
from contracts.core import Core
from contracts.knowledge.web_pages import start_page
from contracts.websites.fetching import fetch_order
from contracts.websites.listing import listing
from contracts.websites.pages import WebsiteShelf
from events.errors import Unreadable
from events.home import CATALOGUE
from events.websites import WebsiteProcessingStarted
from projections.websites import Websites
from tests.embedders import open_letters
from tests.ingested_files import cut_anew
from tests.web_pages import BLOG, JOB, Board
from tests.website_desk import TOOL, core, ends_of, run_jobs, site
from traces.verify import verify_home

__all__ = ["core", "site"]


# -- newer readers ---------------------------------------------------------------------------------


def test_a_page_is_read_anew_as_it_was_served_and_not_fetched_for_that(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = "<p>The Moon pulls at the sea, and so does the Sun.</p><p>Both pull at once twice a month.</p>"
    WebsiteShelf(core).accept([site.put("/tides", bare)], "blog_article", TOOL, force=False)
    run_jobs(core)
    [before] = [each.source for each in core.catalogue.state().published.values()]
    asked = len(site.asked)
    monkeypatch.setitem(VERSIONS, "html", VERSIONS["html"] + 1)
    job, _ = core.catalogue.enter_reindexing("")
    ReindexJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    [after] = [each.source for each in core.catalogue.state().published.values()]
    assert after == before.model_copy(update={"reader": present("html")})
    assert {"final_url", "fetched_at", "served_as"} <= set(after.metadata)
    assert len(site.asked) == asked
    assert verify_home(core.home.root).faults == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/markdown", "# Tides\n\nThe Moon pulls.\n\n```\nif a <b and c> d: pass\n```\n"),
        ("text/csv", "town,height\nBremen,4.2\nEmden,3.1\n"),
        ("text/plain", "Plain text, if a <b and c> d then.\n\nSecond paragraph.\n"),
        ("application/json", '{"tides": "The <b>Moon</b> pulls."}'),
        ("text/html", BLOG),
    ],
)
def test_an_unchanged_page_is_read_anew_as_what_it_was_served_as(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch, kind: str, body: str
) -> None:
    url = site.put("/tides", body, kind)
    WebsiteShelf(core).accept([url], "blog_article", TOOL, force=False)
    start_page(core, url, "notes")
    run_jobs(core)
    before = {place: each.source for place, each in core.catalogue.state().published.items()}
    for name in VERSIONS:
        monkeypatch.setitem(VERSIONS, name, VERSIONS[name] + 1)
    WebsiteShelf(core).accept([url], "blog_article", TOOL, force=True)
    start_page(core, url, "notes")
    run_jobs(core)
    after = {place: each.source for place, each in core.catalogue.state().published.items()}
    assert len(after) == 2 and site.asked[-1][1]["If-None-Match"]
    for place, source in after.items():
        old = before[place]
        assert (source.media_type, source.text) == (old.media_type, old.text)
        fetched_at = source.metadata["fetched_at"]
        assert source.metadata == old.metadata | {"fetched_at": fetched_at}
        assert source.reader and source.reader.rpartition("-")[0] == old.reader.rpartition("-")[0]  # type: ignore[union-attr]


class Blind(AnyParser):
    """A newer reader that finds no text any more."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        return super().parse(name, b"<p></p>")


class Unable(AnyParser):
    """A newer reader that refuses what the older one has read."""

    def parse(self, name: str, raw: bytes) -> Parsed:
        raise Unreadable(name, "it is beyond me")


@pytest.mark.parametrize("reader", [Blind(), Unable()])
def test_a_page_that_newer_readers_read_nothing_of_is_unchanged_as_long_as_its_server_says_so(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch, reader: AnyParser
) -> None:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    run_jobs(core)
    monkeypatch.setitem(VERSIONS, "html", VERSIONS["html"] + 1)
    shelf.accept([site.url("/job")], "job_posting", TOOL, force=True)
    [job] = core.catalogue.state().unfinished()
    IngestJob(LocalArchive(core.home), reader, open_letters, job).run()
    page = shelf.known(number)
    assert (page.phase, page.failures, page.held is None) == ("completed", 0, False)
    [done] = [data for kind, data in ends_of(core, job) if kind == "file_done"]
    assert done["outcome"] == "unchanged" and "older reader" in done["warnings"][0]
    site.put("/job", JOB.replace("Tokyo", "Kyoto"))
    shelf.accept([site.url("/job")], "job_posting", TOOL, force=True)
    [job] = core.catalogue.state().unfinished()
    IngestJob(LocalArchive(core.home), reader, open_letters, job).run()
    assert shelf.known(number).phase == "failed", "these are other bytes"


# -- addresses in two spellings --------------------------------------------------------------------

LOW, HIGH = "/caf%c3%a9", "/caf%C3%A9"


def kept_under(core: Core, site: Board, path: str) -> int:
    """A page that was kept under this spelling of its address, as either once was."""
    site.put(path, JOB)
    [number] = WebsiteShelf(core).accept([site.url(path)], "job_posting", TOOL, force=False)
    run_jobs(core)
    return number


@pytest.mark.anyio
@pytest.mark.parametrize("asked", [LOW, HIGH])
async def test_a_page_kept_under_small_letters_is_known_by_either_spelling(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    number, shelf = kept_under(core, site, LOW), WebsiteShelf(core)
    document = shelf.known(number).document
    found = await shelf.process(site.url(asked), "job_posting")
    assert (found["source_id"], found["is_cached"]) == (number, True)
    monkeypatch.setattr(Core, "expect_engine", run_jobs)
    again = await shelf.process(site.url(asked), "job_posting", force_refresh=True)
    assert (again["source_id"], again["status"]) == (number, "completed")
    shelf.delete(number)
    back = await shelf.process(site.url(asked), "job_posting")
    assert (back["source_id"], back["status"]) == (number, "completed")
    [page] = shelf.view.all()
    assert (page.url, page.document) == (site.url(LOW), document)
    assert page.held and len(core.views.sources()) == 1


def test_pages_that_have_two_numbers_already_keep_both(core: Core, site: Board) -> None:
    shelf, low = WebsiteShelf(core), kept_under(core, site, LOW)
    facts = [record.fact for record in core.home.read(CATALOGUE)[0]]
    [started] = [fact for fact in facts if isinstance(fact, WebsiteProcessingStarted)]
    high = low + 1
    other = {"source_id": high, "url": site.url(HIGH), "document": "doc-high"}
    core.catalogue.decide(lambda _: [started.model_copy(update=other)])
    for view in (shelf.view, Websites(core.home)):
        assert view.known_as(site.url(LOW)) == (low, site.url(LOW))
        assert view.known_as(site.url(HIGH)) == (high, site.url(HIGH))


def test_a_page_in_a_collection_is_known_by_either_spelling(core: Core, site: Board) -> None:
    site.put(LOW, JOB)
    core.home.prepare()
    entry = entry_for(site.url(LOW), fetch_order(core.settings))
    core.catalogue.enter_job("web", [entry])
    run_jobs(core)
    start_page(core, site.url(HIGH), "web")
    site.put(LOW, BLOG)
    run_jobs(core)
    [held] = core.views.sources()
    assert held.locator == site.url(LOW)
    assert len(core.views.versions("web", held.document)) == 2


# -- other chunks ----------------------------------------------------------------------------------


def test_the_chunks_of_a_page_are_counted_as_they_are_cut_now(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    run_jobs(core)
    before = shelf.status(number)["chunks_created"]
    cut_anew(core, "finer", before + 5)
    for each in (shelf, WebsiteShelf(core)):
        status, [listed] = each.status(number), listing(each.view)["websites"]
        assert status["chunks_created"] == listed["chunks_count"] == before + 5
        assert [version["chunks"] for version in status["versions"]] == [before + 5]
