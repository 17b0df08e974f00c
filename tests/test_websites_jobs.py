"""Websites beyond a single call: crashes, whole sites, drift of citations, many processes, settings."""

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.webpages import websites
from actors.webpages.page_fetching import PageFetcher
from contracts.core import Core
from contracts.knowledge.shelving import manage_collections
from contracts.research.calls import brief_for
from contracts.settings import Settings
from contracts.websites.drift import affected_citations
from contracts.websites.errors import error_of
from contracts.websites.pages import WebsiteShelf
from contracts.websites.site import process_site
from events.base import Blob
from events.catalogue import CancelRequested
from events.errors import AlreadyThere, BadRequest
from events.websites import FetchOrder
from projections.search import open_corpus
from projections.websites import Websites
from tests.embedders import LettersEmbedder, open_letters
from tests.web_pages import BLOG, JOB, Board
from tests.website_desk import TOOL, core, ends_of, run_jobs, site
from traces.verify import verify_home

__all__ = ["core", "site"]


class Killed(BaseException):
    """As good as a kill: nothing handles it."""


# -- crashes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["parsing", "embedding"])
def test_a_page_is_not_fetched_again_after_a_crash(core: Core, site: Board, moment: str) -> None:
    shelf = WebsiteShelf(core)
    urls = [site.put("/job", JOB), site.url("/missing")]
    shelf.accept(urls, "job_posting", TOOL, force=False)
    [job] = core.catalogue.state().unfinished()
    archive = LocalArchive(core.home)

    class DyingParser(AnyParser):
        def parse(self, name: str, raw: bytes) -> Any:
            raise Killed

    class DyingEmbedder(LettersEmbedder):
        def embed(self, chunks: Any) -> Any:
            raise Killed

    parser = DyingParser() if moment == "parsing" else AnyParser()
    with pytest.raises(Killed):
        IngestJob(
            archive,
            parser,
            (lambda _: DyingEmbedder()) if moment == "embedding" else open_letters,
            job,
        ).run()
    assert not core.catalogue.state().published
    run_jobs(core)
    assert sorted(site.paths()) == ["/job", "/missing"]
    done, failed = shelf.view.all()
    assert (done.phase, failed.phase) == ("completed", "failed")
    assert done.content and done.content["extracted"]["company"] == "Acme Robotics"
    assert failed.error and "no such page" in failed.error
    assert [kind for kind, _ in ends_of(core, job)].count("website_processing_completed") == 1
    assert not verify_home(core.home.root).faults


