"""Which pages belong to a site: by sitemap, feed and links, from page to page, whatever they say."""

import gzip
from collections.abc import Iterator
from dataclasses import replace

import pytest

from actors.webpages import feeds
from contracts.core import Core
from contracts.websites import finding as websites_finding
from contracts.websites import links as websites_links
from contracts.websites.pages import WebsiteShelf
from contracts.websites.site import process_site
from events.errors import FetchFailed
from tests import webserver
from tests.web_pages import BLOG, Board, board
from tests.website_desk import core

__all__ = ["core"]

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
<entry><link rel="replies" type="text/html" href="/post/1#comments"/><link rel='edit' href='/edit/1'/>
<link rel='alternate' type='text/html' href='/post/1?a=1&amp;b=2'/></entry>
<entry><link href="/post/2"/></entry><entry><title>nothing</title></entry></feed>"""
RSS = """<rss><channel><link>/</link><item><link><![CDATA[ /post/3 ]]></link></item>
<item rdf:about="/x"><link>
  /post/4</link></item></channel></rss>"""


@pytest.fixture
def site() -> Iterator[Board]:
    with board() as made:
        made.pages["/sitemap.xml"] = b"<html><body>Nothing here</body></html>", "text/html"
        yield made


def leading_to(*links: str) -> str:
    return BLOG + "".join(f"<p>More of it is <a href='{link}'>here</a>.</p>" for link in links)


async def paths(core: Core, url: str, most: int = 20) -> tuple[str, list[str]]:
    reply = await process_site(core, WebsiteShelf(core), url, most, "blog_article")
    found = [each["url"].partition("//")[2].partition("/")[2] for each in reply["pages"]]
    return reply["found_by"], found


@pytest.mark.anyio
async def test_links_are_counted_from_where_a_page_says(core: Core, site: Board) -> None:
    head = '<head><meta charset="utf-8"><base target="_top"><base href="/docs/">'
    page = leading_to("intro", "#top").replace("<head>", head, 1)
    start = site.put("/index", page)
    site.put("/docs/", leading_to("/docs/"))
    site.put("/docs/intro", leading_to("more"))
    site.put("/docs/more", BLOG.replace("<head>", '<head><base href="http://[">', 1))
    _, found = await paths(core, start)
    assert [each for each in found if each] == ["index", "docs/intro", "docs/", "docs/more"]


@pytest.mark.anyio
async def test_a_page_is_one_page_however_its_address_is_spelled(core: Core, site: Board) -> None:
    start = site.put("/a", leading_to("/%e6%b1%82", "/求", "/%E6%B1%82"))
    site.put("/%E6%B1%82", BLOG)
    _, found = await paths(core, f" {start}\n")
    assert [each for each in found if each] == ["a", "%E6%B1%82"]


@pytest.mark.anyio
async def test_links_are_followed_from_page_to_page(core: Core, site: Board) -> None:
    start = site.put("/a", leading_to("/b", "http://10.0.0.1/", "https://elsewhere.example/"))
    site.put("/b", leading_to("/a", "c/", "/gone"))
    site.put("/c/", leading_to("d"))
    site.put("/c/d", leading_to("/b"))
    how, found = await paths(core, start)
    assert how == "links"
    assert [each for each in found if each] == ["a", "b", "c/", "c/d"]
    assert sum(path == "/b" for path in site.paths()) == 1


@pytest.mark.anyio
async def test_a_site_without_end_is_followed_no_farther_than_asked_for(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        site.put(
            f"/{number}",
            f"<p>A page of some length, number {number}. </p>" * 20 + leading_to(f"/{number + 1}"),
        )
    _, found = await paths(core, site.url("/0"), 6)
    assert len(found) == 6
    monkeypatch.setattr(websites_finding, "CRAWL_SECONDS", 0.0)
    _, found = await paths(core, site.url("/20"))
    assert "21" in found and "22" not in found


@pytest.mark.anyio
async def test_the_feed_that_a_page_names_is_read_before_its_links(core: Core, site: Board) -> None:
    named = '<link rel="alternate" type="application/atom+xml" href="/feed">'
    start = site.put("/start", leading_to("/about").replace("<head>", "<head>" + named))
    site.put("/feed", ATOM, "application/atom+xml")
    for path in ("/post/1?a=1&b=2", "/post/2", "/about"):
        site.put(path, BLOG.replace("Home", path))
    how, found = await paths(core, start)
    assert how == "feed and links"
    assert found == ["start", "post/1?a=1&b=2", "post/2", "about"]


@pytest.mark.anyio
async def test_links_of_a_page_that_moved_are_read_from_where_it_is(
    core: Core, site: Board
) -> None:
    site.away = site.url("/docs/")
    site.put("/docs/", leading_to("one"))
    site.put("/docs/one", BLOG)
    _, found = await paths(core, site.url("/away"))
    assert "docs/one" in found


@pytest.mark.anyio
async def test_when_time_is_up_neither_sitemaps_nor_feeds_are_asked_for(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websites_finding, "CRAWL_SECONDS", 0.0)
    named = '<link rel="alternate" type="application/atom+xml" href="/feed">'
    start = site.put("/start", leading_to("/about").replace("<head>", "<head>" + named))
    how, found = await paths(core, start)
    assert how == "links"
    assert "about" in found
    assert site.paths() == ["/start"]


@pytest.mark.anyio
async def test_sitemaps_of_very_many_sitemaps_are_read_no_farther_than_the_first(
    core: Core, site: Board
) -> None:
    def index(path: str, *first: str) -> str:
        listed = [*first, *(f"{path}{number}" for number in range(150_000))]
        locations = "".join(f"<loc>{each}</loc>" for each in listed)
        return site.put(path, f"<sitemapindex>{locations}</sitemapindex>", "application/xml")

    pages = f"<urlset><loc>{site.url('/one')}</loc></urlset>"
    start = index("/a", index("/b"), site.put("/pages.xml", pages, "application/xml"))
    assert await paths(core, start) == ("sitemap", ["one"])
    assert site.paths() == ["/a", "/b", "/pages.xml", "/a0", "/a1"]


def packed(*locations: str, root: str = "urlset") -> bytes:
    listed = "".join(f"<loc>{each}</loc>" for each in locations)
    return gzip.compress(f"<{root}>{listed}</{root}>".encode())


@pytest.mark.anyio
async def test_packed_sitemaps_are_read_wherever_they_are_named(core: Core, site: Board) -> None:
    pages = site.put("/pages.xml.gz", packed(site.url("/one"), site.url("/two")))
    index = site.put("/index.xml.gz", packed(pages, root="sitemapindex"), "application/gzip")
    site.robots = f"Sitemap: {index}\n".encode()
    assert await paths(core, index) == ("sitemap", ["one", "two"])
    start = site.put("/start", leading_to("/linked"))
    assert await paths(core, start) == ("sitemap", ["start", "one", "two"])


@pytest.mark.anyio
async def test_a_packed_sitemap_that_is_a_bomb_is_passed_over(core: Core, site: Board) -> None:
    bomb = site.put("/bomb.xml.gz", gzip.compress(b"<urlset>" + b"<loc>/a</loc>" * 3_000_000))
    other = site.put("/other.xml.gz", packed(site.url("/one")))
    site.robots = f"Sitemap: {bomb}\nSitemap: {other}\n".encode()
    assert await paths(core, site.put("/start", BLOG)) == ("sitemap", ["start", "one"])


@pytest.mark.anyio
async def test_a_site_whose_robots_cannot_be_had_is_read_where_they_are_not_obeyed(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_a_circle(handler: webserver._Handler) -> None:
        handler._send(302, b"", Location="/robots.txt")

    monkeypatch.setattr(webserver._Handler, "_robots", in_a_circle)
    listed = f"<urlset><loc>{site.url('/one')}</loc></urlset>"
    site.put("/sitemap.xml", listed, "application/xml")
    start = site.put("/start", BLOG)
    with pytest.raises(FetchFailed):
        await paths(core, start)
    careless = Core(replace(core.settings, obey_robots=False))
    assert await paths(careless, start) == ("sitemap", ["start", "one"])


ODD_LINKS = """<a href="/my page">1</a> <a href="/o'reilly">2</a> <a title="a > b" href="/after">3</a>
<a href='/quote"s'>4</a> <a
 href=" /line
