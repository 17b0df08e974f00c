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
    # That something has a sidebar, or none, is said of what stands beside it.
    r"(?:^|[\s_-])(?<!has[_-])(?<!with[_-])(?<!no[_-])(?<!out[_-])(?<!is[_-])(?:g?nav(?:bar|igation)?|menu|sidebar|side-?col|footer|foot|breadcrumbs?|topicpath|pan(?:kuzu)?"
    r"|cookies?|consent|gdpr|share|sharing|social|sns|related|recommend(?:ed|ations?)?|similar|upsell|popular|ranking"
    r"|most-?read|comments?|comment-list|disqus|newsletter|subscribe|subscription|promo|advert(?:isement)?|ads?|banner"
    r"|sponsor(?:ed)?|pagination|pager|toc|tags?|(?<!elementor-)widget|login|signup|modal|popup|rating|reviews?|votes?|votecell|toolbar"
    r"|entry-footer|post-menu|author-box|byline|site-?header|masthead|skip|copyright)(?:$|[\s_-])",
    re.I,
)
_NEVER = re.compile(
    r"(?:^|[\s_-])(?:cookie-?(?:banner|bar|notice|consent|law|layer|popup|policy)|consent-?(?:banner|layer|modal|manager)|cmp-(?:layer|banner|container|box)|gdpr"
    r"|post-?profile|poster-?info|user-?(?:info|profile|details|card)|signature|online-?list|whos?-?(?:is-?)?online|forum-?stats"
    r"|sharedaddy|addtoany|share-?(?:bar|buttons?|links|tools|icons)|social-?(?:share|sharing|icons|links|bar|buttons)"
    r"|related-?(?:posts?|articles?|stories|content|news|links)|jp-relatedposts|(?:mw-)?editsection|no-?print"
    r"|jetpack-subscriptions|(?:newsletter|subscribe|subscription|sign-?up)-?(?:forms?|box|card|cta|inline|promo|sign-?up|widget(?:-wrap)?)|mc_embed_signup|skip-?(?:link|nav|to-content)|screen-reader-text|visually-hidden|sr-only)(?:$|[\s_-])",
    re.I,
)
"""Names that nothing of a page's own text has."""

_KEPT = frozenset({"html", "body", "main", "article"})
_BLOCKS = frozenset({"div", "ul", "ol", "section", "table", "p", "dl", "header", "span", "td"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LESSER = 0.4
"""Share of a page from which an element is no mere frame of it, whatever it is called."""

_ENTRY = re.compile(r"(?:^|\s)(?:hentry|h-entry|type-(?:post|page))(?:$|\s)")
"""Names of an entry of a weblog, beside which those of its tags and categories say nothing."""

LINKED = 0.6
"""Share of its letters from which a block is a list of links."""

_FEW = 200
_LONG = 1_500
"""Letters of a block that is too large to be judged by its links alone."""


@dataclass
class Size:
    """How much an element says, and what it holds."""

    letters: int = 0
    linked: int = 0
    """Letters within links."""

    links: int = 0
    holds_page: bool = False
    """The page's own part is, or is in, this element."""

    headed: bool = False
    """It has a heading of the highest level."""


def drop_sure_chrome(tree: Any) -> None:
    """Take out of a parsed page only what no reader could take for its text."""
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    sizes = sizes_of(elements)
    for element, size in zip(elements, sizes, strict=True):
        lesser = size.letters < _LESSER * sizes[0].letters
        if element.tag in _KEPT or element.tag in _HEADINGS or size.holds_page or not lesser:
            continue
        if _NEVER.search(_called(element)):
            with contextlib.suppress(AssertionError):  # it went with its parent
                element.drop_tree()


def drop_chrome(tree: Any) -> None:
    """Take out of a parsed page what is not its own."""
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    sizes = sizes_of(elements)
    of_links = _within_main_of_links(elements, sizes)
    for element, size in zip(elements, sizes, strict=True):
        if element.tag not in _KEPT and _is_chrome(element, size, of_links):
            with contextlib.suppress(AssertionError):  # it went with its parent
                element.drop_tree()


def _within_main_of_links(elements: list[Any], sizes: list[Size]) -> frozenset[Any]:
    """What is in the main part of a page that is nothing but a list of links."""
    for element, size in zip(elements, sizes, strict=True):
        named = element.tag == "main" or element.get("role") == "main"
        if named and size.letters - size.linked < _FEW:
            return frozenset(element.iter())
    return frozenset()


def _is_chrome(element: Any, size: Size, of_links: frozenset[Any]) -> bool:
    if size.holds_page:
        return False
    if element.tag in _ELEMENTS or (element.get("role") or "").casefold() in _ROLES:
        return True
    if _NAMES.search(_called(element)):
        return True
    if element.tag == "header":
        return not any(above.tag in {"article", "main"} for above in element.iterancestors())
    lists_links = (
        size.links > 1
        and size.linked >= LINKED * size.letters
        and element not in of_links
        and not size.headed
    )
    return element.tag in _BLOCKS and lists_links and size.letters < _LONG


def _called(element: Any) -> str:
    return f"{element.get('id') or ''} {element.get('class') or ''}"[:500]


def sizes_of(elements: list[Any]) -> list[Size]:
    """What is in each element, from the innermost outwards."""
    sizes = {element: Size() for element in elements}
    for element in reversed(elements):
        size = sizes[element]
        size.letters += _letters(element.text)
        if element.tag == "a":
            size.linked, size.links = size.letters, 1
        size.holds_page |= _is_page(element)
        size.headed |= element.tag == "h1"
        above = sizes.get(element.getparent())
        if above is not None:
            above.letters += size.letters + _letters(element.tail)
            above.linked += size.linked
            above.links += size.links
            above.holds_page |= size.holds_page
            above.headed |= size.headed
    return [sizes[element] for element in elements]


def _is_page(element: Any) -> bool:
    """Whether a page says of an element that it is its own part."""
    if element.tag in {"article", "main"} or element.get("role") in {"main", "article"}:
        return True
    return _ENTRY.search(element.get("class") or "") is not None


def _letters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0
