"""A reindexing: cut and embed everything that is held anew, and switch when it is whole.

Until the switch searches answer from the old segments, and what is published meanwhile is taken
along. What older readers have read is read anew from its kept bytes, and published as soon as the
corpus has the job's model.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from actors.catalogue_state import place_of, says_the_same, version_at
from actors.ingesting.ingest import FILES_AT_ONCE
from actors.ingesting.ingest_state import IngestState, done_file, evolve, held_version, stopped_by
from actors.ingesting.rereading import Orders, reread
from actors.ingesting.scan_languages import scan_languages
from actors.ingesting.workshop import Draft, Outline, Refused, Workshop
from actors.ports import Archive, OpenEmbedder, Parser, Place, PlacedVersion
from actors.recorded import FailedBefore, RecordedDesk
from events.base import Fact
from events.catalogue import Entry, SegmentRebuilt, SourcePublished
from events.errors import CallCut, ModelUnavailable
from events.ingest import FileDone, FileOutcome, IngestAccepted, IngestFinished, IngestStopped

_NOTHING = ("failed", "empty")


class ReindexJob:
    """Builds a new generation of segments beside the old one. Run again, it goes on."""

    def __init__(
        self, archive: Archive, parser: Parser, open_embedder: OpenEmbedder, name: str
    ) -> None:
        self._archive, self._name = archive, name
        self._order = archive.manifest(name)
        self._writer, past = archive.claim(name, "reindexing")
        self._state = reduce(evolve, (record.fact for record in past), IngestState())
        self._told = Counter[FileOutcome]()
        self._told_of: dict[Place, FileOutcome] = {}
        """What was told last of each document."""

        self._left_alone: set[PlacedVersion] = set()
        """Of which nothing could be read: they stay as they are."""

        for record in past:
            if isinstance(fact := record.fact, FileDone):
                self._note(fact)
        self._readings = archive.readings_of(name)
        """Where newer readings were published: each once, whatever their readers call themselves."""

        self._has_switched = archive.has_switched(name)
        """Searches answer from its generation: it says so once, whatever others tell them later."""

        self.stop = threading.Event()
        desk = RecordedDesk(self._writer, past, archive, self.stop)
        self._desk = desk
        self._workshop = Workshop(desk, archive, parser, open_embedder, self._order.embedder)
        self._orders = Orders(archive)

    def run(self) -> None:
        """Work until the new generation is whole and answers; then seal the job."""
        if self._state.outcome is None:
            try:
                self._work()
            except CallCut:
                self._record(IngestStopped(reason="cancelled"))
            except (ModelUnavailable, FailedBefore) as failure:
                # The old generation goes on answering.
                self._record(stopped_by(failure))
        assert self._state.outcome
        self._archive.seal(self._writer, self._state.outcome)

    def _work(self) -> None:
        order = self._order
        if not self._state.accepted:
            self._record(
                IngestAccepted(
                    collection=order.collection, manifest=order.manifest, files=order.files
                )
            )
        self._tell_of_what_was_done()
        self._desk.checkpoint()
        generation = self._workshop.generation
        while not self._is_overtaken() and (not self._has_switched or self._outdated()):
            for sources in self._batches(self._outdated()):
                self._reread(sources, generation)
            if self._has_switched:
                continue
            for sources in self._batches(self._left(self._archive.unbuilt(generation))):
                self._rebuild(sources, generation)
            # There may have been nothing to build: whoever was told to stop moves nothing.
            self._desk.checkpoint()
            without = sorted(self._left_alone)
            self._has_switched = self._archive.switch(
                generation, order.embedder, self._name, without
            )
        tally = self._told
        self._record(
            IngestFinished(
                added=0,
                updated=tally["updated"],
                unchanged=tally["unchanged"],
                empty=tally["empty"],
                failed=tally["failed"],
            )
        )

    def _record(self, *facts: Fact) -> None:
        if facts:
            self._writer.append(*facts)
            reduce(evolve, facts, self._state)

    def _tell(self, ended: Sequence[FileDone]) -> None:
        before = [self._told_of.get(_place(each)) for each in ended]
        told = [
            each.model_copy(update={"instead_of": outcome})
            for each, outcome in zip(ended, before, strict=True)
        ]
        self._record(*told)
        for each in told:
            self._note(each)

    def _note(self, done: FileDone) -> None:
        self._told[done.outcome] += 1
        if done.instead_of:
            self._told[done.instead_of] -= 1
        self._told_of[_place(done)] = done.outcome
        if done.outcome in _NOTHING:
            self._left_alone.add((*_place(done), done.version or ""))

    def _is_overtaken(self) -> bool:
        return self._archive.is_overtaken(self._name)

    def _batches(self, sources: Sequence[SourcePublished]) -> Iterator[Sequence[SourcePublished]]:
        for at in range(0, len(sources), FILES_AT_ONCE):
            self._desk.checkpoint()
            if self._is_overtaken():
                return
            yield sources[at : at + FILES_AT_ONCE]

    def _left(self, sources: Sequence[SourcePublished]) -> list[SourcePublished]:
        return [source for source in sources if version_at(source) not in self._left_alone]

    def _outdated(self) -> list[SourcePublished]:
        """What is to be read anew; nothing yet, while the corpus is embedded with another model."""
        if self._archive.embedder() != self._order.embedder:
            return []
        left = self._left(self._archive.outdated())
        return [source for source in left if place_of(source) not in self._readings]

    def _drafts(
        self,
        sources: Sequence[SourcePublished],
        drafted: Callable[[SourcePublished, Outline], Draft],
    ) -> tuple[list[tuple[SourcePublished, Draft]], list[FileDone]]:
        """What can be read of documents, and how those end of which nothing can."""
        outlines = self._workshop.parse(
            [(self._orders.name_of(each), each.original) for each in sources],
            [scan_languages(each.metadata) for each in sources],
        )
        drafts: list[tuple[SourcePublished, Draft]] = []
        ended: list[FileDone] = []
        for source, outline in zip(sources, outlines, strict=True):
            if isinstance(outline, Refused):
                ended.append(_failed(source, outline))
            elif (draft := drafted(source, outline)).chunks:
                drafts.append((source, draft))
            else:
                ended.append(_empty(source, draft))
        return drafts, ended

    # -- the same chunks another way --------------------------------------------------------------

    def _as_published(self, source: SourcePublished, outline: Outline) -> Draft:
        entry = Entry(locator=source.locator, title=source.title)
        return self._workshop.draft(entry, source.original, outline, None)

    def _rebuild(self, sources: Sequence[SourcePublished], generation: str) -> None:
        drafts, ended = self._drafts(sources, self._as_published)
        sealed = self._workshop.seal([draft for _, draft in drafts], lambda *_: None)
        self._archive.rebuild(
            [
                SegmentRebuilt(
                    generation=generation,
                    document=source.document,
                    version=source.version,
                    collection=source.collection,
                    text=draft.outline.text,
                    segment=made.segment,
                    chunks=made.chunks,
                    job=self._name,
                )
                for (source, draft), made in zip(drafts, sealed, strict=True)
            ]
        )
        ended += [
            _done("updated", source, made.chunks, made.embedded)
            for (source, _), made in zip(drafts, sealed, strict=True)
        ]
        self._tell(ended)

    # -- the same bytes by newer readers ----------------------------------------------------------

    def _as_ordered(self, source: SourcePublished, outline: Outline) -> Draft:
        entry = self._orders.described(source, outline)
        return self._workshop.draft(entry, source.original, outline, held_version(source))

    def _reread(self, sources: Sequence[SourcePublished], generation: str) -> None:
        drafts, ended = self._drafts(sources, self._as_ordered)
        sealed = self._workshop.seal([draft for _, draft in drafts], lambda *_: None)
        rereads = [
            reread(source, draft, made, generation)
            for (source, draft), made in zip(drafts, sealed, strict=True)
        ]
        counted = self._archive.read_anew(rereads, self._order.embedder, self._name)
        for each, made, counts in zip(rereads, sealed, counted, strict=True):
            if counts:
                same = self._readings[place_of(each.after)] = says_the_same(each.before, each.after)
                ended.append(_reread_as(each.after, same=same, embedded=made.embedded))
        # What was built aside before, with another model, is told of already, unless it comes to nothing now.
        self._tell(
            [each for each in ended if each.outcome in _NOTHING or self._is_untold(_place(each))]
        )

    # -- after a crash ----------------------------------------------------------------------------

    def _tell_of_what_was_done(self) -> None:
        """Tell of what was kept or published by who died before it could tell."""
        untold: dict[Place, FileDone] = {}
        for segment in self._archive.rebuilt_by(self._name):
            place = segment.collection, segment.document
            held = self._held(place) if self._is_untold(place) else None
            if held and held.version == segment.version:
                untold[place] = _done("updated", held, segment.chunks, segment.chunks)
        for place, same in self._readings.items():
            if self._is_untold(place) and (held := self._held(place)):
                untold[place] = _reread_as(held, same=same, embedded=0)
        self._tell([*untold.values()])

    def _is_untold(self, place: Place) -> bool:
        # Collections were not always named.
        return place not in self._told_of and ("", place[1]) not in self._told_of

    def _held(self, place: Place) -> SourcePublished | None:
        collection, document = place
        [held] = self._archive.published(collection, [document])
        return held.source if held else None


def _place(done: FileDone) -> Place:
    return done.collection or "", done.document or ""


def _done(
    outcome: FileOutcome, source: SourcePublished, chunks: int = 0, embedded: int = 0
) -> FileDone:
    return FileDone(
        locator=source.locator,
        outcome=outcome,
        document=source.document,
        version=source.version,
        chunks=chunks,
        embedded=embedded,
        collection=source.collection,
    )


def _reread_as(source: SourcePublished, *, same: bool, embedded: int) -> FileDone:
    done = _done("unchanged", source) if same else _done("updated", source, source.chunks, embedded)
    return done.model_copy(update={"reader": source.reader})


def _empty(source: SourcePublished, draft: Draft) -> FileDone:
    done = done_file("empty", draft.entry, source.original, draft)
    return done.model_copy(update={"document": source.document, "collection": source.collection})


def _failed(source: SourcePublished, refused: Refused) -> FileDone:
    why = {"code": refused.code, "reason": refused.reason}
    return _done("failed", source).model_copy(update=why)
