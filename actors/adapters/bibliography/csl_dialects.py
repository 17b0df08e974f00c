"""CSL-JSON as other programs write it, brought into the form that its schema has."""

import html
import re
from collections.abc import Mapping
from typing import Any

from actors.adapters.bibliography.raw_references import Item, issued
from actors.ingesting.references import text_of

_TYPES = {
    "book-chapter": "chapter",
    "book-section": "chapter",
    "conference-paper": "paper-conference",
    "dissertation": "thesis",
    "edited-book": "book",
    "journal-article": "article-journal",
    "monograph": "book",
    "posted-content": "article",
    "proceedings": "book",
    "proceedings-article": "paper-conference",
    "reference-book": "book",
    "report-series": "report",
}
"""Types of Crossref, whose answers are almost CSL-JSON."""

_DATES = ("issued", "accessed", "event-date", "original-date", "submitted")
_ISSUED_ALSO = ("published-print", "published", "published-online", "created")
_NAMES = ("author", "editor", "translator", "container-author", "collection-editor")
_TEXTS = (
    *("title", "title-short", "container-title", "container-title-short", "collection-title"),
    *("publisher", "publisher-place", "ISSN", "ISBN", "event-title", "archive"),
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});")


def as_csl(item: Item) -> Item:
    """An item whose texts, dates and names are of the kinds that the schema says."""
    kind = text_of(item.get("type"))
    made = item | {"type": _TYPES.get(kind, kind)}
    for name in _TEXTS:
        if name in made:
            made[name] = _text(made[name])
    for name in _NAMES:
        if isinstance(made.get(name), str | Mapping):
            made[name] = _people(made[name])
    for other in _ISSUED_ALSO:
        if not made.get("issued") and isinstance(made.get(other), Mapping):
            made["issued"] = made[other]
    for name in _DATES:
        if name in made:
            made[name] = _date(made[name])
    return made


def _text(value: Any) -> str:
    if isinstance(value, list):
        value = next(filter(None, map(text_of, value)), "")
    return _ENTITY.sub(lambda found: html.unescape(found.group()), text_of(value))


def _people(said: str | Mapping[str, Any]) -> list[Any]:
    if isinstance(said, Mapping):
        return [said]
    found: list[Any] = []
    for name in re.split(r" ?; ?| and ", " ".join(said.split())):
        family, comma, given = (part.strip() for part in name.partition(","))
        if comma and family:
            found.append({"family": family} | ({"given": given} if given else {}))
        elif name.strip():
            found.append({"literal": name.strip()})
    return found


def _date(value: Any) -> Any:
    """A date with parts, where it is a text or an object that holds one."""
    if isinstance(value, str | int):
        return issued(str(value))
    if isinstance(value, Mapping) and not value.get("date-parts"):
        said = text_of(value.get("raw")) or text_of(value.get("literal"))
        if said and "date-parts" in (made := issued(said)):
            return made
    return value
