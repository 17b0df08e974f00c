"""What contract 04's replies say of a page, in fields and in sentences."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from contracts.websites.errors import WebsitesDeleted, error_of_site
from events.websites import ContentType
from events.words import count
from projections.websites import Website

Reply = dict[str, Any]

STALE_AFTER = timedelta(days=30)


def about(site: Website) -> Reply:
    """What else is known of a page, beyond what the contract asks for."""
    # What was read of a page that is held no more is nobody's business any more.
    content = (site.held and site.content) or {}
    moved = moved_to(site)
    return {
        "title": site.title,
        "content_type": site.content_type,
        "languages": languages_of(site),
        "main_language": main_language(site),
        "extracted": content.get("extracted", {}),
        "warnings": [
            *content.get("warnings", []),
            *(
                [f"the site led to another address; what is held stands at {moved}"]
                if moved
                else []
            ),
        ],
        "final_url": site.final_url,
        "failure": error_of_site(site),
        "job_id": site.job,
    }


def left_of_address(url: str) -> list[str]:
    """A warning where scripts of a page would show another view for what follows the # of an address.

    Sites are never asked for that part, so all such addresses are one page here.
    """
    page, _, view = url.strip().partition("#")
    if not view.startswith(("/", "!")):
        return []
    return [
        f"what follows # in the address is never sent to a site: {page} is read, and not the view #{view[:200]}"
    ]


def main_language(site: Website) -> str | None:
    """The language that most of a page is in: the contract knows no other names than en, ja and mixed."""
    return next(iter(languages_of(site)), None)


def languages_of(site: Website) -> list[str]:
    """The languages that a page is held in, the most written first."""
    return list(((site.held and site.content) or {}).get("languages", []))


def moved_to(site: Website) -> str | None:
    """Where what is held of a page stands, if that is not where it was asked for.

    The same page by https, by the other of two usual names or without a slash is where it was.
    """
    return None if site.final_url is None or _is_at(site.url, site.final_url) else site.final_url


def _is_at(one: str, other: str) -> bool:
    here, there = (
        (parts.netloc.removeprefix("www."), parts.path.rstrip("/"), parts.query)
        for parts in map(urlsplit, (one, other))
    )
    return here == there


def is_stale(site: Website) -> bool:
    """Whether a page was last seen more than a month ago."""
    seen = datetime.fromisoformat(site.fetched_at or site.started_at)
    return datetime.now(UTC) - seen > STALE_AFTER


def listed(site: Website) -> Reply:
    """A page in a list."""
    return {
        "id": site.source_id,
        "url": site.url,
        "final_url": site.final_url,
        "title": site.title,
        "content_type": site.content_type,
        "language": site.language,
        "main_language": main_language(site),
        "fetch_timestamp": site.fetched_at or site.started_at,
        "processing_status": site.phase,
        "chunks_count": site.chunks,
        "is_stale": is_stale(site),
        "error_message": site.error,
    }


def message(site: Website, asked: ContentType | None, *, cached: bool) -> str:
    """Where a page stands, in a sentence."""
    if site.phase == "failed":
        kept = (
            f" What was held before ({count(site.chunks, 'chunk')}) stays." if site.chunks else ""
        )
        return f"{site.error}{kept}"
    if not site.ended:
        poll = f"Poll rag_get_website_status(source_id={site.source_id})."
        return f"The website is being processed and goes on by itself. {poll}"
    if cached and asked != site.content_type:
        return (
            f"Already processed as {site.content_type}; use force_refresh=True to read it "
            f"as {asked}."
        )
    if cached:
        return "Already processed; use force_refresh=True to fetch it again."
    if site.held is None:
        return _not_held(site)
    if (site.ending or {}).get("outcome") == "unchanged":
        stay = (
            "chunk stays as it is" if site.chunks == 1 else f"{site.chunks} chunks stay as they are"
        )
        return f"The page has not changed; its {stay}."
    return f"Processed successfully into {count(site.chunks, 'chunk')}."


def _not_held(site: Website) -> str:
    """What became of a page that was processed and is in no search."""
    if site.shut:
        return (
            "The page was processed, and the collection of the websites was deleted since. "
            + WebsitesDeleted.suggestion
        )
    return (
        "The page was processed, and was taken out of the collection since. "
        "Process it again with force_refresh=True to have it back."
    )


def refreshed(before: Website, after: Website, *, changed: bool) -> str:
    """What a refresh came to, in a sentence."""
    if after.phase != "completed" or before.held is None:
        return message(after, None, cached=False)
    if changed:
        embedded = (after.ending or {}).get("embedded", 0)
        return (
            f"The page has changed: {count(before.chunks, 'chunk')} replaced by {after.chunks}, of which "
            f"{embedded} had to be embedded. The version before stays citable."
        )
    how = (
        "the site says so (304)"
        if (after.ending or {}).get("status_code") == 304
        else "its content is the same"
    )
    ending = after.ending or {}
    if ending.get("outcome") == "updated":
        return (
            f"The page has not changed: {how}. It was read anew: {count(after.chunks, 'chunk')}, of which "
            f"{ending['embedded']} had to be embedded."
        )
    return f"The page has not changed: {how}. Nothing was embedded again."
