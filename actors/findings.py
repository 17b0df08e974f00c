"""What a researcher brings back, and how sure one may be of it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from actors.reports.phrases import Wording
from events.base import Hash
from events.research import GapCategory

Priority = Literal["high", "medium", "low"]
Authority = Literal["high", "medium", "low"]
Recency = Literal["current", "recent", "dated"]

EXCERPT_LIMIT = 500
"""Characters of a source that one citation may carry."""


class Found(BaseModel):
    """A part of the findings: frozen, and exactly these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Citation(Found):
    """Words of a source, with the place they stand at."""

    source: str
    """web or file."""

    locator: str
    """URL or path."""

    title: str | None
    snippet: str | None
    """The gist, 50 to 200 characters."""

    raw_excerpt: str = Field(max_length=EXCERPT_LIMIT)
    """Verbatim: characters `start` to `end` of the text with the hash `text_hash`."""

    confidence: float = Field(ge=0.0, le=1.0)
    """How far the source is to be trusted on this."""

    number: int
    """What the answer calls it: [n]."""

    content_hash: Hash
    """Digest of the source's original bytes."""

    text_hash: Hash
    start: int
    end: int


class Gap(Found):
    """What could not be resolved, and why."""

    topic: str
    category: GapCategory
    detail: str
    cancelled: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether it is there because somebody ended the research; its category says less than this."""


class DiscoveryEvent(Found):
    """Something off the path that another researcher should look at."""

    type: str
    """related_research, new_source or contradiction."""

    suggested_researcher: str | None
    query: str
    reason: str
    source_locator: str | None
    dispatched_to: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """The researcher that was sent after it, where one was."""


class OpenQuestion(Found):
    """What the evidence leaves to be asked."""

    question: str
    context: str
    priority: Priority
    source_locator: str | None
    dispatched_to: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """The researcher that was sent after it, where one was."""


class ConfidenceFactors(Found):
    """The facts that a confidence is computed from."""

    num_corroborating_sources: int
    """Independent sources behind each part of the answer, on average and rounded down."""

    source_authority: Authority
    contradiction_detected: bool
    query_specificity_match: float = Field(ge=0.0, le=1.0)
    """Share of the question's terms, rare ones weighing more, that the quotations cover."""

    budget_exhausted: bool
    recency: Recency | None


class Statement(Found):
    """A sentence of the answer, and the citations it rests on."""

    text: str
    citations: tuple[int, ...]
    about: str
    """The part of the question it answers."""

    disputes: tuple[int, ...] = ()
    """Citations that say otherwise."""


class CitedSource(Found):
    """A source that a report cites, read or not."""

    url: str
    """Where the report's address leads to; as the report gives it, where nobody could tell."""

    title: str
    content_hash: Hash | None
    """Digest of the original bytes; none when it could not be read."""

    reason: str | None
    """Why it could not be read."""


class Grounding(Found):
    """How many of a report's cited sentences stand word for word in the sources they cite."""

    supported: int
    not_found: int
    unreachable: int
    """None of the sentence's sources could be read."""

    outcomes: tuple[Literal["supported", "not_found", "unreachable"], ...]
    """For each of the findings' sentences that cite something, in order; those that cite nothing follow them."""

    sources: tuple[CitedSource, ...]
    """Everything that is cited, in order of its first mention."""

    supports: tuple[float | None, ...] = ()
    """How much of each of those sentences the passages say that are cited for it, by its words."""

    # Left out of the bytes while it says nothing, so that older findings are spelled as they always were.
    similarities: tuple[float | None, ...] = Field(default=(), exclude_if=lambda value: not value)
    """The same by meaning, where an embedding model was at hand."""

    in_other_words: int = 0
    """How many are not there word for word, and are said by the passages that come nearest all the same."""


class Findings(Found):
    """Everything one researcher found out about one question."""

    question: str
    answer: str
    citations: tuple[Citation, ...]
    gaps: tuple[Gap, ...]
    discovery_events: tuple[DiscoveryEvent, ...]
    open_questions: tuple[OpenQuestion, ...]
    confidence: float = Field(ge=0.0, le=1.0)
    confidence_factors: ConfidenceFactors
    iterations_run: int
    tokens_used: int
    budget_exhausted: bool
    model_id: str
    parts: tuple[str, ...]
    """The questions that the question was taken apart into."""

    sentences: tuple[Statement, ...]
    grounding: Grounding | None = None
    """Where the answer is a provider's own report: how it compares with its sources."""

    quoted: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether a model was to write the answer and none did: its sentences are the sources' own."""

    shown_plainly: bool = Field(default=False, exclude_if=lambda value: not value)
    """Whether words of sources can be neither image, link, HTML nor mark where they are shown."""

    wording: Wording = Field(default="", exclude_if=lambda value: not value)
    """In which words the researcher gives its account."""

    @model_serializer(mode="wrap")
    def _without_nothing(self, usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Findings that quote are written as they always were: their bytes are in old records."""
        told: dict[str, Any] = usual(self)
        return told if self.grounding else {k: v for k, v in told.items() if k != "grounding"}


_AUTHORITY = {"high": 1.0, "medium": 0.7, "low": 0.3}
_FRESHNESS = {"current": 1.0, "recent": 0.9, "dated": 0.4, None: 0.7}

EXHAUSTED = 0.15
"""What an exhausted budget takes from a confidence."""

UNANSWERED = 0.05
"""Confidence of an answer that says that there is none."""


def confidence(factors: ConfidenceFactors, answered: float) -> float:
    """Confidence in an answer, from its factors and the share of its parts that were answered.

    The product of how far the question is met and how well that is supported:

        met        0.75 * query_specificity_match + 0.25 * answered
        supported  0.45 + 0.30 * corroboration + 0.20 * authority + 0.05 * freshness

        corroboration  1 - 0.5 ** sources: 0.5 for one source, 0.75 for two, …
        authority      high 1, medium 0.7, low 0.3
        freshness      current 1, recent 0.9, unknown 0.7, dated 0.4

    A contradiction then takes away 0.10 and an exhausted budget 0.15. The result lies between
    0.05 and 0.95: quotations picked by rule never deserve certainty.
    """
    met = 0.75 * factors.query_specificity_match + 0.25 * answered
    supported = (
        0.45
        + 0.30 * (1 - 0.5**factors.num_corroborating_sources)
        + 0.20 * _AUTHORITY[factors.source_authority]
        + 0.05 * _FRESHNESS[factors.recency]
    )
    value = met * supported
    value -= 0.10 * factors.contradiction_detected + EXHAUSTED * factors.budget_exhausted
    return round(min(0.95, max(UNANSWERED, value)), 2)
