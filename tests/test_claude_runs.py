"""Whole runs of the claude researcher over the wire: recorded, killed, replayed, and with everything failing."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.replay import replay
from actors.reports.excerpts import is_verbatim
from events.catalogue import Brief
from events.codec import decode
from events.errors import (
    ProviderAway,
    ProviderBusy,
    ProviderSilent,
    RequestRefused,
    ResearchError,
)
from events.home import Home
from events.task import TaskConcluded, TaskFailed
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, Outdoors, teach
from tests.crashes import POINTS, Kill, run_killed, writes
from tests.emulator_claude import Wire, answer, sentence, tool, using, wired
from traces.verify import verify_home

QUESTION = "How much electricity does the La Rance tidal power station generate each year?"
RANCE = "http://tides.example.gov/rance"
OTHER = "http://energy.example.org/tidal"
GONE = "http://gone.example.com/page"
TRUE = sentence(
    "The La Rance station generates about 500 GWh of electricity each year.",
    ("p1", "The station generates about 500 GWh of electricity each year."),
)


def html(title: str, text: str) -> str:
    filling = "<p>The tide comes in and goes out twice a day on this coast.</p>" * 3
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{filling}</body></html>"


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    teach(monkeypatch)
    with wired() as wire:
        wire.page(
            RANCE,
            html(
                "La Rance",
                "The La Rance tidal power station stands in Brittany. "
                "The station generates about 500 GWh of electricity each year.",
            ),
        )
        wire.page(
            OTHER, html("Tidal power", "Tidal power is rare, and La Rance is its oldest plant.")
        )
        wire.page(GONE, "no", status=404)
        yield wire


def script(wire: Wire) -> None:
    wire.script.extend(
        [
            using(
                tool("fetch_pages", urls=[RANCE, GONE]), tool("search_web", 2, query="tidal plants")
            ),
            using(tool("fetch_pages", urls=[OTHER])),
            answer(TRUE, sentence("Pigs fly there.", ("p2", "pigs fly there"))),
        ]
    )


def enter(home: Home, **wishes: Any) -> str:
    brief = Brief.model_validate({"question": QUESTION, "researcher": "claude", **wishes})
    return LocalArchive(home).catalogue.enter_task(brief)[0]


def run(home: Home, task: str, wire: Wire, **how: str) -> None:
    run_task(LocalArchive(home), EmptyCorpus(), task, Outdoors(wire, **how), AT_ONCE)


def result_of(home: Home, task: str) -> dict[str, Any]:
    ended = next(r.fact for r in home.read(task)[0] if r.kind in {"task_concluded", "task_failed"})
    assert isinstance(ended, TaskConcluded), ended
    result: dict[str, Any] = decode(home.blobs.get(ended.result.hash))
    for each in result["citations"]:
        text = home.blobs.get_text(each["text_hash"])
        assert is_verbatim(each["raw_excerpt"], text, each["start"], each["end"])
        assert home.blobs.get(each["content_hash"])
    return result


def test_a_whole_run_over_the_wire_is_recorded_and_replays_to_the_byte(
    home: Home, wire: Wire
) -> None:
    script(wire)
    task = enter(home)
    run(home, task, wire)
    result = result_of(home, task)
    assert result["answer"].startswith(f"{TRUE['text']} [1]")
    assert result["citations"][0]["locator"] == RANCE
    assert [gap["category"] for gap in result["gaps"]] == ["source_not_found", "source_not_found"]
    assert result["cost_metadata"]["iterations_run"] == 3
    assert result["cost_metadata"]["tokens_used"] > 100
    records = home.read(f"{task}.r1")[0]
    kinds = Counter(record.kind for record in records)
    assert kinds["call_answered"] == 3 + 2 + 2 + 1, (
        "messages, searches, pages, a sentence by meaning"
    )
    ports = Counter(record.data["port"] for record in records if record.kind == "call_asked")
    assert ports == {"claude": 3, "tavily": 2, "fetch": 3, "corpus": 1}, "one page is not there"
    assert kinds["call_failed"] == 1
    asked = len(wire.asked)
    comparison = replay(home, task)
    assert comparison.differences == [] and comparison.citations == 1
    assert len(wire.asked) == asked, "a replay asks nobody"


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/messages", {"status": 429, "headers": {"retry-after": "100000"}}),
    ("/v1/messages", {"status": 529, "times": 3}),
    ("/v1/messages", {"status": 500, "times": 2}),
    ("/v1/messages", {"drop": True, "times": 2}),
    ("/v1/messages", {"status": 200, "body": "<html>", "content_type": "text/html"}),
    ("/v1/messages", {"status": 500, "times": -1}),
    ("/v1/messages", {"status": 400, "times": -1}),
    ("/search", {"status": 429, "times": -1}),
    ("/search", {"status": 401, "times": -1}),
    ("/search", {"drop": True, "times": -1}),
    ("/search", {"status": 200, "body": "{", "times": -1}),
    ("tides.example.gov/rance", {"status": 403, "times": -1}),
    ("tides.example.gov/rance", {"status": 503, "times": -1}),
    ("tides.example.gov/rance", {"drop": True, "times": -1}),
    (
        "tides.example.gov/robots.txt",
        {"status": 200, "body": "User-agent: *\nDisallow: /", "content_type": "text/plain"},
    ),
]


@pytest.mark.parametrize(("path", "fault"), FAULTS)
def test_whatever_fails_a_result_comes_and_replays(
    home: Home, wire: Wire, path: str, fault: dict[str, Any]
) -> None:
    script(wire)
    wire.fail(path, **fault)
    task = enter(home, question=f"{QUESTION} See {RANCE}")
    run(home, task, wire)
    result = result_of(home, task)
    passing = path == "/v1/messages" and fault.get("times", 1) > 0
    if not passing:
        assert (
            "access_denied" in {g["category"] for g in result["gaps"]}
            or "503" in str(fault)
            or fault.get("drop")
        )
    comparison = replay(home, task)
    assert comparison.differences == []


def test_a_refused_key_fails_the_task_with_the_providers_words(home: Home, wire: Wire) -> None:
    task = enter(home, question=f"{QUESTION} See {RANCE}")
    run(home, task, wire, key="bad-key-of-some-length")
    ended = home.read(task)[0][-1].fact
    assert isinstance(ended, TaskFailed) and ended.code == "key_refused"
    assert "invalid x-api-key" in ended.message


def test_without_a_key_for_search_the_research_goes_on(home: Home, wire: Wire) -> None:
    script(wire)
    task = enter(home, question=f"{QUESTION} See {RANCE}")
    run(home, task, wire, missing="tavily")
    result = result_of(home, task)
    assert result["citations"][0]["locator"] == RANCE
    assert "access_denied" in {gap["category"] for gap in result["gaps"]}
    assert wire.calls("/search") == []
    assert replay(home, task).differences == []


def test_without_a_key_for_search_and_anything_to_read_the_task_fails_and_says_so(
    home: Home, wire: Wire
) -> None:
    wire.script.append(answer())
    task = enter(home)
    run(home, task, wire, missing="tavily")
    ended = home.read(task)[0][-1].fact
    assert isinstance(ended, TaskFailed)
    assert (ended.code, ended.message) == ("key_refused", "tavily: its key is gone")


# -- without a wire --------------------------------------------------------------------------------

PAGES = {
    RANCE: "The La Rance tidal power station stands in Brittany. "
    "The station generates about 500 GWh of electricity each year.",
    OTHER: "Tidal power is rare, and La Rance is its oldest plant.",
}
SCRIPT = (
    using(tool("fetch_pages", urls=[RANCE, GONE]), tool("search_web", 2, query="tidal plants")),
    using(tool("fetch_pages", urls=[OTHER])),
    answer(TRUE, sentence("Pigs fly there.", ("p2", "pigs fly there"))),
)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place in memory, where what is written need not be waited for."""
    teach(monkeypatch)
    memory = Path("/dev/shm")
    parent = str(memory) if memory.is_dir() else None
    with tempfile.TemporaryDirectory(dir=parent) as place:
        monkeypatch.setattr(tempfile, "tempdir", place)
        yield Path(place)


