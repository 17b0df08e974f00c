"""What can happen to a research task."""

from typing import Literal

from events.base import Blob, Fact, Hash
from events.catalogue import Brief


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


class StopRequested(Fact):
    """The task is to end early."""

    kind: Literal["stop_requested"] = "stop_requested"

    reason: Literal["cancelled", "timed_out"]
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
