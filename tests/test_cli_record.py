"""The record from the command line: proven, replayed and folded anew, also when others wrote in it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from events.codec import digest
from events.home import Home
from projections.views import Views
from tests.cli_homes import (
    COMMANDS,
    NOBODY,
    SAMPLES,
    Built,
    at,
    built,
    everything,
    finished,
    refused,
    run,
    trace,
)
from tests.commands import Run
from tests.homes import build_home
from tests.past_tasks import PastTasks

__all__ = ["at", "built", "finished", "run"]


# -- proving ---------------------------------------------------------------------------------------


def test_verify_proves_a_home_a_task_and_a_file(run: Run, built: Built) -> None:
    for what in ([], [built.task], [built.job], [str(trace(built, built.task))], [str(built.root)]):
        done = run("verify", *what)
        assert (done.code, done.out.splitlines()[-1][:7]) == (0, "proven:"), done
        assert run("verify", *what, "--json").json["proven"] is True


@pytest.mark.parametrize("what", ["tides.zip", "traces/none.jsonl", "./none"])
def test_verify_of_a_file_that_is_not_there_does_not_look_for_a_task(
    run: Run, built: Built, what: str
) -> None:
    refused(run("verify", what), f"Cannot read {what}: there is no such file")


def test_verify_looks_for_a_head_that_was_kept(run: Run, built: Built) -> None:
    record = run("results", built.task, "--json").json["record"]
    head = f"{record['stream']}:{record['seq']}:{record['head']}"
    assert run("verify", "--head", head).code == 0
    assert run("verify", "--head", record["head"]).code == 0
    wrong = head[:-4] + "0000"
    done = run("verify", "--head", wrong)
    assert done.code == 1 and "is not here" in done.out
    refused(run("verify", "--head", "no head at all"), "'no head at all' is not a head")


def test_verify_of_a_task_looks_for_any_head_that_was_kept_and_checks_the_rest_as_well(
    run: Run, built: Built
) -> None:
    views = Views(Home(built.root))
    head = views.head()
    kept = f"catalogue:{head.seq}:{head.hash}"
    for what in (built.open, built.job):
        assert run("verify", what, "--head", kept).code == 0, what
    for stream in (built.task, f"{built.task}.r1", "catalogue"):
        head = views.head(stream)
        kept = f"{stream}:{head.seq}:{head.hash}"
        done = run("verify", built.task, "--head", kept)
        assert done.code == 0 and "citations hold" in done.out, stream
        done = run("verify", built.task, "--head", f"{kept[:-4]}0000")
        assert done.code == 1 and "is not here" in done.out, stream


def test_verify_of_a_task_without_a_result_looks_at_all_of_its_record(run: Run, at: Path) -> None:
    past = PastTasks(build_home(at, jobs=1, tasks=0, unfinished=0))
    waiting, running = past.entered("What waits?"), past.running("What runs?", steps=2)
    failed = past.failed(past.running("What fails?", steps=2), "key_refused", "No")
    for task in (waiting, running, failed):
        done = run("verify", task)
        assert done.code == 0 and done.out.startswith("proven: "), done
        assert "Its record is checked without a result." in done.err
        assert not re.search(r"[^.] Its record", done.err)
    for task in (running, failed):
        researcher = past.built.stream(f"{task}.r1")
        researcher.write_bytes(
            researcher.read_bytes().replace(b"Reading page 1", b"Reading page 9")
        )
        done = run("verify", task)
        assert done.code == 1 and f"fault: traces/{task}.r1.jsonl, line " in done.out


@pytest.mark.parametrize("what", ["task", "job"])
def test_verify_misses_a_trace_that_somebody_removed(run: Run, built: Built, what: str) -> None:
    name = {"task": built.task, "job": built.job}[what]
    trace(built, name).unlink()
    done = run("verify", name)
    assert done.code == 1
    assert f"fault: traces/{name}.jsonl: it is missing" in done.out


@pytest.mark.parametrize("what", ["home", "bundle", "job"])
def test_verify_does_not_pretend_to_fetch_what_has_no_pages(
    run: Run, built: Built, tmp_path: Path, what: str
) -> None:
    bundle = str(tmp_path / "a.zip")
    run("export", built.task, "--bundle", bundle)
    named = {"home": [], "bundle": [bundle], "job": [built.job]}[what]
    refused(run("verify", *named, "--refetch"), "Only the pages of a task can be fetched again")


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


# -- views -----------------------------------------------------------------------------------------


def test_rebuild_changes_no_answer(run: Run, built: Built) -> None:
    def answers() -> list[str]:
        commands = ("status", built.task), ("results", built.task)
        return [run(*command, "--json").out for command in commands] + [run("ps", "--json").out]

    before = answers()
    shutil.rmtree(built.root / "views")
    assert answers() == before
    done = run("rebuild")
    assert done.code == 0
    assert re.fullmatch(r"\d+ facts: 2 tasks, 1 job, \d+ sources\n", done.out)
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


# -- records of others -----------------------------------------------------------------------------


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
