"""Proof and ground truth as a client sees them: `verify_research` and `rate_research`, declared on a server."""

from collections.abc import Callable
from typing import Annotated, Any

import anyio
from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from pydantic import Field

from contracts.core import Core
from contracts.declaring import tool
from contracts.deep_research.refusals import TASK_ID
from contracts.evidence import rating
from contracts.http.scopes import expect
from contracts.research.shapes import RATED, VERIFIED
from contracts.seen_letters import seen
from events.errors import ResearchError, ended

Reply = dict[str, Any]
TaskId = Annotated[
    str,
    Field(
        description="Task UUID of a finished research task", json_schema_extra={"pattern": TASK_ID}
    ),
]


async def _told(work: Callable[[], Reply], markdown: Callable[[Reply], str]) -> ToolResult:
    """An answer for a person and for a program, worked out beside the event loop; a refusal likewise."""
    try:
        reply = await anyio.to_thread.run_sync(work)
    except ResearchError as refusal:
        told = {
            "success": False,
            "error": refusal.code,
            "message": refusal.sentence,
            "suggestion": refusal.advice,
        }
        said = f"{ended(refusal.sentence)} {refusal.advice} [{refusal.code}]"
        return ToolResult(content=said, structured_content=told, is_error=True)
    return ToolResult(content=markdown(reply), structured_content=reply)


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Put the tools on a server."""

    @tool(mcp, annotations={"readOnlyHint": True, "openWorldHint": True}, output_schema=VERIFIED)
    async def verify_research(
        task_id: TaskId,
        refetch: Annotated[
            bool,
            Field(
                description="Fetch the cited pages again to see what became of them; "
                "over HTTP this needs a token that may write"
            ),
        ] = False,
    ) -> ToolResult:
        """Check everything that a finished research task cites again, against the stored bytes.

        Offline: the record's hash chain, and for each citation whether its bytes are there, match
        their hash, hold the excerpt word for word, and support the sentences that cite it. With
        refetch also whether each page is unchanged, moved, changed, gone or unreachable now.
        """
        if refetch:
            expect("write", "verify_research with refetch")

        # Imported when it is asked for: it knows languages, and a server must start at once.
        from contracts.evidence import checks as evidence

        def work() -> Reply:
            reply: Reply = seen(
                evidence.as_reply(core, evidence.verify(core, task_id, refetch=refetch))
            )
            return reply

        return await _told(work, evidence.in_markdown)

    @tool(
        mcp,
        annotations={
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        output_schema=RATED,
    )
    async def rate_research(
        task_id: TaskId,
        correct: Annotated[
            bool | float, Field(description="true, false, or how correct it is, from 0 to 1")
        ],
        note: Annotated[
            str | None,
            Field(description="Why", json_schema_extra={"maxLength": rating.NOTE_LENGTH}),
        ] = None,
    ) -> ToolResult:
        """Say how correct the answer of a finished research task turned out to be.

        Rating again replaces the former rating. From 20 ratings on, results carry a calibrated
        confidence beside the raw one.
        """
        return await _told(
            lambda: rating.rate(core, task_id, float(correct), note), rating.in_markdown
        )
