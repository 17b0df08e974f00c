"""`research-agent watch`: a task's or job's trace on the command line, as it grows."""

import argparse
import sys

from contracts.commands.commanding import Register, core_of, say
from contracts.settings import Settings


def register(command: Register) -> None:
    """Add the command."""
    sub = command("watch", watch, "Follow a research task or an ingest job, one line per fact.")
    sub.add_argument(
        "task", metavar="TASK", help="a task's or job's id, or its first 8 characters or more"
    )
    sub.add_argument("--from-now", action="store_true", help="skip what was recorded before now")
    sub.add_argument(
        "--no-wait", action="store_true", help="print what has been recorded so far and return"
    )
    sub.add_argument("--json", action="store_true", help="one line of JSON per fact, as recorded")


def watch(options: argparse.Namespace, settings: Settings) -> int:
    """Follow a task or job to its end: 0 when it was completed or is not waited for, else 1."""
    from contracts.given_ids import whole_id
    from contracts.watching import Watching

    core = core_of(settings)
    task = whole_id(core, options.task)
    watched = Watching(core, task, from_now=options.from_now)
    for line in watched.lines(wait=not options.no_wait, say=say):
        # Not as a result: when nobody reads on, there is no more to do.
        sys.stdout.write((line.as_recorded() if options.json else line.in_words()) + "\n")
        sys.stdout.flush()
    end = watched.end()
    if end is None:
        say(f"{task} has not ended.")
        return 0
    sys.stderr.write(end.outcome + (f": {end.message}" if end.message else "") + "\n")
    return 0 if end.good else 1
