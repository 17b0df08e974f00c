"""The command that continues an ended research."""

import argparse

from contracts.commands.commanding import Register, add_json, core_of
from contracts.settings import Settings

_BUDGET = 15_000


def register(command: Register) -> None:
    """Add the command to a parser."""
    says = "Continue a finished research task from its evidence, paying only for what is new."
    sub = command("continue", continue_research, says)
    sub.add_argument(
        "task", metavar="TASK", help="a finished task's id, or its first 8 characters or more"
    )
    sub.add_argument(
        "--budget", type=int, default=_BUDGET, metavar="TOKENS", help=f"extra tokens ({_BUDGET})"
    )
    sub.add_argument("--focus", help="what to find out more about")
    sub.add_argument("--no-wait", action="store_true", help="print the new task's id and return")
    add_json(sub)


def continue_research(options: argparse.Namespace, settings: Settings) -> int:
    """Continue a research."""
    from contracts.commands.following import follow_research
    from contracts.given_ids import whole_id
    from contracts.research.continuing import start_continuation

    core = core_of(settings)
    before = whole_id(core, options.task)
    task = start_continuation(core, before, options.budget, options.focus, asked_through="cli")
    return follow_research(core, task, options)
