"""The audit in a terminal: answers, files, a list, a pipe, and a prompt that completes."""

import csv
import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.audit.prompt import command_of, completions, is_whole, split, statements
from tests.commands import Run, runner
from tests.homes import BuiltHome, build_home

TABLES = {"tasks": ["task", "status", "cost_usd"], "events": ["stream", "seq"]}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("cli") / "home", tasks=2)


@pytest.fixture
def run(
    built: BuiltHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(built.root))
    return runner(capsys)


def test_sql_and_names_are_answered(run: Run, built: BuiltHome) -> None:
    done = run("audit", "SELECT task, status FROM tasks ORDER BY entered_at", "--limit=2")
    assert done.code == 0
    assert done.out.splitlines()[0].split() == ["task", "status"]
    assert done.out.splitlines()[1].split() == [built.tasks[0], "completed"]
    assert done.err.startswith("2 rows, and there are more")
    named = run("audit", "gaps_by_category", "--json").json
    assert named["columns"] == ["category", "gaps", "topics", "tasks"]
    assert named["rows"][0][:2] == ["source_not_found", 2]
    shown = run("audit", "SELECT 'a,b' AS x, [1, 2] AS y", "--csv", "--as-of=2026-11-16").out
    (heading, row) = csv.reader(io.StringIO(shown))
    assert (heading, row[0]) == (["x", "y"], "a,b")


