"""Refusals of tools whose contract names no errors of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastmcp.exceptions import ToolError

from events.errors import ResearchError


@contextmanager
def refusing() -> Iterator[None]:
    """Turn our refusals into tool errors with their code and advice; everything else stays masked."""
    try:
        yield
    except ResearchError as refusal:
        raise ToolError(str(refusal)) from None
