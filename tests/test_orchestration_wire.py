"""Several researchers on one question, over the wire: merged, lost, in any order, within one budget."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.archive import LocalArchive
from actors.budgeting import narrowed
from actors.inline import InlineCrew, run_task
from actors.orchestration import MOST_RESEARCHERS
from actors.replay import replay
from actors.researcher import close_stream
from actors.task import Collect, ResearchTask
from contracts.evidence.verifying import verify_research
from events.home import Home
from events.task import ResearcherAssigned
from projections.views import Views
from tests.claude_world import AT_ONCE as NO_PAUSES
from tests.claude_world import EmptyCorpus, Indoors, Outdoors
from tests.emulator_claude import Wire, answer, sentence, tool, using
from tests.orchestrated_tasks import (
    FURTHER_ANSWER,
    LEAD_ANSWER,
    OTHER,
    RANCE,
    enter,
    result_of,
    wire,
)
from traces import verify as verify_module
from traces.verify import verify_home

__all__ = ["wire"]


# -- over the wire ---------------------------------------------------------------------------------


def test_an_urgent_question_sends_a_second_researcher_whose_findings_are_merged(
    home: Home, wire: Wire
) -> None:
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE])),
            LEAD_ANSWER,
            using(tool("fetch_pages", urls=[OTHER])),
            FURTHER_ANSWER,
        ]
    )
    task = enter(home)
    run_task(LocalArchive(home), EmptyCorpus(), task, Outdoors(wire), NO_PAUSES)
    result = result_of(home, task)
    assert [each["locator"] for each in result["citations"]] == [RANCE, OTHER, OTHER]
    assert "forty divers" in result["answer"] and "[2]" in result["answer"]
    categories = Counter(gap["category"] for gap in result["gaps"])
    assert categories["contradictory_sources"] == 1
    assert "who maintains" not in str(result["gaps"]), "a gap that was closed"
    assert result["open_questions"][0]["dispatched_to"] == f"{task}.r2"
    assert [each["kind"] for each in result["researchers"]] == ["claude", "claude"]
    assert result["cost_metadata"]["iterations_run"] == 4
    assert result["confidence_factors"]["contradiction_detected"]
    seen = Views(home).status(task)
    assert (seen.phase, seen.progress, len(seen.researchers)) == ("completed", 100, 2)
    assert seen.sources_read == 2
    report = home.blobs.get_text(home.read(task)[0][-1].data["report"]["hash"])
    assert "## Researchers" in report and "Sent after the open question of r1" in report
    checked = verify_research(home, task)
    assert checked.verified and len(checked.citations) == 3
    assert verify_home(home.root).faults == []
    asked = len(wire.asked)
    comparison = replay(home, task)
    assert comparison.differences == [] and comparison.citations == 3
    assert len(wire.asked) == asked


def test_a_further_researcher_that_fails_is_a_gap_and_not_the_end(home: Home, wire: Wire) -> None:
    wire.script.extend([using(tool("fetch_pages", urls=[RANCE])), LEAD_ANSWER])
    task = enter(home, available=("corpus",), collections=None)

    class BrokenCorpus(EmptyCorpus):
        def search(self, *_: Any) -> Any:
            raise ValueError("the index is broken")

    run_task(LocalArchive(home), BrokenCorpus(), task, Outdoors(wire), NO_PAUSES)
    result = result_of(home, task)
    assert [each["failure"] for each in result["researchers"]] == [None, "internal"]
    assert any("the index is broken" in gap["detail"] for gap in result["gaps"])
    assert [each["locator"] for each in result["citations"]] == [RANCE]
    assert replay(home, task).differences == []


def test_a_task_whose_further_researcher_was_lost_replays_exactly(home: Home, wire: Wire) -> None:
    wire.script.extend([using(tool("fetch_pages", urls=[RANCE])), LEAD_ANSWER])
    name = enter(home, available=("corpus",), collections=None)
    archive = LocalArchive(home)

    class Losing(InlineCrew):
        def send(self, task: str, assignment: ResearcherAssigned) -> None:
            if not assignment.researcher.endswith("r2"):
                super().send(task, assignment)
                return
            report = close_stream(archive, assignment.researcher, "researcher_lost", "It died.")
            assert self.task
            self.task.handle(Collect(report))

    crew = Losing(archive, EmptyCorpus(), Outdoors(wire), NO_PAUSES)
    crew.task = ResearchTask(archive, name, crew)
    crew.task.begin()
    assert home.read(name)[0][-1].kind == "task_concluded"
    assert replay(home, name).differences == []


def test_a_home_at_work_is_verified_without_a_fault(
    home: Home, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.script.extend([using(tool("fetch_pages", urls=[RANCE])), LEAD_ANSWER])
    name = enter(home, available=(), orchestrate=False)
    read, begun = verify_module._Check.read, list[str]()

    def read_while_it_works(check: Any, stream: str) -> None:
        if not begun:  # What begins and ends now is in no list of streams.
            begun.append(stream)
            run_task(LocalArchive(home), EmptyCorpus(), name, Outdoors(wire), NO_PAUSES)
        read(check, stream)

    monkeypatch.setattr(verify_module._Check, "read", read_while_it_works)
    assert verify_home(home.root).faults == []
    assert begun


def test_who_of_two_reports_first_changes_nothing(home: Home, wire: Wire) -> None:
    wire.script.extend(
        [
            using(tool("fetch_pages", urls=[RANCE])),
            answer(
                sentence("It generates about 500 GWh.", ("p1", "generates about 500 GWh")),
                discovery_events=[
                    _told("Maintenance of the turbines", "web"),
                    _told("Archive of the harbour board", "corpus"),
                ],
            ),
            using(tool("fetch_pages", urls=[OTHER])),
            FURTHER_ANSWER,
        ]
    )
    task = enter(home, available=("claude", "corpus"))
    archive = LocalArchive(home)

    class Backwards(InlineCrew):
        """Has the last of those who are sent together report first."""

        def __init__(self) -> None:
            super().__init__(archive, EmptyCorpus(), Outdoors(wire), NO_PAUSES)
            self.held: list[ResearcherAssigned] = []

        def send(self, task: str, assignment: ResearcherAssigned) -> None:
            self.held.append(assignment)

        def work(self) -> None:
            while self.held:
                assignment = self.held.pop()
                if assignment.researcher not in self.done():
                    super().send(name, assignment)

        def done(self) -> set[str]:
            assert self.task
            return set(self.task._state.reported)

    name, crew = task, Backwards()
    crew.task = ResearchTask(archive, task, crew)
    crew.task.begin()
    crew.work()
    order = [
        r.data["researcher"][-2:] for r in home.read(task)[0] if r.kind == "researcher_reported"
    ]
    assert order == ["r1", "r3", "r2"]
    assert replay(home, task).differences == []
    assert verify_research(home, task).verified


def _told(query: str, suggested: str) -> dict[str, str]:
    return {
        "type": "new_source",
        "suggested_researcher": suggested,
        "query": query,
        "reason": "The page points to it.",
        "source": "",
    }


# -- whatever the model says -----------------------------------------------------------------------


PAGES = {
    RANCE: "The La Rance tidal power station generates about 500 GWh of electricity each year.",
    OTHER: "The turbines of the barrage are maintained by a crew of forty divers.",
}
_SUBJECTS = st.sampled_from(
    ["lock gates", "harbour cranes", "silt", "turbine upkeep", "eel ladders"]
)
_ANSWERS = st.builds(
    lambda said, subjects: answer(
        *said,
        discovery_events=[_told(f"{each} of the estuary", "web") for each in subjects],
        open_questions=[
            {
                "question": f"What about {each}?",
                "context": "Open.",
                "priority": "high",
                "source": "",
            }
            for each in subjects
        ],
    ),
    st.lists(
        st.sampled_from(
            [
                sentence("About 500 GWh each year.", ("p1", "generates about 500 GWh")),
                sentence("Pigs fly there.", ("p9", "pigs fly")),
            ]
        ),
        max_size=2,
    ),
    st.lists(_SUBJECTS, max_size=4),
)
_REPLIES = st.one_of(
    _ANSWERS,
    st.just(using(tool("fetch_pages", urls=[RANCE, OTHER]))),
    st.just({"content": [{"type": "text", "text": "no json"}]}),
)


@given(
    script=st.lists(_REPLIES, min_size=1, max_size=4),
    budget=st.integers(1_000, 40_000),
    rounds=st.integers(1, 9),
    costs=st.integers(10, 6_000),
)
@settings(max_examples=15, deadline=None)
def test_no_sequence_of_replies_overruns_the_budget_by_more_than_one_call(
    script: list[dict[str, Any]], budget: int, rounds: int, costs: int
) -> None:
    usage = {"input_tokens": costs, "output_tokens": costs // 3}
    spent = costs + costs // 3
    replies = [reply | {"usage": usage} for reply in script]
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=str(memory) if memory.is_dir() else None) as place:
        home = Home(Path(place))
        home.prepare()
        limits = {"token_budget": budget, "max_iterations": rounds, "max_sources": 3}
        task = enter(home, constraints=limits)
        run_task(LocalArchive(home), EmptyCorpus(), task, Indoors(PAGES, replies), NO_PAUSES)
        result = result_of(home, task)
        crew = [r.data["researcher"] for r in home.read(task)[0] if r.kind == "researcher_assigned"]
        calls = [
            record.data
            for name in crew
            for record in home.read(name)[0]
            if record.kind == "call_answered" and record.data["call"].startswith("claude")
        ]
        read = [r for name in crew for r in home.read(name)[0] if r.kind == "source_read"]
        whole_budget = limits["token_budget"] if budget != 20_000 else 25_000
        assert len(calls) * spent <= max(whole_budget, 0) + spent
        assert len(calls) <= (rounds if rounds != 5 else 5)
        assert len(read) <= 3
        assert len(crew) <= MOST_RESEARCHERS
        assert verify_research(home, task).verified
        assert result["cost_metadata"]["tokens_used"] == len(calls) * spent
        assert replay(home, task).differences == []


def test_a_researcher_learns_its_own_limits_from_the_record(home: Home, wire: Wire) -> None:
    wire.script.extend([using(tool("fetch_pages", urls=[RANCE])), LEAD_ANSWER, FURTHER_ANSWER])
    task = enter(home)
    archive = LocalArchive(home)
    run_task(archive, EmptyCorpus(), task, Outdoors(wire), NO_PAUSES)
    [_, second] = [r.fact for r in home.read(task)[0] if r.kind == "researcher_assigned"]
    assert isinstance(second, ResearcherAssigned) and second.dispatch
    told = archive.brief(f"{task}.r2")
    assert told == narrowed(archive.brief(task), second)
    assert told.constraints.token_budget == second.dispatch.share.tokens
    assert archive.brief(f"{task}.r1") == archive.brief(task)
