"""Contract 04: the pages that there are, filtered, sorted and by pages."""

from collections.abc import Iterable
from typing import Any, Literal

from contracts.websites.wording import listed
from events.errors import BadRequest
from projections.websites import Websites

Reply = dict[str, Any]

MOST_LISTED = 100
CONTENT_TYPES = ("job_posting", "blog_article", "company_page")
_PHASES = ("pending", "processing", "completed", "failed")
_ORDERS = ("fetch_timestamp", "url", "status")


def listing(
    view: Websites,
    content_type: str | None = None,
    status: str | None = None,
    limit: int = 50,
    offset: int = 0,
    order_by: str = "fetch_timestamp",
    order: Literal["ASC", "DESC"] = "DESC",
) -> Reply:
    """The pages that there are."""
    expect_one_of("content_type", content_type, (None, *CONTENT_TYPES))
    expect_one_of("status", status, (None, *_PHASES))
    expect_one_of("order_by", order_by, _ORDERS)
    expect_one_of("order", order, ("ASC", "DESC"))
    if not 1 <= limit <= MOST_LISTED:
        raise BadRequest(f"limit is {limit}.", f"Use a number from 1 to {MOST_LISTED}.")
    if offset < 0:
        raise BadRequest(f"offset is {offset}.", "Use 0 or more.")
    found = [
        site
        for site in view.all()
        if content_type in (None, site.content_type) and status in (None, site.phase)
    ]
    keys = {
        "fetch_timestamp": lambda site: (site.fetched_at or site.started_at, site.source_id),
        "url": lambda site: (site.url, site.source_id),
        "status": lambda site: (site.phase, site.source_id),
    }
    found.sort(key=keys[order_by], reverse=order == "DESC")
    return {
        "websites": [listed(site) for site in found[offset : offset + limit]],
        "total_count": len(found),
        "limit": limit,
        "offset": offset,
        "has_more": offset + limit < len(found),
    }


def expect_one_of(name: str, value: object, known: Iterable[object]) -> None:
    """Refuse a value that is none of those."""
    if value not in known:
        words = ", ".join(str(each) for each in known if each is not None)
        raise BadRequest(f"{name} is {str(value)[:60]!r}.", f"Use one of: {words}.")
