"""How contract 04 words its refusals: a type, a message, details and a suggestion."""

from collections.abc import Iterator
from typing import Any

from events.errors import (
    AddressRefused,
    AlreadyThere,
    BadRequest,
    FetchFailed,
    ModelUnavailable,
    ResearchError,
    Unreadable,
)
from projections.websites import Website

Reply = dict[str, Any]


class UnknownWebsite(ResearchError):
    """No page has that number: (source_id,)."""

    code = "unknown_website"
    says = "No website found with source_id {0}."
    suggestion = "List what there is with rag_list_websites."


class WebsitesDeleted(AlreadyThere):
    """The collection that all pages are in is deleted: ()."""

    says = "The collection of the websites is deleted."
    suggestion = (
        "Restore it with manage_collections(action='restore', collection_name='websites'), or "
        "research-agent collections restore websites."
    )


class BadUrl(AddressRefused):
    """What was given is not the URL of a page: (url, why, details)."""

    says = "Please provide a valid HTTP/HTTPS URL: {0!r} cannot be used, {1}."


_TYPES: list[tuple[type[ResearchError], str]] = [
    (UnknownWebsite, "NotFoundError"),
    (BadUrl, "ValueError"),
    (BadRequest, "ValueError"),
    (AlreadyThere, "ValueError"),
    (FetchFailed, "URLFetchError"),
    (Unreadable, "ChunkingError"),
    (ModelUnavailable, "EmbeddingError"),
]


def error_of(refusal: ResearchError) -> Reply:
    """A refusal in the contract's format."""
    kind = next((name for cls, name in _TYPES if isinstance(refusal, cls)), "RAGError")
    details = refusal.details if isinstance(refusal, FetchFailed) else {}
    return _error(kind, refusal.sentence, details | {"code": refusal.code}, refusal.advice)


def wrong_arguments(message: str) -> Reply:
    """Arguments that do not fit the tool's schema."""
    return _error(
        "DataValidationError",
        message,
        {"code": "bad_request"},
        "Read the tool's schema and call it again.",
    )


def no_truth_value(given: object) -> object:
    """Refuse true and false where a number is meant: `true` is nobody's way to name website 1."""
    if isinstance(given, bool):
        raise ValueError("a number is meant")  # noqa: TRY004 - what validation listens to
    return given


def error_of_site(site: Website) -> Reply | None:
    """Why the last try at a page failed, in the contract's format; none if it did not."""
    if site.phase != "failed":
        return None
    ending = site.ending or {}
    code = ending.get("code", "")
    known = next((cls for cls in _every(ResearchError) if cls.code == code), None)
    kind = next((name for cls, name in _TYPES if known and issubclass(known, cls)), "RAGError")
    details = {"url": site.url, "status_code": None} | ending.get("details", {}) | {"code": code}
    suggestion = ending.get("suggestion") or _advice(known)
    return _error(kind, site.error or "", details, suggestion)["error"]  # type: ignore[no-any-return]


def _advice(known: type[ResearchError] | None) -> str:
    if known is not None and "{" not in known.suggestion:
        return known.suggestion
    return "Process the website again with rag_refresh_website."


def _every(cls: type[ResearchError]) -> Iterator[type[ResearchError]]:
    for below in cls.__subclasses__():
        yield below
        yield from _every(below)


def _error(kind: str, message: str, details: Reply, suggestion: str) -> Reply:
    return {
        "error": {
            "type": kind,
            "message": message,
            "details": details,
            "suggestion": suggestion,
        }
    }
