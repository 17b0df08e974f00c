"""A research that a command started, followed to its end and printed."""

import argparse
import sys

from contracts import research_terminal, terminal
from contracts.core import Core
from contracts.research import result_of
from contracts.wording import action_of, status_word


def follow_research(core: Core, task: str, options: argparse.Namespace) -> int:
    """Wait for a research and print what it found; the id alone where nobody wants to wait."""
    if options.no_wait:
        sys.stdout.write(f"{task}\n")
        return 0
    seen = core.views.status(task)
    try:
        with terminal.Steps("Researching") as steps:
            for seen in core.follow(task):
                steps.show(seen.progress, 100, action_of(seen))
    except KeyboardInterrupt:
        sys.stderr.write(
            f"research-agent: task {task} goes on by itself; "
            f"follow it with research-agent watch {task}\n"
        )
        return 130
    if not seen.result:
        word = status_word(seen)
        sys.stderr.write(f"research-agent: task {task} {word}: {seen.failure_message or word}\n")
        return 1
    found = result_of(core, task)
    text = terminal.as_json(found) if options.json else research_terminal.result(found)
    sys.stdout.write(text.rstrip("\n") + "\n")
    return 0
