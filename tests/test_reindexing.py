"""Another model: built beside the old one, and switched to at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.ingesting.reindex import ReindexJob
from actors.ports import Parsed
from contracts import job_reports
from contracts.citations import project_looks
from contracts.citations.asking import Projects
from contracts.core import Core, list_files
from contracts.knowledge import shelving
from contracts.knowledge import terminal as knowledge_terminal
from events.errors import EngineDown, ModelUnavailable, Unreadable
from events.home import Home
from events.segment import decode
from projections.views import Views
from tests.audit_homes import ask_here
from tests.embedders import LettersEmbedder, open_letters
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
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
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


def test_what_was_built_before_a_crash_is_told_of_after_it(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, *list_files(library, recursive=True))
    job, _ = LocalArchive(home).catalogue.enter_reindexing("other letters")

    class Dies(LocalArchive):
        def rebuild(self, *arguments: Any) -> None:
            super().rebuild(*arguments)
            raise EngineDown("x", "y")

    with pytest.raises(EngineDown):
        ReindexJob(Dies(home), AnyParser(), open_letters, job).run()
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert told == "2 documents reindexed, 2 chunks."
    assert kinds(home).count("segment_rebuilt") == 2


class Mended(AnyParser):
    """Cannot read a file, which comes in anew and whole while the next one is read."""

    def __init__(self, home: Home, damaged: Path) -> None:
        self._home, self._damaged, self._is_mended = home, damaged, False

    def parse(self, name: str, raw: bytes) -> Parsed:
        if b"dam" in raw:
            raise Unreadable(name, "it is damaged")
        if name == "tides.md" and not self._is_mended:
            self._is_mended = True
            self._damaged.write_text("# Mills\n\nA tide mill turns with the tide.\n")
            ingest(self._home, self._damaged)
        return super().parse(name, raw)


def test_a_version_that_comes_in_after_an_unreadable_one_is_taken_along(
    core: Core, home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    mills, tides = library / "mills.md", library / "tides.md"
    ingest(home, mills, tides)
    job, _ = LocalArchive(home).catalogue.enter_reindexing("other letters")
    ReindexJob(LocalArchive(home), Mended(home, mills), open_letters, job).run()
    state = LocalArchive(home).catalogue.state()
    assert state.embedder == "other letters"
    assert state.unbuilt(state.generation) == [], "nothing is left with the model of before"
    report = job_reports.job_report(core, job)
    assert (report["updated"], report["failed"], report["done"]) == (2, 0, 2)
    assert report["failures"] == []
    counts = "select done, updated, failed from ingests where purpose = 'reindex'"
    assert ask_here(home, counts) == [{"done": 2, "updated": 2, "failed": 0}]
    files = f"select outcome from ingest_files where job = '{job}'"
    assert ask_here(home, files) == [{"outcome": "updated"}] * 2


def test_chunks_of_what_is_told_twice_count_once(core: Core, home: Home, library: Path) -> None:
    tides = library / "tides.md"
    ingest(home, tides)
    came: list[int] = []

    class Meanwhile(LocalArchive):
        def rebuild(self, segments: Any) -> None:
            super().rebuild(segments)
            if not came:
                came.append(1)
                tides.write_text("# Tides\n\nThe Sun pulls, too.\n")
                ingest(home, tides)

    job = enter(home, "other letters")
    ReindexJob(Meanwhile(home), AnyParser(), open_letters, job).run()
    assert knowledge_terminal.job(job_reports.job_report(core, job)) == (
        "1 document reindexed, 1 chunk."
    )
    told = "select done, updated, chunks from ingests where purpose = 'reindex'"
    assert ask_here(home, told) == [{"done": 1, "updated": 1, "chunks": 1}]


def test_a_failure_is_told_though_the_same_file_was_read_for_another_collection(
    core: Core, home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    mills, tides = library / "mills.md", library / "tides.md"
    ingest(home, mills)
    archive = LocalArchive(home)
    other, _ = archive.catalogue.enter_job("other", [str(mills)])
    IngestJob(archive, AnyParser(), open_letters, other).run()
    ingest(home, tides)
    job = enter(home, "other letters")
    ReindexJob(LocalArchive(home), Mended(home, mills), open_letters, job).run()
    report = job_reports.job_report(core, job)
    assert (report["updated"], report["failed"]) == (2, 1)
    assert [each["path"] for each in report["failures"]] == [str(mills)]


# -- several at once -------------------------------------------------------------------------------


def enter(home: Home, model: str) -> str:
    return LocalArchive(home).catalogue.enter_reindexing(model)[0]


@pytest.mark.parametrize("later", ["second", ""])
def test_of_two_reindexings_the_one_that_was_asked_for_last_decides_whichever_is_done_first(
    core: Core, home: Home, library: Path, later: str
) -> None:
    ingest(home, *list_files(library, recursive=True))
    early, late = enter(home, "first"), enter(home, later)
    for job in (late, early):
        ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert LocalArchive(home).embedder() == later
    assert found(home, "Moon")
    told = knowledge_terminal.job(job_reports.job_report(core, early))
    assert told == "Searches answer from another model: a later reindexing was done first."
    assert Views(home).job(early).phase == "completed"
    assert verify_home(home.root).faults == []


def test_who_wants_the_model_of_one_that_was_overtaken_gets_a_move_of_its_own(
    home: Home, library: Path
) -> None:
    ingest(home, *list_files(library, recursive=True))
    early, late = enter(home, "first"), enter(home, "second")
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, late).run()
    assert LocalArchive(home).catalogue.move_to("second") is None
    again = LocalArchive(home).catalogue.move_to("first")
    assert again not in {None, early}
    for job in (early, str(again)):
        ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert LocalArchive(home).embedder() == "first"


def test_a_reindexing_does_not_switch_when_it_is_overtaken_right_before(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, *list_files(library, recursive=True))
    early, late = enter(home, "first"), enter(home, "second")

    class Overtaken(LocalArchive):
        def switch(self, *arguments: Any) -> bool:
            ReindexJob(LocalArchive(home), AnyParser(), open_letters, late).run()
            return super().switch(*arguments)

    ReindexJob(Overtaken(home), AnyParser(), open_letters, early).run()
    assert LocalArchive(home).embedder() == "second"
    assert kinds(home).count("generation_switched") == 1
    told = knowledge_terminal.job(job_reports.job_report(core, early)).splitlines()
    assert told[0] == "2 documents reindexed, 2 chunks." and "another model" in told[1]


def test_who_had_nothing_to_do_was_not_overtaken_by_who_came_after_its_end(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, *list_files(library, recursive=True))
    reindex(home, "first")
    idle = reindex(home, "first")
    reindex(home, "second")
    assert "nothing to do" in knowledge_terminal.job(job_reports.job_report(core, idle))


def test_a_later_reindexing_that_fails_stops_no_earlier_one(home: Home, library: Path) -> None:
    ingest(home, *list_files(library, recursive=True))
    early, late = enter(home, "first"), enter(home, "no/such")

    def missing(setting: str = "") -> Any:
        raise ModelUnavailable(setting, "nobody has it")

    ReindexJob(LocalArchive(home), AnyParser(), missing, late).run()
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, early).run()
    assert LocalArchive(home).embedder() == "first"


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


@pytest.mark.parametrize("built", [True, False])
def test_a_reindexing_that_is_cancelled_before_it_begins_loads_no_model_and_moves_nothing(
    home: Home, library: Path, built: bool
) -> None:
    ingest(home, *list_files(library, recursive=True))
    if built:
        reindex(home, "other letters")
        reindex(home, "")
    opened: list[str] = []

    def opening(setting: str = "") -> LettersEmbedder:
        opened.append(setting)
        return open_letters(setting)

    job = enter(home, "other letters")
    cancelled = ReindexJob(LocalArchive(home), AnyParser(), opening, job)
    cancelled.stop.set()
    cancelled.run()
    assert Views(home).job(job).phase == "cancelled"
    assert (LocalArchive(home).embedder(), opened) == ("", [])
