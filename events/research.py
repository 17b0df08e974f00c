"""What a researcher can read, quote, miss, notice or wonder about."""

from typing import Literal

from pydantic import Field

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

    # Left out of the bytes while it says nothing, so that an assignment is spelled as it always was.
    rules: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """By which rules it works, where there are several: a later run must use the same."""


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
    action: Literal["read_corpus", "fetch_url", "carried"]
    """Carried: it was read by the task that this one continues."""

    url: str
    """Locator of the source, path or URL."""

    title: str | None
    content_hash: Hash
    content_length: int
    text_hash: Hash
    """The text that was read out of it; spans refer to this."""

    decision: str


class AnswerCarried(Fact):
    """What was asked had been answered to the task that this one continues; nobody was asked again."""

    kind: Literal["answer_carried"] = "answer_carried"

    call: str
    task: str
    reply: Blob


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


class JobCreated(Fact):
    """A provider took the research on; this is how it calls the job, and it is the only one."""

    kind: Literal["job_created"] = "job_created"

    provider: str
    interaction: str
    model: str


class JobPolled(Fact):
    """The job's state at the provider became another."""

    kind: Literal["job_polled"] = "job_polled"

    interaction: str
    status: str
    """In the provider's word."""


class ThoughtSummarised(Fact):
    """What the provider says it is thinking about."""

    kind: Literal["thought_summarised"] = "thought_summarised"

    text: str


class SearchMade(Fact):
    """The provider searched the web, or opened pages of it."""

    kind: Literal["search_made"] = "search_made"

    queries: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


class PageKept(Fact):
    """A page was fetched; what came and the text in it are kept."""

    kind: Literal["page_kept"] = "page_kept"

    url: str
    """As it was cited."""

    final_url: str
    """Where that led to."""

    media_type: str
    original: Blob
    text: Blob


class SentenceChecked(Fact):
    """A sentence that cites sources was looked for in them."""

    kind: Literal["sentence_checked"] = "sentence_checked"

    sentence: str
    outcome: Literal["supported", "not_found", "unreachable", "inference"]
    """Supported: its words stand in a source. Unreachable: none of its sources could be read.
    Inference: it claims no source."""

    match: Literal["exact", "normalised", "repaired", "none"]
    citations: tuple[int, ...]
    """The passages that were found, or that come nearest."""

    support: float | None = None
    """How much of the sentence those passages say, 0 to 1, by its words."""

    similarity: float | None = None
    """The same by meaning, where an embedding model was at hand."""


class CitationChecked(Fact):
    """Words that a model claims to quote were looked for in the page they are said to come from."""

    kind: Literal["citation_checked"] = "citation_checked"

    locator: str
    """Of the page, or what the model called one that was never read."""

    claimed: str
    """The beginning of what it claims."""

    outcome: Literal["exact", "normalised", "repaired", "non_text", "dropped"]
    """Repaired: it is not there, and the page's own sentences took its place."""

    citation: int | None
    """Number of the citation that came of it, if one did."""

    reason: str


class ConfidenceWeighed(Fact):
    """The confidence that follows from the evidence, beside the one that the model has in itself."""

    kind: Literal["confidence_weighed"] = "confidence_weighed"

    computed: float
    claimed: float | None


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
