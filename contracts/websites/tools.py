"""Contract 04 on an MCP server: pages of the web, processed, asked, listed, refreshed and deleted."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import anyio
from fastmcp import FastMCP
from fastmcp.tools.base import ToolResult
from pydantic import BeforeValidator, Field

from contracts.argument_refusals import KeepShape
from contracts.core import Core
from contracts.declaring import PERHAPS_PACKED, tool
from contracts.http.scopes import may
from contracts.seen_letters import seen
from contracts.websites import markdown as worded
from contracts.websites import shapes as shapes
from contracts.websites.errors import error_of, no_truth_value, wrong_arguments
from contracts.websites.listing import MOST_LISTED
from contracts.websites.pages import WebsiteShelf
from contracts.websites.query import LONGEST_QUERY, MOST_RESULTS, WebsiteQuestions
from contracts.websites.site import MOST_PAGES, process_site
from events.errors import ResearchError
from events.websites import ContentType

READS = {"readOnlyHint": True, "openWorldHint": False}
FETCHES = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True}

TOOLS = frozenset(
    {
        "rag_process_website",
        "rag_query_websites",
        "rag_list_websites",
        "rag_refresh_website",
        "rag_delete_website",
        "rag_get_website_status",
        "rag_process_site",
    }
)

Reply = dict[str, Any]
Number = Annotated[int, BeforeValidator(no_truth_value)]
SourceId = Annotated[Number, Field(description="Database ID of the website")]
Kind = Annotated[
    ContentType,
    Field(
        description="job_posting (company, role, requirements), blog_article (insights, tips) or "
        "company_page (culture, values)"
    ),
]


def _refusal(reply: Reply) -> ToolResult:
    return ToolResult(content=worded.refused(reply), structured_content=reply, is_error=True)


async def _told(
    markdown: Callable[[Reply], str], work: Callable[[], Awaitable[Reply]]
) -> ToolResult:
    """An answer for a person and for a program; a refusal likewise."""
    try:
        reply = seen(await work())
    except ResearchError as refusal:
        return _refusal(seen(error_of(refusal)))
    return ToolResult(content=markdown(reply), structured_content=reply)


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Offer the websites of a data home on a server."""
    mcp.add_middleware(KeepShape(TOOLS, lambda call: _refusal(wrong_arguments(call.fault))))
    shelf = WebsiteShelf(core)
    questions = WebsiteQuestions(core, shelf)
    _declare_changing(mcp, core, shelf)
    _declare_reading(mcp, shelf, questions)


