"""Streams: durable before acknowledged, whole decisions or none."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events import stream as stream_module
from events.anchor import read_anchor
from events.codec import GENESIS, seal
from events.errors import BrokenChain, HomeUnwritable
from events.home import Home
from events.research import StepTaken
from events.stream import EventStream, Head
from events.tail import LONGEST_LINE, Cursor, read_parts, read_stream
from tests.stream_steps import start, step, steps, stream, trace
from traces.verify import verify_trace

__all__ = ["stream", "trace"]


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


def test_a_fact_that_nobody_could_read_back_is_not_written(
    stream: EventStream, trace: Path
) -> None:
    before = trace.read_bytes()
    with pytest.raises(ValueError, match="content belongs into a blob"):
        stream.append(step(1), step(2, action="x" * LONGEST_LINE))
    assert trace.read_bytes() == before
    stream.append(step(3), *(step(4, action="x" * (LONGEST_LINE // 8)) for _ in range(9)))
    assert len(steps(trace)) == 10


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


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    stream: EventStream, trace: Path
) -> None:
    stream.append(step(1))
    with trace.open("ab") as file:
        file.truncate(trace.stat().st_size + (1 << 40))
    with pytest.raises(BrokenChain, match="line 3: the line is longer than any line"):
        read_stream(trace)


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


def test_a_descriptor_whose_close_failed_is_not_closed_again(
    stream: EventStream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, own = os.close, stream._file

    def fails(descriptor: int) -> None:
        real(descriptor)
        if descriptor == own:
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "close", fails)
        with pytest.raises(OSError, match="Input"):
            stream.close()
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    assert other == own, "the number is somebody else's now"
    stream.close()
    os.write(other, b"still open")
    os.close(other)
