"""A research handed on as one file: it proves itself, can be taken over, and no changed byte goes unnoticed."""

import io
import json
import random
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import cli
from actors.archive import LocalArchive
from actors.inline import run_task
from actors.replay import replay
from contracts import bundle_zip, bundling, deep_research, importing
from contracts.bundle_page import pieces
from contracts.core import Core
from contracts.evidence import verify
from contracts.settings import Settings
from events.catalogue import Brief, TaskEntered
from events.codec import canonical, digest, seal
from events.errors import BadRequest, BundleRefused, TaskNotFinished, UnknownTask
from events.home import Home
from events.research import StepTaken
from events.task import ResearcherAssigned
from tests import past_tasks
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, teach
from tests.crashes import POINTS, Kill, _die, run_killed
from tests.emulator_claude import answer, sentence, tool, using
from tests.homes import build_home
from tests.make_golden import EXPECTED, HOME
from tests.past_tasks import PastTasks, citation
from traces.verify import verify_bundle, verify_home

Files = dict[str, bytes]
RANCE = "http://tides.example.gov/rance"
GOLDEN_TASK = str(json.loads(EXPECTED.read_bytes())["tasks"][0]["task"])


def core_at(root: Path) -> Core:
    return Core(Settings(home=root))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The research of the golden home, handed on."""
    place = tmp_path_factory.mktemp("golden")
    shutil.copytree(HOME, place / "home")
    target = place / "golden.zip"
    bundling.export(core_at(place / "home"), GOLDEN_TASK, str(target))
    return target


@pytest.fixture(scope="module")
def files(bundle: Path) -> Files:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def there(tmp_path: Path) -> Core:
    """Another home."""
    return core_at(tmp_path / "there")


def packed(files: Files, at: Path) -> Path:
    with at.open("wb") as out:
        bundle_zip.write(dict(files), out)
    return at


def with_manifest(files: Files) -> Files:
    """The files under a manifest that was made for them, as a forger would make it."""
    others = {name: raw for name, raw in files.items() if name != "manifest.json"}
    return others | {"manifest.json": bundling.manifest(GOLDEN_TASK, dict(others))}


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.relative_to(root).as_posix().startswith("run/")
    }


def refused(core: Core, path: Path) -> str:
    """Why a bundle is refused; nothing is changed by it."""
    core.home.prepare()
    before = everything(core.home.root)
    with pytest.raises(BundleRefused) as refusal:
        importing.import_bundle(core, path)
    assert everything(core.home.root) == before
    assert not (core.home.run / "imports").exists()
    return refusal.value.sentence


# -- handing on -----------------------------------------------------------------------------------


def test_a_bundle_is_proven_by_plain_python_alone(bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "unpacked")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "."],
        cwd=tmp_path / "unpacked",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1][:7]) == (0, "proven:"), done
    assert verify_bundle(tmp_path / "unpacked").faults == []


def test_the_same_research_makes_the_same_bytes(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    again = core_at(tmp_path / "home")
    bundling.export(again, GOLDEN_TASK, str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_what_was_imported_is_exported_as_the_same_bytes(
    bundle: Path, there: Core, tmp_path: Path
) -> None:
    importing.import_bundle(there, bundle)
    bundling.export(there, GOLDEN_TASK, str(tmp_path / "again.zip"))
    assert (tmp_path / "again.zip").read_bytes() == bundle.read_bytes()


def test_nothing_is_overwritten_and_nothing_is_left_beside(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    core = core_at(tmp_path / "home")
    target = tmp_path / "mine.zip"
    target.write_text("mine")
    with pytest.raises(BadRequest, match="exists already"):
        bundling.export(core, GOLDEN_TASK, str(target))
    assert target.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine.zip"]
    for wrong in ("", "bundle", "no/such/folder.zip", str(core.home.root / "in.zip"), ".zip"):
        with pytest.raises(Exception, match=r".") as refusal:
            bundling.export(core, GOLDEN_TASK, str(tmp_path / wrong) if "no/" in wrong else wrong)
        assert getattr(refusal.value, "code", None) in {"bad_request", "not_allowed"}


def test_only_what_has_ended_is_handed_on(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    core = core_at(past.built.root)
    running = past.running("Why is the sea salt?", steps=2)
    with pytest.raises(TaskNotFinished):
        bundling.export(core, running, str(tmp_path / "b.zip"))
    with pytest.raises(UnknownTask):
        bundling.export(core, "0b0e7a52-0000-4000-8000-000000000000", str(tmp_path / "b.zip"))
    done = past.completed("Why is the sky blue?")
    trace = past.built.stream(done)
    trace.write_bytes(trace.read_bytes().replace(b"sky blue", b"sky pink"))
    with pytest.raises(Exception, match=r"not one to hand on|does not match"):
        bundling.export(core, done, str(tmp_path / "b.zip"))
    assert not (tmp_path / "b.zip").exists()


@pytest.mark.parametrize("how", ["cancelled", "discarded", "failed", "timed out"])
def test_a_research_that_ended_otherwise_is_handed_on_too(how: str, tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.running("Why is the sea salt?", steps=2)
    past.read_and_quote(task)
    match how:
        case "failed":
            past.failed(task, "key_refused", "No.")
        case _:
            past.stopped(task, save_partial=how != "discarded", timed_out=how == "timed out")
    here, there = core_at(past.built.root), core_at(tmp_path / "there")
    bundling.export(here, task, str(tmp_path / "b.zip"))
    importing.import_bundle(there, tmp_path / "b.zip")
    assert there.views.status(task) == here.views.status(task)
    same = [deep_research.get_results(core, task, include_sources=True) for core in (here, there)]
    assert same[0]["success"] == same[1]["success"]
    assert same[0].get("report") == same[1].get("report")
    assert verify_home(there.home.root).faults == []


# -- taking over ----------------------------------------------------------------------------------


def test_what_was_imported_works_like_what_was_done_here(bundle: Path, there: Core) -> None:
    done = importing.import_bundle(there, bundle)
    assert done["imported"] and done["task_id"] == GOLDEN_TASK
    verdict = verify_home(there.home.root)
    assert (verdict.faults, verdict.notes) == ([], [])
    assert deep_research.status(there, GOLDEN_TASK)["imported_at"]
    found = deep_research.get_results(there, GOLDEN_TASK, include_sources=True)
    assert found["success"] and found["metadata"]["imported_at"] and found["sources"]
    (listed,) = deep_research.listing(there, None, 10, None)["tasks"]
    assert listed["task_id"] == GOLDEN_TASK and listed["imported_at"]
    assert verify(there, GOLDEN_TASK).verified
    assert replay(there.home, GOLDEN_TASK).differences == []
    assert there.catalogue.state().unfinished() == [], "what was imported is never run"


def test_the_same_view_comes_from_a_snapshot(bundle: Path, there: Core) -> None:
    importing.import_bundle(there, bundle)
    before = there.views.status(GOLDEN_TASK), there.views.imported_at(GOLDEN_TASK)
    there.views.save_snapshot()
    again = core_at(there.home.root).views
    assert (again.status(GOLDEN_TASK), again.imported_at(GOLDEN_TASK)) == before


def test_importing_again_changes_nothing(bundle: Path, there: Core) -> None:
    importing.import_bundle(there, bundle)
    before = everything(there.home.root)
    assert importing.import_bundle(there, bundle)["imported"] is False
    assert everything(there.home.root) == before


def test_where_it_comes_from_it_is_known(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / "home")
    home = core_at(tmp_path / "home")
    home.home.prepare()
    before = everything(home.home.root)
    assert importing.import_bundle(home, bundle)["imported"] is False
    assert everything(home.home.root) == before


def test_another_research_of_the_same_name_is_refused(
    bundle: Path, there: Core, tmp_path: Path
) -> None:
    built = build_home(tmp_path / "there", jobs=0, tasks=0, unfinished=0)
    brief = built.home.blobs.put(canonical(Brief(question="Something else?")))
    built.enter(
        TaskEntered(task=GOLDEN_TASK, brief=brief, question="Something else?", researcher="corpus")
    )
    assert "another one" in refused(there, bundle)


def test_what_others_paid_for_costs_nothing_here(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    task = past.completed("Why is the sky blue?", dollars=3.0)
    here, there = core_at(past.built.root), core_at(tmp_path / "there")
    bundling.export(here, task, str(tmp_path / "b.zip"))
    importing.import_bundle(there, tmp_path / "b.zip")
    assert sum(each.cost_usd for each in here.views.costs().totals) == pytest.approx(3.0)
    assert there.views.costs().totals == ()


def test_content_that_is_here_in_another_packing_stays(
    bundle: Path, files: Files, there: Core
) -> None:
    name = next(each for each in files if each.startswith("blobs/"))
    content = zstandard.ZstdDecompressor().decompress(files[name])
    otherwise = zstandard.ZstdCompressor(level=19, write_checksum=False).compress(content)
    assert otherwise != files[name]
    place = there.home.root / name
    there.home.prepare()
    place.parent.mkdir(parents=True)
    place.write_bytes(otherwise)
    importing.import_bundle(there, bundle)
    assert place.read_bytes() == otherwise
    verdict = verify_home(there.home.root)
    assert verdict.faults == [] and "packed otherwise" in str(verdict.notes)


def test_a_research_of_the_web_is_replayed_where_it_was_imported(
    there: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teach(monkeypatch)
    home = Home(tmp_path / "home")
    home.prepare()
    words = "The La Rance station stands in Brittany."
    script = (
        using(tool("fetch_pages", urls=[RANCE])),
        answer(sentence("La Rance stands in Brittany.", ("p1", words))),
    )
    archive = LocalArchive(home)
    task = archive.catalogue.enter_task(Brief(question="Where is it?", researcher="claude"))[0]
    run_task(archive, EmptyCorpus(), task, Indoors({RANCE: words}, script), AT_ONCE)
    bundling.export(core_at(home.root), task, str(tmp_path / "b.zip"))
    importing.import_bundle(there, tmp_path / "b.zip")
    assert verify(there, task).verified and verify(there, task).citations
    assert replay(there.home, task).differences == []
    (item,) = json.loads(zipfile.ZipFile(tmp_path / "b.zip").read("references.json"))
    assert (item["type"], item["URL"]) == ("webpage", RANCE)


@pytest.mark.parametrize("harm", ["change", "cut", "remove", "extend"])
def test_what_was_imported_is_guarded_like_everything_else(
    harm: str, bundle: Path, there: Core
) -> None:
    importing.import_bundle(there, bundle)
    for stream in (GOLDEN_TASK, f"{GOLDEN_TASK}.r1"):
        path = there.home.path(stream)
        raw = path.read_bytes()
        match harm:
            case "change":
                path.write_bytes(raw.replace(b'"left":0', b'"left":1', 1))
            case "cut":
                path.write_bytes(b"".join(raw.splitlines(keepends=True)[:-1]))
            case "remove":
                path.unlink()
            case _:
                path.write_bytes(raw + raw.splitlines(keepends=True)[-1])
        assert path.name in {Path(f.file).name for f in verify_home(there.home.root).faults}
        assert not verify(there, GOLDEN_TASK).verified
        path.write_bytes(raw)
    assert verify_home(there.home.root).faults == []


# -- dying in between -----------------------------------------------------------------------------


def dying_at(step: str, number: int) -> Callable[[], None]:
    """Makes this process die before or after it puts the so-manieth thing in its place."""

    def arm() -> None:
        count = 0

        def armed(put: Callable[..., None]) -> Callable[..., None]:
            def counted(*given: Any) -> None:
                nonlocal count
                count += 1
                if (step, count) == ("before", number):
                    _die()
                put(*given)
                if (step, count) == ("after", number):
                    _die()

            return counted

        importing.put_blob = armed(importing.put_blob)
        importing.put_file = armed(importing.put_file)

    return arm


WRITES = [Kill(write, point) for write in (2, 3) for point in POINTS]
"""The first write is the rehearsal's."""

