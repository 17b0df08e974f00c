"""The research-agent command: the same core as the MCP server, for a terminal.

Results go to stdout, everything else to stderr. Exit code 0: done; 1: done, and the answer is bad news (a fault
was found, a replay differed, a research failed); 2: refused, with the reason and what to do about it.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from contracts import (
    commands_audit,
    commands_continue,
    commands_evidence,
    commands_knowledge,
    commands_tokens,
    commands_watch,
)
from contracts.help_page import HelpPage
from contracts.serve_options import add_serve_options
from contracts.settings import Settings
from events.errors import BadRequest, ResearchError

Command = Callable[[argparse.Namespace, Settings], int]

_SAYS = (
    "Deep research and a knowledge base in which every answer can be traced, verified and replayed. "
    "Begin with research-agent demo, or with ingest PATH and research QUESTION."
)
_CODES = (
    "Results go to stdout, everything else to stderr. Exit code 0: done; 1: done, and the answer is bad news; "
    "2: refused, with the reason and what to do about it."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["serve"]:
        return _serve(given[1:])
    try:
        parser = _parser()
        if not given:
            parser.print_help(sys.stderr)
            return 2
        return _act(parser.parse_args(given))
    except KeyboardInterrupt:
        sys.stderr.write("research-agent: interrupted; what was accepted goes on by itself.\n")
        return 130
    except BrokenPipeError:
        # Nobody reads on; the interpreter must not find that out again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as failure:
        where = f"{failure.filename}: " if failure.filename else ""
        sys.stderr.write(f"research-agent: {where}{failure.strerror}. Run research-agent doctor.\n")
        return 2


def _act(options: argparse.Namespace) -> int:
    from events.logs import start_logging
    from events.secrets import learn_secrets

    learn_secrets()
    command: Command = options.command
    try:
        settings = Settings.from_environment()
        start_logging(settings.log_level)
        code = command(options, settings)
    except ResearchError as refusal:
        from contracts.terminal_refusals import as_reply, told

        if getattr(options, "json", False):
            from contracts.terminal import as_json

            _out(as_json(as_reply(refusal)))
        sys.stderr.write(f"research-agent: {told(refusal)}\n")
        code = 2
    sys.stdout.flush()
    return code


def _serve(arguments: list[str]) -> int:
    try:
        import mcp_entry

        return mcp_entry.main(arguments)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = HelpPage(prog="research-agent", description=_SAYS, epilog=_CODES)
    parser.add_argument("--version", action=_Version, nargs=0, help="say which version it is")
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", parser_class=argparse.ArgumentParser
    )

    def command(name: str, act: Command, says: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=says, description=says)
        sub.set_defaults(command=act)
        return sub

    says = "Serve MCP on stdio, or MCP and the page over HTTP with --http."
    add_serve_options(commands.add_parser("serve", help=says))

    sub = command("ingest", ingest, "Bring files or folders into a collection.")
    sub.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    sub.add_argument("--collection", default="default", help="where to (default)")
    sub.add_argument("--flat", action="store_true", help="do not descend into subfolders")
    _as_json(sub)

    sub = command(
        "research", research, "Research a question and print the answer with its evidence."
    )
    sub.add_argument("question", help="in quotation marks")
    sub.add_argument("--context", help="what it is asked for; up to 2000 characters")
    depths = ["shallow", "balanced", "deep"]
    sub.add_argument("--depth", choices=depths, default="balanced", help="how far (balanced)")
    sub.add_argument("--collection", action="append", help="search only here; may be repeated")
    sub.add_argument(
        "--orchestrate",
        action=argparse.BooleanOptionalAction,
        help="send further researchers after what is noticed; by default when --depth is deep",
    )
    sub.add_argument("--no-wait", action="store_true", help="print the task's id and return")
    _as_json(sub)

    sub = command("status", status, "Where a research task or a job stands.")
    _task(sub, "a task's or job's id")
    _as_json(sub)

    sub = command("results", results, "What a research task found.")
    _task(sub)
    _as_json(sub)

    sub = command(
        "estimate", estimate, "What a research would take and cost, before it is started."
    )
    sub.add_argument("question", help="in quotation marks")
    _as_json(sub)

    sub = command("save", save, "Keep what a research task found as a file.")
    _task(sub)
    folder = "./research_reports"
    sub.add_argument("--output-dir", default=folder, metavar="DIR", help=f"where to ({folder})")
    sub.add_argument("--prefix", default="research", help="how the file's name begins (research)")
    forms = ["markdown", "html", "json"]
    sub.add_argument("--format", choices=forms, default="markdown", help="(markdown)")
    sub.add_argument("--no-metadata", action="store_true", help="leave the metadata out")
    sub.add_argument("--no-sources", action="store_true", help="leave the sources out")
    _as_json(sub)

    sub = command("cancel", cancel, "Stop a research task or an ingest job.")
    _task(sub, "a task's or job's id")
    sub.add_argument("--discard", action="store_true", help="do not keep partial results")
    _as_json(sub)

    sub = command("ps", ps, "The engine, and the tasks and jobs of this data home.")
    sub.add_argument("--limit", type=int, default=20, help="tasks and jobs at most (20)")
    _as_json(sub)

    sub = command("verify", verify, "Prove the record: chains, tree of heads, blobs.")
    sub.add_argument("what", nargs="?", help="a task, a trace file or a bundle; all without")
    sub.add_argument("--head", help="a head that a tool answer carried: STREAM:SEQ:HASH, or HASH")
    sub.add_argument("--refetch", action="store_true", help="of a task: what its pages are now")
    _as_json(sub)

    sub = command("replay", replay, "Re-run a finished task from its record, offline, and compare.")
    sub.add_argument("trace", help="a task's id or its trace file")
    _as_json(sub)

    _as_json(command("rebuild", rebuild, "Throw every view away and fold the record anew."))

    sub = command("up", up, "Bring the engine up and keep it.")
    sub.add_argument("--dashboard", action="store_true", help="with the Ray dashboard on loopback")
    _as_json(sub)

    _as_json(command("down", down, "Stop the engine; unfinished tasks go on when it is back."))
    _as_json(command("doctor", doctor, "Check what this needs to work."))
    command("demo", demo, "Ingest a sample corpus, research it, verify and replay the answer.")
    commands_knowledge.register(command, parser)
    commands_continue.register(command, parser)
    commands_evidence.register(command, parser)
    commands_audit.register(command)
    commands_watch.register(command)
    commands_tokens.register(command, parser)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for: that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and end."""
        from importlib.metadata import version

        _out(f"research-agent {version('research-agent')}")
        parser.exit()


