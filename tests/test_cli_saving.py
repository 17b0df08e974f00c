"""`research-agent estimate` and `research-agent save`: the tools of the same name, for a terminal."""

import json
from pathlib import Path

import pytest

import cli
from tests.homes import build_home
from tests.past_tasks import PastTasks

QUESTION = "Why is the sky blue?"


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PastTasks:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


def test_an_estimate_is_a_table_for_a_person(
    past: PastTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["estimate", QUESTION]) == 0
    said, _, table = capsys.readouterr().out.partition("\n\n")
    assert said.startswith("There is nothing to search and no key"), "which is so in this home"
    assert "research-agent ingest PATH" in said
    lines = table.splitlines()
    assert lines[0].split() == ["least", "likely", "most"]
    assert lines[1].split() == ["minutes", "5", "12", "30"]
    assert "published figures" in lines[-1]


def test_an_estimate_is_json_for_a_program(
    past: PastTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["estimate", QUESTION, "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert (reply["query"], reply["query_complexity"]) == (QUESTION, "moderate")


def test_a_question_that_is_too_short_is_refused(
    past: PastTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["estimate", "?"]) == 2
    assert "3 to 10000 characters" in capsys.readouterr().err


def test_a_research_is_saved_where_one_stands(
    past: PastTasks, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = past.completed(QUESTION)
    assert cli.main(["save", task]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path.is_relative_to(tmp_path / "research_reports")
    assert path.read_text().startswith(f"# {QUESTION}")


@pytest.mark.parametrize(
    ("form", "ending"), [("markdown", "md"), ("html", "html"), ("json", "json")]
)
def test_a_research_is_saved_as_one_wants_it(
    past: PastTasks, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, ending: str
) -> None:
    task = past.completed(QUESTION)
    arguments = ["--output-dir", str(tmp_path / "out"), "--prefix", "sky", "--format", form]
    assert cli.main(["save", task, *arguments, "--no-metadata", "--no-sources", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert Path(reply["file_path"]).suffix == f".{ending}"
    assert reply["filename"].startswith("sky_")
    assert not {"metadata", "sources"} & set(reply["sections_included"])


def test_a_research_that_is_not_done_is_not_saved(
    past: PastTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["save", past.running(QUESTION)]) == 2
    assert "Cannot save: research still in progress" in capsys.readouterr().err
