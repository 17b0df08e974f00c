"""Contract 01 as a client sees it: its tools and resources, declared on a server."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import anyio
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp.types import INVALID_PARAMS, CallToolRequestParams
from pydantic import Field

from contracts.announcing import Announcing, Level, Tell
from contracts.argument_refusals import KeepShape, WrongCall
from contracts.core import Core
from contracts.declaring import tool
from contracts.deep_research import calls as deep_research
from contracts.deep_research import results as found
from contracts.deep_research import shapes as shapes
from contracts.deep_research.refusals import TASK_ID, checked, invalid, malformed, refused
from contracts.deep_research.result_pages import Paging
from contracts.deep_research.saving import DEFAULT_FOLDER
from contracts.direct_middleware import DirectMiddleware
from contracts.rendering import Format
from contracts.research.tools import RESEARCHES
from contracts.resource_refusals import KeepReads, wrapped
from contracts.seen_letters import seen
from events.errors import ResearchError

Query = Annotated[
    str,
    Field(
        description="Research question or topic to investigate",
        # Shown to clients, checked by the contract: it has its own words for a bad query.
        json_schema_extra={"minLength": 3, "maxLength": 10000},
    ),
]
EstimatedQuery = Annotated[
    str,
    Field(
        description="Research question to estimate",
        json_schema_extra={"minLength": 3, "maxLength": 10000},
    ),
]
StartedTaskId = Annotated[
    str,
    Field(
        description="Task UUID from start_deep_research",
        json_schema_extra={"pattern": TASK_ID},
    ),
]
TaskId = Annotated[str, Field(description="Task UUID", json_schema_extra={"pattern": TASK_ID})]
READS = {"readOnlyHint": True, "openWorldHint": False}
LOGGER = "research-agent"
TOOLS = frozenset(
    {
        "start_deep_research",
        "check_research_status",
        "get_research_results",
        "cancel_research",
        "estimate_research_cost",
        "save_research_to_markdown",
        "list_research_tasks",
    }
)


@contextmanager
def missing(uri: str) -> Iterator[None]:
    """Turn our refusals into the protocol's answer for a resource that is not there."""
    try:
        yield
    except ResearchError as refusal:
        error = MCPError(INVALID_PARAMS, str(refusal), refused(refusal) | {"uri": uri})
        raise wrapped(error) from error


def _malformed(call: WrongCall) -> ToolResult:
    """The contract answers arguments that do not fit as it answers a malformed query."""
    return ToolResult(structured_content=malformed(call.fault))


