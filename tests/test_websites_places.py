"""Which pages take a place when those of a site are processed: none that cannot be had, none twice."""

from collections.abc import Iterator

import pytest

from contracts.core import Core
from contracts.websites.pages import WebsiteShelf
from contracts.websites.site import process_site
from tests.web_pages import BLOG, Board, board
from tests.website_desk import core, run_jobs

__all__ = ["core"]

Reply = dict[str, str]


@pytest.fixture
def site() -> Iterator[Board]:
    with board() as made:
        yield made


def page(name: str, *links: str, canonical: str = "") -> str:
    head = f'<head><link rel="canonical" href="{canonical}">' if canonical else "<head>"
    led = "".join(f"<p>More is <a href='{link}'>here</a>.</p>" for link in links)
    return BLOG.replace("<head>", head, 1).replace("Home", name).replace('href="/"', "") + led


async def process(core: Core, url: str, most: int) -> tuple[list[str], Reply]:
    reply = await process_site(core, WebsiteShelf(core), url, most, "blog_article")

    def path(url: str) -> str:
        return "/" + url.partition("//")[2].partition("/")[2]

    left_out = {path(each["url"]): each["reason"] for each in reply["left_out"]}
    return [path(each["url"]) for each in reply["pages"]], left_out


@pytest.mark.anyio
async def test_what_robots_may_not_read_takes_no_place(core: Core, site: Board) -> None:
    site.robots = b"User-agent: *\nDisallow: /private\n"
    start = site.put("/start", page("Start", "/private/a", "/private/b?c=d", "/ok", "/fine"))
    for path in ("/ok", "/fine"):
        site.put(path, page(path))
    found, left_out = await process(core, start, 3)
    assert found == ["/start", "/ok", "/fine"]
    assert set(left_out) == {"/private/a", "/private/b?c=d"}
    assert not [path for path in site.paths() if "private" in path]


@pytest.mark.anyio
async def test_a_sitemap_gives_no_place_to_what_robots_may_not_read(
    core: Core, site: Board
) -> None:
    site.robots = b"User-agent: *\nDisallow: /private\n"
    listed = "".join(f"<loc>{site.url(path)}</loc>" for path in ("/private", "/a", "/b"))
    site.put("/sitemap.xml", f"<urlset>{listed}</urlset>", "application/xml")
    found, _ = await process(core, site.put("/start", page("Start")), 3)
    assert found == ["/start", "/a", "/b"]


@pytest.mark.anyio
async def test_what_is_missing_takes_no_place_and_is_asked_for_once(
    core: Core, site: Board
) -> None:
    start = site.put("/start", page("Start", "/gone", "/status/403", "/ok"))
    site.put("/ok", page("Ok", "/late"))
    site.put("/late", page("Late"))
    found, left_out = await process(core, start, 5)
    run_jobs(core)
    assert found == ["/start", "/ok", "/late"]
    assert "404" in left_out["/gone"] and "403" in left_out["/status/403"]
    assert site.paths().count("/gone") == 1


def put_sitemap(site: Board, *paths: str) -> None:
    listed = "".join(f"<loc>{site.url(path)}</loc>" for path in paths)
    site.put("/sitemap.xml", f"<urlset>{listed}</urlset>", "application/xml")


@pytest.mark.anyio
@pytest.mark.parametrize("by_sitemap", [False, True])
async def test_a_further_page_takes_the_place_of_a_missing_one(
    core: Core, site: Board, by_sitemap: bool
) -> None:
    listed = ("/gone", "/a", "/status/410", "/b", "/c", "/d")
    start = site.put("/start", page("Start", *(() if by_sitemap else listed)))
    if by_sitemap:
        put_sitemap(site, *listed)
    for path in ("/a", "/b", "/c", "/d"):
        site.put(path, page(path))
    found, left_out = await process(core, start, 4)
    run_jobs(core)
    assert found == ["/start", "/a", "/b", "/c"]
    assert set(left_out) == {"/gone", "/status/410"}
    assert [site.paths().count(path) for path in (*listed, "/start")] == [1, 1, 1, 1, 1, 0, 1]


