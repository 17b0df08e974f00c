"""`research-agent watch` and the steps an MCP client is told: every fact once, in order, and harmless."""

import json
import os
import signal
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from hypothesis import given
from hypothesis import strategies as st

from contracts.core import Core
from contracts.settings import Settings
from contracts.waiting import wait_for
from contracts.watching import Line, Watching
from events import calls, ingest, research, task, upkeep, words
from events.base import Fact
from events.catalogue import TaskEntered
from events.codec import FACTS, Record
from events.errors import EngineDown, UnknownTask
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream
from events.tail import read_stream
from events.trail import Trail, end_of
from events.words import plain, told
from mcp_entry import build_server
from tests.commands import Run, runner
from tests.homes import BuiltHome, build_home
from tests.inline_engine import InlineEngine
from tests.past_tasks import PastTasks

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "docs" / "samples"
QUESTION = "How do tides generate electricity?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture
def built(tmp_path: Path) -> BuiltHome:
    return build_home(tmp_path / "home", tasks=0, unfinished=0)


@pytest.fixture
def past(built: BuiltHome) -> PastTasks:
    return PastTasks(built)


@pytest.fixture
def core(built: BuiltHome, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    return Core(Settings(home=built.home.root, sync_window_s=30.0, roots=(SAMPLES,)))


@pytest.fixture
def run(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(built.home.root))
    return runner(capsys)


def recorded(home: Home, task: str) -> list[Record]:
    return [*home.read(task)[0], *home.read(f"{task}.r1")[0]]


# -- the command ----------------------------------------------------------------------------------


def test_a_finished_task_is_told_from_its_first_fact_to_its_last(
    run: Run, built: BuiltHome, past: PastTasks
) -> None:
    task = past.completed("Why is the sky blue?", dollars=0.25)
    done = run("watch", task)
    assert (done.code, len(done.lines)) == (0, len(recorded(built.home, task)))
    assert done.err == "completed\n"
    said = done.out
    assert "task    Accepted: Why is the sky blue?" in said
    assert "r1      Reading page 1" in said
    assert "$0.2500" not in said.partition("model answered")[0]
    assert done.lines[-1].endswith("Research complete  [$0.2500]")
    assert said.index("Accepted") < said.index("Reading page 2") < said.index("Done")


def test_the_past_can_be_left_out(run: Run, past: PastTasks) -> None:
    task = past.completed("Why is the sky blue?")
    done = run("watch", task, "--from-now")
    assert (done.code, done.out, done.err) == (0, "", "completed\n")


def test_as_json_the_lines_are_those_of_the_trace(
    run: Run, built: BuiltHome, past: PastTasks
) -> None:
    task = past.completed("Why is the sky blue?")
    done = run("watch", task, "--json")
    assert sorted(done.lines) == sorted(each.line.decode() for each in recorded(built.home, task))


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_what_did_not_succeed_ends_with_one_and_says_why(
    run: Run, past: PastTasks, how: str
) -> None:
    task = past.running("Why is the sky blue?")
    if how == "failed":
        past.failed(task, "budget_exhausted", "No\x1b[2J money \u202eleft.")
    else:
        past.stopped(task)
    done = run("watch", task)
    assert done.code == 1
    assert done.err.startswith(how)
    if how == "failed":
        assert done.err == "failed: No [2J money left.\n"
        assert done.lines[-1].endswith("Research failed (budget_exhausted): No [2J money left.")


@pytest.mark.parametrize("name", [NOBODY, "../../etc/passwd", "", "\x1b[2J", "catalogue"])
def test_an_unknown_id_is_refused(run: Run, name: str) -> None:
    done = run("watch", name)
    assert (done.code, done.out) == (2, "")
    assert "[unknown_task]" in done.err or "unknown_task" in done.err
    with pytest.raises(UnknownTask):
        Watching(Core(Settings.from_environment()), name)


def test_without_waiting_it_prints_what_there_is(run: Run, past: PastTasks) -> None:
    task = past.running("Why is the sky blue?", steps=2)
    done = run("watch", task, "--no-wait")
    assert (done.code, done.err) == (0, f"research-agent: {task} has not ended.\n")
    assert done.lines[-1].endswith("Reading page 2")


def test_that_no_engine_runs_is_said_once_and_the_end_is_seen_all_the_same(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.watching._ENGINE_GLANCE", -1.0)
    monkeypatch.setattr("contracts.watching._GLANCE", 0.0)
    task = past.running("Why is the sky blue?")
    said: list[str] = []
    looks = 0

    def state(home: Path) -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            past.conclude(task)

    monkeypatch.setattr("contracts.watching.read_state", state)
    watching = Watching(core, task)
    kinds = [each.record.kind for each in watching.lines(wait=True, say=said.append)]
    assert kinds[-1] == "task_concluded"
    assert (looks, len(said)) == (3, 1)
    assert "not running" in said[0]


def test_an_engine_that_gave_up_is_not_waited_for(core: Core, past: PastTasks) -> None:
    task = past.running("Why is the sky blue?")
    state = {"state": "failed", "supervisor": 1, "started_at": "now", "error": "no Ray here"}
    core.home.run.mkdir(exist_ok=True)
    (core.home.run / "head.json").write_text(json.dumps(state))
    with pytest.raises(EngineDown, match="no Ray here"):
        list(Watching(core, task).lines(wait=True, say=lambda said: None))


def test_an_interrupt_ends_it_cleanly_and_the_task_goes_on(
    built: BuiltHome, past: PastTasks
) -> None:
    task = past.running("Why is the sky blue?", steps=1)
    environment = dict(os.environ) | {"RESEARCH_AGENT_HOME": str(built.home.root)}
    watching = subprocess.Popen(
        [sys.executable, "-m", "cli", "watch", task],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout
    while "Reading page 1" not in watching.stdout.readline():
        assert watching.poll() is None
    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=30)
    assert watching.returncode == 130
    assert "Traceback" not in said and "goes on by itself" in said


# -- following ------------------------------------------------------------------------------------


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


def test_a_job_and_a_task_are_followed_while_they_are_worked_on(
    core: Core, engine: InlineEngine
) -> None:
    engine.paused.set()
    job, _ = core.start_ingest(str(SAMPLES), "samples", recursive=False)
    threading.Timer(0.3, engine.paused.clear).start()
    for name in (job, ""):
        if not name:
            from contracts.research.calls import brief_for

            name, _ = core.start_research(brief_for(QUESTION))
        watching = Watching(core, name)
        seen: list[Line] = list(watching.lines(wait=True, say=lambda said: None))
        end = watching.end()
        assert end and end.good
        for stream in {each.record.stream for each in seen}:
            own = [each.record.line for each in seen if each.record.stream == stream]
            assert own == [each.line for each in core.home.read(stream)[0]]
    assert {each.record.stream for each in seen} == {name, f"{name}.r1"}


def test_facts_of_several_streams_come_in_the_order_of_their_times(
    built: BuiltHome, past: PastTasks
) -> None:
    task = past.completed("Why is the sky blue?")
    seen = list(Trail(built.home, task).look())
    assert [each.at for each in seen] == sorted(each.at for each in seen)
    assert len(seen) == len(recorded(built.home, task))


def test_each_look_brings_what_is_new_and_only_that(built: BuiltHome, past: PastTasks) -> None:
    task = past.running("Why is the sky blue?")
    trail = Trail(built.home, task)
    seen = [each.line for each in trail.look()]
    assert list(trail.look()) == []
    past.note(task, StepTaken(step=1, action="read", decision="Reading"))
    seen += [each.line for each in trail.look()]
    past.conclude(task)
    seen += [each.line for each in trail.look()]
    assert sorted(seen) == sorted(each.line for each in recorded(built.home, task))
    assert trail.streams == (task, f"{task}.r1")


@given(lengths=st.lists(st.integers(0, 90_000), max_size=6), torn=st.binary(max_size=50))
def test_the_end_of_a_stream_is_found_without_its_beginning(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], torn: bytes
) -> None:
    folder = tmp_path_factory.mktemp("ends")
    (folder / "heads").mkdir()
    path = folder / "stream.jsonl"
    stream, _ = EventStream.claim(path, "test")
    for length in lengths:
        step = StepTaken(step=1, action="read", decision="x" * length)
        stream.append(*[step] * (1 + length % 3))
    stream.close()
    with path.open("ab") as file:
        file.write(torn.replace(b"\n", b""))
    assert end_of(path) == read_stream(path)[1]


def test_the_end_of_a_stream_that_does_not_exist_is_its_beginning(tmp_path: Path) -> None:
    assert end_of(tmp_path / "none.jsonl") == read_stream(tmp_path / "none.jsonl")[1]


# -- words ----------------------------------------------------------------------------------------


def is_harmless(text: str) -> bool:
    return not any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Co", "Zl"} for each in text)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(data=st.data())
def test_no_fact_however_odd_breaks_its_sentence_or_the_terminal(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([*sorted(FACTS), "some_new_kind"]))
    names = sorted(FACTS[kind].model_fields) if kind in FACTS else ["field"]
    fields: dict[str, Any] = data.draw(
        st.dictionaries(st.sampled_from(names), anything, max_size=len(names))
    )
    said = told(kind, fields)
    assert said and len(said) <= 200
    assert is_harmless(said)


@given(st.text())
def test_a_line_of_json_says_the_same_and_steers_no_terminal(text: str) -> None:
    raw = json.dumps({"text": text}, ensure_ascii=False).encode(errors="replace")
    line = b'{"v":1,"stream":"s","seq":1,"at":"2026","event":{"kind":"step_taken","a":%b}}' % raw
    shown = Line(Record(line), 0.0).as_recorded()
    assert json.loads(shown) == json.loads(line)
    assert is_harmless(shown)


def test_every_fact_of_a_task_or_job_has_words_of_its_own() -> None:
    kinds = {
        cls.model_fields["kind"].default
        for module in (upkeep, calls, task, research, ingest)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Fact) and cls is not Fact
    }
    assert kinds - set(words._SAYING) == set()


