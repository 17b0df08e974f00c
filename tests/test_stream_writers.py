"""One writer at a time, and of many writers none that loses anything."""

import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from events.errors import BrokenChain, HomeUnwritable, StaleWriter, StreamBusy
from events.stream import EventStream
from events.tail import read_stream
from tests.stream_steps import LINUX, is_frozen, start, step, steps, stream, trace
from tests.waiting import until
from traces.verify import verify_trace

__all__ = ["stream", "trace"]


# -- one writer ------------------------------------------------------------------------------------


def test_a_claim_shuts_every_earlier_writer_out_for_good(trace: Path) -> None:
    writers = [EventStream.claim(trace, f"writer {number}")[0] for number in range(3)]
    for older in writers[:-1]:
        for _ in range(2):
            with pytest.raises(StaleWriter):
                older.append(step(1))
    writers[-1].append(step(2))
    for older in writers[:-1]:
        with pytest.raises(StaleWriter):
            older.append(step(3))
    records, _ = read_stream(trace)
    assert [record.epoch for record in records] == [1, 2, 3, 3]
    assert steps(trace) == [2]
    assert verify_trace(trace).proven


def test_a_claim_returns_the_whole_past_and_itself(stream: EventStream, trace: Path) -> None:
    stream.append(step(1), step(2))
    newer, past = EventStream.claim(trace, "the next")
    assert [record.kind for record in past][-1] == "stream_claimed"
    assert past[-1].data["writer"] == "the next"
    assert [record.hash for record in past] == [record.hash for record in read_stream(trace)[0]]
    assert newer.head.seq == 4


