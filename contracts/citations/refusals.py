"""Contract 05: how its answers and refusals look, whoever refuses."""

import json
import uuid
from typing import Any

from fastmcp.tools.base import ToolResult

from contracts.argument_refusals import KeepShape, WrongCall
from contracts.citations.asking import MODES, Projects, Recording, TookTooLong, UnexpectedFailure
from events.errors import BadRequest, ResearchError

Reply = dict[str, Any]

TOOLS = frozenset(
    {
        *("ingest_from_source", "query", "query_hybrid", "inspect_collection", "list_projects"),
        *("cite", "export_references"),
    }
)


def keep_shape(projects: Projects) -> KeepShape:
    """Gives refusals of this contract's tools its shape also where the tool was never reached."""

    def answer(refusal: ResearchError, correlation_id: str) -> ToolResult:
        return as_result(refused(refusal, correlation_id), correlation_id, wrong=True)

    def malformed(call: WrongCall) -> ToolResult:
        correlation_id = str(uuid.uuid4())
        refusal = BadRequest(f"{call.fault}.", "Read the tool's schema and call it again.")
        if mode := MODES.get(call.tool):
            # A question like any other that is refused; what is no text is none, and is not kept.
            text = call.arguments.get("text")
            asked = text if isinstance(text, str) else ""
            Recording(projects, asked, mode, correlation_id).refuse(refusal)
        return answer(refusal, correlation_id)

    return KeepShape(
        TOOLS, malformed, lambda tool: answer(UnexpectedFailure(tool), str(uuid.uuid4()))
    )


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
