"""Every checked line of every stream: sealed in Parquet as far as it goes, the rest in memory.

The record is caught up with before each question, and only what was appended is read. A stream whose
file is no longer what was read is noticed by its size and time, proven again from its first line, and
if it is another one by now, everything is read anew. A line that is not what it claims to be
ends its stream here, and is told of as a fault.
"""

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from events.anchor import read_anchor
from events.codec import Record
from events.errors import BrokenChain, NewerFormat, RecordError
from events.home import CATALOGUE, Home
from events.tail import Cursor, check_lines, cursor_fits, read_parts
from projections.audit_pieces import Pieces
from projections.snapshots import form_of

SEAL_AT = 20_000
"""Lines in memory that are worth a piece when everything was read."""

PIECE = 100_000
"""Lines in memory while reading; then they become a piece at once."""

PIECE_BYTES = 256 << 20
"""The same by their length."""

FORM = form_of("audit_lines", "audit_pieces")

_ENDING = ".jsonl"

_SCHEMA = pa.schema(
    [
        ("stream", pa.string()),
        ("seq", pa.int64()),
        ("written_at", pa.timestamp("us")),
        ("epoch", pa.int64()),
        ("cause", pa.string()),
        ("kind", pa.string()),
        ("event", pa.json_(pa.large_string())),
        ("hash", pa.string()),
        ("last", pa.bool_()),
    ]
)
"""A line's columns; `last` is whether its decision ends with it."""


@dataclass(frozen=True, slots=True)
class Known:
    """How far a stream was read, and what its file was like then."""

    cursor: Cursor = field(default_factory=Cursor)
    size: int = 0
    touched: int = 0
    fault: tuple[int, str] | None = None
    """The first line that is not what it claims to be, and why."""

    def as_json(self) -> list[Any]:
        """For a manifest."""
        return [*self.cursor, self.size, self.touched, self.fault]

    @classmethod
    def from_json(cls, said: list[Any]) -> "Known":
        """What a manifest says."""
        *cursor, size, touched, fault = said
        return cls(Cursor(*cursor), size, touched, tuple(fault) if fault else None)


