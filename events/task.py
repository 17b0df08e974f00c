"""What can happen to a research task."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from events.base import Blob, Fact, Hash
from events.catalogue import Brief

StopReason = Literal["cancelled", "timed_out"]
"""Who ends a task early: somebody, or its time."""

Prompt = Literal["discovery", "open_question"]
"""What made a further researcher worth while."""


class Share(BaseModel):
    """What one researcher may use of the task's budget."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rounds: int
    tokens: int
    sources: int
    usd: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """Dollars; none where the task has no cap."""


class Dispatch(BaseModel):
    """Why a further researcher was sent out, and with what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: str
    """The researcher whose findings led to it."""

    prompted_by: Prompt
    place: int
    """Which of the origin's discoveries or open questions, from 0."""

    priority: float
    generation: int
    """The first researcher is of generation 0."""

    reason: str
    locator: str | None = Field(default=None, exclude_if=lambda value: value is None)
    """Where the origin came upon it."""

    share: Share


class TaskAccepted(Fact):
    """The task began, with everything it was asked."""

    kind: Literal["task_accepted"] = "task_accepted"

    brief: Brief


class ResearcherAssigned(Fact):
    """A researcher was given a question; its stream exists from now on."""

    kind: Literal["researcher_assigned"] = "researcher_assigned"

    researcher: str
    """The researcher's stream."""

    researcher_kind: str
    question: str

    # Left out of the bytes while they say nothing, so that an assignment is spelled as it always was.
    dispatch: Dispatch | None = Field(default=None, exclude_if=lambda value: value is None)
    """Why it was sent out beside the first one."""


class ResearcherReported(Fact):
    """A researcher finished; the head anchors its stream in ours."""

    kind: Literal["researcher_reported"] = "researcher_reported"

    researcher: str
    seq: int
    head: Hash
    """Hash of its last line; a tail cut off later will not match."""

    findings: Blob | None
    """What it found; none when it was stopped before it found anything."""

    failure: str | None = None
    """Code of the error it ended with, if it did."""

    message: str | None = None
    """What it said about that."""

    sources_read: int | None = Field(default=None, exclude_if=lambda value: value is None)
    cost_usd: float | None = Field(default=None, exclude_if=lambda value: value is None)
    """What it used, where further researchers share the budget with it."""


class LeadLeft(Fact):
    """A discovery or an open question that no further researcher was sent after."""

    kind: Literal["lead_left"] = "lead_left"

    origin: str
    prompted_by: Prompt
    place: int
    question: str
    priority: float
    generation: int
    reason: Literal["budget", "limit", "generation", "duplicate", "unavailable", "unsafe"]
    detail: str


class ClaimsCompared(Fact):
    """How near in meaning what several researchers say comes to one another; their findings are put together by it.

    A task without it was put together by words alone.
    """

    kind: Literal["claims_compared"] = "claims_compared"

    rules: str
    """By which rules it was chosen what to compare: a replay must choose the same."""

    compared: int
    """Texts that were compared with others."""

    likenesses: Blob
    """Of each pair that a model could tell: both texts and how near they are, as JSON."""


class StopRequested(Fact):
    """The task is to end early."""

    kind: Literal["stop_requested"] = "stop_requested"

    reason: StopReason
    save_partial: bool = True


class TaskConcluded(Fact):
    """The task ended with an answer."""

    kind: Literal["task_concluded"] = "task_concluded"

    result: Blob
    """The research result, as JSON."""

    report: Blob
    """The report, as Markdown."""


class TaskCancelled(Fact):
    """The task was stopped on request."""

    kind: Literal["task_cancelled"] = "task_cancelled"

    result: Blob | None = None
    report: Blob | None = None
    """What there was when it stopped, if it was to be kept."""


class TaskFailed(Fact):
    """The task ended without an answer."""

    kind: Literal["task_failed"] = "task_failed"

    code: str
    message: str
    result: Blob | None = None
    report: Blob | None = None
