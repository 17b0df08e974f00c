"""The engine on the command line: bring it up and down, see what it works on, check what it needs, show it once.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse

from contracts.commands.commanding import Register, add_json, core_of, out, out_as, say
from contracts.settings import Settings


def register(command: Register) -> None:
    """Add the commands."""
    sub = command("ps", ps, "List the engine, tasks and jobs of this data home.")
    sub.add_argument("--limit", type=int, default=20, help="maximum number of tasks and jobs (20)")
    add_json(sub)

    sub = command("up", up, "Start the engine in advance.")
    sub.add_argument(
        "--dashboard", action="store_true", help="also start the Ray dashboard, on loopback"
    )
    add_json(sub)

    add_json(
        command("down", down, "Stop the engine; unfinished tasks resume when it starts again.")
    )
    add_json(command("doctor", doctor, "Check the installation, settings, keys and data home."))
    add_json(
        command(
            "connect", connect, "Print what to paste into Claude Desktop, Claude Code or Cursor."
        )
    )
    command("demo", demo, "Ingest a sample corpus, research it, verify and replay the answer.")


def ps(options: argparse.Namespace, settings: Settings) -> int:
    """The engine, tasks and jobs."""
    from dataclasses import asdict

    from actors.waking import read_state
    from contracts.commands import terminal
    from contracts.deep_research import calls as deep_research

    core = core_of(settings)
    state = read_state(settings.home)
    jobs = core.views.jobs()[::-1][: max(1, options.limit)]
    listed = deep_research.listing(core, None, options.limit, None)["tasks"]
    shown = {
        "engine": asdict(state) if state else None,
        "tasks": listed,
        "jobs": [asdict(job) for job in jobs],
    }
    return out_as(options, shown, lambda _: terminal.overview(state, listed, jobs))


def up(options: argparse.Namespace, settings: Settings) -> int:
    """Bring the engine up."""
    from dataclasses import asdict, replace

    from actors.waking import wait_up
    from contracts.commands import terminal

    wanted = replace(settings, dashboard=settings.dashboard or options.dashboard)
    core = core_of(wanted)
    with terminal.Steps("Starting") as steps:
        steps.show(0, 1, "bringing Ray up")
        core.wake_engine()
        state = wait_up(settings.home, 60)
        steps.show(1, 1, "up")
    out_as(options, asdict(state), lambda _: terminal.engine_places(state, settings.home))
    if options.dashboard and not state.dashboard:
        say(
            "the engine was up already, without a dashboard; "
            "run research-agent down, then up --dashboard again."
        )
    return 0


def down(options: argparse.Namespace, settings: Settings) -> int:
    """Stop the engine."""
    from actors.waking import read_state, shut_down
    from contracts.commands import terminal

    if read_state(settings.home) is None:
        # Perhaps something is left over all the same; there is no need to speak of it before.
        stopped = shut_down(settings.home, 30)
    else:
        with terminal.Steps("Stopping") as steps:
            steps.show(0, 1, "ending Ray")
            stopped = shut_down(settings.home, 30)
            steps.show(1, 1, "ended")
    said = "stopped" if stopped else "nothing was running"
    return out_as(options, {"stopped": stopped}, lambda _: said)


def doctor(options: argparse.Namespace, settings: Settings) -> int:
    """Check what this needs to work."""
    from dataclasses import asdict

    from contracts.commands import doctor as checks
    from contracts.commands import terminal

    found = checks.examine(settings)
    good = all(check.good for check in found)
    told = {"good": good, "checks": [asdict(check) for check in found]}
    out_as(options, told, lambda _: terminal.checklist(found))
    return 0 if good else 1


def connect(options: argparse.Namespace, settings: Settings) -> int:
    """Print what clients have to be told."""
    import os

    from contracts.connect import client_lines, entry

    # Clients start the server without the environment of this terminal.
    home = settings.home.absolute() if os.environ.get("RESEARCH_AGENT_HOME") else None
    if options.json:
        return out_as(options, entry(home), str)
    # Not folded: what is to be pasted stays as it is.
    out(client_lines(home))
    return 0


def demo(options: argparse.Namespace, settings: Settings) -> int:
    """Show the whole of it once."""
    from contracts.commands.demo import run_demo

    return run_demo(settings)
