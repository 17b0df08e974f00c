"""An ingest job: read, parse, cut, embed, seal, publish; no file fails its siblings.

Files go through in portions, so that a portion is embedded while the next one is read, and what
is durable is made so for many files at once. A document version is searchable whole, or not at
all.
"""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce

from actors.ingesting.describing import Describing, entries_of
from actors.ingesting.ingest_state import (
    IngestState,
    done_file,
    evolve,
    failed_file,
    held_version,
    identity,
    published_file,
    stopped_by,
)
from actors.ingesting.readers import is_outdated
from actors.ingesting.scan_languages import scan_languages
from actors.ingesting.workshop import Draft, Outline, Refused, Sealed, Workshop
from actors.ports import Archive, OpenEmbedder, Parser, Published, Writer
from actors.recorded import FailedBefore, RecordedDesk, code_of
from actors.webpages.page_fetching import Fetch
from actors.webpages.websites import Pages, is_page, without_served
from events.base import Blob, Fact
from events.catalogue import Entry, SourcePublished
from events.errors import CallCut, FetchFailed, GenerationMoved, ModelUnavailable, PathRefused
from events.ingest import (
    ChunksEmbedded,
    FileDone,
    FileRead,
    Held,
    IngestAccepted,
    IngestFinished,
    IngestStopped,
)
from events.stream import Head

FILES_AT_ONCE = 16
"""Files that are read and parsed together."""

PORTION = 256
"""Chunks that are worth embedding together; a larger document is a portion of its own."""

Item = Draft | FileDone
"""A file on its way: cut and waiting for its segment, or at its end already."""


