"""Contract 03 on an MCP server: its five tools and its resources."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Literal

import anyio
from fastmcp import Context, FastMCP
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp.types import (
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
)
from pydantic import Field

from contracts.allowed_paths import allowed_roots
from contracts.commands.terminal import as_json
from contracts.core import Core
from contracts.declaring import Number, tool
from contracts.knowledge import ingesting as knowledge
from contracts.knowledge import markdown as worded
from contracts.knowledge import prompts as knowledge_prompts
from contracts.knowledge import shapes as shapes
from contracts.knowledge import shelving
from contracts.knowledge.documents import document
from contracts.knowledge.querying import (
    LONGEST_QUERY,
    MOST_RESULTS,
    PATIENCE,
    History,
    Librarian,
    QueryTooSlow,
)
from contracts.knowledge.rpc_errors import (
    COLLECTION,
    CONFIGURATION,
    DOCUMENT,
    QUERY,
    KeepErrors,
    refusing_call,
    refusing_read,
)
from contracts.seen_letters import seen

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
JSON = "application/json"

ROOTS_WITHIN = 2.0
"""Seconds that a client has to name its roots."""

_ASKED_ROOTS = "roots"

CollectionName = Annotated[str, Field(description="Target collection name")]
Reply = dict[str, Any]


def shown(markdown: Callable[[Reply], str], reply: Reply) -> ToolResult:
    """An answer for a person and for a program."""
    told = seen(reply)
    return ToolResult(content=markdown(told), structured_content=told)


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Offer the knowledge base of a data home on a server."""
    mcp.add_middleware(KeepErrors())
    librarian = Librarian(core)
    _declare_tools(mcp, core, librarian)
    _declare_resources(mcp, core)
    knowledge_prompts.declare(mcp, core)


# -- tools -----------------------------------------------------------------------------------------


