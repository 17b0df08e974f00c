"""Snapshots: they make a cold start cheap, and never an answer different."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.home import CATALOGUE
from projections.folds import FORM
from projections.snapshots import Snapshots
from projections.views import Views
from tests.folded_homes import ROOT, append_step, built, expected, fresh, in_process, original
from tests.homes import (
    BuiltHome,
    build_home,
    lines_of,
    run_job,
    run_task,
)

__all__ = ["built", "expected", "original"]


def test_snapshot_and_tail_are_the_fold_from_zero(built: BuiltHome, expected: bytes) -> None:
    views = Views(built.home)
    assert views.dump() == expected
    views.save_snapshot()
    assert Views(built.home).dump() == expected
    append_step(built, f"{built.unfinished[0]}.r1", 3)
    run_job(built, 7)
    run_task(built, "after the snapshot", researchers=2)
    assert Views(built.home).dump() == views.dump() == fresh(built.home).dump() != expected


def test_deleting_the_views_changes_nothing(built: BuiltHome, expected: bytes) -> None:
    views = Views(built.home)
    views.dump()
    views.save_snapshot()
    shutil.rmtree(built.home.views)
    assert views.dump() == expected
    assert Views(built.home).dump() == expected


def test_a_rebuild_gives_the_same_bytes_and_counts(built: BuiltHome, expected: bytes) -> None:
    (built.home.views / "folds").mkdir(parents=True)
    (built.home.views / "folds" / "rubbish").write_text("rubbish")
    views = Views(built.home)
    counts = views.rebuild()
    lines = sum(len(lines_of(path)) for path in built.traces())
    assert (counts.tasks, counts.jobs, counts.sources) == (4, 2, 2)
    assert (counts.facts, counts.broken) == (lines, {})
    assert views.dump() == Views(built.home).dump() == expected


def test_a_snapshot_is_written_when_enough_was_folded(built: BuiltHome) -> None:
    folds = built.home.views / "folds"
    views = Views(built.home, snapshot_every=50)
    views.status(built.unfinished[0])
    assert not folds.exists()
    views.refresh_all()
    assert len(list(folds.iterdir())) == 1
    views.refresh_all()
    assert len(list(folds.iterdir())) == 1


def test_a_snapshot_spares_reading_what_is_at_rest(built: BuiltHome, expected: bytes) -> None:
    views = Views(built.home)
    views.dump()
    views.save_snapshot()
    again = Views(built.home)
    assert again.refresh_all().facts == 0
    again.dump()
    statuses = [views.status(task) for task in built.tasks]
    for path in built.traces():
        if path.stem != CATALOGUE and not path.stem.startswith(built.unfinished[0]):
            path.unlink()
    assert [Views(built.home).status(task) for task in built.tasks] == statuses
    assert Views(built.home).dump() == expected


def newest(built: BuiltHome, kind: str) -> Path:
    return max((built.home.views / kind).iterdir())


def files_of_snapshots(built: BuiltHome) -> Iterator[Path]:
    for kind in ("folds", "tables"):
        yield from sorted(path for path in newest(built, kind).iterdir())


def test_a_damaged_snapshot_is_ignored(built: BuiltHome, expected: bytes) -> None:
    views = Views(built.home)
    views.dump()
    views.save_snapshot()
    for path in files_of_snapshots(built):
        whole = path.read_bytes()
        for harm in (b"", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
            path.write_bytes(harm)
            assert Views(built.home).status(built.tasks[0]).phase == "completed"
        path.unlink()
        assert Views(built.home).refresh_all().broken == {}
        path.write_bytes(whole)
    for path in list(files_of_snapshots(built)):
        path.write_bytes(b"[]")
    assert Views(built.home).dump() == expected


def test_a_snapshot_of_another_form_is_ignored(built: BuiltHome, expected: bytes) -> None:
    views = Views(built.home)
    views.dump()
    views.save_snapshot()
    for kind in ("folds", "tables"):
        path = newest(built, kind) / "manifest.json"
        manifest = json.loads(path.read_text())
        path.write_text(json.dumps(manifest | {"form": "folds 0"}))
    reopened = Views(built.home)
    assert reopened.refresh_all().facts == sum(len(lines_of(path)) for path in built.traces())
    assert reopened.dump() == expected


def test_of_two_snapshots_the_newest_whole_one_counts(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path, "test")
    for content in (b"one", b"two", b"three"):
        snapshots.save({"a": content})
    assert snapshots.newest() == {"a": b"three"}
    assert len(list(tmp_path.iterdir())) == 2
    (max(tmp_path.iterdir()) / "a").write_bytes(b"threE")
    assert snapshots.newest() == {"a": b"two"}
    snapshots.save({"a": b"four"})
    assert snapshots.newest() == {"a": b"four"}
    assert Snapshots(tmp_path, "another").newest() == {}


@pytest.mark.parametrize("harm", ["shorter", "other", "gone"])
def test_a_snapshot_that_does_not_fit_its_stream_is_not_trusted(
    built: BuiltHome, harm: str
) -> None:
    views, task = Views(built.home), built.unfinished[0]
    append_step(built, f"{task}.r1", 9)
    views.dump()
    views.save_snapshot()
    path = built.stream(f"{task}.r1")
    built.head_file(f"{task}.r1").unlink()
    if harm == "shorter":
        path.write_bytes(b"".join(lines_of(path)[:-1]))
    else:
        path.unlink()
    if harm == "other":
        append_step(built, f"{task}.r1", 4)
        append_step(built, f"{task}.r1", 5)
        append_step(built, f"{task}.r1", 6)
    assert Views(built.home).status(task) == fresh(built.home).status(task)
    assert Views(built.home).status(task).steps == {"shorter": 0, "other": 6, "gone": 0}[harm]
    assert Views(built.home).dump() == views.dump() == fresh(built.home).dump()


def test_a_snapshot_that_does_not_fit_the_catalogue_is_not_trusted(
    built: BuiltHome, tmp_path: Path
) -> None:
    views = Views(built.home)
    views.dump()
    views.save_snapshot()
    other = build_home(tmp_path / "other", jobs=1, tasks=2, researchers=1, unfinished=2)
    shutil.copytree(built.home.views, other.home.views, dirs_exist_ok=True)
    assert Views(other.home).dump() == fresh(other.home).dump()


SAVES_OFTEN = """
import sys
from pathlib import Path
from events.home import Home
from projections.views import Views

