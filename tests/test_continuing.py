"""A research that goes on from another one's evidence, and pays only for what is new."""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError
from hypothesis import given, settings
from hypothesis import strategies as st

import cli
from actors.archive import LocalArchive
from actors.earlier import Earlier, earlier_of, wanted
from actors.ingest import IngestJob
from actors.inline import InlineCrew, run_task
from actors.parsing import AnyParser
from actors.ports import Passage
from actors.replay import replay
from actors.researcher import Researcher
from actors.task import Collect, ResearchTask, Stop
from contracts.continuing import start_continuation, still_open
from contracts.core import Core
from contracts.settings import Settings
from contracts.verifying import verify_research
from events.catalogue import Brief
from events.codec import decode
from events.errors import BadRequest, MissingBlob, ProviderAway, TaskNotFinished, UnknownTask
from events.home import Home
from mcp_entry import build_server
from projections.views import Views
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, Outdoors, teach
from tests.crashes import POINTS, Kill, run_killed
from tests.embedders import open_letters
from tests.emulator_claude import Wire, answer, sentence, tool, using, wired
from tests.emulators import PAGES_AT
from tests.gemini_emulator import GeminiEmulator
from tests.gemini_tasks import enter as enter_gemini
from tests.gemini_tasks import run as run_gemini
from tests.gemini_tasks import world
from tests.inline_engine import InlineEngine
from tests.made_findings import made
from tests.test_crash_matrix import CountedCorpus, acknowledged, appended, check_survivor, served
from tests.test_orchestration import lasting
from traces.verify import verify_home

QUESTION = "How much electricity does the La Rance tidal power station generate each year?"
RANCE = "http://tides.example.gov/rance"
CREW = "http://energy.example.org/crew"
YIELD = "The La Rance tidal power station generates about 500 GWh of electricity each year."
DIVERS = "The turbines of the barrage are maintained by a crew of forty divers."
KEYS = ("ANTHROPIC_API_KEY", "TAVILY_API_KEY")


def html(title: str, text: str) -> str:
    filling = (
        f"<p>This page about {title.lower()} is one of many on the site of its makers.</p>" * 3
    )
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{filling}</body></html>"


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    core = Core(Settings(home=tmp_path / "home", prewarm=False))
    core.home.prepare()
    return core


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    teach(monkeypatch)
    for name in KEYS:
        monkeypatch.setenv(name, "a-key-of-some-length")
    with wired() as wire:
        wire.page(RANCE, html("La Rance", YIELD))
        wire.page(CREW, html("Upkeep", DIVERS))
        yield wire


def enter(core: Core, **wishes: Any) -> str:
    brief = Brief.model_validate({"question": QUESTION, "researcher": "claude", **wishes})
    return core.catalogue.enter_task(brief)[0]


def run(core: Core, task: str, wire: Wire) -> dict[str, Any]:
    run_task(LocalArchive(core.home), EmptyCorpus(), task, Outdoors(wire), AT_ONCE)
    return result_of(core, task)


def result_of(core: Core, task: str) -> dict[str, Any]:
    return Views(core.home).result(task).result


def noted(core: Core, task: str, kind: str) -> list[dict[str, Any]]:
    return [r.data for r in core.home.read(f"{task}.r1")[0] if r.kind == kind]


def check(core: Core, task: str) -> None:
    """Everything that is cited can be proven, and the task runs again to the same bytes."""
    assert verify_research(core.home, task).verified
    assert verify_home(core.home.root).faults == []
    assert replay(core.home, task).differences == []


def finished(core: Core, wire: Wire, **wishes: Any) -> str:
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE])),
            answer(
                sentence(
                    "La Rance generates about 500 GWh of electricity each year.", ("p1", YIELD)
                ),
                open_questions=[
                    {
                        "question": "Who maintains the turbines?",
                        "context": "The page names nobody.",
                        "priority": "high",
                        "source": "p1",
                    }
                ],
            ),
        ]
    )
    task = enter(core, **wishes)
    run(core, task, wire)
    return task


