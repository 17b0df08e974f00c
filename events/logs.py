"""Log lines: to stderr, JSON unless a person is watching, never with a secret in them."""

import io
import logging
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

from events.secrets import redact_value


def _mask(_: Any, __: str, line: MutableMapping[str, Any]) -> dict[str, Any]:
    return {key: redact_value(value) for key, value in line.items()}


class _Stderr(io.TextIOBase):
    """Whatever stderr is when a line is written: it may have been replaced, or closed, since logging began.

    A line that cannot be written is lost: the work that it tells of goes on, on a full disk as well.
    """

    def write(self, text: str) -> int:
        """Pass text on, as long as somebody takes it."""
        with suppress(ValueError, OSError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        """Pass that on too."""
        with suppress(ValueError, OSError):
            sys.stderr.flush()


_level = "warning"
_level_in_use = ""


def start_logging(level: str = "info") -> None:
    """Say which log lines of this process are written. All go to stderr: stdout belongs to MCP."""
    global _level
    _level = level


def log(name: str) -> Any:
    """The logger of one part of the system."""
    # Imported with the first line, because a server that has nothing to tell shall not wait for it to start.
    import structlog

    if _level_in_use != _level:
        _configure(_level)
    return structlog.get_logger(part=name)


def _configure(level: str) -> None:
    global _level_in_use
    import structlog

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
    _level_in_use = level