def test_the_list_has_every_table_and_question(run: Run) -> None:
    done = run("audit", "--list")
    assert "cost_by_task" in done.out and "What did each task cost" in done.out
    assert "researchers" in done.out and "cost_usd" in done.out
    assert run("audit", "--list", "--json").json["tables"]["costs"]["day"] == "DATE"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("SELEC 1",), "bad_sql"),
        (("COPY tasks TO '/nowhere/x.csv'",), "sql_refused"),
        (("no_such_name",), "bad_request"),
        (("SELECT '\udcff'",), "bad_request"),
        (("SELECT '\udcff'", "--output", "x.csv"), "bad_request"),
        (("SELECT 1", "--as-of", "never"), "bad_request"),
        (("SELECT 1", "--as-of", "0001-01-01T00:00:00+14:00"), "bad_request"),
        (("SELECT 1", "--limit", "-3"), "bad_request"),
        (("SELECT 1", "--limit", "0"), "bad_request"),
        (("SELECT 1", "--limit", "0", "--output", "x.csv"), "bad_request"),
        (("SELECT 1", "--limit", "-3", "--output", "x.csv"), "bad_request"),
        (("SELECT 1", "--output", "x.txt"), "bad_request"),
    ],
)
def test_a_refusal_is_one_and_ends_with_its_code(
    arguments: tuple[str, ...], code: str, run: Run
) -> None:
    done = run("audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert f"[{code}]" in done.err


def test_where_a_statement_is_wrong_is_shown_below_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run("audit", "SELEC 1 FROM tasks")
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELEC 1 FROM tasks;"))
    for done in (alone, run("audit")):
        assert done.code == 2
        where, mark, advice = done.err.splitlines()[-3:]
        assert where.endswith("SELEC 1 FROM tasks") and set(mark.strip()) == {"^"}
        assert advice.startswith("Tables: calls, ")


def test_an_answer_becomes_a_file_that_was_not_there_before(
    run: Run, built: BuiltHome, tmp_path: Path
) -> None:
    sql = "SELECT seq, kind, event, written_at, [seq] AS seqs FROM events ORDER BY stream, seq"
    lines = sum(len(path.read_bytes().splitlines()) for path in built.traces())
    for ending in (".parquet", ".arrow", ".csv"):
        path = tmp_path / f"events{ending}"
        done = run("audit", sql, "--output", str(path))
        assert (done.code, done.out) == (0, f"{path}: {lines} rows\n")
        assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
        before = path.read_bytes()
        again = run("audit", sql, "--output", str(path))
        assert again.code == 2 and "exists" in again.err
        assert path.read_bytes() == before
        if ending == ".csv":
            assert len(list(csv.reader(io.StringIO(before.decode())))) == lines + 1
        elif ending == ".arrow":
            assert pa.ipc.open_file(path).read_all().num_rows == lines
        else:
            assert pq.read_table(path).column("seqs").to_pylist()[0] == [1]
        path.unlink()
    inside = run("audit", sql, "--output", str(built.root / "x.csv"))
    assert inside.code == 2 and "data home" in inside.err
    nowhere = run("audit", sql, "--output", str(tmp_path / "no" / "x.csv"))
    assert nowhere.code == 2 and "[path_refused]" in nowhere.err
    assert f"Cannot write {tmp_path / 'no' / 'x.csv'}: No such file" in nowhere.err


ODD = {
    "TIMESTAMP '290000-01-01'": "290000-01-01 00:00:00",
    "TIMESTAMP '0044-03-15 (BC)'": "0044-03-15 (BC) 00:00:00",
    "DATE 'infinity'": "infinity",
    "TIMESTAMPTZ '-infinity'": "-infinity",
    "'2026-11-16 01:02:03.123456789'::TIMESTAMP_NS": "2026-11-16 01:02:03.123456789",
    "{'day': DATE '290000-01-01'}": "{'day': 290000-01-01}",
    "[DATE 'infinity']": "[infinity]",
    "INTERVAL '1 day 2 hours'": "1 day 02:00:00",
    "TIMESTAMP '2026-11-16 09:00:00' - TIMESTAMP '2026-11-15 08:30:00'": "1 day 00:30:00",
}
"""Times that Python has no values for, or none that says anything to a person."""


def test_every_time_that_sql_knows_is_told(run: Run, tmp_path: Path) -> None:
    said = ", ".join(f"{sql} AS t{place}" for place, sql in enumerate(ODD))
    sql = f"SELECT DATE '2026-11-16' AS plain, {said}, NULL::INTERVAL AS none"
    done = run("audit", sql, "--json")
    assert (done.code, done.json["rows"]) == (0, [["2026-11-16", *ODD.values(), None]])
    assert done.json["types"][1] == "TIMESTAMP"
    path = tmp_path / "odd.csv"
    assert run("audit", sql, "--output", str(path)).code == 0
    (_, row) = csv.reader(io.StringIO(path.read_text(encoding="utf-8")))
    assert row == ["2026-11-16", *ODD.values(), ""]
    files = [tmp_path / f"odd{ending}" for ending in (".parquet", ".arrow")]
    sql = "SELECT TIMESTAMP '290000-01-01' AS far, 'x' AS x"
    assert [run("audit", sql, "--output", str(each)).code for each in files] == [0, 0]
    assert str(pq.read_table(files[0]).schema.field("far").type).startswith("timestamp")


def test_a_pipe_is_read_to_its_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "chain\nSELECT ';' AS semi;\n-- a comment; no end\nSELECT 1 AS\n  one; SELEC 1;\nSELECT 2 AS two"
    monkeypatch.setattr(sys, "stdin", io.StringIO(asked))
    done = run("audit")
    assert done.code == 2
    for heading in ("semi", "one", "two", "wrong"):
        assert heading in done.out
    assert done.err.count("[bad_sql]") == 1


def test_the_prompt_answers_remembers_and_ends(built: BuiltHome) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "audit"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=Path(__file__).resolve().parent.parent,
        env={**os.environ, "RESEARCH_AGENT_HOME": str(built.root), "TERM": "xterm"},
    )
    os.close(follower)
    try:
        said = _read_until(leader, b"audit>")
        assert b"Tables: " in said and b"researchers" in said
        os.write(leader, b"SELECT 40 +\r2 AS both;\r")
        said += _read_until(leader, b"42")
        os.write(leader, b".frobnicate\r")
        said += _read_until(leader, b"is not a command")
        said += _read_until(leader, b"audit>")
        endless = b"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT sum(n) FROM r;"
        os.write(leader, endless + b"\r")
        said += _read_until(leader, b"\x1b[?2004l")  # It is taken, and being answered.
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said += _read_until(leader, b"Stopped.")
        said += _read_until(leader, b"audit>")
        os.write(leader, b"SELECT 6 *\r9 AS again;\r")
        said += _read_until(leader, b"54")
        os.write(leader, b"quit;\r")
        assert process.wait(60) == 0, said
    finally:
        process.kill()
        process.wait()
        os.close(leader)
    assert "2 AS both" in (built.root / "run" / "audit_history").read_text()


