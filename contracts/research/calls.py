"""Contract 02, `research()` v1: one question in, one grounded result out."""

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.core import Core
from contracts.deep_research.refusals import encodable
from contracts.deep_research.results import citations_of
from contracts.evidence.calibrating import calibrated
from contracts.seen_letters import quoted
from contracts.seen_letters import seen as shown
from contracts.waiting import Progress, wait_to_end
from contracts.wording import elapsed_s, record_of, refused_key
from events.catalogue import Brief, Constraints
from events.errors import BadRequest, KeyRefused
from language.plain import is_seen
from projections.results import NoResult

Depth = Literal["shallow", "balanced", "deep"]

QUESTION_LENGTH = 500
CONTEXT_LENGTH = 2000
FILTER_LENGTH = 2000
MOST = 1_000_000_000
"""No constraint can be more."""


class KeyNotAccepted(NoResult):
    """A task ended because a provider does not accept the key: (id, what it said, the provider, the key's name)."""

    code = KeyRefused.code
    says = "Research {0} failed: {2} does not accept the key in {3} ({1})."
    suggestion = (
        "Set {3} to a valid key, where this server is started or in the file .env of the data home, "
        "then start the research again."
    )


class ResearchConstraints(BaseModel):
    """Fine-grained control over a researcher."""

    model_config = ConfigDict(extra="forbid")

    max_iterations: int = Field(
        5, description="Stop after so many iterations; left out, a shallow research stops after 2"
    )
    token_budget: int = Field(
        20000,
        description="Soft limit on tokens; left out, 5000 for a shallow research and 25000 for a deep one",
    )
    max_sources: int = Field(10, description="So many sources are read at the most")
    source_filter: str | None = Field(
        None,
        description="Only sources of these domains (nasa.gov, *.edu); "
        "in the corpus, only locators with one of the words in it",
    )


def brief_for(
    question: str,
    context: str | None = None,
    depth: Depth = "balanced",
    constraints: ResearchConstraints | None = None,
    *,
    collections: tuple[str, ...] | None = None,
    asked_through: str = "research",
    orchestrate: bool | None = None,
) -> Brief:
    """Check the caller's words and make them a brief."""
    question = question.strip()
    _check_words(question, context)
    limits = constraints or ResearchConstraints()
    _check_limits(limits)
    return Brief(
        question=question,
        context=context,
        depth=depth,
        constraints=Constraints(**limits.model_dump(), said=tuple(sorted(limits.model_fields_set))),
        collections=collections,
        asked_through=asked_through,
        orchestrate=orchestrate,
    )


def _check_words(question: str, context: str | None) -> None:
    if not 1 <= len(question) <= QUESTION_LENGTH:
        raise BadRequest(
            f"The question has {len(question)} characters.", f"Use 1 to {QUESTION_LENGTH}."
        )
    if context and len(context) > CONTEXT_LENGTH:
        raise BadRequest(
            f"The context has {len(context)} characters.", f"Use up to {CONTEXT_LENGTH}."
        )
    if not encodable(f"{question}{context}"):
        raise BadRequest("The question is not valid text.", "Remove the broken characters.")
    if not any(map(is_seen, question)):
        raise BadRequest("Nothing of the question can be seen.", "Ask it in letters.")


def _check_limits(limits: ResearchConstraints) -> None:
    numbers = limits.max_iterations, limits.token_budget, limits.max_sources
    if min(numbers) < 1:
        raise BadRequest("A constraint is less than 1.", "Leave it out, or use a positive number.")
    if max(numbers) > MOST:
        raise BadRequest(
            f"A constraint is more than {MOST}.", "Leave it out, or use a smaller one."
        )
    if limits.source_filter:
        _check_filter(limits.source_filter)


def _check_filter(names: str) -> None:
    """Refuse a filter that would let nothing through, or everything, without saying so."""
    if len(names) > FILTER_LENGTH or not encodable(names):
        raise BadRequest(
            "The source_filter is too long or no text.", f"Use up to {FILTER_LENGTH} characters."
        )
    if not any(map(str.isalnum, names)):
        raise BadRequest("The source_filter names no site.", "Leave it out, or name some: *.edu")
    unwanted = [word for word in re.split(r"[\s,;|]+", names) if word.startswith(("-", "!"))]
    if unwanted:
        raise BadRequest(
            f"The source_filter has {unwanted[0][:80]!r}.",
            "Name the sites that may be read; all others are left out.",
        )


def assigned(core: Core, brief: Brief) -> Brief:
    """The brief with the researcher that is to work on it; named collections are the corpus's own.

    Refused where that one is paid for and the day's money is spent: it would find nothing. Who else could be sent out
    is decided here and recorded: keys come and go, and a task that runs again must not decide otherwise.
    """
    kind = "corpus" if brief.collections else core.choose_grounded()
    if kind != "corpus":
        core.expect_allowance()
    others: tuple[str, ...] = ()
    if brief.wants_company:
        others = ("corpus",) if brief.collections else core.able()
    return brief.model_copy(
        update={
            "researcher": kind,
            "constraints": _by_contract(brief.constraints, brief.depth, kind),
            "available": others,
            "task_cap_usd": core.settings.task_cap_usd,
            "daily_cap_usd": core.settings.daily_cap_usd,
        }
    )


def _by_contract(limits: Constraints, depth: str, kind: str) -> Constraints:
    """The limits with the contract's own where a balanced research leaves them out: those are what it publishes.

    A quick or a deep one is limited as the contract describes that depth, and a job at Gemini by nothing.
    """
    if depth != "balanced" or kind == "gemini":
        return limits
    said = {*limits.said, "max_iterations", "token_budget"}
    return limits.model_copy(update={"said": tuple(sorted(said))})


async def research(core: Core, brief: Brief, progress: Progress) -> dict[str, Any]:
    """Run a research to its end and return the contract's `ResearchResult`."""
    task, _ = core.start_research(assigned(core, brief))
    await wait_to_end(core, task, progress)
    return result_of(core, task)


def result_of(core: Core, task: str) -> dict[str, Any]:
    """The `ResearchResult` of an ended task, with the wall time from the record.

    As everything that is handed out it goes without the letters that nobody sees; the record keeps them.
    """
    seen = core.views.status(task)
    try:
        result = dict(core.views.result(task).result)
    except NoResult:
        if key := refused_key(seen, core.settings.home):
            raise KeyNotAccepted(task, seen.failure_message, key.provider, key.name) from None
        raise
    cost = dict(result["cost_metadata"])
    cost["wall_time_sec"] = round(elapsed_s(seen), 3)
    citations = [
        shown(each) | {"raw_excerpt": quoted(each["raw_excerpt"])}
        for each in citations_of(core, result)
    ]
    whole: dict[str, Any] = shown(result | calibrated(core, result.get("confidence")))
    return whole | {"citations": citations, "cost_metadata": cost, "record": record_of(seen)}
