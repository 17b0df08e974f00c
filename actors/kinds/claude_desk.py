"""What the claude researcher needs of its desk, and how it tries providers that may fail.

Each attempt is a call of its own in the record, and so is its failure. So the number of failures, and what they are
counted for, is the same whenever the research runs again; only the pauses between attempts are not made twice.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from actors.outside import Page
from actors.recorded import FailedBefore, code_of
from actors.spending import SpendingCapReached
from events.base import Fact
from events.errors import ProviderError, ResearchError

PASSING = frozenset(
    {"provider_busy", "provider_away", "provider_failed", "provider_silent", "answer_malformed"}
)
"""Failures of a provider that may go away by themselves."""

PERHAPS_CHARGED = frozenset({"provider_failed", "provider_silent", "answer_malformed"})
"""Failures after which the provider may have begun to work."""

REFUSALS = (ProviderError, FailedBefore, SpendingCapReached)
"""All that a research survives; anything else is not the provider's doing."""


Attempt = Literal["try", "perhaps"]
"""How a provider is asked once: after waiting for its key, or failing where there is none."""


class WebDesk(Protocol):
    """All that this researcher may touch."""

    def provider(self, name: str, operation: str, request: dict[str, Any], care: Attempt) -> bytes:
        """What a provider answers to one attempt. Recorded, also when it fails."""

    def rest(self, failure: ResearchError, failures: int) -> None:
        """Wait before the next attempt, but not longer than until the work is told to stop."""

    def fetch(self, urls: Sequence[str]) -> list[Page | ResearchError]:
        """Pages of the web, failures in the place of those that could not be had. Recorded."""

    def likeness(self, question: str, texts: Sequence[str], /) -> list[float | None]:
        """How near in meaning each text is to a sentence; none where nobody can tell. Recorded."""

    def text(self, text_hash: str) -> str:
        """The stored text of a page."""

    def note(self, *facts: Fact) -> None:
        """Record what was found."""

    def checkpoint(self) -> None:
        """Raise `CallCut` when the research was told to stop."""


def tried(
    desk: WebDesk,
    name: str,
    operation: str,
    request: dict[str, Any],
    care: Attempt,
    attempts: int,
    failed: Callable[[str], bool] = lambda code: True,
) -> bytes:
    """What a provider answers, asked up to so many times while its failures pass.

    `failed` is told the code of each failure and says whether another attempt can be afforded.
    """
    for attempt in range(1, attempts + 1):
        desk.checkpoint()
        try:
            return desk.provider(name, operation, request, care)
        except REFUSALS as failure:
            code = code_of(failure)
            affordable = failed(code)
            if code not in PASSING or attempt == attempts or not affordable:
                raise
            if not isinstance(failure, FailedBefore):
                desk.rest(failure, attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")
