"""Sites are asked no more and no sooner than they wish."""

import threading
from collections.abc import Iterator

import pytest

from actors.adapters.fetching import Fetcher
from actors.adapters.pages import FetchSettings
from events.errors import (
    NameNotFound,
    RateLimited,
    RobotsDenied,
)
from tests.fetching_world import Clock, World, fetcher
from tests.webserver import PAGE, Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def test_robots_are_asked_once_and_obeyed(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\nAllow: /text\n"
    web = fetcher(site)
    for _ in range(2):
        with pytest.raises(RobotsDenied) as denied:
            web.fetch(site.url("/page"))
    assert denied.value.gap == "access_denied"
    assert web.fetch(site.url("/text")).status == 200
    assert [path for path, _ in site.asked] == ["/robots.txt", "/text"]


def test_robots_are_asked_again_after_a_while(site: Site) -> None:
    clock = Clock()
    web = fetcher(site, clock)
    web.fetch(site.url("/page"))
    site.robots = b"User-agent: research-agent\nDisallow: /\n"
    clock.now += 3_601
    with pytest.raises(RobotsDenied):
        web.fetch(site.url("/page"))


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (403, True), (500, False), (429, False)]
)
def test_missing_robots_allow_and_failing_robots_forbid(
    site: Site, status: int, allowed: bool
) -> None:
    site.robots = status
    if allowed:
        assert fetcher(site).fetch(site.url("/page")).status == 200
    else:
        with pytest.raises(RobotsDenied, match=str(status)):
            fetcher(site).fetch(site.url("/page"))
        assert site.paths() == []


def test_a_redirect_asks_for_leave_as_well(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\n"
    with pytest.raises(RobotsDenied):
        fetcher(site).fetch(site.url("/redirect/1"))
    assert site.paths() == ["/redirect/1"]


LINK = "http://vertexaisearch.cloud.google.com/away"


def test_a_link_that_a_provider_hands_out_is_followed_whatever_its_robots_say(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /away\n"
    site.away = "http://real.example/page"
    fetched = World(site).fetcher().fetch(LINK)
    assert fetched.final_url == site.away
    with pytest.raises(RobotsDenied):
        World(site).fetcher(redirectors=()).fetch(LINK)


def test_where_such_a_link_leads_to_is_asked_and_what_its_host_shows_itself_too(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\n"
    site.away = "http://real.example/page"
    with pytest.raises(RobotsDenied):
        World(site).fetcher().fetch(LINK)
    with pytest.raises(RobotsDenied):
        World(site).fetcher().fetch(LINK.replace("/away", "/page"))


def test_robots_can_be_passed_over_by_setting(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /\n"
    assert fetcher(site, obey_robots=False).fetch(site.url("/page")).status == 200
    assert site.paths() == [path for path, _ in site.asked]


def test_an_endless_robots_file_is_read_as_far_as_it_matters(site: Site) -> None:
    site.robots = b"User-agent: *\nDisallow: /page\n" + b"# and so on\n" * 100_000
    with pytest.raises(RobotsDenied):
        fetcher(site).fetch(site.url("/page"))


def test_a_failure_on_the_way_to_robots_is_told_of_the_page(site: Site) -> None:
    with pytest.raises(NameNotFound) as failed:
        Fetcher(FetchSettings(), resolve=lambda _: []).fetch("http://missing.example/page")
    assert failed.value.details["url"] == "http://missing.example/page"
    assert failed.value.details["while_fetching"] == "robots.txt"


def test_requests_to_one_host_keep_their_distance(site: Site) -> None:
    clock = Clock()
    web = fetcher(site, clock, delay_s=1.0)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/text"))
    assert clock.slept == [1.0, 1.0]


def test_the_delay_of_robots_counts_up_to_a_point(site: Site) -> None:
    site.robots = b"User-agent: *\nCrawl-delay: 7\n"
    clock = Clock()
    web = fetcher(site, clock)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/page"))
    assert clock.slept == [7.0]
    clock = Clock()
    web = fetcher(site, clock, max_crawl_delay_s=3.0)
    web.fetch(site.url("/page"))
    web.fetch(site.url("/page"))
    assert clock.slept == [3.0]


def test_a_host_rests_after_a_visit_as_after_as_many_requests(site: Site) -> None:
    site.robots = b"User-agent: *\nCrawl-delay: 3\n"
    clock = Clock()
    web = fetcher(site, clock)
    web.fetch(site.url("/page"))
    assert web.delay_at(site.url("/page")) == 3.0
    web.rest(site.url("/page"), 4)
    web.fetch(site.url("/page"))
    assert clock.slept == [12.0]
    web.rest(site.url("/page"), 400)
    web.fetch(site.url("/page"))
    assert clock.slept == [12.0, web.settings.patience_s]


def test_a_host_whose_robots_cannot_be_asked_rests_by_our_own_delay(site: Site) -> None:
    clock = Clock()
    web = Fetcher(FetchSettings(), resolve=lambda _: [], now=clock, sleep=clock.sleep)
    web.rest("http://missing.example/", 2)
    with web.turn("http://missing.example/"):
        assert clock.slept == [2.0]


def test_a_short_pause_is_waited_out_once(site: Site) -> None:
    site.busy_for = 1
    clock = Clock()
    assert fetcher(site, clock).fetch(site.url("/busy")).status == 200
    assert clock.slept == [2.0]


def test_a_site_that_stays_busy_is_left(site: Site) -> None:
    site.busy_for = 5
    with pytest.raises(RateLimited) as busy:
        fetcher(site).fetch(site.url("/busy"))
    assert busy.value.details == {
        "url": site.url("/busy"),
        "status_code": 429,
        "retry_after_seconds": 2.0,
    }
    assert site.paths() == ["/busy", "/busy"]


@pytest.mark.parametrize("retry_after", ["315360000", "Fri, 31 Dec 2999 23:59:59 GMT"])
def test_a_long_pause_is_kept_without_waiting(site: Site, retry_after: str) -> None:
    site.busy_for, site.retry_after = 1, retry_after
    clock = Clock()
    web = fetcher(site, clock)
    for _ in range(2):
        with pytest.raises(RateLimited):
            web.fetch(site.url("/busy"))
    assert site.paths() == ["/busy"]
    assert clock.slept == []
    clock.now += 3_600
    assert web.fetch(site.url("/busy")).status == 200


@pytest.mark.parametrize("retry_after", ["soon", "-1", "", "Fri, 99 Foo"])
def test_a_pause_that_makes_no_sense_is_passed_over(site: Site, retry_after: str) -> None:
    site.busy_for, site.retry_after = 1, retry_after
    with pytest.raises(RateLimited):
        fetcher(site).fetch(site.url("/busy"))


def test_many_threads_share_a_fetcher_and_its_manners(site: Site) -> None:
    web = fetcher(site)
    bodies: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: bodies.append(web.fetch(site.url("/page")).body))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bodies == [PAGE] * 12
    assert [path for path, _ in site.asked].count("/robots.txt") == 1
