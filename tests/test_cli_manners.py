"""The command line as a newcomer meets it: its help, its answers to programs, what it says when something is off."""

import argparse
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cli
from actors.replay import Comparison
from contracts.commands import commanding, research_terminal, terminal
from contracts.commands.help_page import GROUPS
from contracts.core import Core
from contracts.knowledge import terminal as knowledge_terminal
from contracts.settings import Settings
from tests.cli_homes import (
    NOBODY,
    SAMPLES,
    Built,
    at,
    built,
    engine,
    finished,
    refused,
    run,
    start,
)
from tests.commands import Done, Run
from tests.inline_engine import InlineEngine

__all__ = ["at", "built", "engine", "finished", "run"]


# -- help -----------------------------------------------------------------------------------------


def test_a_command_that_there_is_not_is_told_with_the_one_that_is_like_it(run: Run) -> None:
    done = run("serach", "tides")
    assert (done.code, done.out) == (2, "")
    assert "there is no command 'serach'. Did you mean research?" in done.err
    done = run("frobnicate")
    assert done.code == 2
    assert done.err.splitlines() == [
        "usage: research-agent COMMAND ...",
        "research-agent: there is no command 'frobnicate'. research-agent --help lists them all.",
    ]


@pytest.mark.parametrize(
    ("arguments", "usage", "says"),
    [
        (
            ["query", "tides", "--colections=a"],
            "usage: research-agent query ",
            "research-agent query: error: unrecognized arguments: --colections=a. "
            "Did you mean --collections?",
        ),
        (
            ["kb", "status", "--project=p"],
            "usage: research-agent kb status ",
            "research-agent kb status: error: unrecognized arguments: --project=p",
        ),
    ],
)
def test_an_option_that_a_command_does_not_have_is_told_with_those_it_has(
    run: Run, arguments: list[str], usage: str, says: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(usage)
    assert done.err.splitlines()[-1] == says


def subcommands() -> dict[str, argparse.ArgumentParser]:
    (action,) = (
        each for each in cli._parser()._actions if isinstance(each, argparse._SubParsersAction)
    )
    return dict(action.choices)


def test_every_command_stands_under_one_heading_of_the_help(run: Run) -> None:
    said = run("--help").out
    assert sorted(name for _, names in GROUPS for name in names) == sorted(subcommands())
    for heading, names in GROUPS:
        under = said.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        assert re.findall(r"^  ([a-z]+)", under, re.M) == list(names)
    assert "\noptions:\n" in said and "Exit code 0: done" in said


def test_the_help_fits_a_small_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run("--help").out.splitlines())) <= 80


# -- bringing documents in ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../x", "a,b", "a/b", "a\x07b", "abc\u202efdp", " a", "x" * 101, ""]
)
def test_ingest_into_a_collection_that_nobody_could_name_again_is_refused(
    run: Run, at: Path, name: str
) -> None:
    refused(run("ingest", str(SAMPLES), "--collection", name), "collection's name", "[bad_request]")
    assert not at.exists()


def test_of_several_paths_none_is_taken_in_when_one_is_wrong(run: Run, at: Path) -> None:
    refused(run("ingest", str(SAMPLES), "/nowhere/at/all"), "/nowhere/at/all", "[path_refused]")
    assert not at.exists()


def test_ingest_into_a_deleted_collection_is_refused(run: Run, built: Built) -> None:
    assert run("collections", "delete", "tides").code == 0
    refused(run("ingest", str(SAMPLES), "--collection", "tides"), "is deleted. Restore it")


def soon(act: Callable[[Core], bool]) -> threading.Thread:
    """Does something to the home of the test as soon as it can be done."""
    core = Core(Settings.from_environment())

    def work() -> None:
        while not act(core):
            time.sleep(0.01)

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_ingest_that_is_cancelled_is_bad_news_and_says_so(run: Run, engine: InlineEngine) -> None:
    engine.paused.set()

    def cancel(core: Core) -> bool:
        for job in (jobs := core.views.jobs()):
            core.cancel(job.job)
        return bool(jobs)

    thread = soon(cancel)
    done = run("ingest", str(SAMPLES), "--collection", "tides")
    thread.join()
    assert (done.code, done.out) == (1, "tides: nothing to do (cancelled)\n")