for _ in range(15):
    views = Views(Home(Path(sys.argv[1])))
    views.refresh_all()
    views.save_snapshot()
"""


def test_several_processes_save_at_once_and_none_does_harm(
    built: BuiltHome, expected: bytes
) -> None:
    command = [sys.executable, "-c", SAVES_OFTEN, str(built.root)]
    saving = [subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) for _ in range(3)]
    for process in saving:
        _, complaint = process.communicate(timeout=60)
        assert process.returncode == 0, complaint
    again = Views(built.home)
    assert again.refresh_all().facts == 0
    assert again.dump() == expected


DIES_WHILE_SAVING = """
import os, signal, sys
from pathlib import Path
from events.home import Home
from projections.views import Views

views = Views(Home(Path(sys.argv[1])))
views.refresh_all()
left = int(sys.argv[2])

def perhaps_die(really):
    def act(*arguments, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return really(*arguments, **more)
    return act

os.fsync, os.rename = perhaps_die(os.fsync), perhaps_die(os.rename)
Path.mkdir, Path.rename = perhaps_die(Path.mkdir), perhaps_die(Path.rename)
views.save_snapshot()
print("saved")
"""


def test_a_process_that_is_killed_while_saving_leaves_the_last_good_snapshot(
    built: BuiltHome,
) -> None:
    views = Views(built.home)
    views.refresh_all()
    views.save_snapshot()
    good = Snapshots(built.home.views / "folds", FORM).newest()
    run_task(built, "not in the snapshot")
    for steps in range(0, 9, 2):
        died = in_process(DIES_WHILE_SAVING, str(built.root), str(steps))
        if died.returncode == 0:
            break
        found = Snapshots(built.home.views / "folds", FORM).newest()
        assert found == good or steps > 6
        assert Views(built.home).refresh_all().broken == {}
    assert Views(built.home).dump() == fresh(built.home).dump()
    assert "saved" in in_process(DIES_WHILE_SAVING, str(built.root), "99").stdout


def test_a_home_that_cannot_be_written_can_still_be_read(built: BuiltHome) -> None:
    shutil.rmtree(built.home.views, ignore_errors=True)
    built.home.views.write_text("a file where the directory should be")
    assert Views(built.home, snapshot_every=1).refresh_all().broken == {}
