"""A home with something in every table of the audit, and all that the tables say of it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from events.base import Fact
from events.home import QUERIES, Home
from events.queries import Hit, QueryAnswered
from events.research import (
    CitationChecked,
    ConfidenceWeighed,
    DiscoveryMade,
    QuestionOpened,
    SentenceChecked,
)
from events.stream import EventStream
from projections import audit_lines
from projections.audit_lines import Lines
from projections.audit_worker import table_names
from tests.audit_homes import open_here, plain_shell, tables_of
from tests.homes import BuiltHome, build_home, copy_home
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
