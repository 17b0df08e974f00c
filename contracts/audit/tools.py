"""The audit as a client sees it: one tool over the tables of every trace."""

from typing import Annotated, Any

import anyio
from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from pydantic import Field

from contracts.audit import asking as contract
from contracts.core import Core
from contracts.declaring import tool
from contracts.research.shapes import ROWS
from contracts.tool_refusals import refusing
from projections.audit import Audit

_ASKING = 4
"""Threads that answer questions, or wait for their turn."""


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Put the audit of a data home on a server."""
    audit = Audit(core.home, ahead=True)
    # Of its own: whoever waits for an answer keeps no other tool waiting.
    asking = anyio.CapacityLimiter(_ASKING)

    @tool(
        mcp,
        annotations={"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
        output_schema=ROWS,
    )
    async def audit_traces(
        sql: Annotated[
            str | None,
            Field(
                description="One SELECT (DuckDB SQL) over the tables events, tasks, researchers, "
                "calls, sources, citations, claims, gaps, discoveries, questions, documents, chunks, "
                "ingests, ingest_files, queries, costs and faults; DESCRIBE a table for its columns"
            ),
        ] = None,
        name: Annotated[
            str | None,
            Field(description="Instead of SQL, a named query: " + ", ".join(audit.named)),
        ] = None,
        limit: Annotated[
            int,
            Field(
                description="Rows to return at most",
                json_schema_extra={"minimum": 1, "maximum": contract.MOST_ROWS},
            ),
        ] = contract.DEFAULT_ROWS,
        as_of: Annotated[
            str | None,
            Field(
                description="Answer as things stood at a time (ISO 8601) or after an event "
                "(STREAM:SEQ, or the hash of its line)"
            ),
        ] = None,
    ) -> ToolResult:
        """Ask the record of every research and ingest in SQL: what happened, what it cost, what it rests on.

        Read-only: nothing but the audit tables can be reached. A query that takes too long or too much
        memory is stopped and says so.
        """
        with refusing():
            question = contract.one_of(sql, name)
            reply = await anyio.to_thread.run_sync(
                contract.answer,
                audit,
                question,
                limit,
                as_of,
                abandon_on_cancel=True,
                limiter=asking,
            )
        return ToolResult(content=contract.markdown(reply), structured_content=reply)