def _declare_changing(mcp: FastMCP[Any], core: Core, shelf: WebsiteShelf) -> None:
    @tool(mcp, annotations=FETCHES | {"idempotentHint": True}, output_schema=shapes.PROCESSED)
    async def rag_process_website(
        url: Annotated[str, Field(description="Website URL to process (HTTP or HTTPS)")],
        content_type: Kind = "job_posting",
        force_refresh: Annotated[
            bool, Field(description="Re-process even if the URL is cached")
        ] = False,
    ) -> ToolResult:
        """Process a website URL into the RAG pipeline: fetch, chunk, embed, store.

        What takes longer than five seconds goes on in the background; poll
        rag_get_website_status. Pages of the public internet only; robots.txt is obeyed.
        """
        return await _told(
            worded.processed,
            lambda: shelf.process(url, content_type, force_refresh=force_refresh),
        )

    @tool(mcp, annotations=FETCHES | {"idempotentHint": True}, output_schema=shapes.SITE)
    async def rag_process_site(
        url: Annotated[str, Field(description="Any page of the site, its sitemap or its feed")],
        max_pages: Annotated[
            Number,
            Field(
                description="Pages to process at most",
                json_schema_extra={"minimum": 1, "maximum": MOST_PAGES},
            ),
        ] = 20,
        content_type: Kind = "company_page",
    ) -> ToolResult:
        """Process the pages of a site: those of its sitemap or feed, else those a page links to.

        Only pages of the same site, politely, in the background.
        """
        return await _told(
            worded.site, lambda: process_site(core, shelf, url, max_pages, content_type)
        )

    @tool(mcp, annotations=FETCHES | {"idempotentHint": True}, output_schema=shapes.REFRESHED)
    async def rag_refresh_website(source_id: SourceId) -> ToolResult:
        """Refresh a previously processed website.

        A page that has not changed is not embedded again. Of one that has, the version before
        stays citable, and citations of words that are gone are named.
        """
        return await _told(worded.refreshed, lambda: shelf.refresh(source_id))

    @tool(
        mcp,
        annotations={"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False},
        output_schema=shapes.DELETED,
    )
    async def rag_delete_website(source_id: SourceId) -> ToolResult:
        """Delete a processed website: no search finds it any more."""
        return await _told(
            worded.deleted, lambda: anyio.to_thread.run_sync(shelf.delete, source_id)
        )


def _declare_reading(mcp: FastMCP[Any], shelf: WebsiteShelf, questions: WebsiteQuestions) -> None:
    @tool(mcp, annotations=READS, output_schema=shapes.FOUND)
    async def rag_query_websites(
        query: Annotated[
            str,
            Field(
                description="Natural language question",
                json_schema_extra={"minLength": 1, "maxLength": LONGEST_QUERY},
            ),
        ],
        max_results: Annotated[
            Number,
            Field(
                description="Results to return at most",
                json_schema_extra={"minimum": 1, "maximum": MOST_RESULTS},
            ),
        ] = 10,
        content_type_filter: Annotated[
            ContentType | None, Field(description="Only pages of this type")
        ] = None,
        source_ids: Annotated[
            list[Number] | None,
            Field(description="Only these websites", max_length=1000),
            PERHAPS_PACKED,
        ] = None,
        include_synthesis: Annotated[
            bool, Field(description="Also put an answer together from the results")
        ] = False,
    ) -> ToolResult:
        """Query processed websites by meaning and words, in English and Japanese.

        Only pages that rag_process_website or rag_process_site brought in; query_knowledge_base finds
        them among everything else. Every result has its source_url and the headings it stands under.
        Scores are distances: 0 is best.
        """
        paid = may("write")

        def ask() -> Reply:
            return questions.answer(
                query,
                max_results,
                content_type_filter,
                source_ids,
                include_synthesis=include_synthesis,
                paid=paid,
            )

        return await _told(worded.answered, lambda: anyio.to_thread.run_sync(ask))

    @tool(mcp, annotations=READS, output_schema=shapes.LISTED)
    async def rag_list_websites(
        content_type: Annotated[
            ContentType | None, Field(description="Filter by content type")
        ] = None,
        status: Annotated[
            Literal["pending", "processing", "completed", "failed"] | None,
            Field(description="Filter by processing status"),
        ] = None,
        limit: Annotated[
            Number,
            Field(
                description="Results of one page",
                json_schema_extra={"minimum": 1, "maximum": MOST_LISTED},
            ),
        ] = 50,
        offset: Annotated[
            Number, Field(description="Where the page begins", json_schema_extra={"minimum": 0})
        ] = 0,
        order_by: Annotated[
            Literal["fetch_timestamp", "url", "status"], Field(description="Sort field")
        ] = "fetch_timestamp",
        order: Annotated[Literal["ASC", "DESC"], Field(description="Sort order")] = "DESC",
    ) -> ToolResult:
        """List all processed websites with filtering and pagination."""

        def look() -> Reply:
            return shelf.listed(content_type, status, limit, offset, order_by, order)

        return await _told(worded.listed, lambda: anyio.to_thread.run_sync(look))

    @tool(mcp, annotations=READS, output_schema=shapes.STATUS)
    async def rag_get_website_status(source_id: SourceId) -> ToolResult:
        """Get current processing status of a website."""
        return await _told(worded.status, lambda: anyio.to_thread.run_sync(shelf.status, source_id))
