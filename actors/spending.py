"""Spending caps: before a paid call, what was spent is held against what may be spent.

Pure: whoever makes paid calls asks here first, with sums taken from the record. A cap that is reached stops the
next paid call; it cannot take back one that is under way, so the last call may overshoot by its own cost. Jobs that
tell their cost only when they are over count for the day with what they likely cost as soon as they are ordered.
"""

from collections.abc import Callable
from dataclasses import dataclass

from events.catalogue import Brief
from events.errors import ResearchError


class SpendingCapReached(ResearchError):
    """Another paid call would go beyond a cap: (which cap, its dollars, dollars spent and on order)."""

    code = "spending_cap_reached"
    says = "The {0} spending cap of ${1:.2f} is reached: ${2:.4f} are spent or on order."
    suggestion = (
        "Nothing more is paid for. Raise RESEARCH_AGENT_DAILY_CAP_USD or "
        "RESEARCH_AGENT_TASK_CAP_USD, or wait for the next day (UTC), and start the research again."
    )


@dataclass(frozen=True)
class Caps:
    """Dollars that may be spent; none means no limit."""

    task_usd: float | None = None
    daily_usd: float | None = None

    @classmethod
    def of(cls, brief: Brief) -> "Caps":
        """The caps that a task was accepted under."""
        return cls(brief.task_cap_usd, brief.daily_cap_usd)


def check_caps(caps: Caps, *, task_usd: float, today_usd: Callable[[], float]) -> None:
    """Refuse when a cap is reached; to be asked right before each paid call.

    `task_usd` is what the task has cost so far. What everything cost today, with what is on order, takes a look at
    every stream, so it is only asked for when there is a cap on it.
    """
    if caps.task_usd is not None and task_usd >= caps.task_usd:
        raise SpendingCapReached("task", caps.task_usd, task_usd)
    if caps.daily_usd is not None and (today := today_usd()) >= caps.daily_usd:
        raise SpendingCapReached("daily", caps.daily_usd, today)
