"""Tasks and jobs as people name them in a terminal, and what they are told about them."""

from pathlib import Path

import pytest

from actors.archive import LocalArchive
from events.home import Home
from tests.cli_homes import Built, at, built, finished, refused, run
from tests.commands import Run

__all__ = ["at", "built", "finished", "run"]


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
    refused(run("results", built.job), "is not a research task. If it is a job, research-agent kb")
    refused(run("kb", "status", "nosuch"), "There is no job 'nosuch'. research-agent ps lists")
    refused(run("rate", built.task, "2"), "Say yes, no, or a number from 0 to 1.")
    refused(run("save", built.task, "--output-dir", "../x"), "--output-dir")