def run_indoors(home: Home, task: str, indoors: Indoors) -> None:
    run_task(LocalArchive(home), EmptyCorpus(), task, indoors, AT_ONCE)


def test_fifty_recorded_runs_replay_to_the_byte(quick: Path) -> None:
    home = Home(quick / "home")
    home.prepare()
    troubles: list[ResearchError] = [
        ProviderBusy("claude", "overloaded"),
        ProviderSilent("claude", "no answer"),
        RequestRefused("claude", "too long"),
        ProviderAway("claude", "nobody there"),
    ]
    for number in range(50):
        script: list[dict[str, Any] | ResearchError] = list(SCRIPT)
        if number % 5:
            script.insert(number % 3, troubles[number % 4])
        wishes = {"max_iterations": 1 + number % 5, "token_budget": 2_000 + 500 * (number % 20)}
        task = enter(home, question=f"{QUESTION} ({number})", constraints=wishes)
        run_indoors(home, task, Indoors(PAGES, script))
        result_of(home, task)
        comparison = replay(home, task)
        assert comparison.differences == [] and comparison.facts > 10


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_boundary_it_ends_the_same_and_repeats_no_answered_call(
    quick: Path, point: str
) -> None:
    base = Home(quick / "base")
    base.prepare()
    task = enter(base)
    reference = Home(shutil.copytree(base.root, quick / "reference"))
    start = appended(reference)
    run_indoors(reference, task, Indoors(PAGES, SCRIPT, quick / "ledger"))
    wanted, boundaries = outcome(reference, task), appended(reference) - start
    assert boundaries > 30 and max(served(quick / "ledger").values()) == 1

    for write in writes(boundaries, point):
        home = Home(shutil.copytree(base.root, quick / f"{point}{write}"))
        ledger = quick / f"ledger-{point}{write}"
        work = partial(run_indoors, home, task, Indoors(PAGES, SCRIPT, ledger))
        assert not run_killed(work, Kill(write, point))
        before = kept(home)
        assert run_killed(work, None)

        assert outcome(home, task) == wanted
        check_nothing_answered_was_asked_again(home, task, served(ledger), point)
        after = kept(home)
        assert all(after[stream][: len(lines)] == lines for stream, lines in before.items())
        assert verify_home(home.root).faults == []
        shutil.rmtree(home.root)


