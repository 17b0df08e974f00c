"""Disks that fail under a stream: nothing acknowledged is lost, and nothing half-written stays."""

import errno
import os
import resource
from pathlib import Path

import pytest

from events.anchor import read_anchor
from events.errors import DiskFull, HomeUnwritable, StaleWriter
from events.stream import EventStream
from events.tail import read_stream
from tests.stream_steps import start, step, steps, stream, trace
from traces.verify import verify_trace

__all__ = ["stream", "trace"]


def fail_after(
    monkeypatch: pytest.MonkeyPatch, stream: EventStream, written: int, code: int
) -> None:
    """Let the stream's file take only so many bytes, as a full disk does."""
    write = os.write
    room = written

    def short(descriptor: int, raw: bytes) -> int:
        nonlocal room
        if descriptor != stream._file:
            return write(descriptor, raw)
        if not room:
            raise OSError(code, os.strerror(code))
        done = write(descriptor, bytes(raw)[:room])
        room -= done
        return done

    monkeypatch.setattr(os, "write", short)


@pytest.mark.parametrize("written", [0, 1, 131, 400, 600])
@pytest.mark.parametrize(
    ("code", "refusal"),
    [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, HomeUnwritable)],
)
def test_a_write_that_fails_is_refused_and_leaves_nothing_behind(
    written: int, code: int, refusal: type[Exception], stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    before = trace.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        fail_after(patch, stream, written, code)
        with pytest.raises(refusal):
            stream.append(step(2), step(3))
    assert trace.read_bytes() == before
    with pytest.raises(StaleWriter):
        stream.append(step(4))
    reopened, past = EventStream.claim(trace, "when there is room again")
    assert [record.kind for record in past][-2:] == ["step_taken", "stream_claimed"]
    reopened.append(step(5))
    assert steps(trace) == [1, 5]
    assert verify_trace(trace).proven


def test_a_write_that_fails_and_cannot_be_undone_is_cut_by_the_next_writer(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    stream.append(step(1))
    with monkeypatch.context() as patch:
        fail_after(patch, stream, 131, errno.ENOSPC)
        patch.setattr(os, "ftruncate", refuse)
        with pytest.raises(DiskFull):
            stream.append(step(2))
    assert verify_trace(trace).proven, "a torn tail is a note"
    _, past = EventStream.claim(trace, "the next")
    assert [record.kind for record in past][-2:] == ["tail_cut", "stream_claimed"]
    assert past[-2].data["length"] == 131


def test_after_a_failed_sync_the_writer_refuses_to_go_on(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream.append(step(1))
    before = trace.read_bytes()
    tries: list[int] = []

    def fail(descriptor: int) -> None:
        tries.append(descriptor)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(HomeUnwritable):
            stream.append(step(2))
    assert len(tries) == 1, "a failed sync is never repeated"
    with pytest.raises(StaleWriter):
        stream.append(step(3))
    assert trace.read_bytes() == before
    EventStream.claim(trace, "the next")[0].append(step(4))
    assert steps(trace) == [1, 4]


def test_a_head_file_that_cannot_be_written_is_no_reason_to_refuse_what_is_durable(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", refuse)
        assert stream.append(step(1)).seq == 2
    assert stream.append(step(2)).seq == 3
    assert steps(trace) == [1, 2]
    assert verify_trace(trace).proven


def test_a_home_on_a_file_size_limit_keeps_what_it_had(trace: Path) -> None:
    limited = start(
        "import resource\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "stream, _ = EventStream.claim(trace, 'limited')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "try:\n"
        "    for n in range(100): stream.append(step(n))\n"
        "except HomeUnwritable: sys.exit(7)\n",
        trace,
    )
    assert limited.wait() == 7
    assert verify_trace(trace).proven
    assert trace.stat().st_size <= 2000
    kept = steps(trace)
    assert kept == list(range(len(kept)))
    EventStream.claim(trace, "the next")[0].append(step(100))
    assert steps(trace) == [*kept, 100]


def test_a_file_that_cannot_be_read_for_now_is_refused_and_not_called_broken(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    stream.append(step(1))
    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", fail)
        with pytest.raises(HomeUnwritable, match="Input/output error"):
            read_stream(trace)
        with pytest.raises(HomeUnwritable, match="Input/output error"):
            EventStream.claim(trace, "too early")
    stream.append(step(2))
    assert steps(trace) == [1, 2]


def test_a_file_that_is_closed_to_us_is_named(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    EventStream.claim(trace, "a test")[0].close()

    def closed(path: Path, *_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", closed)
    with pytest.raises(HomeUnwritable, match=rf"{trace}: Permission denied.*research-agent doctor"):
        read_stream(trace)
    with pytest.raises(HomeUnwritable, match=rf"{trace}: Permission denied.*research-agent doctor"):
        EventStream(trace)


def test_neither_stream_nor_head_is_called_missing_or_broken_where_too_many_files_are_open(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    for read in (read_stream, read_anchor, open_and_close):
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, most[1]))
        try:
            with pytest.raises(HomeUnwritable, match="Too many open files"):
                read(trace)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, most)
    assert read_anchor(trace) == (stream.head.seq, stream.head.hash)


def open_and_close(trace: Path) -> None:
    EventStream(trace).close()


def test_a_torn_tail_that_cannot_be_cut_for_now_is_refused_and_cut_later(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    stream.append(step(1))
    with trace.open("ab") as file:
        file.write(b"torn")
    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", fail)
        with pytest.raises(HomeUnwritable):
            EventStream.claim(trace, "too early")
    _, past = EventStream.claim(trace, "later")
    assert [record.kind for record in past][-2:] == ["tail_cut", "stream_claimed"]


def test_a_disk_without_locks_is_refused_in_our_words(
    stream: EventStream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    with pytest.raises(HomeUnwritable, match="No locks available"):
        stream.append(step(1))
