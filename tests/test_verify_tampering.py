"""The tamper matrix: whatever is changed in the record is found, and found where it is."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.codec import GENESIS, seal
from events.home import CATALOGUE
from events.stream import EventStream
from tests.homes import (
    BuiltHome,
    lines_of,
    seqs_of_whole_decisions,
)
from tests.tampering import (
    BAD,
    NOTHING,
    built,
    every_bit,
    first,
    flips,
    last_hash,
    note_head,
    one_bit,
    pristine,
    reseal,
    restored,
    sealed_trace,
    shown,
    trace,
)
from traces.verify import Finding, verify_home, verify_trace

__all__ = ["built", "pristine", "sealed_trace", "trace"]


# -- bytes -----------------------------------------------------------------------------------------


def test_every_flipped_byte_is_found_in_its_line(trace: Path, built: BuiltHome) -> None:
    shutil.rmtree(built.root / "blobs")  # They are not what is looked at here.
    for offset, line in flips(trace, one_bit):
        assert first(verify_trace(trace)) == (trace.name, line), f"byte {offset}"
    assert verify_trace(trace).proven


@pytest.mark.full
def test_every_flipped_bit_is_found_in_its_line(trace: Path, built: BuiltHome) -> None:
    shutil.rmtree(built.root / "blobs")
    for offset, line in flips(trace, every_bit):
        assert first(verify_trace(trace)) == (trace.name, line), f"byte {offset}"


@pytest.mark.full
def test_every_flipped_byte_is_found_in_its_home(trace: Path, built: BuiltHome) -> None:
    for offset, line in flips(trace, one_bit):
        assert first(verify_home(built.root)) == (shown(trace), line), f"byte {offset}"


@pytest.mark.parametrize("bits", [one_bit, pytest.param(every_bit, marks=pytest.mark.full)])
def test_every_flipped_byte_of_a_head_file_is_found(
    bits: Callable[[int], Iterator[int]], trace: Path, built: BuiltHome
) -> None:
    head = built.head_file(trace.stem)
    counts = 2 if head.read_bytes()[:1] == b"A" else 95
    for offset, _ in flips(head, bits):
        if not (offset < 2 or counts <= offset < counts + 93):
            continue  # The slot that does not count says nothing.
        faults = verify_trace(trace).faults
        assert faults, f"byte {offset}"
        assert faults[0].file in (trace.name, f"heads/{head.name}")
    assert verify_home(built.root).proven


# -- lines -----------------------------------------------------------------------------------------


def test_a_dropped_line_is_found_where_it_was(trace: Path, built: BuiltHome) -> None:
    with restored(trace):
        lines = lines_of(trace)
        for number in range(1, len(lines)):  # Dropping the last is cutting the tail.
            trace.write_bytes(b"".join(lines[: number - 1] + lines[number:]))
            assert first(verify_home(built.root)) == (shown(trace), number)


def test_a_duplicated_line_is_found(trace: Path, built: BuiltHome) -> None:
    with restored(trace):
        lines = lines_of(trace)
        for number in range(1, len(lines) + 1):
            trace.write_bytes(b"".join(lines[:number] + lines[number - 1 :]))
            assert first(verify_home(built.root)) == (shown(trace), number + 1)


def test_swapped_lines_are_found(trace: Path, built: BuiltHome) -> None:
    with restored(trace):
        lines = lines_of(trace)
        for n in range(1, len(lines)):
            swapped = [*lines[: n - 1], lines[n], lines[n - 1], *lines[n + 1 :]]
            trace.write_bytes(b"".join(swapped))
            assert first(verify_home(built.root)) == (shown(trace), n)


def test_a_line_from_another_stream_is_found(trace: Path, built: BuiltHome) -> None:
    stranger = lines_of(built.stream(built.researchers[trace.stem == built.researchers[0]]))[1]
    with restored(trace):
        lines = lines_of(trace)
        for number in range(1, len(lines) + 2):
            trace.write_bytes(b"".join([*lines[: number - 1], stranger, *lines[number - 1 :]]))
            assert first(verify_home(built.root)) == (shown(trace), number)


def test_a_whole_trace_under_another_name_is_found(trace: Path, built: BuiltHome) -> None:
    other = built.researchers[trace.stem == built.researchers[0]]
    shutil.copy(built.stream(other), trace)
    assert verify_home(built.root).faults[0] == Finding(
        shown(trace), 1, f"it belongs to the stream {other}"
    )


def test_a_tail_cut_off_is_found_at_every_line(trace: Path, built: BuiltHome) -> None:
    with restored(trace):
        lines = lines_of(trace)
        for kept in range(len(lines)):
            trace.write_bytes(b"".join(lines[:kept]))
            assert first(verify_home(built.root)) == (shown(trace), kept + 1)


def test_an_older_copy_of_a_sealed_trace_is_found_even_with_its_older_head(
    sealed_trace: Path, built: BuiltHome
) -> None:
    lines = lines_of(sealed_trace)
    for seq in list(seqs_of_whole_decisions(sealed_trace))[:-1]:
        older = b"".join(lines[:seq])
        sealed_trace.write_bytes(older)
        note_head(sealed_trace, seq, last_hash(older) if seq else GENESIS)
        assert first(verify_home(built.root)) == (shown(sealed_trace), seq + 1)


def test_an_older_copy_of_a_running_trace_is_found_by_whoever_kept_its_head(
    built: BuiltHome,
) -> None:
    trace = built.stream(built.researchers[-1])
    kept = f"{trace.stem}:3:{last_hash(trace.read_bytes())}"
    older = b"".join(lines_of(trace)[:2])
    trace.write_bytes(older)
    note_head(trace, 2, last_hash(older))
    assert verify_home(built.root).proven, "nobody is left who knows better"
    assert first(verify_home(built.root, [kept])) == (shown(trace), 3)


def test_a_trace_rewritten_from_its_first_line_is_found_by_whoever_kept_its_head(
    built: BuiltHome,
) -> None:
    trace = built.stream(built.researchers[-1])
    kept = last_hash(trace.read_bytes())
    assert verify_home(built.root, [kept]).proven
    forged = reseal(*(line.replace(b"Why is", b"Why was") for line in lines_of(trace)))
    trace.write_bytes(forged)
    note_head(trace, 3, last_hash(forged))
    assert verify_home(built.root).proven, "nobody is left who knows better"
    assert not verify_home(built.root, [kept]).proven
    assert not verify_trace(trace, [kept]).proven


def test_a_head_kept_is_looked_for_in_its_own_stream(built: BuiltHome) -> None:
    line = last_hash(lines_of(built.stream(CATALOGUE))[2])
    assert verify_home(built.root, [f"catalogue:3:{line}", line]).proven
    assert first(verify_home(built.root, [f"catalogue:4:{line}"])) == ("traces/catalogue.jsonl", 4)
    assert not verify_home(built.root, [f"{built.tasks[0]}:3:{line}"]).proven


def test_garbage_at_the_end_is_found(trace: Path, built: BuiltHome) -> None:
    end = len(lines_of(trace)) + 1
    for garbage in (b"garbage\n", b"\n", b"{}\n", b"\0" * 512 + b"\n", b"\xff\xfe\n"):
        with restored(trace) as raw:
            trace.write_bytes(raw + garbage)
            assert first(verify_home(built.root)) == (shown(trace), end)


def test_anything_after_the_end_of_a_sealed_trace_is_found(
    sealed_trace: Path, built: BuiltHome
) -> None:
    end = len(lines_of(sealed_trace))
    with restored(sealed_trace) as raw:
        forged, _ = seal(
            sealed_trace.stem, end, built.clock(), 1, None, last_hash(raw), [NOTHING, NOTHING]
        )
        for extra in (b"".join(forged), forged[0], forged[0][:50], forged[0][:-1], b"x"):
            sealed_trace.write_bytes(raw + extra)
            assert first(verify_home(built.root)) == (shown(sealed_trace), end + 1)


# -- files -----------------------------------------------------------------------------------------


def test_a_missing_trace_is_found(trace: Path, built: BuiltHome) -> None:
    trace.unlink()
    assert shown(trace) in {fault.file for fault in verify_home(built.root).faults}


def test_a_sealed_trace_that_is_missing_with_its_head_is_found(
    sealed_trace: Path, built: BuiltHome
) -> None:
    sealed_trace.unlink()
    built.head_file(sealed_trace.stem).unlink()
    assert first(verify_home(built.root)) == (shown(sealed_trace), None)


def test_a_missing_head_file_is_found(trace: Path, built: BuiltHome) -> None:
    built.head_file(trace.stem).unlink()
    assert first(verify_home(built.root)) == (f"traces/heads/{trace.stem}.head", None)


@pytest.mark.parametrize(
    "head",
    [
        "A\n{more:020} {hash}\n{seq:020} {hash}\n",
        "A\n{less:020} {hash}\n{seq:020} {hash}\n",
        "B\n{seq:020} {hash}\n{seq:020} {other}\n",
        "C\n{seq:020} {hash}\n{seq:020} {hash}\n",
        "A\n{seq:020} {hash}\n",
        "A\n{seq:020} {hash}\n{seq:020} {hash}\n\n",
        "A\n{seq} {hash}\n{seq:020} {hash}\n",
        "{seq:020} {hash}\n",
        "garbage",
        "\n",
    ],
)
def test_an_edited_head_file_is_found(head: str, trace: Path, built: BuiltHome) -> None:
    raw = trace.read_bytes()
    seq = raw.count(b"\n")
    said = head.format(
        seq=seq, more=seq + 1, less=seq - 1, hash=last_hash(raw), other="sha256:" + "a" * 64
    )
    built.head_file(trace.stem).write_text(said)
    file = first(verify_home(built.root))[0]
    assert file in (shown(trace), f"traces/heads/{trace.stem}.head")


def test_a_head_file_that_lags_is_no_fault(trace: Path, built: BuiltHome) -> None:
    note_head(trace, 1, last_hash(lines_of(trace)[0]))
    assert verify_home(built.root) == verify_home(built.root)
    assert verify_home(built.root).proven


def test_a_head_file_emptied_as_by_a_power_cut_is_noted(trace: Path, built: BuiltHome) -> None:
    built.head_file(trace.stem).write_bytes(b"")
    verdict = verify_home(built.root)
    assert verdict.proven
    assert [note.file for note in verdict.notes] == [f"traces/heads/{trace.stem}.head"]


def test_a_stream_that_no_parent_names_is_found(built: BuiltHome) -> None:
    for name in ("stranger", f"{built.tasks[0]}.r9", "ingest-x"):
        EventStream.claim(built.stream(name), "nobody")[0].close()
    assert [(fault.file, fault.line) for fault in verify_home(built.root).faults] == [
        ("traces/ingest-x.jsonl", None),
        ("traces/stranger.jsonl", None),
        (f"traces/{built.tasks[0]}.r9.jsonl", None),
    ]


def test_a_stream_ended_by_one_who_never_named_it_is_found(built: BuiltHome) -> None:
    task, researcher = built.tasks[0], built.stream(built.researchers[0])
    lines = lines_of(built.stream(built.unfinished[0]))
    anchor = lines_of(built.stream(task))[-2].replace(task.encode() + b'","seq"', b'","seq"')
    forged = anchor.replace(
        f'"stream":"{task}"'.encode(), f'"stream":"{built.unfinished[0]}"'.encode()
    )
    forged = forged.replace(b'"seq":4,', b'"seq":%d,' % (len(lines) + 1), 1)
    assert b"researcher_reported" in forged
    built.stream(built.unfinished[0]).write_bytes(reseal(*lines, forged))
    built.head_file(built.unfinished[0]).write_bytes(b"")
    assert first(verify_home(built.root)) == (f"traces/{built.unfinished[0]}.jsonl", len(lines) + 1)
    assert researcher.exists()


@pytest.mark.parametrize(
    "name", ["traces/notes.txt", "traces/x.jsonl.bak", "traces/heads/x", "traces/UPPER.jsonl",
             "traces/.jsonl", "traces/..jsonl", "blobs/x", "blobs/ab/x", "blobs/abc", "traces/ü\n.jsonl"],
)  # fmt: skip
def test_a_file_that_does_not_belong_is_found(name: str, built: BuiltHome) -> None:
    path = built.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"")
    verdict = verify_home(built.root)
    folder, _, leaf = name.rpartition("/")
    expected = leaf if leaf.isascii() else ascii(leaf)
    assert [fault.file for fault in verdict.faults] == [f"{folder}/{expected}"]


# -- forged lines ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'{"v":1,', b'{"v":2,', "format 2"),
        (b'{"v":1,', b'{"v": 1,', "not a line of this format"),
        (b'{"v":1,', b"{", "not a line of this format"),
        (b',"seq":2,', b',"seq":3,', "number 3 where 2 is due"),
        (b',"seq":2,', b',"seq":02,', "not a line of this format"),
        (b',"seq":2,', b',"seq":2,"more":1,', "not a line of this format"),
        (b',"seq":2,', b',"seq":' + b"9" * 5000 + b",", "not a line of this format"),
        (b',"epoch":1,', b',"epoch":0,', "an earlier writer"),
        (b',"epoch":1,', b',"epoch":2,', "never claimed"),
        (b',"left":1,', b',"left":9,', "a decision before the last one is whole"),
        (b',"cause":"finished 0"', b',"cause":7', "not a line of this format"),
        (b',"cause":"finished 0"', b',"cause":"\xff"', "not readable JSON"),
        (b',"cause":"finished 0"', b',"cause":"\\x"', "not readable JSON"),
        (b'"event":{"kind":', b'"event":{"sort":', "not a line of this format"),
        (b'"event":{"kind":', b'"event": {"kind":', "not a line of this format"),
        (b'"event":{"kind":', b'"event":{"kind":"x","kind":[],"was":', "two things"),
        (b'"event":{"kind":', b'"event":{"kind":"x","kind":', "two things"),
        (b'"event":{"kind":"t', b'"event":{"kind":"\\u0074', "two things"),
        (b'"at":"2026-11', b'"at":"2026-13', "a time that never was"),
        (b'"at":"2026-11-16T00', b'"at":"2026-11-31T00', "a time that never was"),
        (b'"question":"Why', b'"question":"\xff', "not readable JSON"),
        (b'"question":"Why', b'"question":"\0', "not readable JSON"),
        (b'"question":"Why', b'"number":NaN,"question":"Why', "not readable JSON"),
        (b'"question":"Why', b'"question":"\\ud800', "not readable JSON"),
        (b'"question":"Why', b'"n":1e999,"question":"Why', "not readable JSON"),
        (b'"question":"Why', b'"n":' + b"9" * 5000 + b',"question":"Why', "not readable JSON"),
        (b'"question":"Why', b'"n":' + b"9" * 4300 + b',"question":"Why', "a number that readers"),
        (b'"question":"Why', b'"n":-' + b"9" * 309 + b',"question":"Why', "a number that readers"),
        (b'"question":"Why', b'"n":18446744073709551616,"question":"Why', "a number that readers"),
        (b'"question":"Why', b'"n":-9223372036854775809,"question":"Why', "a number that readers"),
        (b'"question":"Why', b'"question":"Who","question":"Why', "two things under one name"),
        (
            b'"question":"Why',
            b'"n":{"a":1,"\\u0061":2},"question":"Why',
            "two things under one name",
        ),
        (b'"question":"Why', b'"n":' + b"[" * 100_000 + b',"question":"Why', "not readable JSON"),
        (b',"event":{', b',"event":{"kind":"x"},"more":{', "behind its event"),
        (b'"question":"Why', BAD % b'"size":[],' + b'"question":"Why', "a blob that cannot be"),
        (b'"question":"Why', BAD % b'"size":1,' + b'"question":"Why', "a blob that cannot be"),
    ],
)
def test_a_line_that_is_sealed_and_still_not_right_is_found(
    old: bytes, new: bytes, what: str, built: BuiltHome
) -> None:
    trace = built.stream(built.tasks[0])
    lines = lines_of(trace)
    assert old in lines[1]
    lines[1] = lines[1].replace(old, new, 1)
    trace.write_bytes(reseal(*lines))
    fault = verify_home(built.root).faults[0]
    assert (fault.file, fault.line) == (shown(trace), 3 if old == b',"left":1,' else 2)
    assert what in fault.what


@pytest.mark.parametrize("number", [b"-9223372036854775808", b"18446744073709551615", b"-0"])
def test_a_number_that_every_reader_takes_for_the_same_is_no_fault(
    number: bytes, built: BuiltHome, tmp_path: Path
) -> None:
    line = lines_of(built.stream(built.tasks[0]))[1]
    line = line.replace(b'"question":"Why', b'"n":%b,"question":"Why' % number, 1)
    copy = tmp_path / f"{built.tasks[0]}.jsonl"
    copy.write_bytes(reseal(lines_of(built.stream(built.tasks[0]))[0], line))
    assert verify_trace(copy).proven


def test_an_epoch_in_the_catalogue_is_found(built: BuiltHome) -> None:
    trace = built.stream(CATALOGUE)
    lines = lines_of(trace)
    lines[0] = (
        lines[0]
        .replace(b'"epoch":0', b'"epoch":1')
        .replace(b'{"kind":"collection_created"', b'{"kind":"stream_claimed"')
    )
    trace.write_bytes(reseal(*lines))
    assert first(verify_home(built.root)) == (shown(trace), 1)


def test_at_most_a_thousand_faults_are_reported(built: BuiltHome) -> None:
    built.stream(CATALOGUE).write_bytes(b"x\n" * 5000)
    assert len(verify_home(built.root).faults) == 1000
