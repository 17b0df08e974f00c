"""Reads RIS with rispy, entry by entry, and writes it. The only door to rispy."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from actors.adapters.bibliography.raw_references import (
    Found,
    Item,
    RawEntry,
    decoded,
    issued,
    plain_edition,
    written_date,
)
from actors.ingesting.references import Reference, doi_in, name_parts, text_of, year_in

RIS_TYPES = {
    "JOUR": "article-journal",
    "EJOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "THES": "thesis",
    "RPRT": "report",
    "ELEC": "webpage",
    "BLOG": "post-weblog",
    "COMP": "software",
    "DATA": "dataset",
    "PAT": "patent",
    "STAND": "standard",
    "ENCYC": "entry-encyclopedia",
    "DICT": "entry-dictionary",
    "GOVDOC": "report",
    "INPR": "article-journal",
    "ABST": "article-journal",
    "MPCT": "motion_picture",
    "VIDEO": "motion_picture",
    "PAMP": "pamphlet",
    "UNPB": "manuscript",
    "MANSCPT": "manuscript",
}


def read_ris(name: str, raw: bytes, found: Found) -> Iterator[RawEntry]:
    """The entries of a list; what is broken in one is told, and costs no other."""
    import rispy

    # Blank lines and indents say nothing.
    text = re.sub(r"[\r\n]\s*+", "\n", decoded(raw).lstrip())
    text = re.sub(r"(?m)^([A-Z][A-Z0-9]) {1,2}-[ \t]?", r"\1  - ", text)
    pieces = re.split(r"(?m)^(?=TY  - )", text)[1:]
    for number, piece in enumerate(pieces, 1):
        whole = piece if re.search(r"(?m)^ER  -", piece) else f"{piece}\nER  - "
        try:
            entries = [_of_ris(record) for record in rispy.loads(whole[:200_000])]
        except Exception as failure:  # noqa: BLE001 - one entry can break a parser in any way
            found.warn(f"RIS entry {number} of {name} is broken: {type(failure).__name__}")
            continue
        yield from entries


def _of_ris(record: Mapping[str, Any]) -> RawEntry:
    strange = record.get("unknown_tag") or {}

    def said(*labels: str) -> str:
        return next((text for label in labels if (text := text_of(record.get(label)))), "")

    def odd(tag: str) -> list[str]:
        return [text for each in strange.get(tag, ()) if (text := text_of(each))]

    kind = RIS_TYPES.get(said("type_of_reference").upper(), "document")
    urls = [text for each in record.get("urls") or [] if (text := text_of(each))]
    notes = " ".join(map(text_of, record.get("notes") or []))
    number = said("issn")
    titles = [said("title", "primary_title"), *odd("BT")]
    held_by = [
        said("journal_name", "alternate_title3"),
        said("secondary_title"),
        said("alternate_title2", "alternate_title1"),
    ]
    if kind == "chapter":
        # What a chapter is in may have two names: that of the volume, and that of its series.
        held_by = [said("secondary_title"), *odd("BT"), *held_by]
    title = next(filter(None, titles), "")
    holder = next((each for each in held_by if each and each != title), "")
    work = said("type_of_work")
    doi = doi_in(said("doi")) or doi_in(work) or doi_in(" ".join(urls)) or doi_in(notes)
    item: Item = {
        "type": kind,
        "title": title,
        "title-short": said("short_title"),
        "container-title": holder,
        "collection-title": said("tertiary_title"),
        "volume": re.sub(r"(?i)\Avol(?:ume|\.)?\s+", "", said("volume")),
        "issue": said("number"),
        "page": _pages(said("start_page"), said("end_page")),
        "publisher": said("publisher"),
        "publisher-place": said("place_published"),
        "edition": plain_edition(said("edition")),
        "genre": "" if doi_in(work) or kind not in {"thesis", "report"} else work,
        "DOI": doi,
        "URL": urls[0] if urls else "",
        _kind_of(number): number,
        "language": said("language"),
        "abstract": said("abstract", "notes_abstract"),
        "issued": _issued(said("year", "publication_year"), said("date")),
        "accessed": issued(said("access_date")) if urls else {},
        "author": _ris_people(record.get("authors") or record.get("first_authors")),
        "editor": _ris_people([*(record.get("secondary_authors") or []), *odd("ED")]),
    }
    if kind == "report":
        item["number"] = item.pop("issue") or said("note") or item.pop("number", "")
    files = [said(label) for label in ("file_attachments1", "file_attachments2")]
    keywords = record.get("keywords") or []
    tags = [part for each in keywords for part in re.split(r"\s*;\s*", text_of(each))]
    return RawEntry(said("id", "label"), item, tags, [_path(file) for file in files if file])


def _issued(year: str, date: str) -> Item:
    """The date that says more, where both speak of the same year."""
    by_year, by_date = issued(year), issued(date)
    if not by_year:
        return by_date
    same = year_in(by_year) == year_in(by_date)
    longer = _parts_of(by_date) > _parts_of(by_year)
    return by_date if same and longer else by_year


def _parts_of(date: Item) -> int:
    """How much is known of a date; nothing, where it is only words such as `in press`."""
    return len(date.get("date-parts", [[]])[0])


def _kind_of(number: str) -> str:
    """What a serial number is: books have ten or thirteen digits, journals eight."""
    digits = len(re.findall(r"[\dXx]", number.split(" ")[0])) if number[:1].isdigit() else 0
    return "ISBN" if digits in {10, 13} else "ISSN" if digits == 8 else "number"


def _pages(first: str, last: str) -> str:
    first = re.sub(r"\s*[-–—]+\s*", "-", first)
    return f"{first}-{last}" if first and last and last != first and "-" not in first else first


def _path(file: str) -> str:
    return unquote(file.removeprefix("file://")) if file.startswith("file://") else file


def _ris_people(names: Any) -> list[Item]:
    found: list[Item] = []
    for name in map(text_of, names if isinstance(names, list) else []):
        family, comma, rest = name.partition(",")
        given, _, suffix = rest.partition(",")
        if comma:
            parts = {"family": family, "given": given, "suffix": suffix}
            found.append({key: value.strip() for key, value in parts.items() if value.strip()})
        elif name:
            found.append({"literal": name})
    return found


# -- writing ---------------------------------------------------------------------------------------

_WRITTEN_TYPES = {csl: ris for ris, csl in reversed(RIS_TYPES.items())}


def write_ris(references: Iterable[Reference]) -> str:
    """The references as RIS, each with its citekey as its id."""
    from rispy import RisWriter, dumps

    class Unnumbered(RisWriter):  # type: ignore[misc]
        def set_header(self, count: int) -> str:
            return ""

    return str(dumps(list(map(_written, references)), implementation=Unnumbered))


def _written(reference: Reference) -> dict[str, Any]:
    item = reference.item
    kind = text_of(item.get("type"))
    first, _, last = re.sub(r"\s*[-–]+\s*", "-", text_of(item.get("page"))).partition("-")
    report = kind == "report"
    day = written_date(item.get("issued"), "/")
    holder = "journal_name" if kind.startswith("article") else "secondary_title"
    record: dict[str, Any] = {
        "type_of_reference": _WRITTEN_TYPES.get(kind, "GEN"),
        "id": reference.citekey,
        "title": reference.title,
        "authors": list(_written_names(item.get("author"))),
        "secondary_authors": list(_written_names(item.get("editor"))),
        holder: text_of(item.get("container-title")),
        "tertiary_title": text_of(item.get("collection-title")),
        "short_title": text_of(item.get("title-short")),
        "type_of_work": text_of(item.get("genre")) if kind in {"thesis", "report"} else "",
        "year": reference.year,
        # Year, month and day are always parted by three marks.
        "date": day + "/" * (3 - day.count("/")) if "/" in day else "",
        "access_date": written_date(item.get("accessed"), "/"),
        "volume": text_of(item.get("volume")),
        "number": text_of(item.get("issue")) or (text_of(item.get("number")) if report else ""),
        "start_page": first,
        "end_page": last,
        "publisher": text_of(item.get("publisher")),
        "place_published": text_of(item.get("publisher-place")),
        "edition": text_of(item.get("edition")),
        "issn": text_of(item.get("ISSN")) or text_of(item.get("ISBN")),
        "doi": reference.doi,
        "language": text_of(item.get("language")),
        "keywords": list(reference.tags),
        "urls": [url] if (url := text_of(item.get("URL"))) else [],
    }
    return {label: value for label, value in record.items() if value}


def _written_names(people: Any) -> Iterator[str]:
    for person in people if isinstance(people, list) else []:
        if isinstance(person, Mapping):
            parts = (*name_parts(person), text_of(person.get("suffix")))
            yield text_of(person.get("literal")) or ", ".join(filter(None, parts))
