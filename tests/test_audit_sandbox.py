"""Nobody's SQL gets out: each wall is tried by itself, then all of them together in the real process."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from events.errors import BadRequest, BadSql, QueryStopped, SqlRefused
from projections import audit
from projections.audit import ROOT, Audit, Limits
from projections.audit_worker import Unanswered, check, table_names, weight
from tests.audit_homes import open_here
from tests.homes import BuiltHome, build_home

READS = [
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_csv_auto('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_json_auto('{secret}')",
    "SELECT * FROM read_json_objects('{secret}')",
    "SELECT * FROM read_ndjson_objects('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM parquet_scan('{secret}')",
    "SELECT * FROM parquet_metadata('{secret}')",
    "SELECT * FROM parquet_schema('{secret}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM read_duckdb('{secret}')",
    "FROM '{secret}'",
    "FROM '{folder}/*.csv'",
    'FROM "{secret}"',
    "SELECT (SELECT content FROM read_text('{secret}'))",
    "WITH t AS (FROM read_text('{secret}')) FROM t",
    "SELECT * FROM events WHERE kind IN (SELECT content FROM read_text('{secret}'))",
    "SELECT * FROM query('FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table(['{secret}'])",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('FROM read_text(''{secret}'')'))",
    "DESCRIBE SELECT * FROM read_csv('{secret}')",
    "SUMMARIZE SELECT * FROM read_csv('{secret}')",
    "SELECT list_transform([1], lambda x: (SELECT content FROM read_text('{secret}')))",
    "SELECT 1 ORDER BY (SELECT content FROM read_text('{secret}'))",
    "SELECT * FROM \"read_text\"('{secret}')",
    "SELECT * FROM system.main.read_text('{secret}')",
    "FROM tasks, LATERAL (FROM read_text('{secret}'))",
    "SELECT * FROM read_text('https://example.org/')",
    "SELECT * FROM 'https://example.org/a.parquet'",
]
"""Ways to a file or the network."""

CHANGES = [
    "COPY events TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet'",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{folder}/other.duckdb' AS other",
    "DETACH memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{secret}'",
    "SET enable_external_access = true",
    "SET memory_limit = '100GB'",
    "SET lock_configuration = false",
    "SET VARIABLE traces = 'x'",
    "RESET ALL",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE MACRO f() AS 1",
    "CREATE SECRET s (TYPE s3)",
    "INSERT INTO events VALUES (1)",
    "DELETE FROM inside.lines_rest",
    "UPDATE inside.lines_rest SET seq = 1",
    "DROP VIEW events",
    "ALTER VIEW events RENAME TO mine",
    "WITH t AS (INSERT INTO inside.lines_rest BY NAME SELECT 1 AS seq RETURNING 1) FROM t",
    "WITH t AS (DELETE FROM inside.lines_rest RETURNING 1) FROM t",
    "CHECKPOINT",
    "BEGIN TRANSACTION",
    "PREPARE p AS SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "PIVOT tasks ON status USING count(*)",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW events",
    "USE inside",
    "VACUUM",
    "",
    ";",
    "-- nothing",
]
"""Statements that are no SELECT, or more than one."""

LOOKS = [
    "SELECT getenv('HOME')",
    "SELECT 'HOME'.getenv()",
    "SELECT [getenv(x) for x in ['HOME']]",
    "SELECT * REPLACE (getenv('HOME') AS question) FROM tasks",
    "SELECT * FROM tasks LIMIT (SELECT length(getenv('HOME')))",
    "SELECT 1 QUALIFY count(*) OVER (ORDER BY getenv('HOME')) > 0",
    "SELECT system.main.getvariable('traces')",
    "SELECT current_setting('allowed_paths')",
    "FROM duckdb_settings()",
    "FROM duckdb_secrets()",
    "FROM duckdb_views()",
    "FROM duckdb_columns",
    "FROM pragma_database_size()",
    "FROM information_schema.tables",
    "FROM pg_catalog.pg_tables",
    "FROM sqlite_master",
    "FROM inside.lines_rest",
    "FROM memory.inside.lines",
    "FROM system.main.duckdb_tables",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "WITH t AS (WITH duckdb_views AS (SELECT 1) FROM duckdb_views) SELECT * FROM t, duckdb_views",
    "SELECT write_log('x')",
    "SELECT nextval('x')",
    "SELECT sleep_ms(1)",
    "SELECT pg_get_viewdef(1)",
    "SELECT json_serialize_plan('FROM inside.lines_rest')",
    "SELECT json_serialize_sql('FROM inside.lines_rest')",
    "SELECT json_deserialize_sql('{}')",
    "SELECT system.main.JSON_Serialize_Plan('SELECT 1')",
    "SELECT list_transform(['SELECT 1'], lambda s: json_serialize_plan(s))",
    "PRAGMA json_execute_serialized_sql('{}')",
    "FROM arrow_scan(1, 2, 3)",
    "FROM pandas_scan(1)",
    "FROM python_map_function(1)",
    "FROM which_secret('s3://x', 's3')",
    "FROM test_all_types()",
    "FROM seq_scan('events')",
]
"""Ways to see what is not in the tables, or to break the process."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("walls") / "home")


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elsewhere") / "secret.csv"
    path.write_text("word\nopen-sesame\n")
    return path


