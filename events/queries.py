"""What was asked of the corpus, and what it answered."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Fact, Hash


class Hit(BaseModel):
    """One passage of an answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunk: str
    document: str
    version: Hash
    score: float
    """Relevance, 0 to 1."""


class QueryAnswered(Fact):
    """A question was put to the corpus by somebody, and answered."""

    kind: Literal["query_answered"] = "query_answered"

    query: str
    """Its beginning."""

    query_hash: Hash
    through: str
    """The tool or command it came in by."""

    mode: str
    collections: tuple[str, ...] | None = None
    """Scope; none means everything."""

    limit: int
    found: int
    hits: tuple[Hit, ...] = ()
    """The first of what was found."""

    took_ms: float
    correlation_id: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """What the answer to the caller was marked with, too."""


class QueryRefused(Fact):
    """A question was put to the corpus by somebody, and not answered."""

    kind: Literal["query_refused"] = "query_refused"

    query: str
    """Its beginning."""

    query_hash: Hash
    through: str
    """The tool or command it came in by."""

    mode: str
    code: str
    """Of the refusal."""

    took_ms: float
    correlation_id: str
    """What the answer to the caller was marked with, too."""
