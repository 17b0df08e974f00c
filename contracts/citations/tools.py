"""Contract 05 on an MCP server: papers found again by citekey and page.

Refusals are answers in the contract's shape, marked as errors, and every answer carries the
correlation id that the record has, too.
"""

import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, cast

import anyio
from fastmcp import Context, FastMCP
from fastmcp.tools.base import ToolResult
from mcp.types import InputRequiredResult
from pydantic import Field

from contracts.allowed_paths import allowed_roots
from contracts.citations import asking as citations
from contracts.citations import bibliography, project_looks
from contracts.citations import ingest as citations_ingest
from contracts.citations import shapes as shapes
from contracts.citations.asking import Projects, Recording, TookTooLong
from contracts.citations.orders import wants_roots
from contracts.citations.refusals import as_result, keep_shape, refused
from contracts.core import Core
from contracts.declaring import PERHAPS_PACKED, tool
from contracts.knowledge.tools import client_roots
from contracts.seen_letters import seen
from events.errors import ResearchError

READS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {
    "readOnlyHint": False,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": True,
}
Reply = dict[str, Any]

Project = Annotated[str, Field(description="Project identifier, such as citeloom/clean-arch")]
Text = Annotated[str, Field(description="Query text")]
TopK = Annotated[int, Field(description="Maximum results, capped per project")]
Filter = Annotated[
    dict[str, Any] | None,
    Field(
        description='Narrows the search, e.g. {"tags": ["architecture"], "section_prefix": "Part I", '
        '"citekey": "martin2017", "page": 12, "year": [2010, 2020], "section": "Entities"}; all tags must '
        "be there; also doc_ids and language"
    ),
    PERHAPS_PACKED,
]
FullText = Annotated[bool, Field(description="Also return each passage whole, as full_text")]
Keys = Annotated[
    list[str] | None,
    Field(description="Citekeys, in the order they are cited"),
    PERHAPS_PACKED,
]
Chunks = Annotated[list[str] | None, Field(description="chunk_id of query results"), PERHAPS_PACKED]


def declare(mcp: FastMCP[Any], core: Core, projects: Projects | None = None) -> None:
    """Offer the projects of a data home on a server."""
    projects = projects or Projects(core)
    mcp.add_middleware(keep_shape(projects))
    _declare_ingest(mcp, projects)
    _declare_queries(mcp, projects)
    _declare_looks(mcp, projects)
    _declare_citing(mcp, projects)


def _declare_ingest(mcp: FastMCP[Any], projects: Projects) -> None:
    core = projects.core

    @tool(mcp, annotations=ADDS, output_schema=shapes.INGESTED)
    async def ingest_from_source(
        project: Project,
        source: Annotated[
            str,
            Field(
                description="Path of a document or folder, or zotero (also zotero?collection=KEY&tag=x)"
            ),
        ],
        ctx: Context,
        options: Annotated[
            dict[str, Any] | None,
            Field(
                description="ocr_languages, references_path (CSL-JSON, BibTeX or RIS), force_rebuild, "
                "zotero_collection, zotero_tags, zotero_library"
            ),
            PERHAPS_PACKED,
        ] = None,
    ) -> ToolResult | InputRequiredResult:
        """Ingest documents from files or Zotero collections into a project collection.

        For papers that are to be cited; other documents are for ingest_documents.
        Documents get the citekey, DOI, year and authors of their reference. Unchanged ones are skipped;
        what takes longer than 15 seconds goes on as a job, and the answer says so.
        """
        named = None
        if wants_roots(core.settings, source):
            named = await client_roots(ctx)
        if isinstance(named, InputRequiredResult):
            return named

        async def act(correlation_id: str) -> Reply:
            return await citations_ingest.ingest_from_source(
                projects,
                project,
                source,
                options,
                correlation_id=correlation_id,
                roots=allowed_roots(core.settings, named),
                progress=ctx.report_progress,
            )

        return await _answered("ingest_from_source", citations_ingest.INGEST_WITHIN, act)


def _declare_queries(mcp: FastMCP[Any], projects: Projects) -> None:
    async def ask(tool: str, seconds: float, project: str, **options: Any) -> ToolResult:
        correlation_id, text, mode = str(uuid.uuid4()), options.pop("text"), citations.MODES[tool]
        recording = Recording(projects, text, mode, correlation_id)

        async def act(_: str) -> Reply:
            def look() -> Reply:
                found = projects.query(project, text, mode, recording=recording, **options)
                return cast(Reply, seen(found))

            return await anyio.to_thread.run_sync(look, abandon_on_cancel=True)

        return await _answered(tool, seconds, act, correlation_id, recording.refuse)

    @tool(mcp, annotations=READS, output_schema=shapes.DENSE)
    async def query(
        project: Project,
        text: Text,
        top_k: TopK = citations.DEFAULT_TOP_K,
        filters: Filter = None,
        include_full_text: FullText = False,
    ) -> ToolResult:
        """Dense-only vector search in a project, with citekey, section and pages of each passage.

        By meaning alone; query_hybrid also finds names, numbers and rare words, and is the one to begin with.
        """
        return await ask(
            *("query", citations.QUERY_WITHIN, project),
            text=text,
            top_k=top_k,
            filters=filters,
            full_text=include_full_text,
        )

    @tool(mcp, annotations=READS, output_schema=shapes.HYBRID)
    async def query_hybrid(
        project: Project,
        text: Text,
        top_k: TopK = citations.DEFAULT_TOP_K,
        filters: Filter = None,
        include_full_text: FullText = False,
    ) -> ToolResult:
        """Hybrid search in a project: words (BM25) and meaning, fused by reciprocal rank (RRF).

        For papers that ingest_from_source brought in: each passage has its citekey, section and pages, and
        its chunk_id is what cite takes. Beyond one project, query_knowledge_base searches everything.
        """
        return await ask(
            *("query_hybrid", citations.HYBRID_WITHIN, project),
            text=text,
            top_k=top_k,
            filters=filters,
            full_text=include_full_text,
        )


