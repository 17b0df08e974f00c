"""A task's own overhead on a warm head, and fifty tasks at once: time, memory, all finished."""

import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from actors.waking import shut_down
from contracts.core import Core
from contracts.research.calls import brief_for
from contracts.settings import Settings

ROOT = Path(__file__).resolve().parent.parent

TASKS = 50
QUESTIONS = (
    "What are spring tides?",
    "How does a tide mill work?",
    "Why are there two tides a day?",
    "What did the barrage at La Rance do to the estuary?",
    "Where is the tidal range largest?",
    "How are tides predicted?",
    "What does a tidal stream turbine look like?",
    "Why was no barrage built across the Severn?",
)
"""About as many documents: what is compared with one was not with another."""


def engine_memory(home: Path) -> float:
    """Megabytes of everything the engine runs, shared pages counted once."""
    total = 0.0
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit() and b"RESEARCH_AGENT_HEAD=" in (path / "environ").read_bytes():
                lines = (path / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, ValueError):
            continue
    return total / 1024


PHASES = ("task actor claims", "researcher claims", "concluded")


def timed(core: Core, question: str) -> tuple[float, float, float]:
    """The phases of a research, after which the engine comes to rest."""
    task, _ = core.start_research(brief_for(question))
    list(core.follow(task))
    time.sleep(3)
    return phases(core, task)


def phases(core: Core, task: str) -> tuple[float, float, float]:
    """Seconds from acceptance to the task's start, its researcher's start, and its end."""
    seen = core.views.status(task)
    asked = datetime.fromisoformat(seen.asked_at)
    names = (task, f"{task}.r1")
    claims = [core.home.read(name)[0][0].at for name in names]
    ends = [*claims, seen.ended_at or ""]
    began, sent, ended = ((datetime.fromisoformat(at) - asked).total_seconds() for at in ends)
    return began, sent, ended


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as place:
        core = Core(Settings(home=Path(place) / "home"))
        try:
            job, _ = core.start_ingest(str(ROOT / "docs" / "samples"), "samples", recursive=False)
            list(core.follow_job(job))
            time.sleep(6)
            for said in ("first asked", "asked again"):
                rows = [timed(core, question) for question in QUESTIONS]
                medians = [statistics.median(column) for column in zip(*rows, strict=True)]
                sys.stdout.write(f"one task on a warm head, {said}, seconds after acceptance\n")
                for name, value in zip(PHASES, medians, strict=True):
                    sys.stdout.write(f"  {name:<18} {value:.2f}\n")
            idle = engine_memory(core.home.root)
            began = time.monotonic()
            tasks = [
                core.start_research(brief_for(f"What is known of tides, take {number}?"))[0]
                for number in range(TASKS)
            ]
            accepted = time.monotonic() - began
            most = idle
            while not all(core.views.status(task).ended for task in tasks):
                most = max(most, engine_memory(core.home.root))
                time.sleep(0.5)
            took = time.monotonic() - began
            good = sum(core.views.status(task).phase == "completed" for task in tasks)
            sys.stdout.write(
                f"{TASKS} tasks at once: accepted in {accepted:.2f} s, {good} completed in {took:.1f} s; "
                f"engine memory {idle:.0f} MB idle, {most:.0f} MB at most\n"
            )
        finally:
            shut_down(core.home.root, 60)


if __name__ == "__main__":
    main()
