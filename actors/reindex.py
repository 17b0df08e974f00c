"""A reindexing: cut and embed everything that is held anew, and switch when it is whole.

Until the switch searches answer from the old segments, and what is published meanwhile is taken
along. What older readers have read is read anew from its kept bytes, and published as soon as the
corpus has the job's model.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from actors.catalogue_state import place_of, says_the_same
from actors.ingest import FILES_AT_ONCE
from actors.ingest_state import IngestState, done_file, evolve, held_version, stopped_by
from actors.ports import Archive, OpenEmbedder, Parser, Place
from actors.recorded import FailedBefore, RecordedDesk
from actors.rereading import Orders, reread
from actors.scan_languages import scan_languages
from actors.workshop import Draft, Outline, Refused, Workshop
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
        self._told_of: set[Place] = set()
        self._left_alone: set[Place] = set()
        """Where nothing could be read of a document: what is held of it stays."""

        for record in past:
            if isinstance(fact := record.fact, FileDone):
                self._note(fact)
        self._readings = archive.readings_of(name)
        """Where newer readings were published: each once, whatever their readers call themselves."""

        self._has_switched = archive.has_switched(name)
        """Searches were told to answer from its generation: once, whatever others tell them later."""

        self._was_there = bool(self._readings)
        """The corpus has had the job's model."""

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
        self._tell_of_readings()
        generation = self._workshop.generation
        while not self._is_overtaken() and (not self._has_switched or self._outdated()):
            for sources in self._batches(self._outdated()):
                self._reread(sources, generation)
            if self._has_switched:
                continue
            for sources in self._batches(self._left(self._archive.unbuilt(generation))):
                self._rebuild(sources, generation)
            if not self._is_overtaken():
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
        self._record(*ended)
        for each in ended:
            self._note(each)

    def _note(self, done: FileDone) -> None:
        self._told[done.outcome] += 1
        if done.collection is not None and done.document is not None:
            place = done.collection, done.document
            self._told_of.add(place)
            if done.outcome in _NOTHING:
                self._left_alone.add(place)

    def _is_overtaken(self) -> bool:
        """Whether the corpus had the job's model and has another one now: whoever came last decides."""
        is_there = self._archive.embedder() == self._order.embedder
        self._was_there = self._was_there or self._has_switched or is_there
        return self._was_there and not is_there

    def _batches(self, sources: Sequence[SourcePublished]) -> Iterator[Sequence[SourcePublished]]:
        for at in range(0, len(sources), FILES_AT_ONCE):
            self._desk.checkpoint()
            if self._is_overtaken():
                return
            yield sources[at : at + FILES_AT_ONCE]

    def _left(self, sources: Sequence[SourcePublished]) -> list[SourcePublished]:
        return [source for source in sources if place_of(source) not in self._left_alone]

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
        self._tell([each for each in ended if each.outcome in _NOTHING or self._is_news(each)])

    def _is_news(self, done: FileDone) -> bool:
        return (done.collection, done.document) not in self._told_of

    def _tell_of_readings(self) -> None:
        """Tell of what was published by who died before it could tell."""
        for place in self._readings.keys() - self._told_of:
            [held] = self._archive.published(place[0], [place[1]])
            if held:
                self._tell([_reread_as(held.source, same=self._readings[place], embedded=0)])


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
    done = done_file("empty", source.locator, source.original, draft)
    return done.model_copy(update={"document": source.document, "collection": source.collection})


def _failed(source: SourcePublished, refused: Refused) -> FileDone:
    why = {"code": refused.code, "reason": refused.reason}
    return _done("failed", source).model_copy(update=why)
