"""Timelines that grow while a task runs, and go on where a connection was lost."""

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from contracts.core import Core
from contracts.page import routes as page
from contracts.page import timeline as page_timeline
from contracts.page.tasks import status
from contracts.page.timeline import Follower, events, positions
from contracts.settings import Settings
from events.errors import BadRequest
from events.research import StepTaken, ThoughtSummarised
from tests.homes import build_home
from tests.page_client import client, refusal, world
from tests.page_world import (
    QUESTION,
    World,
)
from tests.past_tasks import PastTasks

__all__ = ["client", "world"]


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
