"""The tables of the audit say what the record says: now, at any moment before, and from whatever they are read."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.archive import LocalArchive
from events.base import Fact
from events.calls import CallAsked
from events.catalogue import SourceRemoved
from events.errors import BadRequest, BadSql
from events.home import CATALOGUE, QUERIES, Home
from events.queries import Hit, QueryAnswered
from events.research import (
    CitationChecked,
    ConfidenceWeighed,
    DiscoveryMade,
    QuestionOpened,
    SentenceChecked,
    StepTaken,
)
from events.stream import EventStream
from projections import audit_lines
from projections.audit import Audit, _moment
from projections.audit_lines import Lines
from projections.audit_worker import table_names
from projections.views import Views
from tests.audit_homes import Unanswered, ask_here, open_here, plain_shell, tables_of
from tests.homes import BuiltHome, build_home, copy_home, lines_of, run_job
from tests.past_tasks import HandClock, PastTasks

HASH = "sha256:" + "ab" * 32

NOTES: list[Fact] = [
    SentenceChecked(
        sentence="Blue is scattered.",
        outcome="supported",
        match="exact",
        citations=(1,),
        support=1.0,
    ),
    SentenceChecked(
        sentence="Skies are green.", outcome="not_found", match="none", citations=(), support=0.1
    ),
    CitationChecked(
        locator="/library/sky.md", claimed="Air", outcome="exact", citation=1, reason="It is there."
    ),
    ConfidenceWeighed(computed=0.75, claimed=0.9),
    DiscoveryMade(
        type="paper", suggested_researcher="web", query="Mie", reason="Haze", source_locator=None
    ),
    QuestionOpened(question="And Mars?", context="dust", priority="high", source_locator=None),
]


def fill(root: Path) -> BuiltHome:
    """A home with something in every table."""
    built = build_home(root, tasks=2, researchers=2, jobs=2)
    past = PastTasks(built)
    past.clock.time = datetime(2026, 11, 17, tzinfo=UTC)
    past.completed("Why is the sea salt?", minutes=4.0, dollars=0.25)
    running = past.running("Why is it deep?", *NOTES, steps=2)
    past.read_and_quote(running)
    past.failed(past.running("Why not?", steps=1), "key_refused", "The key is wrong.")
    past.stopped(past.running("Why at all?", steps=3))
    past.entered("Why later?")
    built.tasks.append(running)
    queries = EventStream(built.stream(QUERIES), built.clock)
    for found in (1, 0):
        hits = (Hit(chunk="c1", document="d", version=HASH, score=0.5),) * found
        with queries.deciding():
            queries.append_decided(
                QueryAnswered(
                    query="sky", query_hash=HASH, through="cli", mode="best", limit=10,
                    found=found, hits=hits, took_ms=3.5,
                ),
                cause=None,
            )  # fmt: skip
    queries.close()
    return built


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return fill(tmp_path_factory.mktemp("filled") / "home")


@pytest.fixture
def built(filled: BuiltHome, tmp_path: Path) -> BuiltHome:
    copied = copy_home(filled, tmp_path / "home")
    copied.clock = HandClock(filled.clock.time)  # type: ignore[attr-defined]
    return copied


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_lines, "SEAL_AT", 10)
    monkeypatch.setattr(audit_lines, "PIECE", 40)


def dump(home: Home, as_of: str | None = None, lines: Lines | None = None) -> dict[str, Any]:
    """Every row of every table, in an order that depends on nothing else."""
    with open_here(home, as_of, lines) as database:
        return rows_of(database, table_names(database))


def rows_of(database: duckdb.DuckDBPyConnection, tables: list[str]) -> dict[str, Any]:
    found = {}
    for table in tables:
        rows = database.execute(f"from {table} order by all")
        names = [column[0] for column in rows.description]
        found[table] = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    return found


def plain_dump(home: Home) -> dict[str, Any]:
    with plain_shell(home) as shell:
        return rows_of(shell, tables_of(shell))


# -- the same from everywhere ------------------------------------------------------------------------


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


# -- the past ----------------------------------------------------------------------------------------


def at(line: bytes) -> str:
    return line.split(b'"at":"', 1)[1][:27].decode()


def cut(built: BuiltHome, to: Path, until: str, ends: tuple[str, int] = ("", 0)) -> Home:
    """The same home as it stood at a time; one stream may be said to have ended at a line then."""
    copied = copy_home(built, to)
    for path in copied.traces():
        lines = lines_of(path)
        kept = [line for line in lines if at(line) <= until]
        if path.stem == ends[0]:
            kept = lines[: ends[1]]
        path.write_bytes(b"".join(kept))
        if not kept:
            path.unlink()
    return copied.home


@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.8, 1.0])
def test_as_of_a_time_the_tables_are_those_of_the_home_as_it_was(
    share: float, filled: BuiltHome, tmp_path: Path
) -> None:
    times = sorted(at(line) for path in filled.traces() for line in lines_of(path))
    moment = times[int(share * (len(times) - 1))]
    assert dump(filled.home, moment) == plain_dump(cut(filled, tmp_path / "past", moment))


@settings(max_examples=8)
@given(place=st.integers(0, 10_000))
def test_as_of_any_event_the_tables_are_those_of_the_home_as_it_was(
    place: int, filled: BuiltHome, tmp_path_factory: pytest.TempPathFactory
) -> None:
    places = [
        (path.stem, seq, line)
        for path in filled.traces()
        for seq, line in enumerate(lines_of(path), 1)
    ]
    stream, seq, line = places[place % len(places)]
    # The decision that the event is part of, whole.
    until = seq + int(line.split(b'"left":', 1)[1].split(b",", 1)[0])
    past = cut(filled, tmp_path_factory.mktemp("past") / "home", at(line), (stream, until))
    expected = plain_dump(past)
    assert dump(filled.home, f"{stream}:{seq}") == expected
    assert dump(filled.home, line.rsplit(b'"', 2)[1].decode()) == expected


@pytest.mark.parametrize("day", ["2026-11-16", "20261116", "2026-W47-1"])
def test_a_day_is_all_of_it_however_it_is_spelled(day: str) -> None:
    assert _moment(day) == {"time": "2026-11-16T23:59:59.999999", "said": day}


def test_as_of_an_event_by_place_or_by_hash_includes_its_whole_decision(filled: BuiltHome) -> None:
    task = filled.tasks[0]
    accepted = lines_of(filled.stream(task))[1]
    assert b'"left":2' in accepted
    hash_ = accepted.rsplit(b'"', 2)[1].decode()
    sql = f"select max(seq) as seq from events where stream = '{task}'"
    for moment in (f"{task}:2", f"{task}:4", hash_, hash_.removeprefix("sha256:")):
        assert ask_here(filled.home, sql, moment) == [{"seq": 4}]
    assert ask_here(filled.home, sql, f"{task}:1") == [{"seq": 1}]


def test_what_is_neither_a_time_nor_an_event_is_refused(filled: BuiltHome) -> None:
    with pytest.raises(Unanswered, match="moment"):
        ask_here(filled.home, "from tasks", "catalogue:99999")
    beyond = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-02:00")
    for odd in ("yesterday", "catalogue:", ":3", "2026-13-01", "a b:1", *beyond):
        with pytest.raises(BadRequest):
            ask_here(filled.home, "from tasks", odd)


# -- nothing that is stale or altered is believed ----------------------------------------------------


def pieces(home: Home) -> list[Path]:
    return sorted((home.views / "audit" / "lines").glob("*.parquet"))


@pytest.mark.usefixtures("small_pieces")
def test_altered_or_missing_parquet_and_manifests_are_never_used(built: BuiltHome) -> None:
    expected = plain_dump(built.home)["events"]

    def seen() -> Any:
        return ask_here(built.home, "from events order by all")

    assert seen() == expected
    manifest = built.home.views / "audit" / "lines" / "manifest.json"
    whole, kept = manifest.read_bytes(), {path: path.read_bytes() for path in pieces(built.home)}
    for path, raw in list(kept.items())[:2]:
        path.write_bytes(raw[:-50] + bytes([raw[-50] ^ 1]) + raw[-49:])
        assert seen() == expected
        for each, content in kept.items():
            each.write_bytes(content)
        manifest.write_bytes(whole)
        path.unlink()
        assert seen() == expected
        for each, content in kept.items():
            each.write_bytes(content)
        manifest.write_bytes(whole)
    for harmed in (b"", b"{}", whole[:-9], whole.replace(b'"rows":', b'"rows": 1', 1)):
        manifest.write_bytes(harmed)
        assert seen() == expected


@pytest.mark.usefixtures("small_pieces")
def test_a_stream_that_was_replaced_is_read_anew_and_one_that_was_touched_is_proven(
    built: BuiltHome, tmp_path: Path
) -> None:
    lines = Lines(built.home)
    lines.catch_up()
    before = lines.sealed
    path = built.stream(built.researchers[0])
    os.utime(path)
    lines.catch_up()
    assert lines.sealed == before, "the same lines at another time"
    other = fill(tmp_path / "other")
    path.write_bytes(other.stream(built.researchers[0]).read_bytes().replace(b"blue", b"blew"))
    lines.catch_up()
    assert lines.sealed != before
    (fault,) = ask_here(built.home, "from faults", lines=lines)
    assert fault["stream"] == built.researchers[0]
    path.unlink()
    assert ask_here(built.home, "from faults", lines=lines) == []
    assert dump(built.home, lines=lines) == plain_dump(built.home)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_bad_line_ends_its_stream_and_is_told_as_a_fault(number: int, built: BuiltHome) -> None:
    path = built.stream(built.researchers[0])
    lines = lines_of(path)
    lines[number - 1] = lines[number - 1].replace(b'{"kind":"', b'{"kind":"x', 1)
    path.write_bytes(b"".join(lines))
    (fault,) = ask_here(built.home, "from faults")
    assert (fault["stream"], fault["line"]) == (path.stem, number)
    (row,) = ask_here(built.home, f"select count(*) as n from events where stream = '{path.stem}'")
    assert row["n"] < number
    (row,) = ask_here(built.home, "select count(*) as n from events")
    assert row["n"] > 100, "other streams are all there"


def test_a_cut_tail_of_a_running_stream_is_a_fault(built: BuiltHome) -> None:
    path = built.stream(built.researchers[-1])
    path.write_bytes(b"".join(lines_of(path)[:-1]))
    (fault,) = ask_here(built.home, "from faults")
    assert fault["wrong"] == "acknowledged lines are gone"


def test_an_unfinished_write_is_no_line_and_no_fault(built: BuiltHome) -> None:
    expected = dump(built.home)
    path = built.stream(built.researchers[-1])
    path.write_bytes(path.read_bytes() + b'{"v":1,"stream":"')
    assert dump(built.home) == expected


def test_a_home_that_cannot_be_written_is_still_answered(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_lines, "SEAL_AT", 10)
    (built.home.views).mkdir(exist_ok=True)
    (built.home.views / "audit").write_text("in the way")
    lines = Lines(built.home)
    assert ask_here(built.home, "select count(*) as n from events", lines=lines)[0]["n"] > 100
    assert lines.sealed == []


# -- questions ---------------------------------------------------------------------------------------


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
    from actors.jobs import open_job
    from actors.parsing import AnyParser
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
