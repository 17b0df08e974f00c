"""`fastmcp run` on the project's own fastmcp.json, from a directory that knows nothing of it."""

import json
import os
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def test_the_server_runs_from_any_directory(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("fastmcp")
    settings = {"RESEARCH_AGENT_HOME": str(tmp_path / "home"), "RESEARCH_AGENT_PREWARM": "0"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    transport = StdioTransport(
        str(program),
        ["run", str(ROOT / "fastmcp.json"), "--no-banner"],
        env=dict(os.environ) | settings,
        cwd=str(elsewhere),
    )
    async with Client(transport) as client:
        named = {tool.name for tool in await client.list_tools()}
        reply = await client.call_tool("list_projects", {})
    assert {"ingest_from_source", "query", "query_hybrid", "inspect_collection"} <= named
    assert reply.structured_content
    assert (reply.structured_content["projects"], reply.structured_content["count"]) == ([], 0)


def test_the_file_says_what_the_contract_wants() -> None:
    said = json.loads((ROOT / "fastmcp.json").read_text())
    assert said["deployment"]["transport"] == "stdio"
    assert (ROOT / said["source"]["path"]).is_file()
