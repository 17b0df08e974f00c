"""What was asked of the corpus is in the record, whoever asked, and nobody waits for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from actors.query_log import QueryLog
from contracts.core import Core
from contracts.knowledge.querying import History
from contracts.settings import Settings
from events.base import Fact
from events.calls import CallAnswered, CallAsked
from events.home import QUERIES, Home
from events.queries import QueryAnswered
from projections.views import Views
from traces.verify import verify_home

ROOT = Path(__file__).resolve().parent.parent
NO_HASH = "sha256:" + "0" * 64


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home


def answered(query: str) -> QueryAnswered:
    return QueryAnswered(
        query=query,
        query_hash=NO_HASH,
        through="test",
        mode="best",
        limit=10,
        found=0,
        took_ms=1.5,
    )


def recorded(home: Home) -> list[str]:
    return [record.data["query"] for record in home.read(QUERIES)[0]]


def test_queries_are_recorded_in_their_order(home: Home) -> None:
    queries = QueryLog(home)
    for number in range(100):
        queries.record(answered(f"q{number}"))
    queries.flush()
    assert recorded(home) == [f"q{number}" for number in range(100)]


RECORDS = """
import sys
from pathlib import Path
from actors.query_log import QueryLog
from events.home import Home
from tests.test_query_log import answered

queries = QueryLog(Home(Path(sys.argv[1])))
for number in range(20):
    queries.record(answered(f"{sys.argv[2]}-{number}"))
"""


def test_several_processes_record_at_once_and_their_last_words_are_kept(home: Home) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", RECORDS, str(home.root), name], cwd=ROOT)
        for name in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert sorted(recorded(home)) == sorted(f"{name}-{n}" for name in "abc" for n in range(20))
    assert verify_home(home.root).faults == []


def test_a_home_that_cannot_be_written_is_only_logged(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    queries = QueryLog(Home(place))
    queries.record(answered("q"))
    queries.flush()
    assert place.read_text() == "not a folder"


def paid(home: Home, number: int, dollars: float) -> list[Fact]:
    blob = home.blobs.put(b"{}")
    call = f"claude.message:{number}"
    return [
        CallAsked(call=call, port="claude", operation="message", request=blob),
        CallAnswered(call=call, reply=blob, model="m", cost_usd=dollars, took_ms=1.0),
    ]


def rewrite_last(home: Home, take_back: int, *facts: Fact) -> None:
    """As a writer whose sync failed, and one that came after it."""
    path = home.path(QUERIES)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-take_back]))
    # It was never acknowledged, so no head was noted.
    (path.parent / "heads" / f"{QUERIES}.head").unlink()
    QueryLog(home).record_now(*facts)


def test_queries_that_were_taken_back_are_forgotten_and_those_after_them_seen(home: Home) -> None:
    history = History(Core(Settings(home=home.root)))
    QueryLog(home).record_now(answered("kept"))
    QueryLog(home).record_now(answered("lost"))
    assert [each["query"] for each in history.latest()] == ["lost", "kept"]
    rewrite_last(home, 1, answered("came later"), answered("and later"))
    assert [each["query"] for each in history.latest()] == ["and later", "came later", "kept"]


def test_costs_of_answers_that_were_taken_back_are_forgotten_and_those_after_them_counted(
    home: Home,
) -> None:
    views = Views(home)

    def spent() -> float:
        return round(sum(each.cost_usd for each in views.costs().totals), 2)

    QueryLog(home).record_now(*paid(home, 1, 0.5))
    QueryLog(home).record_now(*paid(home, 2, 0.25))
    assert spent() == 0.75
    rewrite_last(home, 2, *paid(home, 3, 1.25), *paid(home, 4, 2.0))
    assert spent() == 3.75
