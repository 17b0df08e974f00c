"""A reindexing: cut and embed everything that is held anew, and switch when it is whole.

Until the switch searches answer from the old segments, and what is published meanwhile is taken
along.
"""

import threading
from collections.abc import Sequence
from functools import reduce

from actors.ingest import FILES_AT_ONCE
from actors.ingest_state import IngestState, evolve, stopped_by
from actors.ports import Archive, OpenEmbedder, Parser
from actors.recorded import FailedBefore, RecordedDesk
from actors.scan_languages import scan_languages
from actors.workshop import Draft, Refused, Workshop
from events.base import Fact
from events.catalogue import Entry, SegmentRebuilt, SourcePublished
from events.errors import CallCut, ModelUnavailable
from events.ingest import FileDone, IngestAccepted, IngestFinished, IngestStopped


class ReindexJob:
    """Builds a new generation of segments beside the old one. Run again, it goes on."""

    def __init__(
        self, archive: Archive, parser: Parser, open_embedder: OpenEmbedder, name: str
    ) -> None:
        self._archive, self._name = archive, name
        self._order = archive.manifest(name)
        self._writer, past = archive.claim(name, "reindexing")
        self._state = reduce(evolve, (record.fact for record in past), IngestState())
        self._failed = {
            record.data["document"]
            for record in past
            if record.kind == "file_done" and record.data["outcome"] == "failed"
        }
        self.stop = threading.Event()
        desk = RecordedDesk(self._writer, past, archive, self.stop)
        self._desk = desk
        self._workshop = Workshop(desk, archive, parser, open_embedder, self._order.embedder)

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
        while True:
            for sources in self._left(generation):
                self._desk.checkpoint()
                self._rebuild(sources, generation)
            if self._archive.switch(generation, order.embedder, self._name, sorted(self._failed)):
                break
        rebuilt = sum(outcome != "failed" for outcome in self._state.done.values())
        self._record(
            IngestFinished(added=0, updated=rebuilt, unchanged=0, empty=0, failed=len(self._failed))
        )

    def _record(self, *facts: Fact) -> None:
        if facts:
            self._writer.append(*facts)
            reduce(evolve, facts, self._state)

    def _left(self, generation: str) -> list[list[SourcePublished]]:
        left = [
            source
            for source in self._archive.unbuilt(generation)
            if source.document not in self._failed
        ]
        return [left[at : at + FILES_AT_ONCE] for at in range(0, len(left), FILES_AT_ONCE)]

    def _rebuild(self, sources: Sequence[SourcePublished], generation: str) -> None:
        outlines = self._workshop.parse(
            [(each.locator, each.original) for each in sources],
            [scan_languages(each.metadata) for each in sources],
        )
        drafts: list[tuple[SourcePublished, Draft]] = []
        failed: list[FileDone] = []
        for source, outline in zip(sources, outlines, strict=True):
            if isinstance(outline, Refused):
                failed.append(_failed(source, outline))
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
        self._failed |= {each.document for each in failed if each.document}
        done = [
            FileDone(
                locator=source.locator,
                outcome="updated",
                document=source.document,
                version=source.version,
                chunks=made.chunks,
                embedded=made.embedded,
            )
            for (source, _), made in zip(drafts, sealed, strict=True)
        ]
        self._record(*failed, *done)


def _failed(source: SourcePublished, refused: Refused) -> FileDone:
    return FileDone(
        locator=source.locator,
        outcome="failed",
        document=source.document,
        version=source.version,
        code=refused.code,
        reason=refused.reason,
    )