@pytest.mark.anyio
async def test_pages_that_are_missing_without_end_are_asked_for_no_farther_than_the_reserve(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.websites.finding._IN_RESERVE", 3)
    put_sitemap(site, *(f"/gone/{n}" for n in range(50)))
    found, left_out = await process(core, site.put("/start", page("Start")), 5)
    assert len(found) == 5 and len(left_out) == 3
    assert len([path for path in site.paths() if path.startswith("/gone/")]) == 3


@pytest.mark.anyio
async def test_where_no_other_page_waits_or_there_is_no_time_none_is_fetched_in_advance(
    core: Core, site: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_sitemap(site, "/gone", "/a", "/b")
    start = site.put("/start", page("Start"))
    assert (await process(core, start, 4))[0] == ["/start", "/gone", "/a", "/b"]
    late = "contracts.websites.finding.SiteFinder._is_late"
    monkeypatch.setattr(late, lambda self: len(self._found) > 1)
    assert (await process(core, start, 3))[0] == ["/start", "/gone", "/a"]
    assert "/gone" not in site.paths()


@pytest.mark.anyio
async def test_a_page_that_is_held_is_not_looked_at_again(core: Core, site: Board) -> None:
    put_sitemap(site, "/a", "/gone", "/b", "/c")
    start = site.put("/start", page("Start"))
    for path in ("/a", "/b", "/c"):
        site.put(path, page(path))
    await process(core, site.url("/a"), 1)
    run_jobs(core)
    assert (await process(core, start, 3))[0] == ["/start", "/a", "/b"]
    assert site.paths().count("/a") == 1


@pytest.mark.anyio
async def test_a_site_in_trouble_keeps_its_places(core: Core, site: Board) -> None:
    start = site.put("/start", page("Start", "/status/500"))
    assert (await process(core, start, 5))[0] == ["/start", "/status/500"]


@pytest.mark.anyio
async def test_a_page_that_calls_itself_by_another_address_takes_one_place(
    core: Core, site: Board
) -> None:
    start = site.put("/start", page("Start", "/a?session=1", "/a", "/a/index", "/b"))
    for path in ("/a?session=1", "/a", "/a/index"):
        site.put(path, page("A", canonical="/a"))
    site.put("/b", page("B", canonical="/a"))
    found, left_out = await process(core, start, 20)
    assert found == ["/start", "/a", "/b"], "what says something else is another page"
    assert set(left_out) == {"/a?session=1", "/a/index"}
    run_jobs(core)
    assert site.paths().count("/a") == 1


@pytest.mark.anyio
async def test_addresses_that_lead_to_one_page_take_one_place(core: Core, site: Board) -> None:
    site.away = site.url("/new")
    start = site.put("/start", page("Start", "/away", "/new", "/redirect/1"))
    site.put("/new", page("New"))
    found, left_out = await process(core, start, 20)
    assert "/new" in found and "/away" not in found
    assert left_out["/away"].endswith("/new")


@pytest.mark.anyio
@pytest.mark.parametrize("by_sitemap", [False, True])
async def test_where_the_first_page_leads_is_no_further_page(
    core: Core, site: Board, by_sitemap: bool
) -> None:
    site.away = site.url("/home")
    site.put("/home", page("Start", "/home", "/ok"))
    site.put("/ok", page("Ok", "/home"))
    if by_sitemap:
        listed = "".join(f"<loc>{site.url(path)}</loc>" for path in ("/home", "/ok"))
        site.put("/sitemap.xml", f"<urlset>{listed}</urlset>", "application/xml")
    found, left_out = await process(core, site.url("/away"), 20)
    assert found == ["/away", "/ok"]
    assert left_out["/home"].endswith("/away")


@pytest.mark.anyio
async def test_a_list_of_pages_is_none_of_them_though_it_names_an_address_that_is_none(
    core: Core, site: Board
) -> None:
    listed = f"{site.url('/a')}\nhttps://[no-address\n"
    site.put("/sitemap.txt", listed, "text/plain")
    site.put("/a", page("A"))
    assert (await process(core, site.put("/start", page("Start")), 5))[0] == ["/start", "/a"]
