"""A report as a tree of plain members, out of which the page builds its nodes: markup never reaches the browser.

Markdown becomes HTML where every report does (`contracts.rendering`: no raw HTML, no images, harmless links), and of
that only the elements named here are taken over, without any attribute but a link's address.
"""

from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from contracts.deep_research.complexity import word_count
from contracts.rendering import split_report, to_html

Node = str | dict[str, Any]

LONGEST = 400_000
"""Characters of a report that are shown."""

DEEPEST = 40

_TAGS = frozenset(
    (
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code"),
        *("em", "strong", "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "a"),
    )
)
_EMPTY = frozenset(("hr", "br"))
_OURS = frozenset(("sources", "metadata"))
"""Sections that the page shows in its own way."""


def report_tree(
    report: str, citations: set[int], sentences: Mapping[str, Sequence[int]] | None = None
) -> tuple[list[Node], bool]:
    """The report's nodes, and whether its end was cut off; of `sentences` see `rendering.to_html`."""
    title, sections = split_report(report[:LONGEST])
    kept = [each.text for each in sections if each.name not in _OURS]
    reader = _Reader()
    reader.feed(to_html("\n\n".join(kept), citations, sentences))
    reader.close()
    nodes = reader.root
    if title and not nodes:
        nodes = [{"tag": "p", "kids": [title]}]
    return nodes, len(report) > LONGEST


def report_words(report: str) -> int:
    """Words of a report, roughly; also where none are set apart by spaces."""
    return word_count(report)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list[Node] = []
        self._open: list[tuple[str, list[Node]]] = []

    @property
    def _kids(self) -> list[Node]:
        return self._open[-1][1] if self._open else self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS or len(self._open) >= DEEPEST:
            return
        kids: list[Node] = []
        node: dict[str, Any] = {"tag": tag, "kids": kids}
        given = dict(attrs)
        if tag == "a":
            node |= _target(given.get("href") or "")
        self._kids.append(node)
        if tag not in _EMPTY:
            self._open.append((tag, kids))

    def handle_endtag(self, tag: str) -> None:
        if any(tag == each for each, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if data.strip() or self._open:
            self._kids.append(data)


def _target(address: str) -> dict[str, Any]:
    if address.startswith("#cite-"):
        return {"cite": int(address.removeprefix("#cite-"))}
    web = address.lower().startswith(("https://", "http://"))
    return {"href": address} if web else {}
