"""Reads a Zotero library, on the web or in the program on this machine. The only door to pyzotero."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from actors.adapters.references import reference_of
from actors.references import Reference, text_of, year_in
from events.errors import ResearchError

LONGEST_BACKOFF = 60.0
"""Seconds that are waited for a library that asks for it; beyond, the caller comes back later."""

LARGEST_FILE = 512 << 20
READABLE = frozenset(
    {
        *("application/pdf", "text/html", "text/plain", "text/markdown", "application/epub+zip"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }
)
_PAGE = 100
_LIBRARY = re.compile(r"(users|groups)/([0-9]{1,12})")
Made = TypeVar("Made")
Item = dict[str, Any]


class ZoteroUnavailable(ResearchError):
    """The library could not be read: (why,)."""

    code = "zotero_unavailable"
    says = "Zotero could not be read: {0}."
    suggestion = (
        "Check ZOTERO_API_KEY and RESEARCH_AGENT_ZOTERO_LIBRARY (users/123, groups/456 or local), and "
        "that Zotero runs and allows other applications for a local library."
    )


class ZoteroBusy(ZoteroUnavailable):
    """The library asks to come back later: (seconds,)."""

    code = "zotero_busy"
    says = "Zotero asks to wait {0:g} seconds."
    suggestion = "Call again after that time; what was read before is kept."


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

    @property
    def state(self) -> str:
        """Changes whenever anything that is kept of it does."""
        notes = ",".join(f"{each.get('key')}:{each.get('version')}" for each in self.annotations)
        return f"{self.parent.get('version')}/{self.version}/{notes}"

    @property
    def reference(self) -> Reference | None:
        """The reference that its parent is."""
        return reference_of(_citekey(self.parent), csl_item(self.parent), tags_of(self.parent))


@dataclass
class ZoteroLibrary:
    """One library, opened when it is first asked."""

    library: str
    """`users/123`, `groups/456`, or `local`."""

    api_key: str | None = field(default=None, repr=False)
    url: str | None = None
    """Another address of the API, for tests."""

    def __post_init__(self) -> None:
        local = self.library == "local"
        named = _LIBRARY.fullmatch("users/0" if local else self.library)
        if named is None:
            raise ZoteroUnavailable(f"{self.library[:40]!r} is no library")
        self.local, self._kind, self._id = local, named.group(1), named.group(2)
        self._opened: Any = None

    @property
    def link(self) -> str:
        """How links into Zotero name it."""
        return "library" if self._kind == "users" else f"groups/{self._id}"

    def changed(self, since: int | None) -> int | None:
        """The library's version, unless it is still that one."""

        def ask() -> int | None:
            client = self._client()
            url = f"{client.endpoint}/{self._kind}/{self._id}/items?limit=1&format=versions"
            headers = {} if since is None else {"If-Modified-Since-Version": str(since)}
            client._check_backoff()
            answer = client._send("GET", url, headers=headers)
            if answer.status_code == 304:
                return None
            client._post_check(answer)
            return int(answer.headers.get("last-modified-version", 0))

        return self._careful(ask)

    def attachments(self, collection: str | None, tags: Iterable[str]) -> list[Attachment]:
        """The files of a library, of one collection, of items with all these tags."""
        items = self._careful(lambda: self._items(collection))
        wanted = set(tags)
        by_key = {each["key"]: _data(each) for each in items if "key" in each}
        notes: dict[str, list[Item]] = {}
        for data in by_key.values():
            if data.get("itemType") == "annotation" and data.get("parentItem"):
                notes.setdefault(data["parentItem"], []).append(data)
        found: list[Attachment] = []
        for key, data in by_key.items():
            if data.get("itemType") != "attachment" or data.get("contentType") not in READABLE:
                continue
            if data.get("linkMode") not in {"imported_file", "imported_url"}:
                continue
            parent = by_key.get(data.get("parentItem") or key, data)
            if not wanted <= set(tags_of(parent)):
                continue
            found.append(
                Attachment(
                    key=key,
                    version=int(data.get("version") or 0),
                    name=_file_name(data),
                    md5=text_of(data.get("md5")),
                    parent=parent,
                    annotations=tuple(sorted(notes.get(key, []), key=_place)),
                )
            )
        return sorted(found, key=lambda each: each.key)

    def file(self, key: str) -> bytes:
        """The bytes of an attachment."""
        raw = self._careful(lambda: self._client().file(key))
        if not isinstance(raw, bytes):
            raise ZoteroUnavailable(f"attachment {key} is not a file")
        if len(raw) > LARGEST_FILE:
            raise ZoteroUnavailable(f"attachment {key} is larger than {LARGEST_FILE >> 20} MB")
        return raw

    def _items(self, collection: str | None) -> list[Item]:
        client = self._client()
        if collection is None:
            return list(client.everything(client.items(limit=_PAGE)))
        key = self._collection_key(client, collection)
        return list(client.everything(client.collection_items(key, limit=_PAGE)))

    @staticmethod
    def _collection_key(client: Any, named: str) -> str:
        known = client.everything(client.collections(limit=_PAGE))
        for each in known:
            if named in {each.get("key"), _data(each).get("name")}:
                return str(each["key"])
        names = ", ".join(sorted(text_of(_data(each).get("name")) for each in known)[:30])
        raise ZoteroUnavailable(
            f"there is no collection {named[:80]!r}; there are: {names or 'none'}"
        )

    def _client(self) -> Any:
        if self._opened is None:
            from pyzotero.zotero import Zotero

            class Bounded(Zotero):
                def _set_backoff(self, duration: str | float) -> None:
                    if float(duration) > LONGEST_BACKOFF:
                        raise ZoteroBusy(float(duration))
                    super()._set_backoff(duration)

            kind = self._kind.removesuffix("s")
            self._opened = Bounded(self._id, kind, self.api_key, local=self.local)
            if self.url:
                self._opened.endpoint = self.url.rstrip("/")
        return self._opened

    def _careful(self, act: Callable[[], Made]) -> Made:
        try:
            return act()
        except ResearchError:
            raise
        except Exception as failure:
            # The library's own errors and those of its transport, which has a door of its own.
            raise ZoteroUnavailable(_why(failure)) from failure


