"""Sections of a page that say by their heading that they are not its text: more to read, remarks, newsletters.

For pages on which nothing is called by a telling name. A section goes only as a whole, only if it is the
lesser part of what the page says, and only where its heading says nothing else.
"""

import contextlib
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from actors.adapters.html.page_chrome import sizes_of
from actors.adapters.section_names import MORE, NOTICES, REMARKS

LESSER = 0.6
"""Share of a page's letters from which a section is rather the page itself."""

_LONGEST = 60
"""Letters of a heading that only names a section."""

_FOREIGN = {
    "more": re.compile(MORE, re.I),
    "notice": re.compile(NOTICES, re.I),
    "remarks": re.compile(REMARKS, re.I),
}
_ORNAMENTS = " :\uff1a-–—|»\u203a>…【】「」■●◆▼\uff3c\uff0f/\\"
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LIKE_HEADINGS = frozenset({"b", "strong", "p", "div", "span", "dt", "label"})
_HOLDERS = frozenset(
    {"div", "section", "aside", "ul", "ol", "nav", "td", "footer", "article", "form"}
)
_LEADS_ON = 0.2
"""Share of links among the letters of a section that leads to other pages."""

_NOTICE = 600
"""Letters up to which a section is a notice."""

_MOST_HEADS = 300
_FARTHEST = 100
"""Elements beside a heading that are looked at."""


def drop_foreign_sections(tree: Any, *, remarks: bool = True) -> None:
    """Take out of a parsed page the sections that are headed as something else."""
    heads = list(islice(_heads(tree), _MOST_HEADS))
    if not heads:
        return
    page = _Page(tree)
    for heading, kind in heads:
        for element in page.section(heading, kind) if remarks or kind != "remarks" else ():
            with contextlib.suppress(AssertionError):  # it went with another
                element.drop_tree()


def _heads(tree: Any) -> Iterator[tuple[Any, str]]:
    """Headings that say so, and what of."""
    for element in tree.iter(*_HEADINGS, *_LIKE_HEADINGS):
        if element.tag in _LIKE_HEADINGS and (
            len(element) > 1 or element.getprevious() is not None
        ):
            continue
        text = _short_text(element)
        kind = next(
            (kind for kind, said in _FOREIGN.items() if text and said.fullmatch(text)), None
        )
        if kind:
            yield element, kind


def _short_text(element: Any) -> str:
    """What an element says, if that is short."""
    pieces, room = [], 4 * _LONGEST
    for piece in element.itertext():
        pieces.append(piece)
        room -= len(piece.strip())
        if room < 0:
            return ""
    text = " ".join("".join(pieces).split()).strip(_ORNAMENTS)
    return text if 1 < len(text) <= _LONGEST else ""


class _Page:
    """A parsed page, with the size of every part of it."""

    def __init__(self, tree: Any) -> None:
        elements = [element for element in tree.iter() if isinstance(element.tag, str)]
        self._sizes = dict(zip(elements, sizes_of(elements), strict=True))
        body = tree.find("body")
        self._most = LESSER * self._sizes[tree if body is None else body].letters

    def section(self, heading: Any, kind: str) -> list[Any]:
        """The element that the heading opens, or the heading with what follows up to the next."""
        opened, above = heading, heading.getparent()
        while above is not None and above.tag in _HOLDERS and self._opens(above, opened):
            size = self._sizes[above]
            if size.letters > self._most or size.holds_page or size.headed:
                break
            opened, above = above, above.getparent()
        if self._sizes[opened].letters > self._sizes[heading].letters:
            return [opened] if self._is_foreign([opened], kind) else []
        return self._followers(opened, kind) if heading.tag in _HEADINGS else []

    def _is_foreign(self, elements: list[Any], kind: str) -> bool:
        """Whether a section is what its heading says: more to read leads on, a notice is short."""
        sizes = [self._sizes[element] for element in elements]
        letters, linked = sum(each.letters for each in sizes), sum(each.linked for each in sizes)
        leads_on = sum(each.links for each in sizes) > 1 and linked >= _LEADS_ON * letters
        return bool({"more": leads_on, "notice": letters < _NOTICE, "remarks": True}[kind])

    def _opens(self, above: Any, element: Any) -> bool:
        """Whether an element begins with another, and nothing stands before it."""
        if (above.text or "").strip():
            return False
        for before in islice(element.itersiblings(preceding=True), _FARTHEST):
            said = isinstance(before.tag, str) and self._sizes[before].letters
            if said or (before.tail or "").strip():
                return False
        return True

    def _followers(self, heading: Any, kind: str) -> list[Any]:
        found = [heading]
        for element in islice(heading.itersiblings(), _FARTHEST):
            if not isinstance(element.tag, str) or element.tag in _HEADINGS:
                break
            found.append(element)
        if len(found) == 1 or sum(self._sizes[each].letters for each in found) > self._most:
            return []
        # Without an element around them nobody says where remarks end.
        return found if kind == "more" and self._is_foreign(found[1:], kind) else []
