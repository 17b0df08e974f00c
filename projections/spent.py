"""What was spent today and what is on order, from the record; for those who hold it against a cap."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby, takewhile
from pathlib import Path
from typing import NamedTuple

from events.asking import who_orders
from events.errors import HomeUnwritable, ResearchError
from events.home import Home
from projections.costs import Call, cost_on
from projections.status import Phase, TaskStatus
from projections.views import Views

JOB_USD = 2.11
"""What a job likely costs that has not told it yet: the prior of a question with several aspects, by the price table
(`contracts.deep_research.estimates.PRIORS`, `actors.prices`)."""

_JOBS = "gemini"
"""The port at which jobs are ordered that cost money and tell it only in the end."""

_LOST = "fate_unknown"
_PAGE = 500


class Order(NamedTuple):
    """A paid job that was ordered and has not told what it cost."""

    stream: str
    asked_at: str
    placed: bool
    """Whether it was taken on, as far as anybody knows; otherwise its order is on its way."""


class Spent:
    """Sums over everything that was recorded by now."""

    def __init__(self, views: Views) -> None:
        self._views = views

    def today(self) -> float:
        """Dollars that count against the day's cap: what was spent since midnight, UTC, and what is on order.

        A job tells its cost when it is over, which may take an hour; until then it counts with what it likely costs.
        """
        return self.paid_today() + JOB_USD * len(self._in_the_way())

    def paid_today(self) -> float:
        """Dollars that all tasks and jobs cost since midnight, UTC."""
        return cost_on(self._views.costs().totals, _today())

    def _in_the_way(self) -> list[Order]:
        """The orders that come before whatever is to be paid for now."""
        orders = sorted(self._orders(), key=lambda order: (order.asked_at, order.stream))
        placed = [order for order in orders if order.placed]
        under_way = [order for order in orders if not order.placed]
        own = who_orders()
        streams = [order.stream for order in under_way]
        if own in streams:
            # Of those that are ordered at the same moment the first one must come through, and only that.
            return placed + under_way[: streams.index(own)]
        # Somebody on another machine cannot say who it is; one of these is its own.
        return placed + under_way[1:]

    def _orders(self) -> Iterator[Order]:
        for task in self._with_jobs():
            try:
                calls = self._views.calls(task.task)
            except HomeUnwritable:
                raise  # It may be read in a moment.
            except ResearchError:
                continue  # What a broken record cost does not count either.
            for stream, made in groupby(calls, key=lambda call: call.stream):
                order = _order(stream, list(made))
                if order and not task.ended:
                    yield order
                elif order and self._counts_today(task, order):
                    yield order._replace(placed=True)

    def _with_jobs(self) -> Iterable[TaskStatus]:
        """Tasks that may have something on order: those that run, and those of late that ended without a bill."""
        found = {task.task: task for task in self._tasks("running")}
        yesterday = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
        for task in takewhile(lambda task: task.asked_at >= yesterday, self._tasks()):
            if task.ended and task.calls_asked and task.cost_usd == 0:
                found[task.task] = task
        return found.values()

    def _tasks(self, phase: Phase | None = None) -> Iterator[TaskStatus]:
        """The newest first."""
        page = self._views.tasks(phase, _PAGE)
        yield from page.tasks
        while page.cursor:
            page = self._views.tasks(phase, _PAGE, page.cursor)
            yield from page.tasks

    def _counts_today(self, task: TaskStatus, order: Order) -> bool:
        """What will never be told counts on the day it was ordered; what others ordered never does."""
        return order.asked_at[:10] == _today() and self._views.imported_at(task.task) is None


def _order(stream: str, calls: list[Call]) -> Order | None:
    """What a stream has on order; a researcher orders one job at the most."""
    asked = [call for call in calls if call.port == _JOBS]
    create = next((call for call in asked if call.operation == "create"), None)
    if create is None or sum(call.cost_usd for call in asked) > 0:
        return None
    if create.outcome == "failed" and create.code != _LOST:
        return None
    # Of an order that is repeated it counts when the last attempt left: others were first meanwhile.
    return Order(stream, create.left_at or "", placed=create.outcome != "asked")


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def open_spent(home: str) -> Spent:
    """The sums of the data home at a path."""
    return Spent(Views(Home(Path(home))))
