"""Reads feeds as the articles that they announce: each entry by its title, its date and its text."""

import re

from actors.adapters.decoding import decode_text
from actors.adapters.draft import Draft
from actors.adapters.html.seen import SeenPage
from actors.adapters.sources import parse_data
from actors.ports import Parsed
from actors.webpages import feeds

_IS_FEED = re.compile(
    rb"(?:\xef\xbb\xbf)?+\s*+(?:<\?xml[^>]{0,200}\?>\s*+)?(?:<[?!][^>]{0,1000}>\s*+){0,10}"
    rb"<(?:rss\b|(?:feed|rdf:RDF)\b[^>]{0,2000}?(?:www\.w3\.org/2005/Atom|purl\.org/(?:atom|rss)))",
    re.I,
)
"""By its first element: data of other kinds has roots of these names, too."""


def is_feed(beginning: bytes) -> bool:
    """Whether the bytes of a file begin as those of a feed."""
    return _IS_FEED.match(beginning) is not None


def parse_feed(name: str, raw: bytes) -> Parsed:
    """The entries of a feed; the lines of one that has none."""
    text = decode_text(name, raw)
    draft = Draft(name)
    title = feeds.title_of(text)
    draft.heading(1, title)
    announced = False
    for entry in feeds.entries(text):
        if entry.title or entry.text:
            draft.heading(2, entry.title or entry.date or entry.link)
            draft.paragraph(entry.date)
            _pour(name, entry.text, draft)
            announced = True
    if not announced:
        return parse_data(name, raw)
    kind = "atom" if b"<feed" in raw[:5_000] else "rss"
    return draft.parsed(f"application/{kind}+xml", title or None)


def _pour(name: str, markup: str, draft: Draft) -> None:
    """The text of an entry, its headings below that of the entry."""
    own = Draft(name)
    SeenPage(own).read(markup)
    read = own.parsed("text/html")
    for block in read.blocks:
        if block.kind == "heading":
            draft.heading(block.level + 2, block.title)
        else:
            draft.passage(read.text, [block])