class Lines:
    """The lines of a data home. Not safe to share between threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._pieces = Pieces(home.views / "audit" / "lines", FORM, ("kind", "stream", "seq"))
        self._known: dict[str, Known] = {}
        self._segments: set[str] = set()
        self._rows: list[tuple[Any, ...]] = []
        self._bytes = 0
        self._loaded = False

    # -- what there is -------------------------------------------------------------------------------

    @property
    def sealed(self) -> list[str]:
        """The Parquet files of lines."""
        return self._pieces.paths()

    def tail(self) -> pa.Table:
        """The lines that are in none of them."""
        return _table(self._rows)

    def faults(self) -> list[tuple[str, int, str]]:
        """Streams that could not be read to their ends: the first bad line of each, and why."""
        known = sorted(self._known.items())
        return [(name, *each.fault) for name, each in known if each.fault]

    def segments(self) -> set[str]:
        """The blobs that hold the chunks of documents, as far as the lines name them."""
        return self._segments

    # -- catching up ---------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Read what was appended since the last time."""
        if not self._loaded or not self._pieces.intact():
            self._load()
        found = self._files()
        known = {name: (each.size, each.touched) for name, each in self._known.items()}
        changed = {name: about for name, about in found.items() if known.get(name) != about}
        if not known.keys() <= found.keys() or not all(
            self._fits(name, about) for name, about in changed.items()
        ):
            self._forget()
            changed = found
        for name, about in changed.items():
            self._read(name, self._known.get(name, Known()), about)
        self._seal(SEAL_AT)

    def _load(self) -> None:
        self._loaded = True
        self._rows, self._bytes = [], 0
        self._pieces.load()
        streams = self._pieces.state.get("streams", {})
        self._known = {name: Known.from_json(said) for name, said in streams.items()}
        self._segments = set(self._pieces.state.get("segments", ()))

    def _forget(self) -> None:
        self._pieces.forget()
        self._known, self._segments = {}, set()
        self._rows, self._bytes = [], 0

    def _files(self) -> dict[str, tuple[int, int]]:
        """Every stream, with the size and the time of its file."""
        found: dict[str, tuple[int, int]] = {}
        try:
            with os.scandir(self._home.traces) as entries:
                for entry in entries:
                    if entry.name.endswith(_ENDING) and entry.is_file():
                        about = entry.stat()
                        found[entry.name[: -len(_ENDING)]] = about.st_size, about.st_mtime_ns
        except FileNotFoundError:
            return {}
        return found

    def _fits(self, name: str, about: tuple[int, int]) -> bool:
        """Whether what was read of a stream still is the beginning of its file."""
        known = self._known.get(name)
        if known is None:
            return True
        path = self._path(name)
        if known.fault or about[0] < known.cursor.offset:
            return False
        if about[0] > known.size:
            return cursor_fits(path, known.cursor)
        return self._unchanged(path, known.cursor)

    @staticmethod
    def _unchanged(path: Path, cursor: Cursor) -> bool:
        """Whether a file that was touched, and did not grow, still has the very lines it had."""
        try:
            for records, end in read_parts(path):
                if end.seq >= cursor.seq:
                    return records[cursor.seq - end.seq - 1].hash == cursor.head
        except RecordError:
            return False
        return not cursor.seq

    def _path(self, name: str) -> Path:
        return self._home.traces / f"{name}{_ENDING}"

    def _read(self, name: str, known: Known, about: tuple[int, int]) -> None:
        path, fault = self._path(name), None
        # Looked at before the stream: what it mentions is then there, or gone.
        noted = read_anchor(path)
        cursor = known.cursor
        try:
            for records, end in read_parts(path, cursor):
                self._take(name, records, cursor.seq)
                cursor = end
                self._known[name] = replace(known, cursor=cursor)
                self._seal(PIECE)
            if noted and noted[0] > cursor.seq:
                fault = cursor.seq + 1, "acknowledged lines are gone"
        except NewerFormat as failure:
            fault = cursor.seq + 1, failure.sentence
        except BrokenChain as failure:
            cursor, fault = self._read_sound(name, path, cursor, failure)
        except _NotJson as failure:
            fault = failure.args
        self._known[name] = Known(cursor, *about, fault)

    def _read_sound(
        self, name: str, path: Path, cursor: Cursor, failure: BrokenChain
    ) -> tuple[Cursor, tuple[int, str]]:
        """Take the lines before a bad one, as far as they are whole decisions."""
        sound: list[Record] = []
        end, why = cursor, failure.args[2]
        with path.open("rb") as file:
            file.seek(cursor.offset)
            for line in file:
                try:
                    end = check_lines(path, end, [line.removesuffix(b"\n")], sound)
                except RecordError as found:
                    why = found.args[2] if isinstance(found, BrokenChain) else found.sentence
                    break
        bad = end.seq + 1
        while sound and _left(sound[-1]):
            sound.pop()
        length = sum(record.length for record in sound)
        if sound:
            self._take(name, sound, cursor.seq)
            last = sound[-1]
            cursor = Cursor(cursor.offset + length, last.seq, last.hash, last.epoch)
        return cursor, (bad, why)

    def _take(self, name: str, records: list[Record], after: int) -> None:
        for seq, record in enumerate(records, after + 1):
            raw = record.raw
            try:
                data = record.data
                if name == CATALOGUE and "segment" in data:
                    self._segments.add(data["segment"]["hash"])
                row = (
                    name,
                    seq,
                    record.at,
                    record.epoch,
                    record.cause,
                    record.kind,
                    raw.decode(),
                    record.hash,
                    not record.left,
                )
            except (ValueError, KeyError, TypeError):
                raise _NotJson(seq, "the line cannot be read") from None
            self._rows.append(row)
            self._bytes += len(raw)

    def _seal(self, at: int) -> None:
        """Put the lines in memory into a piece, when there are enough of them."""
        if len(self._rows) < at and self._bytes < PIECE_BYTES:
            return
        streams = {name: known.as_json() for name, known in self._known.items()}
        state = {"streams": streams, "segments": sorted(self._segments)}
        try:
            self._pieces.add(_table(self._rows), state)
        except OSError:
            return  # A home that cannot be written can still be read: it all stays in memory.
        self._rows, self._bytes = [], 0


class _NotJson(Exception):
    """A sealed line that is no JSON: (seq, why)."""


def _left(record: Record) -> int:
    try:
        return record.left
    except ValueError:
        return 1


def _table(rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in _SCHEMA]
    arrays = []
    for column, each in zip(columns, _SCHEMA, strict=True):
        if each.name == "written_at":
            arrays.append(_times(column))
        elif each.name == "event":
            arrays.append(
                pa.ExtensionArray.from_storage(each.type, pa.array(column, pa.large_string()))
            )
        else:
            arrays.append(pa.array(column, each.type))
    return pa.Table.from_arrays(arrays, schema=_SCHEMA)


def _times(column: list[str]) -> pa.Array:
    try:
        times = pa.array(column, pa.string()).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        times = pa.array([_time(each) for each in column], pa.timestamp("us", "UTC"))
    return times.cast(pa.timestamp("us"))


def _time(said: str) -> Any:
    try:
        return pa.scalar(said).cast(pa.timestamp("us", "UTC")).as_py()
    except pa.ArrowInvalid:
        return None