def _read_until(leader: int, what: bytes) -> bytes:
    said, end = b"", time.monotonic() + 90
    while what not in said and time.monotonic() < end:
        if select.select([leader], [], [], 1.0)[0]:
            part = os.read(leader, 65536)
            said += part
            if b"\x1b[6n" in part:
                os.write(leader, b"\x1b[1;1R")  # Where the cursor is, for whoever asks.
    assert what in said, said
    return said


# -- completion and statements -----------------------------------------------------------------------


def offered(before: str) -> list[str]:
    return completions(before, TABLES, ["cost_by_task", "chain"])[1]


def test_tables_columns_names_and_words_are_offered_where_they_fit() -> None:
    assert "cost_by_task" in offered("cos") and "cost_usd" in offered("cos")
    assert offered("SELECT cos") == ["cost_usd"]
    assert offered("SELECT * FROM ta") == offered("SELECT * FROM events JOIN ta") == ["tasks"]
    assert offered("SELECT * FROM ") == ["events", "tasks"]
    assert offered("SELECT tasks.st") == ["status"]
    assert offered("SELECT events.") == ["seq", "stream"]
    assert "SELECT" in offered("sel") and "WHERE" in offered("FROM tasks wh")
    assert offered("zzz") == []
    assert ".list" in offered(".l") and ".help" in offered(".h")


def test_commands_are_understood_with_and_without_dot_and_semicolon() -> None:
    for typed in ("quit", ".quit", "quit;", ".quit;", " quit ; "):
        assert is_whole(typed) and command_of(typed) == ".quit"
    assert (command_of("help"), command_of("exit;"), command_of(".list")) == (
        *(".help", ".exit", ".list"),
    )
    assert is_whole(".frobnicate it") and command_of(".frobnicate it") == ".frobnicate it"
    assert command_of("SELECT 1;") is None and command_of("chain") is None


def test_a_name_that_is_none_is_answered_with_few_others(run: Run) -> None:
    near = run("audit", "cost_by_tsk").err
    assert "Perhaps cost_by_task" in near
    assert "Perhaps cost_by_model_and_day or cost_by_task? " in run("audit", "cost").err
    assert "Perhaps" not in run("audit", "zzz").err
    assert "SELECT * FROM tasks;" in run("audit", "tasks").err


def test_a_question_is_whole_at_its_semicolon_or_name() -> None:
    assert is_whole("chain") and is_whole(".quit") and is_whole("SELECT ';';") and is_whole("")
    for open_one in ("SELECT 1", "SELECT ';", "SELECT 1 -- ;", "SELECT /* ; */ 1", "SELECT ';'"):
        assert not is_whole(open_one), open_one


@given(st.lists(st.text(alphabet="ab'\";-/*\n ", max_size=12), max_size=6))
def test_nothing_that_was_typed_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    whole, rest = split(text)
    assert "".join([*whole, rest]).replace(" ", "").replace("\n", "").replace(";", "") == (
        text.replace(" ", "").replace("\n", "").replace(";", "")
    )
    asked = list(statements(io.StringIO(text)))
    assert all(each.strip() for each in asked)
