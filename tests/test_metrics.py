"""What is measured of a data home: counted from the record alone, and never in the way of the work."""

import re
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.measures import Labels, Measures, keep_looking
from actors.query_log import QueryLog
from actors.signs import Sign, title
from contracts.core import Core
from contracts.settings import Settings
from events import metrics
from events.calls import CallAnswered, CallFailed, Usage
from events.codec import digest
from events.home import CATALOGUE, QUERIES, Home
from events.metrics import METRICS, Metric
from events.queries import QueryAnswered
from events.research import StepTaken
from tests.embedders import open_letters
from tests.homes import BuiltHome, build_home
from tests.past_tasks import PastTasks

ROOT = Path(__file__).resolve().parent.parent


class Tally:
    """A meter that remembers."""

    def __init__(self) -> None:
        self.counted: Counter[tuple[str, ...]] = Counter()
        self.now: dict[tuple[str, ...], float] = {}
        self.observed: dict[tuple[str, ...], list[float]] = {}

    def count(self, metric: Metric, by: float, *labels: str) -> None:
        assert len(labels) == len(metric.labels) and metric.kind == "counter"
        self.counted[metric.name.removeprefix("research_agent_"), *labels] += by  # type: ignore[assignment]

    def set(self, metric: Metric, to: float, *labels: str) -> None:
        assert len(labels) == len(metric.labels) and metric.kind == "gauge"
        self.now[metric.name.removeprefix("research_agent_"), *labels] = to

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        assert len(labels) == len(metric.labels) and metric.kind == "histogram"
        name = metric.name.removeprefix("research_agent_")
        self.observed.setdefault((name, *labels), []).append(value)


