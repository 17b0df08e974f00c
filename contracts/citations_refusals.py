"""Contract 05: how its answers and refusals look, whoever refuses."""

import json
import uuid
from typing import Any

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams
from pydantic import ValidationError as WrongArguments

from contracts.citations import TookTooLong
from events.errors import BadRequest, ResearchError

Reply = dict[str, Any]

TOOLS = frozenset(
    {
        *("ingest_from_source", "query", "query_hybrid", "inspect_collection", "list_projects"),
        *("cite", "export_references"),
    }
)


class UnexpectedFailure(ResearchError):
    """Something broke that should not have: (tool,)."""

    code = "internal_error"
    says = "{0} failed for a reason of its own."
    suggestion = "Try again; if it stays so, run research-agent doctor."


class KeepShape(Middleware):
    """Gives refusals of this contract's tools its shape also where the tool was never reached."""

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through; answer for one that cannot be made, or that broke."""
        if context.message.name not in TOOLS:
            return await call_next(context)
        try:
            return await call_next(context)
        except (ValidationError, WrongArguments) as wrong:
            refusal: ResearchError = BadRequest(
                _fault(wrong), "Read the tool's schema and call it again."
            )
        except ToolError:
            refusal = UnexpectedFailure(context.message.name)
        correlation_id = str(uuid.uuid4())
        return as_result(refused(refusal, correlation_id), correlation_id, wrong=True)


def _fault(wrong: ValidationError | WrongArguments) -> str:
    """Which argument is wrong, and why."""
    cause = wrong if isinstance(wrong, WrongArguments) else wrong.__cause__
    if not isinstance(cause, WrongArguments):
        return " ".join(str(wrong).split())[:200]
    first = cause.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))[:80]}: {first['msg'][:200]}."


def as_result(reply: Reply, correlation_id: str, *, wrong: bool = False) -> ToolResult:
    """An answer with its correlation id, as text and as an object."""
    whole = reply | {"correlation_id": correlation_id}
    return ToolResult(
        content=json.dumps(whole, ensure_ascii=False), structured_content=whole, is_error=wrong
    )


def refused(refusal: ResearchError, correlation_id: str) -> Reply:
    """A refusal in the contract's shape."""
    details: Reply = {"suggestion": refusal.advice}
    if isinstance(refusal, TookTooLong):
        details |= {"timeout_seconds": refusal.args[1], "done": refusal.args[2]}
    return {
        "error": {
            "code": refusal.code.upper(),
            "message": refusal.sentence,
            "details": details | {"correlation_id": correlation_id},
        }
    }
