"""The process that runs somebody's SQL: alone, in a DuckDB that can read the audit tables and nothing else.

It is given everything on standard input, answers on standard output, and is thrown away: whatever a statement
manages to do, it does to a process without environment, without the right to write a file, with
bounded memory and time. `projections.audit` starts it and is the only one to talk to it.
"""

import os
import resource
import sys
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from events.spelling import canonical, decode
from projections.audit_pieces import packed, unpacked
from projections.audit_statement import refusal

INSIDE = "inside"
"""The schema of what the tables are made of."""

TABLES = (Path(__file__).resolve().parent.parent / "traces" / "tables.sql").read_text()

_BATCH = 2_048
_VALUE, _CONTAINER = 8, 64
"""Bytes of a value beside its content, and of a list, a map or a structure."""

_ROOM = 3 << 30
"""Bytes of address space beyond DuckDB's own limit: libraries, stacks, the tail of the record."""


class Unanswered(Exception):
    """(kind, message): refused, bad, out of time or memory, too large, or no such moment."""


def main() -> None:
    """Answer the one question on standard input, and end."""
    if not (asked := sys.stdin.buffer.readline()):
        return  # Nobody needs this one any more.
    order = decode(asked)
    parts = [sys.stdin.buffer.read(length) for length in order["lengths"]]
    confine(order["memory"] + _ROOM, order["seconds"])
    head, body = answer(order, *map(unpacked, parts))
    sys.stdout.buffer.write(canonical(head) + b"\n" + body)
    sys.stdout.buffer.flush()
    # At once: whatever a statement left running is not waited for.
    os._exit(0)


def confine(memory: int, seconds: float) -> None:
    """Give up, for good, what a statement must not have: files to write, memory, time."""
    cpu = int(seconds * 8) + 30
    wishes = [(resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, cpu)]
    if sys.platform == "linux":
        wishes.append((resource.RLIMIT_AS, memory))
    for what, most in wishes:
        resource.setrlimit(what, (most, most))


def answer(
    order: dict[str, Any], tail: pa.Table, segments: pa.Table
) -> tuple[dict[str, Any], bytes]:
    """What came of a question, and the rows of the answer."""
    began = time.monotonic()
    database = connect(order)
    late = threading.Event()

    def stop() -> None:
        late.set()
        database.interrupt()

    timer = threading.Timer(order["seconds"], stop)
    timer.daemon = True
    timer.start()
    names: list[str] = []
    try:
        prepare(database, order, tail, segments)
        names = table_names(database)
        if not order["trusted"]:
            check(database, order["sql"], set(names))
        rows, types, truncated = fetch(database, order)
    except Unanswered as failure:
        kind, message = failure.args
        return {"failed": kind, "message": message, "tables": names}, b""
    except (duckdb.Error, pa.ArrowException, MemoryError, RuntimeError, ValueError) as failure:
        return _failed(failure, names, late=late.is_set()), b""
    finally:
        timer.cancel()
    took = round((time.monotonic() - began) * 1000, 1)
    return {"types": types, "truncated": truncated, "took_ms": took}, packed(rows)


def _failed(failure: Exception, names: list[str], *, late: bool) -> dict[str, Any]:
    if late:
        kind = "time"
    elif isinstance(failure, MemoryError | duckdb.OutOfMemoryException | pa.ArrowMemoryError):
        kind = "memory"
    else:
        kind = "bad"
    return {"failed": kind, "message": str(failure).strip(), "tables": names}


def connect(order: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """A database in memory that loads nothing and never writes."""
    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "allow_unsigned_extensions": False,
            "allow_persistent_secrets": False,
            "python_enable_replacements": False,
            "temp_directory": "",
            "max_temp_directory_size": "0B",
            "memory_limit": f"{order['memory']}B",
            "threads": order["threads"],
        },
    )