def urgent(question: str) -> dict[str, Any]:
    said = "The page does not say."
    return {"question": question, "context": said, "priority": "high", "source": "p1"}


# -- claude ----------------------------------------------------------------------------------------


def test_what_was_read_is_cited_again_and_neither_fetched_nor_searched_for_again(
    core: Core, wire: Wire
) -> None:
    task = finished(core, wire)
    before = Counter(each.path for each in wire.asked)
    seen: list[Any] = []

    def reply(body: Any) -> Any:
        seen.append(body)
        return answer(
            sentence("La Rance generates about 500 GWh of electricity each year.", ("p1", YIELD))
        )

    wire.script.append(reply)
    new = start_continuation(core, task, 30_000)
    result = run(core, new, wire)
    after = Counter(each.path for each in wire.asked)
    assert after - before == Counter({"/v1/messages": 1}), "nothing but the model was asked"
    assert [each["locator"] for each in result["citations"]] == [RANCE]
    assert result["continues"]["task"] == task
    [told] = seen
    text = told["messages"][0]["content"][0]["text"]
    assert "notes of the earlier research" in text and "Who maintains the turbines?" in text
    assert [each["action"] for each in noted(core, new, "source_read")] == ["carried"]
    assert noted(core, new, "answer_carried")[0]["task"] == task
    spent = sum(
        each["usage"]["input_tokens"] + each["usage"]["output_tokens"]
        for each in noted(core, new, "call_answered")
    )
    assert result["cost_metadata"]["tokens_used"] == spent
    check(core, new)


def test_a_focus_is_searched_for_and_what_is_new_stands_beside_what_was_known(
    core: Core, wire: Wire
) -> None:
    task = finished(core, wire)
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE, CREW])),
            answer(
                sentence("La Rance generates about 500 GWh of electricity a year.", ("p1", YIELD)),
                sentence("Forty divers maintain the turbines of the barrage.", ("p2", DIVERS)),
            ),
        ]
    )
    fetched = len(wire.calls("tides.example.gov/rance"))
    new = start_continuation(core, task, 15_000, "Who maintains the turbines?")
    result = run(core, new, wire)
    assert {each["locator"] for each in result["citations"]} == {RANCE, CREW}
    assert len(wire.calls("tides.example.gov/rance")) == fetched
    assert noted(core, new, "search_made")[0]["queries"] == ["Who maintains the turbines?"]
    check(core, new)


def test_a_chain_of_continuations_carries_everything_along(core: Core, wire: Wire) -> None:
    task = finished(core, wire)
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[CREW])),
            answer(sentence("Forty divers maintain the turbines.", ("p2", DIVERS))),
        ]
    )
    second = start_continuation(core, task, 15_000, "Who maintains the turbines?")
    run(core, second, wire)
    pages = {path: len(wire.calls(path)) for path in ("/", "tides.example.gov/rance")}
    wire.script.append(
        answer(
            sentence("La Rance generates about 500 GWh of electricity a year.", ("p1", YIELD)),
            sentence("Forty divers maintain the turbines of the barrage.", ("p2", DIVERS)),
        )
    )
    third = start_continuation(core, second, 9_000)
    result = run(core, third, wire)
    assert {each["locator"] for each in result["citations"]} == {RANCE, CREW}
    assert pages == {path: len(wire.calls(path)) for path in pages}
    assert [each["action"] for each in noted(core, third, "source_read")] == ["carried"] * 2
    check(core, third)
    check(core, second)


