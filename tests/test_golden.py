"""A home as the first release wrote it: every later version proves, folds, replays and goes on with it."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.replay import replay
from events.anchor import Anchor, anchor_path
from events.base import UnknownFact
from events.catalogue import Brief
from events.codec import digest
from events.home import CATALOGUE, Home
from projections.views import Views
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from tests.make_golden import EXPECTED, GOLDEN, HOME, QUESTION, adds_up_to, as_json
from traces.verify import verify_home


@pytest.fixture
def golden(tmp_path: Path) -> Home:
    """A copy of it."""
    shutil.copytree(HOME, tmp_path / "home")
    return Home(tmp_path / "home")


@pytest.fixture
def task() -> str:
    return str(json.loads(EXPECTED.read_bytes())["tasks"][0]["task"])


def test_it_is_small_and_complete() -> None:
    files = [path for path in GOLDEN.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 200_000
    traces = {path.stem for path in (HOME / "traces").glob("*.jsonl")}
    assert {path.stem for path in (HOME / "traces" / "heads").glob("*.head")} == traces
    assert {path.name for path in HOME.iterdir()} == {"traces", "blobs"}


def test_it_is_proven(golden: Home) -> None:
    verdict = verify_home(golden.root)
    assert (verdict.faults, verdict.notes) == ([], [])
    assert (verdict.streams, verdict.records) == (4, _lines(golden))


def _lines(home: Home) -> int:
    return sum(path.read_bytes().count(b"\n") for path in home.traces.glob("*.jsonl"))


def test_it_adds_up_to_what_it_always_did(golden: Home) -> None:
    assert as_json(adds_up_to(golden)) == EXPECTED.read_bytes()


def test_it_adds_up_to_the_same_from_a_snapshot(golden: Home) -> None:
    Views(golden).save_snapshot()
    assert as_json(adds_up_to(golden)) == EXPECTED.read_bytes()


def test_it_replays_to_the_same_report(golden: Home, task: str) -> None:
    outcome = replay(golden, task)
    assert outcome.differences == []
    assert outcome.citations > 0


def test_its_corpus_is_still_found(golden: Home) -> None:
    found = open_letters_corpus(str(golden.root)).search("range of spring tides at Saint-Malo", 3)
    assert "12 metres" in found[0]["text"]


def test_work_goes_on_in_it(golden: Home, tmp_path: Path) -> None:
    golden.prepare()
    archive = LocalArchive(golden)
    (tmp_path / "new.md").write_text("# Neap tides\n\nNeap tides occur between spring tides.\n")
    job, _ = archive.catalogue.enter_job("tides", [str(tmp_path / "new.md")])
    IngestJob(archive, AnyParser(), open_letters, job).run()
    task, _ = archive.catalogue.enter_task(Brief(question="What are neap tides?"))
    run_task(archive, OpenedCorpus(open_letters_corpus(str(golden.root))), task)
    assert Views(golden).status(task).phase == "completed"
    assert replay(golden, task).identical
    verdict = verify_home(golden.root)
    assert (verdict.faults, verdict.streams) == ([], 7)


def test_its_idempotency_key_still_means_its_task(golden: Home, task: str) -> None:
    golden.prepare()
    brief = Brief(question=QUESTION, context="For a travel guide.", depth="shallow")
    assert LocalArchive(golden).catalogue.enter_task(brief, key="golden")[0] == task


# -- facts that are still to come -----------------------------------------------------------------

STRANGER = {"kind": "weather_observed", "wind": {"knots": 12}, "where": ["Saint-Malo", None]}


def rewrite(home: Home, stream: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """A stream as another writer would have written it: lines changed, then numbered and sealed anew."""
    path = home.path(stream)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(lines)
    head, sealed = "sha256:" + "0" * 64, b""
    for number, line in enumerate(lines, 1):
        line |= {"seq": number, "prev": head}
        del line["hash"]
        body = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()
        head = digest(body)
        sealed += body[:-1] + b',"hash":"%b"}\n' % head.encode()
    path.write_bytes(sealed)
    descriptor = os.open(anchor_path(path), os.O_RDWR)
    Anchor(descriptor).note(len(lines), head)
    os.close(descriptor)


def insert_stranger(at: int) -> Callable[[list[dict[str, Any]]], None]:
    def insert(lines: list[dict[str, Any]]) -> None:
        place = next(n for n in range(at, len(lines)) if not lines[n - 1]["left"])
        lines.insert(place, lines[place] | {"left": 0, "cause": None, "event": dict(STRANGER)})

    return insert


def anchor_anew(home: Home, child: str) -> Callable[[list[dict[str, Any]]], None]:
    """Have a parent say where its child ends now."""

    def anchor(lines: list[dict[str, Any]]) -> None:
        records, _ = home.read(child)
        for line in lines:
            event = line["event"]
            if child in (event.get("target"), event.get("researcher")) and "head" in event:
                event |= {"seq": records[-1].seq, "head": records[-1].hash}

    return anchor


@pytest.fixture
def visited(golden: Home, task: str) -> Home:
    """The home with facts of an unknown kind in the middle of each of its streams."""
    (job,) = (path.stem for path in golden.traces.glob("ingest-*.jsonl"))
    for stream, children in {
        f"{task}.r1": [],
        job: [],
        task: [f"{task}.r1"],
        CATALOGUE: [task, job],
    }.items():
        for child in children:
            rewrite(golden, stream, anchor_anew(golden, child))
        rewrite(golden, stream, insert_stranger(3))
    return golden


def test_facts_of_unknown_kinds_are_kept_as_they_are(visited: Home, task: str) -> None:
    assert verify_home(visited.root).faults == []
    for path in visited.traces.glob("*.jsonl"):
        (stranger,) = (r for r in visited.read(path.stem)[0] if r.kind == "weather_observed")
        assert stranger.data == STRANGER
        assert isinstance(stranger.fact, UnknownFact)
        assert json.loads(stranger.fact.model_dump_json()) == STRANGER


def test_facts_of_unknown_kinds_do_not_disturb_what_is_known(visited: Home) -> None:
    def without_places(value: Any) -> Any:
        """The same, but for where in its stream things stand."""
        if isinstance(value, dict):
            places = {"seq", "head", "head_seq", "head_hash", "hash", "changed"}
            return {k: without_places(v) for k, v in value.items() if k not in places}
        return [without_places(each) for each in value] if isinstance(value, list) else value

    found = json.loads(as_json(adds_up_to(visited)))
    assert without_places(found) == without_places(json.loads(EXPECTED.read_bytes()))


def test_work_goes_on_beside_facts_of_unknown_kinds(visited: Home, tmp_path: Path) -> None:
    test_work_goes_on_in_it(visited, tmp_path)
    assert STRANGER in [record.data for record in visited.read(CATALOGUE)[0]]
