"""Which citations of past researches a changed page has left behind.

A citation stays what it was: its version is kept and can be verified. What is said here is only
that the page now reads differently at that place.
"""

from typing import Any

from contracts.core import Core
from events.errors import DamagedBlob, MissingBlob
from events.websites import COLLECTION
from projections.websites import Website

Reply = dict[str, Any]

MOST = 200
"""Citations that are told about."""

_CITED = """
SELECT DISTINCT q.task, q.citation, q.content_hash, q.text_hash, q."start", q."end"
FROM quotes q
WHERE q.content_hash IN (SELECT unnest(?)) OR q.content_hash IN (
    SELECT r.content_hash FROM reads r WHERE r.url = ?
)
ORDER BY q.task, q.citation
"""


def affected_citations(core: Core, site: Website) -> list[Reply]:
    """Citations of earlier versions of a page whose words are no longer on it."""
    if site.held is None:
        return []
    versions = core.views.versions(COLLECTION, site.document)
    earlier = [each.version for each in versions if each.version != site.held["version"]]
    cited = core.views.sql(_CITED, [earlier, site.url])
    now = _text(core, site.held["text"]["hash"])
    if now is None:
        return []
    present = " ".join(now.split())
    affected = []
    for each in cited:
        if each["content_hash"] == site.held["version"]:
            continue
        text = _text(core, each["text_hash"])
        quote = "" if text is None else text[each["start"] : each["end"]]
        if quote and " ".join(quote.split()) not in present:
            affected.append(
                {
                    "task_id": each["task"],
                    "citation": each["citation"],
                    "version": each["content_hash"],
                    "quote": quote[:500],
                    "changed_since": site.fetched_at,
                }
            )
    return affected[:MOST]


def _text(core: Core, content_hash: str) -> str | None:
    try:
        return core.home.blobs.get(content_hash).decode()
    except (MissingBlob, DamagedBlob, UnicodeDecodeError):
        return None
