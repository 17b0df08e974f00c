"""The real engine on a real Ray head: what is killed, frozen or lost changes nothing in the end."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from actors.hosts import LAST
from actors.processes import ray_folder
from actors.waking import read_state
from events.errors import StaleWriter
from projections.results import NoResult
from tests.engines import QUESTION, RealEngine
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealEngine]:
    engine = RealEngine(tmp_path_factory.mktemp("engine") / "a home of mine, größer")
    engine.up()
    engine.ingest_samples()
    yield engine
    engine.down()


@pytest.fixture(scope="module")
def reference(engine: RealEngine) -> str:
    """The report of an undisturbed research."""
    engine.pace(0)
    task = engine.ask()
    assert engine.end_of(task).phase == "completed"
    return engine.report(task)


def test_a_researcher_killed_again_and_again_reports_what_it_would_have(
    engine: RealEngine, reference: str
) -> None:
    engine.pace(0.4)
    task = engine.ask()
    kills = 0
    for lines in (2, 4, 6, 9, 12, 15):
        kills += engine.kill_writer_at(f"{task}.r1", lines)
    assert kills >= 3
    seen = engine.end_of(task)
    assert seen.phase == "completed"
    assert seen.restarts >= 3
    assert engine.report(task) == reference
    engine.check_nothing_repeated()
    engine.check_record()


def test_a_task_killed_at_random_moments_ends_as_it_would_have(
    engine: RealEngine, reference: str
) -> None:
    engine.pace(0.5)
    chance = random.Random(7)
    task = engine.ask()
    until(lambda: engine.lines(task) >= 2)
    for _ in range(3):
        time.sleep(chance.uniform(0, 0.6))
        try:
            os.kill(engine.writer(task), signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert engine.end_of(task).phase == "completed"
    assert engine.report(task) == reference
    engine.check_nothing_repeated()
    engine.check_record()


def test_researchers_share_one_open_corpus_and_do_without_it_when_it_is_killed(
    engine: RealEngine, reference: str
) -> None:
    engine.pace(2)
    task = engine.ask()
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    [keeper] = [pid for pid in engine.processes() if _title(pid).startswith("ray::KeeperActor")]
    os.kill(keeper, signal.SIGKILL)
    engine.pace(0)
    assert engine.end_of(task).phase == "completed"
    assert engine.report(task) == reference
    engine.check_record()


def _title(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return ""


def test_a_cancel_reaches_a_task_in_the_middle_of_a_call(engine: RealEngine) -> None:
    engine.pace(60)
    task = engine.ask()
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    engine.core.cancel(task)
    seen = engine.end_of(task, 20)
    engine.pace(0)
    assert seen.phase == "cancelled"
    kinds = [record.kind for record in engine.home.read(task)[0]]
    assert kinds[-1] == "task_cancelled"
    engine.check_record()


def test_a_frozen_actor_is_replaced_and_refused_when_it_thaws(
    engine: RealEngine, reference: str
) -> None:
    from actors.archive import LocalArchive
    from actors.inline import run_task
    from actors.opened import OpenedCorpus
    from tests.emulators import SlowCorpus

    engine.pace(2)
    task = engine.ask()
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    frozen = engine.writer(f"{task}.r1"), engine.writer(task)
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    engine.pace(0)
    corpus = OpenedCorpus(SlowCorpus(str(engine.home.root)))
    try:
        run_task(LocalArchive(engine.home), corpus, task)
    except (
        StaleWriter
    ):  # Ray has replaced the researcher as well; once that one is done, its task goes on here.
        until(lambda: engine.home.read(f"{task}.r1")[0][-1].kind == "research_finished")
        run_task(LocalArchive(engine.home), corpus, task)
    ended = engine.end_of(task)
    assert not {engine.writer(f"{task}.r1"), engine.writer(task)} & {*frozen}
    after = {path: path.read_bytes() for path in engine.home.traces.glob(f"{task}*.jsonl")}
    for pid in frozen:
        with suppress(ProcessLookupError):  # On a slow machine the engine has ended it by now.
            os.kill(pid, signal.SIGCONT)
    time.sleep(3)
    engine.pace(0)
    assert ended.phase == "completed"
    assert {path: path.read_bytes() for path in after} == after
    assert engine.report(task) == reference
    engine.check_record()


def test_a_task_whose_record_is_broken_is_left_alone_and_others_go_on(engine: RealEngine) -> None:
    engine.pace(30)
    task = engine.ask()
    until(lambda: engine.core.views.status(task).calls_asked == 1)
    path = engine.home.path(task)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"task_accepted"', b'"task_adopted_"'))
    os.kill(_pid(whole), signal.SIGKILL)
    engine.pace(0)
    until(lambda: _quarantined(engine, task))
    other = engine.ask("What are spring tides?")
    assert engine.end_of(other).phase == "completed"
    with pytest.raises(NoResult, match="broken_chain"):
        engine.core.views.result(task)
    assert [fault.file for fault in engine.faults()] == [f"traces/{path.name}"]
    path.write_bytes(whole)
    engine.core.views.rebuild()
    assert engine.core.views.status(task).phase == "quarantined"
    engine.check_record()


def _pid(trace: bytes) -> int:
    import json

    return int(json.loads(trace.splitlines()[0])["event"]["pid"])


def _quarantined(engine: RealEngine, task: str) -> bool:
    return engine.core.catalogue.state().entries[task].ended == "quarantined"


def test_many_tasks_at_once_all_finish_and_few_run_at_a_time(engine: RealEngine) -> None:
    engine.pace(0)
    tasks = [engine.ask(f"What is known about tides, take {number}?") for number in range(9)]
    most = 0
    while not all(engine.core.views.status(task).ended for task in tasks):
        running = [t for t in tasks if engine.core.views.status(t).phase == "running"]
        most = max(most, len(running))
        time.sleep(0.1)
    assert {engine.core.views.status(task).phase for task in tasks} == {"completed"}
    assert most <= engine.options.max_running
    engine.check_record()


def test_documents_are_taken_in_behind_whoever_waits_for_an_answer(
    engine: RealEngine, tmp_path: Path
) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\nParagraph {number} of many.\n" * 9)
    job, _ = engine.core.start_ingest(str(tmp_path), "many", recursive=False)
    until(lambda: engine.lines(job) > 1)
    assert os.getpriority(os.PRIO_PROCESS, engine.writer(job)) == LAST
    assert list(engine.core.follow_job(job, PATIENCE))[-1].phase == "completed"


def test_a_rival_package_in_the_clients_folder_does_no_harm(
    engine: RealEngine, tmp_path: Path
) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "__init__.py").write_text("raise SystemExit('the rival was imported')")
    command = [str(Path(sys.executable).parent / "research-agent"), "research", QUESTION]
    environment = dict(os.environ) | {"RESEARCH_AGENT_HOME": str(engine.home.root)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"Citations" in done.stdout


@pytest.mark.parametrize("storage", ["kept", "deleted"])
def test_the_whole_head_killed_unfinished_work_goes_on_with_the_next_call(
    engine: RealEngine, reference: str, storage: str
) -> None:
    engine.pace(1.0)
    task = engine.ask()
    until(lambda: engine.core.views.status(task).calls_asked >= 1)
    engine.kill_everything()
    until(lambda: read_state(engine.home.root) is None)
    if storage == "deleted":
        shutil.rmtree(ray_folder(engine.home.root), ignore_errors=True)
    assert engine.core.views.status(task).phase == "running", "reading needs no engine"
    engine.wake()
    assert engine.end_of(task).phase == "completed"
    assert engine.report(task) == reference
    engine.check_nothing_repeated()
    engine.check_record()
