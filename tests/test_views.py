"""Every answer is read from the record, includes all of it, and survives the loss of every view."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.base import UnknownFact
from events.calls import CallAsked
from events.catalogue import StreamQuarantined, TaskEntered
from events.codec import GENESIS, decode, seal
from events.errors import BadRequest, BrokenChain, UnknownCollection, UnknownTask
from events.home import CATALOGUE, Home
from events.research import StepTaken
from events.stream import EventStream
from projections.folds import FORM
from projections.snapshots import Snapshots
from projections.views import Views
from tests.homes import (
    COLLECTION,
    BuiltHome,
    build_home,
    copy_home,
    leave_task,
    lines_of,
    run_job,
    run_task,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> BuiltHome:
    root = tmp_path_factory.mktemp("views") / "home"
    return build_home(root, jobs=2, tasks=3, researchers=2, calls=3, unfinished=1)


@pytest.fixture(scope="module")
def expected(original: BuiltHome) -> bytes:
    """The dump of the original, folded from zero."""
    return fresh(original.home).dump()


@pytest.fixture
def built(original: BuiltHome, tmp_path: Path) -> BuiltHome:
    return copy_home(original, tmp_path / "home")


def fresh(home: Home) -> Views:
    """Views of a home that know nothing and find no snapshot."""
    blind = Home(home.root)
    blind.views = home.root / "no views here"
    return Views(blind)


def append_step(built: BuiltHome, stream: str, step: int) -> None:
    writer = built.claim(stream)
    writer.append(StepTaken(step=step, of=100, action=f"step {step}", decision="Look."))
    writer.close()


def in_process(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


# -- catching up -----------------------------------------------------------------------------------


def test_an_answer_includes_what_another_process_appended(built: BuiltHome) -> None:
    views, task = Views(built.home), built.unfinished[0]
    assert views.status(task).steps == 0
    script = """
