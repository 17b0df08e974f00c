"""Contract 05: what of a Zotero library is to be ingested, and what of it is known already.

A library that has not changed since it was last read costs one request; of one that has, only the
files that changed are fetched.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from actors.adapters.annotations import SUFFIX
from actors.adapters.bibliography.zotero import ZoteroBusy, ZoteroLibrary, ZoteroUnavailable
from actors.adapters.bibliography.zotero_items import Attachment, notes_of
from actors.ingesting.readers import all_present, is_outdated
from actors.ingesting.references import Reference
from actors.ingesting.scan_languages import SAID_BY_LIBRARY
from actors.shelves import remove_document
from contracts.allowed_paths import shortened
from contracts.citations.asking import Projects
from contracts.citations.cited_passages import NOTES, NOTES_AT
from contracts.citations.citekeys import reference_of, sharing, told_apart
from contracts.citations.orders import Options, Order, spoken
from events.base import Blob
from events.catalogue import Entry, SourcePublished
from events.codec import canonical, decode, digest
from events.errors import BadRequest, ResearchError, UnknownDocument
from events.logs import log

FETCH_FOR = 8.0
"""Seconds in which files are fetched before the call goes on with those it has."""

TO_ANSWER = 1.0
"""Seconds before the caller's patience ends in which nothing further is begun."""

AT_ONCE = 16
MOST_TAGS = 30
"""Tags that are told where none of those asked for is there."""

_FILE = "zotero.json"
_WRITING = threading.Lock()


def order_from_zotero(
    projects: Projects, project: str, options: Options, cause: str, until: float
) -> Order:
    """What changed in the library since this project read it.

    Somebody waits until a moment of `time.monotonic`. A library that asks for more is busy, as
    long as nothing of it is listed; after that it is waited for, by whoever fetches the rest.
    """
    settings = projects.core.settings
    name = options.zotero_library or settings.zotero_library
    if not name:
        raise BadRequest(
            "No Zotero library is set.",
            "Set RESEARCH_AGENT_ZOTERO_LIBRARY to users/123, groups/456 or local.",
        )
    collection, tags = options.zotero_collection, options.zotero_tags
    library = ZoteroLibrary(name, settings.zotero_key, settings.zotero_url, until=until)
    seen = _Seen(projects, canonical([project, name, settings.zotero_url, collection, tags]))
    held = projects.documents(project)
    outdated = any(_is_of(library, each) and is_outdated(each.reader) for each in held.values())
    since = None if options.force_rebuild else seen.version(reread=outdated)
    version = library.changed(since)
    if version is None:
        return Order([], warnings=[])
    listed = library.attachments(collection)
    found = [each for each in listed if _written_alike(tags) <= _written_alike(each.tags)]
    tried = seen.version(reread=True) == version
    called = _Called(found, library, held.values())
    wanted = _Wanted(projects, library, held.values(), called, options, reread=not tried)
    new = [each for each in found if wanted.is_new(each) and not each.linked]
    lost = _lost(library, held, found, since)
    order = Order([], removed=_take_out(projects, lost, cause))
    if not found:
        # Not remembered as read: who asks for it again is to be told again.
        order.warnings += _missed(tags, listed)
    wanted.take_first(new, order, _fetching_ends(until))
    if new:
        jobs: list[str] = []
        order.entered = jobs.extend
        order.later = _later(wanted, new, jobs, lambda: seen.keep(version, jobs))
    elif not order.warnings:
        order.entered = lambda jobs: seen.keep(version, jobs)
    order.warnings += called.warnings
    order.warnings += [
        f"Document '{each.name}' is only linked in Zotero: the library does not have the file"
        for each in found
        if each.linked
    ]
    return order


def _written_alike(tags: Iterable[str]) -> set[str]:
    return {tag.casefold() for tag in tags}


def _missed(tags: Iterable[str], listed: Iterable[Attachment]) -> list[str]:
    """Why no file has the tags that were asked for, and which there are."""
    there = sorted({tag for each in listed for tag in each.tags}, key=str.casefold)
    none_has = [tag for tag in tags if tag.casefold() not in _written_alike(there)]
    known = shortened(", ".join(there[:MOST_TAGS]) or "none", 1_000)
    if none_has:
        named = ", ".join(repr(shortened(tag, 80)) for tag in none_has[:5])
        return [f"No file in Zotero has the tag {named}. Existing tags: {known}"]
    return ["No file in Zotero has all of these tags at once"] if tags else []


