"""How things look in a terminal: progress to stderr, results as text."""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import orjson

from events.words import count, is_seen

_NARROW = 16
"""Columns that a cell with its rules needs at least to be read when it is wrapped."""

_BEGINNING = 8
"""Columns of a question by which it can be told in a narrow terminal."""

_END_OF_ID = re.compile(r"(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""What need not be typed of an id."""

_RULES = ("|", "│", "┃")
"""How rows of tables begin, which are not broken."""


class Steps:
    """Progress of something long: a bar for a person, plain lines for a pipe. Never on stdout."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None
        self._task: Any = None
        self._said = ""

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

            columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn()
            self._bar = Progress(
                *columns,
                # What files are called is no markup.
                TextColumn("{task.fields[now]}", markup=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=None, now="")
        return self

    def show(self, done: float, of: float, now: str) -> None:
        """Say how far it is."""
        now = harmless(now)
        if self._bar:
            self._bar.update(self._task, completed=done, total=of or None, now=now)
        elif now != self._said:
            self._said = now
            sys.stderr.write(f"{self._title}: {now} ({done:g}/{of:g})\n")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()


def harmless(text: str) -> str:
    """A line that documents, models and file names have a part in: shown, and steering no terminal."""
    if text.isprintable():
        return text
    return "".join(letter if is_seen(letter) else " " for letter in text)


def as_json(value: Any) -> str:
    """A value as readable JSON."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:
        # A path may have bytes that are no letters, such as those of a home that lies in an old folder.
        return json.dumps(value, indent=2)


def fields(values: Mapping[str, Any]) -> str:
    """A mapping, one member a line."""
    width = max(map(len, values), default=0)
    return "\n".join(
        folded(f"{name:<{width}}  {_short(value)}", indent=width + 2)
        for name, value in values.items()
    )


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return harmless(", ".join(f"{name} {member}" for name, member in value.items()))
    return harmless(str(value))


def table(headings: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows in columns."""
    lines = [headings, *([harmless(str(cell)) for cell in row] for row in rows)]
    widths = [max(cells(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell + " " * (width - cells(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def cells(text: str) -> int:
    """The columns of a terminal that a text takes: letters of some scripts take two, marks none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def hanging(before: str, indent: int, text: str) -> str:
    """A text wrapped to the terminal's width, later lines indented; one line for a pipe."""
    text = harmless(text)
    if not sys.stdout.isatty() or cells(before) + cells(text) <= (width := _width()):
        return before + text
    from rich.console import Console
    from rich.text import Text

    room = max(20, width - max(indent, cells(before)))
    lines = Text(text).wrap(Console(width=width), room, no_wrap=False)
    first, *rest = (line.plain.rstrip() for line in lines)
    return ("\n" + " " * indent).join([before + first, *rest])


def columns(found: dict[str, Any], before: str) -> Iterator[str]:
    """What the columns of quoted rows are called, where the rows stand without it."""
    if heads := found.get("column_heads"):
        # Gaps part the names where nothing else does.
        yield hanging(before, len(before), "Columns: " + str(heads).replace("\n", "  "))


def folded(text: str, to: TextIO | None = None, indent: int = 0) -> str:
    """Lines that are too long for a terminal, broken between words; a path or a hash stays whole, to be copied."""
    if not (to or sys.stdout).isatty():
        return text
    return "\n".join(_folded(line, _width(), indent) for line in text.split("\n"))


def _folded(line: str, width: int, indent: int) -> str:
    if cells(line) <= width or line.startswith(_RULES):
        return line
    first, *words = line.split(" ")
    lines = [first]
    for word in words:
        longer = f"{lines[-1]} {word}"
        if cells(longer) <= width or not lines[-1].strip():
            lines[-1] = longer
        else:
            lines.append(" " * indent + word)
    return "\n".join(each.rstrip() for each in lines)


def beside(before: str, name: str, more: str) -> str:
    """A path or address with a word beside it; below it, where a terminal has no room for both."""
    line = f"{before}{name}  {more}"
    if not sys.stdout.isatty() or cells(line) <= _width():
        return line
    return f"{before}{name}\n{before}{more}"


def _width() -> int:
    return shutil.get_terminal_size().columns


def pretty_table(headings: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows in columns, with rules and wrapped cells for a person, plain for a pipe."""
    if not sys.stdout.isatty():
        return table(headings, rows)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shaped = Table(*headings)
    for row in rows:
        # As text: what documents are called is no markup.
        shaped.add_row(*(Text(harmless(str(cell))) for cell in row))
    console = Console()
    with console.capture() as captured:
        console.print(shaped)
    return captured.get().rstrip("\n")


def fitting_table(headings: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows in columns as wide as they are where the terminal is, else wrapped, else a line per value."""
    listed = [[str(cell) for cell in row] for row in rows]
    plain = table(headings, listed)
    if not sys.stdout.isatty() or max(map(cells, plain.splitlines()), default=0) <= _width():
        return plain
    if (_width() - 1) // len(headings) >= _NARROW:
        return pretty_table(headings, listed)
    name = max(map(cells, headings))
    return "\n\n".join(
        "\n".join(
            hanging(f"{heading:<{name}}  ", name + 2, cell)
            for heading, cell in zip(headings, row, strict=True)
        )
        for row in listed
    )


def ingest_report(reports: list[dict[str, Any]]) -> str:
    """What became of the files."""
    lines = []
    for report in reports:
        counts = ("added", "updated", "unchanged", "empty", "failed")
        said = ", ".join(f"{report[name]} {name}" for name in counts if report[name])
        early = "" if report["status"] == "success" else f" ({report['status']})"
        lines.append(f"{report['collection']}: {said or 'nothing to do'}{early}")
        lines += [
            harmless(f"  failed: {each['path']}: {each['reason']}") for each in report["failures"]
        ]
        lines += [
            harmless(f"  empty: {each['path']}: {each['reason'] or 'there is no text in it'}")
            for each in report["report"]
            if each["outcome"] == "empty"
        ]
        if report["status"] == "success" and (message := report.get("message")):
            lines.append(hanging("  ", 2, message))
        lines += [harmless(f"  gone: {each['path']}") for each in report.get("gone", [])]
    return "\n".join(lines)


def engine_places(state: Any, home: Path) -> str:
    """Where the engine is, and how it can be looked at."""
    lines = [f"up at {state.address}"]
    if state.dashboard:
        lines += [f"dashboard {state.dashboard}", f"metrics {state.metrics}"]
        lines.append(f"  both ask for the token in {home}/run/ray_token")
    return "\n".join(lines)


def overview(state: Any, tasks: list[dict[str, Any]], jobs: list[Any]) -> str:
    """What runs and what ran."""
    engine = f"engine {state.state} at {state.address}" if state else "engine not running"
    parts = [engine]
    if not tasks and not jobs:
        parts.append("nothing here yet; begin with research-agent ingest PATH")
    if tasks:
        names = _short_ids([each["task_id"] for each in tasks])
        known = [
            (name, _state(each), f"{each['progress']}%")
            for name, each in zip(names, tasks, strict=True)
        ]
        taken = sum(max(map(cells, column)) + 2 for column in zip(*known, strict=True))
        room = max(_BEGINNING, _width() - taken) if sys.stdout.isatty() else 60
        rows = ((*row, _cut(each["query"], room)) for row, each in zip(known, tasks, strict=True))
        parts += ["", table(["task", "status", "", "question"], rows)]
    if jobs:
        rows_of_jobs = (
            (name, job.phase, f"{files_done(job)}/{job.files}", job.collection or "every one")
            for name, job in zip(_short_ids([job.job for job in jobs]), jobs, strict=True)
        )
        parts += ["", table(["job", "status", "files", "collection"], rows_of_jobs)]
    return "\n".join(parts)


def _short_ids(names: list[str]) -> list[str]:
    """As much of each id as tells them apart, for a person; whole ones for a pipe."""
    if not sys.stdout.isatty():
        return names
    short = [_END_OF_ID.sub("", name) for name in names]
    return [
        each if short.count(each) == 1 else name for each, name in zip(short, names, strict=True)
    ]


def _cut(text: str, room: int) -> str:
    """As much of a text as there is room for, on one line."""
    flat = " ".join(text.split())
    if cells(flat) <= room:
        return flat
    cut = flat[: room - 1]
    while cells(cut) > room - 1:
        cut = cut[:-1]
    return f"{cut}…"


def files_done(job: Any) -> int:
    """How many files a job is through with; a reindexing that ended also with those it left as they were."""
    done: int = job.files if job.phase == "completed" else job.done
    return done


def status_in_words(word: str) -> str:
    """A status as a person says it: that nobody waits for it any more means something to clients alone."""
    return "running" if word == "running_async" else word


def _state(task: dict[str, Any]) -> str:
    word = status_in_words(task["status"])
    return f"{word}, imported" if "imported_at" in task else word


def comparison(outcome: Any) -> str:
    """What a replay showed."""
    if outcome.identical:
        return (
            f"identical: {count(outcome.facts, 'fact')}, {count(outcome.citations, 'citation')} "
            f"verbatim, report {outcome.report}"
        )
    return "\n".join(["different:", *(harmless(f"- {each}") for each in outcome.differences)])


def checklist(checks: Iterable[Any]) -> str:
    """What a doctor found."""
    return "\n".join(
        hanging(f"{'ok ' if check.good else 'BAD'}  ", 5, f"{check.what}: {check.found}")
        + ("" if check.good else "\n" + hanging("     ", 5, check.advice))
        for check in checks
    )
