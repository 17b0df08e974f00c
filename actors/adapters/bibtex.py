"""Reads BibTeX with pybtex, entry by entry, and writes it. The only door to pybtex and latexcodec."""

import codecs
import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping

from actors.adapters.raw_references import (
    LONGEST_LIST,
    LONGEST_TEXT,
    Found,
    Item,
    RawEntry,
    decoded,
    issued,
    words_of,
)
from actors.references import Reference, doi_of, text_of

_ENTRY = re.compile(r"(?m)^[ \t]*(?=@[ \t]*[A-Za-z]+[ \t]*[{(])")
_KEYLESS = re.compile(r"@\s*\w+\s*[{(](?=\s*,)")
_NO_KEY = "entry-without-a-key"
_SPACED_KEY = re.compile(r"(\A\s*@\s*\w+\s*[{(]\s*)([^\s,={}\"#][^,={}\"#\n]{1,200}?)(?=\s*,)")
_FIELD = re.compile(r"(?:^|[,{}\"\n])\s*([A-Za-z][\w-]{1,30})\s*=\s*(?=[{\"\w])")
LONGEST_ENTRY = 200_000
_DOTLESS = re.compile(r"\\(['\"`^~=.uvH])\s*(?:\{\s*\\([ij])\s*\}|\\([ij])(?![A-Za-z]))")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?\s*")
_LABELLED = re.compile(r"(?i)(?:family|given|prefix|suffix)\s*=")
BIBTEX_TYPES = {
    "article": "article-journal",
    "book": "book",
    "booklet": "pamphlet",
    "collection": "book",
    "conference": "paper-conference",
    "dataset": "dataset",
    "inbook": "chapter",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "manual": "report",
    "mastersthesis": "thesis",
    "misc": "document",
    "online": "webpage",
    "patent": "patent",
    "phdthesis": "thesis",
    "proceedings": "book",
    "report": "report",
    "software": "software",
    "techreport": "report",
    "thesis": "thesis",
    "unpublished": "manuscript",
    "www": "webpage",
}
BIBTEX_FIELDS = {
    "title": "title",
    "shorttitle": "title-short",
    "journal": "container-title",
    "journaltitle": "container-title",
    "booktitle": "container-title",
    "series": "collection-title",
    "volume": "volume",
    "number": "issue",
    "issue": "issue",
    "pages": "page",
    "publisher": "publisher",
    "school": "publisher",
    "institution": "publisher",
    "organization": "publisher",
    "address": "publisher-place",
    "location": "publisher-place",
    "edition": "edition",
    "chapter": "chapter-number",
    "doi": "DOI",
    "url": "URL",
    "isbn": "ISBN",
    "issn": "ISSN",
    "language": "language",
    "langid": "language",
    "abstract": "abstract",
    "note": "note",
    "version": "version",
}
_WORTH_SAVING = frozenset({*BIBTEX_FIELDS, "author", "editor", "year", "date", "month", "crossref"})
_GENERATIONS = 3
_INHERITED = ("year", "date", "month", "publisher", "editor", "address", "location", "series")


def read_bibtex(name: str, raw: bytes, found: Found) -> Iterator[RawEntry]:
    """The entries of a list; what is broken in one is told, and costs no other."""
    entries = list(_bibtex_entries(decoded(raw), found))
    by_key = {key.casefold(): fields for _, key, fields in entries if key}
    for kind, key, fields in entries:
        inherit(fields, by_key)
        yield _of_bibtex(kind, key, fields)


def inherit(fields: dict[str, str], by_key: Mapping[str, dict[str, str]]) -> None:
    """Take from an entry's parents what it lacks; the title of the first is where it stands."""
    own = fields
    for generation in range(_GENERATIONS):
        parent = by_key.get(own.get("crossref", "").strip().casefold())
        if parent is None or parent is fields or parent is own:
            return
        for label in _INHERITED:
            if label in parent:
                fields.setdefault(label, parent[label])
        if generation == 0 and "title" in parent:
            fields.setdefault("booktitle", parent["title"])
        own = parent


