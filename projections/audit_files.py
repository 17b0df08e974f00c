"""Arrow tables as files that other programs open."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def write_parquet(table: Any, path: Path) -> None:
    """Write Parquet."""
    pq.write_table(table, path, compression="zstd")


def write_arrow(table: Any, path: Path) -> None:
    """Write an Arrow file."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".parquet": write_parquet,
    ".arrow": write_arrow,
}
"""By the ending of the file's name."""

Unwritable = pa.ArrowException
"""A table has a type that the file cannot hold."""