def prepare(
    database: duckdb.DuckDBPyConnection, order: dict[str, Any], tail: pa.Table, segments: pa.Table
) -> None:
    """Put the tables in place, then lock the door from inside."""
    run = database.execute
    run(f"CREATE SCHEMA {INSIDE}")
    run(f"SET search_path = '{INSIDE}'")
    _view(database, "lines", order["lines"], tail)
    _view(database, "chunk_lines", order["segments"], segments)
    faults = [
        pa.array([fault[place] for fault in order["faults"]], kind)
        for place, kind in enumerate((pa.string(), pa.int64(), pa.string()))
    ]
    database.register("arrow_faults", pa.table(faults, ["stream", "line", "wrong"]))
    run(f"CREATE TABLE {INSIDE}.faults AS FROM arrow_faults")
    database.unregister("arrow_faults")
    until = limits(database, order["as_of"])
    run("SET search_path = 'main'")
    columns = (
        "split_part(stream, '.', 1) AS task, "
        "stream, seq, written_at, epoch, cause, kind, event, hash"
    )
    run(f"CREATE VIEW main.events AS SELECT {columns} FROM {INSIDE}.lines {until}")
    run(f"CREATE VIEW main.faults AS FROM {INSIDE}.faults")
    run(f"CREATE VIEW main.segments AS FROM {INSIDE}.chunk_lines")
    run(TABLES)
    files = ", ".join(_quoted(path) for path in (*order["lines"], *order["segments"]))
    run(f"SET allowed_paths = [{files}]")
    run("SET enable_external_access = false")
    run("SET lock_configuration = true")


def _view(database: duckdb.DuckDBPyConnection, name: str, files: list[str], rest: pa.Table) -> None:
    """Rows that are sealed in files, and the rest."""
    database.register("arrow_rest", rest)
    database.execute(f"CREATE TABLE {INSIDE}.{name}_rest AS FROM arrow_rest")
    database.unregister("arrow_rest")
    sealed = ""
    if files:
        sealed = f"FROM read_parquet([{', '.join(map(_quoted, files))}]) UNION ALL BY NAME "
    database.execute(f"CREATE VIEW {INSIDE}.{name} AS {sealed} FROM {INSIDE}.{name}_rest")


def limits(database: duckdb.DuckDBPyConnection, as_of: dict[str, Any] | None) -> str:
    """Note how far each stream was at a moment; the condition that keeps to it."""
    if as_of is None:
        return ""
    time_, stream, seq = as_of.get("time"), as_of.get("stream", ""), as_of.get("seq", 0)
    if time_ is None:
        by_hash = "hash" in as_of
        found = database.execute(
            f"SELECT written_at, stream, seq FROM {INSIDE}.lines WHERE "
            + ("hash = ?" if by_hash else "stream = ? AND seq = ?"),
            [as_of["hash"]] if by_hash else [stream, seq],
        ).fetchone()
        if found is None:
            raise Unanswered("moment", as_of["said"])
        time_, stream, seq = found
    # Each stream as far as it was: up to the first line that was written later. Of the stream that
    # the moment is taken from, the decision that its line belongs to, whole.
    database.execute(
        f"""CREATE TABLE {INSIDE}.limits AS
        SELECT stream, CASE
            WHEN stream = $stream THEN min(seq) FILTER (seq >= $seq AND "last")
            ELSE coalesce(min(seq) FILTER (written_at > $time::TIMESTAMP) - 1, max(seq))
        END AS until
        FROM {INSIDE}.lines GROUP BY stream""",
        {"stream": stream, "seq": seq, "time": time_},
    )
    return f"JOIN {INSIDE}.limits USING (stream) WHERE seq <= limits.until"