@pytest.mark.parametrize(
    "command", [["ingest", str(SAMPLES), "docs"], ["kb", "add-document", str(SAMPLES)]]
)
def test_interrupted_it_names_the_job_that_goes_on(built: Built, command: list[str]) -> None:
    process = start(built.root, *command, stdout=subprocess.PIPE)
    assert process.stderr
    begun = process.stderr.readline()
    assert begun.startswith(b"Ingesting: starting the engine, which takes some 20 seconds")
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    (job,) = (each.job for each in Core(Settings(home=built.root)).views.jobs() if not each.ended)
    first, *more = [line for line in said.decode().splitlines() if "research-agent:" in line]
    assert first == (
        f"research-agent: job {job} goes on by itself; follow it with research-agent watch {job}"
    )
    assert more == (["research-agent: not begun: docs"] if command[0] == "ingest" else [])


# -- for programs ---------------------------------------------------------------------------------


def test_upkeep_answers_programs_too(run: Run, built: Built) -> None:
    assert run("doctor", "--json").json["good"] is True
    assert {"what", "good", "found", "advice"} == set(run("doctor", "--json").json["checks"][0])
    assert run("rebuild", "--json").json["tasks"] == 2
    assert run("down", "--json").json == {"stopped": False}


def test_a_cancelled_task_and_job_answer_programs(run: Run, engine: InlineEngine) -> None:
    run("ingest", str(SAMPLES))
    engine.paused.set()
    task = run("research", "Why are there tides?", "--no-wait").out.strip()
    assert run("cancel", task, "--json").json == {"task_id": task, "status": "cancelled"}
    core = Core(Settings.from_environment())
    job, _ = core.start_ingest(str(SAMPLES), "c", recursive=True)
    assert run("cancel", job, "--json").json == {"job_id": job, "status": "cancelled"}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["cancel", NOBODY], "unknown_task"),
        (["watch", NOBODY], "unknown_task"),
        (["query", " "], "bad_request"),
        (["collections", "info", "nowhere"], "unknown_collection"),
        (["collections", "info", "caf\udce9"], "unknown_collection"),
        (["kb", "remove", "x", "--collection", "tides"], "unknown_document"),
        (["ingest", "/nowhere/at/all"], "path_refused"),
        (["import", "/nowhere.zip"], "path_refused"),
    ],
)
def test_whoever_asks_for_json_gets_refusals_in_json(
    run: Run, built: Built, command: list[str], code: str
) -> None:
    done = run(*command, "--json")
    assert (done.code, done.json["success"], done.json["error"]) == (2, False, code)
    assert done.json["message"] and done.json["suggestion"]
    assert f"[{code}]" in done.err


# -- a terminal that is not steered by what is shown ----------------------------------------------

EVIL = "a\x1b]0;title\x07b\x1b[2Jc\u202ed\u2028e"


def test_what_documents_say_steers_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        "content": EVIL,
        "relevance_score": 0.5,
        "relevance_label": "Relevant",
        "source_document": EVIL,
        "header_path": EVIL,
        "metadata": {"document_title": EVIL, "collection": "c", "content_type": "prose"},
        "place": {"locator": EVIL, "first_page": None},
    }
    reply = {"results": [found], "query_refinement": {"status": "optimal"}}
    assert only_lines(knowledge_terminal.answer(reply))
    assert only_lines(terminal.table(["x"], [[EVIL]]))
    assert only_lines(terminal.fields({"x": EVIL, "y": {"z": EVIL}}))
    failed = {"collection": "c", "status": "success", "failures": [{"path": EVIL, "reason": EVIL}]}
    counts = dict.fromkeys(("added", "updated", "unchanged", "empty", "failed"), 0)
    empty = {"report": [{"path": EVIL, "outcome": "empty", "reason": EVIL}]}
    assert only_lines(terminal.ingest_report([failed | counts | empty]))
    assert research_terminal.report(EVIL) == EVIL, "a pipe gets it as it is"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert only_lines(research_terminal.report(f"{EVIL}\n{EVIL}"))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.pretty_table(["x"], [[EVIL]]))
    assert only_lines(shown)


@pytest.mark.parametrize("is_a_terminal", [True, False])
def test_what_refusals_quote_steers_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_a_terminal: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_a_terminal, raising=False)
    commanding.say(f"Could not convert {EVIL}.\nTry another.")
    said = capsys.readouterr().err
    assert only_lines(said) and said.count("\n") == 2


