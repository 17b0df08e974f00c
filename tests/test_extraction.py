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
from actors.webpages.page_rules import definitions, marked
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


ROWS = (
    ("会社名", "株式会社みなとテック"),
    ("募集職種", "バックエンドエンジニア"),
    ("勤務地", "東京都港区芝浦1-2-3 みなとビル5階"),
    ("給与", "年収600万円から900万円まで、経験と能力を考慮して決定します"),
    ("応募資格", "・Pythonの実務経験3年以上<br>・日本語N2以上"),
    ("仕事内容", "自社サービスのAPIの設計と開発、運用を行います。"),
    ("休日・休暇", "土日祝日、年末年始、有給休暇、慶弔休暇"),
)
SHORT_ROWS = (
    ("会社名", "株式会社みなとテック"),
    ("募集職種", "バックエンドエンジニア"),
    ("勤務地", "東京都港区"),
    ("給与", "年収600万円〜900万円"),
    ("応募資格", "Pythonの実務経験3年以上<br>日本語N2以上"),
    ("仕事内容", "APIの設計と開発を行います。"),
    ("雇用形態", "正社員"),
)
TABLE = "<tr><th>{}</th><td>{}</td></tr>", "table"
DESCRIPTIONS = "<div><dt>{}</dt><dd>{}</dd></div>", "dl"


def in_rows(rows: tuple[tuple[str, str], ...], form: tuple[str, str]) -> str:
    row, element = form
    body = "".join(row.format(*each) for each in rows)
    return f"<html><body><main><h1>募集要項</h1><{element}>{body}</{element}></main></body></html>"


@pytest.mark.parametrize("form", [TABLE, DESCRIPTIONS])
def test_a_posting_in_rows_of_names_and_what_is_said_of_them_is_read(form: tuple[str, str]) -> None:
    said = read(in_rows(ROWS, form), "job_posting")
    assert (said["company"], said["role"]) == ("株式会社みなとテック", "バックエンドエンジニア")
    assert said["location"] == "東京都港区芝浦1-2-3 みなとビル5階"
    assert str(said["salary"]).startswith("年収600万円")
    assert said["requirements"] == ["Pythonの実務経験3年以上", "日本語N2以上"]
    assert said["responsibilities"] == ["自社サービスのAPIの設計と開発、運用を行います。"]


def test_a_page_that_is_one_small_table_keeps_its_rows() -> None:
    html = in_rows(SHORT_ROWS, TABLE)
    assert "| 勤務地 | 東京都港区 |" in parse_html("page.html", html.encode()).text
    said = read(html, "job_posting")
    assert (said["location"], said["employment_type"]) == ("東京都港区", "正社員")


@pytest.mark.parametrize(
    "lines",
    [
        "Pythonの実務経験3年以上<br>日本語N2以上",
        "Pythonの実務経験3年以上<br />日本語N2以上<br/>",
        "<ul><li>Pythonの実務経験3年以上</li><li>日本語N2以上</li></ul>",
        "<p>Pythonの実務経験3年以上</p><p>日本語N2以上</p>",
        "・Pythonの実務経験3年以上<br>・日本語N2以上",
    ],
)
@pytest.mark.parametrize(
    "form", [TABLE, DESCRIPTIONS, ("<tr><td>{}</td><td>{}</td></tr>", "table")]
)
def test_each_line_of_a_cell_is_a_requirement_of_its_own(lines: str, form: tuple[str, str]) -> None:
    said = read(in_rows((*ROWS[:4], ("応募資格", lines), *ROWS[5:]), form), "job_posting")
    assert said["requirements"] == ["Pythonの実務経験3年以上", "日本語N2以上"]
    assert said["responsibilities"] == ["自社サービスのAPIの設計と開発、運用を行います。"]
    assert said["location"] == "東京都港区芝浦1-2-3 みなとビル5階"


@pytest.mark.parametrize("form", [TABLE, DESCRIPTIONS])
def test_a_company_in_rows_is_read(form: tuple[str, str]) -> None:
    rows = (
        ("会社名", "株式会社ミナト造船"),
        ("設立", "1950年4月1日"),
        ("所在地", "長崎県長崎市浜町1丁目2番3号 ミナトビル"),
        ("事業内容", "<ul><li>船舶の設計と建造</li><li>船舶の修理</li></ul>"),
        ("企業理念", "海を渡るすべての人の安全を、技術で支えます。"),
    )
    said = read(in_rows(rows, form), "company_page")
    assert (said["name"], said["founded"]) == ("株式会社ミナト造船", "1950年4月1日")
    assert said["locations"] == ["長崎県長崎市浜町1丁目2番3号 ミナトビル"]
    assert "船舶の設計と建造" in " ".join(said["products"])
    assert said["values"] == ["海を渡るすべての人の安全を、技術で支えます。"]


def test_the_names_of_columns_are_no_requirements() -> None:
    rows = ("<tr><th>Skill</th><th>Level</th></tr>", "<tr><td>Skills of Go</td><td>3</td></tr>")
    page = f"<main><h1>Engineer</h1><p>{'We build boats. ' * 20}</p><table>{''.join(rows)}</table></main>"
    assert "Level" not in read(page, "job_posting").get("requirements", [])


def test_descriptions_that_are_not_in_the_text_of_a_page_say_nothing_of_it() -> None:
    html = "<dl><dt>Salary</dt><dd>9 million</dd><dt>Place</dt><dd>Oslo</dd></dl>"
    assert definitions(html, "- Place\n- Oslo") == "| Place | Oslo |"


def test_all_that_is_said_of_one_term_is_read() -> None:
    html = in_rows(
        (
            ("応募資格", "Pythonの実務経験3年以上</dd><dd>日本語N2以上</dd><dd>英語が話せる方"),
            ("勤務地", "東京都"),
        ),
        DESCRIPTIONS,
    )
    said = read(html, "job_posting")
    assert said["requirements"] == [
        "Pythonの実務経験3年以上",
        "日本語N2以上",
        "英語が話せる方",
    ]
    assert said["location"] == "東京都"
    strange = "<dl><dt>Place</dt><dd>Oslo</dd><dd>Bergen</dd></dl><dd>Rome</dd>"
    assert definitions(strange, "Place Oslo and Rome") == "| Place | Oslo |"


@pytest.mark.parametrize("heading", ["企業文化", "社風", "What we stand for"])
def test_what_a_company_says_of_its_culture_is_read(heading: str) -> None:
    about = "Fjord has built wooden boats at the mouth of the river for eighty years. "
    kept = "We say what a boat costs before we begin, and we mend what we have built."
    page = f"<main><h1>Fjord</h1><p>{about}</p><h2>{heading}</h2><p>{kept}</p></main>"
    assert read(page, "company_page")["values"] == [kept]


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
