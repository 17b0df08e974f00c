"""The root stream: accepted once, ended once, the same for every process."""

import errno
import multiprocessing
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.catalogue import Catalogue
from actors.catalogue_state import Accepted
from events.base import UnknownFact
from events.catalogue import Brief, SourcePublished
from events.codec import digest
from events.errors import (
    BrokenChain,
    HomeUnwritable,
    KeyConflict,
    StaleWriter,
    TaskAlreadyEnded,
    UnknownTask,
    UnknownWording,
)
from events.home import CATALOGUE, Home
from events.research import StepTaken
from events.shelves import CollectionCreated
from events.task import TaskAccepted

BRIEF = Brief(question="Why is the sky blue?")


def enter(root: Path, key: str) -> str:
    return Catalogue(Home(root)).enter_task(BRIEF, key)[0]


def test_what_one_process_accepts_another_sees_at_once(home: Home) -> None:
    here, there = Catalogue(home), Catalogue(home)
    task, head = here.enter_task(BRIEF)
    assert there.state().unfinished() == [task]
    assert there.brief(task) == BRIEF
    assert head.seq == 1


def test_one_key_makes_one_task_however_many_ask_at_once(home: Home) -> None:
    with multiprocessing.get_context("fork").Pool(8) as pool:
        tasks = pool.starmap(enter, [(home.root, "key")] * 100)
    assert len(set(tasks)) == 1
    assert len(home.read(CATALOGUE)[0]) == 1


def test_one_key_for_two_requests_is_a_conflict(home: Home) -> None:
    catalogue = Catalogue(home)
    catalogue.enter_task(BRIEF, "key")
    with pytest.raises(KeyConflict):
        catalogue.enter_task(Brief(question="Why is it green?"), "key")
    assert len(catalogue.state().entries) == 1


def test_writers_in_many_processes_lose_nothing(home: Home) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.starmap(enter, [(home.root, f"key-{number}") for number in range(100)])
    records, _ = home.read(CATALOGUE)
    assert [record.seq for record in records] == list(range(1, 101))
    assert len(Catalogue(home).state().entries) == 100