def _declare_tools(mcp: FastMCP[Any], core: Core, librarian: Librarian) -> None:
    @tool(mcp, annotations=READS, output_schema=shapes.ANSWER)
    async def query_knowledge_base(
        query: Annotated[
            str,
            Field(
                description="User's search query",
                # Shown to clients, checked by the contract: it has its own error for a bad query.
                json_schema_extra={"minLength": 1, "maxLength": LONGEST_QUERY},
            ),
        ],
        collections: Annotated[
            str | None,
            Field(
                description="Comma-separated collection names; without them those of the current "
                "project, else all"
            ),
        ] = None,
        top_k: Annotated[
            Number,
            Field(
                description="Number of results to return",
                json_schema_extra={"minimum": 1, "maximum": MOST_RESULTS},
            ),
        ] = 10,
        document_context: Annotated[
            str | None, Field(description="Current document context for enhanced search")
        ] = None,
        as_of: Annotated[
            str | None,
            Field(
                description="Search what the knowledge base held at a time (2026-11-16, "
                "2026-11-16T09:30:00Z) or when an earlier answer was given (catalogue:SEQ, from its "
                "searched.record)"
            ),
        ] = None,
    ) -> ToolResult:
        """Search the knowledge base by meaning and words, with re-ranking.

        The search to begin with: over everything that was brought in, websites and papers included.
        Each result is a passage with its calibrated relevance, its heading path and its exact place in
        its source; the query refinement says whether the question was clear and what to ask instead.
        """

        def answer() -> Reply:
            return librarian.answer(query, collections, top_k, document_context, as_of=as_of)

        with refusing_call(QUERY):
            with anyio.move_on_after(PATIENCE):
                reply = await anyio.to_thread.run_sync(answer, abandon_on_cancel=True)
                return shown(worded.answer, reply)
            raise QueryTooSlow(PATIENCE)

    @tool(
        mcp,
        annotations={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
        output_schema=shapes.COLLECTIONS,
    )
    def manage_collections(
        action: Annotated[
            Literal["create", "list", "delete", "info", "restore"],
            Field(description="create, list, delete, info, or restore of a deleted one"),
        ],
        collection_name: Annotated[
            str | None, Field(description="Required for create, delete, info and restore")
        ] = None,
        collection_type: Annotated[
            Literal["fundamental", "project-specific"] | None,
            Field(description="For create"),
        ] = None,
        project_name: Annotated[
            str | None,
            Field(
                description="create: project to link the new collection to; list: show only its collections; "
                "info, delete, restore: refuse a collection that is not linked to it"
            ),
        ] = None,
    ) -> ToolResult:
        """Create, list, delete, restore and describe knowledge collections.

        What is deleted leaves every search at once, and can be restored.
        """
        with refusing_call(COLLECTION):
            reply = shelving.manage_collections(
                core, action, collection_name, collection_type, project_name
            )
            return shown(worded.collections, reply)

    @tool(mcp, annotations=ADDS | {"idempotentHint": True}, output_schema=shapes.INGESTED)
    async def ingest_documents(
        path: Annotated[str, Field(description="File or folder path")],
        collection: CollectionName,
        ctx: Context,
        recursive: Annotated[bool, Field(description="Process folders recursively")] = False,
    ) -> ToolResult | InputRequiredResult:
        """Add documents or folders to the knowledge base.

        Markdown, text, HTML, PDF, Word, PowerPoint, Excel, CSV, EPUB, mails, notebooks and source code. Papers
        that are to be cited by citekey and page are for ingest_from_source, addresses for rag_process_website.
        Unchanged files are skipped by their content; a job that takes longer goes on in the
        background. Says for each file what became of it.
        """
        named = None if core.settings.roots is not None else await client_roots(ctx)
        if isinstance(named, InputRequiredResult):
            return named
        with refusing_call(DOCUMENT):
            reply = await knowledge.ingest(
                core,
                path,
                collection,
                recursive=recursive,
                progress=ctx.report_progress,
                roots=allowed_roots(core.settings, named),
            )
            return shown(worded.ingested, reply)

    @tool(mcp, annotations=ADDS, output_schema=shapes.PROJECTS)
    def manage_projects(
        action: Annotated[
            Literal["create", "link", "unlink", "set-defaults", "list", "info"],
            Field(description="create, link, unlink, set-defaults, list or info"),
        ],
        project_name: Annotated[str | None, Field(description="Project identifier")] = None,
        collections: Annotated[
            str | None, Field(description="Comma-separated collection names")
        ] = None,
    ) -> ToolResult:
        """Create projects, link collections to them, and set which ones their questions go to.

        A project is also what ingest_from_source brings papers into, and query_hybrid and cite read from.
        """
        with refusing_call(CONFIGURATION):
            reply = shelving.manage_projects(core, action, project_name, collections)
            return shown(worded.projects, reply)

    @tool(mcp, annotations=ADDS, output_schema=shapes.INGESTED)
    async def augment_knowledge(
        content: Annotated[
            str,
            Field(description="Research content to add; with task_id a note above it, or empty"),
        ],
        source: Annotated[
            str, Field(description="Source identifier or URL; with task_id it may be empty")
        ],
        collection: CollectionName,
        ctx: Context,
        title: Annotated[str | None, Field(description="Document title")] = None,
        task_id: Annotated[
            str | None,
            Field(description="A finished research, whose report is added with its sources"),
        ] = None,
    ) -> ToolResult:
        """Add external research to the knowledge base: a text, or the report of a research task."""
        with refusing_call(DOCUMENT):
            reply = await knowledge.augment(
                core,
                content,
                source,
                collection,
                title=title,
                task_id=task_id,
                progress=ctx.report_progress,
            )
            return shown(worded.ingested, reply)


async def client_roots(ctx: Context) -> list[str] | InputRequiredResult | None:
    """The client's roots, as URIs; nothing where it has none, or does not name them in time."""
    request = ctx.request_context
    able = request.session.client_capabilities if request else None
    if request is None or able is None or able.roots is None:
        return None
    if request.protocol_version >= "2026":
        answered = (ctx.input_responses or {}).get(_ASKED_ROOTS)
        if answered is None:
            return InputRequiredResult(input_requests={_ASKED_ROOTS: ListRootsRequest()})
        roots = answered.roots if isinstance(answered, ListRootsResult) else []
        return [str(root.uri) for root in roots]
    with (
        suppress(MCPError),
        anyio.move_on_after(ROOTS_WITHIN),
        warnings.catch_warnings(),
    ):
        # Deprecated by the protocol without a successor.
        warnings.simplefilter("ignore")
        return [str(root.uri) for root in (await request.session.list_roots()).roots]
    return None


# -- resources -------------------------------------------------------------------------------------


def _declare_resources(mcp: FastMCP[Any], core: Core) -> None:
    history = History(core)

    @mcp.resource("kb://collections", mime_type=JSON)
    def collections() -> str:
        """Every collection of the knowledge base."""
        with refusing_read(COLLECTION):
            return as_json({"collections": shelving.list_collections(core)})

    @mcp.resource("kb://collections/{name}", mime_type=JSON)
    def collection(name: str) -> str:
        """One collection: what it holds and how it was made searchable."""
        with refusing_read(COLLECTION):
            return as_json(shelving.described(core, name, whole=True))

    @mcp.resource("kb://documents/{id}", mime_type=JSON)
    def documents(id: str) -> str:
        """One document: its metadata and its text, in every collection that holds it."""
        with refusing_read(DOCUMENT):
            return as_json(document(core, id))

    @mcp.resource("kb://history", mime_type=JSON)
    def queries() -> str:
        """What was asked of the knowledge base, the latest first."""
        with refusing_read(QUERY):
            return as_json({"queries": history.latest()})
