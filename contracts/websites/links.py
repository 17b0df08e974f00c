"""Which addresses a sitemap or a page names: read with distrust, in time that grows with the text.

Patterns never give back what they took, so that no text can make them try the same blanks twice.
"""

import re
from collections.abc import Iterator

from actors.webpages.tags import address, tags

_ROOT = re.compile(r"<((?:[\w.-]{1,40}:)?)(urlset|sitemapindex)(?=[\s/>])", re.I)
_ADDRESS = re.compile(r"https?://[^\s<>]{1,2000}", re.I)
_FEED_TYPE = re.compile(r"application/(?:rss|atom)\+xml", re.I)
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|svg|webp|ico|css|js|json|zip|gz|mp[34]|mov|avi|woff2?|xml|rss|exe|dmg)$",
    re.I,
)
_HEAD = 200_000
"""Characters in which a page says what belongs to it."""

_GLANCED = 50
"""Lines of a text by which it is a list of addresses or is not."""


def is_index(text: str) -> bool:
    """Whether a text lists sitemaps."""
    root = _ROOT.search(text)
    return root is not None and root[2].casefold() == "sitemapindex"


def is_sitemap(text: str) -> bool:
    """Whether a text lists the pages of a site, or sitemaps that do."""
    return _ROOT.search(text) is not None or _is_list(text)


def locations(sitemap: str) -> Iterator[str]:
    """What a sitemap lists: by elements of its own kind, not those of images, or by lines."""
    root = _ROOT.search(sitemap)
    if root is None:
        if _is_list(sitemap):
            yield from (each.strip() for each in sitemap.splitlines() if each.strip())
        return
    location = re.compile(
        rf"<{re.escape(root[1])}loc(?:\s[^<>]{{0,1000}})?+>"
        r"\s*+(?:<!\[CDATA\[([^<>]{1,2000})\]\]>|([^<]{1,2000}))",
        re.I,
    )
    for match in location.finditer(sitemap):
        if found := address(match[1] or match[2]):
            yield found


def _is_list(text: str) -> bool:
    """Whether a text is nothing but addresses, one a line."""
    lines = text[:_HEAD].split("\n", _GLANCED)[:_GLANCED]
    said = [each.strip() for each in lines if each.strip()]
    return bool(said) and all(_ADDRESS.fullmatch(each) for each in said)


def feeds(page: str) -> list[str]:
    """The feeds that a page names as its own."""
    return [
        address(link["href"])
        for _, link in tags(page[:_HEAD], "link")
        if "alternate" in link.get("rel", "").casefold()
        and _FEED_TYPE.search(link.get("type", ""))
        and link.get("href")
    ]


def links(page: str) -> Iterator[str]:
    """Where a page leads."""
    return (address(tag["href"]) for _, tag in tags(page, "a", "area") if tag.get("href"))


def base(page: str) -> str:
    """From where a page counts its links; nothing, if from its own address."""
    named = (tag.get("href") for _, tag in tags(page[:_HEAD], "base"))
    return next((address(href) for href in named if href), "")


def canonical(page: str) -> str:
    """The address that a page calls its own; nothing, if it calls none so."""
    named = (
        link.get("href")
        for _, link in tags(page[:_HEAD], "link")
        if "canonical" in link.get("rel", "").casefold().split()
    )
    return next((address(href) for href in named if href), "")


def may_be_page(path: str) -> bool:
    """Whether an address may be that of a page, by how it ends."""
    return _NOT_PAGES.search(path) is None
