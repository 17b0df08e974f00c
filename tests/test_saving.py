"""A research that is kept as a file: whole, where it was wanted, and harmless to open."""

import errno
import json
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.deep_research import saving
from contracts.rendering import Format, section_name, split_report, to_html
from contracts.settings import Settings
from tests.homes import DOCUMENT, LOCATOR, build_home
from tests.past_tasks import PastTasks, citation

QUESTION = "Why is the sky <blue> & not *violet*?"
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks) -> Core:
    return Core(Settings(home=past.built.root))


def save(core: Core, task: str, folder: Path | str, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "prefix": "research",
        "include_metadata": True,
        "include_sources": True,
        "form": "markdown",
    } | more
    return deep_research.save(core, task, str(folder), given.pop("prefix"), **given)


def saved(core: Core, task: str, folder: Path, **more: Any) -> str:
    reply = save(core, task, folder, **more)
    assert reply["success"], reply
    return Path(reply["file_path"]).read_text()


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
    assert "<script" not in text and "<img" not in text
    assert "\n## &lt;" not in text
    assert "](javascript" not in text.replace("\\]", "")


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


# -- where it is ----------------------------------------------------------------------------------


def test_nothing_is_ever_overwritten(core: Core, past: PastTasks, tmp_path: Path) -> None:
    task = past.completed(QUESTION)
    paths = [save(core, task, tmp_path)["file_path"] for _ in range(5)]
    assert len(set(paths)) == 5
    assert all(Path(path).read_text().startswith("# Why") for path in paths)
    assert sorted(map(str, (tmp_path / Path(paths[0]).parent.name).iterdir())) == sorted(paths)


def test_a_name_that_is_taken_stays_with_its_owner(tmp_path: Path) -> None:
    (tmp_path / "2026-11").mkdir()
    taken = tmp_path / "2026-11" / "n.md"
    taken.write_text("mine")
    path = saving.write_new(tmp_path, "2026-11", "n", "md", b"new")
    assert (taken.read_text(), path.name, path.read_text()) == ("mine", "n_2.md", "new")


@pytest.mark.parametrize(
    "folder", ["../out", "a/../../b", "..", "a\\..\\b", "{home}/traces", "{home}", "{link}"]
)
def test_a_folder_that_leads_elsewhere_is_refused(
    core: Core, past: PastTasks, tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(core.home.root)
    task = past.completed(QUESTION)
    place = folder.format(home=core.home.root, link=tmp_path / "link")
    reply = save(core, task, place)
    assert (reply["success"], reply["error"]) == (False, "PERMISSION_DENIED")
    assert not list(tmp_path.rglob("research_*"))


def test_a_month_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "2026-11").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(saving.NotAllowed):
        saving.write_new(tmp_path / "out", "2026-11", "n", "md", b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("prefix", ["../x", "a/b", "a\\b", ".hidden", "..", "/etc/x"])
def test_a_prefix_is_no_path(core: Core, past: PastTasks, tmp_path: Path, prefix: str) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path / "out", prefix=prefix)
    assert reply["error"] == "PERMISSION_DENIED"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("prefix", ["", "x" * 101, "a\0b", "a\nb", "a:b", "a*b"])
def test_a_prefix_that_is_no_name_is_invalid(
    core: Core, past: PastTasks, tmp_path: Path, prefix: str
) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path / "out", prefix=prefix)
    assert reply["error"] == "INVALID_QUERY"


