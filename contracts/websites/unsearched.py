"""Which pages a question did not reach: still being processed, held no more, or of another type.

An answer without them looks like any other, and one without any results like that of an empty shelf.
"""

from collections.abc import Sequence

from actors.shelves import first_names
from events.words import count
from projections.websites import Website

_NONE_NAMED = "source_ids is empty, so no page was searched: leave it out to search all."


def sources_note(chosen: Sequence[Website], content_type: str | None, *, named: bool) -> str | None:
    """What to say of the pages that were chosen and not searched; `named`, they were chosen one by one."""
    if named and not chosen:
        return _NONE_NAMED
    meant = [site for site in chosen if content_type in (None, site.content_type)]
    if chosen and not meant:
        kinds = sorted({site.content_type for site in chosen})
        return (
            f"None of the pages is a {content_type}; there are {' and '.join(kinds)}: leave "
            "content_type_filter out to search them."
        )
    lacking = [site for site in meant if not site.held]
    said = []
    if waiting := [site for site in lacking if not site.ended]:
        are, they = ("is", "it is") if len(waiting) == 1 else ("are", "they are")
        said.append(
            f"{count(len(waiting), 'page')} {are} still being processed and not searched yet "
            f"({_numbers(waiting)}): ask again when rag_get_website_status says that {they} completed."
        )
    lost = [site for site in lacking if site.ended]
    # What failed long ago is no news to who searches all that there is.
    if lost and (named or len(lacking) == len(meant)):
        said.append(
            f"Nothing is held of {count(len(lost), 'page')} ({_numbers(lost)}): "
            "rag_get_website_status says why."
        )
    return " ".join(said) or None


def _numbers(sites: Sequence[Website]) -> str:
    return f"source_id {first_names([str(site.source_id) for site in sites], '')}"