import sys
from pathlib import Path
from events.research import StepTaken
from events.stream import EventStream
stream, _ = EventStream.claim(Path(sys.argv[1]), "another process")
stream.append(StepTaken(step=5, of=10, action="look", decision="because"))
"""
    done = in_process(script, str(built.stream(f"{task}.r1")))
    assert done.returncode == 0, done.stderr
    status = views.status(task)
    assert (status.steps, status.progress, status.restarts) == (5, 50, 1)


def test_two_views_of_one_home_agree(built: BuiltHome) -> None:
    one, other = Views(built.home), Views(built.home)
    one.status(built.tasks[0])
    append_step(built, f"{built.unfinished[0]}.r1", 7)
    task = run_task(built, "one more")
    assert one.status(task) == other.status(task)
    assert one.tasks() == other.tasks()
    assert one.dump() == other.dump()


def test_a_home_that_does_not_exist_yet_is_an_empty_one(tmp_path: Path) -> None:
    views = Views(Home(tmp_path / "nothing"))
    assert (views.tasks().tasks, views.jobs(), views.sources(), views.collections()) == (
        (), [], [], [],
    )  # fmt: skip
    assert views.head().hash == GENESIS
    with pytest.raises(UnknownTask):
        views.status("a")
    assert not (tmp_path / "nothing").exists()


def test_a_status_question_opens_only_what_it_is_about(
    built: BuiltHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    really_open, really_list = os.open, os.listdir

    def spy(path: Any, *rest: Any, **more: Any) -> int:
        opened.append(Path(path).name)
        return really_open(path, *rest, **more)

    def list_views_only(path: Any) -> list[str]:
        assert built.home.traces not in (Path(path), *Path(path).parents)
        return really_list(path)

    monkeypatch.setattr(os, "open", spy)
    monkeypatch.setattr(os, "listdir", list_views_only)
    monkeypatch.setattr(os, "scandir", lambda *_: pytest.fail("a directory was scanned"))
    task = built.tasks[1]
    Views(built.home).status(task)
    streams = (CATALOGUE, task, f"{task}.r1", f"{task}.r2")
    assert set(opened) == {f"{name}.jsonl" for name in streams}


def test_a_task_that_was_folded_to_its_sealed_end_is_never_looked_at_again(
    built: BuiltHome,
) -> None:
    views, task = Views(built.home), built.tasks[0]
    status = views.status(task)
    for name in (task, *status.researchers):
        built.stream(name).unlink()
    assert views.status(task) == status


def test_an_unfinished_write_is_not_seen(built: BuiltHome) -> None:
    views, task = Views(built.home), built.unfinished[0]
    before = views.status(task)
    facts = [StepTaken(step=n, action="a", decision="b") for n in (1, 2)]
    lines, _ = seal(task, before.head_seq, "now", 1, None, before.head_hash, facts)
    path = built.stream(task)
    for part in (lines[0], lines[1][:-1]):
        with path.open("ab") as file:
            file.write(part)
        assert views.status(task) == before
    with path.open("ab") as file:
        file.write(lines[1][-1:])
    assert views.status(task).steps == 2


def test_lines_that_were_taken_back_before_anybody_relied_on_them_are_forgotten(
    built: BuiltHome,
) -> None:
    views, task = Views(built.home), built.unfinished[0]
    researcher = built.stream(f"{task}.r1")
    before = researcher.read_bytes()
    seq, head = views.head(f"{task}.r1").seq, views.head(f"{task}.r1").hash
    for step in (10, 2):
        lost = StepTaken(step=step, of=10, action="lost", decision="The disk was full.")
        lines, _ = seal(f"{task}.r1", seq, "2026-11-16T09:00:00.000000Z", 1, None, head, [lost])
        researcher.write_bytes(before + lines[0])
        assert views.status(task).steps == step
    researcher.write_bytes(before)
    assert views.status(task).steps == 0


# -- lists -----------------------------------------------------------------------------------------


def test_pages_are_newest_first_and_cover_everything_once(built: BuiltHome) -> None:
    for number in range(5):
        leave_task(built, f"more {number}")
    views, seen, cursor = Views(built.home), [], None
    while True:
        page = views.tasks(limit=2, cursor=cursor)
        seen += [status.task for status in page.tasks]
        cursor = page.cursor
        if cursor is None:
            break
        leave_task(built, f"entered between pages {len(seen)}")
    entered = [decode(line)["event"].get("task") for line in lines_of(built.stream(CATALOGUE))]
    newest_first = [task for task in reversed(entered) if task][-9:]
    assert seen == newest_first


def test_a_list_can_be_of_one_phase(built: BuiltHome) -> None:
    views = Views(built.home)
    built.enter(_entered("3f2b8c1e-0000-4000-8000-000000000001", built))
    assert [status.task for status in views.tasks("running").tasks] == built.unfinished
    assert [status.task for status in views.tasks("completed").tasks] == built.tasks[::-1]
    assert len(views.tasks("pending").tasks) == 1
    assert views.tasks("failed").tasks == ()


def _entered(task: str, built: BuiltHome) -> TaskEntered:
    brief = built.home.blobs.put(b"{}")
    return TaskEntered(task=task, brief=brief, question="?", researcher="corpus")


def test_a_forged_cursor_is_refused(built: BuiltHome) -> None:
    with pytest.raises(BadRequest):
        Views(built.home).tasks(cursor="²")
    assert len(Views(built.home).tasks(cursor="999999").tasks) == 4


def test_sources_are_listed_by_collection(built: BuiltHome) -> None:
    views = Views(built.home)
    assert len(views.sources()) == len(views.sources(COLLECTION)) == 2
    (collection,) = views.collections()
    assert (collection.collection, collection.documents, collection.chunks) == (COLLECTION, 2, 2)
    source = views.sources()[0]
    assert views.versions(COLLECTION, source.document) == (source,)
    with pytest.raises(UnknownCollection, match=COLLECTION):
        views.sources("acoustics")


def test_a_job_and_its_files_are_found(built: BuiltHome) -> None:
    views, job = Views(built.home), built.jobs[0]
    assert views.job(job).added == 1
    assert [each.job for each in views.jobs()] == built.jobs
    assert [(each.outcome, each.chunks) for each in views.files(job)] == [("added", 1)]
    with pytest.raises(UnknownTask):
        views.job(built.tasks[0])


def test_costs_are_summed_over_everything_by_day_and_model(built: BuiltHome) -> None:
    views = Views(built.home)
    costs = {spend.model: spend for spend in views.costs().totals}
    assert costs["claude-1"].answered == 6
    assert (costs["claude-1"].cost_usd, costs["claude-1"].tokens_in) == (0.075, 6000)
    assert costs[""].failed == 6
    assert views.costs() == Views(built.home).costs()


def test_heads_are_those_of_the_files(built: BuiltHome) -> None:
    views, task = Views(built.home), built.tasks[0]
    for name in (CATALOGUE, task, f"{task}.r2", built.jobs[0]):
        last = decode(lines_of(built.stream(name))[-1])
        assert (views.head(name).seq, views.head(name).hash) == (last["seq"], last["hash"])
    for name in ("nobody", f"{task}.r9", "../x"):
        with pytest.raises(UnknownTask):
            views.head(name)


# -- broken records --------------------------------------------------------------------------------


def break_line(path: Path, number: int) -> None:
    lines = lines_of(path)
    lines[number - 1] = lines[number - 1].replace(b'"at":"2026', b'"at":"2027')
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize("part", ["", ".r2"])
def test_a_broken_chain_hinders_no_question_about_others(built: BuiltHome, part: str) -> None:
    broken, *others = built.tasks
    break_line(built.stream(broken + part), 2)
    views = Views(built.home)
    with pytest.raises(BrokenChain) as refusal:
        views.status(broken)
    assert refusal.value.args[:2] == (f"{broken}{part}.jsonl", 2)
    with pytest.raises(BrokenChain):
        views.result(broken)
    assert [views.status(task).phase for task in others] == ["completed", "completed"]
    assert views.costs().left_out == (broken,)
    assert list(views.refresh_all().broken) == [broken]
    assert {row["task"] for row in views.sql("SELECT task FROM reads")} == set(others)


def test_a_list_marks_a_task_whose_record_is_broken(built: BuiltHome) -> None:
    break_line(built.stream(built.unfinished[0]), 1)
    break_line(built.stream(built.tasks[0]), 3)
    break_line(built.stream(built.jobs[1]), 3)
    views = Views(built.home)
    shown = {status.task: status for status in views.tasks().tasks}
    assert len(shown) == 4
    assert shown[built.tasks[0]].phase == "completed"
    assert shown[built.unfinished[0]].phase == "quarantined"
    for name in (built.tasks[0], built.unfinished[0]):
        assert shown[name].failure_code == "broken_chain"
    assert [job.failure_code for job in views.jobs()] == [None, "broken_chain"]


def test_a_sealed_stream_must_end_where_it_was_sealed(built: BuiltHome) -> None:
    task = built.tasks[0]
    path = built.stream(task)
    path.write_bytes(b"".join(lines_of(path)[:-1]))
    with pytest.raises(BrokenChain, match="does not end where"):
        Views(built.home).status(task)
    longer = built.stream(f"{built.tasks[1]}.r1")
    EventStream.claim(longer, "a zombie")[0].close()
    with pytest.raises(BrokenChain, match="does not end where"):
        Views(built.home).status(built.tasks[1])


def test_a_running_stream_that_lost_acknowledged_lines_is_refused(built: BuiltHome) -> None:
    path = built.stream(f"{built.unfinished[0]}.r1")
    path.write_bytes(b"".join(lines_of(path)[:-1]))
    with pytest.raises(BrokenChain, match="acknowledged lines are gone"):
        Views(built.home).status(built.unfinished[0])


def test_a_line_that_lacks_what_its_kind_says_is_refused(built: BuiltHome) -> None:
    views, task = Views(built.home), built.unfinished[0]
    head = views.head(f"{task}.r1")
    odd = UnknownFact.model_validate({"kind": "step_taken", "action": "a"})
    lines, _ = seal(head.stream, head.seq, "now", 1, None, head.hash, [odd])
    with built.stream(head.stream).open("ab") as file:
        file.write(lines[0])
    with pytest.raises(BrokenChain, match="lacks what its kind has to say"):
        views.status(task)
    assert views.status(built.tasks[0]).phase == "completed"


# -- snapshots -------------------------------------------------------------------------------------


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


# -- whatever the order ----------------------------------------------------------------------------


class Regrowth:
    """A home that is written once more, a few bytes at a time, in an order that could have been."""

    def __init__(self, source: BuiltHome, to: Home) -> None:
        to.prepare()
        shutil.copytree(source.root / "blobs", to.root / "blobs")
        self.home = to
        self.names = sorted(path.stem for path in source.traces())
        self._left = {path.stem: path.read_bytes() for path in source.traces()}

    def grow(self, name: str, size: int) -> bool:
        """Append up to so many bytes, but no anchor before the stream it anchors has ended."""
        allowed = 0
        for line in self._left[name].splitlines(keepends=True):
            if any(self._left[anchored] for anchored in self._anchored(name, line)):
                break
            allowed += len(line)
        part = self._left[name][: min(size, allowed)]
        self._left[name] = self._left[name][len(part) :]
        with self.home.path(name).open("ab") as file:
            file.write(part)
        return bool(part)

    def finish(self) -> None:
        while any([self.grow(name, 1 << 30) for name in self.names]):
            pass

    def _anchored(self, name: str, line: bytes) -> list[str]:
        if b'"kind":"stream_sealed"' in line or b'"kind":"researcher_reported"' in line:
            return [other for other in self.names if f'"{other}"'.encode() in line[100:]]
        return []


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_interleaving_of_appends_and_questions_matters(
    original: BuiltHome, expected: bytes, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as passing:
        regrowth = Regrowth(original, Home(Path(passing) / "home"))
        views = Views(regrowth.home)
        names = st.sampled_from(regrowth.names)
        for _ in range(data.draw(st.integers(1, 8))):
            for _ in range(data.draw(st.integers(1, 6))):
                regrowth.grow(data.draw(names), data.draw(st.sampled_from([300, 2000, 9000])))
            match data.draw(
                st.sampled_from(["status", "refresh", "save", "reopen", "sql", "dump"])
            ):
                case "status":
                    with suppress(UnknownTask):
                        views.status(data.draw(names))
                case "refresh":
                    assert views.refresh_all().broken == {}
                case "save":
                    views.save_snapshot()
                case "reopen":
                    views = Views(regrowth.home)
                case "sql":
                    views.sql("SELECT 1")
                case "dump":
                    assert views.dump() == fresh(regrowth.home).dump()
        regrowth.finish()
        assert views.dump() == expected
        assert Views(regrowth.home).dump() == expected


def test_readers_see_a_growing_stream_whole_and_in_order(built: BuiltHome) -> None:
    task = built.unfinished[0]
    views, over = Views(built.home), threading.Event()
    seen: dict[int, list[int]] = {0: [], 1: []}
    failures: list[BaseException] = []

    def read(place: int) -> None:
        try:
            while not over.is_set():
                status = views.status(task)
                # Each decision has two steps and is seen whole or not at all.
                assert status.steps % 2 == 0
                seen[place].append(status.steps)
        except BaseException as failure:  # noqa: BLE001 - handed to the test
            failures.append(failure)

    threads = [threading.Thread(target=read, args=(place,)) for place in seen]
    writer = built.claim(f"{task}.r1")
    for thread in threads:
        thread.start()
    for step in range(1, 301, 2):
        facts = [StepTaken(step=n, action="a", decision="b") for n in (step, step + 1)]
        acknowledged = writer.append(*facts)
        assert views.status(task).steps == step + 1
        assert views.head(f"{task}.r1") == acknowledged
    over.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(steps == sorted(steps) for steps in seen.values())


# -- SQL -------------------------------------------------------------------------------------------

TABLES = (
    "positions", "tasks", "jobs", "sources", "calls", "reads", "quotes", "gaps", "discoveries",
    "questions", "files",
)  # fmt: skip


def test_rows_and_positions_say_the_same(built: BuiltHome) -> None:
    views = Views(built.home)
    (counted,) = views.sql("SELECT sum(seq)::BIGINT AS lines FROM positions")
    assert counted["lines"] == sum(len(lines_of(path)) for path in built.traces())
    for row in views.sql("SELECT stream, seq, head FROM positions"):
        head = views.head(row["stream"])
        assert (row["seq"], row["head"]) == (head.seq, head.hash)


def test_the_tables_are_those_that_tools_rely_on(built: BuiltHome) -> None:
    views = Views(built.home)
    counts = {table: views.sql(f"SELECT count(*) AS n FROM {table}")[0]["n"] for table in TABLES}
    assert counts == {
        "positions": 14, "tasks": 4, "jobs": 2, "sources": 2, "calls": 27, "reads": 6, "quotes": 6,
        "gaps": 6, "discoveries": 0, "questions": 0, "files": 2,
    }  # fmt: skip


def test_tables_catch_up_with_what_was_appended(built: BuiltHome) -> None:
    views, task = Views(built.home), built.unfinished[0]
    asked = "SELECT attempts, outcome FROM calls WHERE task = ?"
    assert views.sql(asked, [task]) == [{"attempts": 1, "outcome": "asked"}]
    request = built.home.blobs.put(b"again")
    built.claim(f"{task}.r1").append(
        CallAsked(
            call="search:lost:1", port="search", operation="query", request=request, attempt=2
        )
    )
    assert views.sql(asked, [task]) == [{"attempts": 2, "outcome": "asked"}]
    built.enter(StreamQuarantined(target=task, code="x", message="y"))
    assert views.sql("SELECT phase FROM tasks WHERE task = ?", [task]) == [{"phase": "quarantined"}]


def test_what_the_tables_say_is_what_the_views_say(built: BuiltHome) -> None:
    views = Views(built.home)
    for row in views.sql("SELECT task, phase, cost_usd, researchers FROM tasks"):
        status = views.status(row["task"])
        assert (row["phase"], row["cost_usd"]) == (status.phase, status.cost_usd)
        assert tuple(row["researchers"]) == status.researchers


def test_a_query_that_fails_does_no_harm(built: BuiltHome) -> None:
    views = Views(built.home)
    with pytest.raises(Exception, match="nowhere"):
        views.sql("SELECT * FROM nowhere")
    assert views.sql("SELECT count(*) AS n FROM tasks") == [{"n": 4}]


def test_no_sql_library_is_loaded_before_sql_is_needed(built: BuiltHome) -> None:
    script = """
import sys
from pathlib import Path
from events.home import Home
from projections.views import Views

views = Views(Home(Path(sys.argv[1])))
views.status(sys.argv[2])
views.tasks(), views.jobs(), views.costs(), views.result(sys.argv[2])
views.save_snapshot()
print({"duckdb", "pyarrow", "numpy", "ray"} & set(sys.modules))
"""
    assert in_process(script, str(built.root), built.tasks[0]).stdout.strip() == "set()"
