"""The research-agent command: what it prints, where, and the code it ends with."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from actors.archive import LocalArchive
from actors.ingest import IngestJob
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.parsing import AnyParser
from actors.waking import HeadState, shut_down
from contracts.core import Core
from contracts.doctor import examine
from contracts.settings import Settings
from events.catalogue import Brief
from events.codec import digest
from events.errors import EngineDown
from events.home import Home
from mcp_entry import build_server
from tests.asking_letters import open_letters_corpus
from tests.commands import Done, Run, runner
from tests.embedders import open_letters
from tests.inline_engine import InlineEngine

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity?"
NOBODY = "550e8400-e29b-41d4-a716-446655440000"
QUIET = """
import sys, cli
from contracts.core import Core
Core.wake_engine = lambda self: self.home.prepare()
sys.exit(cli.main())
"""
"""The command in a process of its own, but without waking an engine."""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, without waking an engine."""
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())

    return runner(capsys)


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data home that commands use; there is nothing there yet."""
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def engine(at: Path) -> Iterator[InlineEngine]:
    home = Home(at)
    home.prepare()
    engine = InlineEngine(home)
    yield engine
    engine.close()


@dataclass(frozen=True)
class Built:
    """A home in which one research is finished and one is not."""

    root: Path
    job: str
    task: str
    open: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Made once, and only to be read."""
    home = Home(tmp_path_factory.mktemp("finished") / "home")
    home.prepare()
    archive = LocalArchive(home)
    files = [str(path) for path in sorted(SAMPLES.glob("t*.md"))]
    job, _ = archive.catalogue.enter_job("tides", files)
    IngestJob(archive, AnyParser(), open_letters, job).run()
    task, _ = archive.catalogue.enter_task(Brief(question=QUESTION))
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)
    waiting, _ = archive.catalogue.enter_task(Brief(question="And tomorrow?"))
    return Built(home.root, job, task, waiting)


@pytest.fixture
def built(finished: Built, at: Path) -> Built:
    """The same, to be harmed."""
    shutil.copytree(finished.root, at)
    return Built(at, finished.job, finished.task, finished.open)


def trace(built: Built, stream: str) -> Path:
    return built.root / "traces" / f"{stream}.jsonl"


def everything(root: Path) -> dict[str, bytes]:
    """Every byte of the record."""
    parts = [*(root / "traces").rglob("*"), *(root / "blobs").rglob("*")]
    return {str(path): path.read_bytes() for path in parts if path.is_file()}


def only_progress(said: str) -> bool:
    return all(re.match(r"[A-Z][a-z]+ing: ", line) for line in said.splitlines())


def refused(done: Done, *says: str) -> None:
    assert done.code == 2, done
    *before, reason = done.err.splitlines(keepends=True)
    assert reason.startswith("research-agent: "), done.err
    assert only_progress("".join(before))
    for words in says:
        assert words in reason


# -- bringing documents in ------------------------------------------------------------------------


def test_ingest_says_what_became_of_the_files(run: Run, engine: InlineEngine) -> None:
    done = run("ingest", str(SAMPLES), "--collection", "tides")
    count = len(list(SAMPLES.iterdir()))
    assert (done.code, done.out) == (0, f"tides: {count} added\n")
    assert "Ingesting: " in done.err, "progress is not on stdout"
    again = run("ingest", str(SAMPLES), "--collection", "tides")
    assert (again.code, again.out) == (0, f"tides: {count} unchanged\n")


def test_ingest_takes_several_paths_and_answers_in_json(run: Run, engine: InlineEngine) -> None:
    one, two = sorted(SAMPLES.iterdir())[:2]
    reports = run("ingest", str(one), str(two), "--json").json
    assert [(each["collection"], each["added"]) for each in reports] == [("default", 1)] * 2


def test_ingest_of_a_folder_stays_at_its_top_when_told_to(
    run: Run, engine: InlineEngine, tmp_path: Path
) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for place in (tmp_path / "deep", tmp_path / "deep" / "er"):
        (place / "a.md").write_text("Tides come twice a day.")
    assert run("ingest", str(tmp_path / "deep"), "--flat", "--json").json[0]["files"] == 1
    assert run("ingest", str(tmp_path / "deep"), "--json").json[0]["files"] == 2


