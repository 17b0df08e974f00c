"""The real server on stdio with a real engine: whole sessions, vanishing clients, two servers at once."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from actors.waking import read_state
from contracts.connect import server_command
from tests.engines import QUESTION, SAMPLES, RealEngine
from tests.stdio_server import Server, engine, environment, logs
from tests.waiting import PATIENCE, until

__all__ = ["engine", "logs"]

pytestmark = pytest.mark.timeout(300)


# -- whole sessions --------------------------------------------------------------------------------


@pytest.mark.ray
@pytest.mark.parametrize("level", ["warning", "debug"])
def test_a_whole_session_says_nothing_but_json_rpc(
    engine: RealEngine, logs: Path, level: str
) -> None:
    engine.pace(0)
    server = Server(engine.home.root, logs, log_level=level).hello()
    report = server.call("ingest_documents", path=str(SAMPLES), collection=f"session-{level}")
    *_, job = engine.core.follow_job(report["job_id"])
    assert (job.phase, job.failed) == ("completed", 0)
    found = server.call("research", question=QUESTION)
    assert found["citations"]
    task = server.call("start_deep_research", query=QUESTION)["task_id"]
    assert server.call("get_research_results", task_id=task)["success"]
    assert "refused" in server.call("research", question="")
    assert server.call("cancel_research", task_id=task)["error"] == "RESEARCH_ALREADY_COMPLETED"
    assert server.close() == 0
    server.check()
    said = [json.loads(line) for line in server.said]
    progress = [each for each in said if each.get("method") == "notifications/progress"]
    assert progress[-1]["params"]["progress"] == 100


@pytest.mark.ray
@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_client_of_either_era_gets_a_grounded_answer(
    engine: RealEngine, logs: Path, era: Any
) -> None:
    engine.pace(0)
    program, *arguments = server_command()
    transport = StdioTransport(
        program, arguments, env=environment(engine.home.root), log_file=logs / "stderr"
    )
    async with Client(transport, mode=era) as client:
        assert len(await client.list_tools()) == 31
        found = (await client.call_tool("research", {"question": QUESTION})).structured_content
        assert found
        for citation in found["citations"]:
            text = engine.home.blobs.get_text(citation["text_hash"])
            assert text[citation["start"] : citation["end"]] == citation["raw_excerpt"]
        with pytest.raises(ToolError, match="bad_request"):
            await client.call_tool("research", {"question": " "})


@pytest.mark.ray
def test_a_client_that_goes_away_in_the_middle_of_a_call_ends_the_server_but_not_the_task(
    engine: RealEngine, logs: Path
) -> None:
    engine.pace(60)
    before = {each.task for each in engine.core.views.tasks().tasks}
    server = Server(engine.home.root, logs).hello()
    server.begin_call("research", question=QUESTION)
    until(lambda: {each.task for each in engine.core.views.tasks().tasks} != before)
    (task,) = {each.task for each in engine.core.views.tasks().tasks} - before
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    assert server.close() == 0
    server.check()
    engine.pace(0)
    assert engine.end_of(task).phase == "completed"


@pytest.mark.ray
def test_a_server_killed_in_the_middle_changes_nothing(engine: RealEngine, logs: Path) -> None:
    engine.pace(60)
    first = Server(engine.home.root, logs, sync_window_s="0").hello()
    task = first.call("start_deep_research", query=QUESTION)["task_id"]
    first.begin_call("research", question="What are spring tides?")
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    first.process.send_signal(signal.SIGKILL)
    first.close()
    first.check()
    second = Server(engine.home.root, logs).hello()
    assert second.call("check_research_status", task_id=task)["status"] == "running_async"
    assert second.call("get_research_results", task_id=task)["error"] == "RESEARCH_NOT_COMPLETED"
    engine.pace(0)
    until(lambda: second.call("check_research_status", task_id=task)["status"] == "completed")
    assert second.call("get_research_results", task_id=task)["sources"]
    listed = second.call("list_research_tasks")["tasks"]
    assert listed[0]["query"] == "What are spring tides?", "it was accepted before the kill"
    assert engine.end_of(listed[0]["task_id"]).phase == "completed"
    assert second.close() == 0
    second.check()
    engine.check_record()


# -- two servers -----------------------------------------------------------------------------------


@pytest.fixture
def both(engine: RealEngine, logs: Path) -> Iterator[tuple[Server, Server]]:
    """Two clients' servers over one home."""
    engine.pace(0)
    servers = tuple(Server(engine.home.root, logs, sync_window_s="0").hello() for _ in range(2))
    yield servers[0], servers[1]
    for server in servers:
        assert server.close() == 0
        server.check()
    engine.check_record()


