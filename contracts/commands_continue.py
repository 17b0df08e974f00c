"""The command that continues an ended research."""

import argparse
import sys
from collections.abc import Callable

from contracts.settings import Settings

Command = Callable[[argparse.Namespace, Settings], int]
Register = Callable[[str, Command, str], argparse.ArgumentParser]

_BUDGET = 15_000


def register(command: Register, parser: argparse.ArgumentParser) -> None:
    """Add the command to a parser."""
    says = "Continue an ended research from its evidence, paying only for what is new."
    sub = command("continue", continue_research, says)
    sub.add_argument("task")
    sub.add_argument(
        "--budget", type=int, default=_BUDGET, metavar="TOKENS", help=f"on top; {_BUDGET} without"
    )
    sub.add_argument("--focus", help="what to find out more about")
    sub.add_argument("--no-wait", action="store_true", help="print the new task's id and return")
    sub.add_argument("--json", action="store_true", help="print JSON")


def continue_research(options: argparse.Namespace, settings: Settings) -> int:
    """Continue a research."""
    from contracts import terminal
    from contracts.continuing import start_continuation
    from contracts.core import Core
    from contracts.research import result_of
    from contracts.wording import action_of, status_word

    core = Core(settings)
    task = start_continuation(
        core, options.task, options.budget, options.focus, asked_through="cli"
    )
    if options.no_wait:
        sys.stdout.write(f"{task}\n")
        return 0
    seen = core.views.status(task)
    with terminal.Steps("Researching") as steps:
        for seen in core.follow(task):
            steps.show(seen.progress, 100, action_of(seen))
    if not seen.result:
        word = status_word(seen)
        sys.stderr.write(f"research-agent: task {task} {word}: {seen.failure_message or word}\n")
        return 1
    found = result_of(core, task)
    text = terminal.as_json(found) if options.json else terminal.research_result(found)
    sys.stdout.write(text.rstrip("\n") + "\n")
    return 0
