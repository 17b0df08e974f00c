"""In which languages a document's scanned pages are read.

What a reference manager says of the document comes first, then what the caller said; without
either, the parser takes its default.
"""

from collections.abc import Mapping

SAID_BY_CALLER = "ocr_languages"
"""The metadata of an entry in which a caller's languages travel, and stay with the document."""

SAID_BY_LIBRARY = "zotero_language"


def scan_languages(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """The languages of a document's entry, in their order; none where nobody said any."""
    said = metadata.get(SAID_BY_LIBRARY) or metadata.get(SAID_BY_CALLER) or ""
    return tuple(filter(None, (each.strip() for each in said.split(","))))