def table_names(database: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables that may be asked."""
    rows = database.execute(
        "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal "
        "AND view_name <> 'segments' ORDER BY 1"
    ).fetchall()
    return [name for (name,) in rows]


def check(database: duckdb.DuckDBPyConnection, sql: str, tables: set[str]) -> None:
    """Refuse whatever is not one SELECT over the tables."""
    statements = database.extract_statements(sql)
    if len(statements) != 1:
        raise Unanswered("refused", f"{len(statements)} statements at once")
    kind = statements[0].type
    if kind == duckdb.StatementType.MULTI:
        # DuckDB would first make a type of the values that it finds.
        raise Unanswered(
            "refused", "PIVOT without its values; name them, as in ON status IN ('failed')"
        )
    if kind != duckdb.StatementType.SELECT:
        raise Unanswered("refused", f"{kind.name} is not a SELECT")
    (raw,) = database.execute("SELECT json_serialize_sql(?)", [statements[0].query]).fetchone() or (
        "{}",
    )
    parsed = decode(raw.encode())
    if parsed.get("error", True):
        raise Unanswered("refused", str(parsed.get("error_message", "it cannot be looked into")))
    others = {
        name.lower()
        for (name,) in database.execute(
            "SELECT view_name FROM duckdb_views() UNION SELECT table_name FROM duckdb_tables()"
        ).fetchall()
    }
    volatile = {
        name.lower()
        for (name,) in database.execute(
            "SELECT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'"
        ).fetchall()
    }
    if why := refusal(parsed, tables, others - tables, volatile):
        raise Unanswered("refused", why)


def fetch(
    database: duckdb.DuckDBPyConnection, order: dict[str, Any]
) -> tuple[pa.Table, list[str], bool]:
    """The first rows of the answer, their types, and whether there are more."""
    relation = database.sql(order["sql"])
    types = [str(each) for each in relation.types]
    reader = relation.to_arrow_reader(_BATCH)
    batches: list[pa.RecordBatch] = []
    rows, size = 0, 0
    while rows <= order["rows"] and size <= order["bytes"]:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            break
        batches.append(batch)
        rows += batch.num_rows
        size += weight(batch)
    table = pa.Table.from_batches(batches, schema=reader.schema)
    kept = min(rows, order["rows"])
    while kept > 1 and weight(table.slice(0, kept)) > order["bytes"]:
        kept //= 2
    if weight(table.slice(0, kept)) > order["bytes"]:
        raise Unanswered("large", "")
    table = table.slice(0, kept)
    return (spelled(database, table) if order["spelled"] else table), types, kept < rows


def spelled(database: duckdb.DuckDBPyConnection, table: pa.Table) -> pa.Table:
    """The answer with columns of times that Python has no values for as the words that DuckDB has for them."""
    for place, column in enumerate(table.columns):
        if _is_beyond_python(column):
            database.register("arrow_odd", pa.table([column], ["value"]))
            words = database.sql("SELECT value::VARCHAR AS value FROM arrow_odd")
            read = words.to_arrow_reader(_BATCH).read_all().column(0)
            table = table.set_column(place, table.column_names[place], read)
            database.unregister("arrow_odd")
    return table


def _is_beyond_python(column: pa.ChunkedArray) -> bool:
    kind = str(column.type)
    if "interval" in kind:
        return True  # Months, days and the rest by themselves say little.
    if "date" not in kind and "timestamp" not in kind:
        return False
    try:
        column.to_pylist()
    except (
        OverflowError,
        ValueError,
    ):  # Other years than 1 to 9999, infinity, parts of microseconds.
        return True
    return False


def weight(rows: pa.RecordBatch | pa.Table) -> int:
    """Bytes of an answer as whoever asked has to hold it: Arrow has nothing for a NULL and a bit for a truth,
    but every value becomes one of its own when it is looked at."""
    weighed = rows.nbytes
    for column in rows.columns:
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        weighed += sum(map(_values_weight, chunks))
    return int(weighed)


def _values_weight(values: pa.Array) -> int:
    kind = values.type
    if pa.types.is_struct(kind):
        return _CONTAINER * len(values) + sum(map(_values_weight, values.flatten()))
    if pa.types.is_union(kind):
        parts = (values.field(place) for place in range(kind.num_fields))
        return _VALUE * len(values) + sum(map(_values_weight, parts))
    if pa.types.is_dictionary(kind):
        # Each value is spelled out again, however seldom its word was sent.
        lengths = pc.binary_length(values.dictionary).take(values.indices)
        return _VALUE * len(values) + int(pc.sum(lengths).as_py() or 0)
    if pa.types.is_map(kind):
        first, last = values.offsets[0].as_py(), values.offsets[-1].as_py()
        members = values.values.slice(first, last - first)
        return _CONTAINER * len(values) + _values_weight(members)
    if pa.types.is_nested(kind):
        return _CONTAINER * len(values) + _values_weight(values.flatten())
    return _VALUE * len(values)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    main()
