"""A finished research as a document: Markdown, one self-contained HTML page, or JSON.

Report and sources come from models and from the web, so nothing of them is trusted: raw HTML in a report stays text,
links lead to the web or nowhere, and the page forbids scripts, images and every request by its own policy.
"""

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson

from contracts.deep_research.named_sources import sources_of
from language.plain import inert
from projections.results import ResultView

Format = Literal["markdown", "html", "json"]
ENDINGS: dict[Format, str] = {"markdown": "md", "html": "html", "json": "json"}
TEMPLATES = Path(__file__).resolve().parent / "templates"

_NAMES = {
    "executive_summary": ("executive summary", "summary", "abstract", "tl;dr", "key takeaways"),
    "findings": ("findings", "key findings", "main findings", "results", "analysis"),
    "conclusion": ("conclusion", "conclusions", "concluding remarks"),
    "sources": (
        *("sources", "references", "works cited", "bibliography", "citations"),
        "checked sources",
    ),
    "metadata": ("metadata",),
}
_KNOWN = {title: name for name, titles in _NAMES.items() for title in titles}
_MARK = re.compile(r"\[(\d{1,4})\]|\[cite:[\d,\s]{1,80}\]")
"""Our citations, and a provider's own marks."""

_LAST_WORDS = 48
"""Letters at the end of a sentence by which it is known again before a provider's mark."""

_LEAST_WORDS = 12
"""Letters that a sentence needs for that."""

_NEARBY = 24
"""Pieces of a line that are looked at for a sentence's last words."""

_SENDS_TO_SOURCES = re.compile(
    r" Every excerpt under Sources is verbatim, at the place that is given there\."
    r"|; its place is given under Sources(?=\.)"
)
"""What our own reports say of their last section."""

_BOLD_HEADING = re.compile(r"\*\*([^*\n]{1,80})\*\*:?[ \t]*")


@dataclass(frozen=True)
class Section:
    """A part of a report under one heading."""

    name: str
    title: str
    text: str
    """Markdown, heading included."""


@dataclass(frozen=True)
class Document:
    """What is to be rendered."""

    found: ResultView
    metadata: Mapping[str, Any] | None
    """None leaves the section out."""

    include_sources: bool
    record: Mapping[str, Any]
    created_at: str


def render(document: Document, form: Format) -> tuple[bytes, list[str]]:
    """The document's bytes, and the names of the sections that are in it, in order."""
    sections = _own_sections(document.found)
    citations = document.found.result.get("citations", []) if document.include_sources else []
    unquoted = _unquoted(document)
    names = list(dict.fromkeys(each.name for each in sections))
    if document.metadata is not None:
        names.insert(0, "metadata")
    if document.include_sources:
        names.append("sources")
    if form == "json":
        return _as_json(document, sections, citations, unquoted), names
    template = _environment(form).get_template(f"report.{ENDINGS[form]}.j2")
    body = "\n\n".join(each.text.strip() for each in sections)
    if not document.include_sources:
        body = _nothing_about_sources(body)
    if form == "html":
        body = to_html(body, *excerpt_links(document.found.result, citations))
    style = (TEMPLATES / "report.css").read_text()
    text = template.render(
        title=_flat(document.found.question),
        metadata=document.metadata and {k: _shown(v) for k, v in document.metadata.items()},
        body=body,
        citations=citations,
        unquoted=unquoted,
        include_sources=document.include_sources,
        record=document.record,
        created_at=document.created_at,
        style=style,
        style_digest=b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )
    return (text.strip() + "\n").encode(errors="replace"), names


def without_sources(report: str, *, provided: bool) -> str:
    """A report without its list of sources and what is quoted of them; `provided`: whether a provider wrote it."""
    title, sections = split_report(report)
    sections = _as_delivered(sections) if provided else sections
    told = [each.text.strip() for each in sections if each.name != "sources"]
    head = [f"# {title}"] if title else []
    return _nothing_about_sources("\n\n".join((*head, *told))) + "\n"


def _nothing_about_sources(report: str) -> str:
    """A report that sends nobody to a list which is not there."""
    return _SENDS_TO_SOURCES.sub("", report)


