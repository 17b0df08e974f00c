"""Parquet files of what will not change any more, so that an audit need not read it from the record.

A directory of pieces and a manifest that says what is in them. A piece whose bytes are not those that
the manifest names is not used, and neither is a manifest whose bytes are not those that it names itself:
losing all of it costs only time. Small pieces are merged, so their number grows with the logarithm.
"""

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

import pyarrow as pa

from events.spelling import canonical, decode, digest

LARGEST = 400_000
"""Rows of a piece that is not merged with others."""

_MANIFEST = "manifest.json"
_ROW_GROUP = 50_000
_ABANDONED = 3600.0
"""Seconds after which a file that the manifest does not name belongs to nobody."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One Parquet file."""

    file: str
    digest: str
    rows: int


Stamp = tuple[int, int, int]


class Pieces:
    """The pieces of one table. Not safe to share between threads."""

    def __init__(self, root: Path, form: str, order: Sequence[str]) -> None:
        self._root = root
        self._form = form
        """Names what the pieces hold and how it came about; those of another form are none."""

        self._order = [(name, "ascending") for name in order]
        self._pieces: list[Piece] = []
        self._proven: dict[str, Stamp] = {}
        self.state: dict[str, Any] = {}
        """What the owner wants to know about the rows in the pieces."""

    def load(self) -> bool:
        """Take up what is on disk, if all of it is what it should be."""
        self._pieces, self.state = [], {}
        try:
            said = decode((self._root / _MANIFEST).read_bytes())
            body = said["body"]
            if said["digest"] != digest(canonical(body)) or body["form"] != self._form:
                return False
            pieces = [Piece(**each) for each in body["pieces"]]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        self._pieces, self.state = pieces, body["state"]
        if not self.intact():
            self._pieces, self.state = [], {}
            return False
        return True

    def intact(self) -> bool:
        """Whether every piece still is what the manifest says; one that was looked at is not read again."""
        try:
            return all(self._proves(piece) for piece in self._pieces)
        except OSError:
            return False

    def _proves(self, piece: Piece) -> bool:
        path = self._root / piece.file
        about = path.stat()
        stamp = about.st_ino, about.st_size, about.st_mtime_ns
        if self._proven.get(piece.file) != stamp:
            with path.open("rb") as file:
                if file_digest(file, "sha256").hexdigest() != piece.digest:
                    return False
            self._proven[piece.file] = stamp
        return True

    def paths(self) -> list[str]:
        """The files, oldest rows first."""
        return [str(self._root / piece.file) for piece in self._pieces]

    def forget(self) -> None:
        """Start over; what is on disk is replaced with the next `add`."""
        self._pieces, self.state = [], {}

    def add(self, table: pa.Table, state: dict[str, Any]) -> None:
        """Put rows into a piece, with what is to be known of all pieces then."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = list(self._pieces)
        while kept and kept[-1].rows <= table.num_rows <= LARGEST - kept[-1].rows:
            older = _parquet().read_table(self._root / kept.pop().file, partitioning=None)
            table = pa.concat_tables([older.cast(table.schema), table])
        piece = self._write(table.sort_by(self._order))
        self._save([*kept, piece], state)
        self._tidy()

    def _write(self, table: pa.Table) -> Piece:
        name = f"{uuid.uuid4().hex}.parquet"
        passing = self._root / f".{name}"
        _parquet().write_table(table, passing, compression="zstd", row_group_size=_ROW_GROUP)
        with passing.open("rb") as file:
            proof = file_digest(file, "sha256").hexdigest()
        passing.rename(self._root / name)
        return Piece(name, proof, table.num_rows)

    def _save(self, pieces: list[Piece], state: dict[str, Any]) -> None:
        listed = [{"file": each.file, "digest": each.digest, "rows": each.rows} for each in pieces]
        body = {"form": self._form, "pieces": listed, "state": state}
        passing = self._root / f".{uuid.uuid4().hex}.json"
        passing.write_bytes(canonical({"body": body, "digest": digest(canonical(body))}))
        passing.replace(self._root / _MANIFEST)
        self._pieces, self.state = pieces, state

    def _tidy(self) -> None:
        named = {piece.file for piece in self._pieces} | {_MANIFEST}
        for path in self._root.iterdir():
            # Whoever reads an older manifest has an hour to end.
            with suppress(OSError):
                if path.name not in named and time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()


def _parquet() -> Any:
    """Not above: the process that answers a question only packs, and would import it each time."""
    import pyarrow.parquet

    return pyarrow.parquet


def packed(table: pa.Table) -> bytes:
    """A table as bytes for another process."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpacked(raw: bytes) -> pa.Table:
    """The table in those bytes."""
    return pa.ipc.open_stream(pa.BufferReader(raw)).read_all()
