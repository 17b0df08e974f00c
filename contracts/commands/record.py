"""The record on the command line: prove it, run a task again from it, fold it anew.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.commands.commanding import Register, add_json, core_of, out_as, say
from contracts.settings import Settings
from events.errors import BadRequest, PathRefused, TaskNotFinished, UnknownTask

if TYPE_CHECKING:
    from contracts.core import Core
    from projections.views import Refreshed


def register(command: Register) -> None:
    """Add the commands."""
    sub = command(
        "verify", verify, "Check a research task citation by citation, or the whole record."
    )
    sub.add_argument(
        "what", nargs="?", help="a task id, a trace file or a bundle (the whole record)"
    )
    sub.add_argument(
        "--head", help="check against a head from a tool answer: STREAM:SEQ:HASH, or HASH"
    )
    sub.add_argument(
        "--refetch",
        action="store_true",
        help="for a task: also check whether its web pages have changed",
    )
    add_json(sub)

    sub = command(
        "replay", replay, "Run a finished task again from its record, offline, and compare."
    )
    sub.add_argument("trace", help="a task's id or its trace file")
    add_json(sub)

    add_json(command("rebuild", rebuild, "Delete every view and rebuild it from the record."))


def verify(options: argparse.Namespace, settings: Settings) -> int:
    """Prove the record."""
    what = options.what
    if not what and not settings.home.is_dir():
        raise BadRequest(
            f"There is no data home at {settings.home}.",
            "Set RESEARCH_AGENT_HOME, or name a trace.",
        )
    if not what or Path(what).exists():
        bundled = what and Path(what).suffix == ".zip" and Path(what).is_file()
        return _verify_bundle(options) if bundled else _prove(options, what or str(settings.home))

    if Path(what).suffix or os.sep in what:
        # No id of a task looks like this.
        raise PathRefused(what, "there is no such file or folder")

    from contracts.given_ids import whole_id

    core = core_of(settings)
    options.what = whole_id(core, what)
    path = core.home.path(options.what)
    if not path.exists():
        raise UnknownTask(options.what)
    code = _verify_task(options, core)
    return _prove(options, str(path)) if code is None else code


def _prove(options: argparse.Namespace, what: str) -> int:
    """Read a home or a trace from end to end."""
    from contracts.commands import terminal
    from traces import verify as verifier

    arguments = [what]
    arguments += ["--head", options.head] if options.head else []
    arguments += ["--json"] if options.json else []
    with terminal.Steps("Verifying") as steps:
        steps.show(0, 1, "reading every line and every blob")
        return verifier.main(arguments)


def _verify_task(options: argparse.Namespace, core: "Core") -> int | None:
    """Check an ended research, citation by citation; none where there is no result to be checked."""
    import re

    from contracts.commands import terminal
    from contracts.deep_research.refusals import TASK_ID
    from contracts.evidence import checks as evidence
    from projections.results import NoResult

    if options.head or not re.fullmatch(TASK_ID, options.what):
        return None
    try:
        with terminal.Steps("Verifying") as steps:
            now = "its record and citations" + (", and its pages" if options.refetch else "")
            steps.show(0, 1, now)
            found = evidence.verify(core, options.what, refetch=options.refetch)
            steps.show(1, 1, "checked")
    except (TaskNotFinished, NoResult) as nothing:
        if options.refetch:
            raise
        say(f"{nothing.sentence} Its record is proven without it.")
        return None
    out_as(options, evidence.as_reply(core, found), evidence.in_words)
    if options.refetch and not any(each.now for each in found.citations):
        say("it cites no pages of the web, so there was nothing to fetch again.")
    return 0 if found.verified else 1


def _verify_bundle(options: argparse.Namespace) -> int:
    """Check a bundle by itself."""
    from dataclasses import asdict

    from contracts.bundles import importing

    staged = importing.check(Path(options.what))
    fact, verdict = staged.fact, staged.verdict
    reply = {"proven": True, "task": fact.task, "seq": fact.seq, "head": fact.head}
    out_as(
        options,
        reply | asdict(verdict),
        lambda reply: (
            f"{reply['task']}, head {reply['seq']}:{reply['head']}\nproven: {reply['streams']} "
            f"streams, {reply['records']} records, {reply['blobs']} blobs, {reply['bytes']} bytes"
        ),
    )
    return 0


def replay(options: argparse.Namespace, settings: Settings) -> int:
    """Re-run a finished task from its record."""
    from dataclasses import asdict

    from actors.replay import replay as run_again
    from contracts.commands import terminal

    given, core = Path(options.trace), core_of(settings)
    home = core.home
    if given.suffix == ".jsonl" and given.exists():
        from events.home import Home

        home, task = Home(given.resolve().parent.parent), given.stem
    else:
        task = _ended(core, options.trace)
    with terminal.Steps("Replaying") as steps:
        steps.show(0, 1, "running the task again, offline")
        outcome = run_again(home, task)
        steps.show(1, 1, "compared")
    shown = asdict(outcome) | {"identical": outcome.identical}
    out_as(options, shown, lambda _: terminal.comparison(outcome))
    return 0 if outcome.identical else 1


def _ended(core: "Core", given: str) -> str:
    """A task's id; refused as long as it is worked on."""
    from contracts.given_ids import whole_id

    task = whole_id(core, given)
    entry = core.catalogue.state().entries.get(task)
    if entry and entry.ended is None:
        raise TaskNotFinished(task, core.views.status(task).progress)
    return task


def rebuild(options: argparse.Namespace, settings: Settings) -> int:
    """Fold the record anew."""
    from dataclasses import asdict

    from contracts.commands import terminal

    core = core_of(settings)
    core.home.prepare()
    with terminal.Steps("Rebuilding") as steps:
        steps.show(0, 1, "folding the record from its first line")
        counts = core.views.rebuild()
        steps.show(1, 1, "done")
    out_as(options, asdict(counts), lambda _: _counted(counts))
    for name, why in counts.broken.items():
        say(f"{name} cannot be read: {why}")
    return 1 if counts.broken else 0


def _counted(counts: "Refreshed") -> str:
    from actors.reports.wording import count

    counted = {"task": counts.tasks, "job": counts.jobs, "source": counts.sources}
    listed = ", ".join(count(number, what) for what, number in counted.items())
    return f"{count(counts.facts, 'fact')}: {listed}"
