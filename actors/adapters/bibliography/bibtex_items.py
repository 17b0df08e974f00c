"""What the fields of a BibTeX entry are in CSL-JSON; both the older names and those of biblatex."""

import re
from collections.abc import Mapping

from actors.adapters.bibliography.raw_references import Item, issued, plain_edition
from actors.ingesting.references import arxiv_of, doi_in

TYPES = {
    "article": "article-journal",
    "audio": "song",
    "book": "book",
    "bookinbook": "chapter",
    "booklet": "pamphlet",
    "collection": "book",
    "conference": "paper-conference",
    "dataset": "dataset",
    "electronic": "webpage",
    "inbook": "chapter",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "inreference": "entry-encyclopedia",
    "manual": "report",
    "mastersthesis": "thesis",
    "misc": "document",
    "movie": "motion_picture",
    "mvbook": "book",
    "mvcollection": "book",
    "mvproceedings": "book",
    "mvreference": "book",
    "online": "webpage",
    "patent": "patent",
    "phdthesis": "thesis",
    "preprint": "article",
    "proceedings": "book",
    "reference": "book",
    "report": "report",
    "software": "software",
    "suppbook": "chapter",
    "suppcollection": "chapter",
    "techreport": "report",
    "thesis": "thesis",
    "unpublished": "manuscript",
    "video": "motion_picture",
    "webpage": "webpage",
    "www": "webpage",
}
FIELDS = {
    "title": "title",
    "shorttitle": "title-short",
    "journal": "container-title",
    "journaltitle": "container-title",
    "booktitle": "container-title",
    "maintitle": "container-title",
    "shortjournal": "container-title-short",
    "series": "collection-title",
    "volume": "volume",
    "volumes": "number-of-volumes",
    "number": "issue",
    "issue": "issue",
    "pages": "page",
    "eid": "page",
    "articleno": "page",
    "pagetotal": "number-of-pages",
    "publisher": "publisher",
    "school": "publisher",
    "institution": "publisher",
    "organization": "publisher",
    "address": "publisher-place",
    "location": "publisher-place",
    "edition": "edition",
    "chapter": "chapter-number",
    "eventtitle": "event-title",
    "venue": "event-place",
    "isbn": "ISBN",
    "issn": "ISSN",
    "pmid": "PMID",
    "language": "language",
    "langid": "language",
    "abstract": "abstract",
    "note": "note",
    "version": "version",
    "pubstate": "status",
}
VERBATIM = frozenset({"doi", "url", "eprint", "howpublished", "file", "isbn", "issn"})
"""Fields in which a tilde is a tilde and two hyphens are two."""

PEOPLE = {
    "author": "author",
    "editor": "editor",
    "translator": "translator",
    "bookauthor": "container-author",
}
_GENRES = {
    "mastersthesis": "Master’s thesis",
    "mathesis": "Master’s thesis",
    "bathesis": "Bachelor’s thesis",
    "phdthesis": "PhD thesis",
    "candthesis": "Candidate thesis",
    "techreport": "Technical report",
    "resreport": "Research report",
}
_LANGUAGES = {
    "american": "en-US",
    "austrian": "de-AT",
    "brazilian": "pt-BR",
    "british": "en-GB",
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "japanese": "ja",
    "naustrian": "de-AT",
    "ngerman": "de",
    "spanish": "es",
    "swissgerman": "de-CH",
    "ukenglish": "en-GB",
    "usenglish": "en-US",
}
_URL = re.compile(r"https?://[^\s{}\"<>]+")
_SEEN_ON = re.compile(r"(?i)\baccessed\b.{0,20}?(\d{4}-\d{2}-\d{2})")


def item_of(kind: str, said: Mapping[str, str]) -> Item:
    """An entry without its people; `said` has its fields as they would be printed."""
    item: Item = {"type": TYPES.get(kind, "document")}
    for label, csl in FIELDS.items():
        if value := said.get(label):
            item.setdefault(csl, value)
    _whole_titles(item, said)
    if "page" in item:
        item["page"] = re.sub(r"\s*(?:--+|[–—])\s*", "-", item["page"])
    if "edition" in item:
        item["edition"] = plain_edition(item["edition"])
    if "language" in item:
        item["language"] = _LANGUAGES.get(item["language"].casefold(), item["language"])
    _number(kind, item)
    if genre := _genre(kind, said):
        item["genre"] = genre
    date = said.get("date") or said.get("year", "")
    item["issued"] = issued(date, said.get("month", ""), said.get("day", ""))
    item["original-date"] = issued(said.get("origdate", ""))
    _where(item, said)
    return item


def _whole_titles(item: Item, said: Mapping[str, str]) -> None:
    if item["type"] == "book":
        # What a book says here is the title that its parts are to show.
        item.pop("container-title", None)
    if subtitle := said.get("subtitle"):
        item["title"] = f"{item['title']}: {subtitle}" if "title" in item else subtitle
    if (below := said.get("booksubtitle") or said.get("journalsubtitle")) and (
        "container-title" in item
    ):
        item["container-title"] = f"{item['container-title']}: {below}"


def _number(kind: str, item: Item) -> None:
    """A number is an issue only of what comes in issues."""
    if "issue" not in item or kind == "article":
        return
    number = item.pop("issue")
    if "collection-title" in item and item["type"] in {"book", "chapter", "paper-conference"}:
        item["collection-number"] = number
    else:
        item["number"] = number


def _genre(kind: str, said: Mapping[str, str]) -> str:
    named = said.get("type", "")
    if item_type := _GENRES.get(named.casefold()):
        return item_type
    return named or (_GENRES[kind] if kind in {"mastersthesis", "phdthesis"} else "")


def _where(item: Item, said: Mapping[str, str]) -> None:
    """Where it is found: its DOI, its address, the archive that holds it."""
    told = said.get("howpublished", "")
    found = _URL.search(told) or _URL.search(said.get("note", ""))
    url = said.get("url") or (found.group().rstrip(".,;)") if found else "")
    rest = _URL.sub("", told).strip(" .,;:()")
    if rest and rest.casefold() not in {"online", "available", "available at", "available online"}:
        item.setdefault("publisher", rest)
    kept = said.get("archiveprefix") or said.get("eprinttype") or ""
    print_id = said.get("eprint", "")
    arxiv = arxiv_of(f"arxiv:{print_id}") if kept.casefold() in {"", "arxiv"} else ""
    if print_id and arxiv:
        item["archive"], item["number"] = "arXiv", f"arXiv:{arxiv}"
        url = url or f"https://arxiv.org/abs/{arxiv}"
        item["type"] = "article" if item["type"] == "document" else item["type"]
    if url:
        item["URL"] = url
    item["DOI"] = doi_in(said.get("doi", "")) or doi_in(url)
    if item["type"] == "document" and url and not item["DOI"] and "publisher" not in item:
        item["type"] = "webpage"
    seen = issued(said.get("urldate", ""))
    if not seen and (noted := _SEEN_ON.search(said.get("note", ""))):
        seen = issued(noted.group(1))
    item["accessed"] = seen
