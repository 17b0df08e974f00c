"""Reads lists of references: CSL-JSON, BibTeX and RIS, told apart by what they look like.

One broken entry costs itself and a warning, never the list.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from actors.adapters.bibliography.bibtex import read_bibtex
from actors.adapters.bibliography.csl_dialects import as_csl
from actors.adapters.bibliography.raw_references import (
    LONGEST_LIST,
    LONGEST_TEXT,
    Found,
    Item,
    RawEntry,
    decoded,
    words_of,
)
from actors.adapters.bibliography.ris import read_ris
from actors.ingesting.references import Reference, plain, same_work, text_of, year_in
from events.codec import decode
from events.errors import Unreadable

LARGEST = 64 << 20
MOST_REFERENCES = 100_000
_DEEPEST = 6
_LARGEST_NUMBER = 2**53


def read_references(name: str, raw: bytes) -> Found:
    """The references of a file; raises `Unreadable` when it is no list of references at all."""
    if len(raw) > LARGEST:
        raise Unreadable(name, f"it is larger than {LARGEST >> 20} MB")
    found = Found()
    read = _reader(name, raw)
    taken: dict[str, Reference] = {}
    numbers: dict[str, int] = {}
    for entry in read(name, raw, found):
        if len(taken) >= MOST_REFERENCES:
            found.warn(f"Only the first {MOST_REFERENCES} references of {name} were read")
            break
        reference = _reference(entry, taken, numbers, found)
        if reference:
            taken[reference.citekey] = reference
    found.references = list(taken.values())
    return found


Read = Callable[[str, bytes, Found], Iterator[RawEntry]]


def _reader(name: str, raw: bytes) -> Read:
    beginning = decoded(raw[:200_000]).lstrip("\ufeff \t\r\n")
    if beginning.startswith(("[", "{")):
        return _csl_json
    if re.search(r"(?m)^[^\S\n]*+TY {1,2}-", beginning):
        return read_ris
    if re.search(r"@\s*[A-Za-z]+\s*[{(]", beginning):
        return read_bibtex
    if not beginning:
        return lambda *_: iter(())
    raise Unreadable(name, "it is neither CSL-JSON nor BibTeX nor RIS")


def _reference(
    entry: RawEntry, taken: Mapping[str, Reference], numbers: dict[str, int], found: Found
) -> Reference | None:
    """The reference that an entry is; `numbers` are the next ones for keys that come again."""
    item = {key: value for key, value in entry.item.items() if value not in ("", [], {}, None)}
    key = _printable(entry.key)
    if not key:
        key = _made_key(item)
        if not key:
            found.warn("A reference without key, author and title was left out")
            return None
    if before := taken.get(key):
        if same_work(before, Reference(citekey=key, item=item)):
            found.warn(f"Duplicate citekey '{key}': the first of two entries is used")
            return None
        number = numbers.get(key, 2)
        while f"{key}-{number}" in taken:
            number += 1
        numbers[key] = number + 1
        found.warn(f"Duplicate citekey '{key}': a different work is called '{key}-{number}'")
        key = f"{key}-{number}"
    tags = dict.fromkeys(tag[:100] for each in entry.tags if (tag := _printable(each)))
    return Reference(
        citekey=key,
        item=item | {"id": key, "type": text_of(item.get("type")) or "document"},
        tags=tuple(tags)[:100],
        files=tuple(entry.files[:20]),
    )


def reference_of(key: str, item: Item, tags: Iterable[str]) -> Reference | None:
    """A reference from a place that knows its parts; nothing where it has no name at all."""
    return _reference(RawEntry(key, item, list(tags), []), {}, {}, Found())


def _made_key(item: Item) -> str:
    people = item.get("author") or item.get("editor") or [{}]
    first = people[0] if isinstance(people, list) and isinstance(people[0], Mapping) else {}
    family = plain(text_of(first.get("family") or first.get("literal"))).replace(" ", "")
    title = plain(text_of(item.get("title"))).split()
    words = [word for word in title if len(word) > 3] or title[:1]
    if not family and not words:
        return ""
    return f"{family}{year_in(item.get('issued'))}{words[0] if words else ''}"[:80]


def _printable(text: str) -> str:
    return "".join(letter for letter in text_of(text)[:200] if letter.isprintable()).strip()


# -- CSL-JSON --------------------------------------------------------------------------------------

_CITATION_KEY = re.compile(r"(?im)^[^\S\n]*+citation[ -]key\s*+:\s*+(\S+)")


def _csl_json(name: str, raw: bytes, found: Found) -> Iterator[RawEntry]:
    try:
        said = decode(decoded(raw).encode())
    except (ValueError, UnicodeEncodeError) as wrong:
        raise Unreadable(name, f"it is not valid JSON: {str(wrong)[:120]}") from None
    for number, each in enumerate(_listed(said), 1):
        if not isinstance(each, Mapping):
            found.warn(f"Entry {number} of {name} is no reference")
            continue
        try:
            entry = _of_csl(each)
        except Exception as failure:  # noqa: BLE001 - one entry can break its reading in any way
            found.warn(f"Entry {number} of {name} is broken: {type(failure).__name__}")
            continue
        yield entry


def _of_csl(said: Mapping[str, Any]) -> RawEntry:
    item = as_csl({str(key)[:100]: value for key, value in _tidy(said, 0).items()})
    return RawEntry(_key_of(item), item, words_of(item.get("keyword")), _attached(said))


def _listed(said: Any) -> list[Any]:
    if isinstance(said, list):
        return said
    if not isinstance(said, dict):
        return [said]
    if isinstance(said.get("items"), list):
        return list(said["items"])
    if "title" in said or "type" in said:
        return [said]
    # Items by their ids.
    return [
        {"id": key} | value if isinstance(value, dict) else value for key, value in said.items()
    ]


def _key_of(item: Item) -> str:
    if named := text_of(item.get("citation-key")):
        return named
    if noted := _CITATION_KEY.search(str(item.get("note", ""))):
        return noted.group(1)
    named = text_of(item.get("id"))
    # A library's own address of an item ends with its key; a DOI is a key as it is.
    return named.rstrip("/").rpartition("/")[2] if named.startswith("http") else named


def _attached(item: Mapping[str, Any]) -> list[str]:
    there = item.get("attachments")
    if not isinstance(there, list):
        return []
    paths = [each.get("path") for each in there if isinstance(each, Mapping)]
    return [path for path in paths if isinstance(path, str)]


def _tidy(value: Any, depth: int) -> Any:
    """A value that can be written down again, and is not without end."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if abs(value) < _LARGEST_NUMBER else str(value)[:40]
    if depth >= _DEEPEST:
        return None
    if isinstance(value, list):
        return [_tidy(each, depth + 1) for each in value[:LONGEST_LIST]]
    if isinstance(value, Mapping):
        return {str(key)[:100]: _tidy(each, depth + 1) for key, each in value.items()}
    return None
