"""What a feed says, entry by entry: RSS and Atom, also where they are not quite the XML that they should be.

Patterns never give back what they took, so that no text can make them try the same blanks twice.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from actors.webpages.markup import unescaped, untagged
from actors.webpages.tags import address

_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)(?=[\s/>])", re.I)
_ENTRY = re.compile(r"<(item|entry)\b([^<>]{0,4000})>", re.I)
_ENTRY_END = re.compile(r"</(?:item|entry)\b", re.I)
_LINK = re.compile(
    r"<link\b([^<>]{0,4000})>(?:\s*+(?:<!\[CDATA\[([^<>]{1,2000})\]\]>|([^<]{1,2000})))?+", re.I
)
_GUID = re.compile(
    r"<guid\b([^<>]{0,1000})>\s*+(?:<!\[CDATA\[)?+\s*+(https?://[^<>\s]{1,2000})", re.I
)
_NO_ADDRESS = re.compile(r"isPermaLink\s*+=\s*+[\"']?+\s*+false", re.I)
_REL = re.compile(r"(?<![\w-])rel\s*+=\s*+[\"']?([^\"'>]{1,200})", re.I)
_HREF = re.compile(
    r"(?<![\w-])href\s*+=\s*+(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s\"'<>]{1,2000}))", re.I
)
_BASE = re.compile(r"xml:base\s*+=\s*+(?:\"([^\"]{1,2000})\"|'([^']{1,2000})')", re.I)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.S)
_TYPE = re.compile(r"(?<![\w-])type\s*+=\s*+[\"']?([a-z/+]{1,40})", re.I)
_ATOM = re.compile(r"<feed(?=[\s>])", re.I)
_BEGINNING = 5_000
"""Characters in which a text shows that it is a feed."""


class _Named(NamedTuple):
    """Where an element of a name begins and ends."""

    begins: re.Pattern[str]
    ends: re.Pattern[str]


def _named(*names: str) -> tuple[_Named, ...]:
    return tuple(
        _Named(
            re.compile(rf"<{name}(?=[\s>])([^<>]{{0,4000}})>", re.I),
            re.compile(rf"</{name}(?=[\s>])", re.I),
        )
        for name in names
    )


_TITLE = _named("title")
_DATE = _named("pubDate", "published", "dc:date", "updated")
_TEXT = _named("content:encoded", "content", "description", "summary")


class FeedEntry(NamedTuple):
    """One entry of a feed."""

    link: str
    """The page that it stands for, if it names one; may be relative to the feed."""

    title: str
    date: str
    text: str
    """As HTML."""


class _Element(NamedTuple):
    attributes: str
    content: str


def is_feed(text: str) -> bool:
    """Whether a text is a feed."""
    return _FEED.search(text[:_BEGINNING]) is not None


def title_of(feed: str) -> str:
    """What a feed is called."""
    first = _ENTRY.search(feed)
    return _words(_element(feed[: first.start() if first else _BEGINNING], _TITLE))


def entries(feed: str) -> Iterator[FeedEntry]:
    """The entries of a feed, as it orders them."""
    atom = _ATOM.search(feed[:_BEGINNING]) is not None
    for element, base in _entries(feed):
        body = element.content
        yield FeedEntry(
            link=_link(body, base),
            title=_words(_element(body, _TITLE)),
            date=_words(_element(body, _DATE)),
            text=_markup(_element(body, _TEXT), atom=atom),
        )


def links(feed: str) -> Iterator[str]:
    """The pages that the entries of a feed stand for."""
    return filter(None, (_link(element.content, base) for element, base in _entries(feed)))


def _entries(feed: str) -> Iterator[tuple[_Element, str]]:
    """Each entry, and from where its links count if not from the feed."""
    place = 0
    base: str | None = None
    while begin := _ENTRY.search(feed, place):
        if base is None:
            base = _joined("", feed[: min(begin.start(), _BEGINNING)])
        end = _ENTRY_END.search(feed, begin.end())
        if end is None:
            return
        place = end.end()
        yield (
            _Element(begin.group(2), feed[begin.end() : end.start()]),
            _joined(base, begin.group(2)),
        )


def _link(entry: str, base: str) -> str:
    """The page itself, not how to edit it or what others replied."""
    for tag, told, said in _LINK.findall(entry):
        rel, href = _REL.search(tag), _HREF.search(tag)
        if rel and "alternate" not in rel[1].casefold():
            continue
        written = next(filter(None, href.groups()), "") if href else told or said
        if found := address(written):
            return _join(_joined(base, tag), found)
    guid = _GUID.search(entry)
    if guid and not _NO_ADDRESS.search(guid[1]):
        return address(guid[2].removesuffix("]]"))
    return ""


def _joined(base: str, tag: str) -> str:
    own = _BASE.search(tag)
    return _join(base, address(own[1] or own[2])) if own else base


def _join(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def _element(text: str, names: tuple[_Named, ...]) -> _Element:
    """The first element that there is of these names, the first of them first."""
    for name in names:
        begin = name.begins.search(text)
        if begin and not begin[1].endswith("/"):
            end = name.ends.search(text, begin.end())
            if end and (content := text[begin.end() : end.start()].strip()):
                return _Element(begin[1], content)
    return _Element("", "")


def _words(element: _Element) -> str:
    """A title or a date on one line; titles have marks in them, though they should not."""
    told = _CDATA.search(element.content)
    return untagged(told[1] if told else unescaped(element.content))


def _markup(element: _Element, *, atom: bool) -> str:
    """The text of an entry as HTML, whichever way it was packed."""
    kind = _TYPE.search(element.attributes)
    said = kind[1].casefold() if kind else "text" if atom else "html"
    if said in ("xhtml", "application/xhtml+xml"):
        return element.content
    told = "".join(_CDATA.findall(element.content)) or unescaped(element.content)
    return told if "html" in said else html.escape(told)
