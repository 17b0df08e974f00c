"""The composition root: reads settings, builds the MCP server over a data home, runs it.

`build_server` puts the contracts on a server over whatever core it is given; `main` is what MCP clients start. Nothing
heavy is imported here: the server answers `tools/list` without ray, duckdb or a model.
"""

import gc
import logging
import os
import signal
import sys
from importlib.metadata import version
from typing import Any

# Before fastmcp is imported: it reads its settings then. No network at start, no chatter on stderr.
os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

if __name__ == "__main__":
    # Starting leaves next to no garbage; looking for it among all that is imported takes a tenth of the time.
    gc.disable()

from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams

from contracts.audit import tools as audit_tools
from contracts.citations import tools as citations_tools
from contracts.commands.help_page import CommandParser
from contracts.commands.serve_options import HOST, PORT, add_serve_options
from contracts.core import Core
from contracts.deep_research import tools as deep_research_tools
from contracts.direct_middleware import DirectMiddleware
from contracts.evidence import tools as evidence_tools
from contracts.http.scopes import Scoped
from contracts.knowledge import tools as knowledge_tools
from contracts.research import tools as research_tools
from contracts.settings import Settings, is_host_name
from contracts.standard_streams import hold_standard_streams
from contracts.stdio_lines import mend_stdio
from contracts.tool_refusals import keep_words
from contracts.websites import tools as websites_tools
from events.errors import BadRequest, ResearchError
from events.logs import start_logging
from events.secrets import learn_secrets

INSTRUCTIONS = """Deep research and a knowledge base in which every answer can be traced and verified.
To look something up: query_knowledge_base, over everything that was brought in.
To have a question answered with citations: research waits for the answer; start_deep_research goes on
in the background when it takes long (poll check_research_status, then get_research_results).
To bring something in: ingest_documents for files, rag_process_website for pages of the web,
ingest_from_source for papers and Zotero (then query_hybrid and cite), augment_knowledge for a text or a
finished research.
To check an answer: verify_research. To see what happened and what it cost: audit_traces.
Answers name what they could not find as gaps: say so, and do not fill them from memory."""

BY_HAND = (
    "research-agent: MCP on stdio; an MCP client starts this by itself. For a page in the browser: "
    "research-agent serve --http. Ctrl-C ends it.\n"
)


class Prewarm(DirectMiddleware):
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
    """Every contract's tools, over whichever core they are given."""
    mcp: FastMCP[Any] = FastMCP(
        "research-agent",
        version=version("research-agent"),
        instructions=INSTRUCTIONS,
        mask_error_details=True,
    )
    mcp.add_middleware(Scoped(mcp))
    if core.settings.prewarm:
        mcp.add_middleware(Prewarm(core))
    mcp.add_middleware(keep_words())
    for contract in (
        deep_research_tools,
        research_tools,
        knowledge_tools,
        websites_tools,
        citations_tools,
        evidence_tools,
        audit_tools,
    ):
        contract.declare(mcp, core)
    return mcp


def _is_news(record: logging.LogRecord) -> bool:
    # A server that is told twice to end drops what it was at, which is what was wanted.
    return "CancelledError" not in record.getMessage()


def create_server() -> FastMCP[Any]:
    """The server over the data home that the environment names; for `fastmcp run`."""
    return build_server(open_core())


def open_core() -> Core:
    """The data home that the environment names, with this process's keys lent to it."""
    settings = Settings.from_environment()
    learn_secrets()
    start_logging(settings.log_level)
    core = Core(settings)
    core.lend_keys()
    return core


def main(arguments: list[str] | None = None) -> int:
    """Serve MCP on stdio, or MCP and the page over HTTP with --http."""
    try:
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130


def _serve(arguments: list[str] | None) -> int:
    parser = CommandParser(prog="research-agent serve", description=main.__doc__)
    add_serve_options(parser)
    options = parser.parse_args(arguments)
    if not options.http:
        for option in ("host", "port", "allow_host"):
            if getattr(options, option) not in (None, []):
                parser.error(f"--{option.replace('_', '-')} is for HTTP: add --http.")
    try:
        core = open_core()
        server = build_server(core)
        gc.freeze()
        gc.enable()
        if options.http:
            from contracts.http import server as http_server

            if wrong := [name for name in options.allow_host if not is_host_name(name)]:
                raise BadRequest(
                    f"{wrong[0][:80]!r} is not a host name.", "Give it without a port."
                )
            logging.getLogger("uvicorn.error").addFilter(_is_news)
            port = PORT if options.port is None else options.port
            names = tuple(options.allow_host)
            return http_server.serve(
                server, core, HOST if options.host is None else options.host, port, names
            )
    except ResearchError as refusal:
        from contracts.commands.commanding import say

        say(str(refusal))
        return 2
    except OSError as failure:
        where = f"{failure.filename}: " if failure.filename else ""
        why = failure.strerror or failure
        sys.stderr.write(f"research-agent: {where}{why}. Run research-agent doctor.\n")
        return 2
    if sys.stdin.isatty():
        sys.stderr.write(BY_HAND)
        # Nobody can call off the reading of a line, and who is at the keyboard shall not have to end it first.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    mend_stdio()
    server.run("stdio", show_banner=False)
    return 0


if __name__ == "__main__":
    hold_standard_streams()
    sys.exit(main())
