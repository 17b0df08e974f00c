"""Views in whatever order things happen, and the tables that SQL is asked of."""

import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.calls import CallAsked
from events.catalogue import StreamQuarantined
from events.errors import UnknownTask
from events.home import Home
from events.research import StepTaken
from projections.views import Views
from tests.folded_homes import built, expected, fresh, in_process, original
from tests.homes import (
    BuiltHome,
    lines_of,
)

__all__ = ["built", "expected", "original"]


# -- whatever the order ----------------------------------------------------------------------------


class Regrowth:
    """A home that is written once more, a few bytes at a time, in an order that could have been."""

    def __init__(self, source: BuiltHome, to: Home) -> None:
        to.prepare()
        shutil.copytree(source.root / "blobs", to.root / "blobs")
        self.home = to
        self.names = sorted(path.stem for path in source.traces())
        self._left = {path.stem: path.read_bytes() for path in source.traces()}

    def grow(self, name: str, size: int) -> bool:
        """Append up to so many bytes, but no anchor before the stream it anchors has ended."""
        allowed = 0
        for line in self._left[name].splitlines(keepends=True):
            if any(self._left[anchored] for anchored in self._anchored(name, line)):
                break
            allowed += len(line)
        part = self._left[name][: min(size, allowed)]
        self._left[name] = self._left[name][len(part) :]
        with self.home.path(name).open("ab") as file:
            file.write(part)
        return bool(part)

    def finish(self) -> None:
        while any([self.grow(name, 1 << 30) for name in self.names]):
            pass

    def _anchored(self, name: str, line: bytes) -> list[str]:
        if b'"kind":"stream_sealed"' in line or b'"kind":"researcher_reported"' in line:
            return [other for other in self.names if f'"{other}"'.encode() in line[100:]]
        return []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_interleaving_of_appends_and_questions_matters(
    original: BuiltHome, expected: bytes, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as passing:
        regrowth = Regrowth(original, Home(Path(passing) / "home"))
        views = Views(regrowth.home)
        names = st.sampled_from(regrowth.names)
        for _ in range(data.draw(st.integers(1, 8))):
            for _ in range(data.draw(st.integers(1, 6))):
                regrowth.grow(data.draw(names), data.draw(st.sampled_from([300, 2000, 9000])))
            match data.draw(
                st.sampled_from(["status", "refresh", "save", "reopen", "sql", "dump"])
            ):
                case "status":
                    with suppress(UnknownTask):
                        views.status(data.draw(names))
                case "refresh":
                    assert views.refresh_all().broken == {}
                case "save":
                    views.save_snapshot()
                case "reopen":
                    views = Views(regrowth.home)
                case "sql":
                    views.sql("SELECT 1")
                case "dump":
                    assert views.dump() == fresh(regrowth.home).dump()
        regrowth.finish()
        assert views.dump() == expected
        assert Views(regrowth.home).dump() == expected


def test_readers_see_a_growing_stream_whole_and_in_order(built: BuiltHome) -> None:
    task = built.unfinished[0]
    views, over = Views(built.home), threading.Event()
    seen: dict[int, list[int]] = {0: [], 1: []}
    failures: list[BaseException] = []

    def read(place: int) -> None:
        try:
            while not over.is_set():
                status = views.status(task)
                # Each decision has two steps and is seen whole or not at all.
                assert status.steps % 2 == 0
                seen[place].append(status.steps)
        except BaseException as failure:  # noqa: BLE001 - handed to the test
            failures.append(failure)

    threads = [threading.Thread(target=read, args=(place,)) for place in seen]
    writer = built.claim(f"{task}.r1")
    for thread in threads:
        thread.start()
    for step in range(1, 301, 2):
        facts = [StepTaken(step=n, action="a", decision="b") for n in (step, step + 1)]
        acknowledged = writer.append(*facts)
        assert views.status(task).steps == step + 1
        assert views.head(f"{task}.r1") == acknowledged
    over.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(steps == sorted(steps) for steps in seen.values())


# -- SQL -------------------------------------------------------------------------------------------


TABLES = (
    "positions", "tasks", "jobs", "sources", "calls", "reads", "quotes", "gaps", "discoveries",
    "questions", "files",
)  # fmt: skip


def test_rows_and_positions_say_the_same(built: BuiltHome) -> None:
    views = Views(built.home)
    (counted,) = views.sql("SELECT sum(seq)::BIGINT AS lines FROM positions")
    assert counted["lines"] == sum(len(lines_of(path)) for path in built.traces())
    for row in views.sql("SELECT stream, seq, head FROM positions"):
        head = views.head(row["stream"])
        assert (row["seq"], row["head"]) == (head.seq, head.hash)


def test_the_tables_are_those_that_tools_rely_on(built: BuiltHome) -> None:
    views = Views(built.home)
    counts = {table: views.sql(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in TABLES}
    assert counts == {
        "positions": 14, "tasks": 4, "jobs": 2, "sources": 2, "calls": 27, "reads": 6, "quotes": 6,
        "gaps": 6, "discoveries": 0, "questions": 0, "files": 2,
    }  # fmt: skip


def test_tables_catch_up_with_what_was_appended(built: BuiltHome) -> None:
    views, task = Views(built.home), built.unfinished[0]
    asked = "SELECT attempts, outcome FROM calls WHERE task = ?"
    assert views.sql(asked, [task]) == [{"attempts": 1, "outcome": "asked"}]
    request = built.home.blobs.put(b"again")
    built.claim(f"{task}.r1").append(
        CallAsked(
            call="search:lost:1", port="search", operation="query", request=request, attempt=2
        )
    )
    assert views.sql(asked, [task]) == [{"attempts": 2, "outcome": "asked"}]
    built.enter(StreamQuarantined(target=task, code="x", message="y"))
    assert views.sql("SELECT phase FROM tasks WHERE task = ?", [task]) == [{"phase": "quarantined"}]


def test_what_the_tables_say_is_what_the_views_say(built: BuiltHome) -> None:
    views = Views(built.home)
    for row in views.sql("SELECT task, phase, cost_usd, researchers FROM tasks"):
        status = views.status(row["task"])
        assert (row["phase"], row["cost_usd"]) == (status.phase, status.cost_usd)
        assert tuple(row["researchers"]) == status.researchers


def test_a_query_that_fails_does_no_harm(built: BuiltHome) -> None:
    views = Views(built.home)
    with pytest.raises(Exception, match="nowhere"):
        views.sql("SELECT * FROM nowhere")
    assert views.sql("SELECT count(*) AS n FROM tasks") == [{"n": 4}]


def test_no_sql_library_is_loaded_before_sql_is_needed(built: BuiltHome) -> None:
    script = """
import sys
from pathlib import Path
from events.home import Home
from projections.views import Views

views = Views(Home(Path(sys.argv[1])))
views.status(sys.argv[2])
views.tasks(), views.jobs(), views.costs(), views.result(sys.argv[2])
views.save_snapshot()
print({"duckdb", "pyarrow", "numpy", "ray"} & set(sys.modules))
"""
    assert in_process(script, str(built.root), built.tasks[0]).stdout.strip() == "set()"
