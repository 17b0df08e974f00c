"""What job postings, articles and company pages say, by schema.org or by their own words."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.adapters.html.reader import parse_html
from actors.ports import Chunk
from actors.webpages.extraction import PageToRead, extract
from actors.webpages.page_languages import languages_of
from actors.webpages.page_rules import marked
from actors.webpages.structured_data import Structured, address, lines, plain
from events.websites import ContentType, Extracted
from tests.cms_pages import CMS
from tests.cms_pages_ja import CMS_JA
from tests.web_pages import JOB


def read(html: str, kind: ContentType) -> Extracted:
    parsed = parse_html("page.html", html.encode())
    page = PageToRead(html, parsed.title, parsed.text, parsed.blocks, parsed.metadata)
    return extract(kind, page)[0]


def described(node: object) -> str:
    return f'<html><script type="application/ld+json">{json.dumps(node)}</script></html>'


def test_requirements_stand_under_their_heading_where_nothing_is_said_for_machines() -> None:
    plain_job = JOB[: JOB.index("<script")] + JOB[JOB.index("</script>") + 9 :]
    said = read(plain_job, "job_posting")
    assert said["role"] == "Backend Engineer"
    assert said["company"] == "Acme Robotics"
    assert isinstance(said["requirements"], list)
    assert said["requirements"][0].startswith("Five years of experience")
    assert len(said["requirements"]) == 3
    assert not any("leave" in each for each in said["requirements"])


@pytest.mark.parametrize(
    "node",
    [
        {"@type": "JobPosting", "title": "Cook"},
        [{"@type": "WebSite"}, {"@type": ["Thing", "JobPosting"], "title": "Cook"}],
        {"@graph": [{"@type": "http://schema.org/JobPosting", "title": "Cook"}]},
        {"@type": "WebPage", "mainEntity": {"@type": "jobposting", "title": "Cook"}},
    ],
)
def test_a_posting_is_found_wherever_it_is_described(node: object) -> None:
    found = Structured(described(node)).first("JobPosting")
    assert found and found["title"] == "Cook"


def test_a_job_boards_bold_lines_are_headings_and_its_title_names_the_company() -> None:
    board = next(page for page in CMS if page.name == "job_board")
    found = read(board.html, "job_posting")
    assert (found["company"], found["role"]) == ("Quayside", "Platform Engineer")
    assert found["requirements"] == [
        "Five years with Linux in production, and a story about the night it failed.",
        "Go or Rust, and no fear of the other one.",
    ]
    assert len(found["responsibilities"]) == 2


def test_what_is_listed_behind_marks_is_read() -> None:
    board = next(page for page in CMS_JA if page.name == "recruiting_ja")
    found = read(board.html, "job_posting")
    assert found["company"] == "株式会社みなと医療情報"
    assert found["requirements"] == [
        "Webアプリケーションの開発経験３年以上",  # noqa: RUF001
        "SQLを自分で書いて調べられること",
    ]
    assert found["responsibilities"] == [
        "予約エンジンの設計と実装（Go、PostgreSQL）",  # noqa: RUF001
        "病院の方と一緒に行う画面の改善",
    ]


def test_a_hyphen_within_words_does_not_begin_an_entry() -> None:
    text = "▼必須の経験 ・実務経験3-5年 ・full-time で働けること -英語 - SQL"
    assert marked(text, re.compile("必須")) == [
        "実務経験3-5年",
        "full-time で働けること",
        "英語",
        "SQL",
    ]


@pytest.mark.parametrize(
    ("title", "company"),
    [
        ("Backend Engineer at Acme Robotics | Japan Dev", "Acme Robotics"),
        ("Engineer @ Acme - Jobs", "Acme"),
        ("データ分析職 - 青空株式会社 | 求人", "青空株式会社"),
        ("Working at height: a course", ""),
        ("Careers", ""),
    ],
)
def test_a_company_is_read_from_a_title_that_names_one(title: str, company: str) -> None:
    html = f"<html><head><title>{title}</title></head><body></body></html>"
    found, _ = extract("job_posting", PageToRead(html, "Engineer", "", (), {}))
    assert found.get("company", "") == company


def test_values_are_read_in_every_usual_shape() -> None:
    assert plain("<b>Fish &amp; chips</b>") == "Fish & chips"
    assert plain([{"name": "A"}, {"name": "B"}]) == "A, B"
    assert plain(None) == plain(True) == ""
    assert lines("<ul><li>One</li><li>Two</li></ul>") == ["One", "Two"]
    assert lines(["- One", "Two"]) == ["One", "Two"]
    place = {"@type": "Place", "address": {"addressLocality": "Osaka", "addressCountry": "JP"}}
    assert address([place, place]) == "Osaka, JP"
    assert address("Remote") == "Remote"


def test_malformed_descriptions_are_counted_and_passed_over() -> None:
    broken = '<script type="application/ld+json">{"@type": "JobPosting", </script>'
    parsed = parse_html("page.html", JOB.encode())
    html = JOB.replace("<nav>", broken + "<nav>")
    page = PageToRead(html, parsed.title, parsed.text, parsed.blocks, parsed.metadata)
    said, warnings = extract("job_posting", page)
    assert said["company"] == "Acme Robotics"
    assert warnings == ("1 of its descriptions for machines are malformed",)


def test_a_description_without_end_is_bounded() -> None:
    deep = "[" * 100_000
    assert Structured(f'<script type="application/ld+json">{deep}</script>').malformed == 1
    wide = described([{"@type": "Thing", "n": n} for n in range(20_000)])
    assert len(Structured(wide).nodes) == 5_000


@pytest.mark.parametrize(
    "html",
    [
        '<script type="application/ld+json">' * 100_000,
        '<script type="application/ld+json">' + " " * 900_000 + "</script>",
        '<script type="application/ld+json">// '
        + " " * 900_000
        + "x"
        + " " * 900_000
        + "</script>",
    ],
    ids=["open", "blank", "comment"],
)
def test_a_hostile_description_costs_no_more_than_its_length(html: str) -> None:
    assert Structured(html).nodes == []


def test_a_description_may_stand_in_a_comment() -> None:
    node = '{"@type": "JobPosting", "title": "Keeper"}'
    for wrapped in (f"<!-- {node} -->", f"//<![CDATA[\n{node}\n//]]>", f"// <!--\n{node}\n-->"):
        html = f'<script type="application/ld+json">\n{wrapped}\n</script >'
        assert Structured(html).first("JobPosting") == json.loads(node), wrapped


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["@type", "name", "title", "address", "qualifications", "baseSalary"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(node=_json, kind=st.sampled_from(["job_posting", "blog_article", "company_page"]))
def test_whatever_is_described_only_words_come_out(node: object, kind: ContentType) -> None:
    html = described({"@type": "JobPosting", "title": node, "jobLocation": node, "author": node})
    page = PageToRead(html, "A page", "", (), {})
    said, _ = extract(kind, page)
    for value in said.values():
        assert isinstance(value, str) or all(isinstance(each, str) for each in value)


def test_names_in_letters_do_not_make_a_japanese_page_mixed() -> None:
    text = "PostgreSQLとBigQueryを使ったデータ基盤の開発を担当していただきます。\nGoogle Cloud"
    chunk = Chunk(start=0, end=len(text), language="ja")
    assert languages_of(text, [chunk]) == ("ja", ("ja",))


def test_a_page_in_another_language_is_not_called_english() -> None:
    text = "Der Hafen von Hamburg ist der größte Seehafen in Deutschland."
    chunk = Chunk(start=0, end=len(text), language="de")
    assert languages_of(text, [chunk]) == ("mixed", ("de",))


def test_a_value_without_a_bottom_is_nothing() -> None:
    listed: object = "Keep the light"
    placed: object = "Osaka"
    for _ in range(5_000):
        listed, placed = [listed], {"address": placed}
    assert (plain(listed), lines(listed), address(listed), address(placed)) == ("", [], "", "")
    html = described({"@type": "JobPosting", "title": "Keeper"}).replace(
        '"Keeper"', '"Keeper", "responsibilities": ' + "[" * 400 + "]" * 400
    )
    said, _ = extract("job_posting", PageToRead(html, "A page", "", (), {}))
    assert said["role"] == "Keeper"
