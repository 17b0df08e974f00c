"""The lines that connect an MCP client to this server."""

import shlex
import sys
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parent.parent


def server_command() -> list[str]:
    """What an MCP client has to start; absolute, because clients start it in a folder of their own."""
    return [sys.executable, str(ROOT / "mcp_entry.py")]


def client_lines(home: Path) -> str:
    """Ready to paste, for the common clients."""
    program, *arguments = server_command()
    server = {
        "command": program,
        "args": arguments,
        "env": {"RESEARCH_AGENT_HOME": str(home)},
    }
    entry = orjson.dumps({"mcpServers": {"research-agent": server}}, option=orjson.OPT_INDENT_2)
    named = f"RESEARCH_AGENT_HOME={home}"
    typed = ["claude", "mcp", "add", "research-agent", "--env", named, "--", program, *arguments]
    return "\n".join(
        [
            "Claude Desktop (claude_desktop_config.json) and Cursor (~/.cursor/mcp.json):",
            "",
            entry.decode(),
            "",
            "Claude Code:",
            "",
            shlex.join(typed),
        ]
    )
