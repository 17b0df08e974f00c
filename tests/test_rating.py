"""How right answers were: kept as facts, replaced when said anew, and worth something from twenty on."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

import cli
from contracts.commands.evidence import diagram
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.evidence.calibrating import calibrated, reliability
from contracts.evidence.rating import grade, rate
from contracts.evidence.reliability_png import draw
from contracts.research.calls import result_of
from contracts.settings import Settings
from events.errors import BadRequest, TaskNotFinished, UnknownTask
from events.home import CATALOGUE
from mcp_entry import build_server
from projections.calibration import ENOUGH
from tests.homes import build_home
from tests.past_tasks import PastTasks
from traces.verify import verify_home

NOBODY = "0b0e7a52-0000-4000-8000-000000000000"


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks) -> Core:
    return Core(Settings(home=past.built.root, prewarm=False))


def facts(core: Core) -> list[dict[str, Any]]:
    records, _ = core.home.read(CATALOGUE)
    return [record.data for record in records if record.kind == "research_rated"]


def test_a_rating_is_kept_with_what_the_answer_said_of_itself(past: PastTasks, core: Core) -> None:
    task = past.completed("Why is the sky blue?")
    told = rate(core, task, correct=True, note="  I asked Rayleigh. ")
    assert (told["correct"], told["confidence"], told["ratings"]) == (1.0, 0.8, 1)
    assert told["ratings_needed"] == ENOUGH - 1
    (fact,) = facts(core)
    assert fact["note"] == "I asked Rayleigh." and fact["confidence"] == 0.8
    assert verify_home(core.home.root).faults == []


def test_rating_again_replaces_the_former_and_the_history_stays(
    past: PastTasks, core: Core
) -> None:
    task = past.completed("Why is the sky blue?")
    rate(core, task, 1.0)
    told = rate(core, task, 0.25, "On second thoughts.")
    assert (told["replaced"], told["ratings"]) == (1.0, 1)
    (now,) = core.views.ratings()
    assert (now.correct, now.note) == (0.25, "On second thoughts.")
    assert [each["correct"] for each in facts(core)] == [1.0, 0.25]
    rate(core, task, 0.25, "On second thoughts.")
    assert len(facts(core)) == 2, "the same again says nothing new"
    core.views.save_snapshot()
    assert Core(core.settings).views.ratings() == (now,)


@pytest.mark.parametrize("correct", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_share_is_refused(past: PastTasks, core: Core, correct: float) -> None:
    task = past.completed("Why is the sky blue?")
    with pytest.raises(BadRequest):
        rate(core, task, correct)
    assert facts(core) == []


def test_only_ended_researches_with_an_answer_are_rated(past: PastTasks, core: Core) -> None:
    with pytest.raises(UnknownTask):
        rate(core, NOBODY, 1.0)
    with pytest.raises(UnknownTask):
        rate(core, "../catalogue", 1.0)
    with pytest.raises(TaskNotFinished):
        rate(core, past.running("Why?", steps=1), 1.0)
    failed = past.failed(past.running("Why?", steps=1), "key_refused", "No.")
    with pytest.raises(Exception, match="without a result"):
        rate(core, failed, 1.0)
    with pytest.raises(BadRequest, match="note"):
        rate(core, past.completed("Why is the sky blue?"), 1.0, "x" * 2_001)
    assert facts(core) == []


def test_ratings_are_typed_as_people_do() -> None:
    assert [grade(said) for said in ("yes", "No", " 0.7 ", "1", "true")] == [
        1.0,
        0.0,
        0.7,
        1.0,
        1.0,
    ]
    with pytest.raises(BadRequest):
        grade("maybe")


@pytest.fixture
def rated(past: PastTasks, core: Core) -> list[str]:
    """Twenty answers that said 0.8 of themselves, of which half were right."""
    tasks = [past.completed(f"Question {number}?") for number in range(ENOUGH)]
    for number, task in enumerate(tasks[:-1]):
        rate(core, task, number % 2)
    return tasks


def test_from_twenty_on_results_say_what_their_confidence_is_worth(
    core: Core, rated: list[str]
) -> None:
    before = deep_research.get_results(core, rated[0], include_sources=True)
    assert "confidence_calibrated" not in before["evidence"]
    assert calibrated(core, 0.8) == {}
    rate(core, rated[-1], 1)
    after = deep_research.get_results(core, rated[0], include_sources=True)
    told = after["evidence"]
    assert told["confidence"] == 0.8
    assert told["confidence_calibrated"] == pytest.approx(0.6)
    assert told["calibration"] == {
        "ratings": ENOUGH,
        "fitted_at_seq": core.views.ratings()[-1].seq,
    }
    assert result_of(core, rated[0])["confidence_calibrated"] == told["confidence_calibrated"]
    stored = core.views.result(rated[0]).result
    assert "confidence_calibrated" not in stored, "what is stored does not change"


def test_the_diagram_is_drawn_in_letters_and_as_a_picture(core: Core, rated: list[str]) -> None:
    few = reliability(core)
    assert few["calibrated"] is None and "1 more" in diagram(few)
    rate(core, rated[-1], 1)
    told = reliability(core)
    assert told["ratings"] == ENOUGH and told["calibrated"]["brier"] < told["raw"]["brier"]
    drawn = diagram(told)
    assert "o raw: Brier score 0.34" in drawn and "x calibrated" in drawn
    picture = draw(told)
    assert picture.startswith(b"\x89PNG") and picture == draw(told)
    assert draw(few) != picture
    json.dumps(told)


def test_nothing_rated_yet_is_said(core: Core) -> None:
    assert "Nothing is rated yet" in diagram(reliability(core))


def test_the_commands_say_what_they_did(
    past: PastTasks,
    core: Core,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(core.home.root))
    task = past.completed("Why is the sky blue?")
    assert cli.main(["rate", task, "no", "--note", "x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["correct"] == 0.0
    assert cli.main(["rate", task, "perhaps"]) == 2
    assert cli.main(["rate", NOBODY, "yes"]) == 2
    picture = tmp_path / "drawn.png"
    assert cli.main(["calibration", "--png", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert cli.main(["calibration", "--png", str(picture)]) == 2, "nothing is overwritten"
    capsys.readouterr()
    assert cli.main(["calibration", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["raw"]["bins"][0]["count"] == 1


@pytest.mark.anyio
async def test_the_tool_takes_true_false_and_shares(past: PastTasks, core: Core) -> None:
    task = past.completed("Why is the sky blue?")
    async with Client(build_server(core)) as client:
        for said, kept in ((True, 1.0), (False, 0.0), (0.7, 0.7), (1, 1.0)):
            told = await client.call_tool("rate_research", {"task_id": task, "correct": said})
            assert told.structured_content and told.structured_content["correct"] == kept
            assert told.content[0].text.startswith("Rated")
        for wrong in ({"task_id": NOBODY, "correct": True}, {"task_id": task, "correct": 7}):
            refusal = await client.call_tool("rate_research", wrong, raise_on_error=False)
            assert refusal.is_error and refusal.structured_content["suggestion"]
