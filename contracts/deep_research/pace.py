"""How far a running research is, and how long it will still take. Never invented, never falling.

Progress is the greatest of three, each of which moves only when a fact arrives:

- the share of the planned steps that were taken, where a researcher says how many there are;
- steps taken and sources read, against what past tasks of the kind needed (`TYPICAL` before there are any);
- the time from the start to the last thing done, against what such tasks took, once enough of them were completed.

The second and the third go up to `ALMOST` percent: only the end itself is the end. Both are measured against tasks
that were completed before this one was asked for, so that what is learned meanwhile cannot make it fall.
"""

import threading
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import NamedTuple

from contracts.core import Core
from contracts.deep_research.estimates import Range, outlook, published
from contracts.wording import elapsed_s
from projections.history import Pulse
from projections.status import TaskStatus

ALMOST = 90
TYPICAL = 30
"""Steps and sources of a research of which nothing is known."""

_KEPT = 500
"""Tasks whose yardstick is remembered."""


class Yardstick(NamedTuple):
    """What one research is measured against."""

    minutes: Range
    moves: float
    """Steps and sources of a typical research of its kind."""

    tasks: int
    """How many past tasks the minutes rest on; none means the prior."""

    published: Range
    """Minutes by the prior: what takes longer than those past tasks is unlike them."""

    limit: float
    """Minutes after which it ends with what it has."""


@dataclass(frozen=True)
class Seen:
    """A research as it stands, with how far that is."""

    status: TaskStatus
    progress: int
    minutes_left: float | None
    """As far as can be told; none, once it has ended."""

    rests_on: str
    """What that is taken from: past_tasks, published_figures or wait_limit."""

    imported_at: str | None
    """When it was taken over from another home; none, if it was done here."""


class Pace:
    """Looks at researches. Safe to share between threads."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._yardsticks: dict[str, Yardstick] = {}
        self._mutex = threading.Lock()

    def look(self, task: str) -> Seen:
        """Where a research stands."""
        return self.judge(self._core.views.pulse(task))

    def at_hand(self, task: str) -> Seen | None:
        """The same where nothing has to be waited for; else none."""
        pulse = self._core.views.pulse_at_hand(task)
        if pulse is None:
            return None
        measured = pulse.status.phase == "completed" or task in self._yardsticks
        return self.judge(pulse) if measured else None

    def judge(self, pulse: Pulse) -> Seen:
        """How far a research is that stands there."""
        status = pulse.status
        if status.phase in ("completed", "pending"):
            sure = 100 if status.phase == "completed" else 0
        else:
            sure = max(status.progress, _moved(pulse, self._yardstick(status)))
        if status.ended:
            return Seen(status, sure, None, "", pulse.imported_at)
        return Seen(status, sure, *self._left(status), pulse.imported_at)

    def _left(self, status: TaskStatus) -> tuple[float, str]:
        known = self._yardstick(status)
        passed = elapsed_s(status) / 60
        learned = [(known.minutes, "past_tasks")] if known.tasks else []
        for minutes, rests_on in (*learned, (known.published, "published_figures")):
            for total in (minutes.likely, minutes.most):
                if passed < total <= known.limit:
                    return total - passed, rests_on
        return max(0.0, known.limit - passed), "wait_limit"

    def _yardstick(self, status: TaskStatus) -> Yardstick:
        # Without the mutex, which is held for as long as another one is measured.
        if known := self._yardsticks.get(status.task):
            return known
        with self._mutex:
            if (known := self._yardsticks.get(status.task)) is None:
                known = self._measure(status)
                while len(self._yardsticks) >= _KEPT:
                    self._yardsticks.pop(next(iter(self._yardsticks)))
                self._yardsticks[status.task] = known
            return known

    def _measure(self, status: TaskStatus) -> Yardstick:
        brief = self._core.catalogue.brief(status.task)
        past = self._core.views.past(status.researcher, status.asked_at)
        expected = outlook(self._core, brief.question, status.researcher, status.asked_at)
        moves = median(each.moves for each in past) if past else TYPICAL
        limit = brief.max_wait_s / 60
        prior = published(status.researcher, expected.complexity).minutes
        return Yardstick(expected.minutes, max(1.0, moves), expected.tasks, prior, limit)


def _moved(pulse: Pulse, known: Yardstick) -> int:
    by_moves = ALMOST * min(1.0, pulse.moves / known.moves)
    by_time, started_at = 0.0, pulse.status.started_at
    if known.tasks and started_at and pulse.acted_at:
        began, acted = map(datetime.fromisoformat, (started_at, pulse.acted_at))
        minutes = max(0.0, (acted - began).total_seconds() / 60)
        by_time = ALMOST * min(1.0, minutes / max(known.minutes.likely, 1e-9))
    return int(max(by_moves, by_time))