def test_ingest_with_a_file_that_fails_is_bad_news_and_names_it(
    run: Run, engine: InlineEngine, tmp_path: Path
) -> None:
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7")
    done = run("ingest", str(tmp_path / "paper.pdf"))
    assert done.code == 1
    assert "1 failed" in done.out and "paper.pdf" in done.out


@pytest.mark.parametrize("path", ["/nowhere/at/all", "", "  ", "/dev/null"])
def test_ingest_of_nothing_is_refused(run: Run, at: Path, path: str) -> None:
    refused(run("ingest", path), "Cannot read", "[path_refused]")
    assert not at.exists(), "nothing is made for a request that is refused"


# -- research -------------------------------------------------------------------------------------


def test_research_prints_the_answer_its_evidence_and_its_trace(
    run: Run, engine: InlineEngine
) -> None:
    run("ingest", str(SAMPLES))
    done = run("research", QUESTION)
    assert done.code == 0
    for words in ("\nCitations\n[1] ", "sha256:", "Confidence ", " of the question", " tokens, "):
        assert words in done.out
    task, advice = done.out.splitlines()[-2:]
    assert re.fullmatch(r"Task [0-9a-f-]{36}", task)
    assert advice.startswith(f"research-agent verify {task[5:13]} ")
    assert run("verify", task[5:13]).code == 0
    assert "Researching: " in done.err and "Researching: " not in done.out


