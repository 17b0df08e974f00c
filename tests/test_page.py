"""The page's own files, and who may change something through it."""

import dataclasses
import json
import re
from unittest.mock import Mock

import pytest
from starlette.testclient import TestClient

import cli
from contracts.core import Core
from contracts.page import routes as page
from contracts.page.answers import BODY_LIMIT
from events.errors import NothingToSearch
from tests.page_client import JSON, client, got, refusal, world
from tests.page_world import (
    World,
    guarded,
)

__all__ = ["client", "world"]


def test_the_page_may_load_nothing_but_its_own_files(client: TestClient) -> None:
    reply = client.get("/")
    policy = reply.headers["content-security-policy"]
    assert reply.status_code == 200
    for rule in (
        *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"),
        *("connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
        *("require-trusted-types-for 'script'", "trusted-types 'none'"),
    ):
        assert rule in policy
    assert "unsafe" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_files_hold_no_inline_code_and_no_other_host() -> None:
    html = (page.FILES / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", html)
    for path in page.FILES.iterdir():
        text = path.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert not re.findall(r"https?://(?!www\.w3\.org)[a-z]", text), path.name


def test_the_commands_that_the_page_advises_exist() -> None:
    texts = [path.read_text() for path in page.FILES.iterdir()]
    advised = {found for text in texts for found in re.findall(r"research-agent ([a-z]+)", text)}
    assert {"research", "ingest"} <= advised
    for command in advised:
        with pytest.raises(SystemExit) as ended:
            cli.main([command, "--help"])
        assert ended.value.code == 0, command


def test_a_file_that_is_known_already_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/web/app.js")
    assert first.headers["content-type"].startswith("text/javascript")
    again = client.get("/web/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "..%2fpage.py", "%2e%2e%2fcore.py", "%00"])
def test_no_other_file_can_be_asked_for(client: TestClient, name: str) -> None:
    assert client.get(f"/web/{name}").status_code == 404


# -- changes -----------------------------------------------------------------------------------------


def test_a_research_is_started_once_and_cancelled(client: TestClient, world: World) -> None:
    asked = {"query": "What is a tide mill?", "key": "a test's key"}
    first = client.post("/api/tasks", json=asked).json()
    again = client.post("/api/tasks", json=asked).json()
    assert first["success"] and first["task_id"] == again["task_id"]
    told = got(client, f"/api/tasks/{first['task_id']}")
    assert (told["status"], told["researcher"]) == ("pending", "corpus")
    assert told["brief"]["asked_through"] == "page"
    stopped = client.post(f"/api/tasks/{first['task_id']}/cancel", json={}).json()
    assert stopped["stop_requested"] is True
    world.tasks["started"] = first["task_id"]


@pytest.mark.parametrize("since", ["nobody could", "the cap is reached", "somebody else would"])
def test_what_was_accepted_is_not_refused_to_a_page_that_asks_again(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch, since: str
) -> None:
    for name in ("ANTHROPIC_API_KEY", "TAVILY_API_KEY"):
        monkeypatch.setenv(name, "a-key-of-some-length")
    asked = {"query": "What is a tide mill?", "key": f"asked before {since}"}
    first = client.post("/api/tasks", json=asked).json()
    if since == "nobody could":
        monkeypatch.setattr(Core, "choose", Mock(side_effect=NothingToSearch))
    elif since == "the cap is reached":
        monkeypatch.setattr("projections.spent.Spent.today", lambda self: 5.0)
        settings = dataclasses.replace(world.core.settings, daily_cap_usd=5.0)
        monkeypatch.setattr(world.core, "settings", settings)
    else:
        monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    again = client.post("/api/tasks", json=asked).json()
    assert (again.get("success"), again.get("task_id")) == (True, first["task_id"])
    client.post(f"/api/tasks/{first['task_id']}/cancel", json={})
    world.tasks[since] = first["task_id"]


@pytest.mark.parametrize("query", ["", "ab", "x" * 10_001, 7, None])
def test_a_question_that_is_none_is_refused(client: TestClient, query: object) -> None:
    refusal(client.post("/api/tasks", json={"query": query}), 400)


FOREIGN: list[dict[str, str]] = [
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
    {**JSON, "Origin": "http://evil.example"},
    {**JSON, "Origin": "null"},
    {**JSON, "Origin": "http://testserver.evil.example"},
    {**JSON, "Sec-Fetch-Site": "cross-site"},
    {**JSON, "Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_another_page_cannot_change_anything(
    client: TestClient, world: World, headers: dict[str, str]
) -> None:
    before = world.core.views.head()
    body = json.dumps({"query": "What is a tide mill?"})
    for path in ("/api/tasks", f"/api/tasks/{world.tasks['running']}/cancel"):
        refusal(client.post(path, content=body, headers=headers), 403)
    assert world.core.views.head() == before


def test_whoever_may_only_read_changes_nothing(world: World) -> None:
    before = world.core.views.head()
    with TestClient(guarded(world, frozenset({"read"}))) as reader:
        assert reader.get("/api/session").json()["may_write"] is False
        told = refusal(reader.post("/api/tasks", json={"query": "What is a tide mill?"}), 403)
        refusal(reader.post(f"/api/tasks/{world.tasks['running']}/cancel", json={}), 403)
        assert reader.post("/api/search", json={"q": "tides"}).status_code == 200
    assert told["error"] == "not_allowed"
    assert world.core.views.head() == before


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b"\xff", b"[" * 50_000])
def test_bad_bodies_are_refused(client: TestClient, body: bytes) -> None:
    refusal(client.post("/api/search", content=body, headers=JSON), 400)


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    reply = client.post("/api/search", content=b" " * (BODY_LIMIT + 1), headers=JSON)
    assert refusal(reply, 413)["error"] == "body_too_large"


def test_an_ended_task_cannot_be_cancelled(client: TestClient, world: World) -> None:
    reply = client.post(f"/api/tasks/{world.tasks['tides']}/cancel", json={})
    assert refusal(reply, 409)["error"] == "task_already_ended"


def test_a_fault_of_ours_is_told_without_its_inside(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(world.core.views, "collections", fail)
    reply = client.get("/api/sources")
    assert refusal(reply, 500)["error"] == "internal"
    assert "secret" not in reply.text
