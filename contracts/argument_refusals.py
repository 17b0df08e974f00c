"""How a contract's tools answer for arguments that fit none of them, in the contract's own shape.

Such a call never reaches the tool: the server refuses it before, in the protocol's words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp.types import CallToolRequestParams
from pydantic import ValidationError as WrongArguments

from contracts.direct_middleware import DirectMiddleware


@dataclass(frozen=True)
class WrongCall:
    """A call whose arguments do not fit its tool."""

    tool: str
    fault: str
    """Which argument is wrong, and why; without what it was."""

    arguments: Mapping[str, Any] = field(repr=False)
    """As they came: of any type and length."""


class KeepShape(DirectMiddleware):
    """Answers for calls of some tools that could not be made, or that broke."""

    def __init__(
        self,
        tools: frozenset[str],
        malformed: Callable[[WrongCall], ToolResult],
        broken: Callable[[str], ToolResult] | None = None,
    ) -> None:
        """`malformed` is told which call could not be made, `broken` which tool failed."""
        self._tools, self._malformed, self._broken = tools, malformed, broken

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Let a call through; answer for one that does not fit its tool."""
        if context.message.name not in self._tools:
            return await call_next(context)
        try:
            return await call_next(context)
        except (ValidationError, WrongArguments) as wrong:
            said = context.message
            return self._malformed(WrongCall(said.name, fault(wrong), said.arguments or {}))
        except ToolError:
            if self._broken is None:
                raise
            return self._broken(context.message.name)


def fault(wrong: ValidationError | WrongArguments) -> str:
    """Which argument is wrong, and why."""
    cause = wrong if isinstance(wrong, WrongArguments) else wrong.__cause__
    if not isinstance(cause, WrongArguments):
        return " ".join(str(wrong).split())[:200]
    first = cause.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))[:80]}: {first['msg'][:200]}"