def test_research_answers_a_program_in_json(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    found = run("research", QUESTION, "--json", "--depth", "shallow", "--context", "x").json
    assert found["citations"] and found["record"]["stream"] == found["trace_id"]


def test_research_searches_only_the_collections_it_is_given(run: Run, engine: InlineEngine) -> None:
    for path in sorted(SAMPLES.glob("tid*.md")):
        run("ingest", str(path), "--collection", path.stem)
    arguments = ["--collection", "tide-mills", "--collection", "tidal-stations", "--json"]
    found = run("research", "What is known about tidal power and mills?", *arguments).json
    cited = {Path(each["locator"]).stem for each in found["citations"]}
    assert cited <= {"tide-mills", "tidal-stations"}


def test_research_that_nobody_waits_for_prints_its_id_alone(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    engine.paused.set()
    task = run("research", QUESTION, "--no-wait").out.strip()
    status = run("status", task, "--json").json
    assert (status["task_id"], status["status"]) == (task, "pending")


def test_research_that_ends_without_a_result_is_bad_news(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    engine.paused.set()
    core = Core(Settings.from_environment())

    def cancel() -> None:
        while not (tasks := core.views.tasks().tasks):
            time.sleep(0.01)
        core.cancel(tasks[0].task)

    thread = threading.Thread(target=cancel)
    thread.start()
    done = run("research", QUESTION)
    thread.join()
    assert (done.code, done.out) == (1, "")
    assert "cancelled" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        [""],
        ["   "],
        ["x" * 501],
        ["x" * 100_000],
        ["q", "--context", "x" * 2001],
        ["caf\udce9"],
    ],
    ids=["empty", "blank", "501", "100000", "context", "no text"],
)
def test_a_question_that_is_none_is_refused_and_nothing_is_recorded(
    run: Run, built: Built, arguments: list[str]
) -> None:
    before = everything(built.root)
    refused(run("research", *arguments), "[bad_request]")
    assert everything(built.root) == before


def test_research_over_nothing_says_what_to_do(run: Run, at: Path) -> None:
    refused(run("research", QUESTION), "research-agent ingest PATH", "[nothing_to_search]")
    assert not at.exists()


def test_research_of_unknown_depth_is_misuse(run: Run, built: Built) -> None:
    assert run("research", "q", "--depth", "bottomless").code == 2


# -- reading --------------------------------------------------------------------------------------


def test_status_and_results_for_a_person_and_for_a_program(run: Run, built: Built) -> None:
    status = run("status", built.task)
    assert status.code == 0
    assert re.search(r"^status +completed$", status.out, re.M)
    assert run("status", built.task, "--json").json["progress"] == 100
    results = run("results", built.task)
    assert results.code == 0 and QUESTION in results.out
    found = run("results", built.task, "--json").json
    assert found["success"] and found["sources"] and found["report"] == results.out


def test_results_of_a_research_that_still_runs_are_refused(run: Run, built: Built) -> None:
    refused(run("results", built.open), "still in progress")
    done = run("results", built.open, "--json")
    assert done.code == 2
    assert done.json["error"] == "RESEARCH_NOT_COMPLETED"


IDS = [NOBODY, NOBODY.upper(), "x", "../../nowhere", "a" * 5000, "ü", "", "catalogue"]


@pytest.mark.parametrize(
    ("command", "task"),
    [
        *((command, task) for command in ("status", "results", "cancel", "replay") for task in IDS),
        *(("verify", task) for task in IDS[:-2]),
    ],
)
def test_an_id_of_no_task_is_refused(run: Run, built: Built, command: str, task: str) -> None:
    before = everything(built.root)
    refused(run(command, task))
    assert everything(built.root) == before


@pytest.mark.parametrize("command", ["status", "results"])
@pytest.mark.parametrize("task", [*IDS, "caf\udce9"])
def test_a_refusal_is_json_too_when_json_was_asked_for(
    run: Run, built: Built, command: str, task: str
) -> None:
    done = run(command, task, "--json")
    assert (done.code, done.json["success"], done.json["error"]) == (2, False, "TASK_NOT_FOUND")
    assert done.json["suggestion"]


@pytest.mark.parametrize("command", ["status", "results", "cancel", "replay", "verify"])
def test_an_id_is_refused_also_where_there_is_no_home_yet(run: Run, at: Path, command: str) -> None:
    refused(run(command, NOBODY))
    assert not at.exists()


def test_ps_lists_tasks_and_jobs_the_newest_first(run: Run, built: Built) -> None:
    done = run("ps")
    assert done.code == 0
    assert done.out.startswith("engine not running\n")
    assert done.out.index(built.open) < done.out.index(built.task) < done.out.index(built.job)
    shown = run("ps", "--json", "--limit", "1").json
    assert shown["engine"] is None
    assert [each["task_id"] for each in shown["tasks"]] == [built.open]
    assert [each["job"] for each in shown["jobs"]] == [built.job]


def test_ps_keeps_the_newest_job_when_there_are_many(run: Run, engine: InlineEngine) -> None:
    paths = [str(path) for path in sorted(SAMPLES.iterdir())[:3]]
    newest = run("ingest", *paths, "--json").json[-1]["job_id"]
    (shown,) = run("ps", "--json", "--limit", "1").json["jobs"]
    assert shown["job"] == newest


@pytest.mark.parametrize("limit", ["0", "-3", "1000000000"])
def test_ps_bears_any_limit(run: Run, built: Built, limit: str) -> None:
    assert run("ps", "--limit", limit).code == 0


def test_ps_where_nothing_ever_happened(run: Run, at: Path) -> None:
    done = run("ps", "--json")
    assert (done.code, done.json) == (0, {"engine": None, "tasks": [], "jobs": []})


# -- ids as people type them ----------------------------------------------------------------------


def test_the_beginning_of_an_id_is_enough_for_every_command(run: Run, built: Built) -> None:
    short = built.task[:8]
    for command in ("status", "results", "verify", "replay", "watch"):
        assert run(command, short).out == run(command, built.task).out != ""
    assert run("rate", short, "yes").code == 0
    assert run("export", short, "--bundle", str(built.root.parent / "x.zip")).code == 0
    assert run("status", built.job[:15]).out == run("kb", "status", built.job).out
    assert run("kb", "status", built.job.removeprefix("ingest-")[:8]).code == 0
    refused(run("status", built.task[:7]), "There is no research task")
    refused(run("cancel", short), "already completed", f"research-agent results {built.task}")


def test_a_beginning_of_several_ids_is_refused_with_those(run: Run, at: Path) -> None:
    home = Home(at)
    home.prepare()
    catalogue = LocalArchive(home).catalogue
    jobs = [catalogue.enter_job("c", [])[0] for _ in range(2)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("contracts.given_ids.ENOUGH", 7)
        refused(run("status", "ingest-"), *jobs, "Type more of the one that is meant.")


@pytest.mark.parametrize(
    "command",
    [
        *("results", "status", "save", "watch", "cancel", "continue", "replay", "verify"),
        *("rate", "export"),
    ],
)
def test_an_unknown_task_is_refused_in_the_words_of_a_terminal(
    run: Run, built: Built, command: str
) -> None:
    more = {"rate": ["yes"], "export": ["--bundle", str(built.root.parent / "x.zip")]}
    done = run(command, "nosuch", *more.get(command, []))
    refused(done, "There is no research task 'nosuch'. research-agent ps lists them.")
    assert "task_id" not in done.err and "list_research_tasks" not in done.err


def test_what_was_written_is_said_with_how_to_go_on(run: Run, built: Built) -> None:
    bundle, picture = built.root.parent / "x.zip", built.root.parent / "x.png"
    done = run("export", built.task, "--bundle", str(bundle))
    assert (done.out, done.err) == (
        f"{bundle}\n",
        f"Check it with research-agent verify {bundle}\n",
    )
    assert run("verify", str(bundle)).code == 0
    run("rate", built.task, "yes")
    drawn = run("calibration", "--png", str(picture))
    assert picture.stat().st_size and drawn.err == f"Drawn into {picture}\n"
    assert "best at 0: the Brier score is" in drawn.out
    told = run("verify", built.task, "--refetch")
    assert told.code == 0 and "cites no pages of the web" in told.err


def test_advice_names_commands_and_follows_a_full_stop(run: Run, built: Built) -> None:
    assert f"research-agent results {built.task}" in run("status", built.task).out
    refused(run("results", built.open), f"%. Follow it with research-agent watch {built.open}.")
    refused(run("save", built.open), f"%). Follow it with research-agent watch {built.open}.")
    refused(run("results", built.job), "is no research task. If it is a job, research-agent kb")
    refused(run("kb", "status", "nosuch"), "There is no job 'nosuch'. research-agent ps lists")
    refused(run("rate", built.task, "2"), "Say yes, no, or a number from 0 to 1.")
    refused(run("save", built.task, "--output-dir", "../x"), "--output-dir")


# -- cancelling -----------------------------------------------------------------------------------


def test_cancel_stops_a_task_and_says_so(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    engine.paused.set()
    task = run("research", QUESTION, "--no-wait").out.strip()
    done = run("cancel", task, "--discard")
    assert (done.code, done.out) == (0, f"{task} cancelled\n")
    refused(run("cancel", task), "already cancelled")


def test_cancel_stops_a_job_too(run: Run, engine: InlineEngine) -> None:
    engine.paused.set()
    core = Core(Settings.from_environment())
    job, _ = core.start_ingest(str(SAMPLES), "c", recursive=True)
    done = run("cancel", job)
    assert (done.code, done.out) == (0, f"{job} cancelled\n")


def test_a_task_that_has_ended_cannot_be_cancelled(run: Run, built: Built) -> None:
    before = everything(built.root)
    refused(run("cancel", built.task), "already completed", "[task_already_ended]")
    refused(run("cancel", built.job), "already completed")
    assert everything(built.root) == before


# -- proving --------------------------------------------------------------------------------------


def test_verify_proves_a_home_a_task_and_a_file(run: Run, built: Built) -> None:
    for what in ([], [built.task], [built.job], [str(trace(built, built.task))], [str(built.root)]):
        done = run("verify", *what)
        assert (done.code, done.out.splitlines()[-1][:7]) == (0, "proven:"), done
        assert run("verify", *what, "--json").json["proven"] is True


def test_verify_looks_for_a_head_that_was_kept(run: Run, built: Built) -> None:
    record = run("results", built.task, "--json").json["record"]
    head = f"{record['stream']}:{record['seq']}:{record['head']}"
    assert run("verify", "--head", head).code == 0
    assert run("verify", "--head", record["head"]).code == 0
    wrong = head[:-4] + "0000"
    done = run("verify", "--head", wrong)
    assert done.code == 1 and "is not here" in done.out
    assert run("verify", "--head", "no head at all").code == 2


def test_verify_of_a_tampered_home_names_file_and_line(run: Run, built: Built) -> None:
    path = trace(built, f"{built.task}.r1")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"epoch":1', b'"epoch":2')
    path.write_bytes(b"".join(lines))
    done = run("verify")
    assert done.code == 1
    assert f"fault: traces/{path.name}, line 3: " in done.out
    assert "NOT PROVEN" in done.out
    first = run("verify", "--json").json["faults"][0]
    assert (Path(first["file"]).name, first["line"]) == (path.name, 3)


def test_verify_of_no_home_is_refused(run: Run, at: Path) -> None:
    refused(run("verify"), "no data home")
    at.write_text("a file in its place")
    refused(run("verify"), "no data home")


def test_replay_finds_the_same_again(run: Run, built: Built) -> None:
    before = everything(built.root)
    done = run("replay", built.task)
    assert (done.code, done.out[:10]) == (0, "identical:")
    assert run("replay", str(trace(built, built.task)), "--json").json["identical"] is True
    assert everything(built.root) == before


def test_replay_of_what_never_finished_is_refused(run: Run, built: Built) -> None:
    refused(run("replay", built.open), "still in progress", f"research-agent watch {built.open}")
    refused(run("replay", built.job), "did not end with a result")
    refused(run("replay", f"{built.task}.r1"), "did not end with a result")


def test_replay_of_a_tampered_trace_names_file_and_line(run: Run, built: Built) -> None:
    path = trace(built, built.task)
    path.write_bytes(path.read_bytes().replace(b"researcher_reported", b"researcher_deported"))
    refused(run("replay", built.task), f"{path.name}, line 4", "[broken_chain]")


def test_replay_without_the_stored_content_is_refused(run: Run, built: Built) -> None:
    shutil.rmtree(built.root / "blobs")
    (built.root / "blobs").mkdir()
    refused(run("replay", built.task), "is missing", "research-agent verify")


def test_replay_that_differs_is_bad_news_and_says_where(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.conclusion.render_report", lambda *_: "something else")
    done = run("replay", built.task)
    assert done.code == 1
    assert done.out.startswith("different:\n")
    assert f"{built.task}, fact 4: task_concluded" in done.out
    assert run("replay", built.task, "--json").json["identical"] is False


# -- views ----------------------------------------------------------------------------------------


def test_rebuild_changes_no_answer(run: Run, built: Built) -> None:
    def answers() -> list[str]:
        commands = ("status", built.task), ("results", built.task)
        return [run(*command, "--json").out for command in commands] + [run("ps", "--json").out]

    before = answers()
    shutil.rmtree(built.root / "views")
    assert answers() == before
    done = run("rebuild")
    assert done.code == 0
    assert re.fullmatch(r"\d+ facts: 2 tasks, 1 jobs, \d+ sources\n", done.out)
    assert answers() == before


def test_rebuild_names_what_cannot_be_read_and_goes_on_with_the_rest(
    run: Run, built: Built
) -> None:
    path = trace(built, built.task)
    path.write_bytes(path.read_bytes().replace(b"task_accepted", b"task_adopted_"))
    done = run("rebuild")
    assert done.code == 1
    assert f"{path.name}, line 2" in done.err
    assert run("ps").code == 0


def test_rebuild_makes_a_home_that_only_its_owner_can_read(run: Run, at: Path) -> None:
    assert run("rebuild").code == 0
    assert at.stat().st_mode & 0o077 == 0


# -- the engine -----------------------------------------------------------------------------------


def test_up_says_where_the_engine_is(run: Run, at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = HeadState("up", 1, "now", address="127.0.0.1:7", dashboard="http://127.0.0.1:8")
    monkeypatch.setattr("actors.waking.wait_up", lambda home, timeout: state)
    done = run("up", "--dashboard")
    assert done.code == 0
    assert done.out.startswith("up at 127.0.0.1:7\ndashboard http://127.0.0.1:8\n")
    assert f"token in {at}/run/ray_token\n" in done.out


def test_up_says_that_an_engine_without_a_dashboard_was_up_already(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = HeadState("up", 1, "now", address="127.0.0.1:7")
    monkeypatch.setattr("actors.waking.wait_up", lambda home, timeout: state)
    done = run("up", "--dashboard")
    assert (done.code, done.out) == (0, "up at 127.0.0.1:7\n")
    assert "without a dashboard" in done.err


def test_up_that_fails_is_refused_with_the_reason(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(home: Path, timeout: float) -> HeadState:
        raise EngineDown(str(home), "there is no Ray here")

    monkeypatch.setattr("actors.waking.wait_up", give_up)
    refused(run("up"), "there is no Ray here", "[engine_down]")


def test_down_where_nothing_runs(run: Run, at: Path) -> None:
    done = run("down")
    assert (done.out, done.err) == ("nothing was running\n", "")
    at.write_text("a file in its place")
    assert run("down").code == 0


def test_waiting_for_an_engine_that_gave_up_ends_and_the_task_stays_accepted(
    run: Run, built: Built
) -> None:
    state = {"state": "failed", "supervisor": 1, "started_at": "now", "error": "no Ray here"}
    (built.root / "run").mkdir(exist_ok=True)
    (built.root / "run" / "head.json").write_text(json.dumps(state))
    refused(run("research", QUESTION), "no Ray here", "research-agent doctor", "[engine_down]")
    assert len(run("ps", "--json").json["tasks"]) == 3
    assert run("ps").out.startswith("engine failed")


# -- doctor ---------------------------------------------------------------------------------------


def test_doctor_finds_nothing_wrong_with_a_good_home(run: Run, built: Built) -> None:
    done = run("doctor")
    assert (done.code, "BAD" in done.out) == (0, False)
    needs = ("python", "data home", "disk space", "record", "module names", "engine")
    offers = ("documents", "research", "scanned pages", "pages with scripts")
    for what in (*needs, *offers):
        assert f"ok   {what}: " in done.out
    assert " GB free\n" in done.out and "in 1 collection\n" in done.out


def test_doctor_says_which_research_is_on_and_what_the_rest_needs(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    said = run("doctor").out
    assert "ok   record: empty\n" in said, "there is no head of nothing"
    assert "set GEMINI_API_KEY for Gemini" in said and "none yet; bring some in" in said
    monkeypatch.setenv("GEMINI_API_KEY", "a key")
    monkeypatch.setenv("TAVILY_API_KEY", "a key")
    said = run("doctor").out
    assert "with no key, by Gemini; set ANTHROPIC_API_KEY for Claude\n" in said
    assert "a key" not in said.replace("no key", "")


def test_doctor_misses_a_browser_that_was_asked_for(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_RENDER", "chromium")
    monkeypatch.setattr("actors.adapters.rendering.program", lambda: None)
    done = run("doctor")
    assert done.code == 1
    assert "BAD  pages with scripts: no Chromium here\n     Install Chromium" in done.out


def put_a_file_in_its_place(built: Built) -> None:
    shutil.rmtree(built.root)
    built.root.write_text("not a folder")


def open_to_everybody(built: Built) -> None:
    built.root.chmod(0o755)


def break_the_catalogue(built: Built) -> None:
    trace(built, "catalogue").write_text("something else\n")


def give_up_the_engine(built: Built) -> None:
    state = {"state": "failed", "supervisor": 1, "started_at": "now", "error": "no Ray here"}
    (built.root / "run").mkdir(exist_ok=True)
    (built.root / "run" / "head.json").write_text(json.dumps(state))


@pytest.mark.parametrize(
    ("harm", "what", "advice"),
    [
        (put_a_file_in_its_place, "data home", "RESEARCH_AGENT_HOME"),
        (open_to_everybody, "data home", "chmod 700"),
        (break_the_catalogue, "record", "research-agent verify"),
        (give_up_the_engine, "engine", "no Ray here"),
    ],
)
def test_doctor_says_what_is_wrong_and_what_to_do(
    run: Run, built: Built, harm: Callable[[Built], None], what: str, advice: str
) -> None:
    harm(built)
    done = run("doctor")
    assert done.code == 1
    place = done.out.index(f"BAD  {what}: ")
    assert advice in done.out[place:].split("\n")[1]


def test_doctor_finds_packages_that_ship_our_names(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = {"events": ["events", "research-agent"]}
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: shipped)
    (rivals,) = (check for check in examine(Settings(home=built.root)) if not check.good)
    assert rivals.found == "events by events"


# -- bad homes, bad settings ----------------------------------------------------------------------

COMMANDS = {
    "ingest": ["ingest", str(SAMPLES)],
    "research": ["research", QUESTION],
    "status": ["status", NOBODY],
    "results": ["results", NOBODY],
    "cancel": ["cancel", NOBODY],
    "ps": ["ps"],
    "verify": ["verify"],
    "replay": ["replay", NOBODY],
    "rebuild": ["rebuild"],
    "up": ["up"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_home_that_cannot_be_is_refused_and_left_alone(run: Run, at: Path, command: str) -> None:
    at.write_text("a file in its place")
    refused(run(*COMMANDS[command]))
    assert at.read_text() == "a file in its place"


@pytest.mark.parametrize("command", [*COMMANDS, "down", "doctor"])
def test_a_setting_that_makes_no_sense_is_refused_by_name(
    run: Run, built: Built, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_MAX_RUNNING", "abc")
    refused(run(*COMMANDS.get(command, [command])), "RESEARCH_AGENT_MAX_RUNNING is 'abc'")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_RUNNING", "0"),
        ("MAX_RUNNING", "-1"),
        ("MAX_RUNNING", "inf"),
        ("MAX_RUNNING", "nan"),
        ("NUM_CPUS", "0"),
        ("IDLE_MINUTES", "-1"),
        ("SYNC_WINDOW_S", "soon"),
        ("DASHBOARD", "maybe"),
        ("PREWARM", "2"),
    ],
)
def test_every_setting_is_checked(
    run: Run, at: Path, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RESEARCH_AGENT_{name}", value)
    refused(run("ps"), f"RESEARCH_AGENT_{name} is ")
    assert run("serve").code == 2


# -- records of others ----------------------------------------------------------------------------


def append_newer(path: Path) -> None:
    """One more line, sealed as it should be, in a format that is still to come."""
    last = json.loads(path.read_bytes().splitlines()[-1])
    line = last | {"v": 2, "seq": last["seq"] + 1, "prev": last["hash"]}
    del line["hash"]
    body = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()
    sealed = body[:-1] + b',"hash":"%b"}\n' % digest(body).encode()
    with path.open("ab") as file:
        file.write(sealed)


@pytest.mark.parametrize("command", ["ingest", "research", "status", "results", "cancel", "ps"])
def test_a_catalogue_in_a_newer_format_is_refused_and_not_touched(
    run: Run, built: Built, command: str
) -> None:
    append_newer(trace(built, "catalogue"))
    before = everything(built.root)
    arguments = [built.task if each == NOBODY else each for each in COMMANDS[command]]
    refused(run(*arguments), "catalogue.jsonl was written in format 2", "Upgrade research-agent")
    after = everything(built.root)
    assert {path: after[path] for path in before} == before


def test_a_trace_in_a_newer_format_is_refused_and_the_others_are_read(
    run: Run, built: Built
) -> None:
    append_newer(trace(built, built.task))
    refused(run("status", built.task), "in format 2")
    refused(run("replay", built.task), "in format 2", "[newer_format]")
    assert run("status", built.open).code == 0
    assert run("ps").code == 0
    done = run("verify")
    assert done.code == 1 and "format 2" in done.out


def test_a_file_of_others_in_the_place_of_the_catalogue_is_refused(run: Run, built: Built) -> None:
    trace(built, "catalogue").write_text("Dear diary,\n")
    refused(run("ps"), "catalogue.jsonl, line 1: ")
    refused(run("ingest", str(SAMPLES)), "catalogue.jsonl, line 1: ", "[broken_chain]")
    assert trace(built, "catalogue").read_text() == "Dear diary,\n"
    done = run("verify")
    assert done.code == 1 and "catalogue.jsonl, line 1" in done.out


def test_files_of_others_beside_the_record_do_not_disturb(run: Run, built: Built) -> None:
    before = run("ps", "--json").out
    (built.root / "traces" / "notes.txt").write_text("hello")
    (built.root / "traces" / "foreign.jsonl").write_text('{"hello": 1}\n')
    assert run("ps", "--json").out == before
    assert run("rebuild").code == 0
    done = run("verify")
    assert done.code == 1 and "foreign.jsonl" in done.out


# -- misuse and interruption ----------------------------------------------------------------------


def test_it_says_its_version(run: Run) -> None:
    assert re.fullmatch(r"research-agent \d[\w.]*\n", run("--version").out)


def test_alone_it_explains_itself(run: Run) -> None:
    assert "research-agent demo" in run().err
    assert run().err == run("--help").out


@pytest.mark.parametrize("option", [["--port", "80"], ["--host", "::1"], ["--allow-host", "a.b"]])
def test_what_is_for_http_is_refused_without_it(run: Run, at: Path, option: list[str]) -> None:
    done = run("serve", *option)
    assert (done.code, done.out) == (2, "")
    assert f"{option[0]} is for HTTP: add --http." in done.err


def test_serving_by_hand_says_what_it_is_and_ends_quietly(at: Path) -> None:
    leader, follower = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", QUIET, "serve"],
        env=os.environ | {"RESEARCH_AGENT_HOME": str(at)},
        cwd=SAMPLES.parent.parent,
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(follower)
    try:
        assert process.stderr
        assert process.stdout
        assert b"research-agent serve --http. Ctrl-C ends it." in process.stderr.readline()
        asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        os.write(leader, json.dumps(asked).encode() + b"\n")
        assert json.loads(process.stdout.readline())["id"] == 1, "it reads by now"
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(leader)
    assert (process.returncode, out, said) == (130, b"", b"")


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["status"], ["ps", "--limit", "many"]])
def test_misuse_ends_with_code_2_and_the_usage(run: Run, at: Path, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "usage: research-agent" in done.err


@pytest.mark.parametrize(
    "command", [[], *([name] for name in (*COMMANDS, "down", "doctor", "demo", "serve"))]
)
def test_every_command_explains_itself(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "usage: research-agent" in done.out


def start(root: Path, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-c", QUIET, *arguments],
        env=environment | {"RESEARCH_AGENT_HOME": str(root)} | options.pop("env", {}),
        cwd=SAMPLES.parent.parent,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", [["ps"], ["doctor"], ["verify"], ["results", "--json"]])
def test_a_reader_that_goes_away_is_no_error(
    built: Built, command: list[str], unbuffered: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    arguments = [*command, built.task] if command[0] == "results" else command
    process = start(built.root, *arguments, stdout=writing, env={"PYTHONUNBUFFERED": unbuffered})
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert only_progress(said.decode()), said


def test_interrupted_it_says_that_what_was_accepted_goes_on(built: Built) -> None:
    process = start(built.root, "research", QUESTION, stdout=subprocess.PIPE)
    assert process.stderr
    assert b"Researching: " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    state = LocalArchive(Home(built.root)).catalogue.state()
    (task,) = set(state.unfinished()) - {built.open}
    assert said.decode().splitlines()[-1] == (
        f"research-agent: task {task} goes on by itself; follow it with research-agent watch {task}"
    )


# -- with a real engine ---------------------------------------------------------------------------


def shell(*arguments: str, timeout: float) -> Done:
    """Run the command as it is installed."""
    command = [str(Path(sys.executable).parent / "research-agent"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.ray
@pytest.mark.timeout(300)
@pytest.mark.anyio
async def test_a_ray_address_where_nobody_answers_is_refused_and_the_task_stays_accepted(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built.root / "run").mkdir(exist_ok=True)
    token = built.root / "run" / "ray_token"
    token.touch(mode=0o600)
    token.write_text("0" * 64)
    monkeypatch.setenv("RESEARCH_AGENT_RAY_ADDRESS", "127.0.0.1:1")
    monkeypatch.setenv("RESEARCH_AGENT_PREWARM", "0")
    try:
        # Twice: how the first attempt ended must not be taken for the end of the second.
        for accepted in (2, 3):
            done = shell("research", QUESTION, timeout=150)
            refused(done, "127.0.0.1:1", "research-agent doctor", "[engine_down]")
            assert len(LocalArchive(Home(built.root)).catalogue.state().unfinished()) == accepted
        async with Client(build_server(Core(Settings.from_environment()))) as client:
            with pytest.raises(ToolError, match="engine_down"):
                await client.call_tool("research", {"question": QUESTION})
            reply = await client.call_tool("list_research_tasks", {})
        assert len(reply.structured_content["tasks"]) == 5
    finally:
        shut_down(built.root, 60)


@pytest.mark.ray
@pytest.mark.timeout(300)
def test_the_demo_shows_the_whole_of_it(at: Path) -> None:
    done = shell("demo", timeout=240)
    assert done.code == 0, done.err
    said = done.out
    for words in ("tools.", "added", "Question: ", "proven: ", "identical: ", "claude mcp add"):
        assert words in said
    start, end = said.index('{\n  "mcpServers"'), said.index("\n}\n") + 2
    server = json.loads(said[start:end])["mcpServers"]["research-agent"]
    assert server["env"] == {"RESEARCH_AGENT_HOME": str(at)}
    assert Path(server["command"]).exists() and Path(server["args"][0]).exists()
    assert shut_down(at, 30) is False, "it leaves nothing running"