break ">5</a> <A HREF=/bare>6</A> <map><area href="/area"></map> <a href="/a?x=1&amp;copy=2&copy=3">7</a>
<!-- <a href="/commented">x</a> --> <script>var s = '<a href="/script">x</a>'</script>
<textarea><a href="/typed">x</a></textarea> <a data-href="/data" name="x">8</a>"""


def test_links_are_what_a_browser_would_follow_and_nothing_else() -> None:
    assert list(websites_links.links(ODD_LINKS)) == [
        *("/my page", "/o'reilly", "/after", '/quote"s', "/linebreak", "/bare", "/area"),
        "/a?x=1&copy=2&copy=3",
    ]


@pytest.mark.anyio
async def test_links_with_blanks_and_quotes_lead_to_their_pages(core: Core, site: Board) -> None:
    start = site.put("/start", BLOG + ODD_LINKS)
    for path in ("/my%20page", "/o'reilly", "/quote%22s"):
        site.put(path, BLOG.replace("Home", path))
    _, found = await paths(core, start)
    assert [each for each in found if each] == ["start", "my%20page", "o'reilly", "quote%22s"]


@pytest.mark.anyio
@pytest.mark.parametrize("charset", ["", "; charset=Shift_JIS"], ids=["page", "header"])
async def test_links_are_read_in_the_charset_of_their_page(
    core: Core, site: Board, charset: str
) -> None:
    said = "" if charset else '<meta charset="Shift_JIS">'
    page = f"<html><head>{said}<title>入口</title></head><body>{{}}港の歴史は古い。</body></html>"
    linking = page.format("<a href='/会社'>会社</a>").encode("shift_jis")
    start = site.put("/start", linking, f"text/html{charset}")
    site.put("/%E4%BC%9A%E7%A4%BE", page.format("").encode("shift_jis"), f"text/html{charset}")
    assert (await paths(core, start))[1] == ["start", "%E4%BC%9A%E7%A4%BE"]


SITEMAPS = {
    "prefixed": '<sm:urlset xmlns:sm="x"><sm:loc>{b}/one</sm:loc><sm:loc>{b}/two</sm:loc></sm:urlset>',
    "attributes": '<urlset><loc lang="en">{b}/one</loc><loc\n>{b}/two</loc></urlset>',
    "relative": "<urlset><loc>/one</loc><loc> two </loc></urlset>",
    "packed in": "<urlset><loc><![CDATA[ {b}/one ]]></loc><loc>{b}/two</loc></urlset>",
    "images": "<urlset><loc>{b}/one</loc><image:loc>{b}/i</image:loc><loc>{b}/two</loc></urlset>",
}


@pytest.mark.anyio
@pytest.mark.parametrize("sitemap", SITEMAPS.values(), ids=SITEMAPS.keys())
async def test_sitemaps_are_read_however_they_are_written(
    core: Core, site: Board, sitemap: str
) -> None:
    site.put("/sitemap.xml", sitemap.replace("{b}", site.url("")), "application/xml")
    assert await paths(core, site.put("/start", BLOG)) == ("sitemap", ["start", "one", "two"])


@pytest.mark.anyio
async def test_a_sitemap_may_be_in_two_bytes_a_letter(core: Core, site: Board) -> None:
    listed = f'<?xml version="1.0" encoding="UTF-16"?><urlset><loc>{site.url("/一")}</loc></urlset>'
    site.put("/sitemap.xml", listed.encode("utf-16"), "application/xml")
    found = await paths(core, site.put("/start", BLOG))
    assert found == ("sitemap", ["start", "%E4%B8%80"])


@pytest.mark.anyio
async def test_addresses_in_sitemaps_may_have_brackets_and_blanks(core: Core, site: Board) -> None:
    listed = "<urlset><loc>{b}/a?x[]=1&y=2</loc><loc>{b}/my page</loc></urlset>"
    site.put("/sitemap.xml", listed.replace("{b}", site.url("")), "application/xml")
    found = await paths(core, site.put("/start", BLOG))
    assert found == ("sitemap", ["start", "a?x[]=1&y=2", "my%20page"])


@pytest.mark.anyio
async def test_a_sitemap_may_be_a_list_of_lines(core: Core, site: Board) -> None:
    listed = site.put("/pages.txt", f"{site.url('/one')}\n\n{site.url('/two')}\n", "text/plain")
    site.robots = b"Sitemap: /pages.txt\n"
    assert await paths(core, listed) == ("sitemap", ["one", "two"])
    assert await paths(core, site.put("/start", BLOG)) == ("sitemap", ["start", "one", "two"])


def test_a_text_that_only_names_addresses_is_no_sitemap() -> None:
    text = "https://one.example/\nis a page that I like.\n"
    assert not websites_links.is_sitemap(text) and not list(websites_links.locations(text))


@pytest.mark.anyio
@pytest.mark.parametrize("path", ["/sitemap_index.xml", "/sitemap.txt"])
async def test_sitemaps_that_nobody_names_are_found_at_the_usual_places(
    core: Core, site: Board, path: str
) -> None:
    pages = site.put("/pages.xml", f"<urlset><loc>{site.url('/one')}</loc></urlset>", "text/xml")
    lines, index = site.url("/one"), f"<sitemapindex><loc>{pages}</loc></sitemapindex>"
    site.put(path, lines if path.endswith("txt") else index, "text/plain")
    assert await paths(core, site.put("/start", BLOG)) == ("sitemap", ["start", "one"])


def test_entries_count_their_links_from_where_the_feed_says() -> None:
    feed = """<feed xml:base="https://a.example/posts/"><link href="/"/>
    <entry><link href="one"/></entry><entry xml:base="2026/"><link rel='alternate' href='two'/></entry>
    <entry><link xml:base="http://[" href="three"/></entry></feed>"""
    assert list(feeds.links(feed)) == [
        *("https://a.example/posts/one", "https://a.example/posts/2026/two"),
        "three",
    ]


def test_an_entry_may_name_its_page_by_nothing_but_its_id() -> None:
    feed = """<rss><item><guid isPermaLink="true">https://a.example/1</guid></item>
    <item><guid><![CDATA[https://a.example/2]]></guid></item>
    <item><guid isPermaLink="false">https://a.example/3</guid></item>
    <item><guid>urn:4</guid></item>
    <item><guid>https://a.example/no</guid><link>https://a.example/5</link></item></rss>"""
    assert list(feeds.links(feed)) == [f"https://a.example/{number}" for number in (1, 2, 5)]


def test_entries_are_the_pages_themselves() -> None:
    assert list(feeds.links(ATOM)) == ["/post/1?a=1&b=2", "/post/2"]
    assert list(feeds.links(RSS)) == ["/post/3", "/post/4"]


BLANKS = " " * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "<rss>" + "<item>" * 300_000,
        "<rss>" + "<item><link>" + BLANKS + "<",
        "<urlset><loc>" + BLANKS + "<",
        "<urlset>" + "<loc>" * 300_000,
        "<html><a href" + BLANKS + "<",
        "<html><a " + "href" * 300_000,
        "<html><link rel" + BLANKS + ">",
        "<html>" + "<link " * 200_000,
        "<html>" + "<!-- " * 300_000,
        "<html>" + "<div>" * 100_000 + "</span>" * 500_000,
        "<html>" + "<script>" * 200_000,
        "<html><a x=" + "\"'" * 1_000_000,
        "<html><a " + "=" * 1_000_000 + ">",
    ],
    ids=[
        *("items", "link", "loc", "locs", "href", "hrefs", "rel", "links", "comments", "open"),
        *("scripts", "quotes", "values"),
    ],
)
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    for read in (feeds.links, websites_links.locations, websites_links.links):
        assert list(read(text)) == []
    assert websites_links.feeds(text) == []
