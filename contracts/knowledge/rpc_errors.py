"""Contract 03's refusals on the wire: JSON-RPC errors with a number, a string code and what to do next.

Other parts use some of the contract's numbers for things of their own: -32001 is a client library's
own timeout, -32002 was the protocol's missing resource. So the string in `data.code` says what
happened; the number only says in which category.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp.types import CallToolRequestParams
from pydantic import ValidationError as WrongArguments

from contracts.argument_refusals import fault
from contracts.knowledge.shelving import BadCollectionName
from contracts.resource_refusals import KeepReads, wrapped
from events.errors import (
    AlreadyThere,
    BadRequest,
    HomeUnwritable,
    ModelUnavailable,
    PathRefused,
    ResearchError,
    TaskNotFinished,
    UnknownCollection,
    UnknownDocument,
    UnknownProject,
    UnknownTask,
    Unreadable,
)

SYSTEM = -32000
CONFIGURATION = -32001
COLLECTION = -32002
DOCUMENT = -32003
QUERY = -32004

OWN = {
    "query_knowledge_base": QUERY,
    "manage_collections": COLLECTION,
    "ingest_documents": DOCUMENT,
    "manage_projects": CONFIGURATION,
    "augment_knowledge": DOCUMENT,
}
"""The tools of this contract, and what wrong arguments are to each."""

_CATEGORIES: list[tuple[tuple[type[ResearchError], ...], int]] = [
    ((BadCollectionName, UnknownCollection, AlreadyThere), COLLECTION),
    ((UnknownProject, HomeUnwritable), CONFIGURATION),
    ((UnknownDocument, PathRefused, Unreadable, UnknownTask, TaskNotFinished), DOCUMENT),
    ((ModelUnavailable,), QUERY),
]


def rpc_error(refusal: ResearchError, of: int) -> MCPError:
    """A refusal as the contract words it; `of` is the category of the caller's wrong words."""
    return MCPError(_category(refusal, of), refusal.sentence, error_data(refusal))


def _category(refusal: ResearchError, of: int) -> int:
    if isinstance(refusal, AlreadyThere) and "project" in refusal.args[0]:
        return CONFIGURATION
    for kinds, number in _CATEGORIES:
        if isinstance(refusal, kinds):
            return number
    return of if isinstance(refusal, BadRequest) else SYSTEM


def error_data(refusal: ResearchError) -> dict[str, Any]:
    """What a program needs to know of a refusal."""
    return {
        "code": refusal.code,
        "details": refusal.sentence,
        "suggestion": refusal.advice,
    }


@contextmanager
def refusing(of: int) -> Iterator[None]:
    """Turn our refusals into the contract's errors; everything else stays masked.

    Tools take `refusing_call`, resources `refusing_read`.
    """
    try:
        yield
    except ResearchError as refusal:
        raise rpc_error(refusal, of) from None


@contextmanager
def refusing_call(of: int) -> Iterator[None]:
    """The same in a tool: wrapped for `KeepErrors`, because a refusal is no crash to be logged."""
    try:
        yield
    except ResearchError as refusal:
        error = rpc_error(refusal, of)
        raise ToolError(refusal.sentence, log_level=logging.DEBUG) from error


@contextmanager
def refusing_read(of: int) -> Iterator[None]:
    """The same in a resource."""
    try:
        yield
    except ResearchError as refusal:
        error = rpc_error(refusal, of)
        raise wrapped(error) from error


class KeepErrors(KeepReads):
    """Gives errors of this contract's tools and resources back the number and data that they were raised with."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through; what it raised leaves as a JSON-RPC error."""
        own = OWN.get(context.message.name)
        if own is None:
            return await call_next(context)
        try:
            return await call_next(context)
        except (ValidationError, WrongArguments) as wrong:
            refusal = BadRequest(
                f"An argument is wrong: {fault(wrong)}.",
                "Read the tool's schema and call it again.",
            )
            raise rpc_error(refusal, own) from None
        except ToolError as failure:
            if isinstance(failure.__cause__, MCPError):
                raise failure.__cause__ from None
            raise MCPError(SYSTEM, str(failure), _UNEXPECTED) from None


_UNEXPECTED = {
    "code": "internal",
    "details": "The tool failed in a way that it was not made for.",
    "suggestion": "Retry once; then run research-agent doctor and read the server's log.",
}
