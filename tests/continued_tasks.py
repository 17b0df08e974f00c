"""Tasks that are continued, against emulated providers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.replay import replay
from contracts.core import Core
from contracts.evidence.verifying import verify_research
from contracts.settings import Settings
from events.catalogue import Brief
from projections.views import Views
from tests.claude_world import AT_ONCE, EmptyCorpus, Outdoors, teach
from tests.embedders import open_letters
from tests.emulator_claude import Wire, answer, sentence, tool, using, wired
from tests.test_crash_matrix import CountedCorpus
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
