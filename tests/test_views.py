"""Views: they catch up with the record at every question, and say where it is broken."""

import os
from pathlib import Path
from typing import Any

import pytest

from events.base import UnknownFact
from events.catalogue import TaskEntered
from events.codec import GENESIS, decode, seal
from events.errors import BadRequest, BrokenChain, UnknownCollection, UnknownTask
from events.home import CATALOGUE, Home
from events.research import StepTaken
from events.stream import EventStream
from projections.views import Views
from tests.folded_homes import append_step, built, in_process, original
from tests.homes import (
    COLLECTION,
    BuiltHome,
    leave_task,
    lines_of,
    run_task,
)

__all__ = ["built", "original"]


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
