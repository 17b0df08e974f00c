"""What the page asks of tasks: lists, status, results, and refusals that say what to do."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from contracts.core import Core
from contracts.page.answers import Asked
from contracts.page.report import report_words
from contracts.page.tasks import researchers
from contracts.settings import Settings
from events.task import Dispatch, ResearcherAssigned, Share
from tests.homes import build_home
from tests.page_client import NOBODY, client, got, refusal, world
from tests.page_world import SCRIPT, World, bare_world, guarded
from tests.past_tasks import PastTasks

__all__ = ["client", "world"]


def test_the_list_has_every_task_with_status_progress_and_cost(
    client: TestClient, world: World
) -> None:
    told = got(client, "/api/tasks")
    rows = {row["task_id"]: row for row in told["tasks"]}
    assert set(rows) == set(world.tasks.values())
    assert rows[world.tasks["sky"]]["cost_usd"] == 0.25
    assert rows[world.tasks["running"]]["status"] == "running_async"
    assert 0 < rows[world.tasks["running"]]["progress"] < 100
    assert told["tasks"][0]["task_id"] == world.tasks["waiting"]


def test_the_list_is_filtered_and_paged(client: TestClient, world: World) -> None:
    done = got(client, "/api/tasks", status="completed")["tasks"]
    assert {row["task_id"] for row in done} == {world.tasks[n] for n in ("sky", "hostile", "tides")}
    first = got(client, "/api/tasks", limit=2)
    second = got(client, "/api/tasks", limit=2, cursor=first["next_cursor"])
    assert not {row["task_id"] for row in first["tasks"]} & {
        row["task_id"] for row in second["tasks"]
    }


def test_a_task_says_what_was_asked_and_where_it_stands(client: TestClient, world: World) -> None:
    told = got(client, f"/api/tasks/{world.tasks['running']}")
    assert told["question"] == "Who leads in quantum error correction?"
    assert (told["status"], told["ended"], told["steps"]) == ("running_async", False, 2)
    assert told["record"]["stream"] == world.tasks["running"]


def test_a_report_can_be_taken_elsewhere_as_it_was_written(
    client: TestClient, world: World
) -> None:
    told = got(client, f"/api/tasks/{world.tasks['tides']}/markdown")
    assert told["markdown"] == world.core.views.result(world.tasks["tides"]).report
    hostile = got(client, f"/api/tasks/{world.tasks['hostile']}/markdown")["markdown"]
    assert "\x07" not in hostile and SCRIPT in hostile, "it is text, without what nobody sees"


def test_whether_anything_can_be_researched_is_told(client: TestClient, tmp_path: Path) -> None:
    assert got(client, "/api/tasks")["can_research"] is True
    bare = bare_world(tmp_path / "home")
    with TestClient(guarded(bare, frozenset({"read"})), "http://127.0.0.1") as other:
        assert got(other, "/api/tasks")["can_research"] is False


def test_researchers_are_a_tree(client: TestClient, world: World) -> None:
    tree = got(client, f"/api/tasks/{world.tasks['tides']}/researchers")["tree"]
    [child] = tree["children"]
    assert (tree["name"], child["name"], child["state"]) == ("task", "r1", "done")
    assert child["sources"] > 0 and child["quotes"] > 0 and child["calls"] > 0


def test_a_researcher_hangs_below_the_one_whose_findings_led_to_it(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    core = Core(Settings(home=past.built.root, prewarm=False))
    task = past.running("Who follows whom?", steps=1)
    dispatch = Dispatch(
        origin=f"{task}.r1",
        prompted_by="discovery",
        place=0,
        priority=0.8,
        generation=1,
        reason="A source that nobody has read.",
        share=Share(rounds=1, tokens=1000, sources=3),
    )
    sent = ResearcherAssigned(
        researcher=f"{task}.r2", researcher_kind="corpus", question="And then?", dispatch=dispatch
    )
    stream = past.built.claim(task)
    stream.append(sent)
    stream.close()
    tree = researchers(core, Asked({"task": task}, {}, frozenset()))["tree"]
    [first] = tree["children"]
    [second] = first["children"]
    assert (first["name"], second["name"], second["state"]) == ("r1", "r2", "waiting")
    assert second["why"] == "A source that nobody has read."


def test_costs_are_summed_by_model(client: TestClient, world: World) -> None:
    [row] = got(client, f"/api/tasks/{world.tasks['sky']}/costs")["rows"]
    assert (row["port"], row["calls"], row["cost_usd"]) == ("model", 1, 0.25)
    assert (row["tokens_in"], row["tokens_out"]) == (450_000, 120_000)


def test_a_result_has_its_evidence_and_every_citation_holds(
    client: TestClient, world: World
) -> None:
    task = world.tasks["tides"]
    told = got(client, f"/api/tasks/{task}/result")
    checked = got(client, f"/api/tasks/{task}/verification")
    assert told["citations"] and told["confidence"] > 0
    assert told["confidence_factors"]["query_specificity_match"] > 0
    assert isinstance(told["gaps"], list) and isinstance(told["open_questions"], list)
    assert checked["verified"] is True
    assert {each["number"] for each in checked["citations"]} == {
        each["number"] for each in told["citations"]
    }


def test_words_are_counted_where_no_spaces_set_them_apart() -> None:
    assert report_words("Tides come twice a day.") == 5
    report = "潮の満ち引きは月の引力によって一日に二回起こる。そのため海面は上下する。"
    assert 15 < report_words(report) < 25


def test_a_citation_opens_its_excerpt_in_the_stored_text(client: TestClient, world: World) -> None:
    task = world.tasks["tides"]
    for cited in got(client, f"/api/tasks/{task}/result")["citations"]:
        place = got(client, f"/api/tasks/{task}/citations/{cited['number']}")
        assert place["excerpt"] == cited["raw_excerpt"]
        whole = world.core.home.blobs.get_text(cited["text_hash"])
        assert place["before"] + place["excerpt"] + place["after"] in whole
        assert place["citation"]["content_hash"] == cited["content_hash"]


def test_damaged_evidence_is_told_as_such(client: TestClient, world: World) -> None:
    """The sample report also cites an address that was never read."""
    checked = got(client, f"/api/tasks/{world.tasks['sky']}/verification")
    assert checked["verified"] is False
    assert [each["source_read"] for each in checked["citations"]] == [True, False]


UNKNOWN = [
    f"/api/tasks/{NOBODY}",
    f"/api/tasks/{NOBODY}/result",
    f"/api/tasks/{NOBODY}/verification",
    f"/api/tasks/{NOBODY}/events",
    f"/api/tasks/{NOBODY}/facts",
    f"/api/tasks/{NOBODY}/researchers",
    f"/api/tasks/{NOBODY}/costs",
    "/api/tasks/..%2f..%2fetc%2fpasswd",
    "/api/tasks/<script>",
    "/api/sources/samples/nothing",
    "/api/sources/nowhere/nothing/text",
    "/api/nothing/at/all",
]


@pytest.mark.parametrize("path", UNKNOWN)
def test_what_is_not_there_is_a_404_with_advice(client: TestClient, path: str) -> None:
    refusal(client.get(path), 404)


def test_what_is_not_cited_and_what_found_nothing_is_a_404(
    client: TestClient, world: World
) -> None:
    for number in ("999", "9" * 5_000, "-1", "x"):
        refusal(client.get(f"/api/tasks/{world.tasks['tides']}/citations/{number}"), 404)
    told = refusal(client.get(f"/api/tasks/{world.tasks['failed']}/result"), 404)
    assert told["error"] == "no_result" and "The key was refused." in told["message"]


def test_a_result_that_is_not_there_yet_is_a_conflict(client: TestClient, world: World) -> None:
    told = refusal(client.get(f"/api/tasks/{world.tasks['running']}/result"), 409)
    assert told["error"] == "task_not_finished"


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=-1",
        "limit=" + "9" * 30,
        "limit=" + "0" * 20 + "1",
        "status=odd",
        "cursor=x",
    ],
)
def test_wrong_lists_are_refused(client: TestClient, query: str) -> None:
    refusal(client.get(f"/api/tasks?{query}"), 400)