@pytest.mark.ray
def test_what_one_server_acknowledges_the_other_sees_at_its_next_question(
    engine: RealEngine, both: tuple[Server, Server], tmp_path: Path
) -> None:
    one, other = both
    for number in range(3):
        task = one.call("start_deep_research", query=f"What are neap tides, take {number}?")[
            "task_id"
        ]
        assert other.call("list_research_tasks", limit=1)["tasks"][0]["task_id"] == task
        assert other.call("check_research_status", task_id=task)["task_id"] == task
        engine.end_of(task)
        answers = [
            (each.call("get_research_results", task_id=task), each.call("list_research_tasks"))
            for each in both
        ]
        assert answers[0] == answers[1]
        assert answers[0][0]["success"]
        one, other = other, one
    (tmp_path / "gorlov.md").write_text("# Gorlov\n\nThe Gorlov turbine turns in slow tides.\n")
    report = one.call("ingest_documents", path=str(tmp_path / "gorlov.md"), collection="new")
    # On a busy machine the answer may come before the job has ended.
    ended = list(engine.core.follow_job(report["job_id"], PATIENCE))[-1]
    assert (ended.phase, ended.done, ended.failed) == ("completed", 1, 0)
    found = other.call("research", question="What is the Gorlov turbine?")
    assert any("Gorlov turbine turns" in each["raw_excerpt"] for each in found["citations"])
    cancelled = one.call("start_deep_research", query="What are spring tides?")["task_id"]
    reply = other.call("cancel_research", task_id=cancelled)
    if reply["success"]:
        # On a busy machine the answer may come before the research has stopped.
        assert engine.end_of(cancelled).phase == "cancelled"
    else:
        assert reply["error"] == "RESEARCH_ALREADY_COMPLETED"


@pytest.mark.ray
def test_starts_from_both_servers_at_once_are_all_accepted_once(
    engine: RealEngine, both: tuple[Server, Server]
) -> None:
    pending = [
        (server, server.begin_call("start_deep_research", query=f"What are tides, {number}?"))
        for number in range(3)
        for server in both
    ]
    pending += [
        (server, server.begin_call("start_deep_research", query=QUESTION, idempotency_key="one"))
        for _ in range(3)
        for server in both
    ]
    answers = [server.answer(number)["result"]["structuredContent"] for server, number in pending]
    assert all(answer["success"] for answer in answers), answers
    started = [answer["task_id"] for answer in answers]
    assert len(set(started[:6])) == 6
    assert len(set(started[6:])) == 1
    for server in both:
        listed = {
            each["task_id"] for each in server.call("list_research_tasks", limit=200)["tasks"]
        }
        assert set(started) <= listed
    for task in set(started):
        assert engine.end_of(task).phase == "completed"


# -- the engine ------------------------------------------------------------------------------------


@pytest.mark.ray
def test_a_server_brings_the_engine_up_after_its_first_answer_and_leaves_it_running(
    engine: RealEngine, logs: Path
) -> None:
    engine.down()
    assert read_state(engine.home.root) is None
    server = Server(engine.home.root, logs, log_level="debug").hello()
    server.ask("tools/list")
    assert read_state(engine.home.root) is None, "listing needs no engine"
    assert server.call("list_research_tasks")["tasks"]
    until(lambda: (state := read_state(engine.home.root)) is not None and state.state == "up")
    assert server.call("research", question=QUESTION)["citations"]
    assert server.close() == 0
    server.check()
    assert read_state(engine.home.root), "it outlives the server"
