"""The composition root: reads settings, builds the MCP server over a data home, runs it.

`build_server` declares the tools over whatever core it is given; `main` is what MCP clients start. Nothing heavy is
imported here: the server answers `tools/list` without ray, duckdb or a model.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, Any

# Before fastmcp is imported: it reads its settings then. No network at start, no chatter on stderr.
os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams
from pydantic import Field

from contracts import deep_research, knowledge
from contracts import research as research_contract
from contracts.core import Core
from contracts.research import Depth, ResearchConstraints
from contracts.settings import Settings
from events.errors import ResearchError
from events.logs import start_logging
from events.secrets import learn_secrets

INSTRUCTIONS = """Deep research and a knowledge base in which every answer can be traced and verified.
Ingest documents first with ingest_documents; then ask with research (waits for the answer) or
start_deep_research (goes on in the background when it takes long; poll check_research_status)."""

Query = Annotated[
    str,
    Field(
        description="Research question or topic to investigate",
        # Shown to clients, checked by the contract: it has its own words for a bad query.
        json_schema_extra={"minLength": 3, "maxLength": 10000},
    ),
]
TaskId = Annotated[
    str,
    Field(
        description="Task UUID from start_deep_research",
        json_schema_extra={"pattern": deep_research.TASK_ID},
    ),
]
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
READS = {"readOnlyHint": True, "openWorldHint": False}


@contextmanager
def refusing() -> Iterator[None]:
    """Turn our refusals into tool errors with their code and advice; everything else stays masked."""
    try:
        yield
    except ResearchError as refusal:
        raise ToolError(str(refusal)) from None


class Prewarm(Middleware):
    """Brings the engine up in the background once the first call is answered."""

    def __init__(self, core: Core) -> None:
        self._core: Core | None = core

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through; after the first one, start what the next may need."""
        try:
            return await call_next(context)
        finally:
            if core := self._core:
                self._core = None
                _quietly_wake(core)


def _quietly_wake(core: Core) -> None:
    try:
        core.wake_engine()
    except (ResearchError, OSError):
        return  # The call that needs it will say so.


def build_server(core: Core) -> FastMCP[Any]:
    """The tools, over whichever core they are given."""
    middleware = [Prewarm(core)] if core.settings.prewarm else []
    mcp: FastMCP[Any] = FastMCP(
        "research-agent",
        version=version("research-agent"),
        instructions=INSTRUCTIONS,
        mask_error_details=True,
        middleware=middleware,
    )

    @mcp.tool(annotations={"readOnlyHint": False, "openWorldHint": True})
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
            Field(description="The same key never starts a second task", max_length=200),
        ] = None,
    ) -> dict[str, Any]:
        """Start a deep research task with hybrid sync-to-async execution.

        Waits a while for the result; what takes longer goes on in the background, survives restarts
        of client, server and engine, and is found again by its task id.
        """
        return await deep_research.start(
            core, query, max_wait_hours, model, ctx.report_progress, idempotency_key
        )

    @mcp.tool(annotations=READS)
    def check_research_status(task_id: TaskId) -> dict[str, Any]:
        """Check status of a running deep research task. Zero token cost: reads the record alone."""
        return deep_research.status(core, task_id)

    @mcp.tool(annotations=READS)
    def get_research_results(
        task_id: TaskId,
        include_sources: Annotated[
            bool, Field(description="Include source list in response")
        ] = True,
    ) -> dict[str, Any]:
        """Retrieve completed research results. Zero token cost: reads the record alone."""
        return deep_research.results(core, task_id, include_sources=include_sources)

    @mcp.tool(annotations={"destructiveHint": True, "idempotentHint": True})
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

    @mcp.tool(annotations=READS)
    def list_research_tasks(
        status: Annotated[
            str | None,
            Field(description="pending, running, completed, failed, cancelled or quarantined"),
        ] = None,
        limit: Annotated[int, Field(description="At most this many, up to 200")] = 50,
        cursor: Annotated[str | None, Field(description="next_cursor of the page before")] = None,
    ) -> dict[str, Any]:
        """List the research tasks of this data home, newest first."""
        return deep_research.listing(core, status, limit, cursor)

    @mcp.tool(annotations={"readOnlyHint": False, "openWorldHint": True})
    async def research(
        question: Annotated[
            str,
            Field(
                description="The question to investigate",
                json_schema_extra={"minLength": 1, "maxLength": 500},
            ),
        ],
        ctx: Context,
        context: Annotated[
            str | None,
            Field(
                description="What the caller already knows", json_schema_extra={"maxLength": 2000}
            ),
        ] = None,
        depth: Annotated[Depth, Field(description="How thoroughly to research")] = "balanced",
        constraints: Annotated[
            ResearchConstraints | None, Field(description="Fine-grained control")
        ] = None,
    ) -> dict[str, Any]:
        """Research a question and return a grounded answer with verbatim evidence.

        Every citation carries the exact passage, where it stands and the hash of its source; what could
        not be found is named as a gap; the confidence comes with the factors it was computed from.
        """
        with refusing():
            brief = research_contract.brief_for(question, context, depth, constraints)
            return await research_contract.research(core, brief, ctx.report_progress)

    @mcp.tool(annotations={"readOnlyHint": False, "idempotentHint": True})
    async def ingest_documents(
        path: Annotated[str, Field(description="File or folder path")],
        collection: Annotated[str, Field(description="Target collection name")],
        ctx: Context,
        recursive: Annotated[bool, Field(description="Process folders recursively")] = False,
    ) -> dict[str, Any]:
        """Add documents or folders to the knowledge base.

        Unchanged files are skipped by their content; a job that takes longer goes on in the background.
        """
        with refusing():
            return await knowledge.ingest(
                core, path, collection, recursive=recursive, progress=ctx.report_progress
            )

    return mcp


def create_server() -> FastMCP[Any]:
    """The server over the data home that the environment names; for `fastmcp run`."""
    settings = Settings.from_environment()
    learn_secrets()
    start_logging(settings.log_level)
    return build_server(Core(settings))


def main(arguments: list[str] | None = None) -> int:
    """Serve MCP on stdio, or on loopback HTTP with --http."""
    parser = argparse.ArgumentParser(prog="research-agent serve", description=main.__doc__)
    parser.add_argument("--http", action="store_true", help="streamable HTTP instead of stdio")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8765)
    options = parser.parse_args(arguments)
    try:
        server = create_server()
    except ResearchError as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 2
    if not options.http:
        server.run("stdio", show_banner=False)
        return 0
    if options.host not in LOOPBACK:
        # Nobody is asked who they are: what listens elsewhere would be everybody's.
        sys.stderr.write("research-agent: --http serves loopback only. Use 127.0.0.1.\n")
        return 2
    server.run(
        "http",
        show_banner=False,
        host=options.host,
        port=options.port,
        stateless_http=True,
        host_origin_protection=True,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