def _found(done: Done) -> list[tuple[str, float]]:
    return [(each["content"], each["relevance_score"]) for each in json.loads(done.out)["results"]]


def test_a_question_needs_no_quotation_marks(run: Run, built: Built) -> None:
    typed = "What causes the tides"
    quoted = _found(run("query", typed, "--json"))
    assert quoted and _found(run("query", *typed.split(), "--json")) == quoted
    parsed = cli._parser().parse_args(["research", *typed.split(), "--depth", "deep"])
    assert (parsed.question, parsed.depth) == (typed, "deep")
    assert cli._parser().parse_args(["estimate", *typed.split()]).question == typed


def test_a_question_is_read_from_standard_input(
    run: Run, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("What causes the tides\n"))
    asked = _found(run("query", "-", "--json"))
    assert asked and asked == _found(run("query", "What causes the tides", "--json"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    refused(run("research", "-"))
    unreadable = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\xfa"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", unreadable)
    refused(run("research", "-"), "is not text")


def test_the_help_says_with_which_code_a_research_without_an_answer_ends(run: Run) -> None:
    assert "done, even if a question has no answer" in " ".join(run("--help").out.split())
    assert "even if nothing answers the question" in " ".join(run("research", "--help").out.split())


def test_a_file_without_text_is_named(run: Run, engine: InlineEngine, tmp_path: Path) -> None:
    (tmp_path / "blank.md").write_text("\n\n")
    (tmp_path / "full.md").write_text("# Tides\n\nThe sea rises twice a day.\n")
    done = run("ingest", str(tmp_path))
    assert "1 added, 1 empty" in done.out
    assert f"empty: {tmp_path / 'blank.md'}: there is no text in it" in done.out


def test_a_report_is_wrapped_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    row = "| a | " + "b" * 60 + " |"
    said = research_terminal.report(f"# Title\n\n- {'word ' * 12}\n   > {'quote ' * 9}\n{row}")
    *wrapped, last = said.split("\n")
    assert all(len(line) <= 40 for line in wrapped)
    assert wrapped[2].startswith("- word ") and wrapped[3].startswith("  word ")
    assert "   > quote" in said and "\n     quote" in said
    assert last == row, "a table stays as it is"


def test_a_bullet_stands_before_what_has_no_words_to_break_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    sentence = "湾の形と深さが潮汐の周期に近い固有振動をもつことが原因である。"
    first, second = research_terminal._answer(f"- {sentence}\n1. {sentence}")
    assert first.startswith("- 湾") and "\n  " in first
    assert second.startswith("1. 湾") and "\n   " in second


def passage(title: str, path: str, content: str = "Words.") -> str:
    found = {
        "content": content,
        "relevance_score": 0.5,
        "relevance_label": "Relevant",
        "source_document": "a.md",
        "header_path": path,
        "metadata": {"document_title": title, "collection": "c"},
        "place": {"locator": "/a.md", "first_page": 3},
    }
    reply = {"results": [found], "query_refinement": {"status": "optimal"}}
    return knowledge_terminal.answer(reply)


def test_a_passage_is_cut_between_words() -> None:
    assert passage("Tides", "", "neap springs " * 60).rstrip().endswith(("neap …", "springs …"))
    assert passage("Tides", "", "neap springs").endswith("springs")


def test_a_heading_that_is_the_title_is_not_said_twice() -> None:
    def shown(title: str, path: str) -> str:
        return passage(title, path).split("\n")[0]

    assert shown("Tides", "Tides > Causes") == "1. Tides > Causes"
    assert shown("Tides", "Causes") == "1. Tides  Causes"
    assert shown("Tides", "") == "1. Tides"
    assert shown("", "") == "1. a.md"


def only_lines(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def test_a_file_is_shown_by_its_name_whatever_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setenv("TERM", "xterm")
    with terminal.Steps("Ingesting") as steps:
        steps.show(0, 2, "/notes [/old]/[bold]a.md")
        steps.show(1, 2, "/notes [red]b.md")
    assert "[red]b.md" in seen.getvalue()


# -- a place that is gone -------------------------------------------------------------------------


def test_a_working_directory_that_is_gone_is_no_crash(built: Built, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m cli ps"
    environment: dict[str, Any] = dict(os.environ) | {
        "RESEARCH_AGENT_HOME": "relative",
        "PYTHONPATH": str(SAMPLES.parent.parent),
    }
    assert shutil.which("sh")
    done = subprocess.run(
        ["sh", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.startswith("research-agent: ")


def test_letters_that_a_terminal_lacks_are_escaped_and_crash_nothing(built: Built) -> None:
    title = "会議 📝 café"
    command = [sys.executable, "-m", "cli", "collections", "create", title]
    charset = {"PYTHONIOENCODING": "latin-1", "RESEARCH_AGENT_HOME": str(built.root)}
    told = subprocess.run([*command, "--json"], env=os.environ | charset, capture_output=True)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout.decode("latin-1"))["collection"]["name"] == title
    command[-2:] = ["list"]
    told = subprocess.run(command, env=os.environ | charset, capture_output=True)
    assert told.returncode == 0, told.stderr
    assert r"\u4f1a\u8b70 \ud83d\udcdd café" in told.stdout.decode("latin-1")


# -- on a terminal --------------------------------------------------------------------------------


def test_what_is_said_is_broken_between_words_and_what_is_copied_stays_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    digest = "sha256:" + "e" * 64
    row = "| " + "cell | " * 9
    text = f"short\nidentical: 19 facts, 2 citations verbatim, report {digest}\n{row}"
    assert terminal.folded(text, io.StringIO()) == text, "a pipe gets lines as they are"
    assert terminal.folded(text, Terminal()).split("\n") == [
        "short",
        "identical: 19 facts, 2 citations",
        "verbatim, report",
        digest,
        row,
    ]
    heard = Terminal()
    monkeypatch.setattr("sys.stderr", heard)
    assert cli.main(["serach"]) == 2
    assert heard.getvalue().splitlines()[1:] == [
        "research-agent: there is no command",
        "'serach'. Did you mean research?",
        "research-agent --help lists them all.",
    ]


def test_members_that_are_too_long_go_on_below_their_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    shown = terminal.fields({"name": "tides", "models": "one/0.2.1, another/1.1.2, third/3"})
    assert shown.split("\n") == [
        "name    tides",
        "models  one/0.2.1,",
        "        another/1.1.2, third/3",
    ]


def test_a_person_sees_as_much_of_an_id_as_has_to_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{start}-1406-4d44-8bdb-4d86b3a04896" for start in ("08c061e8", "08c061e9")]
    like = "08c061e9-1406-4d44-8bdb-4d86b3a04897"
    tasks = [
        {"task_id": name, "status": "running_async", "progress": 5, "query": "Why?"}
        for name in names
    ]
    assert names[0] in terminal.overview(None, tasks, []), "a program gets all of it"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    rows = terminal.overview(None, tasks, []).splitlines()[-2:]
    assert [row.split() for row in rows] == [
        ["08c061e8", "running", "5%", "Why?"],
        ["08c061e9", "running", "5%", "Why?"],
    ]
    both = terminal.overview(None, [*tasks, tasks[1] | {"task_id": like}], [])
    assert "08c061e8 " in both and names[1] in both and like in both, (
        "what tells them apart is shown"
    )


def test_a_row_of_ps_stays_one_line_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    name = "08c061e8-1406-4d44-8bdb-4d86b3a04896"
    task = {"task_id": name, "status": "completed", "progress": 100}
    task["query"] = "Why are there two tides a day?"
    shown = terminal.folded(terminal.overview(None, [task], []))
    assert shown.splitlines()[-1] == "08c061e8  completed  100%  Why are ther…"


def test_one_citation_of_a_replay_is_one() -> None:
    replayed = Comparison("t", report="sha256:aa", facts=18, citations=1)
    assert terminal.comparison(replayed).startswith("identical: 18 facts, 1 citation verbatim, ")


def test_an_empty_home_is_told_how_to_begin(run: Run) -> None:
    assert "begin with research-agent ingest PATH" in run("ps").out
    assert "first 8 characters" in run("results", "08c").err


def test_what_clients_are_told_starts_this_server(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = json.loads(run("connect", "--json").out)["mcpServers"]["research-agent"]
    assert told["env"] == {"RESEARCH_AGENT_HOME": str(at)}
    assert Path(told["command"]).is_file() and Path(*told["args"]).is_file()
    lines = run("connect").out
    assert json.dumps(told["command"]) in lines and f"--env RESEARCH_AGENT_HOME={at}" in lines
    monkeypatch.delenv("RESEARCH_AGENT_HOME")
    assert "RESEARCH_AGENT_HOME" not in run("connect").out, "the usual home needs no name"