def test_a_research_that_ran_out_of_budget_goes_on(core: Core, wire: Wire) -> None:
    wire.script.append(answer())
    task = enter(core, constraints={"max_iterations": 1})
    exhausted = run(core, task, wire)
    assert exhausted["cost_metadata"]["budget_exhausted"]
    fetched = len(wire.calls("tides.example.gov/rance"))
    wire.script.append(
        answer(sentence("It generates about 500 GWh of electricity.", ("p1", YIELD)))
    )
    new = start_continuation(core, task, 9_000)
    result = run(core, new, wire)
    assert not result["cost_metadata"]["budget_exhausted"]
    assert len(wire.calls("tides.example.gov/rance")) == fetched
    check(core, new)


def test_where_the_model_does_not_answer_the_earlier_answer_stands(core: Core, wire: Wire) -> None:
    task = finished(core, wire)
    before = result_of(core, task)
    wire.fail("/v1/messages", status=500, times=-1)
    new = start_continuation(core, task, 9_000)
    result = run(core, new, wire)
    assert result["sentences"][0]["text"] == before["sentences"][0]["text"]
    assert result["citations"][0]["raw_excerpt"] == before["citations"][0]["raw_excerpt"]
    assert "access_denied" in {gap["category"] for gap in result["gaps"]}
    check(core, new)


def test_a_cancelled_research_goes_on_from_what_it_had_read(core: Core, wire: Wire) -> None:
    archive = LocalArchive(core.home)
    task = enter(core, constraints={"max_iterations": 2})
    wire.script.append(using(tool("fetch_pages", urls=[CREW])))

    class Cut(InlineCrew):
        """Cancels the research while its second message is out."""

        def send(self, name: str, assignment: Any) -> None:
            work = Researcher(
                archive,
                EmptyCorpus(),
                assignment.researcher,
                "claude",
                assignment.question,
                archive.brief(name),
                Outdoors(wire),
                AT_ONCE,
            )

            def cancel(body: Any) -> Any:
                work.stop.set()
                return answer()

            wire.script.append(cancel)
            report = work.run()
            assert self.task and report.failure == "call_cut"
            self.task.handle(Stop("cancelled"))
            self.task.handle(Collect(report))

        def stop(self, researcher: str) -> None:
            """It has stopped."""

    crew = Cut(archive, EmptyCorpus())
    crew.task = ResearchTask(archive, task, crew)
    crew.task.begin()
    assert core.views.status(task).phase == "cancelled"
    kept = result_of(core, task)["citations"]
    assert DIVERS in [each["raw_excerpt"] for each in kept], "what was read is there to be seen"
    wire.script.clear()
    wire.script.append(answer(sentence("Forty divers maintain the turbines.", ("p2", DIVERS))))
    pages = len(wire.calls("energy.example.org/crew"))
    new = start_continuation(core, task, 9_000)
    before = earlier_of(core.catalogue.brief(new), core.home.blobs.get_text)
    assert before and before.pages and before.findings.sentences == (), "and nobody had chosen it"
    result = run(core, new, wire)
    assert [each["locator"] for each in result["citations"]] == [CREW]
    assert len(wire.calls("energy.example.org/crew")) == pages == 1
    check(core, new)


PAGES = {RANCE: YIELD, CREW: DIVERS}


