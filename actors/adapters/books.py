"""Reads books (.epub) with EbookLib, chapter by chapter in the order of reading."""

import io
import re
from typing import Any

from actors.adapters.archives import members
from actors.adapters.decoding import decode_text
from actors.adapters.draft import Draft
from actors.adapters.html.seen import SeenPage
from actors.ports import Coverage, Parsed
from events.errors import Unreadable

MEDIA_TYPE = "application/epub+zip"
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_SAID = {
    "creator": "author",
    "date": "date",
    "language": "language",
    "publisher": "publisher",
    "identifier": "identifier",
    "description": "description",
    "subject": "tags",
}


def parse_book(name: str, raw: bytes) -> Parsed:
    """The chapters of a book that are part of its reading order."""
    if "META-INF/rights.xml" in members(name, raw):
        raise Unreadable(name, "it is protected against being read")
    from ebooklib import epub

    book: Any = epub.read_epub(io.BytesIO(raw), {"ignore_ncx": True})
    draft = Draft(name)
    warnings: list[str] = []
    for entry in book.spine:
        item = book.get_item_with_id(entry[0] if isinstance(entry, tuple) else entry)
        if item is None or "nav" in (getattr(item, "properties", None) or ()):
            continue
        if isinstance(item, epub.EpubNcx | epub.EpubNav):
            continue
        try:
            page = decode_text(name, item.content or b"")
        except Unreadable:
            warnings.append(f"the chapter {str(item.file_name)[:100]!r} is not text")
            continue
        SeenPage(draft).read(_XML_DECLARATION.sub("", page, count=1))
    metadata = {ours: _first(book, theirs) for theirs, ours in _SAID.items()}
    coverage = Coverage(warnings=tuple(warnings[:20]))
    return draft.parsed(MEDIA_TYPE, _first(book, "title"), metadata, coverage)


def _first(book: Any, field: str) -> str:
    values = [str(value) for value, _ in book.get_metadata("DC", field) if value]
    return "; ".join(values) if field == "creator" else next(iter(values), "")
