"""Further researchers as actors of their own on a real Ray head."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.replay import replay
from contracts.evidence.verifying import verify_research
from contracts.research.calls import assigned, brief_for
from contracts.research.continuing import start_continuation
from tests.engines import RealEngine
from tests.orchestrated_tasks import LIBRARY
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RealEngine]:
    folder = tmp_path / "library"
    folder.mkdir()
    for name, text in LIBRARY.items():
        (folder / name).write_text(text)
    engine = RealEngine(tmp_path / "home")
    engine.up()
    job, _ = engine.core.start_ingest(str(folder), "library", recursive=False)
    assert list(engine.core.follow_job(job, PATIENCE))[-1].phase == "completed"
    yield engine
    engine.down()


def test_a_further_researcher_that_is_killed_reports_within_its_own_limits(
    engine: RealEngine,
) -> None:
    engine.pace(0.2)
    brief = brief_for("How much electricity is made?", depth="deep")
    task, _ = engine.core.start_research(assigned(engine.core, brief))
    assert engine.kill_writer_at(f"{task}.r2", 3)
    engine.pace(0)
    seen = engine.end_of(task)
    assert seen.phase == "completed" and len(seen.researchers) > 1 and seen.restarts > 0
    assert seen.progress == 100
    [_, sent, *_] = [r.data for r in engine.home.read(task)[0] if r.kind == "researcher_assigned"]
    told = engine.core.views.result(task).result["researchers"][1]
    assert told["iterations_run"] <= sent["dispatch"]["share"]["rounds"]
    assert verify_research(engine.home, task).verified
    assert replay(engine.home, task).differences == []
    new = start_continuation(engine.core, task, 9_000, "What do oak gates do?")
    assert engine.end_of(new).phase == "completed"
    assert verify_research(engine.home, new).verified
    assert replay(engine.home, new).differences == []
    engine.check_record()
