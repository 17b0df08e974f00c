"""A record is run again by the rules that made it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from actors.answering.rules import (
    EIGHTH,
    FIFTH,
    FIRST,
    FOURTH,
    PRESENT,
    SECOND,
    SEVENTH,
    TENTH,
    THIRD,
    rules_called,
)
from actors.archive import LocalArchive
from actors.inline import run_task
from actors.kinds.corpus import research
from actors.opened import OpenedCorpus
from actors.replay import replay
from events.catalogue import Brief
from events.codec import canonical, digest
from events.errors import BadRequest
from events.home import Home
from events.research import AssignmentTaken
from tests.asked_by_hand import by_hand
from tests.asking_letters import open_letters_corpus
from tests.corpus_shelf import Shelf
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


PINNED = {
    (
        FIRST.model,
        "encyclopedia",
    ): "a3c8c2c25f37b922c5b0d610699d2b70939b451fb26c721dd30a104626480e02",
    (
        SECOND.model,
        "encyclopedia",
    ): "222f3bf38c7991bd3662143086172893e2a43d4fdea5c9517f1dad90fd0c6322",
    (
        THIRD.model,
        "encyclopedia",
    ): "065abcb514865752ca59efd4d07403e8dbea8611adba3ca82b4d6b3765a5748e",
    (
        THIRD.model,
        "encyclopedia_fresh",
    ): "4c1fa888fb4b6e3c448f7b10b1fccbb0d150687aea7edac8609c2a71e91c969c",
    (
        FOURTH.model,
        "encyclopedia_fresh",
    ): "e063eb6d8268157b144123a5e4f7dd62d29041a42dfcebf88beb697908655a9d",
    (
        FOURTH.model,
        "encyclopedia_wide",
    ): "dd9aeb3d0a4c1fa4b5f8fdad9e2bd77ef77bf4ba0f1a78c89609dc0b8f52f80b",
    (
        FIFTH.model,
        "encyclopedia_wide",
    ): "25a8e62b0e67ff8774a1f564677d9ff43119ccf307cf84c60d7b7c55ad5e2883",
    (
        FIFTH.model,
        "encyclopedia_untold",
    ): "486cde08d0ec897a7c988d433cea1c601ee7d00a576a4821127b72201c80d32d",
    (
        SEVENTH.model,
        "everyday_en",
    ): "23ea2db97b0552357ba2a7c32446a962cbd85b7e938508a3a68387c14f0f6d5b",
    (
        SEVENTH.model,
        "everyday_ja",
    ): "94de16cac0b848f0bed66956b1eb48b79b2254f444eadb7f77527a181badf1f5",
    (
        EIGHTH.model,
        "everyday_en",
    ): "7761a3b90e12e37fbb64974667f920b22660e4cdf31254d463432f08b52f4176",
    (
        EIGHTH.model,
        "everyday_ja",
    ): "5229b36dda29e9046eb0079cba0aeb462bc8a207ef8598c0250ffaa2d9390cc8",
    (
        TENTH.model,
        "everyday_en",
    ): "d5f6771d0b1d34fa436db63fc4172615993a2b59cc542de7dd74b49992f5b459",
    (
        TENTH.model,
        "everyday_lists",
    ): "1846576375eaeaf6a89c674faa07335b849118829023155b3a18952ff5c54d85",
}
"""What the rules answered to some questions when they were the present ones. Never to be changed."""


@pytest.mark.parametrize(("model", "file"), PINNED)
def test_older_rules_search_and_answer_to_the_byte_as_they_did(model: str, file: str) -> None:
    pages, asked = by_hand(file)
    desk = Shelf({f"{title}.md": f"# {title}\n\n{text}" for title, text in pages.items()})
    questions = [one.question for _, one in asked][::4]
    told = [canonical(research(Brief(question=q), q, desk, model)) for q in questions]
    said = digest(b"".join(told) + "\n".join(desk.queries).encode())
    assert said == f"sha256:{PINNED[model, file]}"


def test_older_records_are_answered_by_the_rules_that_made_them() -> None:
    question = "Who is the mother of the director of film The Mill?"
    pages = {
        "mill.md": "# The Mill\n\nThe Mill is a 1950 film directed by Ada Novak.",
        "novak.md": "# Ada Novak\n\nAda Novak is a director. She is the daughter of Olga Novak.",
    }
    then = research(Brief(question=question), question, Shelf(pages), FIRST.model)
    now = research(Brief(question=question), question, Shelf(pages))
    assert (then.model_id, now.model_id) == (FIRST.model, PRESENT.model)
    assert "Olga Novak" not in then.answer and "Olga Novak" in now.answer


def test_rules_that_nobody_knows_are_refused() -> None:
    with pytest.raises(BadRequest, match="corpus-extractive-99"):
        rules_called("corpus-extractive-99")