def _task(sub: argparse.ArgumentParser, says: str = "a task's id") -> None:
    sub.add_argument("task", metavar="TASK", help=f"{says}, or its first 8 characters or more")


def _as_json(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--json", action="store_true", help="print JSON")


def _core(settings: Settings) -> Any:
    from contracts.core import Core

    return Core(settings)


def _out(text: str) -> None:
    sys.stdout.write(text.rstrip("\n") + "\n")


# -- commands -------------------------------------------------------------------------------------


def ingest(options: argparse.Namespace, settings: Settings) -> int:
    """Bring files or folders in."""
    from contracts import knowledge, terminal
    from contracts.core import files_at
    from contracts.following import INTERRUPTED, follow_job

    core = _core(settings)
    for path in options.paths[1:]:
        # One that is wrong is said before the first is begun.
        files_at(path, recursive=not options.flat)
    reports = []
    for place, path in enumerate(options.paths, 1):
        job, _ = knowledge.start_ingest(core, path, options.collection, recursive=not options.flat)
        if not follow_job(core, job, "Ingesting"):
            if left := options.paths[place:]:
                sys.stderr.write(f"research-agent: not begun: {', '.join(left)}\n")
            return INTERRUPTED
        reports.append(knowledge.report_of(core.views.job(job)))
    _out(terminal.as_json(reports) if options.json else terminal.ingest_report(reports))
    return 1 if any(each["failed"] or each["status"] != "success" for each in reports) else 0


def research(options: argparse.Namespace, settings: Settings) -> int:
    """Research a question."""
    from contracts.following import follow_research
    from contracts.research import assigned, brief_for

    core = _core(settings)
    brief = brief_for(
        options.question,
        options.context,
        options.depth,
        collections=tuple(options.collection) if options.collection else None,
        asked_through="cli",
        orchestrate=options.orchestrate,
    )
    task, _ = core.start_research(assigned(core, brief))
    return follow_research(core, task, options)


def status(options: argparse.Namespace, settings: Settings) -> int:
    """Where a task or job stands."""
    from contracts import deep_research, research_terminal
    from contracts.given_ids import is_job

    core = _core(settings)
    task = _whole(core, options)
    if is_job(task) and task in core.catalogue.state().entries:
        return commands_knowledge.job_status(options, core, task)
    return _print_reply(options, deep_research.status(core, task), research_terminal.status)


def results(options: argparse.Namespace, settings: Settings) -> int:
    """What a task found."""
    from contracts import deep_research, research_terminal

    core = _core(settings)
    reply = deep_research.get_results(core, _whole(core, options), include_sources=True)
    return _print_reply(options, reply, lambda reply: research_terminal.report(reply["report"]))


def estimate(options: argparse.Namespace, settings: Settings) -> int:
    """What a research would take and cost."""
    from contracts import deep_research, research_terminal

    reply = deep_research.estimate(_core(settings), options.question)
    return _print_reply(options, reply, research_terminal.estimate)


def save(options: argparse.Namespace, settings: Settings) -> int:
    """Keep what a task found as a file."""
    from contracts import deep_research

    core = _core(settings)
    reply = deep_research.save(
        core,
        _whole(core, options),
        options.output_dir,
        options.prefix,
        include_metadata=not options.no_metadata,
        include_sources=not options.no_sources,
        form=options.format,
    )
    return _print_reply(options, reply, lambda reply: reply["file_path"])


def _whole(core: Any, options: argparse.Namespace) -> str:
    from contracts.given_ids import whole_id

    options.task = whole_id(core, options.task)
    return str(options.task)


def _print_reply(
    options: argparse.Namespace, reply: dict[str, Any], plain: Callable[[dict[str, Any]], str]
) -> int:
    from contracts import terminal

    if reply.get("success") is False:
        from contracts.terminal_refusals import told_reply

        if options.json:
            _out(terminal.as_json(reply))
        named = getattr(options, "task", "")
        sys.stderr.write(f"research-agent: {told_reply(reply, named)}\n")
        return 2
    _out(terminal.as_json(reply) if options.json else plain(reply))
    return 0


def cancel(options: argparse.Namespace, settings: Settings) -> int:
    """Stop a task or job."""
    from contracts import terminal
    from contracts.given_ids import is_job

    core = _core(settings)
    task = _whole(core, options)
    core.cancel(task, save_partial=not options.discard)
    follow = core.follow_job if is_job(task) else core.follow
    seen = list(follow(task, 15))[-1]
    named = {"job_id" if is_job(task) else "task_id": task, "status": seen.phase}
    if not seen.ended:
        sys.stderr.write("research-agent: it is told to stop, and will as soon as it can.\n")
    _out(terminal.as_json(named) if options.json else f"{task} {seen.phase}")
    return 0 if seen.phase == "cancelled" else 1


def ps(options: argparse.Namespace, settings: Settings) -> int:
    """The engine, tasks and jobs."""
    from actors.waking import read_state
    from contracts import deep_research, terminal

    core = _core(settings)
    state = read_state(settings.home)
    jobs = core.views.jobs()[::-1][: max(1, options.limit)]
    listed = deep_research.listing(core, None, options.limit, None)["tasks"]
    if options.json:
        from dataclasses import asdict

        shown = {"engine": asdict(state) if state else None, "tasks": listed}
        _out(terminal.as_json(shown | {"jobs": [asdict(job) for job in jobs]}))
    else:
        _out(terminal.overview(state, listed, jobs))
    return 0


def verify(options: argparse.Namespace, settings: Settings) -> int:
    """Prove the record."""
    from contracts import terminal
    from traces import verify as verifier

    what = options.what
    if not what and not settings.home.is_dir():
        raise BadRequest(
            f"There is no data home at {settings.home}.",
            "Set RESEARCH_AGENT_HOME, or name a trace.",
        )
    if what and Path(what).suffix == ".zip" and Path(what).is_file():
        return commands_evidence.verify_bundle(options)
    if what and not Path(what).exists():
        from contracts.given_ids import whole_id
        from events.errors import UnknownTask

        core = _core(settings)
        what = options.what = whole_id(core, what)
        path = core.home.path(what)
        if not path.exists():
            raise UnknownTask(what)
        if (code := commands_evidence.verify_task(options, core)) is not None:
            return code
        what = str(path)
    arguments = [what or str(settings.home)]
    arguments += ["--head", options.head] if options.head else []
    arguments += ["--json"] if options.json else []
    with terminal.Steps("Verifying") as steps:
        steps.show(0, 1, "reading every line and every blob")
        return verifier.main(arguments)


def replay(options: argparse.Namespace, settings: Settings) -> int:
    """Re-run a finished task from its record."""
    from dataclasses import asdict

    from actors.replay import replay as run_again
    from contracts import terminal

    given, core = Path(options.trace), _core(settings)
    home = core.home
    if given.suffix == ".jsonl" and given.exists():
        from events.home import Home

        home, task = Home(given.resolve().parent.parent), given.stem
    else:
        task = _ended(core, options.trace)
    with terminal.Steps("Replaying") as steps:
        steps.show(0, 1, "running the task again, with the network cut")
        outcome = run_again(home, task)
        steps.show(1, 1, "compared")
    shown = asdict(outcome) | {"identical": outcome.identical}
    _out(terminal.as_json(shown) if options.json else terminal.comparison(outcome))
    return 0 if outcome.identical else 1


def _ended(core: Any, given: str) -> str:
    """A task's id; refused as long as it is worked on."""
    from contracts.given_ids import whole_id
    from events.errors import TaskNotFinished

    task = whole_id(core, given)
    entry = core.catalogue.state().entries.get(task)
    if entry and entry.ended is None:
        raise TaskNotFinished(task, core.views.status(task).progress)
    return task


def rebuild(options: argparse.Namespace, settings: Settings) -> int:
    """Fold the record anew."""
    from dataclasses import asdict

    from contracts import terminal

    core = _core(settings)
    core.home.prepare()
    with terminal.Steps("Rebuilding") as steps:
        steps.show(0, 1, "folding the record from its first line")
        counts = core.views.rebuild()
        steps.show(1, 1, "done")
    said = (
        f"{counts.facts} facts: {counts.tasks} tasks, {counts.jobs} jobs, {counts.sources} sources"
    )
    _out(terminal.as_json(asdict(counts)) if options.json else said)
    for name, why in counts.broken.items():
        sys.stderr.write(f"research-agent: {name} cannot be read: {why}\n")
    return 1 if counts.broken else 0


def up(options: argparse.Namespace, settings: Settings) -> int:
    """Bring the engine up."""
    from dataclasses import asdict, replace

    from actors.waking import wait_up
    from contracts import terminal

    wanted = replace(settings, dashboard=settings.dashboard or options.dashboard)
    core = _core(wanted)
    with terminal.Steps("Starting") as steps:
        steps.show(0, 1, "bringing Ray up")
        core.wake_engine()
        state = wait_up(settings.home, 60)
        steps.show(1, 1, "up")
    told = terminal.engine_places(state, settings.home)
    _out(terminal.as_json(asdict(state)) if options.json else told)
    if options.dashboard and not state.dashboard:
        sys.stderr.write(
            "research-agent: the engine was up already, without a dashboard; "
            "run research-agent down, then up --dashboard again.\n"
        )
    return 0


def down(options: argparse.Namespace, settings: Settings) -> int:
    """Stop the engine."""
    from actors.waking import read_state, shut_down
    from contracts import terminal

    if read_state(settings.home) is None:
        # Perhaps something is left over all the same; there is no need to speak of it before.
        stopped = shut_down(settings.home, 30)
    else:
        with terminal.Steps("Stopping") as steps:
            steps.show(0, 1, "ending Ray")
            stopped = shut_down(settings.home, 30)
            steps.show(1, 1, "ended")
    said = "stopped" if stopped else "nothing was running"
    _out(terminal.as_json({"stopped": stopped}) if options.json else said)
    return 0


def doctor(options: argparse.Namespace, settings: Settings) -> int:
    """Check what this needs to work."""
    from dataclasses import asdict

    from contracts import doctor as checks
    from contracts import terminal

    found = checks.examine(settings)
    good = all(check.good for check in found)
    told = {"good": good, "checks": [asdict(check) for check in found]}
    _out(terminal.as_json(told) if options.json else terminal.checklist(found))
    return 0 if good else 1


def demo(options: argparse.Namespace, settings: Settings) -> int:
    """Show the whole of it once."""
    from contracts.demo import run_demo

    return run_demo(settings)


if __name__ == "__main__":
    sys.exit(main())
