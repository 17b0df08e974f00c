"""What is in a research that is kept as a file: all of it, as it was wanted, and harmless to open."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from contracts.core import Core
from contracts.rendering import Format, section_name, split_report, to_html
from tests.homes import DOCUMENT, LOCATOR
from tests.past_tasks import PastTasks, citation
from tests.saved_reports import EVIL, QUESTION, core, past, save, saved

__all__ = ["core", "past"]


# -- what is in it --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
@pytest.mark.parametrize("metadata", [True, False])
@pytest.mark.parametrize("sources", [True, False])
def test_exactly_the_sections_that_were_asked_for_are_in_it(
    core: Core, past: PastTasks, tmp_path: Path, form: Format, metadata: bool, sources: bool
) -> None:
    task = past.completed(QUESTION)
    reply = save(
        core, task, tmp_path, form=form, include_metadata=metadata, include_sources=sources
    )
    text = Path(reply["file_path"]).read_text()
    assert ("metadata" in reply["sections_included"]) is metadata
    assert ("sources" in reply["sections_included"]) is sources
    assert ("duration" in text.lower()) is metadata
    assert (DOCUMENT[48:70] in text) is sources
    for said in ("Air scatters blue light.", "It is the air."):
        assert said in text


def test_sections_have_the_contracts_names(core: Core, past: PastTasks, tmp_path: Path) -> None:
    task = past.completed(
        QUESTION, report="# T\n\nHello.\n\n## 1. Summary\n\nS.\n\n## Outlook\n\nO."
    )
    reply = save(core, task, tmp_path)
    named = ["metadata", "introduction", "executive_summary", "outlook", "sources"]
    assert reply["sections_included"] == named


def test_a_report_without_headings_is_one_section() -> None:
    assert [each.name for each in split_report("Just words.")[1]] == ["findings"]


def test_headings_in_code_are_no_sections() -> None:
    _, sections = split_report("## Findings\n\n```\n## Sources\n```\n\nAfter.\n")
    assert [each.name for each in sections] == ["findings"]


@pytest.mark.parametrize(
    "heading",
    ["## Sources", "## Checked sources", "## **References:**", "**Sources:**", "# Works cited"],
)
def test_a_reports_own_list_of_sources_is_recognised(heading: str) -> None:
    _, sections = split_report(f"## Findings\n\nBlue.\n\n{heading}\n\n1. Here\n")
    assert [each.name for each in sections] == ["findings", "sources"]


@given(st.text(alphabet="#*-\n `|[]()<>abc\r\t\u2028\x0b", max_size=200))
def test_nothing_of_a_report_is_lost_when_it_is_divided(report: str) -> None:
    title, sections = split_report(report)
    kept = "".join(each.text for each in sections) + (title or "")
    assert sorted(re.sub(r"[#\s]", "", kept)) == sorted(re.sub(r"[#\s]", "", report))


@given(st.text(max_size=60))
def test_every_section_has_a_name_that_is_one(heading: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", section_name(heading, 0))


def test_the_json_file_is_the_research(core: Core, past: PastTasks, tmp_path: Path) -> None:
    task = past.completed(QUESTION)
    content = json.loads(saved(core, task, tmp_path, form="json"))
    assert (content["query"], content["record"]["stream"]) == (QUESTION, task)
    assert content["sources"][0]["raw_excerpt"] == DOCUMENT[:47]
    assert content["metadata"]["cost_usd"] == 3.24


GROUNDED = (
    "# Sky\n\nAir scatters light [cite: 1].\n\n{more}---\n\n## Evidence\n\n- Air scatters light. ([1])\n\n"
    "## Passages\n\n1. **The sky**\n\n   > It is the air that scatters.\n\n## Sources\n\n- The sky\n\n"
    "## Gaps\n\n- None.\n"
)


@pytest.mark.parametrize("sources", [True, False])
def test_what_is_quoted_of_a_providers_sources_stands_there_once(
    core: Core, past: PastTasks, tmp_path: Path, sources: bool
) -> None:
    own = "## Passages\n\nOf birds.\n\n"
    for more, names in (("", ["findings"]), (own, ["introduction", "passages"])):
        report = GROUNDED.format(more=more)
        task = past.completed(QUESTION, report=report, grounding=NAMED)
        reply = save(core, task, tmp_path, include_sources=sources, include_metadata=False)
        text = Path(reply["file_path"]).read_text()
        last = ["sources"] if sources else []
        assert reply["sections_included"] == [*names, "evidence", "gaps", *last]
        assert ("Of birds." in text) is bool(more), "what the provider wrote is kept"
        assert "It is the air that scatters." not in text
        assert (DOCUMENT[:47] in text) is sources


NAMED = {
    "sources": [
        {"url": LOCATOR, "title": "The sky", "content_hash": "sha256:1", "reason": None},
        {
            "url": "https://away.example/<b>",
            "title": "An *away* page",
            "content_hash": None,
            "reason": "It is gone: 404.",
        },
    ]
}


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
@pytest.mark.parametrize("quoted", [True, False])
def test_sources_of_which_nothing_is_quoted_are_named_with_the_reason(
    core: Core, past: PastTasks, tmp_path: Path, form: Format, quoted: bool
) -> None:
    citations = [citation(1, 0, 47)] if quoted else []
    task = past.completed(QUESTION, citations=citations, grounding=NAMED)
    text = saved(core, task, tmp_path, form=form)
    assert "It is gone: 404." in text
    assert "None." not in text
    assert "away.example/<b>" not in text or form == "json"
    assert text.count("nothing that is said of it was found there") == (0 if quoted else 1)
    without = saved(core, task, tmp_path, form=form, include_sources=False)
    assert "away" not in without


@pytest.mark.parametrize("metadata", [True, False])
@pytest.mark.parametrize("sources", [True, False])
@pytest.mark.parametrize("report", ["## Findings\n\nIt is the air.", "It is the air."])
def test_the_last_paragraph_of_a_report_stays_one(
    core: Core, past: PastTasks, tmp_path: Path, metadata: bool, sources: bool, report: str
) -> None:
    task = past.completed(QUESTION, report=report)
    wanted = {"include_metadata": metadata, "include_sources": sources}
    tokens = MarkdownIt("commonmark").parse(saved(core, task, tmp_path, **wanted))
    opened = [(each.type, tokens[n + 1].content) for n, each in enumerate(tokens[:-1])]
    assert ("paragraph_open", "It is the air.") in opened
    assert ("heading_open", "It is the air.") not in opened
    assert (("heading_open", "Sources") in opened) is sources
    assert [kind for kind, _ in opened].count("hr") == 1


def test_metadata_is_spelled_for_a_person(core: Core, past: PastTasks, tmp_path: Path) -> None:
    text = saved(core, past.completed(QUESTION), tmp_path)
    for row in (
        "| Source count | 1 |",
        "| Partial | no |",
        "| Cost (USD) | 3.24 |",
        "| Tokens used | input 450000, output 120000 |",
    ):
        assert row in text


def test_what_was_found_before_a_cancel_can_be_saved(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    task = past.running(QUESTION)
    past.read_and_quote(task)
    past.stopped(task)
    text = saved(core, task, tmp_path)
    assert DOCUMENT[:47] in text
    assert "stopped before it was done" in text


def test_markdown_of_strangers_stays_words(core: Core, past: PastTasks, tmp_path: Path) -> None:
    evil = citation(1, 0, 10, title=f"[x](javascript:1) {EVIL}", raw_excerpt=f"a\n## {EVIL}\nb")
    task = past.completed(QUESTION, report="## Findings\n\nBlue. [1]", citations=[evil])
    text = saved(core, task, tmp_path)
    shown = MarkdownIt("commonmark", {"html": True}).render(text)
    assert "<script" not in shown and "<img" not in shown and "javascript:1" in shown
    assert "href" not in shown.replace(f'href="{LOCATOR}"', "")


def test_what_saved_markdown_quotes_and_names_is_as_it_stands_there(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    words = 'The AT&T "world\'s first" of a < b && c, and &amp; in code.'
    url = "https://en.example.org/wiki/Tidal_power?a=1&b=2#first_one~x"
    cited = [
        citation(1, 0, 10, locator=url, title="Q&A: R&D, 2 < 3", raw_excerpt=words),
        citation(2, 0, 10, locator="/home/me/my_notes/a_b & c.md", raw_excerpt=words),
    ]
    text = saved(core, past.completed(QUESTION, citations=cited), tmp_path)
    for said in (f"> {words}", f"<{url}>", "/home/me/my_notes/a_b & c.md", "Q&A: R&D, 2"):
        assert said in text
    shown = MarkdownIt("commonmark", {"html": True}).render(text)
    assert f'href="{url.replace("&", "&amp;")}"' in shown
    assert "Q&amp;A: R&amp;D, 2 &lt; 3" in shown


# -- html -----------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def harmless(page: Page) -> None:
    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "main", "footer", "details", "summary"),
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "p",
            "a",
            "ul",
            "ol",
            "li",
            "table",
            "thead",
            "tbody",
        ),
        *("tr", "th", "td", "blockquote", "code", "pre", "em", "strong", "br", "hr"),
    }
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        assert "src" not in attributes
    for link in page.all("a"):
        assert re.match(r"https?://|mailto:|#cite-\d+$", link["href"] or ""), link


def test_a_page_needs_nothing_and_allows_nothing(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    page = Page(saved(core, past.completed(QUESTION), tmp_path, form="html"))
    harmless(page)
    (policy,) = (m["content"] for m in page.all("meta") if m.get("http-equiv"))
    assert policy and policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert page.all("script") == page.all("link") == page.all("img") == []


def test_a_citation_leads_to_its_verbatim_excerpt(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    page = Page(saved(core, past.completed(QUESTION), tmp_path, form="html"))
    targets = {quote["id"] for quote in page.all("blockquote") if "id" in quote}
    links = {link["href"] for link in page.all("a") if link.get("class") == "cite"}
    assert links == {"#cite-1", "#cite-2"}
    assert {f"#{target}" for target in targets} == links
    folded = [each["id"] for each in page.all("details")]
    assert folded == ["metadata", "source-1", "source-2"]
    assert DOCUMENT[:47] in page.words and DOCUMENT[48:80] in page.words
    assert QUESTION in page.words


def test_a_providers_own_marks_lead_to_the_excerpts_of_their_sentence() -> None:
    report = "Tides turn **twice** a day [cite: 7]. Winds do not [cite: 1, 7], they say [cite: 9]."
    sentences = {
        "tidesturntwiceaday": [2],
        "windsdonot": [],
        "windsdonottheysay": [1, 3],
        "say": [2],
    }
    page = Page(to_html(report, {1, 2}, sentences))
    assert [link["href"] for link in page.all("a")] == ["#cite-2", "#cite-1"]
    assert "[cite: 1, 7], they say [1]." in page.words, "what has no excerpt stays as it is"


@pytest.mark.parametrize(
    "report",
    [
        EVIL,
        "[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](file:///etc/passwd)",
        "![pixel](https://tracker.example/p.png)",
        "[ref]: javascript:alert(1)\n\n[ref] <https://ok.example/> <javascript:alert(1)>",
        "<a href='x' onclick='y'>z</a> &lt;b&gt; &#106;avascript:",
        "[1]: https://evil.example\n\nSee [1].",
        "</style></main><script>x</script>",
        "| a |\n|---|\n| <i>b</i> |\n\n```html\n<script>c</script>\n```",
        '[x](https://a.example/"onmouseover=alert(1))',
        "{{ 7 * 7 }} {% raw %} {{ self }}",
    ],
)
def test_a_hostile_report_becomes_a_harmless_page(
    core: Core, past: PastTasks, tmp_path: Path, report: str
) -> None:
    cited = [
        citation(
            1, 0, 9, title=EVIL, locator="javascript:alert(1)", raw_excerpt=f"{EVIL}</blockquote>"
        ),
        citation(2, 0, 9, title='"><x', locator='https://e.example/"onx="1', raw_excerpt="{{ 1 }}"),
    ]
    task = past.completed(f"{QUESTION} {EVIL}", report=f"## Findings\n\n{report}", citations=cited)
    text = saved(core, task, tmp_path, form="html")
    harmless(Page(text))
    assert "49" not in Page(text).words.partition("Sources")[0].partition("Findings")[2]


@given(st.text(alphabet="<>\"'&[]()!#*`/:\\ \njavscriptdth1", max_size=120))
def test_no_report_makes_a_harmful_page(report: str) -> None:
    harmless(Page(to_html(report, {1, 2})))