@pytest.mark.parametrize("meanwhile", [0, 3])
def test_lines_that_were_read_and_then_taken_back_are_forgotten(
    home: Home, meanwhile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = Catalogue(home), Catalogue(home)
    kept = [theirs.enter_task(BRIEF)[0]]

    def fail(descriptor: int) -> None:
        assert len(ours.state().entries) == 2, "what is not synced yet was read"
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("events.stream._sync", fail)
        with pytest.raises(HomeUnwritable):
            theirs.enter_task(BRIEF)
    kept += [theirs.enter_task(BRIEF)[0] for _ in range(meanwhile)]
    assert list(ours.state().entries) == kept
    kept.append(ours.enter_task(BRIEF)[0])
    assert list(ours.state().entries) == list(theirs.state().entries) == kept


def test_a_line_that_was_taken_back_is_forgotten_when_another_has_its_length(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = Catalogue(home), Catalogue(home)

    def fail(descriptor: int) -> None:
        assert len(ours.state().entries) == 1, "what is not synced yet was read"
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("events.stream._sync", fail)
        with pytest.raises(HomeUnwritable):
            theirs.enter_task(BRIEF)
    read = home.path(CATALOGUE).stat().st_size, ours._cursor.offset
    kept = theirs.enter_task(BRIEF)[0]
    assert read == (0, home.path(CATALOGUE).stat().st_size), "both lines have one length"
    assert ours.grew()
    assert list(ours.state().entries) == [kept]
    assert not ours.grew()


def test_acknowledged_lines_that_are_gone_are_missed_by_who_had_read_them(home: Home) -> None:
    catalogue = Catalogue(home)
    catalogue.enter_task(BRIEF)
    first = home.path(CATALOGUE).read_bytes()
    catalogue.enter_task(BRIEF)
    assert len(catalogue.state().entries) == 2
    home.path(CATALOGUE).write_bytes(first)
    with pytest.raises(BrokenChain, match="acknowledged lines are gone"):
        catalogue.state()
    with pytest.raises(BrokenChain, match="acknowledged lines are gone"):
        catalogue.enter_task(BRIEF)
    assert home.path(CATALOGUE).read_bytes() == first


def never(_: str) -> bool:
    return False


def test_the_same_files_asked_for_again_are_one_job_until_it_begins(home: Home) -> None:
    here, there = Catalogue(home), Catalogue(home)
    waiting, _ = here.enter_job("c", ["/a.md"], join=never)
    assert there.enter_job("c", ["/a.md"], join=never)[0] == waiting
    assert there.state().unfinished() == [waiting]
    others = [
        there.enter_job("c", ["/a.md", "/b.md"], join=never)[0],
        there.enter_job("d", ["/a.md"], join=never)[0],
        there.enter_job("c", ["/a.md"])[0],
    ]
    assert waiting not in others
    home.path(waiting).touch()
    assert here.enter_job("c", ["/a.md"], join=never)[0] == others[2], "one has begun, one waits"


def test_a_job_may_come_in_while_another_thread_looks_for_one_like_its_own(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue(home)
    waiting, _ = catalogue.enter_job("c", ["/a.md"])
    came: list[str] = []

    def looked_at(_: Accepted) -> None:
        if not came:
            came.append("first")  # Also what comes in is looked at.
            came[:] = [Catalogue.enter_job(catalogue, "d", ["/b.md"])[0]]

    monkeypatch.setattr(Accepted, "ended", property(looked_at, lambda *_: None), raising=False)
    assert catalogue.enter_job("c", ["/a.md"], join=never)[0] == waiting
    assert came[0] in catalogue.state().unfinished()


def test_a_job_that_would_leave_something_out_is_not_joined(home: Home) -> None:
    catalogue = Catalogue(home)
    job, _ = catalogue.enter_job("c", ["/a.md"], join=never)
    catalogue.state().barred[job] = {("c", "doc-1")}
    after_removal, _ = catalogue.enter_job("c", ["/a.md"], join=never)
    assert after_removal != job
    catalogue.request_cancel(after_removal, save_partial=True)
    assert catalogue.enter_job("c", ["/a.md"], join=never)[0] not in (job, after_removal)


def test_cancelling_what_does_not_exist_or_has_ended_is_refused(home: Home) -> None:
    archive = LocalArchive(home)
    with pytest.raises(UnknownTask):
        archive.catalogue.request_cancel("nobody", save_partial=True)
    task, _ = archive.catalogue.enter_task(BRIEF)
    stream, _ = archive.claim(task, "test")
    archive.seal(stream, "completed")
    with pytest.raises(TaskAlreadyEnded):
        archive.catalogue.request_cancel(task, save_partial=True)


def test_cancelling_twice_is_recorded_once(home: Home) -> None:
    catalogue = Catalogue(home)
    task, _ = catalogue.enter_task(BRIEF)
    catalogue.request_cancel(task, save_partial=True)
    catalogue.request_cancel(task, save_partial=False)
    assert [record.kind for record in home.read(CATALOGUE)[0]] == [
        "task_entered",
        "cancel_requested",
    ]


def test_a_stream_that_is_sealed_never_grows_again(home: Home) -> None:
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(BRIEF)
    first, _ = archive.claim(task, "first")
    first.append(TaskAccepted(brief=BRIEF))
    archive.seal(first, "completed")
    again, past = archive.claim(task, "second")
    assert [record.kind for record in past] == ["stream_claimed", "task_accepted"]
    with pytest.raises(StaleWriter):
        again.append(StepTaken(step=1, action="a", decision="b"))


def test_a_writer_that_was_replaced_cannot_seal(home: Home) -> None:
    archive = LocalArchive(home)
    task, _ = archive.catalogue.enter_task(BRIEF)
    old, _ = archive.claim(task, "old")
    archive.claim(task, "new")
    with pytest.raises(StaleWriter):
        archive.seal(old, "completed")
    assert archive.catalogue.state().unfinished() == [task]


def published(home: Home, version: bytes, job: str) -> SourcePublished:
    kept = home.blobs.put(version)
    return SourcePublished(
        document="doc-1",
        version=kept.hash,
        collection="c",
        locator="a.md",
        title="A",
        media_type="text/markdown",
        original=kept,
        text=kept,
        segment=kept,
        chunks=1,
        job=job,
    )


def test_a_job_that_resumes_does_not_put_its_old_version_over_a_newer_one(home: Home) -> None:
    catalogue = Catalogue(home)
    late, _ = catalogue.enter_job("c", ["a.md"])
    quick, _ = catalogue.enter_job("c", ["a.md"])
    catalogue.publish([published(home, b"old", late)], "")
    catalogue.publish([published(home, b"new", quick)], "")
    (again,) = catalogue.publish([published(home, b"old", late)], "")
    assert again is not None
    assert again.first, "what it said before it died still holds"
    assert catalogue.state().published["c", "doc-1"].source.version == digest(b"new")


def test_publishing_the_same_version_twice_is_recorded_once(home: Home) -> None:
    catalogue = Catalogue(home)

    def is_first(content: bytes, job: str) -> bool:
        (done,) = catalogue.publish([published(home, content, job)], "")
        assert done is not None
        return done.first

    assert is_first(b"one", "ingest-1")
    assert is_first(b"one", "ingest-1")
    assert not is_first(b"two", "ingest-2")
    assert catalogue.state().published["c", "doc-1"].source.version == digest(b"two")
    assert len(home.read(CATALOGUE)[0]) == 2


def test_what_a_later_version_added_is_told_each_time_and_nothing_is_left_out(home: Home) -> None:
    catalogue = Catalogue(home)
    catalogue.enter_task(BRIEF)
    later = UnknownFact(kind="collection_created", collection="a", colour="blue")  # type: ignore[call-arg]
    Catalogue(home).decide(lambda state: [later])
    with pytest.raises(UnknownWording, match=r"catalogue\.jsonl, line 2: .* collection_created"):
        catalogue.state()
    for _ in range(2):  # Not even a second look takes a half for the whole.
        with pytest.raises(UnknownWording):
            catalogue.decide(lambda state: [CollectionCreated(collection="b")])
    assert len(home.read(CATALOGUE)[0]) == 2
