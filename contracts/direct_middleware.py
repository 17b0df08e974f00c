"""Middleware that a request passes in one step.

FastMCP leads every message through three hooks of every middleware, and most of them only pass it on: with several
contracts on one server that took longer than a small answer itself. Ours have to do with one kind of request each.
"""

from typing import Any

from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext


class DirectMiddleware(Middleware):
    """Calls the one hook that a request is for; has no hooks for messages in general."""

    def __init_subclass__(cls) -> None:
        """Refuse a hook that would never be called."""
        known = {"on_call_tool", "on_read_resource", "on_get_prompt"}
        if lost := {name for name in vars(cls) if name.startswith("on_")} - known:
            raise TypeError(f"{cls.__name__}: nothing leads to {', '.join(sorted(lost))}")

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Let a request through its hook, and everything else through at once."""
        # What comes as a mapping never became a request: the protocol refuses it, and no hook is for that.
        if not isinstance(context.message, dict):
            match context.method:
                case "tools/call":
                    return await self.on_call_tool(context, call_next)
                case "resources/read":
                    return await self.on_read_resource(context, call_next)
                case "prompts/get":
                    return await self.on_get_prompt(context, call_next)
        return await call_next(context)
