"""What a dying writer leaves behind: noted by the verifier, cut by the next writer."""

import hashlib
import os

import pytest

from events.codec import seal
from events.errors import StaleWriter
from events.stream import EventStream
from events.tail import read_stream
from tests.homes import (
    BuiltHome,
    lines_of,
)
from tests.tampering import NOTHING, built, first, last_hash, pristine, trace
from traces.verify import verify_home, verify_trace

__all__ = ["built", "pristine", "trace"]


@pytest.fixture
def without_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown is about bytes; a thousand syncs would only make it slow."""
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


@pytest.mark.usefixtures("without_syncs")
def test_a_write_torn_at_any_byte_is_noted_then_cut_and_the_cut_recorded(
    built: BuiltHome,
) -> None:
    trace = built.stream(built.researchers[-1])
    head, raw = built.head_file(trace.stem), trace.read_bytes()
    noted, lines = head.read_bytes(), len(lines_of(trace))
    torn, _ = seal(trace.stem, lines, built.clock(), 1, None, last_hash(raw), [NOTHING, NOTHING])
    torn_raw = b"".join(torn)
    for cut in range(1, len(torn_raw)):
        trace.write_bytes(raw + torn_raw[:cut])
        head.write_bytes(noted)
        before = verify_trace(trace)
        assert before.proven
        assert [note.line for note in before.notes] == [lines + 1]
        stream, past = EventStream.claim(trace, "the next", built.clock)
        stream.close()
        assert trace.read_bytes().startswith(raw)
        assert [record.kind for record in past[lines:]] == ["tail_cut", "stream_claimed"]
        assert past[lines].data["length"] == cut
        assert past[lines].data["digest"] == (
            "sha256:" + hashlib.sha256(torn_raw[:cut]).hexdigest()
        )
        after = verify_trace(trace)
        assert after.proven
        assert not after.notes
    assert verify_home(built.root).proven


@pytest.mark.usefixtures("without_syncs")
def test_a_torn_tail_of_acknowledged_lines_is_refused_by_writer_and_verifier(
    built: BuiltHome,
) -> None:
    trace = built.stream(built.researchers[-1])
    raw, last = trace.read_bytes(), len(lines_of(trace)[-1])
    for cut in range(1, last + 1):
        trace.write_bytes(raw[:-cut])
        assert first(verify_trace(trace)) == (trace.name, len(lines_of_raw(raw)))
        with pytest.raises(Exception, match="acknowledged lines are gone"):
            EventStream.claim(trace, "the next")
        assert trace.read_bytes() == raw[:-cut], "evidence was destroyed"


def lines_of_raw(raw: bytes) -> list[bytes]:
    return raw.splitlines(keepends=True)


def test_a_write_that_was_whole_but_never_acknowledged_is_kept(built: BuiltHome) -> None:
    trace = built.stream(built.researchers[-1])
    raw, lines = trace.read_bytes(), len(lines_of(trace))
    whole, _ = seal(trace.stem, lines, built.clock(), 1, None, last_hash(raw), [NOTHING])
    trace.write_bytes(raw + whole[0])
    verdict = verify_home(built.root)
    assert verdict.proven
    assert not verdict.notes
    _, past = EventStream.claim(trace, "the next")
    assert [record.kind for record in past[lines:]] == ["step_taken", "stream_claimed"]


def test_a_stale_writer_leaves_no_mark_on_the_record(built: BuiltHome) -> None:
    name = built.unfinished[0]
    older = built.claim(name)
    newer = built.claim(name)
    with pytest.raises(StaleWriter):
        older.append(NOTHING)
    newer.append(NOTHING)
    with pytest.raises(StaleWriter):
        older.append(NOTHING)
    assert verify_home(built.root).proven
    records, _ = read_stream(built.stream(name))
    assert [record.epoch for record in records][-3:] == [2, 3, 3]