@pytest.fixture(scope="module")
def inside(built: BuiltHome) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database behind the first wall."""
    with open_here(built.home) as database:
        yield database


def worded(attempt: str, secret: Path) -> str:
    return attempt.replace("{secret}", str(secret)).replace("{folder}", str(secret.parent))


@pytest.mark.parametrize("attempt", [*READS, *CHANGES, *LOOKS])
def test_the_attempt_is_refused(
    attempt: str, inside: duckdb.DuckDBPyConnection, secret: Path
) -> None:
    sql = worded(attempt, secret)
    with pytest.raises((Unanswered, duckdb.Error)) as refused:
        check(inside, sql, set(table_names(inside)))
        inside.execute(sql).fetchall()
    assert "open-sesame" not in str(refused.value)
    assert [path.name for path in secret.parent.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    "name", ["serialize_plan", "serialize_sql", "deserialize_sql", "execute_serialized_sql"]
)
def test_a_statement_within_a_statement_is_refused_by_its_name(
    name: str, inside: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(Unanswered) as refused:
        check(inside, f"SELECT json_{name}('SELECT 1')", set(table_names(inside)))
    assert refused.value.args == ("refused", f"the function json_{name}")


@pytest.mark.parametrize("attempt", READS)
def test_the_database_itself_reaches_no_file(
    attempt: str, inside: duckdb.DuckDBPyConnection, secret: Path
) -> None:
    with pytest.raises(duckdb.Error):
        inside.execute(worded(attempt, secret)).fetchall()


@pytest.mark.parametrize(
    "attempt",
    [
        each
        for each in CHANGES
        if each.split(" ")[0] in {"COPY", "EXPORT", "ATTACH", "INSTALL", "LOAD", "SET", "RESET"}
        and "VARIABLE" not in each
    ],
)
def test_the_database_itself_writes_nothing_and_is_locked(
    attempt: str, inside: duckdb.DuckDBPyConnection, secret: Path
) -> None:
    with pytest.raises(duckdb.Error):
        inside.execute(worded(attempt, secret)).fetchall()
    assert [path.name for path in secret.parent.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM events",
        "FROM tasks",
        "SELECT * FROM main.tasks",
        "WITH t AS (FROM calls) SELECT port, count(*) FROM t GROUP BY ALL",
        "SELECT * FROM (VALUES (1, 'a')) t(x, y)",
        "SELECT unnest(range(3))",
        "FROM generate_series(1, 3)",
        "SELECT e.stream, j.key FROM events e, json_each(e.event) j LIMIT 5",
        "DESCRIBE tasks",
        "SUMMARIZE costs",
        "SELECT stream, lag(seq) OVER (PARTITION BY stream ORDER BY seq) FROM events",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) FROM r",
        "SELECT now(), random(), uuid(), today()",
        "FROM tasks UNION ALL BY NAME FROM tasks",
        "PIVOT tasks ON status IN ('completed', 'failed') USING count(*) GROUP BY researcher",
        "SELECT regexp_extract(question, '\\w+'), count(*) FILTER (cost_usd > 0) FROM tasks GROUP BY 1",
        "SELECT 'read_csv(getenv)' AS text; -- SELECT 2",
    ],
)
def test_what_audits_need_is_allowed(sql: str, inside: duckdb.DuckDBPyConnection) -> None:
    check(inside, sql, set(table_names(inside)))
    inside.execute(sql).fetchall()


# -- in the process of its own -----------------------------------------------------------------------


def test_the_process_of_a_question_imports_nothing_that_it_has_no_use_for() -> None:
    """One is started for every question, and somebody waits for it."""
    probe = "import sys, projections.audit_worker; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, check=True)
    unused = {"events.codec", "pydantic", "pyarrow.parquet"}
    assert unused & set(done.stdout.decode().split()) == set()


def test_a_runaway_query_is_stopped_and_says_so(built: BuiltHome) -> None:
    audit = Audit(built.home, Limits(seconds=1.0))
    endless = (
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT sum(n) FROM r"
    )
    began = time.monotonic()
    with pytest.raises(QueryStopped, match="more than 1 s"):
        audit.ask(endless, limit=1)
    assert time.monotonic() - began < 60
    assert Audit(built.home).ask("select 1", limit=1).rows == ((1,),)


@pytest.mark.parametrize(
    "sql", ["SELECT repeat('x', 3000000000)", "SELECT list(range) FROM range(1000000000)"]
)
def test_a_query_that_wants_all_memory_is_stopped_and_says_so(sql: str, built: BuiltHome) -> None:
    with pytest.raises(QueryStopped, match="memory"):
        Audit(built.home, Limits(memory=128 << 20)).ask(sql, limit=1)


def test_a_row_that_is_too_large_is_not_handed_out(built: BuiltHome) -> None:
    with pytest.raises(QueryStopped, match="larger than 97 kB"):
        Audit(built.home, Limits(bytes=100_000)).ask("SELECT repeat('x', 1000000)", limit=1)


SMALL_ON_ITS_WAY = [
    "[NULL for x in range({many})]",
    "[x % 2 = 0 for x in range({many})]",
    "[[NULL for x in range({many})]]",
    "{'a': [true for x in range({many})]}",
    "MAP {'a': [true for x in range({many})]}",
    "[{'a': NULL} for x in range({some})]",
    "['x'::ENUM('x', 'y') for x in range({many})]",
]
"""Values that are below the limit while they are sent, and above it once they are read."""


@pytest.mark.parametrize("value", SMALL_ON_ITS_WAY)
def test_an_answer_that_is_small_only_on_its_way_is_not_handed_out(
    value: str, built: BuiltHome
) -> None:
    value = value.replace("{many}", "500000").replace("{some}", "50000")
    with pytest.raises(QueryStopped, match="larger than 3276 kB"):
        Audit(built.home, Limits(bytes=3276 << 10)).ask(f"SELECT {value} AS n", limit=1)


def test_nor_is_one_where_no_other_limit_is_set(built: BuiltHome) -> None:
    value = "[NULL for x in range(5000000)]"
    with pytest.raises(QueryStopped, match="larger than 32768 kB"):
        Audit(built.home).ask(f"SELECT {value} AS n", limit=1)


@pytest.mark.parametrize(
    ("sql", "most"),
    [
        ("SELECT NULL FROM range(1000000)", 100_000 // 8),
        ("SELECT x % 2 = 0 FROM range(1000000) t(x)", 100_000 // 8),
        (f"SELECT '{'x' * 1000}'::ENUM('{'x' * 1000}') FROM range(1000000)", 100),
    ],
)
def test_rows_of_next_to_nothing_are_counted_too(sql: str, most: int, built: BuiltHome) -> None:
    answer = Audit(built.home, Limits(bytes=100_000)).ask(sql, limit=1_000_000)
    assert answer.truncated
    assert 1 <= len(answer.rows) <= most


def test_every_value_of_a_slice_is_weighed_and_none_besides() -> None:
    struct = pa.array([{"a": [True, None]}] * 100, pa.struct([("a", pa.list_(pa.bool_()))]))
    pairs = pa.array([[("a", 1), ("b", 2)]] * 100, pa.map_(pa.string(), pa.int8()))
    table = pa.table({"n": pa.nulls(100), "s": struct, "m": pairs})
    ten = table.slice(5, 10)
    listed, mapped = 64 + 64 + 2 * 8, 64 + 2 * (64 + 2 * 8)
    assert weight(ten) - ten.nbytes == 10 * (8 + listed + mapped)
    assert weight(table) - table.nbytes == 10 * (weight(ten) - ten.nbytes)


def test_questions_wait_for_their_turn_and_are_told_when_it_does_not_come(
    built: BuiltHome,
) -> None:
    waiting = Audit(built.home, Limits(seconds=0.05))
    with audit._answering, audit._answering:
        with pytest.raises(QueryStopped, match="others are being answered"):
            waiting.ask("select 1", limit=1)
        with pytest.raises(BadRequest):
            waiting.ask("", limit=1)
    with pytest.raises(BadSql):
        Audit(built.home).table("SELEC 1", limit=1)
    for _ in range(audit._AT_ONCE + 1):
        assert Audit(built.home).ask("select 1", limit=1).rows == ((1,),)


def test_an_answer_is_cut_by_its_size_too(built: BuiltHome) -> None:
    audit = Audit(built.home, Limits(bytes=100_000))
    answer = audit.ask("SELECT repeat('x', 1000) FROM range(100000)", limit=1_000_000)
    assert answer.truncated
    assert 1 <= len(answer.rows) <= 5_000


def test_the_process_has_no_environment_and_cannot_write(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "open-sesame")
    audit = Audit(built.home, ahead=True)
    audit.ask("select 1", limit=1)
    assert audit._spare
    environment = Path(f"/proc/{audit._spare.pid}/environ")
    if environment.exists():
        assert b"open-sesame" not in environment.read_bytes()
    audit.close()
    place = built.root / "written"
    script = (
        "import os\n"
        "from projections.audit_worker import confine\n"
        f"file = os.open({str(place)!r}, os.O_WRONLY | os.O_CREAT)\n"
        "confine(1 << 40, 1)\n"
        "os.write(file, b'x' * 10)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, cwd=ROOT
    )
    assert b"File too large" in ended.stderr
    assert place.read_bytes() == b""


def test_wrong_sql_gets_the_message_of_duckdb_and_the_tables(built: BuiltHome) -> None:
    with pytest.raises(BadSql) as wrong:
        Audit(built.home).ask("SELEC 1 FROM tasks", limit=1)
    assert "Parser Error" in wrong.value.sentence
    for table in ("events", "tasks", "calls", "costs"):
        assert table in wrong.value.advice
    with pytest.raises(SqlRefused, match="read_csv"):
        Audit(built.home).ask("FROM read_csv('x')", limit=1)
