"""What the page asks: JSON that holds no markup, timelines that grow, refusals that say what to do."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from starlette.testclient import TestClient

import cli
from contracts import bundling, page, page_tasks, page_timeline
from contracts.core import Core
from contracts.page_answers import BODY_LIMIT, Asked
from contracts.page_facts import LONGEST, bounded
from contracts.page_report import DEEPEST, report_tree
from contracts.page_tasks import researchers, status
from contracts.page_texts import changes, window
from contracts.page_timeline import Follower, events, positions
from contracts.settings import Settings
from events.errors import BadRequest
from events.research import StepTaken, ThoughtSummarised
from events.task import Dispatch, ResearcherAssigned, Share
from tests.homes import build_home
from tests.page_world import (
    HOSTILE_QUESTION,
    HOSTILE_REPORT,
    NOTES_LATER,
    QUESTION,
    SCRIPT,
    World,
    guarded,
    make_world,
)
from tests.past_tasks import PastTasks

NOBODY = "550e8400-e29b-41d4-a716-446655440000"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
        yield make_world(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def client(world: World) -> Iterator[TestClient]:
    with TestClient(guarded(world, frozenset({"read", "write"}))) as client:
        yield client


def got(client: TestClient, path: str, **params: Any) -> dict[str, Any]:
    reply = client.get(path, params=params)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def refusal(reply: Any, number: int) -> dict[str, Any]:
    """A refusal as ours: a code, a sentence, and what to do next."""
    assert reply.status_code == number, reply.text
    assert reply.headers["content-type"] == "application/json"
    told: dict[str, Any] = reply.json()
    assert set(told) == {"success", "error", "message", "suggestion"}
    assert told["success"] is False and told["message"] and told["suggestion"]
    return told


# -- files ----------------------------------------------------------------------------------------


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


# -- tasks ----------------------------------------------------------------------------------------


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
    refusal(client.get(f"/api/tasks/{world.tasks['tides']}/citations/999"), 404)
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


# -- hostile content ------------------------------------------------------------------------------


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    for node in tree:
        if isinstance(node, dict):
            yield node
            yield from nodes(node["kids"])


def words(tree: Any) -> str:
    return "".join(node if isinstance(node, str) else words(node["kids"]) for node in tree)


def test_a_hostile_report_is_a_tree_of_known_elements(client: TestClient, world: World) -> None:
    told = got(client, f"/api/tasks/{world.tasks['hostile']}/result")
    found = list(nodes(told["report"]))
    assert {node["tag"] for node in found} <= {
        *("h2", "p", "a", "table", "thead", "tbody", "tr", "th", "td")
    }
    assert {node["href"] for node in found if "href" in node} == {"https://example.org/a"}
    assert {node["cite"] for node in found if "cite" in node} == {1}
    assert all(set(node) <= {"tag", "kids", "href", "cite"} for node in found)
    assert SCRIPT in words(told["report"])
    assert "javascript:window.hit=3" in words(told["report"])


def test_a_providers_own_marks_open_the_excerpts_of_their_sentence(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.completed(
        "Why blue?",
        report="# Sky\n\nAir scatters blue light [cite: 7].\n",
        sentences=[{"text": "Air scatters blue light.", "citations": [2], "support": 1.0}],
    )
    core = Core(Settings(home=past.built.root, prewarm=False))
    told = page_tasks.result(core, Asked({"task": task}, {}, frozenset()))
    assert [node["cite"] for node in nodes(told["report"]) if "cite" in node] == [2]
    bundled = cast(bytes, bundling.contents(core, task)["index.html"])
    assert bundled.count(b'<a class="cite" href="#cite-2">') == 1


def test_what_is_hostile_travels_as_json_and_is_never_html(
    client: TestClient, world: World
) -> None:
    task = world.tasks["hostile"]
    for path in ("", "/result", "/citations/1", "/facts", "/events", "/researchers"):
        reply = client.get(f"/api/tasks/{task}{path}")
        assert reply.status_code == 200
        assert reply.headers["content-type"].split(";")[0] in {
            "application/json",
            "text/event-stream",
        }
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    assert got(client, f"/api/tasks/{task}")["question"] == HOSTILE_QUESTION
    assert got(client, f"/api/tasks/{task}/citations/1")["excerpt"] == SCRIPT


def test_a_report_cannot_be_too_deep_or_too_long() -> None:
    deep, cut = report_tree("> " * 500 + "deep", set())
    assert not cut

    def depth(tree: Any) -> int:
        return 1 + max((depth(n["kids"]) for n in tree if isinstance(n, dict)), default=0)

    assert depth(deep) <= DEEPEST + 1
    assert report_tree("word " * 200_000, set())[1] is True
    assert report_tree("", set()) == ([], False)
    assert words(report_tree(HOSTILE_REPORT, {1})[0]).count("1. none") == 0


def test_facts_are_bounded() -> None:
    huge = {"a": "x" * 10_000, "b": list(range(1000)), "c": {"d": {"e": {"f": {"g": {"h": {}}}}}}}
    shown = bounded(huge)
    assert len(json.dumps(shown)) < 4 * LONGEST
    assert shown["a"].endswith("(10000 characters)")


# -- timelines ------------------------------------------------------------------------------------


def parsed(raw: str) -> list[tuple[str, str, Any]]:
    """Events as name, id and data."""
    found = []
    for block in raw.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            found.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
    return found


def facts_of(told: list[tuple[str, str, Any]]) -> list[tuple[str, int]]:
    return [(data["stream"], data["seq"]) for name, _, data in told if name == "fact"]


def test_the_timeline_of_an_ended_task_is_whole_and_ends(client: TestClient, world: World) -> None:
    task = world.tasks["tides"]
    told = parsed(client.get(f"/api/tasks/{task}/events").text)
    places = facts_of(told)
    for stream, name in (("task", task), ("r1", f"{task}.r1")):
        records, _ = world.core.home.read(name)
        assert [seq for each, seq in places if each == stream] == [r.seq for r in records]
    assert told[-1][0] == "end" and told[-1][2] == {"status": "completed"}
    assert [name for name, _, _ in told].count("status") == 1
    kinds = {data["kind"]: data for name, _, data in told if name == "fact"}
    assert kinds["task_accepted"]["detail"] == QUESTION
    assert kinds["source_read"]["group"] == "source"


def test_a_lost_connection_goes_on_exactly_where_it_was(client: TestClient, world: World) -> None:
    path = f"/api/tasks/{world.tasks['tides']}/events"
    told = parsed(client.get(path).text)
    everything = facts_of(told)
    for place in (0, 3, len(everything) - 2):
        identity = [event[1] for event in told if event[0] == "fact"][place]
        rest = parsed(client.get(path, headers={"Last-Event-ID": identity}).text)
        assert facts_of(rest) == everything[place + 1 :]


ODD_PLACES = [
    "x",
    "task",
    "task:x",
    "task:-1",
    ":1",
    "a:1," * 3000,
    "r1:²",
    "a\nevent: end:1",
    "a\r:1",
    "r1:1\n",
    "A:1",
]


@pytest.mark.parametrize("place", ODD_PLACES)
def test_a_place_that_is_none_is_refused(client: TestClient, world: World, place: str) -> None:
    path = f"/api/tasks/{world.tasks['tides']}/events"
    refusal(client.get(path, params={"after": place}), 400)
    with pytest.raises(BadRequest):
        positions(place)


def test_a_long_past_is_cut_at_its_beginning_and_can_be_asked_for(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    steps = [StepTaken(step=n, action="read", decision=f"Page {n}") for n in range(1, 1001)]
    task = past.running("A long one", *steps)
    follower = Follower(past.built.home, task)
    news = follower.news()
    assert len(news.records) == page_timeline.TAIL
    assert news.records[-1].data["decision"] == "Page 1000"
    read = sum(len(past.built.home.read(name)[0]) for name in (task, f"{task}.r1"))
    assert news.left_out == read - page_timeline.TAIL
    past.note(task, ThoughtSummarised(text="One more"))
    later = follower.news()
    assert [each.kind for each in later.records] == ["stream_claimed", "thought_summarised"]
    before = {"r1": news.records[0].seq, "task": 1}
    earlier = Follower(past.built.home, task, before=before).news(200)
    assert [each.seq for each in earlier.records] == list(range(before["r1"] - 200, before["r1"]))


@pytest.mark.anyio
async def test_a_timeline_grows_while_its_task_runs_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    monkeypatch.setattr("contracts.core.desktop_exists", lambda: False)
    core = Core(Settings(home=past.built.root, prewarm=False))
    task = past.running("Does it grow?", steps=1)
    seen: list[tuple[str, str, Any]] = []
    with anyio.fail_after(30):
        async for part in events(core, task, {}, status):
            seen += parsed(part.decode())
            said = [data["title"] for name, _, data in seen if name == "fact"]
            if "Reading page 1" in said and "Meanwhile" not in said:
                past.note(task, StepTaken(step=2, action="read", decision="Meanwhile"))
            elif "Meanwhile" in said and not core.views.status(task).ended:
                past.conclude(task)
    assert seen[-1][0] == "end"
    assert len(set(facts_of(seen))) == len(facts_of(seen))
    assert [data["status"] for name, _, data in seen if name == "status"][-1] == "completed"


@pytest.mark.anyio
async def test_many_browsers_see_the_same_fact_and_few_threads_look(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    core = Core(Settings(home=past.built.root, prewarm=False))
    task = past.running("Who watches?", steps=1)
    begun, told = set[int](), set[int]()
    others = threading.active_count()

    async def watch(number: int) -> None:
        async for part in events(core, task, {}, status):
            if b"Reading page 1" in part:
                begun.add(number)
            if b"Everybody sees this" in part:
                told.add(number)
                return

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(watch, number)
            while len(begun) < 40:
                await anyio.sleep(0.05)
            past.note(task, StepTaken(step=2, action="read", decision="Everybody sees this"))
    assert told == set(range(40))
    assert threading.active_count() < others + 12


@pytest.mark.anyio
async def test_a_broken_trace_ends_its_timeline_with_a_refusal(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    core = Core(Settings(home=past.built.root, prewarm=False))
    task = past.running("Is it whole?", steps=2)
    path = past.built.home.path(f"{task}.r1")
    path.write_bytes(path.read_bytes().replace(b"Reading page 1", b"Reading page 7"))
    with anyio.fail_after(30):
        told = [part async for part in events(core, task, {}, status)]
    name, _, data = parsed(b"".join(told).decode())[-1]
    assert (name, data["error"]) == ("broken", "broken_chain")


def test_only_so_many_timelines_are_open_at_once(
    client: TestClient, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "WATCHERS", 0)
    reply = client.get(f"/api/tasks/{world.tasks['tides']}/events")
    assert refusal(reply, 503)["error"] == "too_many_watchers"


# -- changes --------------------------------------------------------------------------------------


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


# -- search, sources, audit -----------------------------------------------------------------------


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


@pytest.mark.parametrize("sql", ["", "SELECT nothing FROM tasks", "DROP TABLE tasks"])
def test_sql_that_is_wrong_or_not_allowed_is_refused(client: TestClient, sql: str) -> None:
    refusal(client.post("/api/audit", json={"sql": sql}), 400)
