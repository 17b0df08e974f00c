"""A research taken over from a bundle works like one that was done here, also after an import that died."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from actors.archive import LocalArchive
from actors.inline import run_task
from actors.replay import replay
from contracts.bundles import bundling, importing
from contracts.core import Core
from contracts.deep_research import calls as deep_research
from contracts.evidence.checks import verify
from events.catalogue import Brief, TaskEntered
from events.codec import canonical
from events.errors import DamagedBlob
from events.home import Home
from tests.bundles import (
    GOLDEN_TASK,
    RANCE,
    Files,
    bundle,
    core_at,
    everything,
    files,
    refused,
    there,
)
from tests.claude_world import AT_ONCE, EmptyCorpus, Indoors, teach
from tests.cli_homes import at, run
from tests.commands import Run
from tests.crashes import POINTS, Kill, _die, run_killed
from tests.emulator_claude import answer, sentence, tool, using
from tests.homes import build_home
from tests.make_golden import HOME
from tests.past_tasks import PastTasks
from traces.verify import verify_home

__all__ = ["at", "bundle", "files", "run", "there"]


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


def test_content_that_nobody_could_unpack_is_a_fault_also_of_an_import(
    bundle: Path, files: Files, there: Core
) -> None:
    importing.import_bundle(there, bundle)
    name = next(each for each in files if each.startswith("blobs/"))
    content = zstandard.ZstdDecompressor().decompress(files[name])
    sizeless = zstandard.ZstdCompressor(write_content_size=False).compress(content)
    for odd in (files[name] + b"x", files[name] * 2, sizeless):
        (there.home.root / name).write_bytes(odd)
        with pytest.raises(DamagedBlob):
            there.home.blobs.get(f"sha256:{name[6:8]}{name[9:]}")
        assert [fault.file for fault in verify_home(there.home.root).faults] == [name]


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


# -- dying in between ------------------------------------------------------------------------------


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


def test_the_question_of_a_stranger_steers_no_terminal(tmp_path: Path, at: Path, run: Run) -> None:
    past = PastTasks(build_home(tmp_path / "theirs", jobs=0, tasks=0, unfinished=0))
    task = past.completed("Why \x1b]0;title\x07\x1b[2J\u202e?\nwas here already")
    bundling.export(core_at(past.built.root), task, str(tmp_path / "b.zip"))
    done = run("import", str(tmp_path / "b.zip"))
    assert done.code == 0 and len(done.lines) == 3
    assert all(line.isprintable() for line in done.lines)
    assert Home(at).path(task).exists()
