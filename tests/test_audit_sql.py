"""The named questions answer from the files alone, in any DuckDB, whatever state the files are in."""

import shutil
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from events.calls import CallAsked
from events.catalogue import SourcePublished
from events.home import CATALOGUE
from events.research import StepTaken
from tests.homes import BuiltHome, build_home, copy_home, lines_of

AUDIT = Path(__file__).resolve().parent.parent / "traces" / "audit"
QUESTIONS = sorted(path.stem for path in AUDIT.glob("*.sql"))


def ask(question: str, traces: Path) -> list[dict[str, Any]]:
    """What a named question answers."""
    return rows_of((AUDIT / f"{question}.sql").read_text(), traces)


def rows_of(statement: str, traces: Path) -> list[dict[str, Any]]:
    database = opened()
    database.execute(f"set variable traces = '{traces}/*.jsonl'")
    answer = database.execute(statement)
    names = [column[0] for column in answer.description]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


@cache
def opened() -> duckdb.DuckDBPyConnection:
    """A DuckDB that may download nothing. Its tables are views: each question reads the files anew."""
    database = duckdb.connect(config={"autoinstall_known_extensions": False})
    database.execute("set variable traces = '/nowhere/*.jsonl'")
    for tables in ("files", "tables"):
        database.execute((AUDIT.parent / f"{tables}.sql").read_text())
    return database


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("pristine") / "home", tasks=2, researchers=2)


@pytest.fixture
def built(pristine: BuiltHome, tmp_path: Path) -> BuiltHome:
    return copy_home(pristine, tmp_path / "home")


def found(traces: Path) -> list[tuple[str, int]]:
    """Where the chain is broken."""
    return [(Path(row["file"]).name, row["line"]) for row in ask("chain", traces)]


