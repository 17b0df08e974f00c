"""Parts joined into one: in memory, or straight into a file.

Rows keep their order, and rows of versions that are not kept are left out. What is long (texts,
vectors) is copied piece by piece and never all in memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from projections.index.arrays import Array, ArrayWriter
from projections.index.making import inverted, strings
from projections.index.part import ROW_COLUMNS, STRING_COLUMNS, Part, Space, about


@dataclass(frozen=True)
class Run:
    """Versions of a part that stand together and are kept, as a range, and their rows."""

    part: Part
    entries: slice
    rows: slice

    @property
    def count(self) -> int:
        """How many rows it has."""
        return int(self.rows.stop - self.rows.start)


@dataclass(frozen=True)
class Column:
    """A column of the whole: its pieces can be gone through more than once."""

    dtype: Any
    shape: tuple[int, ...]
    pieces: Callable[[], Iterable[Array]]


def whole(part: Part) -> list[Run]:
    """All of a part."""
    return kept(part, np.ones(len(part.entries), bool))


def kept(part: Part, keep: npt.NDArray[np.bool_]) -> list[Run]:
    """The runs of versions to keep."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], keep.astype(np.int8), [0]))))
    at = part.columns["entry.at"]
    return [
        Run(part, slice(int(begin), int(end)), slice(int(at[begin]), int(at[end])))
        for begin, end in zip(edges[0::2].tolist(), edges[1::2].tolist(), strict=True)
    ]


def joined(runs: Sequence[Run]) -> Part:
    """One part in memory."""
    merge = _Merge(runs)
    columns = {name: _gathered(column) for name, column in merge.columns().items()}
    return Part(columns, merge.spaces, tuple(merge.labels), merge.rows)


def write(path: Path, runs: Sequence[Run], form: str) -> int:
    """One part as a file, whole and durable when this returns its size."""
    merge = _Merge(runs)
    writer = ArrayWriter(path)
    try:
        for name, column in merge.columns().items():
            writer.add(name, column.dtype, column.shape, column.pieces())
        return writer.close({"form": form} | about(merge.spaces, tuple(merge.labels), merge.rows))
    except BaseException:
        writer.abandon()
        raise


def _gathered(column: Column) -> Array:
    pieces = list(column.pieces())
    if not pieces:
        return np.zeros(column.shape, column.dtype)
    return np.concatenate([each.reshape(-1) for each in pieces]).reshape(column.shape)


