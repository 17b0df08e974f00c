"""Whom the engine lets work, and whom it tells to stop, by the record alone."""

import errno
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.engine import STARTS, Engine
from actors.ray_actors import Wiring
from actors.runtime import Running
from events.base import UnknownFact
from events.catalogue import Brief, TaskEntered
from events.errors import HomeUnwritable
from events.home import Home
from events.research import AssignmentTaken, JobCreated
from events.stream import EventStream
from events.task import ResearcherAssigned, TaskAccepted

GEMINI_LATER = Brief(
    question="q?", researcher="corpus", depth="deep", available=("gemini", "corpus")
)
GEMINI, CORPUS = Brief(question="q?", researcher="gemini"), Brief(question="q?")
CLAUDE = Brief(question="q?", researcher="claude")


class Deaf:
    """An actor that Ray is restarting: it neither hears anything nor is it dead."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def tell(self, *words: Any) -> None:
        self.told.append(words)

    def death(self) -> str | None:
        return None

    def dismiss(self) -> None:
        return


@pytest.fixture
def archive(tmp_path: Path) -> LocalArchive:
    home = Home(tmp_path / "home")
    home.prepare()
    return LocalArchive(home)


@pytest.fixture
def engine(archive: LocalArchive, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr("actors.engine.ray_actors.start_task", lambda *_: Deaf())
    monkeypatch.setattr("actors.engine.ray_actors.start_job", lambda *_: Deaf())
    monkeypatch.setattr("actors.engine.ray_actors.start_keeper", lambda *_: None)
    yield Engine(archive, Wiring(str(archive.home.root), "here"), limit=1, idle_s=1.0)


def running(engine: Engine) -> dict[str, Running]:
    return engine._running


def test_tasks_that_may_wait_for_a_provider_leave_room_for_the_others(
    engine: Engine, archive: LocalArchive
) -> None:
    away = [archive.catalogue.enter_task(brief)[0] for brief in (GEMINI, GEMINI_LATER, GEMINI)]
    here = [archive.catalogue.enter_task(CORPUS)[0] for _ in range(2)]
    engine.look(thorough=False)
    assert list(running(engine)) == [away[0], away[1], here[0]]


def test_tasks_that_wait_for_one_providers_key_leave_room_for_another_provider(
    engine: Engine, archive: LocalArchive
) -> None:
    both = Brief(question="q?", researcher="claude", depth="deep", available=("gemini", "claude"))
    entered = [
        archive.catalogue.enter_task(brief)[0] for brief in (GEMINI, GEMINI, GEMINI, both, CLAUDE)
    ]
    engine.look(thorough=False)
    assert list(running(engine)) == [entered[0], entered[1], entered[4]]


def test_who_did_not_hear_that_it_is_to_stop_is_told_again(
    engine: Engine, archive: LocalArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.engine.runtime.node_count", lambda: 1)
    monkeypatch.setattr(engine, "_warm_up", lambda: None)
    task, _ = archive.catalogue.enter_task(CORPUS)
    engine.look()
    archive.catalogue.request_cancel(task, save_partial=True)
    for _ in range(3):
        engine.look()
    actor = running(engine)[task]
    assert isinstance(actor, Deaf)
    assert actor.told == [("stop", "cancelled", True)] * 3


def spoil(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"epoch":1', b'"epoch":2'))


def forge(path: Path) -> None:
    EventStream.claim(path, "a forger")[0].append(
        UnknownFact.model_validate({"kind": "task_accepted", "x": 1})
    )


@pytest.mark.parametrize("harm", [spoil, forge])
def test_a_cancelled_task_whose_record_is_broken_keeps_nobody_from_working(
    engine: Engine, archive: LocalArchive, harm: Callable[[Path], None]
) -> None:
    broken, _ = archive.catalogue.enter_task(CORPUS)
    archive.claim(broken, "research task")
    harm(archive.home.path(broken))
    archive.catalogue.request_cancel(broken, save_partial=True)
    other, _ = archive.catalogue.enter_task(CORPUS)
    engine.look(thorough=False)
    assert list(running(engine)) == [other]
    for _ in range(STARTS):
        engine.look(thorough=False)
    assert archive.catalogue.state().entries[broken].ended == "quarantined"


def test_a_brief_that_this_version_cannot_read_ends_no_engine(
    engine: Engine, archive: LocalArchive
) -> None:
    brief = archive.put(b'{"question":"q?","asked_in":"a later version"}')
    entered = TaskEntered(task="0" * 8, brief=brief, question="q?", researcher="gemini")
    archive.catalogue.decide(lambda state: [entered])
    other, _ = archive.catalogue.enter_task(CORPUS)
    engine.look(thorough=False)
    assert list(running(engine)) == [entered.task, other], "its actor will say what is wrong"


def test_a_task_that_was_read_and_then_taken_back_is_dismissed(
    engine: Engine, archive: LocalArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        engine.look(thorough=False)
        assert len(running(engine)) == 1, "what is not synced yet was read"
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("events.stream._sync", fail)
        with pytest.raises(HomeUnwritable):
            LocalArchive(archive.home).catalogue.enter_task(CORPUS)
    engine.look(thorough=False)
    assert running(engine) == {}


def test_a_job_that_a_further_researcher_has_at_a_provider_is_called_off_after_a_restart(
    engine: Engine, archive: LocalArchive
) -> None:
    task, _ = archive.catalogue.enter_task(GEMINI_LATER)
    stream, _ = archive.claim(task, "research task")
    stream.append(
        TaskAccepted(brief=GEMINI_LATER),
        ResearcherAssigned(researcher=f"{task}.r2", researcher_kind="gemini", question="z?"),
    )
    researcher, _ = archive.claim(f"{task}.r2", "gemini researcher")
    researcher.append(
        AssignmentTaken(researcher_kind="gemini", question="z?"),
        JobCreated(provider="gemini", interaction="i-1", model="m"),
    )
    archive.catalogue.request_cancel(task, save_partial=True)
    engine.look(thorough=False)
    assert task in running(engine), "somebody has to be there to call it off"
