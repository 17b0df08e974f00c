"""Documents in, questions answered, and what became of them, from the command line."""

import re
import threading
import time
from argparse import Namespace
from pathlib import Path

import pytest

from contracts.commands.following import follow_research
from contracts.core import Core
from contracts.settings import Settings
from tests.cli_homes import (
    NOBODY,
    QUESTION,
    SAMPLES,
    Built,
    at,
    built,
    engine,
    everything,
    finished,
    refused,
    run,
)
from tests.commands import Run
from tests.homes import build_home
from tests.inline_engine import InlineEngine
from tests.past_tasks import PastTasks

__all__ = ["at", "built", "engine", "finished", "run"]


# -- bringing documents in -------------------------------------------------------------------------


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


# -- research --------------------------------------------------------------------------------------


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


def test_research_takes_the_constraints_of_its_contract(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    wishes = ["--max-iterations", "2", "--token-budget", "900", "--max-sources", "1"]
    found = run("research", QUESTION, "--json", *wishes, "--source-filter", "tidal-stations").json
    assert {Path(each["locator"]).stem for each in found["citations"]} == {"tidal-stations"}
    brief = Core(Settings.from_environment()).catalogue.brief(found["trace_id"])
    assert brief.constraints.model_dump(exclude={"said"}) == {
        "max_iterations": 2,
        "token_budget": 900,
        "max_sources": 1,
        "source_filter": "tidal-stations",
    }
    refused(run("research", QUESTION, "--max-sources", "0"), "less than 1", "[bad_request]")
    assert run("research", QUESTION, "--max-sources", "many").code == 2


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


def test_research_whose_key_is_refused_names_the_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0), kind="claude")
    task = past.failed(past.running(QUESTION), "key_refused", "claude: invalid x-api-key")
    core = Core(Settings(home=past.built.root))
    assert follow_research(core, task, Namespace(no_wait=False, json=False)) == 1
    said = f"task {task} failed: claude: invalid x-api-key. Check ANTHROPIC_API_KEY.\n"
    assert capsys.readouterr().err.endswith(said)


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


# -- reading ---------------------------------------------------------------------------------------


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


# -- cancelling ------------------------------------------------------------------------------------


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
