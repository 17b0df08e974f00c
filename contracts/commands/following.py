"""What a command started, followed to its end; a research is printed then."""

import argparse
import sys

from actors.waking import read_state
from contracts.commands import research_terminal, terminal
from contracts.commands.commanding import say
from contracts.core import Core
from contracts.research.calls import result_of
from contracts.wording import action_of, refused_key, status_word
from events.errors import ended
from projections.status import JobStatus, TaskStatus

INTERRUPTED = 130
"""The exit code of a command that was ended by Ctrl-C."""


def follow_research(core: Core, task: str, options: argparse.Namespace) -> int:
    """Wait for a research and print what it found; the id alone where nobody wants to wait."""
    if options.no_wait:
        sys.stdout.write(f"{task}\n")
        return 0
    seen = core.views.status(task)
    try:
        with terminal.Steps("Researching") as steps:
            for seen in core.follow(task):
                steps.show(seen.progress, 100, _waiting(core, seen) or action_of(seen))
    except KeyboardInterrupt:
        return let_go("task", task)
    if not seen.result:
        word = status_word(seen)
        said = f"task {task} {word}: {seen.failure_message or word}"
        if key := refused_key(seen, core.settings.home):
            said = f"{ended(said)} Check {key.name}."
        say(said)
        return 1
    found = result_of(core, task)
    text = terminal.as_json(found) if options.json else research_terminal.result(found)
    sys.stdout.write(text.rstrip("\n") + "\n")
    return 0


def follow_job(core: Core, job: str, title: str) -> bool:
    """Show how far a job is until it ends; whether it was waited for."""
    try:
        with terminal.Steps(title) as steps:
            for seen in core.follow_job(job):
                now = _waiting(core, seen) or seen.current_file or seen.phase
                steps.show(terminal.files_done(seen), seen.files, now)
    except KeyboardInterrupt:
        let_go("job", job)
        return False
    return True


def _waiting(core: Core, seen: TaskStatus | JobStatus) -> str:
    """What something is waiting for that has not begun."""
    if seen.phase != "pending":
        return ""
    engine = read_state(core.settings.home)
    if engine is None or engine.state == "starting":
        return "starting the engine, which takes some 20 seconds"
    return "waiting to start"


def let_go(what: str, name: str) -> int:
    """Say that what nobody waits for any more is not lost; the code of an interrupted command."""
    say(f"{what} {name} goes on by itself; follow it with research-agent watch {name}")
    return INTERRUPTED
