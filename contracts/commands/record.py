"""The record on the command line: prove it, run a task again from it, fold it anew.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.commands.commanding import Register, add_json, core_of, out_as, say
from contracts.settings import Settings
from events.errors import (
    BadRequest,
    BundleRefused,
    PathRefused,
    ResearchError,
    TaskNotFinished,
    UnknownTask,
    ended,
)

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
    _check_head(options.head)
    if not what and not settings.home.is_dir():
        raise BadRequest(
            f"There is no data home at {settings.home}.",
            "Set RESEARCH_AGENT_HOME, or name a trace.",
        )
    if not what or Path(what).exists():
        _expect_no_refetch(options)
        bundled = bool(what) and _is_bundle(Path(what))
        return _verify_bundle(options) if bundled else _prove(options, what or str(settings.home))

    if Path(what).suffix or os.sep in what:
        # No id of a task looks like this.
        raise PathRefused(what, "there is no such file or folder")

    import re

    from contracts.deep_research.refusals import TASK_ID
    from contracts.given_ids import whole_id

    core = core_of(settings)
    options.what = whole_id(core, what)
    path, entered = core.home.path(options.what), _is_entered(core, options.what)
    if not entered and not path.exists():
        raise UnknownTask(options.what)
    if re.fullmatch(TASK_ID, options.what):
        if (code := _verify_task(options, core)) is not None:
            return code
    else:
        _expect_no_refetch(options)
    if entered:
        # With the lines that enter and end it and with its researchers: its own trace says nothing of those.
        return _prove(options, str(core.home.root), options.what)
    return _prove(options, str(path))


def _is_entered(core: "Core", name: str) -> bool:
    """Whether the catalogue knows a task or job, even if somebody removed its trace."""
    try:
        return name in core.catalogue.state().entries
    except ResearchError:
        return False  # Of a catalogue that cannot be read the trace alone is left.


def _check_head(head: str | None) -> None:
    """Refuse what is no head before anything is read."""
    from traces.verify import parse_head

    if head is None:
        return
    try:
        parse_head(head)
    except ValueError:
        raise BadRequest(
            f"{head[:100]!r} is not a head.", "Give STREAM:SEQ:sha256:HEX, or sha256:HEX alone."
        ) from None


def _expect_no_refetch(options: argparse.Namespace) -> None:
    if options.refetch:
        raise BadRequest("Only the pages of a task can be fetched again.", "Name the task.")


def _is_bundle(path: Path) -> bool:
    """Whether a file is a bundle, by its name or, whatever it is called, by how it begins."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return path.suffix == ".zip" or file.read(2) == b"PK"


def _prove(options: argparse.Namespace, what: str, task: str = "") -> int:
    """Read a home, a task of it or a trace from end to end."""
    from contracts.commands import terminal
    from traces import verify as verifier

    arguments = [what]
    arguments += ["--task", task] if task else []
    arguments += ["--head", options.head] if options.head else []
    arguments += ["--json"] if options.json else []
    with terminal.Steps("Verifying") as steps:
        steps.show(0, 1, "reading every line and every blob")
        return verifier.main(arguments)


def _verify_task(options: argparse.Namespace, core: "Core") -> int | None:
    """Check an ended research, citation by citation; none where there is no result to be checked."""
    from contracts.commands import terminal
    from contracts.evidence import checks as evidence
    from projections.results import NoResult

    try:
        with terminal.Steps("Verifying") as steps:
            now = "its record and citations" + (", and its pages" if options.refetch else "")
            steps.show(0, 1, now)
            found = evidence.verify(
                core, options.what, refetch=options.refetch, heads=_heads(options)
            )
            steps.show(1, 1, "checked")
    except (TaskNotFinished, NoResult) as nothing:
        if options.refetch:
            raise
        say(f"{ended(nothing.sentence)} Its record is checked without a result.")
        return None
    out_as(options, evidence.as_reply(core, found), evidence.in_words)
    if options.refetch and not any(each.now for each in found.citations):
        say("it cites no pages of the web, so there was nothing to fetch again.")
    return 0 if found.verified else 1


def _heads(options: argparse.Namespace) -> tuple[str, ...]:
    """The heads that somebody kept."""
    return (options.head,) if options.head else ()


def _verify_bundle(options: argparse.Namespace) -> int:
    """Check a bundle by itself."""
    from dataclasses import asdict

    from contracts.bundles import importing
    from traces.verify import Verdict

    reply: dict[str, Any] = {}
    try:
        staged = importing.check(Path(options.what), _heads(options))
    except BundleRefused as refusal:
        # Nothing is taken in here that could be refused: what is wrong with it is what was asked.
        verdict = Verdict()
        file, why = refusal.args
        verdict.fault(file, None, why)
    else:
        fact, verdict = staged.fact, staged.verdict
        reply = {"task": fact.task, "seq": fact.seq, "head": fact.head}
    out_as(options, {"proven": verdict.proven} | reply | asdict(verdict), _bundle_in_words)
    return 0 if verdict.proven else 1


def _bundle_in_words(reply: dict[str, Any]) -> str:
    from contracts.commands.terminal import harmless
    from events.words import count

    if not reply["proven"]:
        faults = (harmless(f"fault: {each['file']}: {each['what']}") for each in reply["faults"])
        return "\n".join([*faults, "NOT PROVEN"])
    parts = (count(reply[f"{part}s"], part) for part in ("stream", "record", "blob"))
    size = f"{', '.join(parts)}, {reply['bytes']} bytes"
    return f"{reply['task']}, head {reply['seq']}:{reply['head']}\nproven: {size}"


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
    from events.words import count

    counted = {"task": counts.tasks, "job": counts.jobs, "source": counts.sources}
    listed = ", ".join(count(number, what) for what, number in counted.items())
    return f"{count(counts.facts, 'fact')}: {listed}"