def test_who_follows_a_page_has_an_engine_that_was_killed_back(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    monkeypatch.setattr("contracts.core._DOUBT", 0.0)
    woken: list[str] = []
    monkeypatch.setattr(Core, "wake_engine", lambda _: woken.append("woken"))
    assert shelf.status(number)["processing_status"] == "pending"
    assert len(woken) == 1
    assert shelf.listed()["websites"][0]["processing_status"] == "pending"
    assert len(woken) == 2
    run_jobs(core)
    assert shelf.status(number)["processing_status"] == "completed"
    assert shelf.listed()["total_count"] == 1
    assert len(woken) == 2, "nothing is left to be worked on"


def test_after_a_crash_a_failed_page_still_says_what_is_known_of_it(
    core: Core, site: Board
) -> None:
    shelf = WebsiteShelf(core)
    urls = [site.put("/job", JOB), site.url("/missing"), site.url("/login")]
    numbers = shelf.accept(urls, "job_posting", TOOL, force=False)
    [job] = core.catalogue.state().unfinished()

    class DyingParser(AnyParser):
        def parse(self, name: str, raw: bytes) -> Any:
            raise Killed

    with pytest.raises(Killed):
        IngestJob(LocalArchive(core.home), DyingParser(), open_letters, job).run()
    run_jobs(core)
    missing, login = (shelf.status(number)["failure"] for number in numbers[1:])
    assert missing["type"] == login["type"] == "URLFetchError"
    assert (missing["details"]["code"], missing["details"]["status_code"]) == (
        "page_not_found",
        404,
    )
    assert "may have moved" in missing["suggestion"]
    assert (login["details"]["code"], login["details"]["status_code"]) == ("access_denied", 200)
    assert "needs a login" in login["suggestion"]
    assert site.paths().count("/missing") == 1
    assert not verify_home(core.home.root).faults


def test_a_page_whose_particulars_break_their_reading_is_still_read(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(websites, "extract", broken)
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    [job] = core.catalogue.state().unfinished()
    run_jobs(core)
    assert shelf.status(number)["processing_status"] == "completed"
    [done] = [data for kind, data in ends_of(core, job) if kind == "website_processing_completed"]
    assert done["warnings"] == ["its particulars could not be read: RecursionError"]


def test_a_cancelled_job_leaves_a_failed_website(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    [name] = core.catalogue.state().unfinished()
    job = IngestJob(LocalArchive(core.home), AnyParser(), open_letters, name)
    job.stop.set()
    job.run()
    status = shelf.status(number)
    assert status["processing_status"] == "failed"
    assert "cancelled" in status["error_message"]


# -- numbers ---------------------------------------------------------------------------------------


def test_many_processes_give_each_url_one_number(core: Core, site: Board) -> None:
    shelves = [WebsiteShelf(Core(core.settings)) for _ in range(4)]
    urls = [site.put(f"/page/{n}", JOB) for n in range(6)]

    def accept(place: int) -> dict[str, int]:
        shelf = shelves[place]
        ordered = urls[place:] + urls[:place]
        return {url: shelf.accept([url], "job_posting", TOOL, force=False)[0] for url in ordered}

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(accept, range(4)))
    assert all(answer == answers[0] for answer in answers)
    assert sorted(answers[0].values()) == [1, 2, 3, 4, 5, 6]
    assert len(core.catalogue.state().unfinished()) == 6


def test_the_view_is_the_same_however_often_it_is_read(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    assert [each.phase for each in shelf.view.all()] == ["pending"]
    run_jobs(core)
    shelf.accept([site.url("/job")], "job_posting", "rag_refresh_website", force=True)
    run_jobs(core)
    assert shelf.view.all() == Websites(core.home).all()
    [seen] = shelf.view.all()
    assert seen.ending and seen.ending["outcome"] == "unchanged"


def test_a_page_whose_job_could_not_be_read_for_a_moment_is_seen_as_it_is_in_the_next(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = WebsiteShelf(core)
    [page] = shelf.accept([site.put("/job", JOB)], "job_posting", TOOL, force=False)
    [job] = core.catalogue.state().unfinished()
    run_jobs(core)
    path, open_file = core.home.path(job), os.open

    def fail(name: Path, *rest: int, **more: int) -> int:
        if name == path:
            raise OSError(errno.EMFILE, "Too many open files")
        return open_file(name, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        shelf.view.all()
    assert shelf.view.all() == Websites(core.home).all()
    assert shelf.view.of_id(page).phase == "completed"  # type: ignore[union-attr]


# -- sites -----------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_site_is_processed_by_its_sitemap(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    for path in ("/a", "/b", "/c"):
        site.put(path, JOB.replace("Acme", path))
    listed = [site.url("/a"), site.url("/b"), site.url("/missing"), "https://elsewhere.example/x"]
    locations = "".join(f"<url><loc>{url}</loc></url>" for url in listed)
    site.put("/sitemap.xml", f"<urlset>{locations}</urlset>", "application/xml")
    site.put("/", BLOG)
    reply = await process_site(core, shelf, site.url("/"), 4, "company_page")
    assert reply["found_by"] == "sitemap"
    paths = [each["url"].rpartition("/")[2] for each in reply["pages"]]
    assert paths == ["", "a", "b", "missing"]
    assert {each["status"] for each in reply["pages"]} == {"pending"}
    run_jobs(core)
    phases = {each.url.rpartition("/")[2]: each.phase for each in shelf.view.all()}
    assert phases == {"": "completed", "a": "completed", "b": "completed", "missing": "failed"}


@pytest.mark.anyio
async def test_a_site_without_a_sitemap_is_processed_by_its_links(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    site.pages["/sitemap.xml"] = b"<html><body>Nothing here</body></html>", "text/html"
    links = "".join(
        f"<a href='{link}'>x</a>"
        for link in ("/one", "two#part", "/logo.png", "mailto:a@b.c", "http://10.0.0.1/", "/one")
    )
    start = site.put("/start/", BLOG.replace("</article>", links + "</article>"))
    for path in ("/", "/one", "/start/two"):
        site.put(path, BLOG.replace("Home", path))
    reply = await process_site(core, shelf, start, 20, "blog_article")
    assert reply["found_by"] == "links"
    paths = [each["url"].partition("//")[2].partition("/")[2] for each in reply["pages"]]
    assert paths == ["start/", "", "one", "start/two"]
    with pytest.raises(BadRequest):
        await process_site(core, shelf, start, 0, "blog_article")


@pytest.mark.anyio
async def test_a_page_that_was_looked_at_for_its_links_is_not_fetched_again(
    core: Core, site: Board
) -> None:
    site.pages["/sitemap.xml"] = b"<html><body>Nothing here</body></html>", "text/html"
    start = site.put("/a", BLOG.replace("</article>", "<a href='/b'>b</a></article>"))
    site.put("/b", BLOG.replace("</article>", "<a href='/gone'>gone</a></article>"))
    shelf = WebsiteShelf(core)
    await process_site(core, shelf, start, 20, "blog_article")
    assert sorted({"/a", "/b"} & set(site.paths())) == ["/a", "/b"]
    run_jobs(core)
    asked = site.paths()
    assert (asked.count("/a"), asked.count("/b"), asked.count("/gone")) == (1, 1, 1)
    ended = {each.url.rpartition("/")[2]: each for each in shelf.view.all()}
    assert {name: each.phase for name, each in ended.items()} == {
        "a": "completed",
        "b": "completed",
    }
    assert ended["b"].held and ended["b"].held["metadata"]["etag"]
    assert not verify_home(core.home.root).faults


@pytest.mark.anyio
async def test_a_site_that_is_processed_again_stores_no_page_again(core: Core, site: Board) -> None:
    def stored() -> int:
        return sum(1 for path in (core.home.root / "blobs").rglob("*") if path.is_file())

    site.pages["/sitemap.xml"] = b"<html><body>Nothing here</body></html>", "text/html"
    page = BLOG.replace('<a href="/">Home</a>', "")
    start = site.put("/start", page + f"<p><a href='{site.put('/next', page)}'>next</a></p>")
    shelf = WebsiteShelf(core)
    await process_site(core, shelf, start, 5, "blog_article")
    before = stored()
    assert before >= 2
    site.put("/start", page.replace("</h1>", " again</h1>"))
    await process_site(core, shelf, start, 5, "blog_article")
    assert stored() == before
    run_jobs(core)
    assert shelf.known(1).phase == "completed"
    before = stored()
    await process_site(core, shelf, start, 5, "blog_article")
    assert stored() == before


def test_what_was_served_and_is_lost_since_is_fetched(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    url = site.put("/job", JOB)
    lost = Blob(hash="sha256:" + "0" * 64, size=3, stored="sha256:" + "0" * 64)
    shelf.accept([url], "job_posting", TOOL, force=False, served={url: lost})
    run_jobs(core)
    assert site.paths() == ["/job"]
    assert [each.phase for each in shelf.view.all()] == ["completed"]


@pytest.mark.anyio
async def test_a_feed_names_its_articles(core: Core, site: Board) -> None:
    entries = "".join(f"<item><link>{site.url(f'/post/{n}')}</link></item>" for n in range(3))
    feed = f"<?xml version='1.0'?><rss version='2.0'><channel>{entries}</channel></rss>"
    url = site.put("/feed.xml", feed, "application/rss+xml")
    reply = await process_site(core, WebsiteShelf(core), url, 2, "blog_article")
    assert (reply["found_by"], reply["total_pages"]) == ("feed", 2)


# -- drift -----------------------------------------------------------------------------------------


def test_citations_of_words_that_are_gone_are_flagged(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    [number] = shelf.accept([site.put("/post", BLOG)], "blog_article", TOOL, force=False)
    run_jobs(core)
    brief = brief_for("How early should one arrive for an interview?", None, "balanced", None)
    task, _ = core.start_research(brief)
    corpus = OpenedCorpus(open_corpus(str(core.home.root)))
    run_task(LocalArchive(core.home), corpus, task)
    assert "ten minutes" in core.views.result(task).report
    assert affected_citations(core, shelf.known(number)) == []
    site.put("/post", BLOG.replace("ten minutes", "half an hour"))
    shelf.accept([site.url("/post")], "blog_article", "rag_refresh_website", force=True)
    run_jobs(core)
    affected = affected_citations(core, shelf.known(number))
    assert affected
    assert {each["task_id"] for each in affected} == {task}
    assert any("ten minutes" in each["quote"] for each in affected)
    old = shelf.status(number)["versions"][0]["version"]
    assert {each["version"] for each in affected} == {old}


# -- orders and settings ---------------------------------------------------------------------------


def test_an_order_is_fetched_with_the_callers_settings(site: Board) -> None:
    order = FetchOrder(contact="me@example.com", delay_s=0.0, allow_hosts=(site.host,))
    site.robots = b"User-agent: *\nDisallow: /\n"
    site.put("/job", JOB)
    careless = order.model_copy(update={"obey_robots": False})
    assert PageFetcher()(site.url("/job"), careless).body == JOB.encode()
    assert "me@example.com" in site.asked[-1][1]["User-Agent"]


def test_settings_of_fetching_are_read_and_checked() -> None:
    given = {
        "RESEARCH_AGENT_FETCH_ALLOW_HOSTS": "127.0.0.1:8000, localhost:9000",
        "RESEARCH_AGENT_FETCH_CONTACT": "https://example.com/bot",
        "RESEARCH_AGENT_FETCH_DELAY_S": "0.5",
        "RESEARCH_AGENT_OBEY_ROBOTS": "0",
    }
    settings = Settings.from_environment(given)
    assert settings.fetch_allow_hosts == ("127.0.0.1:8000", "localhost:9000")
    assert settings.fetch_contact == "https://example.com/bot"
    assert (settings.fetch_delay_s, settings.obey_robots) == (0.5, False)
    assert Settings.from_environment({}).obey_robots is True
    for name, wrong in (
        ("FETCH_ALLOW_HOSTS", "127.0.0.1"),
        ("FETCH_CONTACT", "a\nb"),
        ("FETCH_DELAY_S", "-1"),
        ("OBEY_ROBOTS", "perhaps"),
    ):
        with pytest.raises(BadRequest, match=name):
            Settings.from_environment({f"RESEARCH_AGENT_{name}": wrong})


# -- deleting while it is fetched --------------------------------------------------------------------


def _deleting(core: Core, number: int) -> Any:
    """Fetches like always, and deletes a page while the job has it in its hands."""
    fetch = PageFetcher()

    def fetch_and_delete(url: str, order: FetchOrder) -> Any:
        fetched = fetch(url, order)
        if order.source_id == number:
            WebsiteShelf(Core(core.settings)).delete(number)
        return fetched

    return fetch_and_delete


@pytest.mark.parametrize("held_before", [False, True])
def test_a_page_deleted_while_its_site_is_processed_stays_deleted(
    core: Core, site: Board, *, held_before: bool
) -> None:
    shelf = WebsiteShelf(core)
    urls = [site.put("/a", JOB), site.put("/b", BLOG)]
    if held_before:
        shelf.accept(urls[:1], "job_posting", TOOL, force=False)
        run_jobs(core)
        site.put("/a", JOB.replace("Tokyo", "Osaka"))
    gone, kept = shelf.accept(urls, "job_posting", "rag_process_site", force=True)
    [job] = core.catalogue.state().unfinished()
    run_jobs(core, fetch=_deleting(core, gone))
    assert [each.source_id for each in shelf.view.all()] == [kept]
    assert shelf.view.of_id(kept).phase == "completed"  # type: ignore[union-attr]
    assert shelf.view.all() == Websites(core.home).all()
    held = {place[1] for place in core.catalogue.state().published}
    assert held == {shelf.known(kept).document}
    ends = [data for kind, data in ends_of(core, job) if kind == "file_done"]
    assert [each["code"] for each in ends if each["outcome"] == "failed"] == ["removed_meanwhile"]
    # Asked for again after it was deleted, it is a page like any other, under its old number.
    assert shelf.accept(urls[:1], "job_posting", TOOL, force=False) == [gone]
    run_jobs(core)
    assert shelf.known(gone).phase == "completed"
    assert not verify_home(core.home.root).faults


def test_a_page_deleted_while_its_job_is_told_to_stop_stays_deleted(
    core: Core, site: Board
) -> None:
    shelf = WebsiteShelf(core)
    gone, kept = shelf.accept(
        [site.put("/a", JOB), site.put("/b", BLOG)], "job_posting", "rag_process_site", force=False
    )
    [name] = core.catalogue.state().unfinished()
    core.catalogue.decide(lambda _: [CancelRequested(target=name)])

    class StoppedWhileEmbedding(LettersEmbedder):
        """What is embedded when the job is told to stop is still published."""

        def embed(self, chunks: Any) -> Any:
            WebsiteShelf(Core(core.settings)).delete(gone)
            job.stop.set()
            return super().embed(chunks)

    job = IngestJob(LocalArchive(core.home), AnyParser(), lambda _: StoppedWhileEmbedding(), name)
    job.run()
    assert [each.source_id for each in shelf.view.all()] == [kept]
    held = {place[1] for place in core.catalogue.state().published}
    assert held <= {shelf.known(kept).document}
    assert shelf.view.all() == Websites(core.home).all()
    assert not verify_home(core.home.root).faults


def test_nothing_that_was_read_of_a_deleted_page_comes_back_with_a_failure(
    core: Core, site: Board
) -> None:
    shelf = WebsiteShelf(core)
    url = site.put("/a", JOB)
    [number] = shelf.accept([url], "job_posting", TOOL, force=False)
    run_jobs(core)
    assert shelf.status(number)["extracted"] and shelf.known(number).fetched_at
    shelf.delete(number)
    del site.pages["/a"]
    shelf.accept([url], "job_posting", TOOL, force=False)
    run_jobs(core)
    told = shelf.status(number)
    assert told["processing_status"] == "failed"
    assert (told["extracted"], told["languages"], told["warnings"]) == ({}, [], [])
    again = shelf.known(number)
    assert (again.fetched_at, again.content, again.failures) == (None, None, 1)


def test_where_the_collection_of_the_websites_is_deleted_it_is_told_how_it_comes_back(
    core: Core, site: Board
) -> None:
    shelf = WebsiteShelf(core)
    shelf.accept([site.put("/a", JOB)], "job_posting", TOOL, force=False)
    manage_collections(core, "delete", "websites")
    with pytest.raises(AlreadyThere) as refused:
        shelf.accept([site.put("/b", BLOG)], "job_posting", TOOL, force=False)
    error = error_of(refused.value)["error"]
    assert (error["type"], error["details"]["code"]) == ("ValueError", "already_there")
    assert "manage_collections(action='restore'" in error["suggestion"]


def test_nothing_is_told_of_a_job_that_has_ended(core: Core, site: Board) -> None:
    WebsiteShelf(core).accept([site.put("/a", JOB)], "job_posting", TOOL, force=False)
    [name] = core.catalogue.state().unfinished()
    sealed = threading.Event()

    class SlowToStop(LettersEmbedder):
        """Goes on with what it has in its hands, whoever waits for it or not."""

        def embed(self, chunks: Any) -> Any:
            job.stop.set()
            assert sealed.wait(30)
            return super().embed(chunks)

    job = IngestJob(LocalArchive(core.home), AnyParser(), lambda _: SlowToStop(), name)
    job.run()
    [late] = [each for each in threading.enumerate() if each.name.startswith("embed.chunks")]
    sealed.set()
    late.join(30)
    assert not verify_home(core.home.root).faults


def test_a_deletion_between_two_jobs_bars_only_the_older_one(core: Core, site: Board) -> None:
    shelf = WebsiteShelf(core)
    urls = [site.put("/a", JOB), site.put("/b", BLOG)]
    first, _ = shelf.accept(urls, "job_posting", "rag_process_site", force=False)
    shelf.delete(first)
    assert shelf.accept(urls[:1], "job_posting", TOOL, force=False) == [first]
    older, newer = core.catalogue.state().unfinished()
    archive = LocalArchive(core.home)
    IngestJob(archive, AnyParser(), open_letters, newer).run()
    IngestJob(archive, AnyParser(), open_letters, older).run()
    place = ("websites", shelf.known(first).document)
    assert archive.catalogue.state().published[place].source.job == newer
    assert len(shelf.view.all()) == 2
