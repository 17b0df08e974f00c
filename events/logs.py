"""Log lines: to stderr, JSON unless a person is watching, never with a secret in them."""

import io
import logging
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from events.secrets import redact_value


def _mask(_: Any, __: str, line: MutableMapping[str, Any]) -> dict[str, Any]:
    return {key: redact_value(value) for key, value in line.items()}


class _Stderr(io.TextIOBase):
    """Whatever stderr is when a line is written: it may have been replaced, or closed, since logging began."""

    def write(self, text: str) -> int:
        """Pass text on, as long as somebody takes it."""
        with suppress(ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """Pass that on too."""
        with suppress(ValueError):
            sys.stderr.flush()


def start_logging(level: str = "info") -> None:
    """Send every log line of this process to stderr: stdout belongs to MCP."""
    watched = sys.stderr.isatty()
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    shape: Any = structlog.dev.ConsoleRenderer() if watched else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _mask,
            shape,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Stderr())),
        cache_logger_on_first_use=True,
    )


def log(name: str) -> Any:
    """The logger of one part of the system."""
    return structlog.get_logger(part=name)


# Left to itself structlog writes to stdout, which belongs to MCP: nobody may log before this.
start_logging("warning")