def test_every_question_that_was_promised_is_there() -> None:
    assert QUESTIONS == [
        "anchors",
        "chain",
        "correlations",
        "cost_by_model_and_day",
        "cost_by_task",
        "drift",
        "durations",
        "empty_queries",
        "failures",
        "gaps_by_category",
        "open_questions",
        "orphans",
        "running",
        "slow_steps",
        "sources_by_hash",
        "sources_by_task",
        "tool_calls",
        "unread_documents",
        "unsupported_claims",
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_begins_by_saying_what_it_answers_and_is_one_statement(question: str) -> None:
    text = (AUDIT / f"{question}.sql").read_text()
    assert text.startswith("-- ")
    assert text.partition("\n")[0].endswith("?")
    assert len(duckdb.extract_statements(text)) == 1


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_about_nothing_has_no_answers(question: str, tmp_path: Path) -> None:
    assert ask(question, tmp_path) == []
    (tmp_path / "empty.jsonl").write_bytes(b"")
    assert ask(question, tmp_path) == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_a_dying_writer_left_changes_no_answer(question: str, built: BuiltHome) -> None:
    traces = built.home.traces
    before = ask(question, traces)
    stream = built.claim(built.researchers[-1])
    kept = len(stream.path.read_bytes())
    stream.append(
        *[StepTaken(step=n, action="gap_found", decision="“ü” call_asked") for n in (1, 2)]
    )
    raw = stream.path.read_bytes()
    torn = raw[kept:]
    inside_a_character = torn.index("ü".encode()) + 1
    whole_line = torn.index(b"\n") + 1
    for cut in (1, inside_a_character, whole_line, len(torn) - 9):
        stream.path.write_bytes(raw[: kept + cut])
        assert ask(question, traces) == before


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_survives_whatever_is_in_a_file(question: str, built: BuiltHome) -> None:
    built.stream(built.jobs[0]).write_bytes(
        b'\xff\xfe\n\0\0\0\nnull\n[]\n{}\n7\n"x"\na\tb\tc\nx\ry\n\n' + b"[" * 5000 + b"\n"
        b'{"stream":7,"seq":"x","at":"never","left":-1,"event":{"kind":["call_asked"]}}\n'
        b'{"stream":"s","seq":1,"at":null,"left":0,"event":"call_asked"}\n'
        b'{"stream":"s","seq":2,"left":0,"event":{"kind":"call_asked","usage":[],"call":{}}}\n'
        b'{"a":"' + b"x" * 3_000_000 + b'"}\n'
    )
    ask(question, built.home.traces)


# -- chain -----------------------------------------------------------------------------------------


def test_the_chain_of_an_untouched_home_is_whole(pristine: BuiltHome) -> None:
    assert ask("chain", pristine.home.traces) == []


def test_every_line_that_was_edited_is_named(built: BuiltHome) -> None:
    whole = {path: lines_of(path) for path in built.traces()}
    for number in range(1, max(map(len, whole.values())) + 1):
        expected = []
        for path, lines in whole.items():
            edited = [*lines]
            if number <= len(lines):
                edited[number - 1] = lines[number - 1].replace(b'{"kind":"', b'{"kind":"x', 1)
                expected.append((path.name, number))
            path.write_bytes(b"".join(edited))
        assert found(built.home.traces) == expected


def test_lines_dropped_doubled_swapped_or_moved_are_named(built: BuiltHome) -> None:
    traces, path = built.home.traces, built.stream(built.researchers[0])
    lines = lines_of(path)
    stranger = lines_of(built.stream(CATALOGUE))[1]
    for number in (1, 2, len(lines) - 1):
        before, here, after = lines[: number - 1], lines[number - 1], lines[number:]
        for changed, first in (
            ([*before, *after], number),
            ([*before, here, here, *after], number + 1),
            ([*before, after[0], here, *after[1:]], number),
            ([*before, stranger, here, *after], number),
            ([*before, b"garbage\n", here, *after], number),
        ):
            path.write_bytes(b"".join(changed))
            assert found(traces)[0] == (path.name, first)


def test_a_trace_under_another_name_is_named(built: BuiltHome) -> None:
    path = built.stream(built.unfinished[0])
    shutil.copy(built.stream(built.tasks[0]), path)
    assert found(built.home.traces) == [
        (path.name, number + 1) for number in range(len(lines_of(path)))
    ]


# -- anchors and orphans ---------------------------------------------------------------------------


def test_a_sealed_stream_that_lost_its_tail_is_named_by_its_parent(built: BuiltHome) -> None:
    assert ask("anchors", built.home.traces) == []
    for name, parent in (
        (built.tasks[0], CATALOGUE),
        (built.jobs[0], CATALOGUE),
        (built.researchers[0], built.tasks[0]),
    ):
        path = built.stream(name)
        lines = lines_of(path)
        path.write_bytes(b"".join(lines[:-1]))
        (row,) = ask("anchors", built.home.traces)
        assert (row["stream"], row["parent"]) == (name, parent)
        assert row["anchored_seq"] == len(lines) > row["actual_seq"]
        path.unlink()
        assert {row["stream"] for row in ask("anchors", built.home.traces)} >= {name}
        path.write_bytes(b"".join(lines))


def test_streams_without_a_parent_and_calls_without_an_answer_are_orphans(
    built: BuiltHome,
) -> None:
    built.claim("stranger").close()
    rows = ask("orphans", built.home.traces)
    assert [(row["orphan"], row["stream"], row["line"], row["call"]) for row in rows] == [
        ("a call without an answer", built.researchers[-1], 3, "search:lost:1"),
        ("a stream without a parent", "stranger", 1, None),
    ]


# -- the rest --------------------------------------------------------------------------------------


def test_cost_is_added_up_by_model_and_day(pristine: BuiltHome) -> None:
    rows = ask("cost_by_model_and_day", pristine.home.traces)
    assert {row["day"] for row in rows} == {date(2026, 11, 16)}
    by_model = {row["model"]: row for row in rows}
    assert by_model["claude-1"]["calls"] == 4
    assert by_model["claude-1"]["cost_usd"] == pytest.approx(4 * 0.0125)
    assert by_model["claude-1"]["input_tokens"] == 4000
    assert by_model["model"]["failed"] == 4, "a failure has no model, and is counted by its port"
    assert rows[0]["model"] == "claude-1", "the dearest comes first"


def test_the_slowest_calls_come_first(pristine: BuiltHome) -> None:
    rows = ask("slow_steps", pristine.home.traces)
    assert [row["took_ms"] for row in rows] == [900.0] * 4 + [120.0] * 5
    assert rows[0]["port"] == "model"
    assert rows[0]["waited_ms"] == 250


def test_every_attempt_of_every_call_is_listed_with_what_came_of_it(pristine: BuiltHome) -> None:
    rows = ask("tool_calls", pristine.home.traces)
    outcomes = [row["outcome"] for row in rows]
    assert outcomes.count("answered") == 9
    assert outcomes.count("failed") == 4
    assert outcomes.count("open") == 1
    (failed, *_) = (row for row in rows if row["outcome"] == "failed")
    assert (failed["code"], failed["attempt"], failed["operation"]) == ("overloaded", 1, "write")


def test_a_call_asked_again_after_a_crash_is_told_from_one_that_failed(built: BuiltHome) -> None:
    stream = built.claim(built.researchers[-1])
    request = built.home.blobs.put(b"asked again")
    stream.append(
        CallAsked(
            call="search:lost:1", port="search", operation="query", request=request, attempt=2
        )
    )
    rows = [r for r in ask("tool_calls", built.home.traces) if r["call"] == "search:lost:1"]
    assert [(row["attempt"], row["outcome"]) for row in rows] == [(1, "asked again"), (2, "open")]


def test_sources_are_listed_by_what_they_contained(pristine: BuiltHome) -> None:
    (row,) = ask("sources_by_hash", pristine.home.traces)
    assert row["urls"] == ["/library/sky.md"]
    assert (row["reads"], row["quotes"]) == (4, 4)
    assert row["tasks"] == sorted(pristine.tasks)


def test_gaps_are_counted_by_category(pristine: BuiltHome) -> None:
    (row,) = ask("gaps_by_category", pristine.home.traces)
    assert (row["category"], row["gaps"]) == ("source_not_found", 4)
    assert row["topics"] == ["red skies"]
    assert row["tasks"] == sorted(pristine.tasks)


def test_a_document_that_is_published_in_other_words_is_there_once_and_says_them(
    built: BuiltHome,
) -> None:
    (before,) = rows_of("from documents", built.home.traces)
    published = next(
        record.fact
        for record in built.home.read(CATALOGUE)[0]
        if isinstance(record.fact, SourcePublished)
    )
    said = {"tags": ("optics",), "metadata": {"citekey": "rayleigh1871"}, "job": "another"}
    built.enter(published.model_copy(update=said))
    (after,) = rows_of("from documents", built.home.traces)
    assert (after["tags"], after["metadata"]) == (["optics"], '{"citekey":"rayleigh1871"}')
    assert {**after, "tags": [], "metadata": "{}"} == before
    assert before["searchable"] is True
