"""A segment: the chunks of one document version, with everything an index needs of them.

One Arrow file, kept by its hash like any other content. It is written once, by the ingest, so
that readers never parse, cut or embed anything; the same document read by the same code gives the
same bytes.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import orjson

FORMAT = 1
_MARK = b"research-agent segment"

Counts = dict[str, int]


class BadSegment(ValueError):
    """The bytes are not a segment that this version can read."""


@dataclass(frozen=True)
class Segment:
    """Chunks in the order of their document; every list has one entry for each."""

    chunker: int
    """Version of the code that cut the text."""

    analyser: int
    """Version of the code that found its terms."""

    ids: list[str]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    """Character spans in the document's text."""

    headings: list[tuple[str, ...]]
    content_types: list[str]
    first_pages: npt.NDArray[np.int32]
    last_pages: npt.NDArray[np.int32]
    """Counted from 1; 0 where the original has no pages."""

    languages: list[str]
    texts: list[str]
    body_terms: list[Counts]
    heading_terms: list[Counts]
    """Terms of the title and the headings above the chunk."""

    vectors: dict[str, npt.NDArray[np.float16]]
    """By model: one row for each chunk, all zero where the model does not read its language."""

    late: dict[str, list[bytes]]
    """By model: packed vectors of a chunk's parts, for the last ranking stage."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models that made the vectors."""
        return tuple(self.vectors)

    def __len__(self) -> int:
        return len(self.ids)


def encode(segment: Segment) -> bytes:
    """The segment as an Arrow file."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "id": pa.array(segment.ids, pa.string()),
        "start": pa.array(segment.starts, pa.int64()),
        "end": pa.array(segment.ends, pa.int64()),
        "headings": pa.array([list(each) for each in segment.headings], pa.list_(pa.string())),
        "content_type": pa.array(segment.content_types, pa.string()),
        "first_page": pa.array(segment.first_pages, pa.int32()),
        "last_page": pa.array(segment.last_pages, pa.int32()),
        "language": pa.array(segment.languages, pa.string()),
        "text": pa.array(segment.texts, pa.string()),
        "body_terms": _counts_column(segment.body_terms),
        "heading_terms": _counts_column(segment.heading_terms),
    }
    for number, (model, rows) in enumerate(segment.vectors.items()):
        values = np.ascontiguousarray(rows, dtype=np.float16).reshape(-1)
        columns[f"vector_{number}"] = pa.FixedSizeListArray.from_arrays(
            pa.array(values, pa.float16()), rows.shape[1]
        )
        columns[f"late_{number}"] = pa.array(segment.late[model], pa.binary())
    about = {"chunker": segment.chunker, "analyser": segment.analyser, "models": segment.models}
    mark = {_MARK: str(FORMAT).encode(), b"about": orjson.dumps(about)}
    table = pa.table(columns).replace_schema_metadata(mark)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return cast(bytes, sink.getvalue().to_pybytes())


def decode(raw: bytes) -> Segment:
    """The segment in these bytes; raises `BadSegment` when they hold none."""
    import pyarrow as pa

    try:
        table = pa.ipc.open_file(pa.BufferReader(raw)).read_all()
        table.validate(full=True)
        return _segment(table)
    except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as failure:
        raise BadSegment(f"it is not a segment: {str(failure)[:200]}") from failure


def _segment(table: Any) -> Segment:
    mark = table.schema.metadata or {}
    if mark.get(_MARK) != str(FORMAT).encode():
        raise BadSegment("its format is unknown")
    about = orjson.loads(mark[b"about"])
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}

    def numbers(name: str) -> Any:
        return columns[name].to_numpy(zero_copy_only=False)

    def values(name: str) -> Any:
        return columns[name].to_pylist()

    return Segment(
        chunker=int(about["chunker"]),
        analyser=int(about["analyser"]),
        ids=values("id"),
        starts=numbers("start"),
        ends=numbers("end"),
        headings=[tuple(each) for each in values("headings")],
        content_types=values("content_type"),
        first_pages=numbers("first_page"),
        last_pages=numbers("last_page"),
        languages=values("language"),
        texts=values("text"),
        body_terms=_counts(columns["body_terms"]),
        heading_terms=_counts(columns["heading_terms"]),
        vectors={
            model: _vectors(columns[f"vector_{number}"])
            for number, model in enumerate(about["models"])
        },
        late={model: values(f"late_{number}") for number, model in enumerate(about["models"])},
    )


def _counts_column(counts: list[Counts]) -> Any:
    import pyarrow as pa

    offsets = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum([len(each) for each in counts], out=offsets[1:])
    terms = pa.array([term for each in counts for term in each], pa.string())
    times = pa.array([times for each in counts for times in each.values()], pa.uint32())
    return pa.MapArray.from_arrays(offsets, terms, times)


def _counts(column: Any) -> list[Counts]:
    terms, times = column.keys.to_pylist(), column.items.to_pylist()
    offsets = column.offsets.to_pylist()
    return [
        dict(zip(terms[begin:end], times[begin:end], strict=True))
        for begin, end in pairwise(offsets)
    ]


def _vectors(column: Any) -> npt.NDArray[np.float16]:
    rows = column.flatten().to_numpy().reshape(len(column), column.type.list_size)
    return cast(npt.NDArray[np.float16], rows)
