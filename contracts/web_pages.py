"""Contract 03: a web page, fetched once and brought into the knowledge base as it was served."""

from typing import TYPE_CHECKING

from contracts.core import Core
from contracts.knowledge import expect_open
from events.catalogue import Entry

if TYPE_CHECKING:
    from actors.adapters.fetching import Fetcher

_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "application/json": ".json",
    "text/csv": ".csv",
}


def start_page(
    core: Core,
    url: str,
    collection: str,
    *,
    title: str | None = None,
    fetcher: "Fetcher | None" = None,
) -> str:
    """Fetch a page and accept the job of bringing it in; the job's id.

    Raises a `FetchFailed` that says what was in the way; then nothing was accepted.
    """
    from actors.adapters.fetching import Fetcher

    expect_open(core, collection)
    page = (fetcher or Fetcher()).fetch(url)
    core.home.prepare()
    entry = Entry(
        locator=page.url,
        content=core.home.blobs.put(page.body),
        name=f"page{_ENDINGS.get(page.media_type, '.txt')}",
        title=title,
        metadata={
            "final_url": page.final_url,
            "content_type": page.content_type,
            "fetched_at": page.date,
            "etag": page.etag,
            "last_modified": page.last_modified,
        },
    )
    job, _ = core.catalogue.enter_job(collection, [entry])
    core.wake_engine()
    return job
