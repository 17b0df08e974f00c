"""The pair of facts around everything asked of the outside world."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Count, Details, Fact


class Usage(BaseModel):
    """What an answer consumed, as its provider counts it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input_tokens: Count = 0
    cached_tokens: Count = 0
    output_tokens: Count = 0
    thought_tokens: Count = 0
    searches: Count = 0
    credits: float = 0.0


class CallAsked(Fact):
    """A question is about to leave; without an answer after it, its fate is unknown."""

    kind: Literal["call_asked"] = "call_asked"

    call: str
    """Identity of the question within its stream: what is asked, and for the how-manieth time."""

    port: str
    """Which part of the world: corpus, parse, embed, model, search, fetch."""

    operation: str
    """What is asked of it."""

    request: Blob
    """The whole question."""

    attempt: int = 1
    """Counts the tries of the same question."""


class CallAnswered(Fact):
    """An answer arrived and is kept; the question is never asked again."""

    kind: Literal["call_answered"] = "call_answered"

    call: str
    reply: Blob
    """The whole answer."""

    model: str | None = None
    """Which model or engine answered."""

    usage: Usage = Usage()
    cost_usd: float = 0.0
    took_ms: float = 0.0


class CallFailed(Fact):
    """The question came back without an answer."""

    kind: Literal["call_failed"] = "call_failed"

    call: str
    code: str
    """Stable name of the failure, as in `events.errors`."""

    message: str
    final: bool
    """No further attempt will be made."""

    details: Details = Field(default_factory=dict, exclude_if=lambda value: not value)
    """What else is known of a page that could not be fetched."""

    usage: Usage = Usage()
    cost_usd: float = 0.0
    took_ms: float = 0.0


class KeysAwaited(Fact):
    """The work waits for a key that nobody has lent; it goes on when a client with one connects."""

    kind: Literal["keys_awaited"] = "keys_awaited"

    provider: str
    names: tuple[str, ...]
    """Any of these will do."""


class KeysArrived(Fact):
    """The key is there; the work goes on."""

    kind: Literal["keys_arrived"] = "keys_arrived"

    provider: str


class ProviderAwaited(Fact):
    """A provider does not do what it is asked for now; it will be asked again."""

    kind: Literal["provider_awaited"] = "provider_awaited"

    provider: str
    code: str
    message: str
    """In the provider's own words."""


class ProviderAnswered(Fact):
    """The provider answers again."""

    kind: Literal["provider_answered"] = "provider_answered"

    provider: str
