"""Continuing a research through the tools and the terminal, killed on the way, and what is refused."""

import shutil
from functools import partial
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

import cli
from actors.archive import LocalArchive
from actors.inline import InlineCrew, run_task
from actors.ports import Passage
from actors.shelves import delete_collection
from actors.task import ResearchTask, Stop
from contracts.choosing import NoDocuments
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.research.continuing import start_continuation
from events.catalogue import Brief
from events.codec import decode
from events.errors import BadRequest, MissingBlob, ProviderAway, TaskNotFinished, UnknownTask
from events.home import Home
from mcp_entry import build_server
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors
from tests.continued_tasks import (
    RANCE,
    check,
    core,
    enter,
    finished,
    ingest,
    noted,
    research,
    result_of,
    wire,
)
from tests.crashes import POINTS, Kill, run_killed, writes
from tests.emulator_claude import Wire
from tests.inline_engine import InlineEngine
from tests.orchestrated_tasks import lasting
from tests.test_crash_matrix import CountedCorpus, acknowledged, appended, check_survivor

__all__ = ["core", "wire"]


# -- what is refused -------------------------------------------------------------------------------


def test_what_cannot_be_continued_is_refused_with_the_reason(core: Core, wire: Wire) -> None:
    with pytest.raises(UnknownTask):
        start_continuation(core, "550e8400-e29b-41d4-a716-446655440000", 1_000)
    with pytest.raises(UnknownTask):
        start_continuation(core, "../../etc/passwd", 1_000)
    waiting = enter(core)
    with pytest.raises(TaskNotFinished):
        start_continuation(core, waiting, 1_000)
    archive = LocalArchive(core.home)
    stopped = ResearchTask(archive, waiting, InlineCrew(archive, EmptyCorpus()))
    stopped.handle(Stop("cancelled"))
    stopped.begin()
    with pytest.raises(BadRequest, match="before it had read anything"):
        start_continuation(core, waiting, 1_000)
    task = finished(core, wire)
    for budget in (0, -1, 10**7):
        with pytest.raises(BadRequest, match="extra budget"):
            start_continuation(core, task, budget)
    with pytest.raises(BadRequest, match="focus"):
        start_continuation(core, task, 1_000, "x" * 501)
    with pytest.raises(BadRequest, match="focus"):
        start_continuation(core, task, 1_000, "\ud800")
    with pytest.raises(BadRequest, match="Nothing of the focus can be seen"):
        start_continuation(core, task, 1_000, "\u200b\u202e")


def test_a_source_whose_bytes_are_gone_is_not_carried(core: Core, wire: Wire) -> None:
    task = finished(core, wire)
    citation = result_of(core, task)["citations"][0]
    core.home.blobs.path(citation["text_hash"]).unlink()
    with pytest.raises(MissingBlob):
        core.home.blobs.get(citation["text_hash"])
    with pytest.raises(BadRequest, match="before it had read anything"):
        start_continuation(core, task, 1_000)


def test_the_providers_silence_is_no_reason_to_lose_anything(core: Core, wire: Wire) -> None:
    task = finished(core, wire)
    new = start_continuation(core, task, 9_000)
    silent = Indoors({}, [ProviderAway("claude", "nobody there")] * 9)
    run_task(LocalArchive(core.home), EmptyCorpus(), new, silent, AT_ONCE)
    assert result_of(core, new)["citations"][0]["locator"] == RANCE
    check(core, new)


# -- through the doors -----------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_client_continues_a_research_and_gets_the_whole_result(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    engine = InlineEngine(core.home)
    try:
        async with Client(build_server(core)) as client:
            asked = {"question": "How much electricity does the Rance station generate?"}
            first = (await client.call_tool("research", asked)).structured_content
            assert first
            focus = "How many people does the Rance station employ?"
            told = {"task_id": first["trace_id"], "extra_budget": 9_000, "focus": focus}
            second = (await client.call_tool("continue_research", told)).structured_content
            assert second and "40 people" in second["answer"]
            assert second["trace_id"] != first["trace_id"]
            with pytest.raises(ToolError, match="No research task"):
                await client.call_tool("continue_research", told | {"task_id": "nobody"})
            deep = asked | {"orchestrate": True}
            third = (await client.call_tool("research", deep)).structured_content
            assert third
            brief = core.catalogue.brief(third["trace_id"])
            assert (brief.orchestrate, brief.available) == (True, ("corpus",))
    finally:
        engine.close()