def check_nothing_answered_was_asked_again(
    home: Home, task: str, served: Counter[str], point: str
) -> None:
    """An answer that was recorded is never asked for again; one that was lost on the way may be.

    Pages that are out side by side can be lost together.
    """
    answered = Counter(
        record.data["call"]
        for record in home.read(f"{task}.r1")[0]
        if record.kind in {"call_answered", "call_failed"}
    )
    assert max(answered.values()) == 1
    again = Counter(what.partition(" ")[0] for what, times in served.items() if times > 1)
    assert again["message"] + again["search"] <= (point != "after"), again
    assert again["fetch"] <= 2, again


def served(ledger: Path) -> Counter[str]:
    return Counter(ledger.read_text().splitlines()) if ledger.exists() else Counter()


def appended(home: Home) -> int:
    """Decisions in the whole home: so many boundaries there are to die at."""
    return sum(
        1
        for path in home.traces.glob("*.jsonl")
        for record in home.read(path.stem)[0]
        if not record.left
    )


def kept(home: Home) -> dict[str, list[str]]:
    return {
        path.stem: [record.hash for record in home.read(path.stem)[0]]
        for path in home.traces.glob("*.jsonl")
    }


def outcome(home: Home, task: str) -> list[Any]:
    """What the work noted, without what depends on when and how often it was interrupted."""
    passing = {"stream_claimed", "tail_cut", "call_asked", "call_answered", "call_failed"}
    noted = [record.data for record in home.read(f"{task}.r1")[0] if record.kind not in passing]
    return [noted, result_of(home, task)]
