"""Files and blobs that are not what they should be: a fault in the verdict, and nothing worse."""

import errno
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.homes import (
    BuiltHome,
)
from tests.tampering import built, first, flips, one_bit, pristine, reseal, restored, shown, trace
from traces import verify
from traces.verify import Finding, verify_home, verify_task, verify_trace

__all__ = ["built", "pristine", "trace"]


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


@pytest.mark.timeout(20)
def test_a_task_that_names_itself_is_no_circle_to_walk_in(built: BuiltHome) -> None:
    line = (
        b'{"v":1,"stream":"t","seq":1,"at":"2026-11-16T00:00:00.000000Z","epoch":0,"cause":null,'
        b'"left":0,"event":{"kind":"researcher_assigned","researcher":"t"},"prev":"'
    )
    built.stream("t").write_bytes(reseal(line))
    assert not verify_task(built.root, "t").proven
