"""Streams: durable before acknowledged, one writer at a time, whole decisions or none."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events import stream as stream_module
from events.anchor import read_anchor
from events.codec import GENESIS, seal
from events.errors import BrokenChain, DiskFull, HomeUnwritable, StaleWriter, StreamBusy
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream, Head
from events.tail import Cursor, read_parts, read_stream
from traces.verify import verify_trace

ROOT = Path(__file__).resolve().parent.parent
LINUX = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="asks Linux who holds a lock")


def step(number: int, action: str = "search") -> StepTaken:
    return StepTaken(step=number, action=action, decision=f"Step “{number}”")


def steps(path: Path) -> list[int]:
    """The steps on disk."""
    records, _ = read_stream(path)
    return [record.data["step"] for record in records if record.kind == "step_taken"]


@pytest.fixture
def trace(home: Home) -> Path:
    return home.path("stream")


@pytest.fixture
def stream(trace: Path) -> EventStream:
    return EventStream.claim(trace, "a test")[0]


PREAMBLE = """
import os, signal, sys, time
from pathlib import Path
from events.errors import *
from events.research import StepTaken
from events.stream import EventStream
trace = Path(sys.argv[1])
def step(number, action="search"):
    return StepTaken(step=number, action=action, decision="In another process")
"""


def start(script: str, *arguments: object, out: int | None = None) -> subprocess.Popen[bytes]:
    """Run a script of ours in a process of its own."""
    command = [sys.executable, "-c", PREAMBLE + script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=out)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.005)


def is_frozen(process: subprocess.Popen[bytes]) -> bool:
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


# -- appending -------------------------------------------------------------------------------------


def test_what_is_appended_is_on_disk_and_chained(stream: EventStream, trace: Path) -> None:
    first = stream.append(step(1), cause="because")
    second = stream.append(step(2), step(3))
    records, cursor = read_stream(trace)
    assert [record.kind for record in records] == ["stream_claimed", *["step_taken"] * 3]
    assert [record.seq for record in records] == [1, 2, 3, 4]
    assert [record.left for record in records] == [0, 0, 1, 0]
    assert [record.fact for record in records[1:]] == [step(1), step(2), step(3)]
    assert [record.prev for record in records] == [GENESIS, *(r.hash for r in records[:-1])]
    assert records[1].cause == "because"
    assert first == Head("stream", 2, records[1].hash)
    assert second == stream.head == Head("stream", 4, records[3].hash)
    assert cursor == stream.cursor
    assert verify_trace(trace).proven


def test_an_append_is_acknowledged_only_after_it_was_synced(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def watch(name: str) -> None:
        real = getattr(os, name)

        def watched(*arguments: object) -> object:
            done.append(name)
            return real(*arguments)

        monkeypatch.setattr(os, name, watched)

    for name in ("write", "fdatasync"):
        watch(name)
    stream.append(step(1), step(2))
    assert done == ["write", "fdatasync"]
    assert read_anchor(trace) == (stream.head.seq, stream.head.hash)


def test_appending_nothing_changes_nothing(stream: EventStream, trace: Path) -> None:
    before = trace.read_bytes()
    assert stream.append() == stream.head
    assert trace.read_bytes() == before


def test_a_fact_that_cannot_be_written_down_leaves_no_trace_of_itself(
    stream: EventStream, trace: Path
) -> None:
    before = trace.read_bytes()
    with pytest.raises(ValueError, match="surrogates"):
        stream.append(step(1), StepTaken(step=2, action="\ud800", decision=""))
    assert trace.read_bytes() == before
    stream.append(step(3))
    assert steps(trace) == [3]


def test_a_new_stream_gets_a_synced_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(stream_module, "sync_directory", synced.append)
    EventStream(home.path("new")).close()
    assert synced == [home.traces, home.traces / "heads"]
    EventStream(home.path("new")).close()
    assert len(synced) == 2


def test_a_home_that_cannot_be_written_is_a_typed_refusal(tmp_path: Path) -> None:
    with pytest.raises(HomeUnwritable):
        EventStream(tmp_path / "missing" / "x.jsonl")
    with pytest.raises(HomeUnwritable):
        EventStream(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HomeUnwritable):
        Home(tmp_path / "file").prepare()


# -- reading ---------------------------------------------------------------------------------------


def test_a_reader_never_sees_half_a_decision_wherever_the_file_ends(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    whole = trace.stat().st_size
    stream.append(step(2), step(3), step(4))
    raw = trace.read_bytes()
    for end in range(whole, len(raw)):
        trace.write_bytes(raw[:end])
        records, cursor = read_stream(trace)
        assert (len(records), cursor.seq, cursor.offset) == (2, 2, whole)
        assert cursor.head == records[-1].hash
    trace.write_bytes(raw)
    assert steps(trace) == [1, 2, 3, 4]


def test_a_reader_of_a_stream_at_work_sees_whole_decisions_in_order(trace: Path) -> None:
    writer = start(
        "stream, _ = EventStream.claim(trace, 'writer')\n"
        "for n in range(0, 240, 3): stream.append(step(n), step(n + 1), step(n + 2))\n",
        trace,
    )
    seen: list[int] = []
    cursor = Cursor()
    while len(seen) < 240:
        assert writer.poll() in (None, 0)
        news, cursor = read_stream(trace, cursor)
        seen += [record.data["step"] for record in news if record.kind == "step_taken"]
        assert len(seen) % 3 == 0
    assert seen == list(range(240))
    assert writer.wait() == 0


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=12),
    stops=st.lists(st.integers(0, 20_000), max_size=6),
    block=st.sampled_from([1, 7, 300, 4096, 1 << 20]),
)
def test_reading_in_any_pieces_is_reading_the_whole(
    sizes: list[int], stops: list[int], block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = tmp_path_factory.mktemp("pieces") / "stream.jsonl"
    raw, seq, head = b"", 0, GENESIS
    for size in sizes:
        facts = [step(seq + n) for n in range(size)]
        at = "2026-11-16T00:00:00.000000Z"
        lines, last = seal("stream", seq, at, 0, None, head, facts)
        raw, seq, head = raw + b"".join(lines), seq + size, last
    seen: list[int] = []
    cursor = Cursor()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("events.tail._BLOCK", block)
        for stop in sorted({min(stop, len(raw)) for stop in stops} | {len(raw)}):
            trace.write_bytes(raw[:stop])
            for part, end in read_parts(trace, cursor):
                assert part[-1].left == 0
                seen += [record.data["step"] for record in part]
                cursor = end
    assert seen == list(range(seq))
    assert cursor == Cursor(len(raw), seq, head, 0)


def test_a_stream_that_does_not_exist_is_an_empty_one(home: Home) -> None:
    assert read_stream(home.path("nothing")) == ([], Cursor())


def test_a_reader_refuses_a_line_that_is_not_what_it_claims_and_names_it(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1), step(2))
    raw = trace.read_bytes()
    for old, new, line in (
        (b"Step \xe2\x80\x9c1", b"Step \xe2\x80\x9c7", 2),
        (b'"seq":3', b'"seq":4', 3),
        (b'"hash":"sha256:', b'"hash":"sha265:', 1),
    ):
        trace.write_bytes(raw.replace(old, new, 1))
        with pytest.raises(BrokenChain) as refusal:
            read_stream(trace)
        assert refusal.value.args[:2] == ("stream.jsonl", line)
    lines = raw.splitlines(keepends=True)
    for changed, number in (
        ([lines[0], lines[2]], 2),
        ([lines[0], lines[0], *lines[1:]], 2),
        ([lines[1], lines[0], lines[2]], 1),
    ):
        trace.write_bytes(b"".join(changed))
        with pytest.raises(BrokenChain) as refusal:
            read_stream(trace)
        assert refusal.value.args[1] == number


def test_a_reader_notices_that_the_past_it_has_read_was_changed(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    _, cursor = read_stream(trace)
    forged, _ = seal("stream", 2, stream_module.utc_now(), 1, None, "sha256:" + "a" * 64, [step(2)])
    trace.write_bytes(trace.read_bytes() + forged[0])
    with pytest.raises(BrokenChain):
        read_stream(trace, cursor)


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


def test_a_writer_that_waits_too_long_for_the_lock_says_so(
    stream: EventStream, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_module, "LOCK_PATIENCE", 0.2)
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
    wait_until(lambda: is_frozen(frozen))
    stream, past = EventStream.claim(trace, "successor")
    assert frozen.wait() == -signal.SIGKILL
    assert [record.kind for record in past] == ["stream_claimed", *left_behind]
    stream.append(step(2))
    assert verify_trace(trace).proven


@LINUX
def test_a_writer_that_only_holds_the_lock_is_waited_for_and_not_ended(trace: Path) -> None:
    busy = start(
        "stream = EventStream(trace)\n"
        "with stream.deciding():\n"
        "    time.sleep(0.4); stream.append_decided(step(1))\n",
        trace,
    )
    wait_until(lambda: trace.exists() and str(trace.stat().st_ino) in locks())
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
    wait_until(lambda: is_frozen(zombie))
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


# -- disks that fail -------------------------------------------------------------------------------


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