def test_a_person_continues_a_research_in_a_terminal(
    core: Core,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(core.home.root))
    ingest(core, tmp_path)
    task = core.catalogue.enter_task(Brief(question="How much electricity is generated?"))[0]
    research(core, task, tmp_path / "ledger")
    engine = InlineEngine(core.home)
    try:
        focus = "How many people does the Rance station employ?"
        assert cli.main(["continue", task, "--budget", "9000", "--focus", focus, "--json"]) == 0
        found = decode(capsys.readouterr().out.encode())
        assert "40 people" in found["answer"]
        assert cli.main(["continue", "nobody", "--budget", "9000"]) == 2
    finally:
        engine.close()


def test_who_names_the_free_researcher_never_pays_for_another(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Core, "_keys", lambda self: ["gemini", "claude", "tavily"])
    ingest(core, tmp_path)
    question = "How much electricity does the Rance station generate?"
    task, _ = deep_research.accept(core, question, "start_deep_research", None, "corpus")
    brief = core.catalogue.brief(task)
    assert (brief.researcher, brief.available) == ("corpus", ("corpus",))
    research(core, task, tmp_path / "ledger")
    brief = core.catalogue.brief(start_continuation(core, task, 9_000))
    assert (brief.researcher, brief.available) == ("corpus", ("corpus",))
    delete_collection(core.catalogue, "library")
    with pytest.raises(NoDocuments):
        start_continuation(core, task, 9_000)


class Unasked(EmptyCorpus):
    """Fails whoever asks it."""

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        raise AssertionError(f"searched for {query}")


def test_an_identical_question_is_answered_from_the_earlier_record(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    question = "How much electricity does the Rance station generate?"
    wishes = {"question": question, "depth": "deep"}
    task = core.catalogue.enter_task(Brief.model_validate(wishes))[0]
    before = research(core, task, tmp_path / "ledger")
    new = start_continuation(core, task, 9_000, question)
    run_task(LocalArchive(core.home), Unasked(), new)
    assert result_of(core, new)["citations"] == before["citations"]
    assert not [each for each in noted(core, new, "call_asked") if "search" in each["call"]]
    check(core, new)


@pytest.mark.parametrize("point", POINTS)
def test_a_continuation_killed_at_any_boundary_ends_the_same(
    core: Core, tmp_path: Path, point: str
) -> None:
    ingest(core, tmp_path)
    wishes = {"question": "What does the Rance generate?", "depth": "shallow"}
    task = core.catalogue.enter_task(Brief.model_validate(wishes))[0]
    research(core, task, tmp_path / "ledger")
    new = start_continuation(core, task, 9_000, "How many people does the Rance station employ?")

    def work(home: Home, ledger: Path) -> None:
        run_task(LocalArchive(home), CountedCorpus(home, ledger), new)

    reference = Home(shutil.copytree(core.home.root, tmp_path / "reference"))
    start = appended(reference)
    work(reference, tmp_path / "reference-ledger")
    wanted, boundaries = lasting(reference, new), appended(reference) - start
    for write in writes(boundaries, point):
        home = Home(shutil.copytree(core.home.root, tmp_path / f"{point}{write}"))
        ledger = tmp_path / f"ledger-{point}{write}"
        assert not run_killed(partial(work, home, ledger), Kill(write, point))
        before = acknowledged(home)
        assert run_killed(partial(work, home, ledger), None)
        assert lasting(home, new) == wanted
        check_survivor(home, before)
