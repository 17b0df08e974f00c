"""The pages among the documents of a job: fetched through its desk, and told about when they end.

What a server answered is in the record, packed as it came, so after a crash no page is fetched
twice; nor is one that was looked at already when the pages of its site were found. What stands in
a page's place (a login, an error, an empty shell) is refused like a page that is not there.
"""

import re
import time
from dataclasses import replace
from typing import Any, Literal, cast
from urllib.parse import unquote, urlsplit

from actors.adapters.decoding import decode_declared, decode_page, has_mark, without_controls
from actors.adapters.draft import file_title, one_line
from actors.adapters.pages import Fetched
from actors.adapters.walls import HTML, refuse_walls
from actors.ingesting.workshop import Draft
from actors.ports import Answer, Archive
from actors.recorded import FailedBefore, RecordedDesk
from actors.webpages.extraction import PageToRead, extract
from actors.webpages.page_fetching import Fetch, fetcher_of
from actors.webpages.page_languages import languages_of
from events.base import Blob, Fact
from events.catalogue import Entry, SourcePublished
from events.codec import decode
from events.errors import (
    DamagedBlob,
    FetchFailed,
    MissingBlob,
    NothingToRead,
    ResearchError,
)
from events.ingest import FileDone
from events.stream import utc_now
from events.websites import (
    ORDER,
    Extracted,
    FetchOrder,
    WebsiteProcessingCompleted,
    WebsiteProcessingFailed,
)

_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "application/json": ".json",
    "text/csv": ".csv",
}
_SERVED = (
    *("url", "final_url", "fetched_at", "etag", "last_modified"),
    *("served_as", "rendered"),
)
"""What is known of a page since it was fetched, beside its bytes."""

_PAGE_ENDING = re.compile(r"\.(?:[xs]?html?|php\d?|aspx?|jspx?|cgi|txt|md|pdf|json|csv|xml)$", re.I)
_NO_NAMES = frozenset({"index", "default", "home"})
"""What the first page of a folder is called everywhere."""

_LONGEST_NAME = 120
_CHARSET_INSIDE = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=", re.I)


class Pages:
    """The pages of one job."""

    def __init__(self, desk: RecordedDesk, archive: Archive, fetch: Fetch | None = None) -> None:
        self._desk, self._archive, self._fetch = desk, archive, fetch or fetcher_of(archive)
        self._orders: dict[str, FetchOrder] = {}
        self._served: dict[str, Fetched] = {}
        self._taken: dict[str, Blob] = {}
        self._began: dict[str, float] = {}
        self._refused: dict[str, dict[str, Any]] = {}
        """What is known of the pages that could not be had, and what to do about them."""

    def take(self, entry: Entry) -> Blob:
        """Fetch a page and keep its bytes; raises what was in the way."""
        if entry.locator not in self._taken:
            try:
                self._taken[entry.locator] = self._bytes_of(entry, self._ask(entry))
            except FetchFailed as refusal:
                about = {"details": refusal.details, "suggestion": refusal.advice}
                self._refused[entry.locator] = about
                raise
            except FailedBefore as refusal:
                self._refused[entry.locator] = {"details": refusal.args[2]}
                raise
        return self._taken[entry.locator]

    def _bytes_of(self, entry: Entry, served: Fetched) -> Blob:
        if served.not_modified and (held := order_of(entry).content):
            return held
        refuse_wall(entry.locator, served)
        return self._archive.put(readable(served))

    def as_served(self, entry: Entry) -> Entry:
        """The entry with what is known of it since it was fetched."""
        if entry.locator not in self._served:
            self._ask(entry)
        order, served = order_of(entry), self._served[entry.locator]
        media_type, served_as = served.media_type, served.content_type
        if served.not_modified:
            # Such an answer says nothing of the bytes: they are what they were when they came.
            media_type, served_as = order.media_type, order.served_as
        about = {
            "url": entry.locator,
            "final_url": served.final_url,
            "fetched_at": served.date,
            "etag": served.etag or order.etag,
            "last_modified": served.last_modified or order.last_modified,
            "served_as": served_as,
            "rendered": "chromium" if served.rendered else "",
        }
        return _with_served(entry, about, media_type or "text/html")

    def wanted_anew(self, entry: Entry) -> bool:
        """Whether a page is to be read again although it has not changed."""
        order = self._orders.get(entry.locator)
        return order is not None and order.anew

    def _ask(self, entry: Entry) -> Fetched:
        """What the server answered, now or before a restart. To be asked once for each page."""
        order = self._orders[entry.locator] = order_of(entry)
        self._began[entry.locator] = time.monotonic()
        request = {"url": entry.locator, "order": order.model_dump(mode="json")}

        def perform() -> Answer:
            return Answer(
                content=self._looked_at(order) or self._fetch(entry.locator, order).pack()
            )

        served = Fetched.unpack(self._desk.ask("fetch", "page", request, perform))
        # Without its bytes: a job may have hundreds of pages.
        self._served[entry.locator] = replace(served, body=b"")
        return served

    def _looked_at(self, order: FetchOrder) -> bytes | None:
        """What was served when the page was looked at, if that is still to be had."""
        if order.served is None:
            return None
        try:
            return self._archive.get(order.served.hash)
        except (MissingBlob, DamagedBlob):
            return None

    # -- how it ended ------------------------------------------------------------------------------

    def ended(self, done: FileDone, draft: Draft | None = None) -> list[Fact]:
        """What there is to say of a website whose way has come to its end."""
        order = self._orders.get(done.locator)
        if order is None or order.source_id is None:
            return []
        about: dict[str, Any] = {
            "tool_name": order.tool_name,
            "source_id": order.source_id,
            "url": done.locator,
            "timestamp": utc_now(),
        }
        if done.outcome in {"failed", "empty"} or done.version is None:
            return [WebsiteProcessingFailed(**about, **self._failure(done))]
        served, took = self._served[done.locator], time.monotonic() - self._began[done.locator]
        return [
            WebsiteProcessingCompleted(
                **about,
                content_type=order.content_type,
                chunks_created=done.chunks,
                processing_time_ms=round(took * 1000),
                outcome=cast(Literal["added", "updated", "unchanged"], done.outcome),
                embedded=done.embedded,
                version=done.version,
                final_url=served.final_url,
                status_code=served.status,
                rendered=served.rendered,
                **(self._content(order, served.final_url, draft, done.warnings) if draft else {}),
            )
        ]

    def _failure(self, done: FileDone) -> dict[str, Any]:
        if done.outcome == "empty":
            empty = NothingToRead(done.locator, "there is no text on it", {})
            return {
                "error": empty.sentence,
                "code": empty.code,
                "details": empty.details,
                "suggestion": empty.advice,
            }
        return {
            "error": done.reason or "",
            "code": done.code or "",
            "details": {"url": done.locator},
            **self._refused.get(done.locator, {}),
        }

    def _content(
        self, order: FetchOrder, url: str, draft: Draft, warnings: tuple[str, ...]
    ) -> dict[str, Any]:
        extracted, unread = self._extracted(order, url, draft)
        text = self._archive.get(draft.outline.text.hash).decode()
        language, languages = languages_of(text, draft.chunks)
        return {
            "title": draft.outline.title,
            "language": language,
            "languages": languages,
            "extracted": extracted,
            "warnings": (*warnings, *unread),
        }

    def _extracted(
        self, order: FetchOrder, url: str, draft: Draft
    ) -> tuple[Extracted, tuple[str, ...]]:
        outline = draft.outline
        made_up = _is_made_up(outline.title, name_of(url, outline.media_type))
        try:
            raw = self._archive.get(draft.original.hash)
            is_html = outline.media_type == "text/html"
            page = PageToRead(
                html=decode_page("page.html", raw) if is_html else "",
                # A page says nothing of itself by what it is called for want of a title.
                title="" if made_up else outline.title,
                text=self._archive.get(outline.text.hash).decode(),
                blocks=outline.blocks,
                metadata=outline.metadata,
            )
            return extract(order.content_type, page)
        except Exception as failure:  # noqa: BLE001 - a page can break it in any way, and its text is found without it
            why = failure.sentence if isinstance(failure, ResearchError) else type(failure).__name__
            return {}, (f"its particulars could not be read: {why}",)


