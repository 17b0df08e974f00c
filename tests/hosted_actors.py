"""Actors in threads of this process, with disks and crews that fail."""

import errno
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from actors import hosts
from actors.archive import LocalArchive
from actors.hosts import ResearcherHost
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.opened import OpenedCorpus
from actors.ports import Parsed, Passage
from actors.researcher import Report, Researcher
from events import stream as streams
from events.catalogue import Brief
from events.codec import Record
from events.errors import (
    DiskFull,
    EngineDown,
    HomeUnwritable,
    ResearchError,
    StreamBusy,
)
from events.home import Home
from events.stream import EventStream
from events.task import ResearcherAssigned
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from tests.waiting import until

PATIENCE = 30.0
PASSING = [
    DiskFull("/home"),
    HomeUnwritable("/home", "Read-only file system"),
    StreamBusy("s", 10.0),
    EngineDown("home-keeper", "it is being restarted"),
]


class Died(BaseException):
    """The process ended."""


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts wait for hours if need be; here an hour is a millisecond."""
    sleep = time.sleep
    monkeypatch.setattr(hosts, "time", SimpleNamespace(sleep=lambda _: sleep(0.001)))
    monkeypatch.setattr(hosts, "TICK", 0.01)


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The codes with which the process would have ended; the thread that did so goes no further."""
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        if threading.current_thread() is threading.main_thread():
            raise Died

    monkeypatch.setattr(hosts, "os", SimpleNamespace(_exit=end, getpid=lambda: 1))
    return codes


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Lets so many writes to streams through, then fails so many, then lets all through again."""
    write, left = streams._write_all, {"before": 0, "failing": 0}

    def writing(descriptor: int, raw: bytes) -> None:
        if left["before"]:
            left["before"] -= 1
        elif left["failing"]:
            left["failing"] -= 1
            write(descriptor, raw[: len(raw) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(descriptor, raw)

    def arm(before: int, failing: int) -> None:
        left.update(before=before, failing=failing)

    monkeypatch.setattr(streams, "_write_all", writing)
    yield arm
    assert left["failing"] == 0, "the disk was never full"


class FlakyArchive(LocalArchive):
    """The files, with trouble when a stream is claimed."""

    def __init__(self, home: Home, *troubles: ResearchError) -> None:
        super().__init__(home)
        self.troubles = list(troubles)

    def claim(self, stream: str, writer: str) -> tuple[EventStream, list[Record]]:
        if self.troubles:
            raise self.troubles.pop(0)
        return super().claim(stream, writer)


class Crew:
    """Does what it is sent to do on the spot, and keeps the reports until somebody delivers them."""

    def __init__(self, home: Home) -> None:
        self._archive = LocalArchive(home)
        self._corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
        self.idle = False
        self.reports: list[Report] = []
        self.stopped: list[str] = []
        self.dismissed: list[str] = []
        self.gone: list[tuple[str, str]] = []

    def send(self, task: str, assignment: ResearcherAssigned) -> None:
        if not self.idle:
            brief = self._archive.brief(task)
            name, kind = assignment.researcher, assignment.researcher_kind
            made = Researcher(self._archive, self._corpus, name, kind, assignment.question, brief)
            self.reports.append(made.run())

    def stop(self, researcher: str) -> None:
        self.stopped.append(researcher)

    def dismiss(self, researcher: str) -> None:
        self.dismissed.append(researcher)

    def lost(self) -> list[tuple[str, str]]:
        gone, self.gone = self.gone, []
        return gone


class Gate:
    """A corpus and a parser that answer only when they are let."""

    def __init__(self, home: Home) -> None:
        self._corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
        self.asked, self.open = threading.Event(), threading.Event()

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        self._wait()
        return self._corpus.search(query, limit, collections, among)

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return self._corpus.likeness(question, texts)

    def parse(self, name: str, raw: bytes) -> Parsed:
        self._wait()
        return AnyParser().parse(name, raw)

    def _wait(self) -> None:
        self.asked.set()
        assert self.open.wait(PATIENCE)


@pytest.fixture
def library(tmp_path: Path) -> list[str]:
    (tmp_path / "library").mkdir()
    files = {name: tmp_path / "library" / f"{name}.md" for name in ("tides", "mills")}
    files["tides"].write_text("# Tides\n\nTides are caused by the pull of the Moon and the Sun.\n")
    files["mills"].write_text("# Mills\n\nA tide mill stores the tide behind a dam.\n")
    return [str(path) for path in files.values()]


@pytest.fixture
def task(home: Home, library: list[str]) -> str:
    """A task that was accepted, over a corpus that has something to say."""
    archive = LocalArchive(home)
    job, _ = archive.catalogue.enter_job("c", library)
    IngestJob(archive, AnyParser(), open_letters, job).run()
    return archive.catalogue.enter_task(Brief(question="What causes tides?"))[0]


def kinds(home: Home, stream: str) -> list[str]:
    passing = {"stream_claimed", "tail_cut"}
    return [r.kind for r in home.read(stream)[0] if r.kind not in passing]


def outcome(home: Home, name: str) -> str | None:
    return LocalArchive(home).catalogue.state().entries[name].ended


def research_here(home: Home, task: str) -> list[Report]:
    """Run the task's researcher in a host, to its end."""
    reports: list[Report] = []
    corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
    name, question = f"{task}.r1", "What causes tides?"
    archive = LocalArchive(home)
    ResearcherHost(archive, corpus, name, "corpus", question, task, reports.append)
    until(lambda: reports)
    return reports


def idle_crew(home: Home) -> Crew:
    crew = Crew(home)
    crew.idle = True
    return crew
