"""Contract 03 on an MCP server: prompts, and the completion of names."""

from typing import Annotated, Any

from fastmcp import FastMCP
from fastmcp.prompts.base import PromptResult
from fastmcp.server.middleware import CallNext, MiddlewareContext
from mcp import MCPError
from mcp.types import INVALID_PARAMS, Completion, CompletionArgument, GetPromptRequestParams
from pydantic import Field

from actors.shelves import first_names
from contracts.core import Core
from contracts.declaring import prompt
from contracts.direct_middleware import DirectMiddleware
from contracts.knowledge import shelving
from contracts.knowledge.rpc_errors import CONFIGURATION, error_data, refusing
from events.errors import BadRequest

_COMPLETED = 100
"""Names that are offered at once."""


class NeedArguments(DirectMiddleware):
    """Says which argument of a prompt is missing; else that would be a fault of the server."""

    def __init__(self, mcp: FastMCP[Any]) -> None:
        self._mcp = mcp

    async def on_get_prompt(
        self,
        context: MiddlewareContext[GetPromptRequestParams],
        call_next: CallNext[GetPromptRequestParams, PromptResult],
    ) -> PromptResult:
        """Let a request through that has what it needs."""
        asked = context.message
        prompt = await self._mcp.get_prompt(asked.name)
        needed = [each.name for each in (prompt and prompt.arguments) or () if each.required]
        if missing := [name for name in needed if name not in (asked.arguments or {})]:
            refusal = BadRequest(
                f"The prompt {asked.name} needs {' and '.join(missing)}.", "Give it as argument."
            )
            raise MCPError(INVALID_PARAMS, refusal.sentence, error_data(refusal))
        return await call_next(context)


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Offer the prompts, and complete the names that they and the resources take."""
    mcp.add_middleware(NeedArguments(mcp))

    @prompt(mcp)
    def refine_query(
        query: Annotated[str, Field(description="The question as it is now")],
        collection: Annotated[
            str, Field(description="The collection to search; all of them if empty")
        ] = "",
    ) -> str:
        """Turn a vague question into one that the knowledge base can answer."""
        named = f", collections={collection!r}" if collection else ""
        names = [each["name"] for each in shelving.list_collections(core)]
        there = first_names(names, "none yet")
        return REFINE.format(query=query, named=named, there=there)

    @prompt(mcp)
    def extract_context(
        document: Annotated[str, Field(description="The text that is being worked on")],
        task: Annotated[str, Field(description="What is to be done with it")] = "",
    ) -> str:
        """Find what the knowledge base knows about a text that is being worked on."""
        wanted = f"\n\nThe task: {task}" if task else ""
        return EXTRACT.format(document=document, wanted=wanted)

    @mcp.completion
    def complete(ref: Any, argument: CompletionArgument, context: Any) -> Completion | None:
        """Names of collections, projects and documents that begin as what was typed."""
        with refusing(CONFIGURATION):
            return completed(core, ref, argument)


REFINE = """Refine this question until the knowledge base answers it well:

> {query}

1. Call query_knowledge_base(query=…{named}).
2. Read query_refinement. If its status is "optimal", answer from the results and name the source and
   heading path of each statement.
3. If it is "too_broad", add one of its suggestions that fits what is meant, and search again.
4. If it is "clarification_needed", rephrase with words of the suggestions and of the results' headings;
   ask the user when the results show two different meanings.
5. Stop after three rounds, and say what could not be found.

Existing collections: {there}."""

EXTRACT = """Below is a text that is being worked on. Find what the knowledge base knows about it.

1. List the three to five things that the text depends on or leaves open, each as a short question.
2. For each call query_knowledge_base(query=…, document_context=…) with the paragraph it comes from as
   document_context.
3. Give for each question the passages that matter, word for word, with source_document and header_path;
   leave out results below "Relevant".
4. Name contradictions between the text and the passages.{wanted}

The text:

{document}"""


# -- completions -----------------------------------------------------------------------------------

_COLLECTIONS = {"collection", "collections", "collection_name", "name"}
_PROJECTS = {"project", "project_name"}


def completed(core: Core, ref: Any, argument: CompletionArgument) -> Completion | None:
    """What an argument may become; nothing where its values are anybody's."""
    state = core.catalogue.state()
    if argument.name in _PROJECTS:
        names = set(state.projects)
    elif argument.name in _COLLECTIONS:
        names = set(state.collections)
    elif argument.name == "id" and str(getattr(ref, "uri", "")).startswith("kb://documents"):
        held = list(state.published)
        names = {document for collection, document in held if collection in state.collections}
    else:
        return None
    # Of a list, the last name is the one that is being typed.
    before, comma, typed = argument.value.rpartition(",")
    begun = typed.strip().casefold()
    fitting = sorted(name for name in names if name.casefold().startswith(begun))
    return Completion(
        values=[f"{before}{comma}{name}" for name in fitting[:_COMPLETED]],
        total=len(fitting),
        has_more=len(fitting) > _COMPLETED,
    )