def test_calls_quotations_and_discoveries_are_told_in_plain_words() -> None:
    asked = {"port": "corpus", "operation": "likeness"}
    assert told("call_asked", asked) == "Comparing sentences with the question"
    assert told("call_asked", asked | {"attempt": 2}).endswith(", attempt 2")
    assert told("call_asked", {"port": "x", "operation": "y"}) == "Asking x to y"
    answered = {"call": "corpus.search:1", "took_ms": 12.3}
    assert told("call_answered", answered) == "The documents were searched (12 ms)"
    found = {
        "type": "new_source",
        "query": "Tide mills",
        "reason": "Cited twice.",
        "source_locator": "https://example.org/mills",
    }
    said = "Discovery (new source, https://example.org/mills): Tide mills: Cited twice."
    assert told("discovery_made", found) == said
    clash = {"topic": "t", "category": "contradictory_sources", "detail": "d"}
    assert told("gap_found", clash) == "Contradiction, t: d"
    checked = {"outcome": "not_found", "sentence": "It rains."}
    assert told("sentence_checked", checked) == "Checking (not found): It rains."
    accepted = {"files": 1, "collection": "c"}
    assert told("ingest_accepted", accepted) == "Accepted 1 file for c"
    assert told("claims_compared", {"compared": 2}) == "Compared 2 sentences by their meaning"