def _own_sections(found: ResultView) -> list[Section]:
    """The parts of a report but those that are told anew here: its sources, what is quoted of them, its metadata."""
    _, sections = split_report(found.report)
    if found.result.get("grounding"):
        sections = _as_delivered(sections)
    return [each for each in sections if each.name not in {"sources", "metadata"}]


def _as_delivered(sections: list[Section]) -> list[Section]:
    """A provider's report and what came of checking it, without the passages that the check ends with."""
    places = [place for place, each in enumerate(sections) if each.name == "evidence"]
    added = places[-1] if places else len(sections)
    report, check = sections[:added], sections[added:]
    if len(report) == 1 and not report[0].title:
        report = [replace(report[0], name="findings")]
    return [*report, *(each for each in check if each.name != "passages")]


def _unquoted(document: Document) -> list[dict[str, Any]]:
    """Sources that a provider's report names and of which nothing is quoted, each with the reason."""
    named = sources_of(document.found.result) if document.include_sources else []
    return [each for each in named if "note" in each]


def html_page(template: str, styles: Sequence[str], **values: Any) -> bytes:
    """A page of ours, with its styles in it; what it is given is text, unless it is marked as safe there."""
    style = "".join((TEMPLATES / name).read_text() for name in styles)
    opened = _environment("html").get_template(template)
    text = opened.render(
        **values,
        style=style,
        style_digest=b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )
    return (str(text).strip() + "\n").encode(errors="replace")


def _as_json(
    document: Document,
    sections: Sequence[Section],
    citations: Sequence[Mapping[str, Any]],
    unquoted: Sequence[Mapping[str, Any]],
) -> bytes:
    found = document.found
    content: dict[str, Any] = {
        "query": found.question,
        "created_at": document.created_at,
        "sections": [{"name": s.name, "title": s.title, "text": s.text} for s in sections],
        "answer": found.result.get("answer"),
        "gaps": found.result.get("gaps", []),
        "open_questions": found.result.get("open_questions", []),
        "confidence": found.result.get("confidence"),
        "record": dict(document.record),
    }
    if document.metadata is not None:
        content["metadata"] = dict(document.metadata)
    if document.include_sources:
        content["sources"] = list(citations)
        content["sources_not_quoted"] = list(unquoted)
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


# -- reports --------------------------------------------------------------------------------------


def split_report(report: str) -> tuple[str | None, list[Section]]:
    """The title, and the parts under the headings of the first two levels; nothing is lost."""
    # The parser counts these lines, and no other breaks.
    lines = [f"{line}\n" for line in re.sub(r"\r\n?", "\n", report).split("\n")]
    places = _headings(report)
    title = None
    if places and places[0][2] == 1 and not "".join(lines[: places[0][0]]).strip():
        start, end, _, title = places.pop(0)
        lines[start:end] = [""] * (end - start)
    starts = [start for start, _, _, _ in places]
    preamble = "".join(lines[: starts[0] if starts else len(lines)])
    sections = []
    if preamble.strip():
        sections.append(Section("introduction" if places else "findings", "", preamble))
    for (start, _, _, heading), end in zip(places, [*starts, len(lines)][1:], strict=True):
        name = section_name(heading, len(sections))
        sections.append(Section(name, heading, "".join(lines[start:end])))
    return title, sections


def _headings(report: str) -> list[tuple[int, int, int, str]]:
    """First line, line after, level and words of each heading that divides a report."""
    found = []
    tokens = _parser().parse(report)
    for place, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        inline = tokens[place + 1].content if place + 1 < len(tokens) else ""
        if token.type == "heading_open" and token.tag in {"h1", "h2"}:
            found.append((*token.map, int(token.tag[1]), inline))
        elif token.type == "paragraph_open" and (bold := _BOLD_HEADING.match(inline)):
            alone = inline[bold.end() :][:1] in {"", "\n"}
            if alone and section_name(bold[1].rstrip(":"), 0) == "sources":
                found.append((*token.map, 2, bold[1]))
    return found


