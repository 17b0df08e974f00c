"""What sites ask of robots is read as RFC 9309 has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.robots import Robots, read_robots

AGENT = "research-agent"


def robots(text: str) -> Robots:
    return read_robots(text.encode(), AGENT)


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("Disallow: /a", "/a", False),
        ("Disallow: /a", "/abc", False),
        ("Disallow: /a", "/b", True),
        ("Disallow: /a/", "/a", True),
        ("Disallow: /", "/anything?q=1", False),
        ("Disallow:", "/anything", True),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?z", True),
        ("Disallow: /*.pdf", "/x/y.pdf?z", False),
        ("Disallow: /a*b*c", "/a1b2c3", False),
        ("Disallow: /a*b*c", "/a1c2b3", True),
        ("Disallow: /*a$", "/aba", False),
        ("Disallow: /ab*ba$", "/aba", True),
        ("Disallow: *?session=", "/x?session=1", False),
        ("Disallow: /page\nAllow: /page", "/page", True),
        ("Disallow: /shop\nAllow: /shop/open", "/shop/open/1", True),
        ("Allow: /shop\nDisallow: /shop/closed", "/shop/closed/1", False),
        ("Disallow: /日本", "/%E6%97%A5%E6%9C%AC", False),
        ("Disallow: /%e6%97%a5", "/%E6%97%A5%E6%9C%AC", False),
        ("Disallow: /%7Ejoe", "/~joe", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Disallow: /robots.txt", "/robots.txt", True),
        ("disallow : /a # not here", "/a", False),
    ],
)
def test_the_longest_fitting_rule_decides(rule: str, path: str, allowed: bool) -> None:
    assert robots("User-agent: *\n" + rule).allows(path) is allowed


def test_our_own_group_counts_and_not_that_of_everyone() -> None:
    text = (
        "User-agent: *\nDisallow: /\n\n"
        "User-agent: other\nUser-Agent: Research-Agent/1.0\nDisallow: /mine\nCrawl-delay: 2.5\n\n"
        "User-agent: research-agent\nDisallow: /too\n"
    )
    mine = robots(text)
    assert mine.allows("/page")
    assert not mine.allows("/mine")
    assert not mine.allows("/too")
    assert mine.crawl_delay == 2.5


def test_the_name_of_another_that_begins_alike_is_not_ours() -> None:
    assert robots("User-agent: research-agent-extra\nDisallow: /").allows("/")
    assert robots("User-agent: research\nDisallow: /").allows("/")


def test_sitemaps_are_collected_from_anywhere() -> None:
    found = robots(
        "Sitemap: https://a.example/1.xml\nUser-agent: *\nSitemap: https://a.example/2.xml"
    )
    assert found.sitemaps == ("https://a.example/1.xml", "https://a.example/2.xml")


@pytest.mark.parametrize("delay", ["inf", "nan", "-1", "1e9", "\uff19", "1" * 10_000, "soon"])
def test_a_delay_that_is_no_number_is_passed_over(delay: str) -> None:
    assert robots(f"User-agent: *\nCrawl-delay: {delay}").crawl_delay is None


def test_a_page_in_the_place_of_robots_allows_everything() -> None:
    assert robots("<!doctype html><html><body>404: not here</body></html>").allows("/x")


def test_a_hostile_pattern_is_matched_in_no_time() -> None:
    many = "User-agent: *\n" + ("Disallow: /" + "*a" * 100 + "b$\n") * 2_000
    assert robots(many).allows("/" + "a" * 4_000)


@given(st.binary(max_size=400), st.text(max_size=40))
def test_any_bytes_are_read(raw: bytes, path: str) -> None:
    assert read_robots(raw, AGENT).allows("/" + path) in (True, False)