class Announce(DirectMiddleware):
    """Tells a client, in the answer to its next call, which researches have ended meanwhile.

    Clients of the older protocol era are told at once; there is no such way in the newer one.
    """

    def __init__(self, announcing: Announcing) -> None:
        self._announcing = announcing

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through, then say what there is to say."""
        result = await call_next(context)
        if context.fastmcp_context:
            for level, text in await self._announcing.due():
                await _say(context.fastmcp_context, level, text)
        return result


async def _say(ctx: Context, level: Level, text: str) -> None:
    # Deprecated by the protocol without a successor; whoever still listens is told.
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        await ctx.log(text, level=level, logger_name=LOGGER)


def _push(ctx: Context) -> Tell | None:
    """A way to tell the client something later, where its connection has one: over HTTP none outlasts its request."""
    request = ctx.request_context
    lasts = ctx.transport != "streamable-http"
    if request is None or not lasts or request.protocol_version >= "2026":
        return None
    session = request.session

    async def tell(level: Level, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await session.send_log_message(level=level, data=text, logger=LOGGER)

    return tell


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Put the contract's tools on a server."""
    announcing = Announcing(core)
    mcp.add_middleware(KeepShape(TOOLS, _malformed))
    mcp.add_middleware(Announce(announcing))
    mcp.add_middleware(KeepReads())

    @tool(mcp, annotations=RESEARCHES, output_schema=shapes.START)
    async def start_deep_research(
        query: Query,
        ctx: Context,
        enable_notifications: Annotated[
            bool, Field(description="Send desktop notification on completion")
        ] = True,
        max_wait_hours: Annotated[
            int,
            Field(
                description="Maximum hours for async research before timeout",
                json_schema_extra={"minimum": 1, "maximum": 24},
            ),
        ] = 8,
        model: Annotated[
            str, Field(description="Gemini model for research")
        ] = deep_research.DEFAULT_MODEL,
        idempotency_key: Annotated[
            str | None,
            Field(description="The same key never starts a second task; not empty", max_length=200),
        ] = None,
    ) -> dict[str, Any]:
        """Start a deep research task with hybrid sync-to-async execution.

        For long research, by Gemini where its key is set; for an answer within this call use research.
        Waits a while for the result; what takes longer goes on in the background, survives restarts
        of client, server and engine, and is found again by its task id: poll check_research_status,
        then call get_research_results.
        """
        reply = await deep_research.start(
            core,
            query,
            max_wait_hours,
            model,
            ctx.report_progress,
            idempotency_key,
            notify=enable_notifications,
        )
        if enable_notifications and reply.get("mode") == "async":
            announcing.expect(reply["task_id"], _push(ctx))
        return reply

    @tool(mcp, annotations=READS, output_schema=shapes.STATUS)
    async def check_research_status(task_id: StartedTaskId) -> dict[str, Any]:
        """Check status of a running deep research task. Zero token cost: reads the record alone."""
        # Clients ask this over and over, and a thread for it takes longer than the answer.
        if (at_hand := deep_research.status_at_hand(core, task_id)) is not None:
            return at_hand
        return await anyio.to_thread.run_sync(deep_research.status, core, task_id)

    @tool(mcp, annotations=READS, output_schema=shapes.RESULTS)
    def get_research_results(
        task_id: TaskId,
        include_sources: Annotated[
            bool, Field(description="Include source list in response")
        ] = True,
        page: Annotated[
            int,
            Field(description="Page of a long result, from 1", json_schema_extra={"minimum": 1}),
        ] = 1,
        page_size: Annotated[
            int | None,
            Field(
                description="Characters of a page, 500 to 1000000: so many of the report, and as many "
                "of sources and evidence; without it the result is whole up to the most"
            ),
        ] = None,
    ) -> dict[str, Any]:
        """Retrieve completed research results. Zero token cost: reads the record alone.

        A cancelled research gives what it had found by then. Also as resources:
        research://tasks/{id}/report.md and research://tasks/{id}/trace.jsonl.
        """
        return deep_research.get_results(
            core, task_id, include_sources=include_sources, paging=Paging(page, page_size)
        )

    @tool(
        mcp,
        annotations={"destructiveHint": True, "idempotentHint": True},
        output_schema=shapes.CANCELLED,
    )
    async def cancel_research(
        task_id: TaskId,
        ctx: Context,
        save_partial: Annotated[
            bool, Field(description="Save partial results before canceling")
        ] = True,
    ) -> dict[str, Any]:
        """Cancel a running research task. Optionally save partial results."""
        return await deep_research.cancel(
            core, task_id, save_partial=save_partial, progress=ctx.report_progress
        )

    @tool(mcp, annotations=READS, output_schema=shapes.ESTIMATE)
    def estimate_research_cost(query: EstimatedQuery) -> dict[str, Any]:
        """Estimate cost and duration before starting research. Analyzes query complexity.

        Learns from the researches of this data home; until there are enough, from published figures.
        """
        return deep_research.estimate(core, query)

    @tool(
        mcp,
        annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
        output_schema=shapes.SAVED,
    )
    def save_research_to_markdown(
        task_id: TaskId,
        output_dir: Annotated[
            str, Field(description="Directory for output files")
        ] = DEFAULT_FOLDER,
        filename_prefix: Annotated[str, Field(description="Prefix for filename")] = "research",
        include_metadata: Annotated[
            bool, Field(description="Include metadata section in output")
        ] = True,
        include_sources: Annotated[
            bool, Field(description="Include sources section in output")
        ] = True,
        format: Annotated[
            Format,
            Field(description="markdown, html (one self-contained page) or json"),
        ] = "markdown",
    ) -> dict[str, Any]:
        """Save completed research to a permanent file: Markdown, a self-contained HTML page, or JSON.

        Zero token cost. Never overwrites a file.
        """
        return deep_research.save(
            core,
            task_id,
            output_dir,
            filename_prefix,
            include_metadata=include_metadata,
            include_sources=include_sources,
            form=format,
        )

    @mcp.resource("research://tasks/{task_id}/report.md", mime_type="text/markdown")
    def report(task_id: str) -> str:
        """The report of a finished research task."""
        with missing(f"research://tasks/{task_id}/report.md"):
            return str(seen(core.views.result(checked(task_id)).report))

    @mcp.resource("research://tasks/{task_id}/trace.jsonl{?stream}", mime_type="application/jsonl")
    def trace(task_id: str, stream: str = "") -> str:
        """The record of a research, line by line; with stream=r1 that of its first researcher."""
        with missing(f"research://tasks/{task_id}/trace.jsonl"):
            return found.trace_of(core, checked(task_id), stream)

    @tool(mcp, annotations=READS, output_schema=shapes.TASKS)
    def list_research_tasks(
        status: Annotated[
            str | None,
            Field(
                description="pending, running, completed, failed, cancelled or quarantined (set aside, "
                "because its record is broken; failed has these too)"
            ),
        ] = None,
        limit: Annotated[
            int,
            Field(
                description="At most this many, from 1; more than 200 are 200",
                json_schema_extra={"minimum": 1},
            ),
        ] = 50,
        cursor: Annotated[str | None, Field(description="next_cursor of the page before")] = None,
    ) -> dict[str, Any]:
        """List the research tasks of this data home, newest first: how a lost task id is found again."""
        if limit < 1:
            return invalid("limit must be 1 or more", "Use a value between 1 and 200")
        return deep_research.listing(core, status, limit, cursor)