def _why(failure: Exception) -> str:
    said = " ".join(str(failure).split())
    code = re.search(r"Code: (\d{3})", said)
    if code and code.group(1) in {"401", "403"}:
        return "the key is not accepted"
    if code:
        return f"it answered {code.group(1)}"
    return f"{type(failure).__name__} {said}"[:200]


def _data(item: Item) -> Item:
    data = item.get("data")
    if not isinstance(data, dict):
        return {}
    return {"key": item.get("key"), "version": item.get("version")} | data


def _file_name(data: Item) -> str:
    name = PurePath(text_of(data.get("filename")) or text_of(data.get("title"))).name
    return name or f"{data.get('key')}.pdf"


def _place(annotation: Item) -> str:
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
            parts.append(f"## Page {page}" if page else "## Without a page")
            last = page
        parts += [f"> {quote}"] * bool(quote) + [comment] * bool(comment)
    return "\n\n".join([f"# Annotations of {attachment.name}", *parts]) if parts else ""


_KEY = re.compile(r"(?im)^\s*citation key\s*:\s*(\S+)")


def _citekey(data: Item) -> str:
    if named := text_of(data.get("citationKey")):
        return named
    found = _KEY.search(str(data.get("extra") or ""))
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
}
_FIELDS = {
    "title": "title",
    "shortTitle": "title-short",
    "publicationTitle": "container-title",
    "bookTitle": "container-title",
    "proceedingsTitle": "container-title",
    "websiteTitle": "container-title",
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
    people: dict[str, list[Item]] = {}
    creators = data.get("creators")
    for each in creators if isinstance(creators, list) else []:
        role = {"author": "author", "editor": "editor", "translator": "translator"}.get(
            text_of(each.get("creatorType")), "author"
        )
        if name := text_of(each.get("name")):
            people.setdefault(role, []).append({"literal": name})
        else:
            parts = {"family": each.get("lastName"), "given": each.get("firstName")}
            people.setdefault(role, []).append({k: text_of(v) for k, v in parts.items() if v})
    item |= people
    date = text_of(data.get("date"))
    if year := year_in(date):
        item["issued"] = {"date-parts": [[int(year)]]}
    return item
