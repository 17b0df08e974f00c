"""Another model: built beside the old one, and switched to at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.parsing import AnyParser
from actors.reindex import ReindexJob
from contracts import job_reports, knowledge_terminal, project_looks, shelving
from contracts.citations import Projects
from contracts.core import Core, list_files
from events.errors import EngineDown, ModelUnavailable
from events.home import Home
from events.segment import decode
from projections.views import Views
from tests.embedders import open_letters
from tests.ingested_files import (
    MANY,
    TIDES,
    Meddler,
    core,
    cut_anew,
    found,
    ingest,
    library,
    outcomes,
)
from traces.verify import verify_home

__all__ = ["core", "library"]


def reindex(home: Home, model: str) -> str:
    job, _ = LocalArchive(home).catalogue.enter_reindexing(model)
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert verify_home(home.root).faults == []
    return job


def kinds(home: Home) -> list[str]:
    return [record.kind for record in home.read("catalogue")[0]]


def test_another_model_is_built_beside_the_old_one_and_switched_to_at_once(
    home: Home, library: Path
) -> None:
    files = list_files(library, recursive=True)
    ingest(home, *files)
    reindex(home, "other letters")
    assert kinds(home)[-4:] == [
        "segment_rebuilt",
        "segment_rebuilt",
        "generation_switched",
        "stream_sealed",
    ]
    assert LocalArchive(home).embedder() == "other letters"
    assert found(home, "Moon")
    assert set(outcomes(ingest(home, *files)).values()) == {"unchanged"}, (
        "it was built anew already"
    )


def test_a_reindexing_with_a_model_that_cannot_be_loaded_ends_and_says_so(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, *list_files(library, recursive=True))
    before = LocalArchive(home).catalogue.state().generation

    def missing(setting: str = "") -> Any:
        raise ModelUnavailable(setting, "nobody has it")

    job, _ = LocalArchive(home).catalogue.enter_reindexing("no/such")
    ReindexJob(LocalArchive(home), AnyParser(), missing, job).run()
    seen = core.views.job(job)
    assert (seen.phase, seen.failure_code) == ("failed", "model_unavailable")
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert told.startswith("reindexing failed: 0 of ") and "nobody has it" in told
    assert LocalArchive(home).catalogue.state().generation == before


def test_what_is_published_during_a_reindexing_is_taken_along(home: Home, library: Path) -> None:
    ingest(home, library / "tides.md")

    def arrive(name: str) -> None:
        if not any("dam" in text for text in found(home, "dam")):
            ingest(home, library / "mills.md")

    job, _ = LocalArchive(home).catalogue.enter_reindexing("other letters")
    ReindexJob(LocalArchive(home), Meddler(arrive), open_letters, job).run()
    assert kinds(home).count("segment_rebuilt") == 2
    assert Views(home).job(job).phase == "completed"


def test_a_job_under_way_at_the_switch_embeds_with_the_new_model(home: Home, library: Path) -> None:
    ingest(home, library / "mills.md")
    switched: list[str] = []

    def switch(name: str) -> None:
        if not switched:
            switched.append(name)
            reindex(home, "other letters")

    ended = ingest(home, library / "tides.md", parser=Meddler(switch))
    assert outcomes(ended) == {"tides.md": "added"}
    (last,) = [r.data for r in home.read("catalogue")[0] if r.kind == "source_published"][-1:]
    assert decode(home.blobs.get(last["segment"]["hash"])).models == ("other letters",)


def test_a_reindexing_goes_on_after_a_crash_and_switches_once(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.reindex.FILES_AT_ONCE", 1)
    ingest(home, *list_files(library, recursive=True))
    job, _ = LocalArchive(home).catalogue.enter_reindexing("other letters")

    class Dies(LocalArchive):
        def switch(self, *arguments: Any) -> bool:
            raise EngineDown("x", "y")

    with pytest.raises(EngineDown):
        ReindexJob(Dies(home), AnyParser(), open_letters, job).run()
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert kinds(home).count("generation_switched") == 1
    assert kinds(home).count("segment_rebuilt") == 2


def test_after_a_reindexing_a_changed_paragraph_re_embeds_only_its_chunks(
    home: Home, library: Path
) -> None:
    path = library / "many.md"
    path.write_text("# Many\n\n" + MANY)
    ingest(home, path)
    reindex(home, "other letters")
    path.write_text(path.read_text().replace("part 7 says", "part 7 tells"))
    changed = ingest(home, path)["many.md"]
    assert (changed["outcome"], changed["chunks"], changed["embedded"]) == ("updated", 30, 1)


def test_of_many_who_want_another_model_at_once_one_enters_the_move(
    home: Home, library: Path
) -> None:
    ingest(home, library)
    ready = threading.Barrier(6)

    def ask(_: int) -> str | None:
        catalogue = LocalArchive(home).catalogue
        catalogue.state()
        ready.wait()
        return catalogue.move_to("other letters")

    with ThreadPoolExecutor(6) as asking:
        told = set(asking.map(ask, range(6)))
    entered = [each for each in LocalArchive(home).catalogue.state().entries if "reindex" in each]
    assert told == set(entered)
    assert len(entered) == 1


def test_a_corpus_that_is_there_already_is_not_moved(home: Home, library: Path) -> None:
    ingest(home, library)
    reindex(home, "other letters")
    assert LocalArchive(home).catalogue.move_to("other letters") is None


# -- how many chunks there are ---------------------------------------------------------------------


def told(core: Core) -> set[int]:
    """How many chunks there are, wherever they are listed."""
    [collection] = shelving.list_collections(core)
    holds = shelving.described(core, "c", whole=True)["holds"]
    [project] = project_looks.list_projects(Projects(core))["projects"]
    [row] = core.views.sql("SELECT sum(chunks)::INT AS chunks FROM sources WHERE ended_at IS NULL")
    return {
        collection["chunks"],
        sum(each["chunks"] for each in holds),
        project["chunks"],
        row["chunks"],
    }


def test_chunks_are_counted_as_they_are_cut_now(core: Core, home: Home, library: Path) -> None:
    ingest(home, *list_files(library, recursive=True))
    shelving.manage_projects(core, "create", "p", "c")
    [as_published] = {each.source.generation for each in core.catalogue.state().published.values()}
    assert told(core) == {2}
    cut_anew(core, "finer", 7)
    assert told(core) == {14}
    cut_anew(core, "coarser", 3)
    assert told(core) == {6}
    assert core.catalogue.switch(as_published, "letters", "reindex-by-hand", [])
    assert told(core) == {2}
    cut_anew(core, "finer", 7)
    (library / "tides.md").write_text(f"{TIDES}\nTwice a day.\n")
    ingest(home, library / "tides.md")
    assert told(core) == {8}, "a version that was published since has its own chunks"


@pytest.mark.parametrize("how", ["anew", "from a snapshot"])
def test_whoever_starts_later_counts_the_same(
    core: Core, home: Home, library: Path, how: str
) -> None:
    ingest(home, *list_files(library, recursive=True))
    shelving.manage_projects(core, "create", "p", "c")
    cut_anew(core, "finer", 7)
    assert told(core) == {14}
    if how == "from a snapshot":
        core.views.save_snapshot()
    later = Core(core.settings)
    assert told(later) == {14}
    cut_anew(later, "coarser", 3)
    assert told(later) == told(core) == {6}