@given(
    script=st.lists(
        st.sampled_from(
            [
                using(tool("fetch_pages", urls=[CREW, RANCE])),
                using(
                    tool("search_web", query="divers"), tool("read_page", 2, page="p1", about="x")
                ),
                answer(sentence("Forty divers maintain the turbines.", ("p2", DIVERS))),
                answer(sentence("Pigs fly over the barrage.", ("p7", "pigs fly"))),
                answer(
                    sentence("Forty divers maintain the turbines.", ("p2", DIVERS)),
                    open_questions=[urgent("What do the divers earn?"), urgent("Is it deep?")],
                ),
                {"content": [{"type": "text", "text": "no json"}]},
            ]
        ),
        min_size=1,
        max_size=4,
    ),
    budget=st.integers(1, 30_000),
    costs=st.integers(10, 5_000),
    company=st.booleans(),
)
@settings(max_examples=16, deadline=None)
def test_no_sequence_of_replies_overruns_the_extra_budget_by_more_than_one_call(
    script: list[dict[str, Any]], budget: int, costs: int, company: bool
) -> None:
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=str(memory) if memory.is_dir() else None) as place,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
        for name in KEYS:
            patch.setenv(name, "a-key-of-some-length")
        core = Core(Settings(home=Path(place), prewarm=False))
        core.home.prepare()
        archive = LocalArchive(core.home)
        first = (
            using(tool("fetch_pages", urls=[RANCE])),
            answer(sentence("It generates about 500 GWh.", ("p1", YIELD))),
        )
        task = enter(core, orchestrate=company)
        run_task(archive, EmptyCorpus(), task, Indoors(PAGES, first), AT_ONCE)
        usage = {"input_tokens": costs, "output_tokens": 0}
        replies = [reply | {"usage": usage} for reply in script]
        new = start_continuation(core, task, budget)
        run_task(archive, EmptyCorpus(), new, Indoors(PAGES, replies), AT_ONCE)
        asked = [
            record
            for name in core.views.status(new).researchers
            for record in core.home.read(name)[0]
            if record.kind == "call_answered" and "claude" in record.data["call"]
        ]
        assert len(core.views.status(new).researchers) == 1 or company
        assert len(asked) * costs <= budget + costs
        check(core, new)


# -- the corpus ------------------------------------------------------------------------------------

LIBRARY = {
    "yield.md": "# Yield\n\nThe Rance station generates 500 GWh of electricity a year. "
    "See Harcourt (1988) and https://dams.example.org/old-oak-gates-in-brittany on its gates.\n",
    "crew.md": "# Crew\n\nThe Rance station employs 40 people in its turbine hall.\n",
    "coast.md": "# Coast\n\nOn the Rance coast the electricity of the station is brought to Dinard.\n",
}


def ingest(core: Core, place: Path) -> None:
    for name, text in LIBRARY.items():
        (place / name).write_text(text)
    job, _ = core.catalogue.enter_job("library", [str(place / name) for name in LIBRARY])
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()


def research(core: Core, task: str, ledger: Path) -> dict[str, Any]:
    run_task(LocalArchive(core.home), CountedCorpus(core.home, ledger), task)
    return result_of(core, task)


