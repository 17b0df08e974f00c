"""Putting tools on a server: what they say, and what that may cost a start."""

import subprocess
import sys
from pathlib import Path

import pytest
from fastmcp import Client, FastMCP

from contracts.declaring import prompt, tool

ROOT = Path(__file__).resolve().parent.parent
NOT_NEEDED = {"duckdb", "griffe", "jsonref", "numpy", "pyarrow", "ray", "requests", "structlog"}

SCRIPT = f"""
import asyncio, sys
from mcp_entry import create_server
tools = asyncio.run(create_server().list_tools())
assert len(tools) > 20
print(*sorted({NOT_NEEDED} & set(sys.modules)))
"""


@pytest.mark.anyio
async def test_a_docstring_is_the_description_word_for_word() -> None:
    mcp: FastMCP[None] = FastMCP("one")

    @tool(mcp, annotations={"readOnlyHint": True})
    def look(place: str) -> str:
        """Look somewhere.

        Returns:
            what is there.
        """
        return place

    @prompt(mcp)
    def ask(place: str) -> str:
        """Ask somebody."""
        return place

    async with Client(mcp) as client:
        (offered,) = await client.list_tools()
        (asked,) = await client.list_prompts()
    assert offered.description == "Look somewhere.\n\nReturns:\n    what is there."
    assert offered.annotations is not None
    assert offered.annotations.read_only_hint is True
    assert asked.description == "Ask somebody."


def test_the_tools_are_listed_without_what_only_calls_need(tmp_path: Path) -> None:
    environment = {"RESEARCH_AGENT_HOME": str(tmp_path), "RESEARCH_AGENT_PREWARM": "0"}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == []
