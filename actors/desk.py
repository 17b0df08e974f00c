"""What lies on a researcher's desk: the corpus, its texts, and the record it writes to."""

from typing import Protocol

from actors.ports import Passage
from events.base import Fact


class Desk(Protocol):
    """All that a researcher may touch.

    After a crash the research runs again from its beginning over the same desk: searches that
    were answered give the same answers, notes that were taken are passed over. So what is noted
    must follow from the brief and the answers alone.
    """

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
        """Passages of the corpus nearest to the query, best first. Recorded."""

    def text(self, text_hash: str) -> str:
        """The stored text of a source."""

    def note(self, *facts: Fact) -> None:
        """Record what was found."""

    def checkpoint(self) -> None:
        """Raise `events.errors.CallCut` when the research was told to stop."""
