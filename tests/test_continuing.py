"""A research that goes on from another: nothing is read, searched for or paid for twice."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.archive import LocalArchive
from actors.earlier import earlier_of
from actors.inline import InlineCrew, run_task
from actors.researcher import Researcher
from actors.task import Collect, ResearchTask, Stop
from contracts.core import Core
from contracts.research.continuing import start_continuation
from contracts.settings import Settings
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, Outdoors
from tests.continued_tasks import (
    CREW,
    DIVERS,
    KEYS,
    RANCE,
    YIELD,
    check,
    core,
    enter,
    finished,
    noted,
    result_of,
    run,
    urgent,
    wire,
)
from tests.emulator_claude import Wire, answer, sentence, tool, using

__all__ = ["core", "wire"]


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