def _bibtex_entries(text: str, found: Found) -> Iterator[tuple[str, str, dict[str, str]]]:
    from pybtex.database.input.bibtex import LowLevelParser, month_names
    from pybtex.utils import CaseInsensitiveDict

    class Macros(CaseInsensitiveDict):  # type: ignore[misc]
        def __getitem__(self, name: str) -> object:
            # A name that nobody defined is the most that is known of what it stands for.
            return super().__getitem__(name) if name in self else name

    macros = Macros(month_names)
    # One by one: an open brace would swallow all that follows.
    starts = [match.end() for match in _ENTRY.finditer(text)] or [0]
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        # An entry without a key is still an entry.
        piece = _KEYLESS.sub(rf"\g<0>{_NO_KEY}", text[begin:end], count=1)
        piece = _SPACED_KEY.sub(lambda found: found[1] + "_".join(found[2].split()), piece)
        line = text.count("\n", 0, begin) + 1 if len(starts) < 2_000 else 0
        broken: list[str] = []

        def note(error: Exception, broken: list[str] = broken) -> None:
            broken.append(str(error).splitlines()[0])

        try:
            parser = LowLevelParser(piece, macros=macros, handle_error=note)
            made = [tuple(each) for each in parser]
        except Exception as failure:  # noqa: BLE001 - one entry can break a parser in any way
            note(failure)
            made = []
        kept = [each for each in made if each[0].casefold() not in {"string", "preamble"}]
        key = str(kept[0][1][0] or "") if kept else ""
        if broken:
            where = f"'{key}'" if key else piece[:40].strip()
            at = f" (line {line})" if line else ""
            found.warn(f"BibTeX entry {where}{at} is broken: {broken[0]}")
        for kind, (own, fields) in kept:
            values: dict[str, str] = {}
            for label, parts in fields:
                values.setdefault(str(label).casefold(), "".join(parts)[:LONGEST_TEXT])
            if len(kept) == 1:
                salvage(piece, values)
            if values:
                yield str(kind).casefold(), "" if own == _NO_KEY else str(own or ""), values


def salvage(piece: str, values: dict[str, str]) -> None:
    """Add the fields that the parser did not reach, because a brace or comma is out of place."""
    places = list(_FIELD.finditer(piece[:LONGEST_ENTRY]))
    ends = [*(place.start() for place in places[1:]), len(piece)]
    for place, end in zip(places, ends, strict=False):
        label = place.group(1).casefold()
        if label in values or label not in _WORTH_SAVING:
            continue
        value = piece[place.end() : end].strip().rstrip("}),").strip().strip('{}",').strip()
        if value:
            values[label] = value[:LONGEST_TEXT]


def _of_bibtex(kind: str, key: str, fields: dict[str, str]) -> RawEntry:
    item: Item = {"type": BIBTEX_TYPES.get(kind, "document")}
    for label, csl in BIBTEX_FIELDS.items():
        if value := _untexed(fields.get(label, "")):
            item.setdefault(csl, value)
    if subtitle := _untexed(fields.get("subtitle", "")):
        item["title"] = f"{item['title']}: {subtitle}" if "title" in item else subtitle
    if "page" in item:
        item["page"] = re.sub(r"\s*(?:--+|–)\s*", "-", item["page"])
    if kind in {"techreport", "report"} and "issue" in item:
        item["number"] = item.pop("issue")
    for role in ("author", "editor"):
        if people := _people(fields.get(role, "")):
            item[role] = people
    item["issued"] = issued(
        _untexed(fields.get("date") or fields.get("year", "")), fields.get("month", "")
    )
    item["DOI"] = doi_of(text_of(item.get("DOI")) or text_of(item.get("URL")))
    tags = words_of(_untexed(fields.get("keywords", "") or fields.get("keyword", "")))
    return RawEntry(key, item, tags, _files(fields.get("file", "")))


def _people(names: str) -> list[Item]:
    from pybtex.database import Person
    from pybtex.database.input.bibtex import split_name_list

    found: list[Item] = []
    if not names.strip():
        return found
    for name in split_name_list(" ".join(names.split()))[:LONGEST_LIST]:
        whole = name.strip()
        if whole.casefold() == "others":
            continue
        if whole.startswith("{") and whole.endswith("}"):
            found.append({"literal": _untexed(whole)})
            continue
        if _LABELLED.match(whole):
            found.append(_labelled(whole))
            continue
        try:
            person = Person(whole)
        except Exception:  # noqa: BLE001 - a name that cannot be parted is still a name
            found.append({"literal": _untexed(whole)})
            continue
        parts = {
            "family": person.last_names,
            "given": person.bibtex_first_names,
            "non-dropping-particle": person.prelast_names,
            "suffix": person.lineage_names,
        }
        named = {label: _untexed(" ".join(words)) for label, words in parts.items() if words}
        if named:
            found.append(named)
    return found


