"""An ingest job: read, parse, keep, publish, one file after the other; no file fails its siblings."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from actors.chunking import VERSION
from actors.ports import Answer, Archive, Parsed, Parser
from actors.recorded import FailedBefore, RecordedDesk
from events.base import Blob, Fact
from events.catalogue import Outcome, SourcePublished
from events.codec import canonical, decode, digest
from events.errors import CallCut, PathRefused, Unreadable
from events.ingest import (
    FileDone,
    FileOutcome,
    FileRead,
    IngestAccepted,
    IngestFinished,
    IngestStopped,
)


@dataclass
class IngestState:
    """What a job knows of itself."""

    accepted: bool = False
    read: dict[str, Blob] = field(default_factory=dict)
    done: dict[str, FileOutcome] = field(default_factory=dict)
    outcome: Outcome | None = None


def evolve(state: IngestState, fact: Fact) -> IngestState:
    """Fold one fact in."""
    match fact:
        case IngestAccepted():
            state.accepted = True
        case FileRead(locator=locator, original=original):
            state.read[locator] = original
        case FileDone(locator=locator, outcome=outcome):
            state.done[locator] = outcome
        case IngestFinished():
            state.outcome = "completed"
        case IngestStopped():
            state.outcome = "cancelled"
        case _:
            pass
    return state


class IngestJob:
    """Brings the files of one manifest into one collection.

    Run again after a crash, it goes on at the first file that is not done, with the bytes it
    read before, and ends the same way.
    """

    def __init__(self, archive: Archive, parser: Parser, name: str) -> None:
        self._archive, self._parser, self._name = archive, parser, name
        self._order = archive.manifest(name)
        self._writer, past = archive.claim(name, "ingest job")
        self._state = reduce(evolve, (record.fact for record in past), IngestState())
        self.stop = threading.Event()
        self._desk = RecordedDesk(self._writer, past, archive, self.stop)

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
        locators: list[str] = decode(self._archive.get(order.manifest.hash))
        try:
            for locator in locators:
                self._desk.checkpoint()
                if locator not in state.done:
                    self._record(self._take_in(locator))
        except CallCut:
            self._record(IngestStopped(reason="cancelled"))
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

    def _record(self, fact: Fact) -> None:
        self._writer.append(fact)
        evolve(self._state, fact)

    def _take_in(self, locator: str) -> FileDone:
        try:
            return self._publish(locator)
        except (PathRefused, Unreadable, FailedBefore) as refusal:
            code = refusal.args[0] if isinstance(refusal, FailedBefore) else refusal.code
            return FileDone(locator=locator, outcome="failed", code=code, reason=refusal.sentence)

    def _publish(self, locator: str) -> FileDone:
        original = self._original(locator)
        document = document_id(locator)
        known = self._archive.published(self._order.collection, document)
        if known and known.version == original.hash and known.job != self._name:
            return _done("unchanged", locator, document, original, 0)
        parsed = self._parse(locator, original)
        if not parsed.chunks:
            return _done("empty", locator, document, original, 0)
        segment = {"chunker": VERSION, "chunks": [c.model_dump(mode="json") for c in parsed.chunks]}
        published = self._archive.publish(
            SourcePublished(
                document=document,
                version=original.hash,
                collection=self._order.collection,
                locator=locator,
                title=parsed.title,
                media_type=parsed.media_type,
                original=original,
                text=self._archive.put(parsed.text.encode()),
                segment=self._archive.put(canonical(segment)),
                chunks=len(parsed.chunks),
                job=self._name,
            )
        )
        # Asked of the catalogue and not of memory: a crash may lie between publishing and here.
        outcome: FileOutcome = "added" if published.first else "updated"
        return _done(outcome, locator, document, original, len(parsed.chunks))

    def _original(self, locator: str) -> Blob:
        """The file's bytes as they were when this job first read them."""
        if locator not in self._state.read:
            self._record(FileRead(locator=locator, original=self._archive.take_file(locator)))
        return self._state.read[locator]

    def _parse(self, locator: str, original: Blob) -> Parsed:
        name = Path(locator).name

        def perform() -> Answer:
            raw = self._archive.get(original.hash)
            try:
                parsed = self._parser.parse(name, raw)
            except Unreadable:
                raise
            except Exception as failure:
                # A file can break a parser in any way; its siblings must not pay for it.
                raise Unreadable(name, f"its parser broke: {type(failure).__name__}") from failure
            return Answer(content=canonical(parsed))

        request = {"name": name, "original": original.hash}
        return Parsed.model_validate(decode(self._desk.ask("parse", "text", request, perform)))


def document_id(locator: str) -> str:
    """Identity of a document: where it comes from, whatever it says."""
    return "doc-" + digest(locator.encode())[7:39]


def _done(
    outcome: FileOutcome, locator: str, document: str, original: Blob, chunks: int
) -> FileDone:
    return FileDone(
        locator=locator, outcome=outcome, document=document, version=original.hash, chunks=chunks
    )
