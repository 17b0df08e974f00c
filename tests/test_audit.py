"""The tables of the audit say what the record says, from whatever they are read."""

from pathlib import Path

import duckdb
import pytest

from actors.archive import LocalArchive
from events.calls import CallAsked
from events.catalogue import SourceRemoved
from events.errors import BadRequest, BadSql
from events.home import CATALOGUE, Home
from events.research import (
    StepTaken,
)
from projections.audit import Audit
from projections.audit_lines import Lines
from projections.views import Views
from tests.audit_homes import ask_here, plain_shell
from tests.audit_tables import built, dump, filled, plain_dump, small_pieces
from tests.homes import BuiltHome, lines_of, run_job

__all__ = ["built", "filled", "small_pieces"]


def test_every_table_says_what_a_plain_duckdb_reads_in_the_files(filled: BuiltHome) -> None:
    here, there = dump(filled.home), plain_dump(filled.home)
    assert here == there
    empty = {table for table, rows in here.items() if not rows}
    assert empty == {"faults"}, "a table without a row proves nothing"


@pytest.mark.usefixtures("small_pieces")
def test_rows_are_the_same_from_parquet_and_from_the_tail(built: BuiltHome) -> None:
    expected = plain_dump(built.home)
    lines = Lines(built.home)
    assert dump(built.home, lines=lines) == expected
    assert lines.sealed and lines.tail().num_rows < 10
    assert dump(built.home) == expected, "and again by whoever opens the files next"


@pytest.mark.usefixtures("small_pieces")
def test_what_is_appended_is_there_with_the_next_question(built: BuiltHome) -> None:
    lines = Lines(built.home)
    lines.catch_up()
    stream = built.claim(built.researchers[0])
    for step in range(30):
        stream.append(StepTaken(step=step, action="read", decision="More."))
        if step % 7 == 0:
            (row,) = ask_here(built.home, "select count(*) as n from events", lines=lines)
            assert row["n"] == sum(len(lines_of(path)) for path in built.traces())
    assert dump(built.home, lines=lines) == plain_dump(built.home)


def test_tasks_cost_and_stand_as_the_views_say(filled: BuiltHome) -> None:
    rows = ask_here(filled.home, "select task, status, cost_usd, researchers from tasks")
    statuses = {each.task: each for each in Views(filled.home).tasks(limit=100).tasks}
    assert {row["task"] for row in rows} == set(statuses)
    for row in rows:
        status = statuses[row["task"]]
        assert row["status"] == status.phase
        assert row["cost_usd"] == pytest.approx(status.cost_usd)


def test_a_home_without_anything_has_every_table_and_no_row(tmp_path: Path) -> None:
    home = Home(tmp_path / "nowhere")
    assert all(rows == [] for rows in dump(home).values())
    assert not home.root.exists()


def test_a_document_lives_until_it_is_replaced_or_removed(built: BuiltHome) -> None:
    run_job(built, 1, text="Another sky.")
    (first, _) = ask_here(built.home, "from documents where seq < 3 or true order by seq limit 2")
    built.enter(SourceRemoved(document=first["document"], collection=first["collection"]))
    rows = ask_here(built.home, "select ended_by, searchable from documents order by seq")
    assert [(row["ended_by"], row["searchable"]) for row in rows] == [
        ("removed", False),
        ("replaced", False),
        (None, True),
    ]


# -- questions -------------------------------------------------------------------------------------


def test_every_named_question_is_answered_as_in_a_plain_duckdb(filled: BuiltHome) -> None:
    audit = Audit(filled.home)
    with plain_shell(filled.home) as shell:
        for name, named in audit.named.items():
            assert named.answers.endswith("?")
            rows = shell.execute(named.sql)
            columns = [column[0] for column in rows.description]
            expected = [dict(zip(columns, row, strict=True)) for row in rows.fetchall()]
            assert ask_here(filled.home, named.sql) == expected, name


def test_an_answer_has_columns_types_rows_and_says_whether_there_is_more(built: BuiltHome) -> None:
    with_more = Audit(built.home).ask("select seq, kind from events order by seq", limit=3)
    assert with_more.columns == ("seq", "kind")
    assert with_more.types == ("BIGINT", "VARCHAR")
    assert len(with_more.rows) == 3 and with_more.truncated
    audit = Audit(built.home, ahead=True)
    for _ in range(2):
        answer = audit.ask("cost_by_task", limit=100)
        assert len(answer.rows) == 8 and not answer.truncated
    audit.close()
    with pytest.raises(BadSql, match="evnts"):
        audit.ask("select * from evnts", limit=1)


def test_a_name_that_is_none_is_met_with_the_nearest(built: BuiltHome) -> None:
    with pytest.raises(BadRequest, match="cost_by_task"):
        Audit(built.home).ask("cost_by_tasks", limit=1)
    for nothing in ("", "  ", "x" * 200_000):
        with pytest.raises(BadRequest):
            Audit(built.home).ask(nothing, limit=1)


def test_chunks_are_unpacked_from_the_segments(tmp_path: Path) -> None:
    from actors.ingesting.parsing import AnyParser
    from actors.jobs import open_job
    from tests.embedders import open_letters

    home = Home(tmp_path / "home")
    home.prepare()
    document = tmp_path / "sky.md"
    document.write_text("# Sky\n\nAir scatters blue light.\n\n# Sea\n\nSalt comes from rocks.\n")
    archive = LocalArchive(home)
    job, _ = archive.catalogue.enter_job("optics", [str(document)])
    open_job(archive, AnyParser(), open_letters, job).run()
    rows = ask_here(home, "from chunks order by number")
    assert rows and all(row["text"] and row["chunk"] for row in rows)
    assert "blue light" in " ".join(row["text"] for row in rows)
    (counted,) = ask_here(home, "select sum(chunks)::bigint as n from documents")
    assert counted["n"] == len(rows)
    again = ask_here(home, "select chunk, text from chunks order by number")
    assert [row["text"] for row in again] == [row["text"] for row in rows]


def test_a_call_left_open_is_listed_with_what_was_asked(built: BuiltHome) -> None:
    request = built.home.blobs.put(b"asked")
    stream = built.claim(built.researchers[-1])
    stream.append(CallAsked(call="model:x:1", port="model", operation="write", request=request))
    (row,) = ask_here(
        built.home, "select outcome, request_hash, reply_hash from calls where call = 'model:x:1'"
    )
    assert row == {"outcome": "open", "request_hash": request.hash, "reply_hash": None}


def test_the_shell_needs_nothing_but_the_two_files(filled: BuiltHome) -> None:
    with plain_shell(filled.home) as shell:
        assert shell.execute("select count(*) from tasks").fetchone() == (8,)
        assert isinstance(shell, duckdb.DuckDBPyConnection)
        assert CATALOGUE in {
            name for (name,) in shell.execute("select stream from events").fetchall()
        }
