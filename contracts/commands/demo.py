"""The whole of it once: ingest, research through the real server and engine, verify, replay, connect."""

import os
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
from fastmcp.exceptions import ToolError
from mcp import MCPError

from actors.replay import replay
from actors.waking import shut_down
from contracts.commands import terminal
from contracts.commands.research_terminal import report
from contracts.connect import ROOT, client_lines, server_command
from contracts.core import Core
from contracts.job_reports import report_of
from contracts.settings import Settings
from events.errors import EngineDown, ResearchError
from events.home import Home
from traces import verify

SAMPLES = ROOT / "docs" / "samples"
QUESTION = (
    "How much electricity does the La Rance tidal power station generate each year, "
    "what did its barrage do to the estuary, and how many people does it employ?"
)


class DemoRefused(ResearchError):
    """The server refused what the demo asked of it: (tool, its words)."""

    code = "demo_refused"
    says = "{0} was refused: {1}"
    suggestion = "Run research-agent doctor."


class NoSamples(ResearchError):
    """What is installed is not the checkout, and only that has the documents of the demo: (where they would be)."""

    code = "no_samples"
    says = "The sample documents are not in {0}."
    suggestion = "Run make demo in the checkout, or ingest documents of your own: research-agent ingest PATH."


def run_demo(settings: Settings) -> int:
    """Show the main job on a data home of its own, unless one is named."""
    if not SAMPLES.is_dir():
        raise NoSamples(str(SAMPLES))
    home = settings.home if "RESEARCH_AGENT_HOME" in os.environ else ROOT / ".demo"
    settings = replace(settings, home=home)
    Home(home).prepare()
    try:
        return anyio.run(_show, settings)
    finally:
        shut_down(home, 30)


async def _show(settings: Settings) -> int:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    program, *arguments = server_command()
    environment = dict(os.environ) | {
        "RESEARCH_AGENT_HOME": str(settings.home),
        "RESEARCH_AGENT_ROOTS": str(SAMPLES),
    }
    with terminal.Steps("Demo") as steps:

        async def progress(done: float, of: float | None, now: str | None) -> None:
            steps.show(done, of or 0, now or "")

        transport = StdioTransport(program, arguments, env=environment)
        async with Client(transport, progress_handler=progress) as client:
            tools = await client.list_tools()
            _say(f"An MCP server on stdio with {len(tools)} tools.")
            ingested = await _call(
                client, "ingest_documents", path=str(SAMPLES), collection="samples", recursive=True
            )
            # A job that takes longer goes on by itself; anybody can follow it in the record.
            for seen in Core(settings).follow_job(ingested["job_id"]):
                steps.show(seen.done, seen.files, seen.current_file or seen.phase)
                ingested = report_of(seen)
            _say(terminal.ingest_report([ingested]))
            _say(terminal.folded(f"Question: {QUESTION}"))
            found = await _call(client, "research", question=QUESTION)
            status = await _call(client, "get_research_results", task_id=found["trace_id"])
    _say(report(status["report"]))
    return _check(settings.home, found)


async def _call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    try:
        reply = await client.call_tool(tool, arguments)
    except (MCPError, ToolError) as refusal:
        raise DemoRefused(tool, str(refusal)) from None
    if reply.structured_content is None:
        raise EngineDown(tool, "the server gave no answer")
    answer: dict[str, Any] = reply.structured_content
    return answer


def _check(root: Path, found: dict[str, Any]) -> int:
    home, task, record = Home(root), found["trace_id"], found["record"]
    _say(terminal.folded(f"The trace of this answer: {home.path(task)}"))
    code = verify.main([str(root), "--head", f"{task}:{record['seq']}:{record['head']}"])
    outcome = replay(home, task)
    _say(terminal.folded(f"Replay offline: {terminal.comparison(outcome)}"))
    _say("To ask questions about these documents from an MCP client, paste:")
    _say(client_lines(root))
    _say("\n".join(["For documents of your own:", "", *_next()]))
    return 0 if code == 0 and outcome.identical and found["citations"] else 1


def _next() -> list[str]:
    """What to type for documents of one's own."""
    activate = shlex.quote(str(Path(sys.prefix) / "bin" / "activate"))
    entering = [] if shutil.which("research-agent") else [f"  . {activate}"]
    return [
        *entering,
        "  research-agent ingest PATH",
        "  research-agent connect         # these lines for your documents",
        "  research-agent serve --http    # a web page to browse them",
    ]


def _say(text: str) -> None:
    sys.stdout.write(text.rstrip() + "\n\n")
    sys.stdout.flush()