def test_a_quotation_names_its_source(core: Core, engine: InlineEngine) -> None:
    from contracts.research.calls import brief_for

    job, _ = core.start_ingest(str(SAMPLES), "samples", recursive=False)
    list(core.follow_job(job, 60))
    task, _ = core.start_research(brief_for(QUESTION))
    lines = Watching(core, task).lines(wait=True, say=lambda said: None)
    quoted = [each for each in lines if each.record.kind == "passage_quoted"]
    titles = {each.title for each in core.views.sources("samples")}
    assert quoted
    for each in quoted:
        assert each.source in titles
        assert each.in_words().endswith(f"] from {each.source}")


def test_long_texts_are_cut_and_lines_joined() -> None:
    assert plain("one\n two\t\x07three") == "one two three"
    assert len(plain("word " * 10_000)) <= 200
    assert plain("word " * 10_000).endswith("…")


# -- what an MCP client is told -------------------------------------------------------------------


@pytest.mark.anyio
async def test_every_step_between_two_looks_is_told_once_in_order_and_rising(
    core: Core, past: PastTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = past.running("Why is the sky blue?", steps=2)
    rounds = iter([3, 0, 2])
    taken = ["Reading page 1", "Reading page 2"]

    def between_looks(self: Core) -> None:
        many = next(rounds, None)
        if many is None:
            past.conclude(task)
            return
        for _ in range(many):
            taken.append(f"Reading page {len(taken) + 1}")
            past.note(task, StepTaken(step=len(taken), action="read", decision=taken[-1]))

    monkeypatch.setattr(Core, "expect_engine", between_looks)
    heard: list[tuple[float, str]] = []

    async def progress(done: float, of: float, said: str) -> None:
        heard.append((done, said))

    seen = await wait_for(core, task, None, progress)
    assert seen.status.phase == "completed"
    assert [said for _, said in heard if said.startswith("Reading page")] == taken
    percents = [done for done, _ in heard]
    assert percents == sorted(set(percents)), "MCP wants it to go up with each notification"
    assert heard[-1] == (100, "Research complete")


@pytest.mark.anyio
@pytest.mark.parametrize("tool", ["research", "start_deep_research"])
async def test_a_client_hears_of_every_step_of_its_research(
    core: Core, engine: InlineEngine, tool: str
) -> None:
    job, _ = core.start_ingest(str(SAMPLES), "samples", recursive=False)
    list(core.follow_job(job, 30))
    heard: list[tuple[float, str | None]] = []

    async def progress(done: float, of: float | None, said: str | None) -> None:
        heard.append((done, said))

    named = {"research": "question", "start_deep_research": "query"}
    async with Client(build_server(core), progress_handler=progress) as client:
        await client.call_tool(tool, {named[tool]: QUESTION})
    entries = core.catalogue.state().entries
    (task,) = (name for name in entries if isinstance(entries[name].entered, TaskEntered))
    steps = [
        told(each.kind, each.data)
        for each in core.home.read(f"{task}.r1")[0]
        if each.kind == "step_taken"
    ]
    assert len(steps) >= 3
    # The last one may come again with a higher percentage.
    assert [said for said, _ in groupby(said for _, said in heard) if said in steps] == steps
    assert heard[-1][0] == 100
