"""A Gemini job as a further researcher of an orchestrated research, against the emulator, to its end."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import actors.adapters.gemini
import actors.kinds.claude
import actors.kinds.gemini  # noqa: F401 - before processes are forked
from actors.archive import LocalArchive
from actors.inline import run_task
from actors.outside import Page, Provider
from actors.replay import replay
from contracts.evidence.verifying import verify_research
from events.base import Blob
from events.catalogue import Brief
from events.codec import decode
from events.home import Home
from events.websites import FetchOrder
from projections.views import Views
from tests.claude_world import EmptyCorpus, Indoors
from tests.crashes import Kill, run_killed
from tests.emulator_claude import answer, sentence, tool, using
from tests.gemini_emulator import EXACT, GeminiEmulator
from tests.gemini_tasks import BRISK, emulator, provider, world
from traces.verify import verify_home

__all__ = ["emulator", "provider"]

QUESTION = "How are the lock houses of the barrage heated?"
ASKED = "How do heat pumps cut emissions?"
LOCK = "http://barrage.example.gov/lock"
HEATED = "The lock houses of the barrage are heated by two heat pumps."


def discovery(query: str = ASKED) -> dict[str, Any]:
    return {
        "type": "related_research",
        "suggested_researcher": "gemini",
        "query": query,
        "reason": "The page names heat pumps and does not say what they do.",
        "source": "p1",
    }


def script(*discoveries: dict[str, Any]) -> list[Any]:
    said = sentence("The lock houses are heated by two heat pumps.", ("p1", HEATED))
    return [
        using(tool("fetch_pages", urls=[LOCK])),
        answer(said, discovery_events=list(discoveries or [discovery()])),
    ]


class TwoProviders:
    """Satisfies `actors.outside.Outside`: Claude and its web by a script, Gemini and its web on loopback."""

    def __init__(self, provider: GeminiEmulator, *discoveries: dict[str, Any]) -> None:
        self._url = provider.url
        self._gemini = world(provider)
        self._claude = Indoors({LOCK: HEATED}, script(*discoveries))

    def provider(self, name: str) -> Provider | None:
        return (self._gemini if name == "gemini" else self._claude).provider(name)

    def read(
        self, url: str, keep: Callable[[bytes], Blob], order: FetchOrder | None = None
    ) -> Page:
        theirs = url.startswith(self._url)
        return (self._gemini if theirs else self._claude).read(url, keep, order)


def enter(home: Home, **wishes: Any) -> str:
    told = {
        "question": QUESTION,
        "researcher": "claude",
        "depth": "deep",
        "available": ("claude", "gemini"),
        "constraints": {"token_budget": 60_000},
    }
    return LocalArchive(home).catalogue.enter_task(Brief.model_validate(told | wishes))[0]


def research(home: Home, task: str, provider: GeminiEmulator, *discoveries: dict[str, Any]) -> None:
    outside = TwoProviders(provider, *discoveries)
    run_task(LocalArchive(home), EmptyCorpus(), task, outside, BRISK)


def result_of(home: Home, task: str) -> dict[str, Any]:
    ended = home.read(task)[0][-1]
    assert ended.kind == "task_concluded", ended.data
    result: dict[str, Any] = decode(home.blobs.get(ended.data["result"]["hash"]))
    return result


def test_a_discovery_has_one_job_done_and_its_findings_are_merged(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    research(home, task, provider)
    [order] = provider.created
    assert order.startswith(ASKED)
    assert f"on the way to a larger question: {QUESTION}" in order and LOCK in order
    result = result_of(home, task)
    assert [each["kind"] for each in result["researchers"]] == ["claude", "gemini"]
    assert result["discovery_events"][0]["dispatched_to"] == f"{task}.r2"
    assert f"**{ASKED}**" in result["answer"] and EXACT in result["answer"]
    locators = [each["locator"] for each in result["citations"]]
    assert locators[0] == LOCK and f"{provider.url}/pages/study" in locators
    assert result["cost_metadata"]["model_id"].endswith("+ deep-research-pro-preview-12-2025")
    assert result["cost_metadata"]["tokens_used"] > 360_000
    report = home.blobs.get_text(home.read(task)[0][-1].data["report"]["hash"])
    assert "**r2** (gemini)" in report and "Sent after the discovery of r1" in report
    assert Views(home).status(task).cost_usd > 0
    assert verify_research(home, task).verified
    assert verify_home(home.root).faults == []
    assert replay(home, task).differences == []


def test_a_job_that_took_more_than_was_left_is_said_to_have(
    home: Home, provider: GeminiEmulator
) -> None:
    task = enter(home)
    research(home, task, provider)
    result = result_of(home, task)
    assert result["cost_metadata"]["budget_exhausted"]
    assert result["confidence_factors"]["budget_exhausted"]
    [gap] = [each for each in result["gaps"] if each["category"] == "budget_exhausted"]
    assert "took 360000 tokens" in gap["detail"] and "no limit that could be set" in gap["detail"]
    provider.reset()
    generous = enter(home, constraints={"token_budget": 900_000})
    research(home, generous, provider)
    assert not result_of(home, generous)["cost_metadata"]["budget_exhausted"]


def test_a_second_lead_orders_no_second_job(home: Home, provider: GeminiEmulator) -> None:
    task = enter(home, available=("gemini",), constraints={"token_budget": 900_000})
    other = discovery("Who built the oldest lock gates of Brittany?")
    research(home, task, provider, discovery(), other)
    assert len(provider.created) == 1
    left = [r.data for r in home.read(task)[0] if r.kind == "lead_left"]
    assert [(each["question"], each["reason"]) for each in left] == [(other["query"], "budget")]


def test_a_job_that_fails_is_a_gap_in_the_providers_words(
    home: Home, provider: GeminiEmulator
) -> None:
    provider.final, provider.errors = "failed", [{"code": "quota", "message": "No more today."}]
    task = enter(home)
    research(home, task, provider)
    result = result_of(home, task)
    assert "No more today." in result["gaps"][-1]["detail"]
    assert [each["failure"] for each in result["researchers"]] == [None, "job_failed"]
    assert replay(home, task).differences == []


MOMENTS = [
    ("call_asked gemini.create", "before", 1),
    ("call_asked gemini.create", "after", 0),
    ("call_answered gemini.create", "before", 1),
    ("call_answered gemini.create", "after", 1),
    ("job_created", "after", 1),
    ("call_answered gemini.get", "after", 1),
    ("research_finished", "after", 1),
]
LOST = {("call_asked gemini.create", "after"), ("call_answered gemini.create", "before")}
"""Nobody can tell whether a job was ordered then."""


@dataclass(frozen=True)
class Reference:
    """A research that nothing happened to."""

    base: Home
    task: str
    result: dict[str, Any]
    writes: list[str]
    """What each write of it recorded."""


@pytest.fixture(scope="module")
def reference(emulator: GeminiEmulator, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    emulator.reset()
    emulator.streams = False
    place = tmp_path_factory.mktemp("gemini")
    base = Home(place / "base")
    base.prepare()
    task = enter(base)
    home = Home(shutil.copytree(base.root, place / "reference"))
    assert run_killed(partial(research, home, task, emulator), None)
    return Reference(base, task, result_of(home, task), _writes(base, home))


def _writes(base: Home, done: Home) -> list[str]:
    made = []
    for path in done.traces.glob("*.jsonl"):
        known = {record.hash for record in base.read(path.stem)[0]}
        fresh = [r for r in done.read(path.stem)[0] if r.hash not in known]
        starts = [r for n, r in enumerate(fresh) if n == 0 or not fresh[n - 1].left]
        for each in starts:
            call = str(each.data.get("call") or "").partition(":")[0]
            made.append((each.at, path.stem, each.seq, f"{each.kind} {call}".strip()))
    return [name for *_, name in sorted(made)]


@pytest.mark.parametrize(("moment", "point", "orders"), MOMENTS)
def test_killed_around_its_job_a_research_orders_it_once_at_the_most(
    reference: Reference,
    provider: GeminiEmulator,
    tmp_path: Path,
    moment: str,
    point: str,
    orders: int,
) -> None:
    provider.streams = False
    home = Home(shutil.copytree(reference.base.root, tmp_path / "home"))
    write = max(n for n, name in enumerate(reference.writes, 1) if name == moment)
    work = partial(research, home, reference.task, provider)
    assert not run_killed(work, Kill(write, point))
    assert run_killed(work, None)
    assert len(provider.created) == orders
    result = result_of(home, reference.task)
    if (moment, point) in LOST:
        assert result["researchers"][1]["failure"] == "fate_unknown"
        assert result["gaps"][-1]["category"] == "access_denied"
    else:
        assert result == reference.result
    assert verify_home(home.root).faults == []
    assert replay(home, reference.task).differences == []
