"""The lines that connect an MCP client to this server."""

import shlex
import sys
from pathlib import Path
from typing import Any

from contracts.commands.terminal import as_json

ROOT = Path(__file__).resolve().parent.parent
_HOME = "RESEARCH_AGENT_HOME"


def server_command() -> list[str]:
    """What an MCP client has to start; absolute, because clients start it in a folder of their own."""
    return [sys.executable, str(ROOT / "mcp_entry.py")]


def entry(home: Path | None) -> dict[str, Any]:
    """What a client's configuration has to have; a home is named where it is not the usual one."""
    program, *arguments = server_command()
    server: dict[str, Any] = {"command": program, "args": arguments}
    if home:
        server["env"] = {_HOME: str(home)}
    return {"mcpServers": {"research-agent": server}}


def client_lines(home: Path | None) -> str:
    """Ready to paste, for the common clients."""
    named = ["--env", f"{_HOME}={home}"] if home else []
    typed = ["claude", "mcp", "add", "research-agent", *named, "--", *server_command()]
    return "\n".join(
        [
            "Claude Desktop: Settings > Developer > Edit Config; Cursor: ~/.cursor/mcp.json",
            "",
            as_json(entry(home)),
            "",
            "Claude Code:",
            "",
            shlex.join(typed),
        ]
    )
