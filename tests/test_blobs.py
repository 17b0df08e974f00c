"""Content by its hash: kept once, whole or absent, and never mistaken for other content."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from events import blobs as blobs_module
from events.blobs import BlobStore
from events.codec import digest
from events.errors import DamagedBlob, DiskFull, HomeUnwritable, MissingBlob

ROOT = Path(__file__).resolve().parent.parent
CONTENT = b"Air scatters blue light more strongly than red. " * 20


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


def files(store: BlobStore) -> list[Path]:
    return sorted(path for path in store._root.rglob("*") if path.is_file())


def test_what_is_put_can_be_got_by_its_hash(store: BlobStore) -> None:
    blob = store.put(CONTENT)
    assert store.get(blob.hash) == CONTENT
    assert store.get_text(blob.hash) == CONTENT.decode()
    assert (blob.hash, blob.size) == (digest(CONTENT), len(CONTENT))
    assert blob.stored == digest(store.path(blob.hash).read_bytes())
    assert store.path(blob.hash).relative_to(store._root).parts == (blob.hash[7:9], blob.hash[9:])


@settings(max_examples=50, deadline=None)
@given(content=st.binary(max_size=4096))
def test_any_content_survives(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    store = BlobStore(tmp_path_factory.mktemp("any"))
    assert store.get(store.put(content).hash) == content


def test_the_same_content_twice_is_kept_once(store: BlobStore) -> None:
    first = store.put(CONTENT)
    written = store.path(first.hash).stat()
    assert store.put(CONTENT) == first
    assert files(store) == [store.path(first.hash)]
    assert store.path(first.hash).stat().st_ino == written.st_ino


def test_content_is_compressed_and_private(store: BlobStore) -> None:
    path = store.path(store.put(CONTENT).hash)
    assert path.stat().st_size < len(CONTENT) / 4
    assert path.stat().st_mode & 0o077 == 0


def test_many_processes_putting_the_same_content_keep_one_whole_copy(store: BlobStore) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom events.blobs import BlobStore\n"
        "store = BlobStore(Path(sys.argv[1]))\n"
        "for n in range(40):\n"
        "    content = b'%d shared' % n * 50\n"
        "    assert store.get(store.put(content).hash) == content\n"
    )
    command = [sys.executable, "-c", script, str(store._root)]
    workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(3)]
    assert [worker.wait() for worker in workers] == [0] * 3
    expected = [store.path(digest(b"%d shared" % n * 50)) for n in range(40)]
    assert files(store) == sorted(expected)


def test_a_missing_blob_is_a_typed_refusal(store: BlobStore) -> None:
    absent = digest(b"absent")
    with pytest.raises(MissingBlob) as refusal:
        store.get(absent)
    assert refusal.value.args == (absent,)


@pytest.mark.parametrize(
    "name",
    ["", "sha256:", "sha256:abc", "x" * 64, "sha256:" + "A" * 64, "sha256:" + "../" * 21 + "x",
     "md5:" + "a" * 64, "a" * 65],
)  # fmt: skip
def test_a_hash_that_is_none_names_no_file(name: str, store: BlobStore) -> None:
    with pytest.raises(MissingBlob):
        store.get(name)


def test_a_flipped_bit_is_never_taken_for_content_and_is_healed_by_putting_it_again(
    store: BlobStore,
) -> None:
    blob = store.put(CONTENT)
    path = store.path(blob.hash)
    raw = path.read_bytes()
    for offset in range(len(raw)):
        path.write_bytes(
            raw[:offset] + bytes([raw[offset] ^ (1 << offset % 8)]) + raw[offset + 1 :]
        )
        try:
            assert store.get(blob.hash) == CONTENT, "a bit that zstd ignores"
        except DamagedBlob:
            assert store.put(CONTENT) == blob
            assert path.read_bytes() == raw
        assert store.get(blob.hash) == CONTENT


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:-1],
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw + b"\0",
        lambda raw: raw + raw,
        lambda raw: b"not zstd at all",
        lambda raw: zstandard.compress(b"other content"),
    ],
)
def test_a_damaged_blob_is_refused_and_healed_by_putting_it_again(
    damage: object, store: BlobStore
) -> None:
    assert callable(damage)
    blob = store.put(CONTENT)
    path = store.path(blob.hash)
    raw = path.read_bytes()
    path.write_bytes(damage(raw))
    with pytest.raises(DamagedBlob) as refusal:
        store.get(blob.hash)
    assert refusal.value.args[0] == blob.hash
    assert store.put(CONTENT) == blob
    assert path.read_bytes() == raw


def test_a_blob_that_claims_to_be_enormous_is_refused_before_it_is_unpacked(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = store.put(CONTENT)
    bomb = zstandard.compress(b"\0" * (4 << 20))
    store.path(blob.hash).write_bytes(bomb)
    monkeypatch.setattr(blobs_module, "LIMIT", 1 << 20)
    with pytest.raises(DamagedBlob, match="not believable"):
        store.get(blob.hash)
    streamed = zstandard.ZstdCompressor(write_content_size=False).compress(CONTENT)
    store.path(blob.hash).write_bytes(streamed)
    with pytest.raises(DamagedBlob, match="not believable"):
        store.get(blob.hash)


def test_a_crash_before_the_rename_leaves_no_blob(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        pass

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", crash)
        with pytest.raises(Crash):
            store.put(CONTENT)
    with pytest.raises(MissingBlob):
        store.get(digest(CONTENT))
    assert store.get(store.put(CONTENT).hash) == CONTENT


def test_content_and_names_are_synced_before_a_blob_is_referred_to(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.rename

    def watched_sync(descriptor: int) -> None:
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "content")  # noqa: PTH112
        sync(descriptor)

    def watched_rename(path: Path, to: Path) -> Path:
        done.append("rename")
        return rename(path, to)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(Path, "rename", watched_rename)
    store.put(CONTENT)
    assert done == ["folder", "content", "rename", "folder"]


@pytest.mark.parametrize(
    ("code", "refusal"),
    [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, HomeUnwritable)],
)
@pytest.mark.parametrize("function", ["write", "fsync"])
def test_a_disk_that_fails_is_a_typed_refusal_and_leaves_nothing_behind(
    function: str,
    code: int,
    refusal: type[Exception],
    store: BlobStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.put(b"before")
    before = files(store)

    def fail(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail)
        with pytest.raises(refusal):
            store.put(CONTENT)
    assert files(store) == before
    assert store.get(store.put(CONTENT).hash) == CONTENT


def test_trouble_that_may_pass_is_not_taken_for_damage(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = store.put(CONTENT)
    for number, expected in ((errno.EMFILE, OSError), (errno.EIO, DamagedBlob)):
        with monkeypatch.context() as patch:

            def fails(self: Path, number: int = number) -> bytes:
                raise OSError(number, os.strerror(number))

            patch.setattr(Path, "read_bytes", fails)
            with pytest.raises(expected):
                store.get(blob.hash)
        assert store.get(blob.hash) == CONTENT
