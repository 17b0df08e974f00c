"""What the page asks of the corpus and of the record: search, sources with their versions, SQL."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from contracts.page.answers import AUDITING, Asked, Reply
from contracts.page.audit import AuditRoom
from contracts.page.texts import changes, window
from tests.page_client import client, got, refusal, world
from tests.page_world import (
    NOTES_LATER,
    World,
    guarded,
)
from tests.waiting import until

__all__ = ["client", "world"]


def test_a_search_explains_every_stage(client: TestClient) -> None:
    told = client.post("/api/search", json={"q": "why are there tides", "limit": 3}).json()
    assert [result["metadata"]["collection"] for result in told["results"]]
    for result in told["results"]:
        assert {"lexical", "dense", "fused"} & set(result["stages"])
        assert all({"rank", "score", "scale"} == set(s) for s in result["stages"].values())
        assert result["decided_by"]


@pytest.mark.parametrize("body", [{"q": ""}, {"q": "x" * 9000}, {"q": "x", "limit": 101}, {"q": 1}])
def test_a_search_that_is_none_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    refusal(client.post("/api/search", json=body), 400)


def test_a_collection_that_is_not_there_is_a_404(client: TestClient) -> None:
    refusal(client.post("/api/search", json={"q": "tides", "collections": "nowhere"}), 404)
    refusal(client.get("/api/sources?collection=nowhere"), 404)


def test_sources_are_listed_with_their_versions(client: TestClient, world: World) -> None:
    told = got(client, "/api/sources")
    by_document = {each["document"]: each for each in told["sources"]}
    assert by_document[world.notes]["version_count"] == 2
    assert by_document[world.page]["website"]["url"] == "https://example.org/tides"
    assert {each["collection"] for each in told["collections"]} >= {"notes", "samples"}
    narrowed = got(client, "/api/sources", q="NOTES", limit=1)
    assert [each["document"] for each in narrowed["sources"]] == [world.notes]


def test_versions_can_be_read_and_compared(client: TestClient, world: World) -> None:
    base = f"/api/sources/notes/{world.notes}"
    newest, oldest = got(client, base)["versions"]
    assert newest["ended_at"] is None and oldest["ended_at"]
    assert got(client, f"{base}/text")["after"] == NOTES_LATER
    place = got(client, f"{base}/text", version=newest["version"], start=2, end=7)
    assert (place["excerpt"], place["start"]) == ("Notes", 2)
    told = got(client, f"{base}/changes", **{"from": oldest["version"], "to": newest["version"]})
    assert [line["text"] for line in told["lines"] if line["op"] == "removed"] == [
        "The sky is blue because of Rayleigh."
    ]
    assert "Mie scattering is white." in [
        line["text"] for line in told["lines"] if line["op"] == "added"
    ]
    refusal(client.get(f"{base}/text?version=sha256:{'0' * 64}"), 404)


def test_a_page_that_drifted_says_which_citations_it_left_behind(
    client: TestClient, world: World
) -> None:
    told = got(client, f"/api/sources/websites/{world.page}")
    [left] = told["left_behind"]
    assert (left["task_id"], left["quote"]) == (
        world.tasks["left behind"],
        "Tides come twice a day.",
    )


def test_windows_stay_within_the_text() -> None:
    for start, end in ((0, 0), (5, 3), (-4, 2), (90, 500), (10**9, 10**9)):
        shown = window("word " * 20, start, end, 10)
        assert 0 <= shown["first"] <= shown["start"] <= shown["end"] <= shown["last"] <= 100
    assert window("abc", 1, 2, 10)["excerpt"] == "b"


def test_a_comparison_is_bounded() -> None:
    told = changes("\n".join(map(str, range(9_000))), "\n".join(map(str, range(9_000, 18_000))))
    assert told["cut"] and len(told["lines"]) <= 600


def test_the_audit_prompt_answers_in_rows(client: TestClient, world: World) -> None:
    tables = {each["name"]: each["columns"] for each in got(client, "/api/audit/tables")["tables"]}
    assert {"tasks", "events"} <= set(tables)
    assert {"name": "cost_usd", "type": "DOUBLE"} in tables["tasks"]
    assert all(each["says"] for each in got(client, "/api/audit")["questions"])
    sql = "SELECT status, count(*) AS tasks FROM tasks GROUP BY status ORDER BY status"
    told = client.post("/api/audit", json={"sql": sql}).json()
    assert told["columns"] == ["status", "tasks"]
    assert dict(told["rows"])["completed"] == 3


def test_odd_values_are_told_on_the_page_as_everywhere_else(client: TestClient) -> None:
    sql = (
        "SELECT 'inf'::DOUBLE AS a, '-inf'::DOUBLE AS b, DATE 'infinity' AS c, INTERVAL 90 MINUTE AS d, "
        "'\\xAA'::BLOB AS e, 2::HUGEINT AS f, (1::HUGEINT << 60) AS g, MAP {'k': 1} AS h, {'x': 0.5} AS i"
    )
    told = client.post("/api/audit", json={"sql": sql})
    assert told.status_code == 200, told.text
    exact = str(1 << 60)
    assert told.json()["rows"] == [
        ["inf", "-inf", "infinity", "01:30:00", "aa", 2, exact, [["k", 1]], {"x": "0.5"}]
    ]


@pytest.mark.parametrize("sql", ["", "SELECT nothing FROM tasks", "DROP TABLE tasks"])
def test_sql_that_is_wrong_or_not_allowed_is_refused(client: TestClient, sql: str) -> None:
    refusal(client.post("/api/audit", json={"sql": sql}), 400)


def test_slow_questions_in_sql_keep_nobody_else_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough = threading.Event()

    def slow(room: AuditRoom, asked: Asked) -> Reply:
        return {"rows": [[enough.wait(30)]]}

    monkeypatch.setattr(AuditRoom, "ask", slow)
    with TestClient(guarded(world, frozenset({"read"}))) as crowd, ThreadPoolExecutor(40) as people:
        asked = [people.submit(crowd.post, "/api/audit", json={"sql": "x"}) for _ in range(30)]
        try:
            until(lambda: AUDITING.statistics().tasks_waiting == 26)
            for _ in range(3):
                people.submit(got, crowd, "/api/tasks").result(timeout=15)
        finally:
            enough.set()
        assert {each.result(timeout=20).status_code for each in asked} == {200}
