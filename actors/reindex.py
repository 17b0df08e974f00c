"""A reindexing: cut and embed everything that is held anew, and switch when it is whole.

Until the switch searches answer from the old segments, and what is published meanwhile is taken
along. What older readers have read is read anew from its kept bytes, and published as soon as the
corpus has the job's model.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from typing import Literal

from actors.catalogue_state import place_of
from actors.ingest import FILES_AT_ONCE
from actors.ingest_state import IngestState, done_file, evolve, held_version, stopped_by
from actors.ports import Archive, OpenEmbedder, Parser
from actors.readers import is_outdated
from actors.recorded import FailedBefore, RecordedDesk
from actors.rereading import Orders, reread
from actors.scan_languages import scan_languages
from actors.workshop import Draft, Outline, Refused, Sealed, Workshop
from events.base import Fact
from events.catalogue import Entry, SegmentRebuilt, SourcePublished
from events.errors import CallCut, ModelUnavailable
from events.ingest import FileDone, IngestAccepted, IngestFinished, IngestStopped

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
        self._left_alone = {
            record.data["document"]
            for record in past
            if record.kind == "file_done" and record.data["outcome"] in _NOTHING
        }
        """Documents that nothing could be read of: what is held of them stays."""

        self._read_anew: set[tuple[str, str]] = set()
        """Where newer readings were published: each once, whatever their readers call themselves."""

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
        generation = self._workshop.generation
        whole = False
        while not whole or self._outdated():
            for sources in _batches(self._outdated()):
                self._desk.checkpoint()
                self._reread(sources, generation)
            for sources in _batches(self._left(self._archive.unbuilt(generation))):
                self._desk.checkpoint()
                self._rebuild(sources, generation)
            without = sorted(self._left_alone)
            whole = self._archive.switch(generation, order.embedder, self._name, without)
        tally = Counter(self._state.done.values())
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

    def _left(self, sources: Sequence[SourcePublished]) -> list[SourcePublished]:
        return [source for source in sources if source.document not in self._left_alone]

    def _outdated(self) -> list[SourcePublished]:
        """What is to be read anew; nothing yet, while the corpus is embedded with another model."""
        if self._archive.embedder() != self._order.embedder:
            return []
        left = self._left(self._archive.outdated())
        return [source for source in left if place_of(source) not in self._read_anew]

    def _parse(self, sources: Sequence[SourcePublished]) -> list[Outline | Refused]:
        return self._workshop.parse(
            [(self._orders.name_of(each), each.original) for each in sources],
            [scan_languages(each.metadata) for each in sources],
        )

    # -- the same chunks another way --------------------------------------------------------------

    def _rebuild(self, sources: Sequence[SourcePublished], generation: str) -> None:
        drafts: list[tuple[SourcePublished, Draft]] = []
        ended: list[FileDone] = []
        for source, outline in zip(sources, self._parse(sources), strict=True):
            if isinstance(outline, Refused):
                ended.append(_failed(source, outline))
            else:
                entry = Entry(locator=source.locator, title=source.title)
                draft = self._workshop.draft(entry, source.original, outline, None)
                drafts.append((source, draft))
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
            _done("updated", source, draft, made)
            for (source, draft), made in zip(drafts, sealed, strict=True)
        ]
        self._leave_alone(ended)
        self._record(*ended)

    # -- the same bytes by newer readers ----------------------------------------------------------

    def _reread(self, sources: Sequence[SourcePublished], generation: str) -> None:
        drafts: list[tuple[SourcePublished, Draft]] = []
        ended: list[FileDone] = []
        for source, outline in zip(sources, self._parse(sources), strict=True):
            if isinstance(outline, Refused):
                ended.append(_failed(source, outline))
                continue
            entry, held = self._orders.described(source, outline), held_version(source)
            draft = self._workshop.draft(entry, source.original, outline, held)
            if draft.chunks:
                drafts.append((source, draft))
            else:
                ended.append(done_file("empty", source.locator, source.original, draft))
        sealed = self._workshop.seal([draft for _, draft in drafts], lambda *_: None)
        rereads = [
            reread(source, draft, made, generation)
            for (source, draft), made in zip(drafts, sealed, strict=True)
        ]
        counted = self._archive.read_anew(rereads, self._order.embedder, self._name)
        for (source, draft), made, counts in zip(drafts, sealed, counted, strict=True):
            if counts:
                self._read_anew.add(place_of(source))
                same = made.segment.hash == source.segment.hash
                ended.append(_done("unchanged" if same else "updated", source, draft, made))
        self._leave_alone(ended)
        # What was built aside before, with another model, is told of already.
        self._record(*(each for each in ended if each.locator not in self._state.done))

    def _leave_alone(self, ended: Sequence[FileDone]) -> None:
        nothing = (each.document for each in ended if each.outcome in _NOTHING)
        self._left_alone.update(filter(None, nothing))


def _batches(sources: Sequence[SourcePublished]) -> list[Sequence[SourcePublished]]:
    return [sources[at : at + FILES_AT_ONCE] for at in range(0, len(sources), FILES_AT_ONCE)]


def _done(
    outcome: Literal["updated", "unchanged"], source: SourcePublished, draft: Draft, sealed: Sealed
) -> FileDone:
    cut = outcome == "updated"
    return FileDone(
        locator=source.locator,
        outcome=outcome,
        document=source.document,
        version=source.version,
        chunks=sealed.chunks if cut else 0,
        embedded=sealed.embedded if cut else 0,
        reader=draft.outline.reader if is_outdated(source.reader) else None,
    )


def _failed(source: SourcePublished, refused: Refused) -> FileDone:
    return FileDone(
        locator=source.locator,
        outcome="failed",
        document=source.document,
        version=source.version,
        code=refused.code,
        reason=refused.reason,
    )
