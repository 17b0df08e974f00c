"""CSL items as the library that formats citations can take them."""

import re
from html import escape
from typing import Any

from actors.ingesting.references import text_of, without_tags, year_in

_NAMES = frozenset(
    {
        *("author", "editor", "translator", "container-author", "collection-editor", "composer"),
        *("director", "editorial-director", "illustrator", "interviewer", "original-author"),
        "recipient",
    }
)
_DATES = frozenset({"issued", "accessed", "event-date", "original-date", "submitted"})
_NAME_PARTS = (
    *("family", "given", "suffix", "non-dropping-particle", "dropping-particle"),
    "literal",
)
_UNSEEN = re.compile(r"</?span[^<>]{0,100}>")
_TYPES = {"document": "article", "software": "book", "": "article"}
"""Types that are newer than what the library knows."""


def clean_item(item: dict[str, Any], *, marked: bool = False) -> dict[str, Any]:
    """An item without anything that could break the library that formats it.

    Where the text is not to be marked, neither are its titles.
    """
    kept: dict[str, Any] = {"type": _TYPES.get(text_of(item.get("type")), item.get("type"))}
    for name, value in item.items():
        if name in {"type", "id"}:
            continue
        if name in _NAMES:
            people = [_person(each) for each in value] if isinstance(value, list) else []
            if marked:
                people = [
                    {part: escape(text, quote=False) for part, text in each.items()}
                    for each in people
                ]
            if people := [each for each in people if each]:
                kept[name] = people
        elif name in _DATES:
            if date := _date(value):
                kept[name] = date
        elif text := text_of(value):
            kept[name] = (
                escape(_UNSEEN.sub("", text), quote=False) if marked else without_tags(text)
            )
    return kept


def _person(person: Any) -> dict[str, str]:
    if not isinstance(person, dict):
        return {"literal": text} if (text := text_of(person)) else {}
    parts = {name: text for name in _NAME_PARTS if (text := text_of(person.get(name)))}
    if "literal" in parts:
        return {"literal": parts["literal"]}
    return parts if "family" in parts else ({"literal": parts["given"]} if "given" in parts else {})


def _date(value: Any) -> dict[str, Any]:
    parts = value.get("date-parts") if isinstance(value, dict) else None
    listed = parts[:2] if isinstance(parts, list) else []
    if made := [numbers for each in listed if (numbers := _numbers(each))]:
        return {"date-parts": made}
    year = year_in(value)
    return {"date-parts": [[int(year)]]} if year else {}


def _numbers(parts: Any) -> list[int]:
    """Year, month and day, as far as they are numbers."""
    numbers: list[int] = []
    for part in parts[:3] if isinstance(parts, list) else []:
        if not re.fullmatch(r"-?\d{1,5}", str(part)):
            break
        numbers.append(int(part))
    return numbers if numbers and numbers[0] else []
