"""The audit on the command line: a question with its answer, a file, or a prompt.

Called like the rest of the commands, and with nothing heavy imported before it runs.
"""

import argparse
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.commands.commanding import Register, out, say
from contracts.settings import Settings
from events.errors import BadRequest, ResearchError

if TYPE_CHECKING:
    from projections.audit import Audit

_NEAR = 3
"""Names at most that one which does not exist is answered with."""

_HELP = "SQL ends with a semicolon; .list shows what there is, .help says this, .quit ends."


def register(command: Register) -> None:
    """Add the command."""
    sub = command("audit", audit, "Query the record in SQL, or run a named query.")
    sub.add_argument(
        "question",
        nargs="?",
        help="a SELECT or the name of a query; without it, a prompt (or stdin)",
    )
    sub.add_argument("--list", action="store_true", help="list the named queries and the tables")
    sub.add_argument(
        "--as-of", metavar="MOMENT", help="answer as of a time, STREAM:SEQ, or a line's hash"
    )
    sub.add_argument("--limit", type=int, help="maximum number of rows (100; with --output, all)")
    shape = sub.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--csv", action="store_true", help="print CSV")
    shape.add_argument("--output", metavar="FILE", help="write FILE.parquet, .arrow or .csv")


def audit(options: argparse.Namespace, settings: Settings) -> int:
    """Answer one question, or every one that is typed."""
    from events.home import Home
    from projections.audit import Audit

    home = Home(settings.home)
    if options.list:
        return _list(options, Audit(home))
    if options.output:
        return _export(options, home)
    if options.question:
        return _answer(options, Audit(home), options.question)
    if not sys.stdin.isatty():
        return _from_stdin(options, Audit(home, ahead=True))
    return _prompt(options, Audit(home, ahead=True), settings)


def _list(options: argparse.Namespace, asked: "Audit") -> int:
    from contracts.audit.asking import overview
    from contracts.commands import terminal

    found = overview(asked)
    if options.json:
        return _out(terminal.as_json(found))
    questions = _listed(["question", "what it answers"], found["questions"].items())
    columns = ((name, ", ".join(columns)) for name, columns in found["tables"].items())
    return _out(f"{questions}\n\n{_listed(['table', 'columns'], columns)}")


def _listed(headings: list[str], rows: Iterable[tuple[str, str]]) -> str:
    """Names with what there is to say of each, in as many lines as it takes."""
    from contracts.commands import terminal

    listed = [(headings[0], headings[1]), *rows]
    wide = max(terminal.cells(name) for name, _ in listed) + 2
    return "\n".join(terminal.hanging(f"{name:<{wide}}", wide, says) for name, says in listed)


def _export(options: argparse.Namespace, home: Any) -> int:
    from contracts.audit.export import export
    from events.words import count

    if not options.question:
        raise BadRequest("Nothing was asked.", "Give a SELECT or a name before --output.")
    kept = export(home, options.question, Path(options.output), options.limit, options.as_of)
    more = " (there is more: raise --limit)" if kept["truncated"] else ""
    return _out(f"{kept['file']}: {count(kept['rows'], 'row')}{more}")


def _answer(options: argparse.Namespace, asked: "Audit", question: str) -> int:
    from contracts.audit.asking import DEFAULT_ROWS, answer, closing, shown
    from contracts.audit.export import as_csv
    from contracts.commands import terminal

    _check_name(asked, question)
    limit = DEFAULT_ROWS if options.limit is None else options.limit
    reply = answer(asked, question, limit, options.as_of)
    if options.json:
        return _out(terminal.as_json(reply))
    if options.csv:
        sys.stdout.write(as_csv(reply["columns"], reply["rows"]))
    else:
        rows = (map(shown, row) for row in reply["rows"])
        _out(terminal.fitting_table(reply["columns"], rows))
    sys.stderr.write(closing(reply) + "\n")
    return 0


def _check_name(asked: "Audit", question: str) -> None:
    """Refuse a name that no question has with the few that are like it, not with all of them."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", question.strip()) or question.strip() in asked.named:
        return
    said = question.strip()
    if said in asked.columns:
        raise BadRequest(f"{said} is a table.", f"Ask it in SQL: SELECT * FROM {said};")
    near = [name for name in asked.named if name.startswith(said)]
    near = (near or get_close_matches(said, asked.named, n=_NEAR))[:_NEAR]
    perhaps = f"Perhaps {' or '.join(near)}? " if near else ""
    raise BadRequest(
        f"There is no named query {said[:80]!r}.",
        f"{perhaps}research-agent audit --list shows all of them, and the tables for SQL.",
    )


def _out(text: str) -> int:
    out(text)
    return 0


# -- many questions --------------------------------------------------------------------------------


def _from_stdin(options: argparse.Namespace, asked: "Audit") -> int:
    """Answer every statement that stands before a semicolon; one that is refused ends nothing."""
    from contracts.audit.prompt import statements

    worst = 0
    for question in statements(sys.stdin):
        worst = max(worst, _try(options, asked, question))
    asked.close()
    return worst


def _prompt(options: argparse.Namespace, asked: "Audit", settings: Settings) -> int:
    from contracts.audit.prompt import questions
    from contracts.commands import terminal

    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    history = settings.home / "run" / "audit_history"
    history.parent.mkdir(mode=0o700, exist_ok=True)
    tables = terminal.hanging("Tables: ", len("Tables: "), f"{', '.join(asked.columns)}.")
    sys.stderr.write(f"{_HELP}\n{tables}\n")
    for question in questions(asked.columns, list(asked.named), history):
        try:
            _act(options, asked, question)
        except KeyboardInterrupt:
            # Whoever stops an answer wants to ask something else.
            sys.stderr.write("\nStopped. Ask again, or .quit.\n")
    asked.close()
    return 0


def _act(options: argparse.Namespace, asked: "Audit", question: str) -> None:
    """Do what was typed."""
    if question == ".list":
        _list(options, asked)
    elif question == ".help":
        sys.stderr.write(f"{_HELP}\n")
    elif question.startswith("."):
        say(f"{question[:80]!a} is not a command. {_HELP}")
    else:
        _try(options, asked, question)


def _try(options: argparse.Namespace, asked: "Audit", question: str) -> int:
    try:
        return _answer(options, asked, question)
    except ResearchError as refusal:
        from contracts.commands.terminal_refusals import told

        say(told(refusal))
        return 2
