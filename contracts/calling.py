"""Contract 02 as a Python call: `await research("…")` gives the contract's `ResearchResult` as an object.

It runs the same task as the tool and the command, over the data home and with the keys that the environment names.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from contracts.core import Core
from contracts.research import calls as contract
from contracts.research.calls import Depth, ResearchConstraints
from contracts.settings import Settings
from contracts.waiting import Progress
from events.errors import BadRequest
from events.research import GapCategory
from events.secrets import learn_secrets

__all__ = ["ResearchConstraints", "ResearchResult", "research"]


class _Part(BaseModel):
    """A part of a result; it may carry more than the contract names."""

    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=())


class Citation(_Part):
    """A source that was used, with raw evidence."""

    source: str
    locator: str
    title: str | None
    snippet: str | None
    raw_excerpt: str
    confidence: float


class Gap(_Part):
    """What could not be resolved."""

    topic: str
    category: GapCategory
    detail: str


class DiscoveryEvent(_Part):
    """A finding on the side, for another researcher."""

    type: str
    suggested_researcher: str | None
    query: str
    reason: str
    source_locator: str | None


class OpenQuestion(_Part):
    """A question that came up."""

    question: str
    context: str
    priority: Literal["high", "medium", "low"]
    source_locator: str | None


class ConfidenceFactors(_Part):
    """What the confidence was computed from."""

    num_corroborating_sources: int
    source_authority: Literal["high", "medium", "low"]
    contradiction_detected: bool
    query_specificity_match: float
    budget_exhausted: bool
    recency: Literal["current", "recent", "dated"] | None


class CostMetadata(_Part):
    """What was used."""

    tokens_used: int
    iterations_run: int
    wall_time_sec: float
    budget_exhausted: bool
    model_id: str


class ResearchResult(_Part):
    """What a research found."""

    answer: str
    citations: list[Citation]
    gaps: list[Gap]
    discovery_events: list[DiscoveryEvent]
    open_questions: list[OpenQuestion]
    confidence: float
    confidence_factors: ConfidenceFactors
    cost_metadata: CostMetadata
    trace_id: str


class _Asked(BaseModel):
    """What a caller asks; constraints may also be given by their names alone."""

    question: str
    context: str | None
    depth: Depth
    constraints: ResearchConstraints | None
    orchestrate: bool | None


async def research(
    question: str,
    context: str | None = None,
    depth: Depth = "balanced",
    constraints: ResearchConstraints | dict[str, Any] | None = None,
    *,
    orchestrate: bool | None = None,
    progress: Progress | None = None,
    core: Core | None = None,
) -> ResearchResult:
    """Research a question and return a grounded answer; a refusal is a `ResearchError` with a code and advice.

    `progress` is awaited with (percent, 100, step) at every step. `core` is a data home that is open already.
    """
    if core is None:
        learn_secrets()
        core = Core(Settings.from_environment())
    asked = _checked(
        question=question,
        context=context,
        depth=depth,
        constraints=constraints,
        orchestrate=orchestrate,
    )
    brief = contract.brief_for(
        asked.question,
        asked.context,
        asked.depth,
        asked.constraints,
        orchestrate=asked.orchestrate,
    )
    found = await contract.research(core, brief, progress or _unheard)
    return ResearchResult.model_validate(found)


def _checked(**asked: Any) -> _Asked:
    """What was asked, or the refusal that the tool would answer."""
    try:
        return _Asked(**asked)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise BadRequest(
            f"{where[:80]}: {first['msg'][:200]}.", "Give the arguments of the contract."
        ) from None


async def _unheard(done: float, of: float, step: str) -> None:
    """Nobody wants to know."""