PUTS = [("before", 1), ("after", 1), ("after", 8), *(("after", number) for number in range(15, 20))]


@pytest.mark.parametrize("kill", [*WRITES, *PUTS], ids=str)
def test_an_import_that_dies_leaves_nothing_to_see_and_can_be_made_again(
    bundle: Path, there: Core, kill: Kill | tuple[str, int]
) -> None:
    there.home.prepare()

    def work() -> None:
        if isinstance(kill, tuple):
            dying_at(*kill)()
        importing.import_bundle(core_at(there.home.root), bundle)

    assert not run_killed(work, kill if isinstance(kill, Kill) else None)
    over = kill == Kill(3, "after")
    assert len(there.views.tasks().tasks) == over
    assert verify_home(there.home.root).faults == []
    assert importing.import_bundle(core_at(there.home.root), bundle)["imported"] is not over
    verdict = verify_home(there.home.root)
    assert verdict.faults == []
    assert core_at(there.home.root).views.result(GOLDEN_TASK).report
    assert not (there.home.run / "imports").exists()


# -- tampering ------------------------------------------------------------------------------------


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


# -- hostile archives -----------------------------------------------------------------------------


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
        assert "no file of a bundle" in refused(
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


# -- the page -------------------------------------------------------------------------------------


def test_the_page_shows_each_citation_in_its_source_and_runs_nothing(files: Files) -> None:
    page = files["index.html"].decode()
    result = json.loads(files["report.json"])
    for each in result["sources"]:
        assert page.count(f'id="cite-{each["number"]}"') == 1
        assert each["content_hash"] in page
    assert "<script" not in page and "default-src 'none'" in page
    assert 'href="#cite-1"' in page and "<mark>" in page


def test_hostile_words_stay_words_on_the_page(tmp_path: Path) -> None:
    past = PastTasks(build_home(tmp_path / "home", jobs=0, tasks=0, unfinished=0))
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    cited = [citation(1, 0, 47, title=evil, locator="javascript:alert(1)")]
    task = past.completed(f"Why {evil}?", report=f"# {evil}\n\n{evil} [1]\n", citations=cited)
    made = bundling.contents(core_at(past.built.root), task)
    for name in ("index.html", "report.html"):
        page = made[name]
        assert isinstance(page, bytes)
        assert b"<script" not in page and b"<img" not in page and b'href="javascript' not in page


def test_a_text_is_cut_where_citations_begin_and_end() -> None:
    cut = pieces("abcdefghij", [(1, 2, 6), (2, 4, 8), (3, 20, 30)])
    assert "".join(each.text for each in cut) == "abcdefghij"
    assert "".join(each.text for each in cut if each.marked) == "cdefgh"
    assert [each.begins for each in cut if each.begins] == [(1,), (2,)]
    long = "x" * 300_000 + "HERE" + "y" * 300_000
    shown = "".join(each.text for each in pieces(long, [(1, 300_000, 300_004)]))
    assert "HERE" in shown and len(shown) < 10_000


# -- the documentation ----------------------------------------------------------------------------


def test_the_commands_on_the_page_about_bundles_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "evidence.md").read_text()
    lines = [
        line.removeprefix("$ ")
        for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S)
        for line in block.splitlines()
        if line.startswith("$ research-agent")
    ]
    assert {line.split()[1] for line in lines} >= {"export", "import", "calibration", "verify"}
    shutil.copytree(HOME, tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    for line in lines:
        words = line.replace("TASK", GOLDEN_TASK).split()[1:]
        home = "other" if "import" in words else "home"
        monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path / home))
        assert cli.main(words) == 0, line
        assert capsys.readouterr().out
    assert verify_home(tmp_path / "other").faults == []


def test_the_manifest_is_sealed_like_a_line(files: Files) -> None:
    raw = files["manifest.json"]
    body, _, rest = raw.rpartition(b',"seal":')
    assert json.loads(rest.removesuffix(b"}\n")) == digest(body + b"}")
    said = json.loads(raw)["files"]
    assert set(said) == set(files) - {"manifest.json"}
    assert canonical(said)


def test_a_home_is_left_as_it_is_by_looking_at_a_bundle(bundle: Path) -> None:
    staged = importing.check(bundle)
    assert staged.fact.task == GOLDEN_TASK
    assert not staged.home.root.exists()
    assert isinstance(staged.home, Home)
