"""The data home through its keeper: the same work, the same record, whoever answers."""

import pickle
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ray.exceptions import RayTaskError

from actors import ray_actors
from actors.archive import LocalArchive
from actors.catalogue_state import CatalogueState
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.keeper import Keeper, KeeperArchive, KeeperCorpus, KeeperWriter, SharedCorpus
from actors.opened import OpenedCorpus
from actors.ports import Archive, Corpus
from events.base import Fact
from events.catalogue import Brief
from events.codec import canonical
from events.errors import (
    DiskFull,
    EngineDown,
    MissingBlob,
    PathRefused,
    ResearchError,
    StaleWriter,
    UnknownTask,
)
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from traces.verify import verify_home

QUESTION = "What causes tides?"
TEXTS = {
    "tides.md": "# Tides\n\nTides are caused by the pull of the Moon and the Sun.\n",
    "mills.md": "# Mills\n\nA tide mill stores the tide behind a dam.\n",
    "blank.md": "\n",
    "paper.pdf": "%PDF-1.7",
}


class Line:
    """The way to a keeper as Ray has it: everything is pickled, and the keeper may be a new one."""

    def __init__(self, home: Home, fault: Callable[[int], str | None] = lambda call: None) -> None:
        self._home, self._fault = home, fault
        self.calls = 0

    def __call__(self, method: str, *arguments: Any) -> Any:
        self.calls += 1
        fault = self._fault(self.calls)
        if fault == "before":
            raise EngineDown("home-keeper", "it died before it heard")
        keeper = Keeper(LocalArchive(self._home), local_corpus(self._home))
        try:
            answer = getattr(keeper, method)(*pickle.loads(pickle.dumps(arguments)))
        except ResearchError as failure:
            if fault != "after":
                raise pickle.loads(pickle.dumps(failure)) from None
            answer = None
        if fault == "after":
            raise EngineDown("home-keeper", "it died before it answered")
        return pickle.loads(pickle.dumps(answer))


def local_corpus(home: Home) -> Corpus:
    return OpenedCorpus(open_letters_corpus(str(home.root)))


def ingest(archive: Archive, job: str) -> None:
    IngestJob(archive, AnyParser(), open_letters, job).run()


@pytest.fixture
def job(home: Home, tmp_path: Path) -> str:
    """A job that was accepted."""
    files = []
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        files.append(str(tmp_path / name))
    return LocalArchive(home).catalogue.enter_job("c", [*files, str(tmp_path / "missing.md")])[0]


@pytest.fixture
def task(home: Home, job: str) -> str:
    """A task that was accepted, over what the job brought in."""
    archive = LocalArchive(home)
    ingest(archive, job)
    return archive.catalogue.enter_task(Brief(question=QUESTION, depth="shallow"))[0]


def copied(home: Home, to: Path) -> Home:
    shutil.copytree(home.root, to)
    return Home(to)


def told(home: Home) -> dict[str, list[bytes]]:
    """What every stream says, without who wrote it, when, and how often he had to begin again."""
    passing = {"took_ms", "attempt", "seq", "head"}
    said: dict[str, list[bytes]] = {}
    for path in sorted(home.traces.glob("*.jsonl")):
        facts = [record.data for record in home.read(path.stem)[0]]
        lines = [
            canonical({k: v for k, v in fact.items() if k not in passing})
            for fact in facts
            if fact["kind"] not in {"stream_claimed", "tail_cut", "call_failed"}
            or fact.get("final")
        ]
        said[path.stem] = list(dict.fromkeys(lines))
    return said


# -- the same work, the same record ---------------------------------------------------------------


def test_an_ingest_through_the_keeper_is_recorded_as_a_local_one(
    home: Home, job: str, tmp_path: Path
) -> None:
    remote = copied(home, tmp_path / "remote")
    ingest(LocalArchive(home), job)
    ingest(KeeperArchive(Line(remote)), job)
    assert told(remote) == told(home)
    assert verify_home(remote.root).faults == []


