"""Research on the command line: start one, see where it stands, read, keep and stop it.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from contracts.commands.commanding import (
    Register,
    add_json,
    add_question,
    core_of,
    out,
    out_as,
    question_in,
    say,
)
from contracts.commands.knowledge import job_status
from contracts.settings import Settings

if TYPE_CHECKING:
    from contracts.core import Core
    from projections.status import JobStatus, TaskStatus

Reply = dict[str, Any]

_DEPTHS = ("shallow", "balanced", "deep")
_FORMS = ("markdown", "html", "json")
_FOLDER = "./research_reports"
_CONSTRAINTS = {
    "max_iterations": "maximum number of rounds (5; 2 if shallow)",
    "token_budget": "soft limit on tokens (20000; 5000 if shallow, 25000 if deep)",
    "max_sources": "maximum number of sources to read (10)",
    "source_filter": "only these sites, such as 'nasa.gov, *.edu'; for your documents, words of the path or URL",
}
_ENDS = (
    "Exit code 0: completed, even if nothing answers the question (the report says so); "
    "1: failed or cancelled; 2: refused."
)
_PATIENCE = 15.0
"""Seconds that something has to end when it was told to."""


def register(command: Register) -> None:
    """Add the commands."""
    sub = command(
        "research", research, "Research a question and print the answer with its evidence."
    )
    sub.epilog = _ENDS
    add_question(sub, "question", "the question")
    sub.add_argument(
        "--context", help="background, or what you already know; up to 2000 characters"
    )
    sub.add_argument(
        "--depth",
        choices=_DEPTHS,
        default="balanced",
        help="how thorough the research is (balanced)",
    )
    sub.add_argument(
        "--collection", action="append", help="search only this collection; may be repeated"
    )
    sub.add_argument(
        "--orchestrate",
        action=argparse.BooleanOptionalAction,
        help="send further researchers to follow up findings; on by default with --depth deep",
    )
    _add_constraints(sub)
    sub.add_argument("--no-wait", action="store_true", help="print the task's id and return")
    add_json(sub)

    sub = command("status", status, "Show the status of a research task or a job.")
    _add_task(sub, "a task's or job's id")
    add_json(sub)

    sub = command("results", results, "Print the report of a research task.")
    _add_task(sub)
    add_json(sub)

    sub = command(
        "estimate", estimate, "Estimate the time and cost of a research task before starting it."
    )
    add_question(sub, "question", "the question")
    add_json(sub)

    sub = command("save", save, "Save the report of a research task to a file.")
    _add_task(sub)
    sub.add_argument(
        "--output-dir", default=_FOLDER, metavar="DIR", help=f"target folder ({_FOLDER})"
    )
    sub.add_argument("--prefix", default="research", help="first part of the file name (research)")
    sub.add_argument("--format", choices=_FORMS, default="markdown", help="file format (markdown)")
    sub.add_argument("--no-metadata", action="store_true", help="leave the metadata out")
    sub.add_argument("--no-sources", action="store_true", help="leave the sources out")
    add_json(sub)

    sub = command("cancel", cancel, "Stop a research task or an ingest job.")
    _add_task(sub, "a task's or job's id")
    sub.add_argument("--discard", action="store_true", help="do not keep partial results")
    add_json(sub)


def _add_constraints(sub: argparse.ArgumentParser) -> None:
    """The contract's constraints, named as they are there."""
    for name, says in _CONSTRAINTS.items():
        option = f"--{name.replace('_', '-')}"
        kind = str if name == "source_filter" else int
        metavar = "SITES" if name == "source_filter" else "N"
        sub.add_argument(option, type=kind, metavar=metavar, help=says)


def _add_task(sub: argparse.ArgumentParser, says: str = "a task's id") -> None:
    sub.add_argument("task", metavar="TASK", help=f"{says}, or its first 8 characters or more")


def _whole(core: "Core", options: argparse.Namespace) -> str:
    from contracts.given_ids import whole_id

    options.task = whole_id(core, options.task)
    return str(options.task)


def _print_reply(options: argparse.Namespace, reply: Reply, plain: Callable[[Reply], str]) -> int:
    if reply.get("success") is not False:
        return out_as(options, reply, plain)

    from contracts.commands import terminal
    from contracts.commands.terminal_refusals import told_reply

    if options.json:
        out(terminal.as_json(reply))
    say(told_reply(reply, getattr(options, "task", "")))
    return 2


def research(options: argparse.Namespace, settings: Settings) -> int:
    """Research a question."""
    from contracts.commands.following import follow_research
    from contracts.research.calls import ResearchConstraints, assigned, brief_for

    core = core_of(settings)
    said = {name: value for name in _CONSTRAINTS if (value := getattr(options, name)) is not None}
    brief = brief_for(
        question_in(options.question),
        options.context,
        options.depth,
        ResearchConstraints(**said),
        collections=tuple(options.collection) if options.collection else None,
        asked_through="cli",
        orchestrate=options.orchestrate,
    )
    task, _ = core.start_research(assigned(core, brief))
    return follow_research(core, task, options)


def status(options: argparse.Namespace, settings: Settings) -> int:
    """Where a task or job stands."""
    from contracts.commands import research_terminal
    from contracts.deep_research import calls as deep_research
    from contracts.given_ids import is_job

    core = core_of(settings)
    task = _whole(core, options)
    if is_job(task) and task in core.catalogue.state().entries:
        return job_status(options, core, task)
    return _print_reply(options, deep_research.status(core, task), research_terminal.status)


def results(options: argparse.Namespace, settings: Settings) -> int:
    """What a task found."""
    from contracts.commands import research_terminal
    from contracts.deep_research import calls as deep_research

    core = core_of(settings)
    reply = deep_research.get_results(core, _whole(core, options), include_sources=True)
    return _print_reply(options, reply, lambda reply: research_terminal.report(reply["report"]))


def estimate(options: argparse.Namespace, settings: Settings) -> int:
    """What a research would take and cost."""
    from contracts.commands import research_terminal
    from contracts.deep_research import calls as deep_research

    reply = deep_research.estimate(core_of(settings), question_in(options.question))
    return _print_reply(options, reply, research_terminal.estimate)


def save(options: argparse.Namespace, settings: Settings) -> int:
    """Keep what a task found as a file."""
    from contracts.deep_research import calls as deep_research

    core = core_of(settings)
    reply = deep_research.save(
        core,
        _whole(core, options),
        options.output_dir,
        options.prefix,
        include_metadata=not options.no_metadata,
        include_sources=not options.no_sources,
        form=options.format,
    )
    return _print_reply(options, reply, lambda reply: str(reply["file_path"]))


def _seen_ending(core: "Core", task: str) -> "TaskStatus | JobStatus":
    """Where a task or job stands once it has ended, or has had the time to."""
    from contracts.given_ids import is_job

    if is_job(task):
        return list(core.follow_job(task, _PATIENCE))[-1]
    return list(core.follow(task, _PATIENCE))[-1]


def cancel(options: argparse.Namespace, settings: Settings) -> int:
    """Stop a task or job."""
    from contracts.given_ids import is_job

    core = core_of(settings)
    task = _whole(core, options)
    core.cancel(task, save_partial=not options.discard)
    seen = _seen_ending(core, task)
    named = {"job_id" if is_job(task) else "task_id": task, "status": seen.phase}
    if not seen.ended:
        say("it is told to stop, and will as soon as it can.")
    out_as(options, named, lambda _: f"{task} {seen.phase}")
    return 0 if seen.phase == "cancelled" else 1
