"""Which addresses a sitemap, a feed or a page names: read with distrust, in time that grows with the text.

Patterns never give back what they took, so that no text can make them try the same blanks twice.
"""

import re
from collections.abc import Iterator

from actors.markup import unescaped

_LOC = re.compile(r"<loc>\s*+(?:<!\[CDATA\[)?+\s*+([^<\]\s]{1,2000})", re.I)
_INDEX = re.compile(r"<sitemapindex\b", re.I)
_URLSET = re.compile(r"<urlset\b", re.I)
_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)\b", re.I)
_ENTRY = re.compile(r"<(item|entry)\b", re.I)
_ENTRY_END = re.compile(r"</(?:item|entry)\b", re.I)
_LINK = re.compile(
    r"<link\b([^<>]{0,4000})>(?:\s*+(?:<!\[CDATA\[)?+\s*+([^<\]\s]{1,2000}))?+", re.I
)
_ANCHOR = re.compile(r"<a\b[^<>]{0,1000}?(?<![\w-])href\s*+=\s*+[\"']?([^\"'<>\s]{1,2000})", re.I)
_BASE = re.compile(r"<base\b([^<>]{0,4000})>", re.I)
_REL = re.compile(r"(?<![\w-])rel\s*+=\s*+[\"']?([^\"'>]{1,200})", re.I)
_HREF = re.compile(r"(?<![\w-])href\s*+=\s*+[\"']?([^\"'<>\s]{1,2000})", re.I)
_FEED_TYPE = re.compile(r"application/(?:rss|atom)\+xml", re.I)
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|css|js|json|zip|gz|mp[34]|mov|avi|woff2?|xml|rss|exe|dmg)$",
    re.I,
)
_HEAD = 200_000
"""Characters in which a page names its feeds."""


def is_index(text: str) -> bool:
    """Whether a text lists sitemaps."""
    return _INDEX.search(text) is not None


def is_sitemap(text: str) -> bool:
    """Whether a text lists the pages of a site, or sitemaps that do."""
    return is_index(text) or _URLSET.search(text) is not None


def is_feed(text: str) -> bool:
    """Whether a text is a feed."""
    return _FEED.search(text[:5_000]) is not None


def locations(sitemap: str) -> Iterator[str]:
    """What a sitemap lists."""
    return (unescaped(match.group(1)) for match in _LOC.finditer(sitemap))


def entries(feed: str) -> Iterator[str]:
    """The pages that the entries of a feed stand for."""
    place = 0
    while begin := _ENTRY.search(feed, place):
        end = _ENTRY_END.search(feed, begin.end())
        if end is None:
            return
        place = end.end()
        if link := _own_link(feed[begin.end() : end.start()]):
            yield link


def _own_link(entry: str) -> str | None:
    """The page itself, not how to edit it or what others replied."""
    for tag, content in _LINK.findall(entry):
        rel, href = _REL.search(tag), _HREF.search(tag)
        if rel and "alternate" not in rel[1].casefold():
            continue
        if link := href[1] if href else content:
            return unescaped(link)
    return None


def feeds(page: str) -> list[str]:
    """The feeds that a page names as its own."""
    found = []
    for tag, _ in _LINK.findall(page[:_HEAD]):
        rel, href = _REL.search(tag), _HREF.search(tag)
        if rel and href and "alternate" in rel[1].casefold() and _FEED_TYPE.search(tag):
            found.append(unescaped(href[1]))
    return found


def links(page: str) -> Iterator[str]:
    """Where a page leads."""
    return (unescaped(match.group(1)) for match in _ANCHOR.finditer(page))


def base(page: str) -> str:
    """From where a page counts its links; nothing, if from its own address."""
    named = (_HREF.search(match.group(1)) for match in _BASE.finditer(page, 0, _HEAD))
    return next((unescaped(href[1]) for href in named if href), "")


def may_be_page(path: str) -> bool:
    """Whether an address may be that of a page, by how it ends."""
    return _NOT_PAGES.search(path) is None
