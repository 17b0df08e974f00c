"""What the command line does with bad homes, bad settings, misuse and interruption."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.catalogue import Catalogue
from contracts.commands import demo as commands_demo
from contracts.commands import engine as commands_engine
from events.base import UnknownFact
from events.home import Home
from tests.cli_homes import (
    COMMANDS,
    QUESTION,
    QUIET,
    SAMPLES,
    Built,
    at,
    built,
    finished,
    only_progress,
    refused,
    run,
    start,
)
from tests.commands import Run

__all__ = ["at", "built", "finished", "run"]


# -- bad homes, bad settings -----------------------------------------------------------------------


@pytest.mark.parametrize("command", [*COMMANDS, "demo"])
def test_a_home_that_cannot_be_is_refused_and_left_alone(run: Run, at: Path, command: str) -> None:
    at.write_text("a file in its place")
    refused(run(*COMMANDS.get(command, [command])))
    assert at.read_text() == "a file in its place"


def test_a_demo_without_its_documents_says_where_they_are(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands_demo, "SAMPLES", at / "docs" / "samples")
    refused(run("demo"), "make demo in the checkout")
    assert not at.exists(), "nothing is begun"


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
        ("HTTP_MAX_MB", "1e303"),
        ("HTTP_ALLOW_HOSTS", "research.example.org,192.168.1.5:8765"),
        ("REFRESH_HOURS", "1e8"),
        ("TOP_K_LIMITS", "tides=" + "9" * 5000),
    ],
)
def test_every_setting_is_checked(
    run: Run, at: Path, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RESEARCH_AGENT_{name}", value)
    refused(run("ps"), f"RESEARCH_AGENT_{name} ")
    assert run("serve").code == 2


def test_a_home_whose_name_has_odd_bytes_can_be_told_to_a_program(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "caf\udce9"
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(home))
    found = {each["what"]: each["found"] for each in run("doctor", "--json").json["checks"]}
    assert found["data home"] == str(home)


def test_the_doctor_says_what_it_cannot_understand(run: Run, built: Built) -> None:
    later = UnknownFact(kind="collection_created", collection="a", colour="blue")  # type: ignore[call-arg]
    Catalogue(Home(built.root)).decide(lambda state: [later])
    done = run("doctor", "--json")
    (record,) = (each for each in done.json["checks"] if each["what"] == "record")
    assert (done.code, record["good"]) == (1, False)
    assert "says what a collection_created does not say" in record["found"]


# -- misuse and interruption -----------------------------------------------------------------------


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
    ("arguments", "says"),
    [
        (
            ["serve", "--htp"],
            "research-agent serve: error: unrecognized arguments: --htp. Did you mean --http?",
        ),
        (["--json", "ps"], "there is no option '--json' here. Options go after the command"),
        (["-V"], "there is no option '-V' here."),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(
    run: Run, at: Path, arguments: list[str], says: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(
    "command", [[], *([name] for name in (*COMMANDS, "down", "doctor", "demo", "serve"))]
)
def test_every_command_explains_itself(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "usage: research-agent" in done.out


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


def test_a_question_of_odd_bytes_is_no_sql(run: Run, at: Path) -> None:
    refused(run("audit", "SELECT 'caf\udce9'"), "not valid text")


def test_a_failure_of_the_system_without_a_number_is_told_in_its_words(
    run: Run, at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(options: object, settings: object) -> int:
        raise OSError("a file changed while it was packed")

    monkeypatch.setattr(commands_engine, "ps", fail)
    assert "research-agent: a file changed while it was packed." in run("ps").err