def is_page(entry: Entry) -> bool:
    """Whether a document has to be fetched."""
    return entry.content is None and entry.locator.startswith(("http://", "https://"))


def order_of(entry: Entry) -> FetchOrder:
    """How an entry is to be fetched."""
    return FetchOrder.model_validate(decode(entry.metadata.get(ORDER, "{}").encode()))


def as_held(entry: Entry, source: SourcePublished) -> Entry:
    """A page's entry with what is known of it since it was fetched, without fetching it."""
    about = {name: source.metadata.get(name, "") for name in _SERVED}
    return _with_served(entry, about, source.media_type)


def without_served(metadata: dict[str, str]) -> dict[str, str]:
    """What is said of a document, but for what is known of a page since it was fetched."""
    return {name: value for name, value in metadata.items() if name not in _SERVED}


def name_of(url: str, media_type: str) -> str:
    """What a page is called that says nothing of it itself: as the last part of its address, or its host."""
    parts = urlsplit(url)
    named = (one_line(without_controls(unquote(part))) for part in reversed(parts.path.split("/")))
    stems = (_PAGE_ENDING.sub("", part).strip(". ") for part in named if part)
    stem = next((stem for stem in stems if stem and stem.casefold() not in _NO_NAMES), "")
    return (stem or parts.hostname or "page")[:_LONGEST_NAME] + _ENDINGS.get(media_type, ".txt")


def _is_made_up(title: str, name: str) -> bool:
    return title in (name, file_title(name))


def _with_served(entry: Entry, about: dict[str, str], media_type: str) -> Entry:
    metadata = {name: value for name, value in entry.metadata.items() if name != ORDER}
    return entry.model_copy(
        update={
            "name": entry.name or name_of(about["final_url"] or entry.locator, media_type),
            "metadata": metadata | {name: value for name, value in about.items() if value},
        }
    )


def refuse_wall(url: str, served: Fetched) -> None:
    """Refuse what stands in a page's place."""
    if served.media_type in HTML:
        refuse_walls(url, readable(served), served.status)


def readable(served: Fetched) -> bytes:
    """The bytes of a page, as UTF-8 where only its header tells how else to read them."""
    body, charset = served.body, served.charset
    if not charset or not served.media_type.startswith(("text/", "application/xhtml")):
        return body
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        if _CHARSET_INSIDE.search(body, 0, 2048) or has_mark(body):
            return body
        # Where the header is wrong, whoever reads it has to guess.
        told = decode_declared(body, charset)
        return body if told is None else told.encode()
    return body
