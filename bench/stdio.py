"""The server beside an empty FastMCP server, both as real processes on stdio.

Start to `tools/list`, and a status question beside a tool that does nothing: at rest, and while tasks run.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from actors.waking import shut_down
from contracts.core import Core
from contracts.research.calls import brief_for
from contracts.settings import Settings

ROOT = Path(__file__).resolve().parent.parent

EMPTY = """
import os
os.environ["FASTMCP_CHECK_FOR_UPDATES"] = "off"
os.environ["FASTMCP_LOG_LEVEL"] = "ERROR"
from fastmcp import FastMCP
mcp = FastMCP("empty")
@mcp.tool
def nothing(task_id: str) -> dict:
    return {"task_id": task_id}
mcp.run("stdio", show_banner=False)
"""
STARTS, CALLS, ROUNDS = 7, 150, 6
TASKS = 50


def client(script: list[str], home: Path) -> Client[Any]:
    """A client of one server."""
    environment = dict(os.environ) | {
        "RESEARCH_AGENT_HOME": str(home),
        "RESEARCH_AGENT_PREWARM": "0",
    }
    return Client(StdioTransport(sys.executable, script, env=environment, keep_alive=False))


async def start_time(script: list[str], home: Path) -> float:
    """Seconds from starting the process to its list of tools."""
    began = time.perf_counter()
    async with client(script, home) as connected:
        await connected.list_tools()
        return time.perf_counter() - began


async def call_time(call: Callable[[], Awaitable[Any]]) -> float:
    """Median seconds of a call."""
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


async def compare_calls(home: Path, empty: list[str], ours: list[str], task: str) -> float:
    """Status over nothing, measured in turns."""
    async with client(empty, home) as blank, client(ours, home) as server:
        arguments = {"task_id": task}

        async def nothing() -> Any:
            return await blank.call_tool("nothing", arguments)

        async def status() -> Any:
            return await server.call_tool("check_research_status", arguments)

        await call_time(nothing), await call_time(status)
        ratios = [await call_time(status) / await call_time(nothing) for _ in range(ROUNDS)]
    return statistics.median(ratios)


async def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        script = Path(place) / "empty.py"
        script.write_text(EMPTY)
        empty, ours = [str(script)], [str(ROOT / "mcp_entry.py")]
        pairs = [
            (await start_time(ours, home), await start_time(empty, home)) for _ in range(STARTS)
        ]
        start = statistics.median(o / e for o, e in pairs)
        sys.stdout.write(f"start to tools/list, ours over empty     {start:.2f}\n")

        core = Core(Settings(home=home))
        job, _ = core.start_ingest(str(ROOT / "docs" / "samples"), "samples", recursive=False)
        list(core.follow_job(job))
        task, _ = core.start_research(brief_for("What are spring tides?"))
        list(core.follow(task))
        try:
            ratio = await compare_calls(home, empty, ours, task)
            sys.stdout.write(f"status over nothing, at rest             {ratio:.2f}\n")
            tasks = [
                core.start_research(brief_for(f"What is known of tides, take {number}?"))[0]
                for number in range(TASKS)
            ]
            ratio = await compare_calls(home, empty, ours, tasks[-1])
            left = sum(not core.views.status(each).ended for each in tasks)
            sys.stdout.write(
                f"status over nothing, {TASKS} tasks accepted   {ratio:.2f}  ({left} still running)\n"
            )
        finally:
            await asyncio.to_thread(shut_down, home, 60)


if __name__ == "__main__":
    asyncio.run(main())
