"""What keeps an actor's work going: patience with the disk, and an end for what must not go on."""

import errno
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from actors import hosts
from actors.archive import LocalArchive
from actors.hosts import VAIN_STARTS, IngestHost, ResearcherHost, TaskHost
from actors.ingest import IngestJob
from actors.opened import OpenedCorpus
from actors.parsing import AnyParser
from actors.ports import Parsed, Passage
from actors.researcher import Report, Researcher
from events import stream as streams
from events.base import Blob
from events.catalogue import Brief
from events.codec import Record
from events.errors import (
    DiskFull,
    EngineDown,
    HomeUnwritable,
    Poisoned,
    ResearchError,
    StreamBusy,
)
from events.home import Home
from events.stream import EventStream
from events.task import ResearcherAssigned
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from traces.verify import verify_home

PATIENCE = 30.0
PASSING = [
    DiskFull("/home"),
    HomeUnwritable("/home", "Read-only file system"),
    StreamBusy("s", 10.0),
    EngineDown("home-keeper", "it is being restarted"),
]


def until(true: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


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

    def search(self, query: str, limit: int, collections: tuple[str, ...] | None) -> list[Passage]:
        self._wait()
        return self._corpus.search(query, limit, collections)

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


# -- patience -------------------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", PASSING, ids=lambda trouble: trouble.code)
def test_trouble_that_passes_only_delays_a_start(
    home: Home, library: list[str], trouble: ResearchError
) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    archive = FlakyArchive(home, *[trouble] * 5)
    IngestHost(archive, AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    assert archive.troubles == []
    assert outcome(home, job) == "completed"


@pytest.mark.parametrize("before", range(12))
def test_a_disk_that_fills_up_only_delays_an_ingest(
    home: Home, library: list[str], full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    full_disk(before=before, failing=3)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    done = [r.data["outcome"] for r in home.read(job)[0] if r.kind == "file_done"]
    assert done == ["added", "added"]
    assert exits == []
    assert verify_home(home.root).faults == []


@pytest.mark.parametrize("before", range(8))
def test_a_disk_that_fills_up_only_delays_a_researcher(
    home: Home, task: str, full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    # The researcher's stream is named by its task's.
    TaskHost(LocalArchive(home), _idle(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    full_disk(before=before, failing=3)
    (report,) = research_here(home, task)
    assert report.failure is None
    assert kinds(home, f"{task}.r1")[-1] == "research_finished"
    assert exits == []
    assert verify_home(home.root).faults == []


def _idle(home: Home) -> Crew:
    crew = Crew(home)
    crew.idle = True
    return crew


@pytest.mark.parametrize("before", range(4))
def test_a_disk_that_fills_up_only_delays_a_task(
    home: Home, task: str, full_disk: Callable[..., None], exits: list[int], before: int
) -> None:
    TaskHost(LocalArchive(home), _idle(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    (report,) = research_here(home, task)
    full_disk(before=before, failing=3)
    host = TaskHost(LocalArchive(home), _idle(home), task)
    # As a researcher delivers, and as Ray starts an actor again that ended itself.
    while outcome(home, task) is None:
        try:
            host.collect(report)
        except ResearchError:
            time.sleep(0.001)
        except Died:
            host = TaskHost(LocalArchive(home), _idle(home), task)
    assert outcome(home, task) == "completed"
    assert kinds(home, task) == [
        *("task_accepted", "researcher_assigned", "researcher_reported", "task_concluded")
    ]
    assert verify_home(home.root).faults == []


def test_content_that_finds_no_room_only_delays_an_ingest(
    home: Home, library: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    troubles = [DiskFull("blobs")] * 3
    put = LocalArchive.put

    def putting(archive: LocalArchive, content: bytes) -> Blob:
        if troubles:
            raise troubles.pop()
        return put(archive, content)

    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    monkeypatch.setattr(LocalArchive, "put", putting)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: outcome(home, job))
    done = [r.data["outcome"] for r in home.read(job)[0] if r.kind == "file_done"]
    assert done == ["added", "added"]


# -- vain starts ----------------------------------------------------------------------------------


def test_an_actor_that_died_three_times_while_starting_is_not_started_again(home: Home) -> None:
    archive, tries = LocalArchive(home), []

    def die() -> None:
        tries.append(1)
        raise ZeroDivisionError

    for _ in range(VAIN_STARTS):
        with pytest.raises(ZeroDivisionError):
            hosts.start(archive, "s", die)
    with pytest.raises(Poisoned, match="died each time"):
        hosts.start(archive, "s", die)
    assert len(tries) == VAIN_STARTS == 3


def test_a_start_that_succeeds_makes_the_vain_ones_forgotten(home: Home) -> None:
    archive = LocalArchive(home)

    def die() -> None:
        raise ZeroDivisionError

    for _ in range(3):
        for _ in range(VAIN_STARTS - 1):
            with pytest.raises(ZeroDivisionError):
                hosts.start(archive, "s", die)
        assert hosts.start(archive, "s", lambda: "made") == "made"


def test_waiting_for_the_disk_is_no_vain_start(home: Home) -> None:
    archive, troubles = LocalArchive(home), [DiskFull("x")] * 20

    def make() -> str:
        if troubles:
            raise troubles.pop()
        return "made"

    assert hosts.start(archive, "s", make) == "made"
    assert archive.arriving("s") == 0


def test_one_poisoned_stream_does_not_keep_others_from_starting(home: Home) -> None:
    archive = LocalArchive(home)
    for _ in range(VAIN_STARTS):
        archive.arriving("bad")
    with pytest.raises(Poisoned):
        hosts.start(archive, "bad", lambda: None)
    assert hosts.start(archive, "good", lambda: "made") == "made"


def test_the_refusal_survives_the_way_through_ray() -> None:
    again = pickle.loads(pickle.dumps(Poisoned("s")))
    assert (again.code, str(again)) == ("poisoned", str(Poisoned("s")))


# -- stale writers --------------------------------------------------------------------------------


def take_over(home: Home, stream: str) -> None:
    EventStream.claim(home.path(stream), "a newer one")[0].close()


def test_a_task_whose_stream_was_taken_over_ends_its_process(
    home: Home, task: str, exits: list[int]
) -> None:
    host = TaskHost(LocalArchive(home), _idle(home), task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    take_over(home, task)
    before = home.path(task).read_bytes()
    with pytest.raises(Died):
        host.stop("cancelled", save_partial=True)
    assert exits == [1]
    assert home.path(task).read_bytes() == before
    host._task.ended.set()


def test_a_researcher_whose_stream_was_taken_over_ends_its_process(
    home: Home, task: str, exits: list[int]
) -> None:
    gate, reports = Gate(home), list[Report]()
    name, question = f"{task}.r1", "What causes tides?"
    archive = LocalArchive(home)
    ResearcherHost(archive, gate, name, "corpus", question, task, reports.append)
    assert gate.asked.wait(PATIENCE)
    take_over(home, name)
    before = home.path(name).read_bytes()
    gate.open.set()
    until(lambda: exits)
    assert exits == [1]
    assert reports == []
    assert home.path(name).read_bytes() == before


def test_an_ingest_whose_stream_was_taken_over_ends_its_process(
    home: Home, library: list[str], exits: list[int]
) -> None:
    gate = Gate(home)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    IngestHost(LocalArchive(home), gate, open_letters, job)
    assert gate.asked.wait(PATIENCE)
    take_over(home, job)
    before = home.path(job).read_bytes()
    gate.open.set()
    until(lambda: exits)
    assert exits == [1]
    assert home.path(job).read_bytes() == before
    assert LocalArchive(home).catalogue.state().published == {}


def test_work_that_fails_in_an_unforeseen_way_ends_its_process_instead_of_lingering(
    home: Home, library: list[str], exits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(job: IngestJob) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(IngestJob, "run", fail)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    IngestHost(LocalArchive(home), AnyParser(), open_letters, job)
    until(lambda: exits)
    assert exits == [1]


# -- researchers that do not come back ------------------------------------------------------------


def test_a_task_ends_the_stream_of_a_researcher_that_is_lost_and_fails_with_its_reason(
    home: Home, task: str
) -> None:
    crew = _idle(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    crew.gone = [(f"{task}.r1", "out of memory")]
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "failed"
    assert kinds(home, f"{task}.r1") == ["research_stopped"]
    failed = home.read(task)[0][-1].data
    assert (failed["code"], failed["message"]) == ("researcher_lost", "out of memory")
    assert verify_home(home.root).faults == []


def test_a_researcher_that_was_lost_after_its_report_was_written_still_counts(
    home: Home, task: str
) -> None:
    crew = _idle(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    research_here(home, task)
    crew.gone = [(f"{task}.r1", "out of memory")]
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "completed"


def test_a_task_whose_researchers_record_is_broken_fails_and_says_where(
    home: Home, task: str
) -> None:
    crew = _idle(home)
    TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    research_here(home, task)
    path = home.path(f"{task}.r1")
    path.write_bytes(path.read_bytes().replace(b"assignment_taken", b"assignment_token"))
    crew.gone = [(f"{task}.r1", "it cannot start")]
    until(lambda: outcome(home, task))
    failed = home.read(task)[0][-1].data
    assert (outcome(home, task), failed["code"]) == ("failed", "broken_chain")
    assert "r1.jsonl, line 2" in failed["message"]


# -- stopping -------------------------------------------------------------------------------------


def test_a_task_told_to_stop_ends_also_when_its_researcher_does_not(
    home: Home, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.task.PATIENCE", 0.05)
    crew = _idle(home)
    host = TaskHost(LocalArchive(home), crew, task)
    until(lambda: "researcher_assigned" in kinds(home, task))
    host.stop("cancelled", save_partial=True)
    until(lambda: outcome(home, task))
    assert outcome(home, task) == "cancelled"
    assert crew.stopped == [f"{task}.r1"]
    assert f"{task}.r1" in crew.dismissed
    assert verify_home(home.root).faults == []


def test_a_researcher_told_to_stop_in_the_middle_of_a_call_reports_at_once(
    home: Home, task: str
) -> None:
    gate, reports = Gate(home), list[Report]()
    name, question = f"{task}.r1", "What causes tides?"
    archive = LocalArchive(home)
    host = ResearcherHost(archive, gate, name, "corpus", question, task, reports.append)
    assert gate.asked.wait(PATIENCE)
    host.stop()
    until(lambda: reports)
    gate.open.set()
    assert reports[0].failure == "call_cut"
    assert kinds(home, name)[-1] == "research_stopped"


def test_a_stop_is_not_forgotten_while_the_disk_is_full(
    home: Home, library: list[str], full_disk: Callable[..., None]
) -> None:
    gate = Gate(home)
    job, _ = LocalArchive(home).catalogue.enter_job("c", library)
    host = IngestHost(LocalArchive(home), gate, open_letters, job)
    assert gate.asked.wait(PATIENCE)
    full_disk(before=0, failing=4)
    host.stop("cancelled", save_partial=True)
    until(lambda: outcome(home, job))
    gate.open.set()
    assert outcome(home, job) == "cancelled"
