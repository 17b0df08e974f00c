"""A record is run again by the rules that made it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.replay import replay
from actors.rules import FIRST, PRESENT
from events.catalogue import Brief
from events.home import Home
from events.research import AssignmentTaken
from tests.asking_letters import open_letters_corpus
from tests.make_golden import EXPECTED, HOME
from tests.test_golden import rewrite


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that an older version wrote, and in which this one goes on."""
    shutil.copytree(HOME, tmp_path / "home")
    home = Home(tmp_path / "home")
    home.prepare()
    return home


def taken(home: Home, task: str) -> AssignmentTaken:
    facts = [record.fact for record in home.read(f"{task}.r1")[0]]
    return next(fact for fact in facts if isinstance(fact, AssignmentTaken))


def model_of(home: Home, task: str) -> str:
    records, _ = home.read(task)
    ended = next(record.data for record in records if record.kind == "task_concluded")
    result = json.loads(home.blobs.get(ended["result"]["hash"]))
    return str(result["cost_metadata"]["model_id"])


def test_a_record_without_rules_is_run_again_by_the_first_ones(home: Home) -> None:
    task = str(json.loads(EXPECTED.read_bytes())["tasks"][0]["task"])
    assert (taken(home, task).rules, model_of(home, task)) == (None, FIRST.model)
    assert replay(home, task).differences == []


def test_a_new_record_says_by_which_rules_it_was_made(home: Home) -> None:
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(Brief(question="How high are spring tides?"))
    run_task(archive, OpenedCorpus(open_letters_corpus(str(home.root))), task)
    assert (taken(home, task).rules, model_of(home, task)) == (PRESENT.model, PRESENT.model)
    assert replay(home, task).differences == []


def test_a_record_by_rules_of_another_version_is_not_run_by_others(home: Home) -> None:
    task = str(json.loads(EXPECTED.read_bytes())["tasks"][0]["task"])

    def rename(lines: list[dict[str, Any]]) -> None:
        begun = next(line for line in lines if line["event"]["kind"] == "assignment_taken")
        begun["event"]["rules"] = "corpus-extractive-99"

    rewrite(home, f"{task}.r1", rename)
    assert any("corpus-extractive-99" in each for each in replay(home, task).differences)
