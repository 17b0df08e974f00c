"""The same facts as tables, for SQL: the only door to DuckDB and Arrow.

An in-memory database of this process, made when SQL is first asked for. Rows and positions move in
one transaction, and always from Arrow: row by row would be a hundred times slower.
"""

from collections.abc import Iterable, Sequence
from dataclasses import is_dataclass
from operator import attrgetter
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from events.errors import BrokenChain
from events.home import CATALOGUE, Home
from events.tail import Cursor, read_parts
from projections.catalogue import Anchor, SourceVersion
from projections.costs import Call, fold_calls
from projections.evidence import Discovery, File, Gap, Question, Quote, Read, evidence
from projections.folded import Folded
from projections.status import JobStatus, TaskStatus

BATCH = 50_000
"""Rows that may wait in memory before they are written."""


class Position(NamedTuple):
    """How far a stream is in the tables."""

    stream: str
    role: str
    task: str
    """The task or job it belongs to."""

    offset: int
    seq: int
    head: str
    epoch: int
    settled: bool
    """Nothing of its task or job will ever change."""


TABLES: dict[str, type] = {
    "positions": Position,
    "tasks": TaskStatus,
    "jobs": JobStatus,
    "sources": SourceVersion,
    "calls": Call,
    "reads": Read,
    "quotes": Quote,
    "gaps": Gap,
    "discoveries": Discovery,
    "questions": Question,
    "files": File,
}
"""Every table, and the row it holds: its columns are the row's members."""

_KEYS = {
    "positions": ("stream",),
    "tasks": ("task",),
    "jobs": ("job",),
    "sources": ("collection", "document"),
    "calls": ("stream", "call"),
}
"""Tables whose rows are replaced when they come again; all others only grow."""

_OWNERS = {table: "job" if table == "jobs" else "task" for table in TABLES if table != "sources"}
_TABLE_OF = {row: table for table, row in TABLES.items()}


