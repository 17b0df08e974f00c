"""Contract 02 as a client sees it: its tools, declared on a server."""

from typing import Annotated, Any

from fastmcp import Context, FastMCP
from pydantic import Field, WithJsonSchema

from contracts.core import Core
from contracts.declaring import PERHAPS_PACKED, tool
from contracts.research import calls as research_contract
from contracts.research import continuing
from contracts.research.calls import Depth, ResearchConstraints
from contracts.research.shapes import RESULT
from contracts.tool_refusals import refusing

RESEARCHES = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True}
"""Left out, `destructiveHint` means that something may be lost; a research only adds."""

# Spelled out in place: some clients do not follow references, and a server that has any must import a library to
# resolve them before it can list its tools.
_CONSTRAINTS = {
    "anyOf": [ResearchConstraints.model_json_schema(), {"type": "null"}],
    "description": "Fine-grained control",
}


def declare(mcp: FastMCP[Any], core: Core) -> None:
    """Put the contract's tools on a server."""

    @tool(mcp, annotations=RESEARCHES, output_schema=RESULT)
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
            ResearchConstraints | None,
            WithJsonSchema(_CONSTRAINTS),
            PERHAPS_PACKED,
        ] = None,
        orchestrate: Annotated[
            bool | None,
            Field(
                description="Send further researchers after discoveries and urgent open questions, "
                "within the same budget; by default only when depth is deep"
            ),
        ] = None,
    ) -> dict[str, Any]:
        """Research a question and return a grounded answer with verbatim evidence.

        Every citation carries the exact passage, where it stands and the hash of its source; what could
        not be found is named as a gap; the confidence comes with the factors it was computed from.
        Waits until it is done: seconds over what was ingested, minutes on the web. If the wait is cut off,
        the research goes on: look for it with list_research_tasks before asking again. To look passages up
        without an answer, query_knowledge_base is quicker; what may take long is for start_deep_research.
        """
        with refusing():
            brief = research_contract.brief_for(
                question, context, depth, constraints, orchestrate=orchestrate
            )
            return await research_contract.research(core, brief, ctx.report_progress)

    @tool(mcp, annotations=RESEARCHES, output_schema=RESULT)
    async def continue_research(
        task_id: Annotated[
            str, Field(description="An ended research: finished, out of budget, or cancelled")
        ],
        extra_budget: Annotated[
            int,
            Field(
                description="Tokens that may be used on top; a Gemini job cannot be limited, and the "
                "result says when it took more",
                json_schema_extra={"minimum": 1, "maximum": continuing.MOST_BUDGET},
            ),
        ],
        ctx: Context,
        focus: Annotated[
            str | None,
            Field(
                description="What to find out more about; what was left open without it",
                json_schema_extra={"maxLength": 500},
            ),
        ] = None,
    ) -> dict[str, Any]:
        """Continue a finished research task from its evidence and return the whole new answer.

        A new task starts from every page, quotation and search of the earlier one; nothing of that is fetched,
        searched or paid for again. The result has the same form as that of research; if the wait for it is cut
        off, list_research_tasks has the new task.
        """
        with refusing():
            return await continuing.continue_research(
                core, task_id, extra_budget, focus, ctx.report_progress
            )
