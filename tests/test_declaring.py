"""Putting tools on a server: what they say, and what that may cost a start."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

from contracts.core import Core
from contracts.declaring import PERHAPS_PACKED, prompt, tool
from contracts.settings import Settings
from mcp_entry import build_server

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
    def ask(place: Annotated[str, Field(description="Of whom")]) -> str:
        """Ask somebody."""
        return place

    async with Client(mcp) as client:
        (offered,) = await client.list_tools()
        (asked,) = await client.list_prompts()
    assert offered.description == "Look somewhere.\n\nReturns:\n    what is there."
    assert offered.annotations is not None
    assert offered.annotations.read_only_hint is True
    assert asked.description == "Ask somebody."
    assert asked.arguments is not None
    (argument,) = asked.arguments
    assert (argument.name, argument.description, argument.required) == ("place", "Of whom", True)


@pytest.mark.anyio
async def test_a_list_or_an_object_may_come_as_json_in_a_text() -> None:
    mcp: FastMCP[None] = FastMCP("one")

    @tool(mcp)
    def look(at: Annotated[list[int] | dict[str, int] | None, PERHAPS_PACKED] = None) -> str:
        """Look at something."""
        return repr(at)

    async with Client(mcp) as client:
        told = [
            (await client.call_tool("look", {"at": at})).data
            for at in ("[1, 2]", '{"x": 1}', "null", [3], {"y": 2}, None)
        ]
        assert told == ["[1, 2]", "{'x': 1}", "None", "[3]", "{'y': 2}", "None"]
        for wrong in ("[1,", "7", '"x"', "x", "[" * 100_000):
            with pytest.raises(ToolError):
                await client.call_tool("look", {"at": wrong})


@pytest.mark.anyio
async def test_every_list_and_object_of_a_tool_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    core = Core(Settings(home=tmp_path / "home", prewarm=False))
    packed: dict[str, Any] = {
        "array": json.dumps(["1"]),
        "object": json.dumps({}),
    }
    tried = set()
    async with Client(build_server(core)) as client:
        for each in await client.list_tools():
            schema = each.input_schema
            for name, wanted in schema.get("properties", {}).items():
                kinds = {one.get("type") for one in wanted.get("anyOf", [wanted])} & set(packed)
                if not kinds:
                    continue
                given = dict.fromkeys(schema["required"], "x") | {name: packed[kinds.pop()]}
                reply = await client.call_tool(each.name, given, raise_on_error=False)
                assert f"{name}: Input should be" not in str(reply.content), each.name
                tried.add(name)
    assert tried == {"constraints", "source_ids", "options", "filters", "citekeys", "chunk_ids"}


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