def test_a_stream_that_is_over_is_neither_claimed_nor_written(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    before = trace.read_bytes()
    ended, past = EventStream.claim(trace, "late", over=lambda past: len(past) == 2)
    assert len(past) == 2
    with pytest.raises(StaleWriter):
        ended.append(step(2))
    assert trace.read_bytes() == before


def test_a_writer_can_go_on_from_a_cursor_unless_somebody_wrote_since(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    resumed = EventStream.resume(trace, stream.cursor)
    resumed.append(step(2))
    with pytest.raises(StaleWriter):
        stream.append(step(3))
    assert steps(trace) == [1, 2]
    assert verify_trace(trace).proven


def test_a_writer_whose_file_was_removed_or_replaced_is_refused(
    stream: EventStream, trace: Path
) -> None:
    shared = EventStream(trace)
    with shared.deciding() as news:
        assert len(news) == 1
    copy = trace.read_bytes()
    trace.unlink()
    trace.write_bytes(copy)  # As a restored backup would be: same bytes, another file.
    with pytest.raises(StaleWriter):
        stream.append(step(1))
    with pytest.raises(StaleWriter), shared.deciding():
        shared.append_decided(step(1))
    assert trace.read_bytes() == copy


def test_a_claim_refuses_a_file_that_lost_what_was_acknowledged(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    raw = trace.read_bytes()
    trace.write_bytes(raw.splitlines(keepends=True)[0])
    with pytest.raises(BrokenChain, match="acknowledged lines are gone"):
        EventStream.claim(trace, "the next")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@LINUX
def test_who_claims_a_stream_in_vain_lets_go_of_its_files(trace: Path, stream: EventStream) -> None:
    stream.append(step(1))
    whole = trace.read_bytes()
    trace.write_bytes(whole.replace(b'"step":1', b'"step":2'))
    before = open_files()
    for _ in range(5):
        with pytest.raises(BrokenChain):
            EventStream.claim(trace, "in vain")
    trace.write_bytes(whole)
    shutil.rmtree(trace.parent / "heads")
    for _ in range(5):
        with pytest.raises(HomeUnwritable):
            EventStream(trace)
    assert open_files() == before


def test_a_writer_that_waits_too_long_for_the_lock_says_so(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.locks.PATIENCE", 0.2)
    other = EventStream(trace)
    with stream.holding():
        with pytest.raises(StreamBusy), other.deciding():
            pass
        with pytest.raises(StreamBusy):
            EventStream.claim(trace, "impatient")
    with other.deciding() as news:
        assert len(news) == 1


@LINUX
@pytest.mark.parametrize(
    ("freeze", "left_behind"),
    [
        pytest.param(
            "write = os.write\n"
            "def half(file, raw):\n"
            "    write(file, bytes(raw)[: len(raw) // 2])\n"
            "    os.kill(os.getpid(), signal.SIGSTOP)\n"
            "os.write = half\n",
            ["tail_cut", "stream_claimed"],
            id="in the middle of a write",
        ),
        pytest.param(
            "os.fdatasync = lambda file: os.kill(os.getpid(), signal.SIGSTOP)\n",
            ["step_taken", "stream_claimed"],
            id="between write and sync",
        ),
    ],
)
def test_a_writer_frozen_with_the_lock_in_its_hand_is_ended_by_its_successor(
    freeze: str, left_behind: list[str], trace: Path
) -> None:
    script = (
        "stream, _ = EventStream.claim(trace, 'frozen')\n" + freeze + "stream.append(step(1))\n"
    )
    frozen = start(script, trace)
    until(lambda: is_frozen(frozen))
    stream, past = EventStream.claim(trace, "successor")
    assert frozen.wait() == -signal.SIGKILL
    assert [record.kind for record in past] == ["stream_claimed", *left_behind]
    stream.append(step(2))
    assert verify_trace(trace).proven


@LINUX
def test_who_is_stopped_with_a_lock_that_many_share_is_ended_so_that_the_others_go_on(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = start(
        "stream = EventStream(trace)\n"
        "with stream.deciding():\n"
        "    stream.append_decided(step(1)); os.kill(os.getpid(), signal.SIGSTOP)\n",
        trace,
    )
    until(lambda: is_frozen(stopped))
    monkeypatch.setattr("events.stream.ONLY_STOPPED_AFTER", 0.1)
    with EventStream(trace).deciding() as news:
        assert [record.kind for record in news] == ["step_taken"]
    assert stopped.wait() == -signal.SIGKILL


@LINUX
def test_who_is_stopped_for_a_moment_is_not_ended_however_long_others_have_waited(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = start(
        "stream = EventStream(trace)\n"
        "with stream.deciding():\n"
        "    time.sleep(2); stream.append_decided(step(1))\n",
        trace,
    )
    until(lambda: trace.exists() and str(trace.stat().st_ino) in locks())
    for after, sent in ((1.2, signal.SIGSTOP), (1.4, signal.SIGCONT)):
        threading.Timer(after, busy.send_signal, [sent]).start()
    monkeypatch.setattr("events.stream.ONLY_STOPPED_AFTER", 1.0)
    with EventStream(trace).deciding() as news:
        assert [record.kind for record in news] == ["step_taken"]
    assert busy.wait() == 0


@LINUX
def test_who_appends_ends_nobody(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    former, _ = EventStream.claim(trace, "former")
    successor = start(
        "stream, _ = EventStream.claim(trace, 'successor')\n"
        "with stream.holding(): os.kill(os.getpid(), signal.SIGSTOP)\n",
        trace,
    )
    until(lambda: is_frozen(successor))
    monkeypatch.setattr("events.locks.PATIENCE", 0.3)
    with pytest.raises(StreamBusy):
        former.append(step(1))
    assert is_frozen(successor)
    successor.send_signal(signal.SIGCONT)
    assert successor.wait() == 0


@LINUX
def test_a_writer_that_only_holds_the_lock_is_waited_for_and_not_ended(trace: Path) -> None:
    busy = start(
        "stream = EventStream(trace)\n"
        "with stream.deciding():\n"
        "    time.sleep(0.4); stream.append_decided(step(1))\n",
        trace,
    )
    until(lambda: trace.exists() and str(trace.stat().st_ino) in locks())
    _, past = EventStream.claim(trace, "patient")
    assert busy.wait() == 0
    assert [record.kind for record in past] == ["step_taken", "stream_claimed"]


def locks() -> str:
    return Path("/proc/locks").read_text()


@LINUX
def test_a_writer_that_thaws_after_it_was_replaced_is_refused(trace: Path) -> None:
    zombie = start(
        "stream, _ = EventStream.claim(trace, 'zombie')\n"
        "os.kill(os.getpid(), signal.SIGSTOP)\n"
        "try: stream.append(step(1))\n"
        "except StaleWriter: sys.exit(7)\n",
        trace,
    )
    until(lambda: is_frozen(zombie))
    stream, _ = EventStream.claim(trace, "successor")
    stream.append(step(2))
    zombie.send_signal(signal.SIGCONT)
    assert zombie.wait() == 7
    stream.append(step(3))
    assert steps(trace) == [2, 3]
    assert verify_trace(trace).proven


# -- many writers ----------------------------------------------------------------------------------


def test_a_decision_is_based_on_everything_others_wrote_before_it(trace: Path) -> None:
    one, other = EventStream(trace), EventStream(trace)
    for writer, number in ((one, 1), (other, 2), (other, 3), (one, 4)):
        with writer.deciding() as news:
            assert writer.cursor.seq == number - 1
            assert all(record.seq < number for record in news)
            writer.append_decided(step(number))
    assert steps(trace) == [1, 2, 3, 4]


def test_a_decision_that_fails_leaves_nothing_and_lets_go_of_the_lock(trace: Path) -> None:
    one, other = EventStream(trace), EventStream(trace)
    with pytest.raises(ZeroDivisionError), one.deciding():
        raise ZeroDivisionError
    with other.deciding():
        other.append_decided(step(1))
    assert steps(trace) == [1]


def test_four_processes_on_one_stream_lose_nothing(trace: Path) -> None:
    workers = [
        start(
            "stream = EventStream(trace)\n"
            "for n in range(200):\n"
            "    with stream.deciding(): stream.append_decided(step(n, sys.argv[2]))\n",
            trace,
            f"worker {number}",
        )
        for number in range(4)
    ]
    assert [worker.wait() for worker in workers] == [0] * 4
    records, cursor = read_stream(trace)
    assert cursor.seq == len(records) == 800
    for number in range(4):
        mine = [r.data["step"] for r in records if r.data["action"] == f"worker {number}"]
        assert mine == list(range(200))
    verdict = verify_trace(trace)
    assert verdict.proven
    assert verdict.records == 800


def test_writers_killed_at_any_moment_lose_nothing_they_had_acknowledged(trace: Path) -> None:
    acknowledged: set[int] = set()
    for run in range(4):
        writer = start(
            "stream, _ = EventStream.claim(trace, 'doomed')\n"
            "for n in range(100_000):\n"
            "    stream.append(step(n), step(n)); print(stream.head.seq, flush=True)\n",
            trace,
            out=subprocess.PIPE,
        )
        assert writer.stdout
        for _ in range(3 + 9 * run):
            acknowledged.add(int(writer.stdout.readline()))
        writer.kill()
        acknowledged |= {int(line) for line in writer.stdout.read().splitlines(keepends=True)[:-1]}
        writer.wait()
        writer.stdout.close()
    EventStream.claim(trace, "survivor")[0].close()
    records, _ = read_stream(trace)
    assert acknowledged <= {record.seq for record in records}
    verdict = verify_trace(trace)
    assert verdict.proven
    assert not verdict.notes