def test_the_corpus_keeps_its_quotations_and_looks_for_what_was_open(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance generate?"
    wishes = {"question": asked, "depth": "deep", "available": ("corpus",)}
    task = core.catalogue.enter_task(Brief.model_validate(wishes))[0]
    before = research(core, task, tmp_path / "ledger")
    assert any("dispatched_to" in each for each in before["discovery_events"])
    focus = "How many people does the Rance station employ?"
    new = start_continuation(core, task, 15_000, focus)
    after = research(core, new, tmp_path / "ledger")
    quoted = [each["raw_excerpt"] for each in after["citations"]]
    assert [each["raw_excerpt"] for each in before["citations"]] == quoted[
        : len(before["citations"])
    ]
    assert any("40 people" in each for each in quoted)
    assert "40 people" in after["answer"] and "500 GWh" in after["answer"]
    assert max(served(tmp_path / "ledger").values()) == 1, "a search was made twice"
    check(core, new)


def test_sources_that_a_limit_left_unread_are_read_without_a_new_search(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance station generate, and whom does it employ?"
    task = core.catalogue.enter_task(
        Brief.model_validate(
            {"question": asked, "depth": "deep", "constraints": {"max_sources": 1}}
        )
    )[0]
    before = research(core, task, tmp_path / "ledger")
    assert any(gap["topic"].startswith("Left unread") for gap in before["gaps"])
    searched = served(tmp_path / "ledger")
    new = start_continuation(core, task, 15_000)
    after = research(core, new, tmp_path / "ledger")
    assert len(after["citations"]) > len(before["citations"])
    assert noted(core, new, "answer_carried")
    assert max((served(tmp_path / "ledger") - searched).values(), default=1) == 1
    assert max(served(tmp_path / "ledger").values()) == 1
    check(core, new)


def test_a_corpus_research_can_be_continued_on_the_web(
    core: Core, wire: Wire, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "How much electricity does the Rance station generate?"
    task = core.catalogue.enter_task(Brief(question=asked, researcher="corpus"))[0]
    research(core, task, tmp_path / "ledger")
    brief = core.catalogue.brief(start_continuation(core, task, 9_000))
    assert brief.researcher == "corpus", "who began goes on while there are documents"
    claude = brief.model_copy(update={"researcher": "claude"})
    words = "The Rance station generates 500 GWh of electricity a year."
    wire.script.append(
        answer(sentence("It generates 500 GWh of electricity a year.", ("p1", words)))
    )
    new = core.catalogue.enter_task(claude)[0]
    result = run(core, new, wire)
    assert result["citations"][0]["source"] == "file"
    assert result["citations"][0]["locator"].endswith("yield.md")
    check(core, new)


# -- gemini ----------------------------------------------------------------------------------------


def test_a_job_follows_the_earlier_one_at_the_provider(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    with GeminiEmulator() as provider:
        monkeypatch.setenv(PAGES_AT, provider.place)
        task = enter_gemini(core.home)
        run_gemini(core.home, task, world(provider))
        new = start_continuation(core, task, 9_000, "What do they cost?")
        run_gemini(core.home, new, world(provider))
        orders = [each.json for each in provider.asked("POST", "interactions")]
    assert orders[1]["previous_interaction_id"] == "v1_job1"
    assert "What do they cost?" in orders[1]["input"]
    assert "previous_interaction_id" not in orders[0]
    answered = result_of(core, new)["answer"]
    assert answered.startswith("# Heat pumps"), "the new report leads"
    assert "This continues" not in answered
    check(core, new)


def test_a_job_beyond_the_extra_budget_is_said_to_be(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-some-length")
    with GeminiEmulator() as provider:
        monkeypatch.setenv(PAGES_AT, provider.place)
        task = enter_gemini(core.home, depth="deep")
        run_gemini(core.home, task, world(provider))
        assert not result_of(core, task)["cost_metadata"]["budget_exhausted"], "it had no limit"
        tight, wide = (start_continuation(core, task, budget) for budget in (9_000, 900_000))
        assert core.catalogue.brief(tight).available == (), "it needs no company"
        for each in (tight, wide):
            run_gemini(core.home, each, world(provider))
            result = result_of(core, each)
            over = each == tight
            assert result["cost_metadata"]["budget_exhausted"] is over
            assert result["confidence_factors"]["budget_exhausted"] is over
            gaps = [gap for gap in result["gaps"] if gap["category"] == "budget_exhausted"]
            assert bool(gaps) is over
            assert not over or "360000 tokens where 9000 were allowed" in gaps[0]["detail"]
            check(core, each)


# -- company ---------------------------------------------------------------------------------------

PAY = "http://union.example.org/pay"
EARN = "The forty divers of the barrage earn ninety euros for each dive."
DEEP: dict[str, Any] = {
    "depth": "deep",
    "available": ("claude",),
    "constraints": {"token_budget": 60_000},
}


def test_what_had_company_is_continued_in_company_and_nothing_is_paid_for_twice(
    core: Core, wire: Wire
) -> None:
    wire.page(PAY, html("Pay", EARN))
    divers = answer(sentence("Forty divers maintain the turbines.", ("p1", DIVERS)))
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE])),
            answer(
                sentence("La Rance generates about 500 GWh each year.", ("p1", YIELD)),
                open_questions=[urgent("Who maintains the turbines?")],
            ),
            using(tool("fetch_pages", urls=[CREW])),
            divers,
        ]
    )
    task = enter(core, **DEEP)
    before = run(core, task, wire)
    assert before["open_questions"][0]["dispatched_to"] == f"{task}.r2"
    fetched = {page[7:]: len(wire.calls(page[7:])) for page in (RANCE, CREW)}
    assert set(fetched.values()) == {1}
    told: list[str] = []

    def whole(body: Any) -> Any:
        told.append(body["messages"][0]["content"][0]["text"])
        return answer(
            sentence("La Rance generates about 500 GWh each year.", ("p1", YIELD)),
            sentence("Forty divers maintain the turbines.", ("p2", DIVERS)),
            open_questions=[urgent("How much do the divers of the barrage earn for a dive?")],
        )

    def pay(body: Any) -> Any:
        told.append(body["messages"][0]["content"][0]["text"])
        return using(tool("fetch_pages", urls=[PAY, CREW]))

    earned = answer(sentence("The divers earn ninety euros for each dive.", ("p1", EARN)))
    wire.script.extend([whole, pay, earned])
    new = start_continuation(core, task, 60_000)
    brief = core.catalogue.brief(new)
    assert (brief.orchestrate, brief.available) == (True, ("claude",))
    result = run(core, new, wire)
    assert [each["kind"] for each in result["researchers"]] == ["claude", "claude"]
    assert "to be asked: Who maintains" not in told[0], "that was asked and answered"
    assert "notes of the earlier research" not in told[1], "who is sent out begins anew"
    assert "ninety euros" in result["answer"] and "500 GWh" in result["answer"]
    assert {each["locator"] for each in result["citations"]} == {RANCE, CREW, PAY}
    assert fetched == {page: len(wire.calls(page)) for page in fetched}, "known to everybody"
    assert result["continues"]["task"] == task
    check(core, new)
    alone = start_continuation(core, finished(core, wire, depth="balanced"), 9_000)
    assert core.catalogue.brief(alone).orchestrate is False


