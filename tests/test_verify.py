"""Whatever is done to a record, the verifier says so, and says where."""

import errno
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

from events.codec import GENESIS, seal
from events.errors import StaleWriter
from events.home import CATALOGUE
from events.research import StepTaken
from events.stream import EventStream
from events.tail import read_stream
from tests.homes import (
    BuiltHome,
    build_home,
    copy_home,
    lines_of,
    seqs_of_whole_decisions,
)
from traces import verify
from traces.verify import Finding, Verdict, verify_home, verify_trace

ROOT = Path(__file__).resolve().parent.parent
ROLES = ("catalogue", "job", "task", "researcher", "unfinished task", "unfinished researcher")
SEALED = ("job", "task", "researcher")
NOTHING = StepTaken(step=1, action="x", decision="y")
BAD = b'"blob":{"hash":"x",%b"stored":["x"]},'


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    return build_home(tmp_path_factory.mktemp("pristine") / "home", calls=0)


@pytest.fixture
def built(pristine: BuiltHome, tmp_path: Path) -> BuiltHome:
    return copy_home(pristine, tmp_path / "home")


def stream_of(role: str, built: BuiltHome) -> str:
    return {
        "catalogue": CATALOGUE,
        "job": built.jobs[0],
        "task": built.tasks[0],
        "researcher": built.researchers[0],
        "unfinished task": built.unfinished[0],
        "unfinished researcher": built.researchers[-1],
    }[role]


@pytest.fixture(params=ROLES)
def trace(request: pytest.FixtureRequest, built: BuiltHome) -> Path:
    """Each trace of the home in turn."""
    return built.stream(stream_of(request.param, built))


@pytest.fixture(params=SEALED)
def sealed_trace(request: pytest.FixtureRequest, built: BuiltHome) -> Path:
    """Each trace whose end its parent has recorded."""
    return built.stream(stream_of(request.param, built))


@contextmanager
def restored(path: Path) -> Iterator[bytes]:
    """Harm a file, and find it whole again afterwards."""
    before = path.read_bytes()
    try:
        yield before
    finally:
        path.write_bytes(before)


def first(verdict: Verdict) -> tuple[str, int | None]:
    assert verdict.faults, "nothing was found"
    return verdict.faults[0].file, verdict.faults[0].line


def shown(path: Path) -> str:
    return f"traces/{path.name}"


def reseal(*lines: bytes) -> bytes:
    """Chain lines anew, as a forger would who knows the format."""
    prev, out = GENESIS, b""
    for line in lines:
        body = b'%b,"prev":"%b"' % (line[: line.rindex(b',"prev":"')], prev.encode())
        prev = "sha256:" + hashlib.sha256(body + b"}").hexdigest()
        out += b'%b,"hash":"%b"}\n' % (body, prev.encode())
    return out


def note_head(trace: Path, seq: int, head: str) -> None:
    """Make the head file say what a forger wants it to."""
    slot = f"{seq:020} {head}\n"
    (trace.parent / "heads" / f"{trace.stem}.head").write_text(f"A\n{slot}{slot}")


def last_hash(raw: bytes) -> str:
    return "sha256:" + raw[-67:-3].decode()


# -- what is whole ---------------------------------------------------------------------------------


def test_an_untouched_home_is_proven_without_a_word(pristine: BuiltHome) -> None:
    verdict = verify_home(pristine.root)
    assert verdict.proven
    assert not verdict.notes
    assert verdict.streams == len(ROLES)
    assert verdict.records == sum(len(lines_of(path)) for path in pristine.traces())
    assert verdict.blobs == len(pristine.blob_files())
    files = (*pristine.traces(), *pristine.blob_files())
    assert verdict.bytes == sum(path.stat().st_size for path in files)


def test_a_larger_home_is_proven(tmp_path: Path) -> None:
    built = build_home(tmp_path / "home", jobs=2, tasks=2, researchers=3, calls=3, unfinished=2)
    assert verify_home(built.root) == Verdict(
        streams=1 + 2 + 2 * 4 + 2 * 2,
        records=sum(len(lines_of(path)) for path in built.traces()),
        blobs=len(built.blob_files()),
        bytes=sum(path.stat().st_size for path in (*built.traces(), *built.blob_files())),
    )


def test_every_trace_is_proven_by_itself(trace: Path) -> None:
    verdict = verify_trace(trace)
    assert verdict.proven
    assert verdict.blobs or trace.stem == CATALOGUE or b'"stored"' not in trace.read_bytes()


