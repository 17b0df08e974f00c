"""No changed byte of a bundle goes unnoticed, and no hostile archive is unpacked."""

import io
import random
import stat
import zipfile
from pathlib import Path

import pytest
import zstandard

from contracts.bundles import bundling, importing
from contracts.core import Core
from events.anchor import head_file
from events.codec import canonical, digest, seal
from events.research import StepTaken
from events.task import ResearcherAssigned
from tests import past_tasks
from tests.bundles import (
    GOLDEN_TASK,
    Files,
    bundle,
    core_at,
    files,
    packed,
    refused,
    there,
    with_manifest,
)
from tests.homes import build_home
from tests.past_tasks import PastTasks
from traces.verify import EXTRACT, verify_bundle

__all__ = ["bundle", "files", "there"]


def test_a_changed_byte_anywhere_is_noticed(bundle: Path, there: Core, tmp_path: Path) -> None:
    raw = bundle.read_bytes()
    chance = random.Random(7)
    places = {0, 4, 10, 14, len(raw) - 1, len(raw) - 22} | set(chance.sample(range(len(raw)), 60))
    for place in sorted(places):
        changed = bytearray(raw)
        changed[place] ^= 1 << chance.randrange(8)
        (tmp_path / "changed.zip").write_bytes(changed)
        refused(there, tmp_path / "changed.zip")
    for odd in (raw + b"\0", b"\0" + raw, raw[:-1], raw[: len(raw) // 2], raw + raw, b"", b"PK"):
        (tmp_path / "changed.zip").write_bytes(odd)
        refused(there, tmp_path / "changed.zip")
    assert importing.import_bundle(there, bundle)["imported"]


def test_a_changed_file_is_noticed_by_its_manifest(
    files: Files, there: Core, tmp_path: Path
) -> None:
    for name in files:
        changed = bytearray(files[name])
        changed[len(changed) // 2] ^= 1
        said = refused(there, packed(files | {name: bytes(changed)}, tmp_path / "b.zip"))
        assert name in said or "manifest.json" in said or "content" in said.lower()


def test_a_forger_who_also_makes_the_manifest_is_found_out_by_chain_and_hash(
    files: Files, there: Core, tmp_path: Path
) -> None:
    for name in files:
        if not name.startswith(("traces/", "blobs/", "catalogue-")):
            continue
        changed = bytearray(files[name])
        changed[len(changed) // 2] ^= 1
        forged = with_manifest(files | {name: bytes(changed)})
        if name.endswith(".head") and changed[0] == ord("A") and len(changed) // 2 > 95:
            continue  # The slot that does not count.
        refused(there, packed(forged, tmp_path / "b.zip"))


@pytest.mark.parametrize("part", ["traces/", "blobs/", "catalogue-extract", "references", "heads/"])
def test_a_missing_part_is_noticed(part: str, files: Files, there: Core, tmp_path: Path) -> None:
    gone = next(name for name in files if part in name)
    left = {name: raw for name, raw in files.items() if name != gone}
    refused(there, packed(left, tmp_path / "b.zip"))
    refused(there, packed(with_manifest(left), tmp_path / "b.zip"))


def test_an_unpacked_bundle_with_a_file_too_many_is_not_proven(
    files: Files, tmp_path: Path
) -> None:
    for name, raw in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    (tmp_path / "extra.txt").write_text("more")
    (tmp_path / "link").symlink_to("/")
    faults = {fault.file for fault in verify_bundle(tmp_path).faults}
    assert faults == {"extra.txt", "link"}


# -- hostile archives ------------------------------------------------------------------------------


def zipped(*entries: tuple[zipfile.ZipInfo | str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", how) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return raw.getvalue()


def link_to(target: str) -> bytes:
    info = zipfile.ZipInfo("index.html")
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return zipped((info, target.encode()))


HOSTILE = {
    "a path upwards": zipped(("../../evil.txt", b"x")),
    "an absolute path": zipped(("/etc/evil", b"x")),
    "a backslash": zipped(("..\\evil.txt", b"x")),
    "a link": link_to("/etc/passwd"),
    "a bomb": zipped(("blobs/00/" + "0" * 62, bytes(50 << 20)), how=zipfile.ZIP_DEFLATED),
    "a name of another script": zipped(("ünïcode.txt", b"x")),
    "a folder": zipped(("traces/", b"")),
    "no archive": b"Dear diary,\n" * 100,
    "an empty archive": zipped(),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused(what: str, there: Core, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(HOSTILE[what])
    refused(there, tmp_path / "b.zip")
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice_is_refused(there: Core, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_bytes(zipped(("index.html", b"x"), ("index.html", b"y")))
    refused(there, tmp_path / "b.zip")


def test_names_that_no_bundle_has_are_refused_however_they_are_packed(
    files: Files, there: Core, tmp_path: Path
) -> None:
    for name in ("../evil", "/evil", "traces/../../evil.jsonl", "blobs/../x", ".env", "views/x"):
        assert "does not belong in a bundle" in refused(
            there, packed(with_manifest(files | {name: b"x"}), tmp_path / "b.zip")
        )


def test_a_stream_of_somebody_else_cannot_be_smuggled_in(
    files: Files, there: Core, tmp_path: Path
) -> None:
    foreign = "0b0e7a52-0000-4000-8000-000000000000"
    step = StepTaken(step=1, action="x", decision="y")
    lines, _ = seal(
        foreign, 0, "2026-01-01T00:00:00.000000Z", 1, None, "sha256:" + "0" * 64, [step]
    )
    smuggled = {f"traces/{foreign}.jsonl": b"".join(lines), "traces/catalogue.jsonl": b""}
    for name, raw in smuggled.items():
        refused(there, packed(with_manifest(files | {name: raw}), tmp_path / "b.zip"))


def test_a_whole_forged_research_cannot_claim_a_stream_of_another_name(
    there: Core, tmp_path: Path
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.running("Why is the sky blue?", steps=1)
    stream = past.built.claim(task)
    stream.append(ResearcherAssigned(researcher="queries", researcher_kind="x", question="?"))
    stream.close()
    past.conclude(task)
    core = core_at(past.built.root)
    made = {
        name: raw if isinstance(raw, bytes) else raw.read_bytes()
        for name, raw in bundling.contents(core, task).items()
    }
    said = refused(there, packed(made, tmp_path / "b.zip"))
    assert "not of its research" in said


def test_content_that_would_grow_beyond_measure_is_refused_before_it_is_unpacked(
    files: Files, there: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LARGEST_CONTENT", 1 << 20)
    bomb = zstandard.ZstdCompressor().compress(bytes(8 << 20))
    name = digest(bytes(8 << 20))[7:]
    forged = with_manifest(files | {f"blobs/{name[:2]}/{name[2:]}": bomb})
    assert "GiB" in refused(there, packed(forged, tmp_path / "b.zip"))


def test_a_brief_that_is_packed_small_and_unpacked_large_is_refused(
    there: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    monkeypatch.setattr(past_tasks, "canonical", lambda value: canonical(value) + b" " * (2 << 20))
    task = past.completed("Why is the sky blue?")
    bundling.export(core_at(past.built.root), task, str(tmp_path / "b.zip"))
    assert (tmp_path / "b.zip").stat().st_size < 200_000
    assert "at once than 1 MiB" in refused(there, tmp_path / "b.zip")


@pytest.mark.parametrize("what", ["_LARGEST_BRIEF", "_LARGEST_RESULT", "_LARGEST_REPORT"])
def test_nothing_larger_than_expected_is_read(
    what: str, bundle: Path, there: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, what, 10)
    assert "more to read at once" in refused(there, bundle)


@pytest.mark.parametrize("oddity", [AttributeError, IndexError, MemoryError, AssertionError])
def test_whatever_reading_a_bundle_stumbles_over_it_is_refused(
    oddity: type[Exception], bundle: Path, there: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*given: object) -> None:
        raise oddity

    monkeypatch.setattr(importing, "_streams", stumble)
    assert "it is odd" in refused(there, bundle)


def test_blobs_that_the_research_does_not_speak_of_are_refused(
    files: Files, there: Core, tmp_path: Path
) -> None:
    stored = zstandard.ZstdCompressor(write_checksum=True).compress(b"stowaway")
    name = digest(b"stowaway")[7:]
    forged = with_manifest(files | {f"blobs/{name[:2]}/{name[2:]}": stored})
    assert "does not speak of" in refused(there, packed(forged, tmp_path / "b.zip"))


def test_an_unpacked_research_without_its_end_is_not_proven(files: Files, tmp_path: Path) -> None:
    trace, head = f"traces/{GOLDEN_TASK}.jsonl", f"traces/heads/{GOLDEN_TASK}.head"
    lines = files[trace].splitlines(keepends=True)
    kept = lines[:1]
    assert b'"left":0' in kept[-1]
    cut = {name: raw for name, raw in files.items() if not name.startswith("traces/")} | {
        trace: b"".join(kept),
        head: head_file(len(kept), "sha256:" + kept[-1][-67:-3].decode()),
        EXTRACT: files[EXTRACT].splitlines(keepends=True)[0],
    }
    unpacked(with_manifest(cut), tmp_path / "cut")
    assert [fault.file for fault in verify_bundle(tmp_path / "cut").faults] == [EXTRACT]


def test_an_unpacked_bundle_of_another_research_than_it_says_is_not_proven(
    files: Files, tmp_path: Path
) -> None:
    others = {name: raw for name, raw in files.items() if name != "manifest.json"}
    for place, task in enumerate(("0b0e7a52-0000-4000-8000-000000000000", None)):
        manifest = bundling.manifest(task, dict(others))  # type: ignore[arg-type]
        unpacked(others | {"manifest.json": manifest}, tmp_path / f"{place}")
        assert [fault.file for fault in verify_bundle(tmp_path / f"{place}").faults] == [EXTRACT]


def unpacked(files: Files, at: Path) -> None:
    for name, raw in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(raw)