def test_a_lead_that_was_followed_is_carried_only_where_its_follower_was_lost() -> None:
    leads = [
        {"query": "a", "dispatched_to": "t.r2"},
        {"query": "b", "dispatched_to": "t.r3"},
        {"query": "c"},
    ]
    crew: list[dict[str, Any]] = [
        {"researcher": "t.r1", "failure": None},
        {"researcher": "t.r2", "failure": None},
        {"researcher": "t.r3", "failure": "job_failed"},
    ]
    assert still_open(leads, crew) == [{"query": "b"}, {"query": "c"}]


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


class Unasked(EmptyCorpus):
    """Fails whoever asks it."""

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
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
    for write in range(1, boundaries + 1, 1 if point == "after" else 4):
        home = Home(shutil.copytree(core.home.root, tmp_path / f"{point}{write}"))
        ledger = tmp_path / f"ledger-{point}{write}"
        assert not run_killed(partial(work, home, ledger), Kill(write, point))
        before = acknowledged(home)
        assert run_killed(partial(work, home, ledger), None)
        assert lasting(home, new) == wanted
        check_survivor(home, before)


# -- what is left to be found out ------------------------------------------------------------------


def test_open_points_are_asked_as_the_questions_they_are_parts_of() -> None:
    def gap(topic: str, category: str = "source_not_found") -> dict[str, str]:
        return {"topic": topic, "category": category, "detail": "Nothing."}

    asked = [
        "How many people does it employ?",
        "潮力発電所は何人を雇うか\uff1f",
        "Who paid (and why)?",
    ]
    gaps = [
        gap(f"people, employ ({asked[0]})"),
        gap(f"雇う ({asked[1]})"),
        gap(asked[2]),
        gap("the oak gates (of 1961)"),
        gap("http://walled.example/", "access_denied"),
        gap("Left unread: The gates"),
    ]
    questions: list[dict[str, Any]] = [
        {"question": f"Which source speaks of “employ”: {asked[0]}", "priority": "high"},
        {"question": "Which source speaks of “gates”: What are the gates?", "priority": "medium"},
        {"question": "What does GWh stand for here?", "priority": "low"},
    ]
    loose = [{"context": "…", "source_locator": None} | each for each in questions]
    found = made(QUESTION, gaps=gaps, open_questions=loose)
    earlier = Earlier(task="t", researcher="corpus", findings=found, pages=(), answers={})
    points = [QUESTION, *asked, "the oak gates (of 1961)", "What are the gates?"]
    assert wanted(earlier, None, 9) == points
    assert wanted(earlier, None, 2) == points[:2]
    assert wanted(earlier, "Who dives?", 9) == ["Who dives?"]


