"""What a job says of its documents beside their own words: its tags, and what its references know of them."""

from functools import cached_property
from pathlib import Path

from actors.ingesting.references import Bibliography
from actors.ingesting.scan_languages import scan_languages
from actors.ports import Archive
from events.catalogue import Entry, JobEntered
from events.codec import decode
from events.ingest import Held


def entries_of(archive: Archive, order: JobEntered) -> list[Entry]:
    """What a job is to bring in, one by one."""
    return [
        Entry(locator=each) if isinstance(each, str) else Entry.model_validate(each)
        for each in decode(archive.get(order.manifest.hash))
    ]


class Describing:
    """Describes the documents of one job."""

    def __init__(self, archive: Archive, order: JobEntered) -> None:
        self._archive, self._order = archive, order

    def described(self, entry: Entry, title: str, metadata: dict[str, str]) -> Entry:
        """The entry with what the job's references say of its document."""
        if self._bibliography is None or "citekey" in entry.metadata:
            return entry
        name = Path(entry.name or entry.locator).name
        reference = self._bibliography.match(name, entry.title or title, metadata)
        if reference is None:
            return entry
        return entry.model_copy(
            update={
                "title": entry.title or reference.title or None,
                "metadata": reference.metadata() | entry.metadata,
                "tags": (*entry.tags, *reference.tags),
            }
        )

    def tags(self, entry: Entry) -> tuple[str, ...]:
        """The tags of a document: those of the whole job first."""
        return tuple(dict.fromkeys((*self._order.tags, *entry.tags)))

    def is_known(self, entry: Entry, held: Held) -> bool:
        """Whether the version held says already all that this job would say of it."""
        return (
            entry.title in {None, held.title}
            and self._is_cited_so(entry, held)
            and _is_scanned_so(entry, held)
        )

    def _is_cited_so(self, entry: Entry, held: Held) -> bool:
        """Whether the version held says already what the references say of it."""
        said = self.described(entry, held.title, held.metadata)
        return "citekey" not in said.metadata or (
            said.title in {None, held.title}
            and said.metadata.items() <= held.metadata.items()
            and (not said.tags or self.tags(said) == held.tags)
        )

    @cached_property
    def _bibliography(self) -> Bibliography | None:
        references = self._order.references
        return Bibliography.of(self._archive.get(references.hash)) if references else None


def _is_scanned_so(entry: Entry, held: Held) -> bool:
    """Whether the scanned pages of the version held were read in the languages that are wanted."""
    said = held.metadata
    scanned = said.get("ocr_pages") or said.get("empty_pages")
    return not scanned or scan_languages(entry.metadata) in {(), scan_languages(said)}
