"""Several researchers in a library, killed at any boundary."""

import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.inline import run_task
from actors.opened import OpenedCorpus
from actors.replay import replay
from contracts.evidence.verifying import verify_research
from events.catalogue import Brief
from events.home import Home
from tests.asking_letters import open_letters_corpus
from tests.crashes import POINTS, Kill, run_killed, writes
from tests.embedders import open_letters
from tests.orchestrated_tasks import (
    enter_library,
    lasting,
    quick,
    research,
    result_of,
)
from tests.test_crash_matrix import (
    SAMPLES,
    acknowledged,
    appended,
    check_survivor,
    served,
)
from traces.verify import verify_home

__all__ = ["quick"]


# -- killed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_boundary_it_sends_out_the_same_and_ends_the_same(
    quick: Path, point: str
) -> None:
    base = Home(quick / "base")
    base.prepare()
    task = enter_library(base, quick)
    reference = Home(shutil.copytree(base.root, quick / "reference"))
    start = appended(reference)
    research(reference, task, quick / "ledger")
    wanted, boundaries = lasting(reference, task), appended(reference) - start
    crew = result_of(reference, task)["researchers"]
    assert len(crew) >= 2 and all(each["kind"] == "corpus" for each in crew)
    assert replay(reference, task).differences == []

    for write in writes(boundaries, point, every=2):
        home = Home(shutil.copytree(base.root, quick / f"{point}{write}"))
        ledger = quick / f"ledger-{point}{write}"
        assert not run_killed(partial(research, home, task, ledger), Kill(write, point))
        before = acknowledged(home)
        assert run_killed(partial(research, home, task, ledger), None)

        assert lasting(home, task) == wanted
        answered_twice = [query for query, times in served(ledger).items() if times > 1]
        assert len(answered_twice) <= (point != "after"), "an answered call was made again"
        check_survivor(home, before)
        shutil.rmtree(home.root)


def test_a_deep_research_without_keys_cites_and_answers_what_it_did_alone(quick: Path) -> None:
    home = Home(quick / "home")
    home.prepare()
    archive = LocalArchive(home)
    files = [str(path) for path in sorted(SAMPLES.glob("*.md"))]
    job, _ = archive.catalogue.enter_job("samples", files)
    IngestJob(archive, AnyParser(), open_letters, job).run()
    corpus = OpenedCorpus(open_letters_corpus(str(home.root)))
    crews = 0
    for question in (
        "How much would the Severn barrage cost?",
        "What is a tide mill? How old is it?",
    ):
        found = []
        for available in ((), ("corpus",)):
            asked = Brief(question=question, depth="deep", available=available)
            task, _ = archive.catalogue.enter_task(asked)
            run_task(archive, corpus, task)
            found.append(result_of(home, task))
        alone, crew = found
        crews += len(crew.get("researchers", ()))
        same = ("answer", "citations", "sentences", "gaps", "confidence", "confidence_factors")
        assert {name: alone[name] for name in same} == {name: crew[name] for name in same}
    assert crews >= 2


def test_further_researchers_work_on_the_engines_own_corpus(quick: Path) -> None:
    home = Home(quick / "home")
    home.prepare()
    task = enter_library(home, quick)
    run_task(LocalArchive(home), OpenedCorpus(open_letters_corpus(str(home.root))), task)
    kinds = Counter(record.kind for record in home.read(task)[0])
    assert kinds["researcher_assigned"] == kinds["researcher_reported"] > 1
    assert verify_research(home, task).verified and verify_home(home.root).faults == []
