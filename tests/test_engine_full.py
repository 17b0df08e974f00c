"""The long crash matrix: hundreds of SIGKILLs at random moments, against everything that can be killed."""

import os
import random
import time
from pathlib import Path

import pytest

from actors.waking import read_state
from tests.engines import SAMPLES, RealEngine, kill
from tests.waiting import until

pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.timeout(5400)]

KILLS = int(os.environ.get("CRASH_KILLS", "200"))
SEED = int(os.environ.get("CRASH_SEED", "20261116"))
SCOPE = ("samples",)
"""What is asked of: other collections grow meanwhile, and with them what would be found in all."""

QUESTIONS = (
    "How do tides generate electricity, and how much power does the largest station produce?",
    "What are spring tides, and why do neap tides differ?",
    "What did the barrage at La Rance do to the estuary?",
)


def test_hundreds_of_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    engine = RealEngine(tmp_path / "home")
    engine.up()
    try:
        engine.ingest_samples()
        references = {}
        for question in QUESTIONS:
            task = engine.ask(question, SCOPE)
            assert engine.end_of(task).phase == "completed"
            references[question] = engine.report(task)
        engine.pace(0.5)
        done = asked = 0
        while done < KILLS:
            asked += 1
            question = chance.choice(QUESTIONS)
            task = engine.ask(question, SCOPE)
            job, _ = engine.core.start_ingest(str(SAMPLES), f"c{asked}", recursive=False)
            while not _ended(engine, task, job):
                # Long enough to get somewhere: many tasks and jobs are to be hit, not one of them all the time.
                time.sleep(chance.uniform(0.05, 2.5))
                done += _kill_something(engine, chance, task, job)
            assert engine.core.views.status(task).phase == "completed", f"seed {SEED}"
            assert engine.report(task) == references[question]
            seen = engine.core.views.job(job)
            assert (seen.phase, seen.added) == ("completed", len(list(SAMPLES.glob("*.md"))))
        engine.check_nothing_repeated()
        engine.check_record()
    finally:
        engine.down()


def _ended(engine: RealEngine, task: str, job: str) -> bool:
    engine.wake()
    return engine.core.views.status(task).ended and engine.core.views.job(job).ended


def _kill_something(engine: RealEngine, chance: random.Random, task: str, job: str) -> int:
    what = chance.choices(["task", "researcher", "job", "engine", "everything"], [8, 8, 8, 2, 1])[0]
    if what == "everything":
        engine.kill_everything()
        until(lambda: read_state(engine.home.root) is None)
        return 1
    if what == "engine":
        state = read_state(engine.home.root)
        return int(bool(state and state.engine and kill(state.engine)))
    stream = {"task": task, "researcher": f"{task}.r1", "job": job}[what]
    claims = [r for r in engine.home.read(stream)[0] if r.kind == "stream_claimed"]
    entry = engine.core.catalogue.state().entries
    if not claims or (stream in entry and entry[stream].ended):
        return 0
    return int(kill(int(claims[-1].data["pid"])))
