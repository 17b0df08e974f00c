"""CSL items as the library that formats citations can take them."""

from typing import Any

from actors.references import text_of, year_in

_NAMES = frozenset({"author", "editor", "translator", "container-author", "collection-editor"})
_DATES = frozenset({"issued", "accessed", "event-date", "original-date", "submitted"})
_NAME_PARTS = (
    *("family", "given", "suffix", "non-dropping-particle", "dropping-particle"),
    "literal",
)
_TYPES = {"document": "article", "software": "book", "": "article"}
"""Types that are newer than what the library knows."""


def clean_item(item: dict[str, Any]) -> dict[str, Any]:
    """An item without anything that could break the library that formats it."""
    kept: dict[str, Any] = {"type": _TYPES.get(text_of(item.get("type")), item.get("type"))}
    for name, value in item.items():
        if name in {"type", "id"}:
            continue
        if name in _NAMES:
            people = [_person(each) for each in value] if isinstance(value, list) else []
            if people := [each for each in people if each]:
                kept[name] = people
        elif name in _DATES:
            if date := _date(value):
                kept[name] = date
        elif text := text_of(value):
            kept[name] = text
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
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        numbers: list[int] = []
        for part in parts[0][:3]:
            if not str(part).lstrip("-").isdecimal():
                break
            numbers.append(int(part))
        if numbers and numbers[0]:
            return {"date-parts": [numbers]}
    year = year_in(value)
    return {"date-parts": [[int(year)]]} if year else {}