def test_a_prefix_is_counted_in_characters_as_far_as_a_file_can_have_its_name(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    task = past.completed(QUESTION)
    assert save(core, task, tmp_path, prefix="研" * 66)["success"]
    reply = save(core, task, tmp_path, prefix="研" * 67)
    assert (reply["error"], "201 bytes" in reply["message"]) == ("INVALID_QUERY", True)
    assert "about 66" in reply["suggestion"]


def test_without_sources_a_saved_report_sends_nobody_to_them(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    said = "Confidence 0.80. Every excerpt under Sources is verbatim, at the place that is given there."
    report = f"# The sky\n\n## Answer\n\nAir. [1]\n\n{said}\n\n## Sources\n\nNone.\n"
    task = past.completed(QUESTION, report=report)
    assert "under Sources" in saved(core, task, tmp_path)
    without = saved(core, task, tmp_path, include_sources=False)
    assert "Sources" not in without and "Confidence 0.80." in without


def test_markup_in_an_excerpt_is_shown_as_words_in_saved_markdown(
    core: Core, past: PastTasks, tmp_path: Path
) -> None:
    hostile = "![p](http://evil.example/p.png) and [log in](http://evil.example)"
    task = past.completed(QUESTION, citations=[citation(1, 0, 47, raw_excerpt=hostile)])
    text = saved(core, task, tmp_path)
    assert r"> !\[p](http://evil.example/p.png) and \[log in](http" in text


@pytest.mark.parametrize("broken", ["\ud800", "\udc80", "../\ud800", "a/\udfff"])
def test_half_signs_in_a_name_are_refused_in_words_that_can_be_sent(
    core: Core, past: PastTasks, tmp_path: Path, broken: str
) -> None:
    task = past.completed(QUESTION)
    replies = {
        "output_dir": save(core, task, f"{tmp_path}/{broken}"),
        "filename_prefix": save(core, task, tmp_path / "out", prefix=broken),
    }
    for name, reply in replies.items():
        json.dumps(reply, ensure_ascii=False).encode()
        assert reply == {
            "success": False,
            "error": "INVALID_QUERY",
            "message": f"The {name} is not valid text.",
            "suggestion": "Remove the broken characters.",
        }


def test_a_prefix_may_be_in_any_language(core: Core, past: PastTasks, tmp_path: Path) -> None:
    reply = save(core, past.completed(QUESTION), tmp_path, prefix="研究 Überblick")
    assert Path(reply["file_path"]).name.startswith("研究 Überblick_")


# -- when it cannot be written --------------------------------------------------------------------


def test_a_folder_that_is_a_file_is_refused(core: Core, past: PastTasks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    reply = save(core, past.completed(QUESTION), tmp_path / "file")
    assert (reply["error"], (tmp_path / "file").read_text()) == ("PERMISSION_DENIED", "x")
    assert reply["file_path"].startswith(str(tmp_path / "file"))


def test_a_folder_without_permission_is_refused(
    core: Core, past: PastTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    if os.access(shut, os.W_OK):  # The superuser may write anywhere.

        def refuse(path: Path, content: bytes) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr(saving, "_write", refuse)
    reply = save(core, past.completed(QUESTION), shut)
    assert (reply["success"], reply["error"]) == (False, "PERMISSION_DENIED")
    assert "Permission denied" in reply["message"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_up_leaves_nothing_behind(
    core: Core, past: PastTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(path: Path, content: bytes) -> None:
        path.write_bytes(content[:10])
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(saving, "_write", fail)
    reply = save(core, past.completed(QUESTION), tmp_path / "out")
    assert (reply["success"], reply["error"]) == (False, "DISK_FULL")
    assert reply["required_kb"] > 0 and reply["available_kb"] >= 0
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system with next to no room."""
    place = tmp_path / "tiny"
    place.mkdir()
    size = ["-o", "size=128k"]
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", *size, "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full_is_said_to_be(
    core: Core, past: PastTasks, tiny_disk: Path
) -> None:
    report = "## Findings\n\n" + "word " * 40_000
    reply = save(core, past.completed(QUESTION, report=report), tiny_disk)
    assert (reply["error"], reply["available_kb"] < 150) == ("DISK_FULL", True)
    assert reply["required_kb"] > reply["available_kb"]
    assert [path for path in tiny_disk.rglob("*") if path.is_file()] == []


def test_a_file_system_without_links_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    paths = [saving.write_new(tmp_path, "2026-11", "n", "md", b"x") for _ in range(2)]
    assert [path.name for path in paths] == ["n.md", "n_2.md"]
    assert [path.read_bytes() for path in paths] == [b"x", b"x"]
    assert len(list((tmp_path / "2026-11").iterdir())) == 2