def test_a_research_through_the_keeper_is_recorded_as_a_local_one(
    home: Home, task: str, tmp_path: Path
) -> None:
    remote = copied(home, tmp_path / "remote")
    run_task(LocalArchive(home), local_corpus(home), task)
    line = Line(remote)
    run_task(KeeperArchive(line), KeeperCorpus(line), task)
    assert told(remote) == told(home)
    assert home.read(task)[0][-1].kind == "task_concluded"
    assert verify_home(remote.root).faults == []


def test_what_the_keeper_keeps_the_files_have(home: Home) -> None:
    archive = KeeperArchive(Line(home))
    kept = archive.put(b"content")
    assert home.blobs.get(kept.hash) == b"content" == archive.get(kept.hash)


def test_vain_starts_are_counted_through_the_keeper_too(home: Home) -> None:
    archive = KeeperArchive(Line(home))
    assert [archive.arriving("s") for _ in range(3)] == [0, 1, 2]
    archive.arrived("s")
    assert LocalArchive(home).arriving("s") == 0


# -- refusals -------------------------------------------------------------------------------------


def test_refusals_arrive_as_themselves(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = KeeperArchive(Line(home))
    with pytest.raises(MissingBlob):
        archive.get("sha256:" + "0" * 64)
    with pytest.raises(UnknownTask):
        archive.brief("nobody")
    with pytest.raises(UnknownTask):
        archive.manifest("nobody")
    with pytest.raises(PathRefused, match="No such file"):
        archive.take_file("/nowhere/at-all.md")
    writer, _ = archive.claim("s", "a test")

    def full(self: EventStream, *_: object) -> None:
        raise DiskFull("/home")

    monkeypatch.setattr(EventStream, "_write", full)
    with pytest.raises(DiskFull):
        writer.append(step(1))


def step(number: int) -> StepTaken:
    return StepTaken(step=number, action="look", decision="because")


def test_a_writer_whose_stream_was_taken_over_is_refused(home: Home) -> None:
    archive = KeeperArchive(Line(home))
    first, _ = archive.claim("s", "the first")
    first.append(step(1))
    second, past = archive.claim("s", "the second")
    assert [record.kind for record in past] == ["stream_claimed", "step_taken", "stream_claimed"]
    before = home.path("s").read_bytes()
    with pytest.raises(StaleWriter):
        first.append(step(2))
    assert home.path("s").read_bytes() == before
    second.append(step(2))
    with pytest.raises(StaleWriter):
        first.append(step(3))


def test_a_local_writer_takes_over_from_a_remote_one_and_the_other_way_round(home: Home) -> None:
    remote, _ = KeeperArchive(Line(home)).claim("s", "remote")
    local, _ = LocalArchive(home).claim("s", "local")
    with pytest.raises(StaleWriter):
        remote.append(step(1))
    local.append(step(1))
    again, _ = KeeperArchive(Line(home)).claim("s", "remote")
    with pytest.raises(StaleWriter):
        local.append(step(2))
    again.append(step(2))
    assert home.read("s")[1].epoch == 3


def test_an_append_whose_answer_was_lost_is_not_done_twice(home: Home) -> None:
    line = Line(home, lambda call: "after" if call == 2 else None)
    writer, _ = KeeperArchive(line).claim("s", "a test")
    with pytest.raises(EngineDown):
        writer.append(step(1))
    with pytest.raises(StaleWriter):
        writer.append(step(1))
    assert [record.kind for record in home.read("s")[0]] == ["stream_claimed", "step_taken"]


def test_an_end_is_anchored_only_by_the_present_writer(home: Home, job: str) -> None:
    archive = KeeperArchive(Line(home))
    stale, _ = archive.claim(job, "the first")
    archive.claim(job, "the second")
    with pytest.raises(StaleWriter):
        archive.seal(stale, "completed")
    assert LocalArchive(home).catalogue.state().entries[job].ended is None


@pytest.mark.parametrize("made", [LocalArchive, lambda home: KeeperArchive(Line(home))])
def test_a_stream_that_is_over_is_only_read(
    home: Home, job: str, made: Callable[[Home], Archive]
) -> None:
    ingest(LocalArchive(home), job)
    before = home.path(job).read_bytes()
    writer, past = made(home).claim(job, "somebody who comes too late")
    assert past[-1].kind == "ingest_finished"
    assert writer.head.seq == past[-1].seq
    with pytest.raises(StaleWriter):
        writer.append(step(1))
    made(home).seal(writer, "completed")
    assert home.path(job).read_bytes() == before
    assert verify_home(home.root).faults == []


# -- keepers that die -----------------------------------------------------------------------------


def insist(work: Callable[[], None]) -> int:
    """Begin again from the record whenever the keeper was lost, as hosts do."""
    for times in range(10):
        try:
            work()
        except EngineDown:
            continue
        return times
    pytest.fail("it did not come to an end")


def calls_of(work: Callable[[Line], None], home: Home) -> int:
    line = Line(home)
    work(line)
    return line.calls


@pytest.mark.parametrize("fault", ["before", "after"])
def test_a_keeper_lost_at_any_call_of_an_ingest_changes_nothing(
    home: Home, job: str, tmp_path: Path, fault: str
) -> None:
    undisturbed = copied(home, tmp_path / "undisturbed")
    calls = calls_of(lambda line: ingest(KeeperArchive(line), job), undisturbed)
    for lost in range(1, calls + 1):
        remote = copied(home, tmp_path / f"lost-{lost}")
        line = Line(remote, lambda call, lost=lost: fault if call == lost else None)  # type: ignore[misc]
        assert insist(lambda line=line: ingest(KeeperArchive(line), job)) == 1  # type: ignore[misc]
        assert told(remote) == told(undisturbed), lost
        assert verify_home(remote.root).faults == []


@pytest.mark.parametrize("fault", ["before", "after"])
def test_a_keeper_lost_at_any_call_of_a_research_changes_nothing(
    home: Home, task: str, tmp_path: Path, fault: str
) -> None:
    def research(line: Line) -> None:
        run_task(KeeperArchive(line), KeeperCorpus(line), task)

    undisturbed = copied(home, tmp_path / "undisturbed")
    calls = calls_of(research, undisturbed)
    for lost in range(1, calls + 1):
        remote = copied(home, tmp_path / f"lost-{lost}")
        line = Line(remote, lambda call, lost=lost: fault if call == lost else None)  # type: ignore[misc]
        assert insist(lambda line=line: research(line)) == 1  # type: ignore[misc]
        assert told(remote) == told(undisturbed), lost
        assert verify_home(remote.root).faults == []


class Opened:
    """How often a corpus was opened here."""

    def __init__(self, home: Home) -> None:
        self._home, self.times = home, 0

    def __call__(self) -> Corpus:
        self.times += 1
        return local_corpus(self._home)


def test_actors_at_home_ask_the_keepers_corpus_and_open_none(home: Home, task: str) -> None:
    line, opened = Line(home), Opened(home)
    run_task(LocalArchive(home), SharedCorpus(line, opened), task)
    assert line.calls > 0
    assert opened.times == 0


@pytest.mark.parametrize("fault", ["before", "after"])
def test_without_a_keeper_they_open_the_corpus_once_and_go_on(
    home: Home, task: str, tmp_path: Path, fault: str
) -> None:
    undisturbed = copied(home, tmp_path / "undisturbed")
    run_task(LocalArchive(undisturbed), local_corpus(undisturbed), task)
    line, opened = Line(home, lambda call: fault), Opened(home)
    run_task(LocalArchive(home), SharedCorpus(line, opened), task)
    assert (line.calls, opened.times) == (1, 1)
    assert told(home) == told(undisturbed)
    assert verify_home(home.root).faults == []


def test_what_a_keeper_fails_at_is_not_taken_for_its_absence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failure = RayTaskError("brief", "traceback", ValueError("x"))  # type: ignore[no-untyped-call]

    def fail(*_: object, **__: object) -> None:
        raise failure

    keeper = SimpleNamespace(do=SimpleNamespace(remote=lambda *_: None))
    monkeypatch.setattr("actors.runtime.ray.get_actor", lambda name: keeper)
    monkeypatch.setattr("actors.runtime.ray.get", fail)
    with pytest.raises(RayTaskError):
        ray_actors.Wiring("home", "here").ask_keeper("do", "brief", "task")


def test_who_can_do_without_a_keeper_does_not_wait_for_one_that_is_not_there(
    home: Home, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [0.0]

    def wait(seconds: float) -> None:
        passed[0] += seconds

    def nobody(name: str) -> None:
        raise ValueError(name)

    monkeypatch.setattr(
        "actors.runtime.time", SimpleNamespace(monotonic=lambda: passed[0], sleep=wait)
    )
    monkeypatch.setattr("actors.runtime.ray.get_actor", nobody)
    monkeypatch.setattr(ray_actors.Wiring, "_at_home", lambda _: True)
    wiring = ray_actors.Wiring(str(home.root), "here")
    assert wiring.open_corpus().search("Why are there tides?", 1, None)
    assert passed[0] < 5
    with pytest.raises(EngineDown):
        wiring.ask_keeper("do", "brief", task)
    assert passed[0] > 30


def test_each_home_has_a_keeper_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(name: str, *_: object, **__: object) -> str:
        asked.append(name)
        return "0"

    monkeypatch.setattr("actors.runtime.ask", note)
    monkeypatch.setattr(ray_actors.Wiring, "_at_home", lambda _: False)
    for home in (
        tmp_path / "one",
        tmp_path / "other\udcff",
    ):  # Paths may have bytes that are no letters.
        wiring = ray_actors.Wiring(str(home), "there", keeper=ray_actors.keeper_name(home))
        wiring.spent_today()
        wiring.open_corpus().search("tides", 1, None)
    assert asked[0] == asked[1] != asked[2] == asked[3]
    assert all(name.startswith(ray_actors.KEEPER) for name in asked)


def test_the_writer_knows_where_its_stream_ends_without_asking(home: Home) -> None:
    line = Line(home)
    writer, _ = KeeperArchive(line).claim("s", "a test")
    assert isinstance(writer, KeeperWriter)
    head = writer.append(step(1), step(2))
    asked = line.calls
    assert writer.head == head
    assert (head.seq, writer.cursor.seq, line.calls) == (3, 3, asked)
    assert home.read("s")[0][-1].hash == head.hash


def test_who_appends_in_turn_from_elsewhere_waits_for_the_catalogue(home: Home) -> None:
    archive = KeeperArchive(Line(home))
    writer, _ = archive.claim("t", "test")
    step = StepTaken(step=1, action="read", decision="?")
    archive.append_in_turn(writer, step)
    writer.append(step)
    assert [record.kind for record in home.read("t")[0][-2:]] == ["step_taken"] * 2
    held = threading.Event()

    def in_turn() -> None:
        archive.append_in_turn(writer, step)
        held.set()

    waiting = threading.Thread(target=in_turn)

    def decide(_: CatalogueState) -> list[Fact]:
        waiting.start()
        assert not held.wait(0.3)
        return []

    LocalArchive(home).catalogue.decide(decide)
    waiting.join(10)
    assert held.is_set() and writer.head.seq == home.read("t")[1].seq
    LocalArchive(home).claim("t", "another")
    with pytest.raises(StaleWriter):
        archive.append_in_turn(writer, step)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_who_waits_for_a_stream_in_turn_keeps_nobody_from_the_catalogue(
    home: Home, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    monkeypatch.setattr("events.locks.PATIENCE", 2.0)
    archive: Archive = KeeperArchive(Line(home)) if elsewhere else LocalArchive(home)
    writer, _ = archive.claim("t", "test")
    step = StepTaken(step=1, action="read", decision="?")
    waiting = threading.Thread(target=archive.append_in_turn, args=(writer, step))
    # As a claim and a seal do: they hold the stream, and then look at the catalogue.
    with EventStream(home.path("t")).deciding():
        waiting.start()
        waiting.join(0.3)
        LocalArchive(home).catalogue.decide(lambda _: [])
        assert waiting.is_alive(), "it did not have to give up for that"
    waiting.join(10)
    assert home.read("t")[0][-1].kind == "step_taken"
