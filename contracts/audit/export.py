"""Answers of an audit as files: Parquet, Arrow and CSV, written whole or not at all, and never over another."""

import csv
import os
import uuid
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from contracts.audit.asking import expect_limit, plain
from contracts.commands.terminal import as_json
from events.errors import BadRequest, PathRefused
from events.home import Home
from projections.audit import Audit, Limits, Table

EXPORTED_ROWS = 1_000_000
EXPORTING = Limits(seconds=120.0, memory=2 << 30, bytes=512 << 20)
ENDINGS = (".parquet", ".arrow", ".csv")


class NotWritten(PathRefused):
    """An answer cannot be kept in that place: (path, why)."""

    says = "Cannot write {0}: {1}."
    suggestion = "Name a file in a folder that exists and that you may write to."


def export(
    home: Home, question: str, path: Path, limit: int | None, as_of: str | None
) -> dict[str, Any]:
    """Keep an answer as a file that was not there before."""
    rows = EXPORTED_ROWS if limit is None else limit
    expect_limit(rows, EXPORTED_ROWS)
    checked(path, home)
    ending = path.suffix.lower()
    spelled = ending == ".csv"  # The others have values for every time.
    table = Audit(home, EXPORTING).table(question, limit=rows, as_of=as_of, spelled=spelled)
    write_new(path, writer(table, ending))
    return {
        "file": str(path),
        "rows": table.arrow.num_rows,
        "columns": list(table.arrow.column_names),
        "truncated": table.truncated,
        "size": path.stat().st_size,
        "took_ms": table.took_ms,
    }


def checked(path: Path, home: Home) -> None:
    """Refuse a file that is there, has no form we know, or lies in the data home."""
    if path.suffix.lower() not in ENDINGS:
        raise BadRequest(
            f"A file called {path.name!r} has no form we write.",
            f"Let its name end in {', '.join(ENDINGS)}.",
        )
    if path.exists() or path.is_symlink():
        raise BadRequest(f"{path} exists.", "Nothing is overwritten: choose another name.")
    if path.resolve().is_relative_to(home.root.resolve()):
        raise BadRequest(f"{path} is in the data home.", "Choose a place outside of it.")


def writer(table: Table, ending: str) -> Callable[[Path], None]:
    """What writes the table to a file of that kind."""
    from projections.audit_files import WRITERS, Unwritable

    def write(passing: Path) -> None:
        try:
            if ending == ".csv":
                rows = zip(*(column.to_pylist() for column in table.arrow.columns), strict=True)
                passing.write_text(
                    as_csv(table.arrow.column_names, rows), encoding="utf-8", newline=""
                )
            else:
                WRITERS[ending](table.arrow, passing)
        except Unwritable as failure:
            raise BadRequest(
                f"The answer cannot be written as {ending}: {str(failure)[:300]}.",
                "Cast its columns to VARCHAR, or write .csv.",
            ) from None

    return write


def as_csv(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows with commas between; lists and structures as JSON."""
    out = StringIO(newline="")
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(columns)
    for row in rows:
        values = map(plain, row)
        lines.writerow(
            [as_json(value) if isinstance(value, list | dict) else value for value in values]
        )
    return out.getvalue()


def write_new(path: Path, write: Callable[[Path], None]) -> None:
    """Let a file come to be under its name only when all of it is there."""
    passing = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        write(passing)
        with passing.open("rb") as file:
            os.fsync(file.fileno())
        # A link, unlike a rename, never replaces what is there.
        path.hardlink_to(passing)
    except FileExistsError:
        raise BadRequest(
            f"{path} exists.", "Nothing is overwritten: choose another name."
        ) from None
    except OSError as failure:
        raise NotWritten(str(path), failure.strerror or str(failure)) from None
    finally:
        passing.unlink(missing_ok=True)