class Store:
    """The tables. Not safe to share between threads: `Views` holds the lock."""

    def __init__(self, home: Home, files: dict[str, bytes]) -> None:
        self._home = home
        self._db = duckdb.connect(
            ":memory:",
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
        )
        for table in TABLES:
            raw = files.get(table)
            self._create(table, pq.read_table(pa.BufferReader(raw)) if raw else _arrow(table, []))
        self._waiting: dict[str, list[Any]] = {table: [] for table in TABLES}
        self._forgotten: list[str] = []
        self._cursors: dict[str, Cursor] = {}
        self._settled: dict[str, Anchor] = {}
        self._unanswered: dict[str, dict[str, Call]] = {}
        self.taken = 0
        """Facts taken in by this object."""

        self._remember()

    def _remember(self) -> None:
        for row in self._rows("SELECT * FROM positions"):
            position = Position(*row)
            cursor = Cursor(position.offset, position.seq, position.head, position.epoch)
            self._cursors[position.stream] = cursor
            if position.settled and position.stream == position.task:
                self._settled[position.task] = Anchor(position.seq, position.head)
        for row in self._rows("SELECT * FROM calls WHERE outcome <> 'answered'"):
            call = Call(*row)
            self._unanswered.setdefault(call.stream, {})[call.call] = call

    # -- taking in -----------------------------------------------------------------------------

    def cursor(self, stream: str) -> Cursor:
        """How far a stream is in the tables."""
        return self._cursors.get(stream, Cursor())

    def has_all_of(self, owner: str, end: Anchor | None) -> bool:
        """Whether nothing of a task or job that ended there can be missing."""
        return end is not None and self._settled.get(owner) == end

    def take(
        self,
        status: TaskStatus | JobStatus,
        streams: Sequence[tuple[str, Folded]],
        settled: Anchor | None,
    ) -> None:
        """Bring a task or job and its streams up to the given states."""
        owner = streams[0][1].owner
        try:
            self._take_streams(streams, settled)
        except BrokenChain:
            # Not what is in the tables any more: `streams` was folded from what is there now.
            self.forget(owner)
            self._take_streams(streams, settled)
        self._waiting[_TABLE_OF[type(status)]].append(status)
        if settled:
            self._settled[owner] = settled
        if sum(map(len, self._waiting.values())) > BATCH:
            self.write()

    def take_sources(self, past: Iterable[SourceVersion]) -> None:
        """Replace what is known of one document in one collection."""
        self._waiting["sources"].extend(past)

    def move_catalogue(self, to: Cursor) -> None:
        """Note how far the catalogue is in the tables."""
        self._move(CATALOGUE, CATALOGUE, CATALOGUE, to, settled=False)

    def forget(self, owner: str) -> None:
        """Drop every row of a task or job."""
        self.write()
        self._forgotten.append(owner)
        self._settled.pop(owner, None)
        streams = "SELECT stream FROM positions WHERE task = ?"
        for (stream,) in self._rows(streams, [owner]):
            self._cursors.pop(stream, None)
            self._unanswered.pop(stream, None)

    def _take_streams(self, streams: Sequence[tuple[str, Folded]], settled: Anchor | None) -> None:
        for name, state in streams:
            at = self.cursor(name)
            if at != state.cursor:
                if at.seq >= state.cursor.seq:
                    raise BrokenChain(name, at.seq, "lines at the end are gone")
                self._take_records(name, state, at)
            self._move(name, state.role, state.owner, state.cursor, settled=settled is not None)

    def _take_records(self, name: str, state: Folded, at: Cursor) -> None:
        for records, cursor in read_parts(self._home.path(name), at):
            # Not past the state: what a question sees is equally old in every table.
            news = records[: state.cursor.seq - at.seq]
            calls = fold_calls(name, state.owner, self._unanswered.get(name, {}), news)
            self._note_calls(name, calls)
            for row in evidence(name, state.owner, news):
                self._waiting[_TABLE_OF[type(row)]].append(row)
            self.taken += len(news)
            at = cursor
            if at.seq >= state.cursor.seq:
                break

    def _note_calls(self, stream: str, calls: dict[str, Call]) -> None:
        self._waiting["calls"].extend(calls.values())
        known = {**self._unanswered.pop(stream, {}), **calls}
        unanswered = {name: call for name, call in known.items() if call.outcome != "answered"}
        if unanswered:
            self._unanswered[stream] = unanswered

    def _move(self, stream: str, role: str, owner: str, to: Cursor, *, settled: bool) -> None:
        self._cursors[stream] = to
        place = (to.offset, to.seq, to.head, to.epoch)
        self._waiting["positions"].append(Position(stream, role, owner, *place, settled))

    def write(self) -> None:
        """Put everything that waits into the tables, in one transaction."""
        self._db.begin()
        try:
            for table, owner in _OWNERS.items():
                if self._forgotten:
                    forget = f"DELETE FROM {table} WHERE list_contains(?, {owner})"
                    self._rows(forget, [self._forgotten])
            for table, rows in self._waiting.items():
                if rows:
                    self._insert(table, rows)
        except BaseException:
            self._db.rollback()
            raise
        self._db.commit()
        self._forgotten = []
        self._waiting = {table: [] for table in TABLES}

    def _insert(self, table: str, rows: list[Any]) -> None:
        keys = _KEYS.get(table, ())
        if keys and table != "sources":
            # Of rows that came twice since the last write, the later one counts.
            key = attrgetter(*keys)
            rows = list({key(row): row for row in rows}.values())
        self._db.register("incoming", _arrow(table, rows))
        if keys:
            same = " AND ".join(f"{table}.{key} = incoming.{key}" for key in keys)
            self._rows(f"DELETE FROM {table} USING incoming WHERE {same}")
        self._rows(f"INSERT INTO {table} SELECT * FROM incoming")
        self._db.unregister("incoming")

    # -- giving out --------------------------------------------------------------------------------

    def query(self, sql: str, params: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """What a query answers, a dictionary for each row."""
        rows = self._rows(sql, params)
        names = [column[0] for column in self._db.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table, in an order that depends on nothing else."""
        return {table: self._rows(f"SELECT * FROM {table} ORDER BY ALL") for table in TABLES}

    def export(self) -> dict[str, bytes]:
        """The tables as files for a snapshot."""
        files: dict[str, bytes] = {}
        for table in TABLES:
            sink = pa.BufferOutputStream()
            rows = self._db.sql(f"SELECT * FROM {table}").to_arrow_table()
            pq.write_table(rows, sink, compression="zstd")
            files[table] = sink.getvalue().to_pybytes()
        return files

    def _rows(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._db.execute(sql, params).fetchall()

    def _create(self, table: str, rows: pa.Table) -> None:
        self._db.register("incoming", rows)
        self._rows(f"CREATE TABLE {table} AS SELECT * FROM incoming")
        self._db.unregister("incoming")


def _arrow(table: str, rows: list[Any]) -> pa.Table:
    schema = _SCHEMAS[table]
    if is_dataclass(TABLES[table]):
        rows = list(map(attrgetter(*schema.names), rows))
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _arrow_type(hint: Any) -> pa.DataType:
    """The column type for a member's annotation."""
    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in plain:
        return plain[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return pa.string()
    if origin is tuple:
        return pa.list_(_arrow_type(parts[0]))
    if origin in (UnionType, Union):
        return _arrow_type(next(part for part in parts if part is not type(None)))
    raise TypeError(hint)


_SCHEMAS = {
    table: pa.schema([(name, _arrow_type(hint)) for name, hint in get_type_hints(row).items()])
    for table, row in TABLES.items()
}
