"""Reads RIS with rispy, entry by entry, and writes it. The only door to rispy."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from actors.adapters.raw_references import Found, Item, RawEntry, decoded, issued
from actors.references import Reference, doi_of, text_of

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
    "UNPB": "manuscript",
    "MANSCPT": "manuscript",
}


def read_ris(name: str, raw: bytes, found: Found) -> Iterator[RawEntry]:
    """The entries of a list; what is broken in one is told, and costs no other."""
    import rispy

    text = re.sub(r"\r\n?", "\n", decoded(raw))
    text = re.sub(r"(?m)^\s*([A-Z][A-Z0-9]) {1,2}-[ \t]?", r"\1  - ", text)
    pieces = re.split(r"(?m)^(?=TY  - )", text)[1:]
    for number, piece in enumerate(pieces, 1):
        whole = piece if re.search(r"(?m)^ER  -", piece) else f"{piece}\nER  - "
        try:
            records = rispy.loads(whole[:200_000])
        except Exception as failure:  # noqa: BLE001 - one entry can break a parser in any way
            found.warn(f"RIS entry {number} of {name} is broken: {type(failure).__name__}")
            continue
        for record in records:
            yield _of_ris(record)


def _of_ris(record: Mapping[str, Any]) -> RawEntry:
    def said(*labels: str) -> str:
        return next((text for label in labels if (text := text_of(record.get(label)))), "")

    kind = RIS_TYPES.get(said("type_of_reference").upper(), "document")
    first, last = said("start_page"), said("end_page")
    urls = record.get("urls") or []
    number = said("issn")
    item: Item = {
        "type": kind,
        "title": said("title", "primary_title"),
        "container-title": said(
            "journal_name", "secondary_title", "alternate_title3", "alternate_title2"
        ),
        "volume": said("volume"),
        "issue": said("number"),
        "page": f"{first}-{last}" if first and last and last != first else first,
        "publisher": said("publisher"),
        "publisher-place": said("place_published"),
        "edition": said("edition"),
        "DOI": doi_of(said("doi") or " ".join(map(str, urls))),
        "URL": text_of(urls[0]) if urls else "",
        ("ISBN" if kind in {"book", "chapter"} else "ISSN"): number,
        "language": said("language"),
        "abstract": said("abstract", "notes_abstract"),
        "issued": issued(said("year", "publication_year", "date")),
        "author": _ris_people(record.get("authors") or record.get("first_authors")),
        "editor": _ris_people(record.get("secondary_authors")),
    }
    files = [said(label) for label in ("file_attachments1", "file_attachments2")]
    keywords = record.get("keywords") or []
    return RawEntry(
        said("id", "label"), item, list(map(text_of, keywords)), list(filter(None, files))
    )


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
    holder = "journal_name" if kind.startswith("article") else "secondary_title"
    record: dict[str, Any] = {
        "type_of_reference": _WRITTEN_TYPES.get(kind, "GEN"),
        "id": reference.citekey,
        "title": reference.title,
        "authors": list(_written_names(item.get("author"))),
        "secondary_authors": list(_written_names(item.get("editor"))),
        holder: text_of(item.get("container-title")),
        "year": reference.year,
        "volume": text_of(item.get("volume")),
        "number": text_of(item.get("issue")),
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
            particle = person.get("non-dropping-particle") or person.get("dropping-particle")
            family = " ".join(filter(None, (text_of(particle), text_of(person.get("family")))))
            parts = (family, text_of(person.get("given")), text_of(person.get("suffix")))
            yield text_of(person.get("literal")) or ", ".join(filter(None, parts))
