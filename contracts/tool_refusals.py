"""Refusals of tools whose contract names no errors of its own."""

import logging
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
        # A refusal is an answer, and nothing that a server has to report of itself.
        raise ToolError(str(refusal), log_level=logging.DEBUG) from None