class _Merge:
    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._parts = list({id(run.part): run.part for run in runs}.values())
        self.rows = sum(run.count for run in runs)
        self.spaces: tuple[Space, ...] = tuple(
            dict.fromkeys(space for part in self._parts for space in part.spaces)
        )
        self.labels: dict[str, int] = {}
        self._label_numbers = {
            id(part): np.array(
                [self.labels.setdefault(each, len(self.labels)) for each in part.labels] or [0],
                np.uint16,
            )
            for part in self._parts
        }

    def columns(self) -> dict[str, Column]:
        columns = {
            "fingerprint": self._plain("fingerprint", np.uint64, lambda run: run.entries),
            "entry.at": self._starts("entry.at", lambda run: run.entries),
        }
        for name, dtype in ROW_COLUMNS.items():
            columns[name] = self._plain(name, dtype, lambda run: run.rows)
        for name in ("content_type", "language"):
            columns[name] = self._renumbered(name, np.uint16, self._label_numbers)
        columns |= self._headings()
        for name in STRING_COLUMNS:
            columns |= self._strings(name)
        columns |= self._terms()
        for number, space in enumerate(self.spaces):
            columns |= self._space(number, space)
        return columns

    def _plain(self, name: str, dtype: Any, span: Callable[[Run], slice]) -> Column:
        def pieces() -> Iterator[Array]:
            return (run.part.columns[name][span(run)] for run in self._runs)

        length = sum(span(run).stop - span(run).start for run in self._runs)
        return Column(dtype, (length,), pieces)

    def _starts(self, name: str, span: Callable[[Run], slice]) -> Column:
        """A column of offsets: each run's are moved to where the run before it ends."""
        ends = [0]
        pieces: list[Array] = [np.zeros(1, np.int64)]
        for run in self._runs:
            own = run.part.columns[name][span(run).start : span(run).stop + 1]
            pieces.append(own[1:] - own[0] + ends[-1])
            ends.append(ends[-1] + int(own[-1] - own[0]))
        return Column(np.int64, (sum(map(len, pieces)),), lambda: pieces)

    def _renumbered(self, name: str, dtype: Any, numbers: dict[int, Array]) -> Column:
        def pieces() -> Iterator[Array]:
            for run in self._runs:
                yield numbers[id(run.part)][run.part.columns[name][run.rows]]

        return Column(dtype, (self.rows,), pieces)

    def _strings(self, name: str) -> dict[str, Column]:
        def pieces() -> Iterator[Array]:
            for run in self._runs:
                at = run.part.columns[f"{name}.at"]
                yield run.part.columns[name][at[run.rows.start] : at[run.rows.stop]]

        starts = self._starts(f"{name}.at", lambda run: run.rows)
        return {name: Column(np.uint8, (_last(starts),), pieces), f"{name}.at": starts}

    def _headings(self) -> dict[str, Column]:
        paths: dict[bytes, int] = {}
        numbers: dict[int, Array] = {}
        for part in self._parts:
            numbers[id(part)] = np.zeros(len(part.columns["heading_path.at"]), np.uint32)
        for run in self._runs:
            for each in np.unique(run.part.columns["heading"][run.rows]).tolist():
                path = run.part.string("heading_path", each)
                numbers[id(run.part)][each] = paths.setdefault(path, len(paths))
        spelled = strings("heading_path", paths)
        return {"heading": self._renumbered("heading", np.uint32, numbers)} | {
            name: _ready(column) for name, column in spelled.items()
        }

    def _terms(self) -> dict[str, Column]:
        every = [part.columns["term_hash"] for part in self._parts]
        hashes, first, inverse = np.unique(
            np.concatenate(every) if every else np.zeros(0, np.uint64),
            return_index=True,
            return_inverse=True,
        )
        bounds = list(accumulate(map(len, every), initial=0))
        numbers = {
            id(part): inverse[bounds[place] : bounds[place + 1]].astype(np.uint32)
            for place, part in enumerate(self._parts)
        }
        starts = self._starts("forward.at", lambda run: run.rows)
        items = _last(starts)
        forward_term, forward_count = np.empty(items, np.uint32), np.empty(items, np.uint16)
        done = 0
        for run in self._runs:
            at = run.part.columns["forward.at"]
            span = slice(int(at[run.rows.start]), int(at[run.rows.stop]))
            here = slice(done, done + span.stop - span.start)
            forward_term[here] = numbers[id(run.part)][run.part.columns["forward_term"][span]]
            forward_count[here] = run.part.columns["forward_count"][span]
            done = here.stop
        at = _gathered(starts)
        ready = {
            "term_hash": hashes,
            **self._spelled(first),
            "forward.at": at,
            "forward_term": forward_term,
            "forward_count": forward_count,
            **inverted(len(hashes), at, forward_term, forward_count),
        }
        return {name: _ready(column) for name, column in ready.items()}

    def _spelled(self, first: Array) -> dict[str, Array]:
        """The terms in the order of their hashes, each as the first part that has it spells it."""
        heaps = [part.columns["term"] for part in self._parts]
        bases = accumulate(map(len, heaps), initial=0)
        begins = [part.columns["term.at"] for part in self._parts]
        starts = np.concatenate([at[:-1] + base for at, base in zip(begins, bases, strict=False)])[
            first
        ]
        lengths = np.concatenate([np.diff(at) for at in begins])[first]
        at = np.zeros(len(first) + 1, np.int64)
        np.cumsum(lengths, out=at[1:])
        # Every byte of every term: where it is now, for each place where it will be.
        taken = np.repeat(starts - at[:-1], lengths) + np.arange(at[-1])
        return {"term": np.concatenate(heaps)[taken], "term.at": at}

    def _space(self, number: int, space: Space) -> dict[str, Column]:
        rows = [(run, run.part.space(space.model, space.dimension)) for run in self._runs]

        def values(name: str, dtype: Any, *more: int) -> Iterator[Array]:
            for run, own in rows:
                if own is None:
                    yield np.zeros((run.count, *more), dtype)
                else:
                    yield run.part.columns[f"{name}_{own}"][run.rows]

        def signs() -> Iterator[Array]:
            for word in range(space.words):
                for run, own in rows:
                    if own is None:
                        yield np.zeros(run.count, np.uint64)
                    else:
                        yield run.part.columns[f"sign_{own}"][word, run.rows]

        def late() -> Iterator[Array]:
            for run, own in rows:
                if own is not None:
                    at = run.part.columns[f"late_{own}.at"]
                    yield run.part.columns[f"late_{own}"][at[run.rows.start] : at[run.rows.stop]]

        starts = _late_starts(rows)
        return {
            f"vector_{number}": Column(
                np.float16,
                (self.rows, space.dimension),
                lambda: values("vector", np.float16, space.dimension),
            ),
            f"sign_{number}": Column(np.uint64, (space.words, self.rows), signs),
            f"covered_{number}": Column(
                np.bool_, (self.rows,), lambda: values("covered", np.bool_)
            ),
            f"late_{number}": Column(np.uint8, (int(starts[-1]),), late),
            f"late_{number}.at": _ready(starts),
        }


def _late_starts(rows: list[tuple[Run, int | None]]) -> Array:
    lengths: list[Array] = [np.zeros(1, np.int64)]
    for run, own in rows:
        if own is None:
            lengths.append(np.zeros(run.count, np.int64))
        else:
            at = run.part.columns[f"late_{own}.at"]
            lengths.append(np.diff(at[run.rows.start : run.rows.stop + 1]))
    return np.cumsum(np.concatenate(lengths))


def _ready(values: Array) -> Column:
    return Column(values.dtype, values.shape, lambda: (values,))


def _last(starts: Column) -> int:
    return int(max(piece[-1] for piece in starts.pieces() if len(piece)))