def section_name(heading: str, place: int) -> str:
    """A heading as the contract names sections."""
    words = re.sub(r"^[\d.\s]+|[*_`#:]", "", heading).strip().casefold()
    slug = re.sub(r"[^a-z0-9]+", "_", words).strip("_")[:40]
    return _KNOWN.get(words) or slug or f"section_{place + 1}"


def excerpt_links(
    result: Mapping[str, Any], citations: Sequence[Mapping[str, Any]]
) -> tuple[set[int], dict[str, Sequence[int]]]:
    """The excerpts that can be opened, and which of them each sentence was compared with, by its last words."""
    numbers = {each["number"] for each in citations}
    sentences = result.get("sentences", [])
    cited = (each for each in sentences if each["citations"])
    return numbers, {_last_words(each["text"]): each["citations"] for each in cited}


def to_html(
    markdown: str, citations: set[int], sentences: Mapping[str, Sequence[int]] | None = None
) -> str:
    """Markdown as HTML in which `[n]` leads to the excerpt with that number.

    A provider's own `[cite: n]` counts something else: it leads to the excerpts of the sentence before it.
    """
    known = {"citations": citations, "sentences": sentences or {}}
    return str(_parser().render(markdown, known))


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.validateLink = _harmless  # type: ignore[method-assign]
    parser.add_render_rule("text", _text)
    parser.add_render_rule("link_open", _link)
    return parser


def _harmless(url: str) -> bool:
    return re.match(r"(https?|mailto):", url.strip(), re.IGNORECASE) is not None


def _text(self: Any, tokens: Any, place: int, options: Any, env: dict[str, Any]) -> str:
    said = tokens[place].content
    said_before = "".join(token.content for token in tokens[max(0, place - _NEARBY) : place])

    def mark(found: re.Match[str]) -> str:
        before = said_before + said[: found.start()]
        numbers = [int(found[1])] if found[1] else _compared(before, env["sentences"])
        links = [
            f'<a class="cite" href="#cite-{number}">[{number}]</a>'
            for number in numbers
            if number in env["citations"]
        ]
        return "".join(links) or found[0]

    # Marks hold nothing that would have to be escaped; what stands between them may.
    parts, at = list[str](), 0
    for found in _MARK.finditer(said):
        parts += [html.escape(said[at : found.start()]), mark(found)]
        at = found.end()
    return "".join((*parts, html.escape(said[at:])))


def _compared(before: str, sentences: Mapping[str, Sequence[int]]) -> Sequence[int]:
    """The excerpts of the sentence that a text ends with."""
    words = _last_words(before)
    ends = [each for each in sentences if len(each) >= _LEAST_WORDS and words.endswith(each)]
    return sentences[max(ends, key=len)] if ends else ()


def _last_words(text: str) -> str:
    letters = re.sub(r"\W+", "", _MARK.sub("", text[-4 * _LAST_WORDS :])).casefold()
    return letters[-_LAST_WORDS:]


def _link(self: Any, tokens: Any, place: int, options: Any, env: dict[str, Any]) -> str:
    tokens[place].attrSet("rel", "noopener noreferrer nofollow")
    return str(self.renderToken(tokens, place, options, env))


# -- templates ------------------------------------------------------------------------------------


@cache
def _environment(form: Format) -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=form == "html",  # in Markdown the filters `plain`, `inert` and `place` escape
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": _plain, "inert": inert, "place": _place}
    environment.filters |= {"web": _web, "words": _words}
    return environment


def _plain(value: Any) -> str:
    """Words that Markdown takes as words."""
    return re.sub(r"([\\`*_{}\[\]#|~<>]|&(?=#?\w{1,40};))", r"\\\1", _flat(str(value)))


def _place(locator: str) -> str:
    """A locator in Markdown, as it is: whatever escapes a letter of it would lead nowhere where it is copied."""
    if _web(locator) and not re.search(r"[\s<>]", locator):
        return f"<{locator}>"
    return inert(_flat(locator))


def _web(locator: str) -> bool:
    """Whether a locator may become a link."""
    return re.match(r"https?://", locator, re.IGNORECASE) is not None


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {member}" for name, member in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value is None else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize().replace(" usd", " (USD)")


def _flat(text: str) -> str:
    return " ".join(text.split())