def _fetching_ends(until: float) -> float:
    now = time.monotonic()
    # Who waited until then has gone: what is fetched now is for the job alone.
    patience = until - TO_ANSWER if until - TO_ANSWER > now else now + FETCH_FOR
    return min(patience, now + FETCH_FOR)


Held = Mapping[tuple[str, str], SourcePublished]


def _is_of(library: ZoteroLibrary, source: SourcePublished) -> bool:
    """Whether a document came from a library."""
    said = source.metadata
    # Libraries of two people are called alike in links: what came from one is not the other's.
    return (
        "zotero_attachment" in said
        and said.get("zotero_library") == library.link
        and said.get("zotero_source", library.library) == library.library
    )


def _lost(
    library: ZoteroLibrary, held: Held, found: Iterable[Attachment], since: int | None
) -> list[tuple[str, str]]:
    """What the project holds of the library that is no longer in it.

    A file that the filters do not mean is only gone when the library says so: it may have come in
    with other filters.
    """
    there = {each.key: bool(notes_of(each)) for each in found}
    lost: list[tuple[str, str]] = []
    asked: dict[tuple[str, str], set[str]] = {}
    for place, source in held.items():
        if not _is_of(library, source):
            continue
        said = source.metadata
        key = said["zotero_attachment"]
        if key not in there:
            asked[place] = {key, said.get("zotero_item", key)}
        elif said.get("kind") == NOTES and not there[key]:
            lost.append(place)
    gone = library.gone(set().union(*asked.values()), since)
    return lost + [place for place, keys in asked.items() if keys & gone]


def _take_out(projects: Projects, places: Iterable[tuple[str, str]], cause: str) -> list[str]:
    """Remove documents; returns those that were still there."""
    removed: list[str] = []
    for collection, document in places:
        with contextlib.suppress(UnknownDocument):
            remove_document(projects.core.catalogue, collection, document, cause)
            removed.append(document)
    return removed


def _later(
    wanted: "_Wanted", new: list[Attachment], jobs: list[str], keep: Callable[[], None]
) -> Callable[[Callable[[Order], str]], None]:
    def go_on(enter: Callable[[Order], str]) -> None:
        whole = True
        try:
            for begin in range(0, len(new), AT_ONCE):
                order = Order([])
                for each in new[begin : begin + AT_ONCE]:
                    wanted.take(each, order)
                if order.documents:
                    jobs.append(enter(order))
                whole = whole and not order.warnings
        except ResearchError as refusal:
            # What was not fetched is found missing by the next call.
            log("zotero").warning("given_up", code=refusal.code, reason=refusal.sentence)
            return
        if whole:
            keep()

    return go_on


class _Called:
    """What each item of a library is cited by: two of them may have one key, or a key that the project holds."""

    def __init__(
        self,
        found: Iterable[Attachment],
        library: ZoteroLibrary,
        held: Iterable[SourcePublished],
    ) -> None:
        items = {
            each.parent.get("key"): known for each in found if (known := each.reference) is not None
        }
        others: list[Reference] = []
        former: list[Reference] = []
        for source in held:
            if reference := reference_of(source):
                own = _is_of(library, source) and source.metadata.get("zotero_item") in items
                (former if own else others).append(reference)
        given = list(items.values())
        called = told_apart(given, others, former)
        self._by_item = dict(zip(items, called, strict=True))
        self.warnings = sharing(given, called)

    def reference(self, attachment: Attachment) -> Reference | None:
        """The reference of a file, under a key that no other work has."""
        return self._by_item.get(attachment.parent.get("key"))


