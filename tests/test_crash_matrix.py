"""Killed at every fact boundary, a research and an ingest end as they would have."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.ports import Parsed, Passage
from events.catalogue import Brief
from events.codec import canonical
from events.home import CATALOGUE, Home
from tests.asking_letters import open_letters_corpus
from tests.crashes import POINTS, Kill, run_killed, writes
from tests.embedders import open_letters
from traces.verify import verify_home

SAMPLES = Path(__file__).resolve().parent.parent / "docs" / "samples"
QUESTION = "How do tides generate electricity, and what does a barrage cost?"


class CountedCorpus:
    """The real corpus, with every answer it gives written down outside the record."""

    def __init__(self, home: Home, ledger: Path) -> None:
        self._corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
        self._ledger = ledger

    def search(
        self,
        query: str,
        limit: int,
        collections: tuple[str, ...] | None,
        among: tuple[str, ...] = (),
    ) -> list[Passage]:
        found = self._corpus.search(query, limit, collections)
        with self._ledger.open("a") as file:
            file.write(json.dumps(query) + "\n")
        return found

    def likeness(self, question: str, texts: Sequence[str]) -> list[float | None]:
        return self._corpus.likeness(question, texts)


class CountedParser:
    """The real parser, likewise."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger

    def parse(self, name: str, raw: bytes) -> Parsed:
        with self._ledger.open("a") as file:
            file.write(json.dumps(name) + "\n")
        return AnyParser().parse(name, raw)


def served(ledger: Path) -> Counter[str]:
    return Counter(ledger.read_text().splitlines()) if ledger.exists() else Counter()


def enter_ingest(home: Home) -> str:
    files = [str(path) for path in sorted(SAMPLES.glob("*.md"))[:4]]
    job, _ = LocalArchive(home).catalogue.enter_job("samples", files)
    return job


def ingest(home: Home, job: str, ledger: Path) -> None:
    IngestJob(LocalArchive(home), CountedParser(ledger), open_letters, job).run()


def enter_research(home: Home) -> str:
    brief = Brief(question=QUESTION, depth="shallow")
    return LocalArchive(home).catalogue.enter_task(brief)[0]


def research(home: Home, task: str, ledger: Path) -> None:
    run_task(LocalArchive(home), CountedCorpus(home, ledger), task)


def lasting(home: Home, stream: str) -> list[bytes]:
    """What a stream says, without what depends on when and how often it was interrupted."""
    passing = {"stream_claimed", "tail_cut"}
    kept = []
    for record in home.read(stream)[0]:
        data = {
            k: v for k, v in record.data.items() if k not in {"took_ms", "attempt", "seq", "head"}
        }
        if record.kind not in passing:
            kept.append(canonical(data))
    # A call whose fate was unknown is asked again; what matters is that it was answered once.
    return [line for place, line in enumerate(kept) if line not in kept[:place]]


def outcome(home: Home, stream: str) -> list[list[bytes]]:
    names = sorted(path.stem for path in home.traces.glob(f"{stream}*.jsonl"))
    return [lasting(home, name) for name in names]


def appended(home: Home) -> int:
    """Decisions in the whole home: so many boundaries there are to die at."""
    return sum(
        1
        for path in home.traces.glob("*.jsonl")
        for record in home.read(path.stem)[0]
        if not record.left
    )


def acknowledged(home: Home) -> dict[str, list[str]]:
    return {
        path.stem: [record.hash for record in home.read(path.stem)[0]]
        for path in home.traces.glob("*.jsonl")
    }


def check_survivor(home: Home, before: dict[str, list[str]]) -> None:
    after = acknowledged(home)
    for stream, hashes in before.items():
        assert after[stream][: len(hashes)] == hashes, "an acknowledged fact is missing"
    assert verify_home(home.root).faults == []


@pytest.mark.parametrize("point", POINTS)
def test_a_research_killed_at_any_boundary_ends_the_same(tmp_path: Path, point: str) -> None:
    base = Home(tmp_path / "base")
    base.prepare()
    ingest(base, enter_ingest(base), tmp_path / "parsed")
    task = enter_research(base)
    reference = clone(base, tmp_path / "reference")
    start = appended(reference)
    research(reference, task, tmp_path / "ledger")
    wanted, boundaries = outcome(reference, task), appended(reference) - start
    assert boundaries > 8

    for write in writes(boundaries, point):
        home = clone(base, tmp_path / f"{point}{write}")
        ledger = tmp_path / f"ledger-{point}{write}"
        assert not run_killed(partial(research, home, task, ledger), Kill(write, point))
        before = acknowledged(home)
        assert run_killed(partial(research, home, task, ledger), None)

        assert outcome(home, task) == wanted
        answered_twice = [query for query, times in served(ledger).items() if times > 1]
        assert len(answered_twice) <= (point != "after"), "an answered call was made again"
        check_survivor(home, before)


FILES_AT_ONCE = 2


@pytest.mark.parametrize("point", POINTS)
def test_an_ingest_killed_at_any_boundary_ends_the_same(
    tmp_path: Path, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.ingest.FILES_AT_ONCE", FILES_AT_ONCE)
    monkeypatch.setattr("actors.ingesting.ingest.PORTION", 5)
    base = Home(tmp_path / "base")
    base.prepare()
    job = enter_ingest(base)
    reference = clone(base, tmp_path / "reference")
    start = appended(reference)
    ingest(reference, job, tmp_path / "ledger")
    wanted, boundaries = outcome(reference, job), appended(reference) - start
    published = lasting(reference, CATALOGUE)
    assert boundaries > 15

    for write in writes(boundaries, point):
        home = clone(base, tmp_path / f"{point}{write}")
        ledger = tmp_path / f"ledger-{point}{write}"
        assert not run_killed(partial(ingest, home, job, ledger), Kill(write, point))
        before = acknowledged(home)
        assert run_killed(partial(ingest, home, job, ledger), None)

        # One portion is embedded while the next is read: which of them writes first is open.
        assert sorted(outcome(home, job)[0]) == sorted(wanted[0])
        assert lasting(home, CATALOGUE) == published
        repeated = sum(times - 1 for times in served(ledger).values())
        assert repeated <= FILES_AT_ONCE, "an answered call was made again"
        check_survivor(home, before)


def clone(home: Home, place: Path) -> Home:
    shutil.copytree(home.root, place)
    return Home(place)
