"""What answers to questions cost that no task was asked: their calls stand in the stream of queries."""

from contextlib import suppress

from events.errors import BrokenChain, NewerFormat, UnknownWording
from events.home import QUERIES, Home
from events.tail import Cursor, cursor_fits
from projections.costs import SpendRow, fold_spend


class QueryCosts:
    """The calls of the stream of queries, added up as far as it was read."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._cursor = Cursor()
        self._rows: tuple[SpendRow, ...] = ()

    def rows(self) -> tuple[SpendRow, ...]:
        """What they cost by now, by day and model; without what a broken stream hides.

        `HomeUnwritable` where that cannot be read for now.
        """
        # A broken stream is for verify to report; what was read of it still counts.
        with suppress(BrokenChain, NewerFormat, UnknownWording):
            # Lines that were read may have been taken back since, by a writer whose sync failed.
            fits = cursor_fits(self._home.path(QUERIES), self._cursor)
            cursor, rows = (self._cursor, self._rows) if fits else (Cursor(), ())
            records, self._cursor = self._home.read(QUERIES, cursor)
            self._rows = fold_spend(rows, records)
        return self._rows