class _Wanted:
    """Makes entries of what a project does not hold yet."""

    def __init__(
        self,
        projects: Projects,
        library: ZoteroLibrary,
        held: Iterable[SourcePublished],
        called: _Called,
        options: Options,
        *,
        reread: bool,
    ) -> None:
        self._core, self._library, self._spoken = projects.core, library, spoken(options)
        self._held = {source.locator: source for source in held}
        self._called, self._anew, self._reread = called, options.force_rebuild, reread

    def _locator(self, attachment: Attachment) -> str:
        return f"zotero://select/{self._library.link}/items/{attachment.key}"

    def is_new(self, attachment: Attachment) -> bool:
        locator = self._locator(attachment)
        held = self._held.get(locator)
        if self._anew or held is None or held.metadata.get("zotero_state") != attachment.state:
            return True
        reference = self._called.reference(attachment)
        if reference and reference.citekey != held.metadata.get("citekey"):
            return True
        notes = self._held.get(_notes_at(locator))
        outdated = is_outdated(held.reader) or (notes is not None and is_outdated(notes.reader))
        return outdated and self._reread

    def take_first(self, new: list[Attachment], order: Order, until: float) -> None:
        """Take as many as can be had until a moment; the rest stays in the list."""
        self._library.until = until
        while new and time.monotonic() < until:
            try:
                self.take(new[0], order)
            except ZoteroBusy:
                break
            del new[0]
        self._library.until = None

    def take(self, attachment: Attachment, order: Order) -> None:
        """Add the entries of an attachment; a file that cannot be had costs only itself.

        Raises `ZoteroBusy` where waiting would help, and somebody else has the time for it.
        """
        locator = self._locator(attachment)
        try:
            content = self._content(attachment, locator)
        except ZoteroUnavailable as refusal:
            if isinstance(refusal, ZoteroBusy) and self._library.may_wait_later(refusal):
                raise
            order.warnings.append(
                f"Document '{attachment.name}' was not fetched: {refusal.sentence}"
            )
            return
        reference = self._called.reference(attachment)
        metadata = (reference.metadata() if reference else {}) | {
            "zotero_library": self._library.link,
            "zotero_source": self._library.library,
            "zotero_item": str(attachment.parent.get("key")),
            "zotero_attachment": attachment.key,
            "zotero_state": attachment.state,
            "zotero_md5": attachment.md5,
            **self._spoken,
        }
        if attachment.language:
            metadata[SAID_BY_LIBRARY] = attachment.language
        tags = reference.tags if reference else ()
        title = (reference.title if reference else "") or None
        order.documents.append(
            Entry(
                locator=locator,
                content=content,
                name=attachment.name,
                title=title,
                metadata=metadata,
                tags=tags,
            )
        )
        if notes := notes_of(attachment):
            order.documents.append(
                Entry(
                    locator=_notes_at(locator),
                    content=self._core.home.blobs.put(notes.encode()),
                    name=f"{attachment.name}{SUFFIX}",
                    metadata=metadata | {"kind": NOTES},
                    tags=tags,
                )
            )

    def _content(self, attachment: Attachment, locator: str) -> Blob:
        held = self._held.get(locator)
        blobs = self._core.home.blobs
        same = held and attachment.md5 and held.metadata.get("zotero_md5") == attachment.md5
        if held and same and blobs.path(held.original.hash).exists():
            return held.original
        self._core.home.prepare()
        return blobs.put(self._library.file(attachment.key))


def _notes_at(locator: str) -> str:
    return f"{locator}{NOTES_AT}"


class _Seen:
    """The version of a library that was read whole, by which readers and jobs; lost, it costs a look at everything."""

    def __init__(self, projects: Projects, asked: bytes) -> None:
        self._catalogue = projects.core.catalogue
        self._path = projects.core.home.views / _FILE
        self._key = digest(asked)[7:39]

    def _all(self) -> dict[str, Any]:
        try:
            known = decode(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def version(self, *, reread: bool) -> int | None:
        """The version that was read last; none where newer readers are to read of it what older ones have read.

        They do so once: what they could not read of it then, they cannot read now.
        """
        match self._all().get(self._key):
            case [int(version), str(readers), [*jobs]] if readers == all_present() or not reread:
                return version if all(map(self._brings_in, jobs)) else None
            case _:
                return None

    def _brings_in(self, job: Any) -> bool:
        """Whether a job goes to its end: what one left out that was stopped is to be brought in by another."""
        entry = self._catalogue.state().entries.get(str(job))
        if entry is None or (entry.ended is None and entry.stop):
            return False
        return entry.ended in {None, "completed"}

    def keep(self, version: int, jobs: list[str]) -> None:
        """Remember that everything up to a version was taken in, by these jobs."""
        # Several servers may remember something at once, each in a file of its own first.
        fresh = self._path.with_suffix(f".{os.getpid()}.new")
        with _WRITING, contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            known = self._all() | {self._key: [version, all_present(), jobs]}
            fresh.write_bytes(canonical(known))
            fresh.replace(self._path)
