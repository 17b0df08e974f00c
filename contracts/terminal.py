"""How things look in a terminal: progress to stderr, results as text."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson


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
                TextColumn("{task.fields[now]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._title, total=None, now="")
        return self

    def show(self, done: float, of: float, now: str) -> None:
        """Say how far it is."""
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


def as_json(value: Any) -> str:
    """A value as readable JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def fields(values: Mapping[str, Any]) -> str:
    """A mapping, one member a line."""
    width = max(map(len, values), default=0)
    return "\n".join(f"{name:<{width}}  {_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {member}" for name, member in value.items())
    return str(value)


def table(headings: list[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows in columns."""
    lines = [[str(cell) for cell in row] for row in rows]
    widths = [
        max([len(heading), *(len(line[column]) for line in lines)])
        for column, heading in enumerate(headings)
    ]
    shaped = [headings, *lines]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in shaped
    )


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
        shaped.add_row(*(Text(str(cell)) for cell in row))
    console = Console()
    with console.capture() as captured:
        console.print(shaped)
    return captured.get()


def ingest_report(reports: list[dict[str, Any]]) -> str:
    """What became of the files."""
    lines = []
    for report in reports:
        counts = ("added", "updated", "unchanged", "empty", "failed")
        said = ", ".join(f"{report[name]} {name}" for name in counts if report[name])
        lines.append(f"{report['collection']}: {said or 'nothing to do'}")
        lines += [f"  failed: {each['path']}: {each['reason']}" for each in report["failures"]]
    return "\n".join(lines)


def research_result(found: dict[str, Any]) -> str:
    """An answer with its evidence, for reading."""
    factors, cost = found["confidence_factors"], found["cost_metadata"]
    parts = [found["answer"], "", "Citations"]
    for citation in found["citations"]:
        parts.append(f"[{citation['number']}] {citation['title'] or citation['locator']}")
        parts.append(f"    {citation['locator']}  {citation['content_hash'][:19]}…")
        parts.append(f"    “{' '.join(citation['raw_excerpt'].split())}”")
    if found["gaps"]:
        parts += ["", "Gaps"]
        parts += [f"- {gap['topic']} ({gap['category']}): {gap['detail']}" for gap in found["gaps"]]
    if found["open_questions"]:
        parts += ["", "Open questions"]
        parts += [f"- {each['question']} ({each['priority']})" for each in found["open_questions"]]
    said = ", ".join(f"{name} {value}" for name, value in factors.items())
    parts += ["", f"Confidence {found['confidence']:.2f}: {said}"]
    if "confidence_calibrated" in found:
        rated = found["calibration"]["ratings"]
        parts.append(f"Calibrated {found['confidence_calibrated']:.2f}, by {rated} ratings")
    parts.append(
        f"{cost['iterations_run']} searches, {cost['tokens_used']} tokens, "
        f"{cost['wall_time_sec']:.2f} s, {cost['model_id']}"
    )
    record = found["record"]
    parts.append(f"Trace {found['trace_id']}  head {record['seq']}:{record['head']}")
    return "\n".join(parts)


def estimate(expected: dict[str, Any]) -> str:
    """What a research would take and cost, for reading."""
    minutes, dollars = expected["estimated_duration"], expected["estimated_cost"]
    rows = [
        ("minutes", *(f"{minutes[f'{name}_minutes']:g}" for name in ("min", "likely", "max"))),
        ("dollars", *(f"{dollars[f'{name}_usd']:g}" for name in ("min", "likely", "max"))),
    ]
    return "\n".join([table(["", "least", "likely", "most"], rows), "", expected["recommendation"]])


def engine_places(state: Any, home: Path) -> str:
    """Where the engine is, and how it can be looked at."""
    lines = [f"up at {state.address}"]
    if state.dashboard:
        lines += [f"dashboard {state.dashboard}", f"  asks for the token in {home}/run/ray_token"]
    if state.metrics:
        lines.append(f"metrics {state.metrics}")
    return "\n".join(lines)


def overview(state: Any, tasks: list[dict[str, Any]], jobs: list[Any]) -> str:
    """What runs and what ran."""
    engine = f"engine {state.state} at {state.address}" if state else "engine not running"
    parts = [engine]
    if tasks:
        rows = (
            (each["task_id"], _state(each), f"{each['progress']}%", each["query"][:60])
            for each in tasks
        )
        parts += ["", table(["task", "status", "", "question"], rows)]
    if jobs:
        rows_of_jobs = (
            (job.job, job.phase, f"{job.done}/{job.files}", job.collection) for job in jobs
        )
        parts += ["", table(["job", "status", "files", "collection"], rows_of_jobs)]
    return "\n".join(parts)


def _state(task: dict[str, Any]) -> str:
    return f"{task['status']}, imported" if "imported_at" in task else str(task["status"])


def comparison(outcome: Any) -> str:
    """What a replay showed."""
    if outcome.identical:
        return (
            f"identical: {outcome.facts} facts, {outcome.citations} citations verbatim, "
            f"report {outcome.report}"
        )
    return "\n".join(["different:", *(f"- {each}" for each in outcome.differences)])


def checklist(checks: Iterable[Any]) -> str:
    """What a doctor found."""
    return "\n".join(
        f"{'ok ' if check.good else 'BAD'}  {check.what}: {check.found}"
        + ("" if check.good else f"\n     {check.advice}")
        for check in checks
    )
