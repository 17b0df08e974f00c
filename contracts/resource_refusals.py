"""How a resource refuses: by an error of the protocol with a number and data, which is no crash in the log."""

import logging

from fastmcp.exceptions import ResourceError
from fastmcp.resources.base import ResourceResult
from fastmcp.server.middleware import CallNext, MiddlewareContext
from mcp import MCPError
from mcp.types import ReadResourceRequestParams

from contracts.direct_middleware import DirectMiddleware


def wrapped(error: MCPError) -> ResourceError:
    """What a resource raises from an error for `KeepReads`: the error itself would be logged as a crash."""
    return ResourceError(str(error), log_level=logging.DEBUG)


class KeepReads(DirectMiddleware):
    """Gives errors of resources back the number and data that they were raised with."""

    async def on_read_resource(
        self,
        context: MiddlewareContext[ReadResourceRequestParams],
        call_next: CallNext[ReadResourceRequestParams, ResourceResult],
    ) -> ResourceResult:
        """Let a reading through; what it raised leaves as a JSON-RPC error."""
        try:
            return await call_next(context)
        except ResourceError as failure:
            if isinstance(failure.__cause__, MCPError):
                raise failure.__cause__ from None
            raise
