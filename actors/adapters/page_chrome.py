"""What of a page is the site's and not the page's own: menus, banners, sidebars, lists of links.

Judged by what elements are and what they are called, and by how much of them is links. Rough on
purpose: what is left serves to mend what a better reader found, and to stand in where it found nothing.
"""

import contextlib
import re
from dataclasses import dataclass
from typing import Any

_ELEMENTS = frozenset({"nav", "aside", "footer", "form", "button", "dialog", "menu"})
_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog"}
)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:g?nav(?:bar|igation)?|menu|sidebar|side-?col|footer|foot|breadcrumbs?|topicpath|pan(?:kuzu)?"
    r"|cookies?|consent|gdpr|share|sharing|social|sns|related|recommend(?:ed|ations?)?|similar|upsell|popular|ranking"
    r"|most-?read|comments?|comment-list|disqus|newsletter|subscribe|subscription|promo|advert(?:isement)?|ads?|banner"
    r"|sponsor(?:ed)?|pagination|pager|toc|tags?|widget|login|signup|modal|popup|rating|reviews?|votes?|votecell|toolbar"
    r"|entry-footer|post-menu|author-box|byline|site-?header|masthead|skip|copyright)(?:$|[\s_-])",
    re.I,
)
_KEPT = frozenset({"html", "body", "main", "article"})
_BLOCKS = frozenset({"div", "ul", "ol", "section", "table", "p", "dl", "header", "span", "td"})
LINKED = 0.6
"""Share of its letters from which a block is a list of links."""

_LONG = 1_500
"""Letters of a block that is too large to be judged by its links alone."""


@dataclass
class _Size:
    letters: int = 0
    linked: int = 0
    """Letters within links."""

    links: int = 0
    holds_page: bool = False
    """The page's own part is, or is in, this element."""


def drop_chrome(tree: Any) -> None:
    """Take out of a parsed page what is not its own."""
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    sizes = _sizes(elements)
    for element, size in zip(elements, sizes, strict=True):
        if element.tag not in _KEPT and _is_chrome(element, size):
            with contextlib.suppress(AssertionError):  # it went with its parent
                element.drop_tree()


def _is_chrome(element: Any, size: _Size) -> bool:
    if size.holds_page:
        return False
    if element.tag in _ELEMENTS or (element.get("role") or "").casefold() in _ROLES:
        return True
    called = f"{element.get('id') or ''} {element.get('class') or ''}"[:500]
    if called.strip() and _NAMES.search(called):
        return True
    if element.tag == "header":
        return not any(above.tag in {"article", "main"} for above in element.iterancestors())
    lists_links = size.links > 1 and size.linked >= LINKED * size.letters
    return element.tag in _BLOCKS and lists_links and size.letters < _LONG


def _sizes(elements: list[Any]) -> list[_Size]:
    """What is in each element, from the innermost outwards."""
    sizes = {element: _Size() for element in elements}
    for element in reversed(elements):
        size = sizes[element]
        size.letters += _letters(element.text)
        if element.tag == "a":
            size.linked, size.links = size.letters, 1
        size.holds_page |= element.tag in {"article", "main"}
        above = sizes.get(element.getparent())
        if above is not None:
            above.letters += size.letters + _letters(element.tail)
            above.linked += size.linked
            above.links += size.links
            above.holds_page |= size.holds_page
    return [sizes[element] for element in elements]


def _letters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0
