"""What a researcher can read, quote, miss, notice or wonder about."""

from typing import Literal

from events.base import Blob, Fact, Hash

GapCategory = Literal[
    "source_not_found",
    "access_denied",
    "budget_exhausted",
    "contradictory_sources",
    "scope_exceeded",
]


class AssignmentTaken(Fact):
    """The researcher began."""

    kind: Literal["assignment_taken"] = "assignment_taken"

    researcher_kind: str
    question: str
    collections: tuple[str, ...] | None = None


class StepTaken(Fact):
    """The researcher turned to something; what it is doing now, in words for a person."""

    kind: Literal["step_taken"] = "step_taken"

    step: int
    of: int | None = None
    """How many steps are planned, where that is known."""

    action: str
    decision: str


class SourceRead(Fact):
    """A source was read; its bytes are kept."""

    kind: Literal["source_read"] = "source_read"

    step: int
    action: Literal["read_corpus", "fetch_url"]
    url: str
    """Locator of the source, path or URL."""

    title: str | None
    content_hash: Hash
    content_length: int
    text_hash: Hash
    """The text that was read out of it; spans refer to this."""

    decision: str


class PassageQuoted(Fact):
    """A passage was taken verbatim."""

    kind: Literal["passage_quoted"] = "passage_quoted"

    citation: int
    """Number of the citation in the answer."""

    content_hash: Hash
    text_hash: Hash
    start: int
    end: int
    """Character span in the text."""


class GapFound(Fact):
    """Something asked for could not be resolved."""

    kind: Literal["gap_found"] = "gap_found"

    topic: str
    category: GapCategory
    detail: str


class DiscoveryMade(Fact):
    """Something off the path deserves another researcher."""

    kind: Literal["discovery_made"] = "discovery_made"

    type: str
    suggested_researcher: str | None
    query: str
    reason: str
    source_locator: str | None


class QuestionOpened(Fact):
    """The evidence raised a further question."""

    kind: Literal["question_opened"] = "question_opened"

    question: str
    context: str
    priority: Literal["high", "medium", "low"]
    source_locator: str | None


class ResearchFinished(Fact):
    """The researcher is done."""

    kind: Literal["research_finished"] = "research_finished"

    findings: Blob


class ResearchStopped(Fact):
    """The researcher ended before it was done."""

    kind: Literal["research_stopped"] = "research_stopped"

    code: str
    message: str
