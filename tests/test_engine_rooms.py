"""Whom the engine lets work, and whom it tells to stop, by the record alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.engine import Engine
from actors.runtime import Running, Wiring
from events.catalogue import Brief
from events.home import Home
from events.research import AssignmentTaken, JobCreated
from events.task import ResearcherAssigned, TaskAccepted

GEMINI_LATER = Brief(
    question="q?", researcher="corpus", depth="deep", available=("gemini", "corpus")
)
GEMINI, CORPUS = Brief(question="q?", researcher="gemini"), Brief(question="q?")


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
    monkeypatch.setattr("actors.engine.runtime.start_task", lambda *_: Deaf())
    monkeypatch.setattr("actors.engine.runtime.start_job", lambda *_: Deaf())
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


def test_who_did_not_hear_that_it_is_to_stop_is_told_again(
    engine: Engine, archive: LocalArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_keep_home_for_others", lambda: None)
    monkeypatch.setattr(engine, "_warm_up", lambda: None)
    task, _ = archive.catalogue.enter_task(CORPUS)
    engine.look()
    archive.catalogue.request_cancel(task, save_partial=True)
    for _ in range(3):
        engine.look()
    actor = running(engine)[task]
    assert isinstance(actor, Deaf)
    assert actor.told == [("stop", "cancelled", True)] * 3


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
