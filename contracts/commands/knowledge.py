"""The knowledge base on the command line: the same functions as its tools, for a terminal.

Called like the rest of the commands, and with nothing heavy imported before one of them runs.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.commands.commanding import (
    STDIN,
    Command,
    Register,
    add_json,
    add_question,
    core_of,
    out,
    out_as,
    question_in,
    say,
)
from contracts.commands.shell_completion import SHELLS, script
from contracts.settings import Settings
from events.errors import BadRequest, UnknownCollection, UnknownTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.core import Core
    from contracts.job_reports import Reply

_CHOOSING = ("link", "unlink", "set-defaults")
"""Actions on projects that need collections."""


def register(command: Register, parser: argparse.ArgumentParser) -> None:
    """Add the commands of the knowledge base, and the one that completes all of them."""
    sub = command("ingest", ingest, "Ingest files or folders into a collection.")
    sub.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
    sub.add_argument("--collection", default="default", help="target collection (default)")
    sub.add_argument("--flat", action="store_true", help="do not descend into subfolders")
    add_json(sub)

    sub = command("query", query, "Search the knowledge base.")
    add_question(sub, "query", "what to look for")
    sub.add_argument("--collections", help="comma-separated names (all)")
    sub.add_argument("--top-k", type=int, default=10, help="number of results (10)")
    sub.add_argument("--context", help="what you are working on; shifts the search towards it")
    sub.add_argument("--as-of", metavar="MOMENT", help="search as of a time or catalogue:SEQ")
    add_json(sub)

    sub = command(
        "collections", collections, "Create, list, describe, delete and restore collections."
    )
    sub.add_argument("action", choices=["create", "list", "delete", "info", "restore"])
    sub.add_argument(
        "name", nargs="?", metavar="NAME", help="name of the collection; not needed for list"
    )
    kinds = ["fundamental", "project-specific"]
    sub.add_argument("--type", choices=kinds, help="type of a new collection (fundamental)")
    sub.add_argument(
        "--project",
        help="create: link the new collection to this project; list: show only its collections; info, delete, "
        "restore: refuse a collection that is not linked to it",
    )
    add_json(sub)

    sub = command("projects", projects, "Create projects and choose their collections.")
    actions = ["create", "link", "unlink", "set-defaults", "list", "info"]
    sub.add_argument("action", choices=actions)
    sub.add_argument(
        "name", nargs="?", metavar="NAME", help="name of the project; not needed for list"
    )
    sub.add_argument("--collections", help="comma-separated names")
    add_json(sub)

    _register_kb(command("kb", _no_action, "Add documents to the knowledge base, or remove them."))

    sub = command(
        "reindex",
        reindex,
        "Read, chunk and embed documents again with the current methods, then switch.",
    )
    sub.add_argument("--model", default="", help="embedding model (the bundled one)")
    add_json(sub)

    sub = command("eval", evaluate, "Measure retrieval on a labelled set (BEIR layout).")
    sub.add_argument("what", choices=["retrieval"], help="what to measure")
    sub.add_argument(
        "folder", metavar="DIR", help="folder with corpus.jsonl, queries.jsonl and qrels/"
    )
    sub.add_argument("--split", default="test", help="name of the file in qrels/ (test)")
    add_json(sub)

    sub = command("completion", completion, "Print a completion script for a shell.")
    sub.add_argument("shell", choices=SHELLS, help="the shell to complete in")
    sub.set_defaults(parser=parser)


def _register_kb(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION")

    def action(name: str, act: Command, says: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, help=says, description=says)
        sub.set_defaults(command=act)
        add_json(sub)
        return sub

    def adding(name: str, act: Command, says: str) -> argparse.ArgumentParser:
        sub = action(name, act, says)
        sub.add_argument("--collection", default="default", help="target collection (default)")
        return sub

    sub = adding("add-document", add_document, "Add a file or folder.")
    sub.add_argument("path", metavar="PATH", help="a file or a folder")
    sub.add_argument("--recursive", action="store_true", help="descend into subfolders")

    sub = adding("add-text", add_text, "Add a text.")
    sub.add_argument("text", help="the text itself, or - to read it from stdin")
    sub.add_argument("--source", required=True, help="source of the text: a URL or a name")
    sub.add_argument("--title", help="title of the text")

    sub = adding("add-url", add_url, "Add a web page.")
    sub.add_argument("url", metavar="URL", help="http:// or https://")
    sub.add_argument("--title", help="title to use instead of the page's own")

    sub = adding(
        "add-report", add_report, "Add the report of a finished research task, with its sources."
    )
    sub.add_argument("task", metavar="TASK", help="a task's id, or its first 8 characters or more")
    sub.add_argument("--title", help="title to use instead of its question")

    sub = action("remove", remove, "Remove a document from a collection.")
    sub.add_argument(
        "--collection", default="default", help="collection to remove it from (default)"
    )
    sub.add_argument("document", help="its id, or the path or URL it came from")

    sub = action("status", status, "List the collections, or show the progress of an ingest job.")
    sub.add_argument("job", nargs="?", metavar="JOB", help="a job's id, or its first characters")


def _no_action(options: argparse.Namespace, settings: Settings) -> int:
    raise BadRequest(
        "The ACTION is missing.",
        "Use add-document, add-text, add-url, add-report, remove or status; research-agent kb --help describes each.",
    )


# -- searching -------------------------------------------------------------------------------------


def query(options: argparse.Namespace, settings: Settings) -> int:
    """Search the knowledge base."""
    from contracts.knowledge.querying import Librarian
    from contracts.knowledge.terminal import answer

    if options.top_k < 1:
        raise BadRequest(f"--top-k is {options.top_k}.", "Ask for at least 1 result.")
    librarian = Librarian(core_of(settings))
    reply = librarian.answer(
        question_in(options.query),
        options.collections,
        options.top_k,
        options.context,
        through="cli",
        as_of=options.as_of,
    )
    librarian.flush()
    return out_as(options, reply, answer)


def collections(options: argparse.Namespace, settings: Settings) -> int:
    """One of the actions on collections."""
    from contracts.knowledge import shelving
    from contracts.knowledge import terminal as knowledge_terminal

    _need_name(options, "collection")
    reply = shelving.manage_collections(
        core_of(settings), options.action, options.name, options.type, options.project
    )
    return out_as(options, reply, knowledge_terminal.collections)


def projects(options: argparse.Namespace, settings: Settings) -> int:
    """One of the actions on projects."""
    from contracts.knowledge import shelving
    from contracts.knowledge import terminal as knowledge_terminal

    _need_name(options, "project")
    if options.action in _CHOOSING and not (options.collections or "").strip():
        line = f"research-agent projects {options.action} {options.name} --collections A,B"
        raise BadRequest("No collections are named.", f"Name them: {line}")
    reply = shelving.manage_projects(
        core_of(settings), options.action, options.name, options.collections
    )
    return out_as(options, reply, knowledge_terminal.projects)


def _need_name(options: argparse.Namespace, what: str) -> None:
    if options.action != "list" and not (options.name or "").strip():
        line = f"research-agent {what}s {options.action} NAME"
        raise BadRequest(f"No {what} is named.", f"Name the {what}: {line}")


# -- adding and removing ---------------------------------------------------------------------------


def ingest(options: argparse.Namespace, settings: Settings) -> int:
    """Bring files or folders in."""
    from contracts import job_reports
    from contracts.commands import terminal
    from contracts.commands.following import INTERRUPTED, follow_job
    from contracts.core import files_at
    from contracts.knowledge import ingesting as knowledge
    from contracts.knowledge.still_held import tell_what_stays

    core = core_of(settings)
    for path in options.paths[1:]:
        # One that is wrong is said before the first is begun.
        files_at(path, recursive=not options.flat)
    reports = []
    for place, path in enumerate(options.paths, 1):
        job, _ = knowledge.start_ingest(core, path, options.collection, recursive=not options.flat)
        if not follow_job(core, job, "Ingesting"):
            if left := options.paths[place:]:
                say(f"not begun: {', '.join(left)}")
            return INTERRUPTED
        report = job_reports.report_of(core.views.job(job), job_reports.done_files(core, job))
        reports.append(tell_what_stays(core, report, path, recursive=not options.flat))
    out_as(options, reports, terminal.ingest_report)
    return 1 if any(each["failed"] or each["status"] != "success" for each in reports) else 0


def add_document(options: argparse.Namespace, settings: Settings) -> int:
    """Add a file or folder."""
    from contracts.knowledge import ingesting as knowledge
    from contracts.knowledge.still_held import tell_what_stays

    core = core_of(settings)
    job, _ = knowledge.start_ingest(
        core, options.path, options.collection, recursive=options.recursive
    )

    def telling(report: "Reply") -> "Reply":
        return tell_what_stays(core, report, options.path, recursive=options.recursive)

    return _follow(options, core, job, telling)


def add_text(options: argparse.Namespace, settings: Settings) -> int:
    """Add a text."""
    from contracts.knowledge import ingesting as knowledge

    core = core_of(settings)
    text = sys.stdin.read() if options.text == STDIN else options.text
    job = knowledge.start_augmenting(
        core, text, options.source, options.collection, title=options.title
    )
    return _follow(options, core, job, knowledge.tell_what_was_replaced)


def add_url(options: argparse.Namespace, settings: Settings) -> int:
    """Add a web page."""
    from contracts.knowledge.web_pages import start_page

    core = core_of(settings)
    job = start_page(core, options.url, options.collection, title=options.title)
    return _follow(options, core, job)


def add_report(options: argparse.Namespace, settings: Settings) -> int:
    """Add the report of a finished research."""
    from contracts.given_ids import whole_id
    from contracts.knowledge import ingesting as knowledge

    core = core_of(settings)
    task = whole_id(core, options.task)
    job = knowledge.start_augmenting(
        core, "", "", options.collection, title=options.title, task_id=task
    )
    return _follow(options, core, job)


def remove(options: argparse.Namespace, settings: Settings) -> int:
    """Take a document out of a collection."""
    from actors.shelves import some_names
    from contracts.knowledge import ingesting as knowledge

    core = core_of(settings)
    there = core.catalogue.state().collections
    if options.collection == "default" and "default" not in there:
        known = some_names(there, "none yet")
        raise UnknownCollection("default", f"{known}. Say which with --collection")
    reply = knowledge.remove(core, options.document, options.collection)
    return out_as(
        options, reply, lambda reply: f"removed {reply['source']} from {reply['collection']}"
    )


def status(options: argparse.Namespace, settings: Settings) -> int:
    """What there is, or where a job stands."""
    from contracts import job_reports
    from contracts.given_ids import whole_id
    from contracts.knowledge import shelving
    from contracts.knowledge import terminal as knowledge_terminal

    core = core_of(settings)
    if options.job:
        return job_status(options, core, whole_id(core, options.job))
    jobs = core.views.jobs()
    reply = {
        "collections": shelving.list_collections(core),
        "running": [job_reports.report_of(job) for job in jobs if not job.ended],
    }
    return out_as(options, reply, knowledge_terminal.overview)


def job_status(options: argparse.Namespace, core: "Core", job: str) -> int:
    """Where one job stands."""
    from contracts import job_reports
    from contracts.given_ids import UnknownJob
    from contracts.knowledge import terminal as knowledge_terminal

    try:
        report = job_reports.job_report(core, job)
    except UnknownTask:
        raise UnknownJob(job[:80]) from None
    return out_as(options, report, knowledge_terminal.job)


def _follow(
    options: argparse.Namespace,
    core: "Core",
    job: str,
    telling: "Callable[[Reply], Reply] | None" = None,
) -> int:
    from contracts import job_reports
    from contracts.commands.following import INTERRUPTED, follow_job
    from contracts.knowledge import terminal as knowledge_terminal

    if not follow_job(core, job, "Ingesting"):
        return INTERRUPTED
    report = job_reports.job_report(core, job)
    if telling:
        report = telling(report)
    out_as(options, report, knowledge_terminal.ingested)
    return 1 if report["failed"] or report["status"] != "success" else 0


# -- looking after it ------------------------------------------------------------------------------


def reindex(options: argparse.Namespace, settings: Settings) -> int:
    """Read, cut and embed anew what is done better by now."""
    from contracts import job_reports
    from contracts.commands.following import INTERRUPTED, follow_job
    from contracts.knowledge import terminal as knowledge_terminal

    core = core_of(settings)
    core.home.prepare()
    job, _ = core.catalogue.enter_reindexing(options.model)
    core.wake_engine()
    if not follow_job(core, job, "Reindexing"):
        return INTERRUPTED
    report = job_reports.job_report(core, job)
    out_as(options, report, knowledge_terminal.reindexed)
    return 0 if report["status"] == "success" else 1


def evaluate(options: argparse.Namespace, settings: Settings) -> int:
    """Measure retrieval on a labelled set."""
    from tempfile import TemporaryDirectory

    from contracts.commands import terminal
    from contracts.knowledge import evaluating
    from contracts.knowledge import terminal as knowledge_terminal

    labelled = evaluating.read_set(Path(options.folder), options.split)
    with TemporaryDirectory() as place, terminal.Steps("Evaluating") as steps:
        measured = evaluating.evaluate(
            labelled,
            Path(place),
            say=lambda now: steps.show(0, 1, now),
            reranker=settings.reranker,
        )
    return out_as(options, measured.as_json(), knowledge_terminal.evaluation)


def completion(options: argparse.Namespace, settings: Settings) -> int:
    """A completion script, as in `eval "$(research-agent completion bash)"`."""
    out(script(options.parser, options.shell))
    return 0
