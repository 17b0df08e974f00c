"""Tasks in which several researchers work, over the wire and in a library."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.budgeting import Member
from actors.findings import DiscoveryEvent, OpenQuestion
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from events.catalogue import Brief
from events.codec import decode
from events.home import Home
from events.task import LeadLeft, ResearcherAssigned
from tests.claude_world import teach
from tests.embedders import open_letters
from tests.emulator_claude import Wire, answer, sentence, wired
from tests.made_findings import made, member
from tests.test_crash_matrix import (
    CountedCorpus,
)

QUESTION = "How much electricity does the La Rance tidal power station generate each year?"
EVERYBODY = ("claude", "corpus", "gemini")


def brief(**wishes: Any) -> Brief:
    told = {"question": QUESTION, "researcher": "claude", "depth": "deep", "available": EVERYBODY}
    return Brief.model_validate(told | wishes)


def lead(query: str, suggested: str | None = "web", **members: Any) -> DiscoveryEvent:
    told = {"type": "new_source", "query": query, "reason": "It is cited.", "source_locator": None}
    return DiscoveryEvent.model_validate(told | {"suggested_researcher": suggested} | members)


def urgent(question: str, priority: str = "high") -> OpenQuestion:
    told = {"question": question, "context": "The pages differ.", "source_locator": None}
    return OpenQuestion.model_validate(told | {"priority": priority})


def first(kind: str = "claude", **members: Any) -> Member:
    return member("t.r1", kind, made(QUESTION, **members))


def sent(facts: list[Any]) -> list[tuple[str, str]]:
    return [
        (each.researcher_kind, each.question)
        for each in facts
        if isinstance(each, ResearcherAssigned)
    ]


def left(facts: list[Any]) -> list[str]:
    return [each.reason for each in facts if isinstance(each, LeadLeft)]


RANCE = "http://tides.example.gov/rance"
OTHER = "http://energy.example.org/tidal"


def html(title: str, text: str) -> str:
    filling = (
        f"<p>This page about {title.lower()} is one of many on the site of its makers.</p>" * 3
    )
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{filling}</body></html>"


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    teach(monkeypatch)
    with wired() as wire:
        wire.page(
            RANCE,
            html(
                "La Rance",
                "The La Rance tidal power station generates about 500 GWh of electricity each year.",
            ),
        )
        wire.page(
            OTHER,
            html(
                "Upkeep",
                "The turbines of the barrage are maintained by a crew of forty divers. "
                "The La Rance tidal power station generates about 540 GWh of electricity each year.",
            ),
        )
        yield wire


LEAD_ANSWER = answer(
    sentence(
        "The La Rance station generates about 500 GWh of electricity each year.",
        (
            "p1",
            "The La Rance tidal power station generates about 500 GWh of electricity each year.",
        ),
    ),
    gaps=[
        {
            "topic": "who maintains the turbines of the barrage",
            "category": "source_not_found",
            "detail": "No page says.",
        }
    ],
    open_questions=[
        {
            "question": "Who maintains the turbines of the barrage?",
            "context": "The page names nobody.",
            "priority": "high",
            "source": "p1",
        }
    ],
)
FURTHER_ANSWER = answer(
    sentence(
        "The turbines of the barrage are maintained by forty divers.",
        ("p1", "The turbines of the barrage are maintained by a crew of forty divers."),
    ),
    sentence(
        "The La Rance station generates about 540 GWh of electricity each year.",
        (
            "p1",
            "The La Rance tidal power station generates about 540 GWh of electricity each year.",
        ),
    ),
)


def enter(home: Home, **wishes: Any) -> str:
    told = {"available": ("claude",), "constraints": {"token_budget": 60_000}} | wishes
    return LocalArchive(home).catalogue.enter_task(brief(**told))[0]


def result_of(home: Home, task: str) -> dict[str, Any]:
    ended = home.read(task)[0][-1]
    assert ended.kind == "task_concluded", ended.data
    result: dict[str, Any] = decode(home.blobs.get(ended.data["result"]["hash"]))
    return result


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place in memory, where what is written need not be waited for."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=str(memory) if memory.is_dir() else None) as place:
        monkeypatch.setattr(tempfile, "tempdir", place)
        yield Path(place)


LIBRARY = {
    "station.md": "# The station\n\nThe Rance station generates 500 GWh of electricity a year. "
    "Its sluices are described by Harcourt (1988).\n",
    "harcourt.md": "# Harcourt on sluices\n\nHarcourt wrote in 1988. Harcourt describes the six sluices "
    "of the Rance station. The sluices follow Belmont (1961).\n",
    "belmont.md": "# Belmont on gates\n\nBelmont wrote in 1961 that gates of oak last. "
    "Belmont counts sluices of forty gates.\n",
}


def enter_library(home: Home, place: Path) -> str:
    archive = LocalArchive(home)
    for name, text in LIBRARY.items():
        (place / name).write_text(text)
    job, _ = archive.catalogue.enter_job("library", [str(place / name) for name in LIBRARY])
    IngestJob(archive, AnyParser(), open_letters, job).run()
    asked = Brief(question="How much electricity is made?", depth="deep", available=("corpus",))
    return archive.catalogue.enter_task(asked)[0]


def research(home: Home, task: str, ledger: Path) -> None:
    run_task(LocalArchive(home), CountedCorpus(home, ledger), task)


def lasting(home: Home, task: str) -> list[Any]:
    """What the streams of a task say of the work, without what interruptions leave behind."""
    passing = {"stream_claimed", "tail_cut", "call_asked", "call_answered", "call_failed"}
    return [
        [
            {k: v for k, v in record.data.items() if k not in {"seq", "head"}}
            for record in home.read(path.stem)[0]
            if record.kind not in passing
        ]
        for path in sorted(home.traces.glob(f"{task}*.jsonl"))
    ]
