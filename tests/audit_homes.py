"""What the tests of the audit share: questions asked in this process, and homes worth asking."""

from pathlib import Path
from typing import Any

import duckdb

from events.home import Home
from projections import audit_worker
from projections.audit import _moment
from projections.audit_lines import Lines
from projections.audit_pieces import unpacked
from projections.audit_segments import Segments

TRACES = Path(__file__).resolve().parent.parent / "traces"

Rows = list[dict[str, Any]]


class Unanswered(Exception):
    """(kind, message)."""


def order_of(home: Home, lines: Lines, segments: Segments, as_of: str | None) -> dict[str, Any]:
    """What the process of a question is told."""
    lines.catch_up()
    segments.catch_up(lines.segments())
    return {
        "as_of": _moment(as_of),
        "lines": lines.sealed,
        "segments": segments.sealed,
        "faults": lines.faults(),
        "rows": 100_000,
        "bytes": 1 << 30,
        "memory": 1 << 30,
        "seconds": 60.0,
        "threads": 2,
        "trusted": False,
        "spelled": False,
    }


def ask_here(
    home: Home, sql: str, as_of: str | None = None, lines: Lines | None = None, **terms: Any
) -> Rows:
    """Ask what `Audit` would ask, without the process of its own."""
    lines, segments = lines or Lines(home), Segments(home)
    order = order_of(home, lines, segments, as_of) | {"sql": sql} | terms
    head, body = audit_worker.answer(order, lines.tail(), segments.tail())
    if "failed" in head:
        raise Unanswered(head["failed"], head["message"])
    return unpacked(body).to_pylist()  # type: ignore[no-any-return]


def open_here(
    home: Home, as_of: str | None = None, lines: Lines | None = None
) -> duckdb.DuckDBPyConnection:
    """The database that a statement meets, behind every wall but the first."""
    lines, segments = lines or Lines(home), Segments(home)
    order = order_of(home, lines, segments, as_of)
    database = audit_worker.connect(order)
    audit_worker.prepare(database, order, lines.tail(), segments.tail())
    return database


def plain_shell(home: Home) -> duckdb.DuckDBPyConnection:
    """A DuckDB as anybody has it, over the files of a home."""
    shell = duckdb.connect(config={"autoinstall_known_extensions": False})
    shell.execute(f"set variable traces = '{home.traces}/*.jsonl'")
    for part in ("files", "tables"):
        shell.execute((TRACES / f"{part}.sql").read_text())
    return shell


def tables_of(shell: duckdb.DuckDBPyConnection) -> list[str]:
    rows = shell.execute(
        "select view_name from duckdb_views() where not internal and schema_name = 'main'"
    ).fetchall()
    return sorted({name for (name,) in rows} - {"lines", "segments"})