def _labelled(name: str) -> Item:
    """A name as biblatex also has it: `family=Doe, given=Jane`."""
    parts = dict(each.split("=", 1) for each in name.split(",") if "=" in each)
    said = {label.strip().casefold(): _untexed(value.strip(' "')) for label, value in parts.items()}
    named = {label: said[label] for label in ("family", "given", "suffix") if said.get(label)}
    return named | ({"non-dropping-particle": said["prefix"]} if said.get("prefix") else {})


def _untexed(text: str) -> str:
    """The text that LaTeX would print."""
    if not re.search(r"[\\{}~$]|--|``|''", text):
        return " ".join(text.split())
    import latexcodec  # noqa: F401 - it teaches `codecs` its codec

    text = _DOTLESS.sub(lambda found: f"\\{found[1]}{{{found[2] or found[3]}}}", text)
    with contextlib.suppress(ValueError, LookupError):
        text = codecs.decode(text, "ulatex")  # type: ignore[call-overload]
    text = _COMMAND.sub("", text).replace("~", " ").replace("\xa0", " ")
    text = re.sub(r"\\([&%$#_{}])", r"\1", text)
    return " ".join(re.sub(r"[{}]|(?<!\\)\$", "", text).split())


def _files(listed: str) -> list[str]:
    """Names in the styles of JabRef and Zotero: `description:path:type`, several with `;`."""
    found: list[str] = []
    for each in listed.split(";"):
        parts = [part for part in re.split(r"(?<!\\):", each) if "." in part] or [each]
        path = parts[0].replace("\\:", ":").strip()
        if path:
            found.append(path)
    return found


# -- writing ---------------------------------------------------------------------------------------

_WRITTEN_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "paper-conference": "inproceedings",
    "thesis": "phdthesis",
    "report": "techreport",
    "webpage": "online",
    "manuscript": "unpublished",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
}
_WRITTEN_FIELDS = {
    "title": "title",
    "collection-title": "series",
    "volume": "volume",
    "issue": "number",
    "number": "number",
    "page": "pages",
    "publisher": "publisher",
    "publisher-place": "address",
    "edition": "edition",
    "DOI": "doi",
    "URL": "url",
    "ISBN": "isbn",
    "ISSN": "issn",
    "language": "language",
}
_VERBATIM = frozenset({"doi", "url", "isbn", "issn"})
_SPECIAL = re.compile(r"[&%$#_{}]")


def write_bibtex(references: Iterable[Reference]) -> str:
    """The references as BibTeX, in UTF-8, each under its own key."""
    return "\n".join(map(_written, references))


def _written(reference: Reference) -> str:
    item = reference.item
    kind = _WRITTEN_TYPES.get(text_of(item.get("type")), "misc")
    fields: dict[str, str] = {}
    for role in ("author", "editor"):
        people = item.get(role)
        if isinstance(people, list) and people:
            fields[role] = " and ".join(filter(None, map(_written_name, people)))
    for csl, label in _WRITTEN_FIELDS.items():
        if value := text_of(item.get(csl)):
            fields.setdefault(label, value if label in _VERBATIM else _texed(value))
    if "pages" in fields:
        fields["pages"] = re.sub(r"(?<=\w)\s*[-–]\s*(?=\w)", "--", fields["pages"])
    if holder := text_of(item.get("container-title")):
        fields["journal" if kind == "article" else "booktitle"] = _texed(holder)
    if kind == "phdthesis" and "publisher" in fields:
        fields["school"] = fields.pop("publisher")
    if kind == "techreport" and "publisher" in fields:
        fields["institution"] = fields.pop("publisher")
    if reference.year:
        fields["year"] = reference.year
    if reference.tags:
        fields["keywords"] = _texed(", ".join(reference.tags))
    key = re.sub(r"[\s,{}\"#%~\\()=]", "", reference.citekey) or "entry"
    lines = "".join(f",\n    {label} = {{{value}}}" for label, value in fields.items() if value)
    return f"@{kind}{{{key}{lines}\n}}\n"


def _written_name(person: object) -> str:
    if not isinstance(person, Mapping):
        return ""
    if literal := text_of(person.get("literal")):
        return f"{{{_texed(literal)}}}"
    particle = person.get("non-dropping-particle") or person.get("dropping-particle")
    family = " ".join(filter(None, (text_of(particle), text_of(person.get("family")))))
    parts = (family, text_of(person.get("suffix")), text_of(person.get("given")))
    return _texed(", ".join(filter(None, parts)))


def _texed(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found.group()}", text.replace("\\", ""))
