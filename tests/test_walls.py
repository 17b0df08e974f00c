"""What stands in a page's place is told from a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.walls import looks_like_wall
from actors.webpages.markup import visible_text
from tests.webserver import FRAMES, JAPANESE, LOGIN, PAGE, PAYWALL, SHELL

ARTICLE = "<p>The tide turned in the afternoon, and the boats came home one after another.</p>" * 60


def page(title: str, body: str, head: str = "") -> str:
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        (LOGIN.decode(), "login"),
        (page("Members", "<p>Please log in to continue.</p>"), "login"),
        (page("会員ページ", "<p>この続きを見るにはログインが必要です。</p>"), "login"),
        (PAYWALL.decode(), "paywall"),
        (
            page(
                "Story",
                "<p>A teaser.</p>" * 80 + "<p>To read the full story, subscribe.</p>",
                '<script type="application/ld+json">{"isAccessibleForFree": false}</script>',
            ),
            "paywall",
        ),
        (
            page("経済", "<p>冒頭だけ。</p><p>この記事は有料会員限定です。残り 1,234文字</p>"),
            "paywall",
        ),
        (page("404 Not Found", "<h1>Not Found</h1><p>nginx</p>"), "error"),
        (page("Oops! Page not found", "<p>Try the search.</p>"), "error"),
        (page("Shop", "<h1>ページが見つかりません</h1>"), "error"),
        (page("503 Service Temporarily Unavailable", ""), "error"),
        (page("Just a moment...", "<p>Checking your browser.</p>"), "human"),
        (page("Shop", "<p>Please verify you are human by pressing the button.</p>"), "human"),
        (page("Before you continue to Video", "<p>We use cookies. Accept all</p>"), "consent"),
        (SHELL.decode(), "JavaScript"),
        (page("App", '<div id="__next"></div><script src="a.js"></script>'), "JavaScript"),
        (FRAMES.decode(), "frames"),
        (page("Moved", "", '<meta http-equiv="refresh" content="0; url=/new">'), "leads on"),
    ],
)
def test_walls_are_recognised_with_their_reason(html: str, reason: str) -> None:
    assert reason in (looks_like_wall(html) or "")


@pytest.mark.parametrize(
    "html",
    [
        PAGE.decode(),
        JAPANESE,
        page("How paywalls work", ARTICLE + "<p>Subscribe to continue reading, they say.</p>"),
        page("Blog", ARTICLE + "<form><input type=password></form><p>Sign in</p>"),
        page("News", ARTICLE + "<div>We use cookies. Accept all</div>"),
        page("What is a 404 error?", ARTICLE),
        page("The best captchas", ARTICLE + "<p>I'm not a robot</p>"),
        page(
            "News", "<noscript>Please enable JavaScript</noscript>" + ARTICLE + "<script></script>"
        ),
        page("Next", f'<div id="__next">{ARTICLE}</div><script></script>'),
        page("Short", "<p>Low tide is at noon today.</p>"),
        page("450 boats at the regatta", "<p>They came from nine towns.</p>"),
        page("500 Days on a barge", "<p>A short note about a long time.</p>"),
        page("Note", "<p>The lock is open.</p><p>You must be logged in to post a comment.</p>"),
        page(
            "Next",
            '<div id="__next"><p>The eastern lock is closed until Friday because a gate jams. '
            'Boats turn in the basin.</p></div><script src="a.js"></script>',
        ),
        page(
            "記事",
            "<p>有料会員の方はこちら</p><a>購読する</a>"
            + "<p>市議会は火曜日の夜、運河沿いの遊歩道を再び開放することを決めた。</p>" * 36,
        ),
        page(
            "Told",
            '<div id="root"></div><script src="a.js"></script>',
            '<script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "'
            + "The tide turned in the afternoon, and the boats came home. " * 9
            + '"}</script>',
        ),
        page(
            "Careers",
            '<div id="root"></div><script src="a.js"></script>',
            '<script type="application/ld+json">{"@type": "JobPosting", "description": "'
            + "<p>You look after the lighthouse and the three beacons of the strait.</p>" * 9
            + '"}</script>',
        ),
        "Just a plain text about tides.",
        "",
    ],
)
def test_pages_are_not_taken_for_walls(html: str) -> None:
    assert looks_like_wall(html) is None


def test_an_error_status_is_always_a_wall() -> None:
    assert looks_like_wall(PAGE.decode(), 403) == "the site answered with status 403"


def test_what_a_reader_does_not_see_is_not_text() -> None:
    html = "<title>t</title><style>a</style><script>b</script><!-- c --><p>d &amp; e</p>"
    assert visible_text(html) == "d & e"


@pytest.mark.parametrize("piece", ["<", "<meta http-equiv=refresh ", "<h1>", "<svg>", "<!--", "&#"])
def test_a_hostile_page_is_looked_at_in_no_time(piece: str) -> None:
    looks_like_wall(piece * (2_000_000 // len(piece)))


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    reason = looks_like_wall(text)
    assert reason is None or reason
