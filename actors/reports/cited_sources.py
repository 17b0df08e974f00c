"""The sources that a provider's report cites: fetched once each, kept, and noted, as far as they can be had."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from actors.answering.candidates import Source
from actors.answering.terms import Terms
from actors.desk import OutsideDesk
from actors.outside import Page
from actors.ports import Passage
from actors.reports.interaction import Draft
from actors.reports.report_checking import PageText
from actors.reports.wording import short
from actors.webpages.webpage import page_kept
from events.errors import ResearchError
from events.research import PageKept, SourceRead
from events.words import count

PAGES_READ = 60
"""So many sources are fetched at the most."""

LEFT_UNREAD = "limit_reached"
"""The code of a source that is not read because the caller wants no more of them."""

_REDIRECTS = frozenset({"vertexaisearch.cloud.google.com"})
"""Hosts of the provider's own, whose addresses only lead to the source that is meant."""


@dataclass(frozen=True)
class Reach:
    """Which sources of a report may be read, and how many."""

    most: int = PAGES_READ
    tries: int = PAGES_READ
    """So many are fetched to get at them: what cannot be read takes no place."""

    allows: Callable[[str], bool] = lambda url: True
    """Whether an address is on a site that may be read."""

    @property
    def over(self) -> tuple[str, str]:
        """Why nothing more is read: a code and a sentence."""
        if self.most < PAGES_READ:
            return LEFT_UNREAD, f"The limit of {count(self.most, 'source')} was reached."
        return "scope_exceeded", f"Only {PAGES_READ} sources are read."

    def begins(self, url: str) -> bool:
        """Whether an address may be fetched to see where it leads."""
        try:
            host = urlsplit(url).hostname
        except ValueError:
            return self.allows(url)
        return host in _REDIRECTS or self.allows(url)


ANYWHERE = Reach()


@dataclass
class Sources:
    """What a report cites, as far as it could be read."""

    named: list[str] = field(default_factory=list)
    """Every address that the report gives, once."""

    pages: dict[str, Page] = field(default_factory=dict)
    """By the address that the report gives."""

    texts: dict[str, PageText] = field(default_factory=dict)
    unread: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Addresses that could not be read: code and sentence of the failure."""

    titles: dict[str, str] = field(default_factory=dict)
    """What the report calls them."""

    def text(self, page: Page) -> str:
        """What a page says."""
        return self.texts[page.url].text

    def source(self, page: Page) -> Source:
        """A page in the shape in which sources are judged."""
        passage = Passage(
            document=page.final_url,
            version=page.original.hash,
            size=page.original.size,
            text_hash=page.text.hash,
            locator=page.final_url,
            title=page.title,
            media_type=page.media_type,
            collection="web",
            published_at=page.fetched_at,
            headings=(),
            start=0,
            end=0,
            text="",
            score=0.0,
        )
        return Source(passage, self.text(page), (), 0)


def read_sources(
    draft: Draft,
    desk: OutsideDesk,
    reach: Reach = ANYWHERE,
    *,
    by_page: bool = False,
    plainly: bool = False,
) -> Sources:
    """Fetch the sources that a report cites, once each, as far as they may be read, and note what was.

    `by_page`: whether a page that several addresses lead to is read once. `plainly`: whether what is no address of the
    web is called that.
    """
    sources, terms = Sources(), Terms()
    known: set[tuple[str, str, str]] = set()
    sources.titles = {each.url: each.title for each in reversed(draft.cited) if each.title}
    sources.named = list(dict.fromkeys(each.url for each in draft.cited))
    sources.unread = {
        url: _NOWHERE if plainly and not _on_the_web(url) else _OUTSIDE
        for url in sources.named
        if not reach.begins(url)
    }
    wanted = [url for url in sources.named if url not in sources.unread]
    for urls in _portions(wanted, sources, reach):
        for url, outcome in zip(urls, desk.fetch(urls), strict=True):
            if isinstance(outcome, ResearchError):
                code = outcome.args[0] if outcome.code == "failed_before" else outcome.code
                sources.unread[url] = str(code), outcome.sentence
            elif not reach.allows(outcome.final_url):
                desk.note(page_kept(url, outcome))
                leads = f"It leads to {short(outcome.final_url, 200)}, outside the sites"
                sources.unread[url] = _OUTSIDE[0], f"{leads} that may be read."
            else:
                sources.pages[url] = outcome
                sources.texts[url] = PageText(url, desk.text(outcome.text.hash), terms)
                kept, read = _read(url, outcome)
                page = read.url, read.content_hash, read.text_hash
                desk.note(*([kept] if by_page and page in known else [kept, read]))
                known.add(page)
    for url in wanted:
        if url not in sources.pages:
            sources.unread.setdefault(url, reach.over)
    return sources


_OUTSIDE = "site_left_out", "It is outside the sites that may be read."
_NOWHERE = "site_left_out", "Its address is none of the web: only http and https are read."


def _on_the_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def _portions(wanted: list[str], sources: Sources, reach: Reach) -> Iterator[list[str]]:
    """Addresses to be fetched together; more of them, as long as others could not be read."""
    tried = 0
    while (room := min(reach.most - len(sources.pages), reach.tries - tried)) > 0:
        urls = wanted[tried : tried + room]
        if not urls:
            return
        tried += len(urls)
        yield urls


def _read(url: str, page: Page) -> tuple[PageKept, SourceRead]:
    read = SourceRead(
        step=3,
        action="fetch_url",
        url=page.final_url,
        title=page.title or None,
        content_hash=page.original.hash,
        content_length=page.original.size,
        text_hash=page.text.hash,
        decision="The report cites it.",
    )
    return page_kept(url, page), read
