"""What a research will take: from published figures at first, from this home's own past later; and how far one is."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.prices import PRICES
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.deep_research import estimates
from contracts.deep_research.complexity import complexity_of, points_of, word_count
from contracts.deep_research.pace import ALMOST
from contracts.settings import Settings
from events.calls import KeysAwaited, ProviderAwaited
from events.research import SearchMade, StepTaken, ThoughtSummarised
from tests.homes import build_home
from tests.past_tasks import PastTasks

SIMPLE = "What is the capital of France?"
COMPLEX = (
    "What are the geopolitical implications of AI regulation differences between US, EU, and China?"
)


@pytest.fixture
def past(tmp_path: Path) -> PastTasks:
    return PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))


@pytest.fixture
def core(past: PastTasks, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "choose", lambda self, model: "gemini")
    return Core(Settings(home=past.built.root))


# -- complexity -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "complexity"),
    [
        (SIMPLE, "simple"),
        ("What are the latest developments in quantum computing?", "simple"),
        ("Why is the sky blue?", "moderate"),
        ("Compare heat pumps and gas boilers", "moderate"),
        ("Vergleiche Wärmepumpen und Gaskessel", "moderate"),
        (COMPLEX, "complex"),
        ("Why did Rome fall? What were the causes? How does it compare to Han China in 220?", "complex"),
        ("word " * 200 + "?", "moderate"),
        ("气候变化对欧洲、亚洲、非洲和南美洲农业的影响是什么\uff1f为什么\uff1f", "complex"),
    ],
)  # fmt: skip
def test_complexity_follows_from_the_words(query: str, complexity: str) -> None:
    assert complexity_of(query) == complexity


@given(st.text(max_size=300), st.text(max_size=50))
def test_asking_one_thing_more_is_never_simpler(query: str, more: str) -> None:
    assert points_of(f"{query}\nWhy is that?") >= points_of(query)
    assert word_count(query + " " + more) >= word_count(query)


@pytest.mark.parametrize("query", ["a," * 5000, " " * 10_000, "&" * 10_000, "between " * 1250])
@pytest.mark.timeout(5)
def test_no_query_takes_long_to_judge(query: str) -> None:
    assert complexity_of(query)


# -- estimates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["gemini", "claude", "corpus"])
@pytest.mark.parametrize("complexity", ["simple", "moderate", "complex"])
def test_every_prior_is_in_order_and_priced_from_the_table(kind: str, complexity: Any) -> None:
    prior = estimates.PRIORS[kind][complexity]
    assert prior.minutes.least < prior.minutes.likely < prior.minutes.most
    assert estimates.PRICED_AS[kind] in PRICES
    costs = [PRICES[estimates.PRICED_AS[kind]].cost(usage) for usage in prior.usage]
    assert costs == sorted(costs)
    assert (costs[0] > 0) is (kind != "corpus")


def test_nine_past_tasks_are_not_enough_and_ten_are(core: Core, past: PastTasks) -> None:
    for number in range(9):
        past.completed(SIMPLE, minutes=10 + number, dollars=1 + number / 10)
    before = deep_research.estimate(core, SIMPLE)
    assert before["based_on_tasks"] == 0
    assert before["estimated_duration"]["likely_minutes"] == 5
    assert "published figures" in before["recommendation"]
    past.completed(SIMPLE, minutes=19, dollars=1.9)
    after = deep_research.estimate(core, SIMPLE)
    assert after["based_on_tasks"] == 10
    assert after["estimated_duration"] == {
        "min_minutes": 11,
        "likely_minutes": 15,
        "max_minutes": 18,
    }
    cost = after["estimated_cost"]
    assert (cost["min_usd"], cost["likely_usd"], cost["max_usd"]) == (1.09, 1.45, 1.81)
    assert "10 past tasks" in after["recommendation"]


def test_only_tasks_of_the_same_kind_and_complexity_count(core: Core, past: PastTasks) -> None:
    for _ in range(10):
        past.completed(SIMPLE, minutes=1, dollars=0.1)
    past.kind = "corpus"
    for _ in range(10):
        past.completed(COMPLEX, minutes=1, dollars=0.0)
    for _ in range(10):
        past.failed(past.running(COMPLEX), "job_failed", "It failed.")
    assert deep_research.estimate(core, COMPLEX)["based_on_tasks"] == 0
    assert deep_research.estimate(core, SIMPLE)["based_on_tasks"] == 10


def test_a_long_question_is_judged_whole(core: Core, past: PastTasks) -> None:
    long = "What is this about " + "x" * 300 + "? Why, and how does it compare with A, B, C and D?"
    assert complexity_of(long[:300]) != complexity_of(long) == "complex"
    for _ in range(10):
        past.completed(long, minutes=3, dollars=0.5)
    assert deep_research.estimate(core, long)["based_on_tasks"] == 10


def test_who_is_answered_at_once_is_not_told_to_ask_for_less(core: Core) -> None:
    query = "Why do tides in the US, EU, and China differ, compared since 1990 and 2020?"
    quick, slow = (estimates.estimate(core, query, kind) for kind in ("corpus", "gemini"))
    assert quick["query_complexity"] == slow["query_complexity"] == "complex"
    assert "smaller focused queries" not in quick["recommendation"]
    assert "smaller focused queries" in slow["recommendation"]


def test_an_estimate_without_a_researcher_says_so(
    past: PastTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = deep_research.estimate(Core(Settings(home=past.built.root)), SIMPLE)
    assert (reply["researcher"], reply["researcher_available"]) == ("gemini", False)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_quantiles_lie_in_order_within_the_values(values: list[float]) -> None:
    least, likely, most = estimates.quantiles(values)
    assert min(values) - 1e-6 <= least <= likely + 1e-6
    assert likely <= most + 1e-6 and most <= max(values) + 1e-6


# -- progress -------------------------------------------------------------------------------------


def test_a_research_that_nobody_took_up_has_no_progress(core: Core, past: PastTasks) -> None:
    assert core.pace.look(past.entered(SIMPLE)).progress == 0


def test_progress_moves_with_what_a_provider_tells(core: Core, past: PastTasks) -> None:
    task = past.running(SIMPLE)
    shown = [core.pace.look(task).progress]
    for number in range(20):
        past.note(task, ThoughtSummarised(text=f"Thinking {number}"))
        past.note(task, SearchMade(queries=(f"query {number}",)))
        shown.append(core.pace.look(task).progress)
    assert shown[0] == 0
    assert shown == sorted(shown) and shown[5] > 0
    assert shown[-1] == ALMOST


def test_progress_does_not_move_by_itself(core: Core, past: PastTasks) -> None:
    for _ in range(10):
        past.completed(SIMPLE, minutes=10)
    task = past.running(SIMPLE, ThoughtSummarised(text="Thinking"))
    before = core.pace.look(task).progress
    past.clock.pass_minutes(60)
    assert Core(core.settings).pace.look(task).progress == before


def test_progress_is_measured_against_what_such_tasks_took(core: Core, past: PastTasks) -> None:
    for _ in range(10):
        past.completed(SIMPLE, minutes=10)
    task = past.running(SIMPLE)
    past.clock.pass_minutes(5)
    past.note(task, ThoughtSummarised(text="Half of it"))
    assert core.pace.look(task).progress in (ALMOST // 2 - 1, ALMOST // 2)


def test_what_is_learned_meanwhile_never_makes_progress_fall(core: Core, past: PastTasks) -> None:
    for _ in range(10):
        past.completed(SIMPLE, minutes=2)
    task = past.running(SIMPLE)
    past.clock.pass_minutes(1)
    past.note(task, ThoughtSummarised(text="Half of it"))
    before = core.pace.look(task).progress
    for _ in range(11):
        past.completed(SIMPLE, minutes=600)
    assert Core(core.settings).pace.look(task).progress == before > 0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(["think", "search", "step", "planned"]), max_size=12))
def test_progress_never_falls(tmp_path_factory: pytest.TempPathFactory, notes: list[str]) -> None:
    root = tmp_path_factory.mktemp("pace")
    past = PastTasks(build_home(root / "home", jobs=0, tasks=0, unfinished=0))
    core = Core(Settings(home=past.built.root))
    task = past.running(SIMPLE)
    shown = [0]
    for place, note in enumerate(notes, 1):
        facts = {
            "think": ThoughtSummarised(text="Hm."),
            "search": SearchMade(urls=("https://example.org/",)),
            "step": StepTaken(step=place, action="a", decision="d"),
            "planned": StepTaken(step=place, of=20, action="a", decision="d"),
        }
        past.note(task, facts[note])
        shown.append(core.pace.look(task).progress)
    assert shown == sorted(shown) and shown[-1] < 100


def test_what_is_left_is_told_with_what_it_rests_on(core: Core, past: PastTasks) -> None:
    reply = deep_research.status(core, past.running(SIMPLE, max_wait_s=1e9))
    # The clock of this home stands in the past: whatever such tasks take has long gone by.
    assert reply["estimate_rests_on"] == "wait_limit"
    past.clock.time = past.clock.time.now(past.clock.time.tzinfo)
    reply = deep_research.status(core, past.running(SIMPLE))
    assert reply["estimate_rests_on"] == "published_figures"
    assert 0 < reply["estimated_completion_minutes"] <= 5


def test_what_takes_longer_than_all_before_it_is_not_said_to_take_all_the_time_there_is(
    core: Core, past: PastTasks
) -> None:
    for _ in range(10):
        past.completed(SIMPLE, minutes=0.1)
    past.clock.time = past.clock.time.now(past.clock.time.tzinfo) - timedelta(minutes=1)
    reply = deep_research.status(core, past.running(SIMPLE))
    assert reply["estimate_rests_on"] == "published_figures"
    assert 3 < reply["estimated_completion_minutes"] <= 4


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (ThoughtSummarised(text="Weighing  the\nevidence"), "Weighing the evidence"),
        (SearchMade(queries=("blue sky", "Rayleigh")), "Searching: blue sky; Rayleigh"),
        (SearchMade(urls=("https://example.org/",)), "Reading https://example.org/"),
        (KeysAwaited(provider="gemini", names=("A", "B")), "Waiting for a key (A or B)"),
        (ProviderAwaited(provider="gemini", code="busy", message="Slow."), "Waiting for gemini: Slow."),
    ],
)  # fmt: skip
def test_the_current_action_is_what_is_being_done_now(
    core: Core, past: PastTasks, fact: Any, said: str
) -> None:
    task = past.running(SIMPLE, steps=1)
    past.note(task, fact)
    assert deep_research.status(core, task)["current_action"].startswith(said)


def test_a_long_thought_is_shortened(core: Core, past: PastTasks) -> None:
    task = past.running(SIMPLE, ThoughtSummarised(text="hm " * 1000))
    assert len(deep_research.status(core, task)["current_action"]) <= 300
