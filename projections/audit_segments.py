"""What is in the chunks of documents, unpacked from the blobs for SQL; kept, because it never changes."""

from typing import Any

import pyarrow as pa

from events.errors import RecordError
from events.home import Home
from projections.audit_pieces import Pieces
from projections.snapshots import form_of

FORM = form_of("audit_segments", "audit_pieces")

_SCHEMA = pa.schema(
    [
        ("segment_hash", pa.string()),
        ("number", pa.int64()),
        ("chunk", pa.string()),
        ("span_start", pa.int64()),
        ("span_end", pa.int64()),
        ("headings", pa.list_(pa.string())),
        ("content_type", pa.string()),
        ("first_page", pa.int64()),
        ("last_page", pa.int64()),
        ("language", pa.string()),
        ("text", pa.large_string()),
    ]
)
_NAMES = ["id", "start", "end", "headings", "content_type", "first_page", "last_page", "language"]

SEAL_AT = 20_000
"""Chunks in memory that are worth a piece."""


class Segments:
    """The chunks of a data home. Not safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._pieces = Pieces(home.views / "audit" / "chunks", FORM, ("segment_hash", "number"))
        self._known: set[str] = set()
        self._tables: list[pa.Table] = []
        self._loaded = False

    @property
    def sealed(self) -> list[str]:
        """The Parquet files of chunks."""
        return self._pieces.paths()

    def tail(self) -> pa.Table:
        """The chunks that are in none of them."""
        return pa.concat_tables([_SCHEMA.empty_table(), *self._tables])

    def catch_up(self, wanted: set[str]) -> None:
        """Unpack the segments that were not there the last time."""
        if not self._loaded or not self._pieces.intact():
            self._loaded = True
            self._pieces.load()
            self._known, self._tables = set(self._pieces.state.get("segments", ())), []
        for name in sorted(wanted - self._known):
            self._known.add(name)
            if (rows := self._unpack(name)) is not None:
                self._tables.append(rows)
            self._seal()

    def _unpack(self, name: str) -> Any:
        try:
            table = pa.ipc.open_file(pa.BufferReader(self._home.blobs.get(name))).read_all()
            columns = [table.column(each) for each in (*_NAMES, "text")]
        except (RecordError, pa.ArrowException, KeyError, OSError):
            return None  # What cannot be read says nothing; research-agent verify says why.
        same = pa.array([name] * table.num_rows, pa.string())
        numbers = pa.array(range(1, table.num_rows + 1), pa.int64())
        try:
            return pa.table([same, numbers, *columns], _SCHEMA.names).cast(_SCHEMA)
        except pa.ArrowException:
            return None

    def _seal(self) -> None:
        if sum(table.num_rows for table in self._tables) < SEAL_AT:
            return
        try:
            self._pieces.add(self.tail(), {"segments": sorted(self._known)})
        except OSError:
            return  # A home that cannot be written can still be read.
        self._tables = []