def _declare_looks(mcp: FastMCP[Any], projects: Projects) -> None:
    @tool(mcp, annotations=READS, output_schema=shapes.INSPECTED)
    async def inspect_collection(
        project: Project,
        sample: Annotated[int, Field(description="Sample payloads to return, at most 5")] = 0,
    ) -> ToolResult:
        """Inspect a project's collection: model bindings, structure, how many pages have text, jobs under way."""

        def look() -> Reply:
            return project_looks.inspect_collection(projects, project, sample)

        return await _looked("inspect_collection", citations.INSPECT_WITHIN, look)

    @tool(mcp, annotations=READS, output_schema=shapes.PROJECTS)
    async def list_projects() -> ToolResult:
        """List all configured projects with their collection and models; manage_projects creates them."""
        return await _looked("list_projects", None, lambda: project_looks.list_projects(projects))


def _declare_citing(mcp: FastMCP[Any], projects: Projects) -> None:
    @tool(mcp, annotations=READS, output_schema=shapes.CITED)
    async def cite(
        project: Project,
        citekeys: Keys = None,
        chunk_ids: Chunks = None,
        style: Annotated[
            str, Field(description="CSL style, such as apa, ieee, nature or chicago-author-date")
        ] = bibliography.DEFAULT_STYLE,
        locale: Annotated[str, Field(description="Language of the citation, such as de-DE")] = "",
        format: Annotated[Literal["text", "html"], Field(description="text or html")] = "text",
    ) -> ToolResult:
        """Format citations and their bibliography in any of the common CSL styles."""

        def look() -> Reply:
            return bibliography.cite(
                projects, project, citekeys, chunk_ids, style, locale=locale, form=format
            )

        return await _looked("cite", citations.HYBRID_WITHIN, look)

    @tool(mcp, annotations=READS, output_schema=shapes.EXPORTED)
    async def export_references(
        project: Project,
        citekeys: Keys = None,
        chunk_ids: Chunks = None,
        task_id: Annotated[
            str | None, Field(description="A finished research, whose report cites the project")
        ] = None,
        format: Annotated[
            Literal["csl-json", "bibtex", "ris"], Field(description="csl-json, bibtex or ris")
        ] = "csl-json",
    ) -> ToolResult:
        """Export references of a project: those named, those a report cites, or all of them."""

        def look() -> Reply:
            return bibliography.export(projects, project, citekeys, chunk_ids, task_id, format)

        return await _looked("export_references", citations.HYBRID_WITHIN, look)


# -- answers ---------------------------------------------------------------------------------------


async def _looked(tool: str, seconds: float | None, look: Callable[[], Reply]) -> ToolResult:
    async def act(_: str) -> Reply:
        return await anyio.to_thread.run_sync(look, abandon_on_cancel=True)

    return await _answered(tool, seconds, act)


_DONE = {
    "ingest_from_source": (
        "What was accepted until then goes on as a job.",
        "inspect_collection lists jobs that are under way; ingesting the same again is harmless.",
    ),
    "inspect_collection": (
        "Nothing was changed.",
        "Ask again: what it looks at is loaded by then. A smaller sample is quicker.",
    ),
    "cite": ("Nothing was changed.", "Ask again, for fewer of them at once."),
    "export_references": ("Nothing was changed.", "Ask again, for fewer of them at once."),
}
_ASKED = ("Nothing was changed.", "Ask again: models and index files are loaded by then.")


async def _answered(
    tool: str,
    seconds: float | None,
    act: Callable[[str], Awaitable[Reply]],
    correlation_id: str = "",
    refuse: Callable[[Exception], None] = lambda _: None,
) -> ToolResult:
    """An answer or a refusal, in time and with its correlation id."""
    correlation_id = correlation_id or str(uuid.uuid4())
    try:
        with anyio.move_on_after(seconds):
            return as_result(await act(correlation_id), correlation_id)
        raise TookTooLong(tool, seconds, *_DONE.get(tool, _ASKED))
    except ResearchError as refusal:
        refuse(refusal)
        return as_result(refused(refusal, correlation_id), correlation_id, wrong=True)