class Board:
    """Signs that remember."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def show(self, stream: str, doing: str) -> None:
        self.seen.append((stream, doing))

    def end(self, stream: str, how: str) -> None:
        self.seen.append((stream, f"ended {how}"))


@pytest.fixture
def built(tmp_path: Path) -> BuiltHome:
    return build_home(tmp_path / "home", tasks=0, unfinished=0)


@pytest.fixture
def past(built: BuiltHome) -> PastTasks:
    return PastTasks(built)


@pytest.fixture
def tally() -> Tally:
    return Tally()


@pytest.fixture
def board() -> Board:
    return Board()


def test_a_research_is_counted_as_it_stands_in_the_record(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    before = len(built.home.read(CATALOGUE)[0])
    measures = Measures(built.home, tally, board)
    task = past.completed("Why is the sky blue?", minutes=4.0, dollars=0.25)
    for _ in range(3):
        measures.look()
    own, researcher = (built.home.read(name)[0] for name in (task, f"{task}.r1"))
    entered = len(built.home.read(CATALOGUE)[0]) - before
    assert tally.counted["facts", "research"] == len(own)
    assert tally.counted["facts", "researcher"] == len(researcher)
    assert tally.counted["facts", "catalogue"] == entered
    answered = [each.data for each in researcher if each.kind == "call_answered"]
    assert tally.counted["calls", "model", "answered"] == len(answered) == 1
    assert tally.counted["tokens", "model", "input"] == 450_000
    assert tally.counted["tokens", "model", "output"] == 120_000
    assert tally.counted["cost_usd", "model"] == 0.25
    assert len(tally.observed["call_seconds", "model"]) == 1
    assert tally.counted["ended", "research", "completed"] == 1


def test_what_was_recorded_before_is_not_counted(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    past.completed("Why is the sky blue?")
    under_way = past.running("Why is the sea salt?", steps=3)
    measures = Measures(built.home, tally, board)
    measures.look()
    assert sum(tally.counted.values()) == 0
    past.note(under_way, StepTaken(step=4, action="read", decision="Reading page 4"))
    measures.look()
    # The step, and that somebody claimed the stream to note it.
    assert tally.counted["facts", "researcher"] == 2
    assert tally.counted["steps", "gemini"] == 1


def test_failures_are_counted_by_their_code_and_cost_what_they_cost(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    task = past.running("Why is the sea salt?")
    measures = Measures(built.home, tally, board)
    failed = CallFailed(
        call="tavily.search:00#1",
        code="rate_limited",
        message="Slow down",
        final=False,
        usage=Usage(input_tokens=7, thought_tokens=3),
        cost_usd=0.5,
        took_ms=1500,
    )
    past.note(task, failed)
    measures.look()
    assert tally.counted["calls", "tavily", "rate_limited"] == 1
    assert tally.counted["tokens", "tavily", "thought"] == 3
    assert tally.counted["cost_usd", "tavily"] == 0.5
    assert tally.observed["call_seconds", "tavily"] == [1.5]


def test_an_ingest_is_counted_in_files_chunks_and_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally, board: Board
) -> None:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    core = Core(Settings(home=tmp_path / "home"))
    core.home.prepare()
    measures = Measures(core.home, tally, board)
    job, _ = core.start_ingest(str(ROOT / "docs" / "samples"), "samples", recursive=False)
    measures.look()
    assert tally.now["queue_length", "ingest"] == 1
    assert tally.now["running", "ingest"] == 0
    measures.running = frozenset({job})
    from actors.archive import LocalArchive

    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    measures.look()
    seen = core.views.job(job)
    assert tally.counted["ingest_files", "added"] == seen.added > 0
    assert tally.counted["ingest_chunks", "yes"] == seen.chunks > 0
    assert tally.counted["ingest_chunks", "no"] == 0
    assert tally.counted["ingest_seconds",] > 0
    assert tally.counted["ended", "ingest", "completed"] == 1
    assert tally.now["running", "ingest"] == tally.now["queue_length", "ingest"] == 0


def test_queries_are_observed_from_the_stream_that_any_server_writes(
    home: Home, tally: Tally, board: Board
) -> None:
    def answered(took_ms: float) -> QueryAnswered:
        return QueryAnswered(
            query="tides",
            query_hash=digest(b"tides"),
            through="query_knowledge",
            mode="best",
            limit=10,
            found=0,
            took_ms=took_ms,
        )

    queries = QueryLog(home)
    queries.record(answered(7.0))
    queries.flush()
    measures = Measures(home, tally, board)
    queries.record(answered(12.0))
    queries.record(answered(34.0))
    queries.flush()
    measures.look()
    measures.look()
    assert tally.observed == {("query_seconds", "query_knowledge"): [0.012, 0.034]}
    assert tally.counted["facts", "queries"] == 2


def test_a_broken_stream_is_left_out_and_the_others_are_counted(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    bad, good = past.running("Why is the sea salt?"), past.running("Why is the sky blue?")
    measures = Measures(built.home, tally, board)
    path = built.home.path(f"{bad}.r1")
    step = StepTaken(step=1, action="read", decision="Reading")
    past.note(bad, step)
    path.write_bytes(path.read_bytes().replace(b"step_taken", b"step_token"))
    past.note(good, step)
    measures.look()
    past.note(good, step)
    measures.look()
    assert tally.counted["steps", "gemini"] == 2


def test_a_broken_stream_of_queries_does_not_hide_the_work(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    task = past.running("Why is the sky blue?")
    measures = Measures(built.home, tally, board)
    built.home.path(QUERIES).write_bytes(b"nonsense\n" * 3)
    past.note(task, StepTaken(step=1, action="read", decision="Reading"))
    measures.look()
    assert tally.counted["steps", "gemini"] == 1


def test_the_last_step_of_each_look_is_shown_and_then_the_end(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    task = past.running("Why is the sky blue?")
    measures = Measures(built.home, tally, board)
    for step in (1, 2):
        past.note(task, StepTaken(step=step, of=3, action="read", decision=f"Page\x1b[2J {step}"))
    measures.look()
    assert board.seen == [(f"{task}.r1", "step 2 of 3: Page [2J 2")]
    past.conclude(task)
    measures.look()
    assert (f"{task}.r1", "ended completed") in board.seen
    assert board.seen[-1] == (task, "ended completed")


@given(st.lists(st.text(max_size=60), max_size=400))
def test_labels_stay_few_and_harmless_whatever_is_recorded(values: list[str]) -> None:
    labels = Labels()
    given_out = {labels.known("provider", value) for value in values}
    assert len(given_out) <= 101
    assert all(each.isascii() and each.isprintable() and 0 < len(each) <= 40 for each in given_out)


def test_measuring_that_fails_is_tried_again_and_nobody_else_notices() -> None:
    tries, enough, stop = [0], threading.Event(), threading.Event()

    def look() -> None:
        tries[0] += 1
        if tries[0] > 1:
            enough.set()
        raise RuntimeError("no metrics today")

    thread = keep_looking(look, stop)
    assert enough.wait(10)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_sign_is_up_until_the_next_and_none_after_the_last() -> None:
    sign = Sign()
    threads = [threading.Thread(target=sign.show_sign, daemon=True) for _ in range(2)]
    threads[0].start()
    threads[0].join(0.2)
    assert threads[0].is_alive()
    threads[1].start()
    threads[0].join(10)
    assert not threads[0].is_alive() and threads[1].is_alive()
    sign.show_sign(last=True)
    threads[1].join(10)
    assert not threads[1].is_alive()
    sign.show_sign()


def test_actors_are_called_what_a_person_understands() -> None:
    task = "6f2a1b3c-0000-4000-8000-000000000000"
    assert title("task", task, "Why is\nthe sky\x1b[31m blue?") == (
        "task 6f2a1b3c: Why is the sky [31m blue?"
    )
    assert title("corpus researcher", f"{task}.r1", "x" * 99).startswith(
        "corpus researcher 6f2a1b3c.r1: xxx"
    )
    assert title("ingest", f"ingest-{task}", "12 files, optics") == (
        "ingest 6f2a1b3c: 12 files, optics"
    )


def test_every_metric_is_documented_as_it_is_defined() -> None:
    page = (ROOT / "docs" / "dashboard.md").read_text()
    rows = re.findall(r"^\| `(ray_\w+)` \| (\w+) \| (.*?) \| (.*?) \|$", page, re.M)
    said = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels, _ in rows}
    assert said == {each.exported: (each.kind, each.labels) for each in METRICS}
    assert {name: meaning for name, _, _, meaning in rows} == {
        each.exported: each.meaning for each in METRICS
    }


def test_every_metric_that_is_defined_is_listed() -> None:
    defined = {each for each in vars(metrics).values() if isinstance(each, Metric)}
    assert defined == set(METRICS)
    assert len({each.name for each in METRICS}) == len(METRICS)


def test_whoever_appends_or_calls_loads_nothing_for_measuring() -> None:
    seen = "import sys, actors.recorded, events.stream; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", seen], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert {"ray", "actors.measures", "events.metrics"} & set(done.stdout.split()) == set()


def test_a_call_without_usage_counts_as_a_call(
    built: BuiltHome, past: PastTasks, tally: Tally, board: Board
) -> None:
    task = past.running("Why is the sky blue?")
    measures = Measures(built.home, tally, board)
    reply = built.home.blobs.put(b"[]")
    past.note(task, CallAnswered(call="corpus.search:00#1", reply=reply, took_ms=3))
    measures.look()
    assert tally.counted["calls", "corpus", "answered"] == 1
    assert sum(value for key, value in tally.counted.items() if key[0] == "tokens") == 0