def test_a_trace_that_was_carried_away_is_proven_without_its_home(
    trace: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away" / trace.name
    away.parent.mkdir()
    shutil.copy(trace, away)
    assert verify_trace(away).proven


def test_an_empty_home_is_proven(tmp_path: Path) -> None:
    (tmp_path / "traces" / "heads").mkdir(parents=True)
    assert verify_home(tmp_path).proven


def test_a_stream_that_was_opened_and_not_yet_written_is_no_fault(built: BuiltHome) -> None:
    name = f"{built.unfinished[0]}.r1"
    for path in (built.stream(name), built.head_file(name)):
        path.write_bytes(b"")
    assert verify_home(built.root).proven
    built.head_file(name).unlink()
    assert verify_home(built.root).proven


def test_a_home_at_work_is_proven_all_the_while(tmp_path: Path) -> None:
    built = build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0)
    script = (
        "import sys; from pathlib import Path; from tests.homes import *\n"
        "built = BuiltHome(Home(Path(sys.argv[1])), ticking_clock())\n"
        "for number in range(12): run_task(built, f'task {number}', researchers=2)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(built.root)], cwd=ROOT)
    looks = 0
    while writer.poll() is None:
        assert verify_home(built.root).faults == []
        looks += 1
    assert writer.returncode == 0
    assert looks > 3
    assert verify_home(built.root).streams == 1 + 12 * 3


# -- bytes -----------------------------------------------------------------------------------------


def flips(trace: Path, bits: Callable[[int], Iterator[int]]) -> Iterator[tuple[int, int]]:
    """Every byte with every given bit flipped on disk, one after another, and the line it is in."""
    raw = trace.read_bytes()
    descriptor = os.open(trace, os.O_WRONLY)
    try:
        line = 1
        for offset, byte in enumerate(raw):
            for bit in bits(offset):
                os.pwrite(descriptor, bytes([byte ^ (1 << bit)]), offset)
                yield offset, line
            os.pwrite(descriptor, bytes([byte]), offset)
            line += byte == ord("\n")
    finally:
        os.close(descriptor)


def one_bit(offset: int) -> Iterator[int]:
    yield offset % 8


def every_bit(_: int) -> Iterator[int]:
    yield from range(8)


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
        (b'"question":"Why', b'"question":"\xff', "not readable JSON"),
        (b'"question":"Why', b'"question":"\0', "not readable JSON"),
        (b'"question":"Why', b'"number":NaN,"question":"Why', "not readable JSON"),
        (b'"question":"Why', b'"n":' + b"9" * 5000 + b',"question":"Why', "not readable JSON"),
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


# -- hostile files ---------------------------------------------------------------------------------


def a_directory(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_link_out_of_the_home(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_socket(path: Path) -> None:
    cwd = Path.cwd()
    os.chdir(path.parent)  # A socket's path must be short.
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(cwd)


def one_endless_line(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 << 20)


def deep_nesting(path: Path) -> None:
    path.write_bytes(b"[" * 1_000_000 + b"\n")


@pytest.mark.parametrize("kind", ["trace", "head", "blob"])
@pytest.mark.parametrize(
    "make",
    [a_directory, a_pipe, a_link_out_of_the_home, a_dangling_link, a_device, a_socket,
     one_endless_line, deep_nesting],
)  # fmt: skip
def test_a_hostile_file_is_a_fault_and_nothing_worse(
    make: Callable[[Path], None], kind: str, built: BuiltHome
) -> None:
    name = built.researchers[0]
    path = {
        "trace": built.stream(name),
        "head": built.head_file(name),
        "blob": built.blob_files()[0],
    }[kind]
    path.unlink()
    make(path)
    named = {fault.file for fault in verify_home(built.root).faults}
    assert path.relative_to(built.root).as_posix() in named
    if kind == "trace":
        assert not verify_trace(path).proven


@pytest.mark.parametrize("folder", ["traces", "traces/heads", "blobs", "blobs/*"])
def test_a_folder_that_is_a_link_is_not_followed(folder: str, built: BuiltHome) -> None:
    path = next(iter(built.root.glob(folder)))
    elsewhere = built.root.parent / "elsewhere"
    path.rename(elsewhere)
    for target in (elsewhere, path, Path("nowhere")):
        path.symlink_to(target)
        faults = verify_home(built.root).faults
        assert path.relative_to(built.root).as_posix() in {fault.file for fault in faults}
        path.unlink()


def test_a_home_reached_through_a_link_is_as_good_as_any(built: BuiltHome) -> None:
    link = built.root.parent / "link"
    link.symlink_to(built.root)
    assert verify_home(link).proven
    assert verify_trace(link / "traces" / "catalogue.jsonl").proven


def test_a_file_that_may_not_be_read_is_a_fault(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened = built.stream(built.tasks[0]), os.open

    def refuse(file: str | Path, *flags: int) -> int:
        if Path(file) == path:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(file, *flags)

    monkeypatch.setattr(os, "open", refuse)
    assert first(verify_home(built.root)) == (shown(path), None)


def test_a_home_that_is_none_is_a_fault(tmp_path: Path) -> None:
    assert not verify_home(tmp_path).proven
    assert not verify_trace(tmp_path / "nothing.jsonl").proven


# -- blobs -----------------------------------------------------------------------------------------


def test_every_blob_that_is_altered_is_found(built: BuiltHome) -> None:
    for path in built.blob_files():
        name = path.relative_to(built.root).as_posix()
        with restored(path) as raw:
            middle = len(raw) // 2
            for harmed in (
                bytes([raw[0] ^ 1]) + raw[1:],
                raw[:middle] + bytes([raw[middle] ^ 128]) + raw[middle + 1 :],
                raw[:-1] + bytes([raw[-1] ^ 4]),
                raw[:-1],
                raw[:middle],
                b"",
                raw + b"\0",
                raw + raw,
                zstandard.compress(b"something else"),
                zstandard.ZstdCompressor(level=19).compress(zstandard.decompress(raw)),
            ):
                path.write_bytes(harmed)
                assert {fault.file for fault in verify_home(built.root).faults} == {name}
        path.unlink()
        assert {fault.file for fault in verify_home(built.root).faults} == {name}
        path.write_bytes(raw)


def test_every_flipped_byte_of_a_blob_is_found(built: BuiltHome) -> None:
    for offset, _ in flips(built.blob_files()[0], one_bit):
        assert not verify_home(built.root).proven, f"byte {offset}"


def test_an_altered_blob_is_found_without_a_decompressor(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "_decompressor", lambda: None)
    verdict = verify_home(built.root)
    assert verdict.proven
    assert "no zstd decompressor" in verdict.notes[0].what
    for path in built.blob_files():
        with restored(path) as raw:
            path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
            assert not verify_home(built.root).proven


def test_a_blob_nobody_refers_to_is_noted_and_yet_must_be_what_its_name_says(
    built: BuiltHome,
) -> None:
    blob = built.home.blobs.put(b"written just before a crash")
    path = built.home.blobs.path(blob.hash)
    name = path.relative_to(built.root).as_posix()
    verdict = verify_home(built.root)
    assert verdict.proven
    assert verdict.notes == [Finding(name, None, "no line refers to it")]
    path.write_bytes(zstandard.compress(b"something else"))
    assert first(verify_home(built.root)) == (name, None)


def test_a_blob_half_written_is_noted(built: BuiltHome) -> None:
    left = built.blob_files()[0].parent / f".{'0' * 32}"
    left.write_bytes(b"half")
    verdict = verify_home(built.root)
    assert verdict.proven
    assert [note.file for note in verdict.notes] == [left.relative_to(built.root).as_posix()]


def test_a_reference_however_deep_and_however_spelled_is_followed(tmp_path: Path) -> None:
    missing = "sha256:" + "ab" * 32
    blob = {"hash": missing, "size": 1, "stored": missing}
    deep: object = blob
    for _ in range(50):
        deep = {"in": [deep]}
    plain = json.dumps(deep)
    for spelled in (plain, plain.replace("stored", "\\u0073tored")):
        lines = (
            b'{"v":1,"stream":"t","seq":1,"at":"2026-11-16T00:00:00.000000Z","epoch":0,'
            + (f'"cause":null,"left":0,"event":{{"kind":"x","deep":{spelled}}},"prev":"').encode()
        )
        (tmp_path / "traces").mkdir(exist_ok=True)
        (tmp_path / "blobs").mkdir(exist_ok=True)
        trace = tmp_path / "traces" / "t.jsonl"
        trace.write_bytes(reseal(lines))
        assert first(verify_trace(trace)) == (f"../blobs/ab/{'ab' * 31}", None)


def test_a_blob_that_unpacks_to_far_more_than_it_should_is_found_in_time(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "LARGEST_BLOB", 8 << 20)
    path = built.blob_files()[0]
    path.write_bytes(zstandard.compress(b"\0" * (64 << 20)))
    assert first(verify_home(built.root))[0] == path.relative_to(built.root).as_posix()


# -- torn tails ------------------------------------------------------------------------------------


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


# -- the command -----------------------------------------------------------------------------------


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the file by itself, with nothing importable but the standard library."""
    command = [sys.executable, "-I", "-S", str(ROOT / "traces" / "verify.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_runs_alone_and_says_proven(built: BuiltHome) -> None:
    done = run(built.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("proven: 6 streams, ")
    assert run(built.stream(CATALOGUE)).returncode == 0


def test_the_command_names_file_and_line(built: BuiltHome) -> None:
    trace = built.stream(CATALOGUE)
    trace.write_bytes(trace.read_bytes().replace(b"optics", b"optiks", 1))
    done = run(built.root)
    assert done.returncode == 1
    assert done.stdout.startswith("fault: traces/catalogue.jsonl, line 1: it does not match its")
    assert "NOT PROVEN" in done.stdout


def test_the_command_answers_in_json(built: BuiltHome) -> None:
    built.stream(built.tasks[0]).unlink()
    done = run(built.root, "--json")
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["proven"] is False
    assert said["faults"][0]["file"] == f"traces/{built.tasks[0]}.jsonl"
    assert said["streams"] == 5


def test_the_command_checks_a_kept_head(built: BuiltHome) -> None:
    head = last_hash(built.stream(CATALOGUE).read_bytes())
    assert run(built.root, "--head", head, "--head", f"catalogue:7:{head}").returncode == 0
    assert run(built.root, "--head", "sha256:" + "a" * 64).returncode == 1


@pytest.mark.parametrize("arguments", [(), ("nowhere",), (".", "--head", "sha256:ab"), (".", "-x")])
def test_the_command_misused_explains_itself(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "usage:" in done.stderr