class IngestJob:
    """Brings the files of one manifest into one collection.

    Run again after a crash, it goes on at the first portion that is not done, with the bytes it
    read before, and ends the same way.
    """

    def __init__(
        self,
        archive: Archive,
        parser: Parser,
        open_embedder: OpenEmbedder,
        name: str,
        fetch: Fetch | None = None,
    ) -> None:
        self._archive, self._name = archive, name
        self._order = archive.manifest(name)
        self._writer, past = archive.claim(name, "ingest job")
        self._state = reduce(evolve, (record.fact for record in past), IngestState())
        self._steady = SteadyWriter(self._writer)
        self._describing = Describing(archive, self._order)
        self.stop = threading.Event()
        self._telling, self._over = threading.Lock(), False
        self._desk = RecordedDesk(self._steady, past, archive, self.stop)
        self._pages = Pages(self._desk, archive, fetch)
        self._workshop = Workshop(self._desk, archive, parser, open_embedder, archive.embedder())

    def run(self) -> None:
        """Work until every file is done or the job is told to stop; then seal it."""
        if self._state.outcome is None:
            self._work()
        assert self._state.outcome
        self._archive.seal(self._writer, self._state.outcome)

    def _work(self) -> None:
        order, state = self._order, self._state
        if not state.accepted:
            self._record(
                IngestAccepted(
                    collection=order.collection, manifest=order.manifest, files=order.files
                )
            )
        try:
            self._take_all_in()
        except CallCut:
            with self._telling:
                self._over = True
            self._record(IngestStopped(reason="cancelled"))
            return
        except (ModelUnavailable, FailedBefore) as failure:
            self._record(stopped_by(failure))
            return
        tally = Counter(state.done.values())
        self._record(
            IngestFinished(
                added=tally["added"],
                updated=tally["updated"],
                unchanged=tally["unchanged"],
                empty=tally["empty"],
                failed=tally["failed"],
            )
        )

    def _record(self, *facts: Fact) -> None:
        if facts:
            self._steady.append(*facts)
            reduce(evolve, facts, self._state)

    def _take_all_in(self) -> None:
        """Embed one portion while the next is prepared and the one before is published."""
        ahead: tuple[list[Item], Future[list[Sealed]]] | None = None
        with ThreadPoolExecutor(max_workers=1) as aside:
            try:
                for portion in self._portions():
                    sealing = aside.submit(self._seal, _drafts(portion))
                    if ahead:
                        self._settle(*ahead)
                    ahead = portion, sealing
            finally:
                # Also when told to stop: what is embedded by now is worth publishing.
                if ahead:
                    self._settle(*ahead)

    # -- reading and cutting ----------------------------------------------------------------------

    def _portions(self) -> Iterator[list[Item]]:
        """The files that are not done, in the manifest's order, as many as make a portion."""
        manifest = entries_of(self._archive, self._order)
        portion: list[Item] = []
        weight = 0
        for begin in range(0, len(manifest), FILES_AT_ONCE):
            self._desk.checkpoint()
            # Whole batches, also where a part is done: they are what the record has answers for.
            for item in self._prepare(manifest[begin : begin + FILES_AT_ONCE]):
                portion.append(item)
                weight += len(item.chunks) if isinstance(item, Draft) else 0
                if weight >= PORTION:
                    yield portion
                    portion, weight = [], 0
        if portion:
            yield portion

    def _prepare(self, entries: Sequence[Entry]) -> list[Item]:
        """What becomes of the files that are not done."""
        left = [entry for entry in entries if entry.locator not in self._state.done]
        if not left:
            return []
        refused = self._read(entries)
        entries = [self._as_read(entry) for entry in entries]
        left = [entry for entry in entries if entry.locator not in self._state.done]
        read = [entry for entry in entries if entry.locator in self._state.read]
        changed = [entry for entry in read if not self._is_unchanged(entry)]
        outlines = self._workshop.parse(
            [(e.name or e.locator, self._state.read[e.locator].original) for e in changed],
            [scan_languages(e.metadata) for e in changed],
        )
        parsed = {each.locator: made for each, made in zip(changed, outlines, strict=True)}
        return [
            refused[entry.locator] if entry.locator in refused else self._item(entry, parsed)
            for entry in left
        ]

    def _read(self, entries: Sequence[Entry]) -> dict[str, FileDone]:
        """Take in the bytes of files that were not read yet; returns those that cannot be."""
        state, refused = self._state, dict[str, FileDone]()
        new = [e for e in entries if e.locator not in state.read and e.locator not in state.done]
        documents = [identity(entry) for entry in new]
        read: list[FileRead] = []
        held = self._archive.published(self._order.collection, documents)
        for entry, known in zip(new, held, strict=True):
            locator = entry.locator
            try:
                original = entry.content or self._bytes_of(entry)
            except (PathRefused, FetchFailed, FailedBefore) as refusal:
                refused[locator] = failed_file(locator, code_of(refusal), refusal.sentence)
            else:
                earlier = held_version(known.source) if known else None
                read.append(FileRead(locator=locator, original=original, held=earlier))
        self._record(*read)
        return refused

    def _bytes_of(self, entry: Entry) -> Blob:
        return self._pages.take(entry) if is_page(entry) else self._archive.take_file(entry.locator)

    def _as_read(self, entry: Entry) -> Entry:
        """An entry with what its bytes came with."""
        fetched = is_page(entry) and entry.locator in self._state.read
        return self._pages.as_served(entry) if fetched else entry

    def _is_unchanged(self, entry: Entry) -> bool:
        held = self._state.read[entry.locator].held
        return held is not None and not is_outdated(held.reader) and self._is_held_so(entry)

    def _is_held_so(self, entry: Entry) -> bool:
        """Whether these bytes are held, cut and described as they would be now."""
        read = self._state.read[entry.locator]
        held = read.held
        return (
            held is not None
            and not self._order.anew
            and held.version == read.original.hash
            and held.generation == self._workshop.generation
            and not self._pages.wanted_anew(entry)
            and self._describing.is_known(entry, held)
        )

    def _item(self, entry: Entry, parsed: dict[str, Outline | Refused]) -> Item:
        read = self._state.read[entry.locator]
        locator, original = entry.locator, read.original
        if locator not in parsed:
            return done_file("unchanged", entry, original)
        outline = parsed[locator]
        if isinstance(outline, Refused):
            failed = failed_file(locator, outline.code, outline.reason)
            return self._as_held(entry, outline.reason) or failed
        described = self._describing.described(entry, outline.title, outline.metadata)
        known = None if self._order.anew else read.held
        draft = self._workshop.draft(described, original, outline, known)
        if draft.chunks:
            return draft
        empty = done_file("empty", entry, original, draft)
        return self._as_held(entry, "there is no text on it") or empty

    def _as_held(self, entry: Entry, why: str) -> FileDone | None:
        """A page that a newer reader reads nothing of, though its server still has what is held of it.

        Nothing is wrong with the page: it is not left for longer each time, like one that cannot be had.
        """
        if not (is_page(entry) and self._is_held_so(entry)):
            return None
        original = self._state.read[entry.locator].original
        warnings = (f"it stays as an older reader has read it: {why}",)
        return done_file("unchanged", entry, original).model_copy(update={"warnings": warnings})

    # -- embedding and publishing -----------------------------------------------------------------

    def _seal(self, drafts: list[Draft]) -> list[Sealed]:
        def advance(done: int, of: int, locator: str) -> None:
            # A call that was cut goes on by itself for a while; its stream may have ended by then.
            with self._telling:
                if not self._over:
                    self._record(ChunksEmbedded(done=done, of=of, locator=locator))

        return self._workshop.seal(drafts, advance) if drafts else []

    def _settle(self, portion: list[Item], sealing: "Future[list[Sealed]]") -> None:
        drafts, sealed = _drafts(portion), sealing.result()
        while True:
            sources = [
                self._source(draft, made) for draft, made in zip(drafts, sealed, strict=True)
            ]
            try:
                published = self._archive.publish(sources, self._workshop.setting)
                break
            except GenerationMoved as moved:
                self._workshop.use(moved.args[0])
                sealed = self._seal(drafts)
        # Asked of the catalogue and not of memory: a crash may lie between publishing and here.
        came = iter(zip(sources, sealed, published, strict=True))
        ended: list[Fact] = []
        for item in portion:
            draft = item if isinstance(item, Draft) else None
            done = self._done(item, *next(came)) if isinstance(item, Draft) else item
            ended += [done, *self._pages.ended(done, draft)]
        self._record(*ended)

    def _done(
        self, draft: Draft, source: SourcePublished, sealed: Sealed, published: Published | None
    ) -> FileDone:
        same = draft.held is not None and _said(draft.held) == _said(held_version(source))
        if same and published and self._is_held_so(draft.entry):
            # A newer reader read what the older one had; that it did so is all that was published.
            return done_file("unchanged", draft.entry, draft.original)
        return published_file(draft, sealed, published)

    def _source(self, draft: Draft, sealed: Sealed) -> SourcePublished:
        return SourcePublished(
            document=identity(draft.entry),
            version=draft.original.hash,
            collection=self._order.collection,
            locator=draft.entry.locator,
            title=draft.outline.title,
            media_type=draft.outline.media_type,
            original=draft.original,
            text=draft.outline.text,
            segment=sealed.segment,
            chunks=sealed.chunks,
            job=self._name,
            generation=self._workshop.generation,
            language=draft.language,
            tags=self._describing.tags(draft.entry),
            metadata=draft.outline.metadata | draft.entry.metadata,
            reader=draft.outline.reader,
        )


class SteadyWriter:
    """A writer that two threads of one job may use."""

    def __init__(self, writer: Writer) -> None:
        self._writer, self._mutex = writer, threading.Lock()

    @property
    def head(self) -> Head:
        """Where the stream ends."""
        return self._writer.head

    def append(self, *facts: Fact, cause: str | None = None) -> Head:
        """Make the facts durable, all or none."""
        with self._mutex:
            return self._writer.append(*facts, cause=cause)


def _said(held: Held) -> tuple[object, ...]:
    """What is said of a document, whoever read it and whenever a page was looked at."""
    return held.segment, held.title, held.tags, without_served(held.metadata)


def _drafts(portion: list[Item]) -> list[Draft]:
    return [item for item in portion if isinstance(item, Draft)]
