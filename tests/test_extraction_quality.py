"""How well pages of many shapes are read: their own text, their structure, and nothing of the site around."""

import re

import pytest

from actors.adapters.html import parse_html
from bench.extraction import READERS, kept, mean, measure, overlap
from tests.extraction_pages import PAGES, GoldPage

JAPANESE = [page for page in PAGES if page.name.endswith("_ja")]


def page_of(name: str) -> GoldPage:
    return next(page for page in PAGES if page.name == name)


@pytest.fixture(scope="module")
def figures() -> dict[str, tuple[float, ...]]:
    return {name: mean(measure(read)) for name, read in READERS.items()}


def test_what_is_used_is_better_than_its_parts(figures: dict[str, tuple[float, ...]]) -> None:
    precision, recall, f1, headings, cells = figures["as it is used"]
    assert min(precision, recall, f1, headings, cells) > 0.95
    for name in ("balanced", "precision", "recall", "fast", "whole page"):
        assert f1 > figures[name][2], name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_shape_of_page_is_read_badly(page: GoldPage) -> None:
    parsed = parse_html("page.html", page.html.encode())
    precision, recall, _ = overlap(parsed.text, page.text)
    headings, cells = kept(page, parsed)
    assert precision > 0.85
    assert recall > 0.69
    assert (headings, cells) == (1.0, 1.0)
    for block in parsed.blocks:
        assert parsed.text[block.start : block.end].strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_of_the_site_is_taken_for_the_page(page: GoldPage) -> None:
    text = parse_html("page.html", page.html.encode()).text
    for foreign in (
        "Privacy policy",
        "All rights reserved",
        "プライバシーポリシー",
        "cookie policy",
    ):
        assert foreign not in text


@pytest.mark.parametrize("charset", ["shift_jis", "cp932", "euc_jp", "iso2022_jp", "utf-8"])
@pytest.mark.parametrize("page", JAPANESE, ids=lambda page: page.name)
def test_japanese_is_read_in_every_charset_without_a_declaration(
    page: GoldPage, charset: str
) -> None:
    silent = re.sub(r"<meta charset=[^>]*>", "", page.html)
    expected = parse_html("page.html", page.html.encode())
    raw = silent.encode(charset, "xmlcharrefreplace")
    assert parse_html("page.html", raw).text == expected.text


def test_readings_above_characters_are_no_part_of_the_words() -> None:
    text = parse_html("page.html", page_of("ruby_ja").html.encode()).text
    assert "強い台風が、あしたの朝、九州に近づきそうです。" in text
    assert "たいふう" not in text


def test_a_heading_is_put_back_over_what_stands_under_it() -> None:
    paragraph = "<p>" + "The keeper of the light wrote down every ship that passed. " * 4 + "</p>"
    items = "<ul><li>Oil, forty barrels a year</li><li>Wicks, one hundred</li></ul>"
    html = (
        "<html><body><div class='x'><h1>The light</h1><span>By A. Keeper</span>"
        f"{paragraph}<h2>Supplies</h2>{items}<h2>The end</h2>{paragraph.replace('light', 'lamp')}"
        "</div><div class='related'><h3>Related stories</h3><ul><li><a href='/1'>Other light</a></li>"
        "<li><a href='/2'>Third light</a></li></ul></div></body></html>"
    )
    parsed = parse_html("page.html", html.encode())
    titles = [block.title for block in parsed.blocks if block.kind == "heading"]
    assert titles == ["The light", "Supplies", "The end"]
    assert "Oil, forty barrels" in parsed.text
    assert "Other light" not in parsed.text
    assert parsed.title == "The light"


@pytest.mark.parametrize(
    ("html", "word"),
    [
        ("<div>" * 5_000 + "deep" + "</div>" * 5_000, ""),
        ("<ul>" + "<li><a href='/x'>link</a></li>" * 4_000 + "</ul>", "link"),
        ("<p>word </p>" * 6_000, "word"),
        ("<h2>only</h2>" * 6_000, "only"),
        ("<div class='" + "nav " * 5_000 + "'>x</div><p>rest</p>", "rest"),
        ("<table>" + "<tr><td>1</td></tr>" * 4_000 + "</table>", "1"),
    ],
    ids=["deep", "links", "paragraphs", "headings", "classes", "table"],
)
def test_odd_pages_are_read_as_far_as_they_go(html: str, word: str) -> None:
    parsed = parse_html("page.html", f"<html><body>{html}</body></html>".encode())
    assert word in parsed.text
