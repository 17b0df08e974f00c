"""A page comes with all that matters about it, and an error is never a page."""

from collections.abc import Iterator

import pytest

from actors.adapters.pages import Fetched
from events.errors import (
    AccessDenied,
    FetchFailed,
    PageNotFound,
    RateLimited,
    SiteUnavailable,
    UnsupportedContent,
)
from tests.fetching_world import fetcher
from tests.webserver import JAPANESE, PAGE, Site, five_megabytes, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


# -- pages ---------------------------------------------------------------------------------------


def test_a_page_comes_with_all_that_matters_about_it(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/conditional#part"))
    assert page.body == PAGE
    assert (page.url, page.final_url) == (site.url("/conditional"), site.url("/conditional"))
    assert (page.status, page.media_type, page.charset) == (200, "text/html", "utf-8")
    assert (page.etag, page.last_modified) == ('"v1"', "Wed, 21 Oct 2015 07:28:00 GMT")
    assert page.date
    assert page.address == "127.0.0.1"
    assert [hop.status for hop in page.hops] == [200]


def test_a_page_survives_being_packed(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/redirect/2"))
    assert Fetched.unpack(page.pack()) == page
    assert "body" not in page.metadata()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/page", "text/html"),
        ("/xhtml", "application/xhtml+xml"),
        ("/text", "text/plain"),
        ("/notes.md", "text/markdown"),
        ("/paper.pdf", "application/pdf"),
        ("/pdf-as-html", "application/pdf"),
        ("/data.json", "application/json"),
        ("/feed", "application/rss+xml"),
        ("/atom", "application/atom+xml"),
        ("/sitemap.xml", "application/xml"),
        ("/html-as-image", "text/html"),
        ("/undeclared", "text/html"),
        ("/sjis", "text/html"),
        ("/jis", "text/html"),
        ("/utf16", "text/html"),
        ("/utf16-no-bom", "text/html"),
        ("/frames", "text/html"),
    ],
)
def test_the_type_is_told_from_the_bytes(site: Site, path: str, media_type: str) -> None:
    assert fetcher(site).fetch(site.url(path)).media_type == media_type


@pytest.mark.parametrize(
    "path",
    [
        *("/binary-as-html", "/html-then-binary", "/image-as-html", "/zip-as-html"),
        *("/svg", "/script.js", "/empty", "/blank", "/status/204"),
    ],
)
def test_what_is_no_text_is_refused_whatever_it_claims_to_be(site: Site, path: str) -> None:
    with pytest.raises(UnsupportedContent) as refused:
        fetcher(site).fetch(site.url(path))
    assert refused.value.details["url"] == site.url(path)


def test_a_caller_can_want_fewer_types(site: Site) -> None:
    with pytest.raises(UnsupportedContent, match="application/pdf"):
        fetcher(site).fetch(site.url("/paper.pdf"), accept=("text/html",))
    assert fetcher(site).fetch(site.url("/page"), accept=("text/html",)).status == 200


def test_a_wrong_charset_is_handed_on_with_the_bytes_untouched(site: Site) -> None:
    page = fetcher(site).fetch(site.url("/sjis-said-utf8"))
    assert page.charset == "utf-8"
    assert page.body.decode("shift_jis") == JAPANESE


def test_a_page_of_five_megabytes_is_whole(site: Site) -> None:
    assert len(five_megabytes()) > 5_000_000
    assert fetcher(site).fetch(site.url("/large")).body == five_megabytes()


def test_we_say_who_we_are_and_carry_no_cookies(site: Site) -> None:
    web = fetcher(site, contact="https://example.org/bot")
    web.fetch(site.url("/cookie"))
    web.fetch(site.url("/page"))
    for _, headers in site.asked:
        assert headers["User-Agent"].startswith("research-agent/")
        assert headers["User-Agent"].endswith("(+https://example.org/bot)")
        assert headers["Host"] == site.host
        assert "Cookie" not in headers


def test_proxies_of_the_environment_are_ignored(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetcher(site).fetch(site.url("/page")).body == PAGE


# -- asking again --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "known",
    [{"etag": '"v1"'}, {"last_modified": "Wed, 21 Oct 2015 07:28:00 GMT"}],
    ids=["etag", "last-modified"],
)
def test_a_page_that_did_not_change_is_no_failure(site: Site, known: dict[str, str]) -> None:
    etag, last_modified = known.get("etag"), known.get("last_modified")
    page = fetcher(site).fetch(site.url("/conditional"), etag=etag, last_modified=last_modified)
    assert page.not_modified
    assert (page.status, page.body, page.media_type) == (304, b"", "")
    assert page.etag == '"v1"'


def test_a_304_that_nobody_asked_for_is_a_failure(site: Site) -> None:
    with pytest.raises(FetchFailed, match="304"):
        fetcher(site).fetch(site.url("/unasked-304"))


def test_a_validator_cannot_smuggle_a_header(site: Site) -> None:
    fetcher(site).fetch(site.url("/page"), etag='"a"\r\nX-Evil: 1')
    assert all("X-Evil" not in headers for _, headers in site.asked)


# -- status --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "gap"),
    [
        (401, AccessDenied, "access_denied"),
        (402, AccessDenied, "access_denied"),
        (403, AccessDenied, "access_denied"),
        (451, AccessDenied, "access_denied"),
        (404, PageNotFound, "source_not_found"),
        (410, PageNotFound, "source_not_found"),
        (418, FetchFailed, "source_not_found"),
        (429, RateLimited, "access_denied"),
        (500, SiteUnavailable, "source_not_found"),
        (503, SiteUnavailable, "source_not_found"),
        (206, FetchFailed, "source_not_found"),
        (300, FetchFailed, "source_not_found"),
    ],
)
def test_an_error_page_is_an_error(
    site: Site, status: int, kind: type[FetchFailed], gap: str
) -> None:
    with pytest.raises(kind) as failed:
        fetcher(site).fetch(site.url(f"/status/{status}"))
    assert type(failed.value) is kind
    assert failed.value.gap == gap
    assert failed.value.details == {"url": site.url(f"/status/{status}"), "status_code": status}
    assert failed.value.advice
