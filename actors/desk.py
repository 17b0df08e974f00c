"""What lies on a researcher's desk: the corpus, the web, providers, and the record it writes to."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from actors.outside import Page
from actors.ports import Passage
from events.base import Fact
from events.errors import ResearchError

Care = Literal["repeat", "try", "perhaps", "once", "at_last"]
"""How a provider may be asked: until it answers, one time, one time if there is a key for it, never twice, or also when
told to stop."""


class Desk(Protocol):
    """All that a researcher may touch.

    After a crash the research runs again from its beginning over the same desk: what was answered gives the same
    answers, notes that were taken are passed over. So what is noted must follow from the brief and the answers alone.
    """

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        """Passages of the corpus nearest to the query, best first; as `ports.Corpus` finds them. Recorded."""

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """How near in meaning each text is to the question: cosines, none where nobody can tell. Recorded."""

    def text(self, text_hash: str) -> str:
        """The stored text of a source."""

    def note(self, *facts: Fact) -> None:
        """Record what was found."""

    def checkpoint(self) -> None:
        """Raise `events.errors.CallCut` when the research was told to stop."""


class OutsideDesk(Desk, Protocol):
    """A desk with a door to the world outside."""

    def provider(
        self, name: str, operation: str, request: dict[str, Any], care: Care = "repeat"
    ) -> bytes:
        """What a provider answers. Recorded.

        Waits for its key where there is none. `repeat` asks again, with growing pauses, after every failure that
        passes, and `try` after none. `once` does so only after those that certainly did nothing, and where nobody
        can tell it raises `FateUnknown` rather than ask twice; `at_last` asks one time, and also when told to stop.
        What is paid for is refused, as `SpendingCapReached`, once a cap on spending is reached.
        """

    def likenesses(self, compared: Sequence[tuple[str, Sequence[str]]]) -> list[list[float | None]]:
        """`likeness` of many sentences, each to texts of its own, as one question. Recorded.

        Cut off by the signal to stop, it is never asked again: `CallCut` then, and after a restart a failure as well.
        """

    def rest(self, failure: ResearchError, failures: int) -> None:
        """Wait before the next attempt, after so many failures in a row; `CallCut` when told to stop."""

    def fetch(self, urls: Sequence[str]) -> list[Page | ResearchError]:
        """Pages of the web, fetched side by side and read; failures in the place of pages. Recorded.

        Told to stop, pages that are not there yet are `CallCut`.
        """
