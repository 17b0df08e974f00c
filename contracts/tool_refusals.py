"""Refusals of tools whose contract names no errors of its own."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from fastmcp.exceptions import ToolError
from fastmcp.tools.base import ToolResult

from contracts.argument_refusals import KeepShape, WrongCall
from events.errors import BadRequest, ResearchError

TOOLS = frozenset(
    ("research", "continue_research", "verify_research", "rate_research", "audit_traces")
)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn our refusals into tool errors with their code and advice; everything else stays masked."""
    try:
        yield
    except ResearchError as refusal:
        raise _told(refusal) from None


def keep_words() -> KeepShape:
    """Arguments that do not fit these tools are refused in the same words as everything else."""
    return KeepShape(TOOLS, _malformed)


def _malformed(call: WrongCall) -> ToolResult:
    raise _told(BadRequest(f"{call.fault}.", "Give the arguments that the tool's schema names."))


def _told(refusal: ResearchError) -> ToolError:
    # A refusal is an answer, and nothing that a server has to report of itself.
    return ToolError(str(refusal), log_level=logging.DEBUG)
