"""What a job over documents knows of itself, and how it says what became of each of them."""

from dataclasses import dataclass, field

from actors.ingesting.workshop import Draft, Sealed
from actors.ports import Coverage, Published
from actors.recorded import FailedBefore, code_of
from events.base import Blob, Fact
from events.catalogue import Entry, Outcome, SourcePublished
from events.codec import canonical, digest
from events.errors import ModelUnavailable
from events.ingest import (
    FileDone,
    FileOutcome,
    FileRead,
    Held,
    IngestAccepted,
    IngestFinished,
    IngestStopped,
)

REMOVED = "removed_meanwhile"
"""Code of a file that somebody removed after its job was accepted."""


@dataclass
class IngestState:
    """What a job knows of itself."""

    accepted: bool = False
    read: dict[str, FileRead] = field(default_factory=dict)
    done: dict[str, FileOutcome] = field(default_factory=dict)
    outcome: Outcome | None = None


def evolve(state: IngestState, fact: Fact) -> IngestState:
    """Fold one fact in."""
    match fact:
        case IngestAccepted():
            state.accepted = True
        case FileRead(locator=locator):
            state.read[locator] = fact
        case FileDone(locator=locator, outcome=outcome):
            state.done[locator] = outcome
        case IngestFinished():
            state.outcome = "completed"
        case IngestStopped():
            state.outcome = "cancelled" if fact.reason == "cancelled" else "failed"
        case _:
            pass
    return state


def stopped_by(failure: ModelUnavailable | FailedBefore) -> IngestStopped:
    """How a job ends whose model cannot be had: run again, it would be refused again each time."""
    if code_of(failure) != ModelUnavailable.code:
        raise failure
    return IngestStopped(reason="failed", code=ModelUnavailable.code, message=failure.sentence)


def document_id(locator: str) -> str:
    """Identity of a document: where it comes from, whatever it says."""
    return "doc-" + digest(locator.encode())[7:39]


def text_id(source: str, title: str | None) -> str:
    """Identity of a text that was handed in: several may come from one source, each under its title.

    No file or page has it, whatever the source is called.
    """
    return document_id(canonical([source, title or ""]).decode())


def identity(entry: Entry) -> str:
    """What an entry's document is known by."""
    return entry.document or document_id(entry.locator)


# -- what became of a file ------------------------------------------------------------------------


def held_version(source: SourcePublished) -> Held:
    """What a collection holds of a document already."""
    return Held(
        version=source.version,
        generation=source.generation,
        title=source.title,
        segment=source.segment.hash,
        tags=source.tags,
        metadata=source.metadata,
        reader=source.reader,
    )


def failed_file(locator: str, code: str, reason: str) -> FileDone:
    """A file that did not come in."""
    return FileDone(locator=locator, outcome="failed", code=code, reason=reason)


def published_file(draft: Draft, sealed: Sealed, published: Published | None) -> FileDone:
    """A file that came in, unless somebody removed it meanwhile."""
    if published is None:
        return failed_file(
            draft.entry.locator, REMOVED, "It was removed while this job was under way."
        )
    done = done_file("added" if published.first else "updated", draft.entry, draft.original, draft)
    return done.model_copy(update={"chunks": sealed.chunks, "embedded": sealed.embedded})


def done_file(
    outcome: FileOutcome, entry: Entry, original: Blob, draft: Draft | None = None
) -> FileDone:
    """A file that is at its end, with what its reading found."""
    coverage = draft.outline.coverage if draft else Coverage()
    return FileDone(
        locator=entry.locator,
        outcome=outcome,
        document=identity(entry),
        version=original.hash,
        text=draft.outline.text if draft and outcome == "empty" else None,
        pages=coverage.pages,
        empty_pages=coverage.empty_pages,
        warnings=coverage.warnings,
    )
