"""Websites that grow old are fetched again: when they are due, once, politely, and less often after failures."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.waking import HeadOptions
from actors.webpages.page_fetching import PageFetcher
from actors.webpages.refreshing import AT_ONCE, LONGEST, PER_HOST, Refresher
from contracts.core import Core
from contracts.settings import Settings
from contracts.websites.fetching import fetch_order
from contracts.websites.pages import WebsiteShelf
from events.errors import BadRequest
from events.home import CATALOGUE
from projections.websites import Websites
from tests.web_pages import BLOG, JOB, Board, board
from tests.website_desk import core, run_jobs, site
from traces.verify import verify_home

__all__ = ["core", "site"]

DAY = timedelta(days=1)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)
        self.stands_at: datetime | None = None

    def __call__(self) -> datetime:
        return self.stands_at or datetime.now(UTC) + self.ahead


def refresher(core: Core, clock: Clock, every: timedelta = DAY) -> Refresher:
    """As a fresh engine makes it."""
    archive = LocalArchive(core.home)
    return Refresher(core.home, archive.catalogue, Websites(core.home), every, clock)


def hold(core: Core, *urls: str) -> WebsiteShelf:
    shelf = WebsiteShelf(core)
    shelf.accept(urls, "job_posting", "rag_process_website", force=False)
    run_jobs(core)
    return shelf


def decided(core: Core) -> list[dict[str, Any]]:
    records = core.home.read(CATALOGUE)[0]
    return [record.data for record in records if record.kind == "website_refresh_due"]


def test_a_page_is_fetched_again_when_it_is_due_and_not_before(core: Core, site: Board) -> None:
    shelf = hold(core, site.put("/job", JOB))
    clock = Clock()
    refresher(core, clock).look()
    assert core.catalogue.state().unfinished() == []
    clock.ahead = DAY + timedelta(seconds=5)
    refresher(core, clock).look()
    [job] = core.catalogue.state().unfinished()
    [told] = decided(core)
    assert (told["source_id"], told["job"], told["failures"]) == (1, job, 0)
    assert shelf.known(1).phase == "pending"
    run_jobs(core)
    known = shelf.known(1)
    assert known.ending and known.ending["outcome"] == "unchanged"
    assert known.ending["tool_name"] == "scheduled_refresh"
    # The server was asked whether it has changed, by the settings of whoever wanted it first.
    assert site.asked[-1][1]["If-None-Match"]
    assert not verify_home(core.home.root).faults


def test_a_page_that_came_from_a_look_at_its_site_is_really_fetched_again(
    core: Core, site: Board
) -> None:
    url = site.put("/job", JOB)
    answer = PageFetcher()(url, fetch_order(core.settings)).pack()
    core.home.prepare()
    shelf, served = WebsiteShelf(core), {url: core.home.blobs.put(answer)}
    shelf.accept([url], "job_posting", "rag_process_site", force=False, served=served)
    run_jobs(core)
    assert site.paths() == ["/job"]
    site.put("/job", JOB.replace("robots", "ships"))
    clock = Clock()
    clock.ahead = DAY + timedelta(seconds=5)
    refresher(core, clock).look()
    run_jobs(core)
    assert site.paths() == ["/job", "/job"]
    known = shelf.known(1)
    assert known.ending and known.ending["outcome"] == "updated"


def test_a_clock_that_was_ahead_and_is_set_right_keeps_nothing_from_being_fetched(
    core: Core, site: Board
) -> None:
    clock = Clock()
    hold(core, site.put("/job", JOB))
    looking = refresher(core, clock)
    for looked, days in enumerate((366, 4), 1):
        clock.ahead = days * DAY
        looking.look()
        run_jobs(core)
        assert len(decided(core)) == looked


def test_a_due_time_comes_once_however_many_engines_look(core: Core, site: Board) -> None:
    hold(core, site.put("/job", JOB))
    clock = Clock()
    clock.ahead = DAY + timedelta(seconds=5)
    for _ in range(3):
        refresher(core, clock).look()  # as if each engine died right after
    assert len(core.catalogue.state().unfinished()) == 1
    run_jobs(core)
    clock.ahead = timedelta(hours=1)
    for _ in range(3):
        refresher(core, clock).look()
    assert len(decided(core)) == 1
    assert site.paths() == ["/job", "/job"]


def test_few_pages_are_fetched_at_a_time_and_few_of_one_host(core: Core, site: Board) -> None:
    with board() as other, board() as third:
        hosts = (site, other, third)
        patched = replace(core.settings, fetch_allow_hosts=tuple(each.host for each in hosts))
        core = Core(patched)
        urls = [each.put(f"/{n}", f"{JOB}<!-- {n} -->") for each in hosts for n in range(4)]
        hold(core, *urls)
        clock = Clock()
        # Later than all that were fetched are due, and sooner than what is fetched from now on.
        clock.stands_at = datetime.now(UTC) + DAY
        seen: list[str] = []
        while len(seen) <= len(urls):
            looking = refresher(core, clock)
            looking.look()
            looking.look()
            jobs = core.catalogue.state().unfinished()
            if not jobs:
                break
            assert len(jobs) == 1
            batch = [told["url"] for told in decided(core) if told["job"] == jobs[0]]
            assert 0 < len(batch) <= AT_ONCE
            for each in hosts:
                assert sum(each.host in url for url in batch) <= PER_HOST
            seen += batch
            run_jobs(core)
    assert sorted(seen) == sorted(urls)


def test_a_page_that_fails_is_left_for_longer_each_time(core: Core, site: Board) -> None:
    shelf = hold(core, site.put("/job", JOB))
    del site.pages["/job"]
    clock = Clock()
    looking = refresher(core, clock)
    for failures in range(3):
        page = shelf.known(1)
        assert page.failures == failures
        waits = looking.due_at(page) - datetime.fromisoformat(page.started_at)
        assert timedelta(0) <= waits - DAY * 2**failures < timedelta(minutes=5)
        clock.ahead = waits - timedelta(minutes=1)
        refresher(core, clock).look()
        assert core.catalogue.state().unfinished() == []
        clock.ahead = waits + timedelta(minutes=1)
        refresher(core, clock).look()
        run_jobs(core)
    assert [told["failures"] for told in decided(core)] == [0, 1, 2]
    assert shelf.known(1).chunks > 0
    # Back again, it is as regular as before.
    site.put("/job", JOB)
    clock.ahead = DAY * 2**LONGEST + timedelta(days=1)
    refresher(core, clock).look()
    run_jobs(core)
    assert shelf.known(1).failures == 0


def test_what_is_deleted_never_held_or_under_way_is_left_alone(core: Core, site: Board) -> None:
    urls = [site.put("/a", JOB), site.url("/missing"), site.put("/b", BLOG)]
    shelf = hold(core, *urls)
    shelf.delete(1)
    shelf.accept(urls[2:], "job_posting", "rag_refresh_website", force=True)
    clock = Clock()
    clock.ahead = 100 * DAY
    refresher(core, clock).look()
    assert decided(core) == []
    assert len(core.catalogue.state().unfinished()) == 1


def test_refreshing_is_off_by_default_and_can_be_set() -> None:
    assert Settings.from_environment({}).refresh_hours == 0.0
    assert HeadOptions(home=Path("/nowhere")).refresh_hours == 0.0
    given = {"RESEARCH_AGENT_REFRESH_HOURS": "24"}
    assert Settings.from_environment(given).refresh_hours == 24.0
    with pytest.raises(BadRequest, match="REFRESH_HOURS"):
        Settings.from_environment({"RESEARCH_AGENT_REFRESH_HOURS": "-1"})
