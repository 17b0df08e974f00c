"""What newer readers make of documents that are held: read from the bytes that were kept, told as when they came in."""

from actors.ingesting.describing import Describing, entries_of
from actors.ingesting.ingest_state import identity
from actors.ingesting.workshop import Draft, Outline, Sealed
from actors.ports import Archive, Reread
from actors.webpages.websites import as_held, is_page
from events.catalogue import Entry, SourcePublished
from events.errors import DamagedBlob, MissingBlob, UnknownTask


class Orders:
    """The orders by which documents came in: what their jobs were told of each, beside its bytes."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._jobs: dict[str, tuple[Describing, dict[str, Entry]] | None] = {}

    def name_of(self, source: SourcePublished) -> str:
        """A name that tells what kind of content a document is, as its reader was told."""
        told = self._told_of(source)
        return (told[1].name if told else None) or source.locator

    def described(self, source: SourcePublished, outline: Outline) -> Entry:
        """The entry of a document as its job would make it of what was read now."""
        told = self._told_of(source)
        if told is None:
            # Nobody knows any more what its job was told: what came of it stays.
            return Entry(
                locator=source.locator,
                title=source.title,
                metadata=source.metadata,
                tags=source.tags,
            )
        describing, entry = told
        entry = describing.described(entry, outline.title, outline.metadata)
        return entry.model_copy(update={"tags": describing.tags(entry)})

    def _told_of(self, source: SourcePublished) -> tuple[Describing, Entry] | None:
        if source.job not in self._jobs:
            self._jobs[source.job] = self._job(source.job)
        job = self._jobs[source.job]
        entry = job[1].get(source.document) if job else None
        if job is None or entry is None:
            return None
        return job[0], as_held(entry, source) if is_page(entry) else entry

    def _job(self, name: str) -> tuple[Describing, dict[str, Entry]] | None:
        try:
            order = self._archive.manifest(name)
            entries = entries_of(self._archive, order)
            if order.references:
                self._archive.get(order.references.hash)
        except (UnknownTask, MissingBlob, DamagedBlob):
            return None
        return Describing(self._archive, order), {identity(e): e for e in entries}


def reread(source: SourcePublished, draft: Draft, sealed: Sealed, generation: str) -> Reread:
    """A document version that is held, and what it is by a newer reading of it."""
    outline = draft.outline
    after = source.model_copy(
        update={
            "title": outline.title,
            "media_type": outline.media_type,
            "text": outline.text,
            "segment": sealed.segment,
            "chunks": sealed.chunks,
            "generation": generation,
            "language": draft.language,
            "tags": draft.entry.tags,
            "metadata": outline.metadata | draft.entry.metadata,
            "reader": outline.reader,
        }
    )
    return Reread(source, after)
