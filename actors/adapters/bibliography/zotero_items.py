"""What the items of a Zotero library say: their references, tags, files and annotations."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from actors.adapters.annotations import no_heading, page_heading
from actors.adapters.bibliography.raw_references import LONGEST_TEXT, issued, plain_edition
from actors.adapters.bibliography.references import reference_of
from actors.ingesting.references import Reference, text_of

Item = dict[str, Any]


@dataclass(frozen=True)
class Attachment:
    """A file of a library, with what it is a copy of."""

    key: str
    version: int
    name: str
    md5: str
    parent: Item
    """The `data` of the item it belongs to; its own where it stands alone."""

    annotations: tuple[Item, ...] = ()

    edited: str = ""
    """When it was last edited: the program's own library counts no version for that."""

    linked: bool = False
    """Whether the library only says where it lies, on the machine of whoever added it."""

    @property
    def state(self) -> str:
        """Changes whenever anything that is kept of it does."""
        notes = ",".join(f"{each.get('key')}:{_edition(each)}" for each in self.annotations)
        return f"{_edition(self.parent)}/{self.version}{self.edited}/{notes}"

    @property
    def language(self) -> str:
        """What its parent says it is written in."""
        return text_of(self.parent.get("language"))[:40]

    @property
    def tags(self) -> tuple[str, ...]:
        """Those of its parent."""
        return tags_of(self.parent)

    @property
    def reference(self) -> Reference | None:
        """The reference that its parent is."""
        return reference_of(_citekey(self.parent), csl_item(self.parent), self.tags)


def data_of(item: Item) -> Item:
    """The fields of an item, with its key and version."""
    data = item.get("data")
    if not isinstance(data, dict):
        return {}
    return {"key": item.get("key"), "version": item.get("version")} | data


def file_name(data: Item) -> str:
    """What the file of an attachment is called."""
    name = PurePath(text_of(data.get("filename")) or text_of(data.get("title"))).name
    return name or f"{data.get('key')}.pdf"


def edited(data: Item) -> str:
    """When an item was last edited, as it goes into a state; empty where it does not say."""
    return f"@{when}" if (when := text_of(data.get("dateModified"))) else ""


def _edition(data: Item) -> str:
    return f"{data.get('version')}{edited(data)}"


def place_of(annotation: Item) -> str:
    """What annotations are sorted by."""
    return text_of(annotation.get("annotationSortIndex"))


def tags_of(data: Item) -> tuple[str, ...]:
    """The tags of an item."""
    listed = data.get("tags")
    named = (each.get("tag") for each in listed if isinstance(each, dict)) if listed else ()
    return tuple(text for tag in named if (text := text_of(tag)))


def page_of(annotation: Item) -> int | None:
    """The page of the file that an annotation stands on, counted from 1."""
    found = re.search(r'"pageIndex"\s*:\s*(\d{1,6})', text_of(annotation.get("annotationPosition")))
    if found:
        return int(found.group(1)) + 1
    label = text_of(annotation.get("annotationPageLabel"))
    return int(label) if label.isdecimal() and len(label) < 7 else None


def notes_of(attachment: Attachment) -> str:
    """What was highlighted and written in a file, as Markdown by page; empty if nothing was."""
    parts: list[str] = []
    last: int | None = -1
    for each in attachment.annotations:
        quote, comment = (
            text_of(each.get("annotationText")),
            text_of(each.get("annotationComment")),
        )
        if not quote and not comment:
            continue
        page = page_of(each)
        if page != last:
            parts.append(page_heading(page))
            last = page
        parts += [f"> {no_heading(quote)}"] * bool(quote) + [no_heading(comment)] * bool(comment)
    return "\n\n".join([f"# Annotations of {attachment.name}", *parts]) if parts else ""


_NOTED_DOI = re.compile(r"(?im)^[^\S\n]*+doi\s*+:\s*+(\S+)")
_KEY = re.compile(r"(?im)^[^\S\n]*+citation key\s*+:\s*+(\S+)")


def _extra(data: Item) -> str:
    """What else is known of an item, in lines of its own."""
    return str(data.get("extra") or "")[:LONGEST_TEXT]


def _citekey(data: Item) -> str:
    if named := text_of(data.get("citationKey")):
        return named
    found = _KEY.search(_extra(data))
    return found.group(1) if found else ""


_TYPES = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "book": "book",
    "bookSection": "chapter",
    "conferencePaper": "paper-conference",
    "thesis": "thesis",
    "report": "report",
    "webpage": "webpage",
    "blogPost": "post-weblog",
    "preprint": "article",
    "dataset": "dataset",
    "computerProgram": "software",
    "manuscript": "manuscript",
    "patent": "patent",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "presentation": "speech",
    "standard": "standard",
    "forumPost": "post",
    "podcast": "song",
    "film": "motion_picture",
    "videoRecording": "motion_picture",
}
_ROLES = {
    "editor": "editor",
    "translator": "translator",
    "bookAuthor": "container-author",
    "seriesEditor": "collection-editor",
}
_ASIDE = frozenset(
    {"contributor", "commenter", "reviewedAuthor", "recipient", "counsel", "sponsor"}
)
"""Those who took part and did not write it."""

_FIELDS = {
    "title": "title",
    "shortTitle": "title-short",
    "publicationTitle": "container-title",
    "bookTitle": "container-title",
    "proceedingsTitle": "container-title",
    "websiteTitle": "container-title",
    "blogTitle": "container-title",
    "encyclopediaTitle": "container-title",
    "dictionaryTitle": "container-title",
    "journalAbbreviation": "container-title-short",
    "conferenceName": "event-title",
    "thesisType": "genre",
    "reportType": "genre",
    "reportNumber": "number",
    "archiveID": "number",
    "numPages": "number-of-pages",
    "seriesNumber": "collection-number",
    "versionNumber": "version",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "publisher": "publisher",
    "university": "publisher",
    "institution": "publisher",
    "place": "publisher-place",
    "edition": "edition",
    "series": "collection-title",
    "DOI": "DOI",
    "url": "URL",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "language": "language",
}


def csl_item(data: Item) -> Item:
    """An item as CSL-JSON has it."""
    item: Item = {"type": _TYPES.get(text_of(data.get("itemType")), "document")}
    for name, csl in _FIELDS.items():
        if value := text_of(data.get(name)):
            item.setdefault(csl, value)
    item |= _people(data.get("creators"))
    item["issued"] = issued(text_of(data.get("date")))
    item["accessed"] = issued(text_of(data.get("accessDate"))[:10])
    if "edition" in item:
        item["edition"] = plain_edition(item["edition"])
    # Items that have no field for it carry it among what else is known of them.
    noted = _NOTED_DOI.search(_extra(data))
    if noted and "DOI" not in item:
        item["DOI"] = noted.group(1)
    return {name: value for name, value in item.items() if value}


def _people(creators: Any) -> dict[str, list[Item]]:
    people: dict[str, list[Item]] = {}
    for each in creators if isinstance(creators, list) else []:
        if not isinstance(each, dict) or (role := text_of(each.get("creatorType"))) in _ASIDE:
            continue
        parts = {"family": text_of(each.get("lastName")), "given": text_of(each.get("firstName"))}
        name = text_of(each.get("name")) or ("" if parts["family"] else parts["given"])
        person = {"literal": name} if name else {part: text for part, text in parts.items() if text}
        if person:
            people.setdefault(_ROLES.get(role, "author"), []).append(person)
    return people
