"""The sources that a provider's report cites: fetched once each, kept, and noted, as far as they can be had."""

from dataclasses import dataclass, field

from actors.candidates import Source
from actors.desk import OutsideDesk
from actors.interaction import Draft
from actors.outside import Page
from actors.ports import Passage
from actors.report_checking import PageText
from actors.terms import Terms
from actors.webpage import page_kept
from events.errors import ResearchError
from events.research import PageKept, SourceRead

PAGES_READ = 60
"""So many sources are fetched at the most."""


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


def read_sources(draft: Draft, desk: OutsideDesk) -> Sources:
    """Fetch every source that a report cites, once each, and note what was read."""
    sources, terms = Sources(), Terms()
    sources.titles = {each.url: each.title for each in reversed(draft.cited) if each.title}
    urls = sources.named = list(dict.fromkeys(each.url for each in draft.cited))
    for url, outcome in zip(urls, desk.fetch(urls[:PAGES_READ]), strict=False):
        if isinstance(outcome, ResearchError):
            code = outcome.args[0] if outcome.code == "failed_before" else outcome.code
            sources.unread[url] = str(code), outcome.sentence
            continue
        text = desk.text(outcome.text.hash)
        sources.pages[url] = outcome
        sources.texts[url] = PageText(url, text, terms)
        desk.note(*_read(url, outcome))
    for url in urls[PAGES_READ:]:
        sources.unread[url] = "scope_exceeded", f"Only {PAGES_READ} sources are read."
    return sources


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
