"""Contract 05: how a passage is shown, and what of its document is said with it."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from contracts.citations.citekeys import Place
from events.catalogue import SourcePublished
from language.borders import cut_before
from language.sentences import sentences

Reply = dict[str, Any]

NOTES = "annotations"
"""The kind of a document that holds what somebody marked and wrote in another."""

NOTES_AT = f"#{NOTES}"
"""What the locator of notes has behind that of their file."""

_PAGE = re.compile(r"Page ([1-9][0-9]{0,5})")


def trimmed_text(text: str, most: int) -> str:
    """A passage, cut at the end of a sentence where it is longer than it may be."""
    text = text.strip()
    if len(text) <= most:
        return text
    ends = [each.end for each in sentences(text[: most + 1]) if each.end <= most]
    # The last of them may have been ended by the cut alone.
    if ends and text[ends[-1] - 1] not in '.!?…。！？｡)"”’」』':  # noqa: RUF001
        ends.pop()
    end = ends[-1] if ends and ends[-1] >= most // 4 else cut_before(text, 0, most)
    return text[:end].rstrip()


def authors_of(said: Mapping[str, str]) -> list[str]:
    """The authors of a document, as far as they are known."""
    named = said.get("authors") or said.get("author") or ""
    return [name.strip() for name in named.split(";") if name.strip()]


def year_of(said: Mapping[str, str], media_type: str) -> int | None:
    """The year of a document, by which filters find it, too."""
    from projections.index.filters import year_of as year_found_by

    return year_found_by(said, media_type) or None


def pages_of(found: Mapping[str, Any], source: SourcePublished) -> list[int] | None:
    """The pages that a chunk stands on; of notes on a file, the page of that file."""
    first, last = found["first_page"], found["last_page"]
    if first:
        return [first, last or first]
    if source.metadata.get("kind") == NOTES:
        for heading in reversed(found["headings"]):
            if page := _PAGE.fullmatch(heading):
                return [int(page[1])] * 2
    return None


def file_of(source: SourcePublished, documents: Mapping[Place, SourcePublished]) -> SourcePublished:
    """The file whose pages a document is about: of notes the one that they were made in, else itself."""
    from actors.ingesting.ingest_state import document_id

    if source.metadata.get("kind") != NOTES:
        return source
    file = document_id(source.locator.removesuffix(NOTES_AT))
    return documents.get((source.collection, file), source)


def links(source: SourcePublished, pages: list[int] | None) -> Reply:
    """Where a passage opens: the file at its page, and the same in Zotero."""
    found: Reply = {}
    fragment = f"#page={pages[0]}" if pages and source.media_type == "application/pdf" else ""
    if source.locator.startswith("/"):
        found["file"] = f"file://{quote(source.locator)}{fragment}"
    if doi := source.metadata.get("doi"):
        found["doi"] = f"https://doi.org/{quote(doi)}"
    if key := source.metadata.get("zotero_attachment"):
        library = source.metadata.get("zotero_library", "library")
        page = f"?page={pages[0]}" if pages else ""
        found["zotero"] = f"zotero://open-pdf/{library}/items/{key}{page}"
    return found