def test_a_continuation_reads_like_an_answer(core: Core, tmp_path: Path) -> None:
    ingest(core, tmp_path)
    asked = "How many people does the Rance station employ, and who painted the station?"
    task = asked_deeply(core, asked)
    before = research(core, task, tmp_path / "ledger")
    assert before["gaps"], "something is open"
    after = research(core, start_continuation(core, task, 15_000), tmp_path / "ledger")
    headings = re.findall(r"^\*\*(.*)\*\*$", after["answer"], re.M)
    parts = {"How many people does the Rance station employ?", "Who painted the station?"}
    assert set(headings) <= parts
    topics = [gap["topic"] for gap in after["gaps"]]
    assert len(topics) == len(set(topics)) and not any(t.count("(") > 1 for t in topics)


# -- what was not found before ---------------------------------------------------------------------

DESIGNER = "Who designed the Rance turbines?"


def asked_deeply(core: Core, question: str, **constraints: int) -> str:
    wishes = {"question": question, "depth": "deep", "constraints": constraints}
    return core.catalogue.enter_task(Brief.model_validate(wishes))[0]


def test_what_was_ingested_meanwhile_is_found(core: Core, tmp_path: Path) -> None:
    ingest(core, tmp_path)
    task = asked_deeply(core, f"How much does the Rance station generate? {DESIGNER}")
    assert "Caquot" not in research(core, task, tmp_path / "ledger")["answer"]
    late = tmp_path / "designer.md"
    late.write_text("# Designer\n\nThe Rance turbines were designed by Albert Caquot.\n")
    job, _ = core.catalogue.enter_job("library", [str(late)])
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    further = start_continuation(core, task, 15_000, DESIGNER)
    assert "Caquot" in research(core, further, tmp_path / "ledger")["answer"]


def test_the_numbers_in_an_answer_are_those_of_its_citations_when_a_page_is_not_carried(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(core, tmp_path)
    asked = "How many people does the Rance station employ and how much does it generate?"
    task = asked_deeply(core, asked)
    assert len(research(core, task, tmp_path / "ledger")["citations"]) > 1
    monkeypatch.setattr("contracts.continuing.MOST_PAGES", 1)
    further = start_continuation(core, task, 15_000, "Zebras of Patagonia and penguins?")
    result = research(core, further, tmp_path / "ledger")
    marks = {int(number) for number in re.findall(r"\[(\d+)\]", result["answer"])}
    assert marks == {each["number"] for each in result["citations"]}
    check(core, further)


def test_what_was_left_unread_stays_a_gap_when_the_budget_goes_elsewhere(
    core: Core, tmp_path: Path
) -> None:
    ingest(core, tmp_path)
    asked = "What does the Rance station generate, and whom does it employ?"
    task = asked_deeply(core, asked, max_sources=1)
    before = research(core, task, tmp_path / "ledger")
    assert "budget_exhausted" in {gap["category"] for gap in before["gaps"]}
    further = start_continuation(core, task, 15_000, "Zebras of Patagonia?")
    after = research(core, further, tmp_path / "ledger")
    assert "budget_exhausted" in {gap["category"] for gap in after["gaps"]}
