"""Writes references as BibTeX, in UTF-8."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from actors.adapters.bibliography.raw_references import written_date
from actors.ingesting.references import (
    OTHERS,
    Reference,
    are_others,
    is_unparted,
    name_parts,
    text_of,
)

_TYPES = {
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
_FIELDS = {
    "title": "title",
    "collection-title": "series",
    "volume": "volume",
    "issue": "number",
    "number": "number",
    "page": "pages",
    "publisher": "publisher",
    "publisher-place": "address",
    "edition": "edition",
    "genre": "type",
    "DOI": "doi",
    "URL": "url",
    "ISBN": "isbn",
    "ISSN": "issn",
    "language": "language",
    "title-short": "shorttitle",
    "container-title-short": "shortjournal",
    "event-title": "eventtitle",
    "event-place": "venue",
    "chapter-number": "chapter",
    "number-of-pages": "pagetotal",
    "version": "version",
    "PMID": "pmid",
}
_ADDRESSES = frozenset({"doi", "url"})
_NUMBERS = frozenset({"isbn", "issn"})
_SPECIAL = re.compile(r"[&%$#_{}~^]")
# BibTeX counts braces also behind a backslash, so one of the text's own could end its field.
_SIGNS = {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
}
_SET = {"i": "textit", "b": "textbf", "sup": "textsuperscript", "sub": "textsubscript"}
_TAG = re.compile(r"<(i|b|sup|sub)>([^<>]*)</\1>")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CAPITALS = re.compile(r"(?<![\w\\{])(?=\w*[^\W\d_a-z])\w*\w[^\W\d_a-z]\w*")
"""Words such as NASA or iPhone, which styles would write small."""


def write_bibtex(references: Iterable[Reference]) -> str:
    """The references as BibTeX, in UTF-8, each under its own key."""
    return "\n".join(map(_written, references))


def _written(reference: Reference) -> str:
    item = reference.item
    kind = _TYPES.get(text_of(item.get("type")), "misc")
    fields: dict[str, str] = {}
    for role in ("author", "editor", "translator"):
        people = item.get(role)
        if isinstance(people, list) and people:
            fields[role] = " and ".join(filter(None, map(_written_name, people)))
    for csl, label in _FIELDS.items():
        if value := text_of(item.get(csl)):
            fields.setdefault(label, _value(label, value))
    if title := text_of(item.get("title")):
        fields["title"] = _titled(title)
    if kind == "phdthesis" and "master" in fields.get("type", "").casefold():
        kind = "mastersthesis"
    if "pages" in fields:
        fields["pages"] = re.sub(r"(?<=\w)\s*[-–]\s*(?=\w)", "--", fields["pages"])
    if holder := text_of(item.get("container-title")):
        fields["journal" if kind == "article" else "booktitle"] = _texed(holder)
    if kind.endswith("thesis") and "publisher" in fields:
        fields["school"] = fields.pop("publisher")
    if kind == "techreport" and "publisher" in fields:
        fields["institution"] = fields.pop("publisher")
    fields |= _dated(item.get("issued"), reference.year)
    if seen := written_date(item.get("accessed"), "-"):
        fields["urldate"] = seen
    if arxiv := reference.arxiv:
        fields |= {"eprint": arxiv, "archiveprefix": "arXiv"}
    if reference.tags:
        fields["keywords"] = _texed(", ".join(reference.tags))
    key = re.sub(r"[\s,{}\"#%~\\()=]", "", reference.citekey) or "entry"
    lines = "".join(
        f",\n    {label} = {value if label == 'month' else f'{{{value}}}'}"
        for label, value in fields.items()
        if value
    )
    return f"@{kind}{{{key}{lines}\n}}\n"


def _dated(issued: object, year: str) -> dict[str, str]:
    """Year and month; months are written by their names, which every style knows."""
    if not year:
        return {}
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    month = int(first[1]) if len(first) > 1 and re.fullmatch(r"\d{1,5}", str(first[1])) else 0
    dated = {"year": year} | ({"month": _MONTHS[month - 1]} if 1 <= month <= 12 else {})
    day = written_date(issued, "-")
    # Only biblatex knows days.
    return dated | ({"date": day} if day.count("-") == 2 else {})


def _titled(title: str) -> str:
    """A title whose capitals stay, and whose marks are those of LaTeX."""
    kept: list[str] = []
    last = 0
    for found in _TAG.finditer(title):
        kept += [_guarded(title[last : found.start()])]
        kept += [f"\\{_SET[found[1]]}{{{_guarded(found[2])}}}"]
        last = found.end()
    return "".join([*kept, _guarded(title[last:])])


def _guarded(text: str) -> str:
    return _CAPITALS.sub(lambda found: f"{{{found.group()}}}", _texed(text))


def _written_name(person: object) -> str:
    if not isinstance(person, Mapping):
        return ""
    if are_others(person):
        return OTHERS["literal"]
    if literal := text_of(person.get("literal")):
        return f"{{{_texed(literal)}}}"
    family, given = name_parts(person)
    one_word = " " in family and (not given or is_unparted(person))
    if one_word or " and " in f" {family} ".casefold():
        return f"{{{_texed(family)}}}" + (f", {_texed(given)}" if given else "")
    return _texed(", ".join(filter(None, (family, text_of(person.get("suffix")), given))))


def _value(label: str, text: str) -> str:
    """A text as a field has it; addresses and numbers as they are, but for what would end the field."""
    if label in _ADDRESSES:
        return re.sub(r"[{}\\\s]", lambda found: quote(found.group()), text)
    return re.sub(r"[{}\\]", "", text) if label in _NUMBERS else _texed(text)


def _texed(text: str) -> str:
    plain = text.replace("\\", "")
    return _SPECIAL.sub(lambda found: _SIGNS.get(found.group(), f"\\{found.group()}"), plain)
