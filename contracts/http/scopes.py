"""What a token's scopes allow of the tools: reading for those that only read, writing for the rest.

Judged where a call arrives parsed, so that what was judged is what is run. On stdio nobody is asked: whoever started
the server owns its home.
"""

import logging
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server.dependencies import get_http_request
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp.types import CallToolRequestParams

from contracts.direct_middleware import DirectMiddleware

REFUSED = -32010
"""The JSON-RPC number of whatever a caller may not do; `data.code` says why."""

ADMIN = "admin"
"""The tag of tools that only administrators may call."""


class Scoped(DirectMiddleware):
    """Refuses calls that the caller's token does not allow, before anything else sees them."""

    def __init__(self, mcp: FastMCP[Any]) -> None:
        self._mcp = mcp

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through, or say which scope it lacks."""
        granted = _granted()
        if granted is not None:
            needs = await self._needed(context.message.name)
            if needs not in granted:
                raise _lacking(context.message.name, needs)
        try:
            return await call_next(context)
        except ToolError as failure:
            if isinstance(cause := failure.__cause__, MCPError) and cause.code == REFUSED:
                raise cause from None
            raise

    async def _needed(self, name: str) -> str:
        tool = await self._mcp.get_tool(name)
        if tool is None:
            # Also of the second names that the framework would still look up: nobody judged those.
            raise NotFoundError(f"Unknown tool: {name[:80]!r}")
        if ADMIN in tool.tags:
            return "admin"
        return "read" if tool.annotations and tool.annotations.read_only_hint else "write"


def may(scope: str) -> bool:
    """Whether whoever makes the call that runs now has a scope; without HTTP everybody has them all."""
    granted = _granted()
    return granted is None or scope in granted


def expect(scope: str, what: str) -> None:
    """Refuse, within a tool, what needs more than the tool itself."""
    if not may(scope):
        lacking = _lacking(what, scope)
        # Wrapped for `Scoped`: the framework masks what it does not know.
        raise ToolError(lacking.message, log_level=logging.DEBUG) from lacking


def _lacking(tool: str, needs: str) -> MCPError:
    return MCPError(
        REFUSED,
        f"{tool[:80]} needs a token with the scope {needs!r}.",
        {
            "code": "scope_missing",
            "needs": needs,
            "suggestion": f"Make one: research-agent token add NAME --scope {needs}.",
        },
    )


def _granted() -> frozenset[str] | None:
    """The scopes of the caller; none at all of one whom no guard let in; None without HTTP."""
    try:
        request = get_http_request()
    except RuntimeError:
        return None
    scopes = request.scope.get("state", {}).get("scopes", frozenset())
    return scopes if isinstance(scopes, frozenset) else frozenset()
