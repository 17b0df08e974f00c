"""What was spent today, from the record; for those who hold it against a cap."""

from datetime import UTC, datetime
from pathlib import Path

from events.home import Home
from projections.costs import cost_on
from projections.views import Views


class Spent:
    """Sums over everything that was recorded by now."""

    def __init__(self, views: Views) -> None:
        self._views = views

    def today(self) -> float:
        """Dollars that all tasks and jobs cost since midnight, UTC."""
        return cost_on(self._views.costs().totals, f"{datetime.now(UTC):%Y-%m-%d}")

    def by_task(self, task: str) -> float:
        """Dollars that one task cost."""
        return self._views.status(task).cost_usd


def open_spent(home: str) -> Spent:
    """The sums of the data home at a path."""
    return Spent(Views(Home(Path(home))))
