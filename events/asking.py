"""Who is placing an order: for those who are asked on the way whether there is money left for it.

What is on order counts against a cap, but nobody's own order must be in its own way, and of several that are placed
at the same moment the first must come through. So whoever adds up has to know for whom.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ordering: ContextVar[str | None] = ContextVar("ordering", default=None)


@contextmanager
def ordering(stream: str) -> Iterator[None]:
    """While this lasts, what is asked in this thread is asked for an order of that stream."""
    before = _ordering.set(stream)
    try:
        yield
    finally:
        _ordering.reset(before)


def who_orders() -> str | None:
    """The stream whose order this is asked for; none where nothing is being ordered, or nobody can tell."""
    return _ordering.get()
