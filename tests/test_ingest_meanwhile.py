"""Ingest while the world moves on: cancelled, changed, twice at once."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.core import list_files
from events.codec import digest
from events.home import Home
from projections.views import Views
from tests.embedders import open_letters
from tests.ingested_files import (
    MILLS,
    TIDES,
    Meddler,
    done,
    enter,
    found,
    ingest,
    library,
    make_fifo,
    one_by_one,
    outcomes,
)
from tests.waiting import until
from traces.verify import verify_home

__all__ = ["library", "one_by_one"]


def embedded(home: Home, job: str) -> bool:
    answered = [r.data["call"] for r in home.read(job)[0] if r.kind == "call_answered"]
    return any(call.startswith("embed.") for call in answered)


@pytest.mark.usefixtures("one_by_one")
def test_cancelled_in_the_middle_it_keeps_what_was_published(home: Home, library: Path) -> None:
    stop = threading.Event()

    def cancel(name: str) -> None:
        if name == "tides.md":
            until(lambda: embedded(home, job))
            stop.set()
            threading.Event().wait(1)  # It is not waited for.

    job = enter(home, *list_files(library, recursive=True))
    running = IngestJob(LocalArchive(home), Meddler(cancel), open_letters, job)
    running.stop = stop
    running._desk.stop = stop
    running.run()
    assert outcomes(done(home, job)) == {"mills.md": "added"}
    seen = Views(home).job(job)
    assert (seen.phase, seen.added) == ("cancelled", 1)
    assert found(home, "dam") and not any("Moon" in text for text in found(home, "Moon"))
    assert verify_home(home.root).faults == []


def test_cancelled_before_it_began_it_publishes_nothing(home: Home, library: Path) -> None:
    job = enter(home, *list_files(library, recursive=True))
    running = IngestJob(LocalArchive(home), AnyParser(), open_letters, job)
    running.stop.set()
    running.run()
    assert done(home, job) == {}
    assert Views(home).job(job).phase == "cancelled"


def test_what_is_published_is_what_was_read_also_if_the_file_changes_meanwhile(
    home: Home, library: Path
) -> None:
    tides = library / "tides.md"

    def rewrite(name: str) -> None:
        tides.write_text(MILLS)

    ended = ingest(home, tides, parser=Meddler(rewrite))
    assert ended["tides.md"]["version"] == digest(TIDES.encode())
    assert found(home, "Moon")
    assert outcomes(ingest(home, tides)) == {"tides.md": "updated"}


@pytest.mark.usefixtures("one_by_one")
def test_a_file_that_vanishes_after_it_was_read_is_added_and_one_before_fails(
    home: Home, library: Path
) -> None:
    def remove(name: str) -> None:
        for path in library.glob("*.md"):
            path.unlink(missing_ok=True)

    ended = ingest(home, *list_files(library, recursive=True), parser=Meddler(remove))
    assert outcomes(ended) == {"mills.md": "added", "tides.md": "failed"}


def test_the_same_content_under_two_names_is_two_documents_and_one_blob(
    home: Home, library: Path
) -> None:
    (library / "again.md").write_text(TIDES)
    ended = ingest(home, *list_files(library, recursive=True))
    assert ended["again.md"]["version"] == ended["tides.md"]["version"]
    assert ended["again.md"]["document"] != ended["tides.md"]["document"]
    assert len(Views(home).sources("c")) == 3
    assert len([text for text in found(home, "Moon") if "Moon" in text]) == 1, "shown once"


def test_two_jobs_over_the_same_files_publish_each_version_once(home: Home, library: Path) -> None:
    files = list_files(library, recursive=True)
    first, second = enter(home, *files), enter(home, *files)

    def run(job: str) -> Callable[[], None]:
        return lambda: IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()

    threads = [threading.Thread(target=run(job)) for job in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    published = [r for r in home.read("catalogue")[0] if r.kind == "source_published"]
    assert len(published) == 2
    assert verify_home(home.root).faults == []


def test_a_job_that_ended_changes_nothing_when_it_is_run_again(home: Home, library: Path) -> None:
    job = enter(home, *list_files(library, recursive=True))
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    before = {path: path.read_bytes() for path in home.traces.glob("*.jsonl")}
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert {path: path.read_bytes() for path in home.traces.glob("*.jsonl")} == before


def test_the_tally_is_what_became_of_the_files(home: Home, library: Path) -> None:
    ingest(home, library / "mills.md")
    (library / "blank.md").write_text("\n")
    make_fifo(library / "fifo.md")
    files = [library / name for name in ("mills.md", "tides.md", "blank.md", "fifo.md", "gone.md")]
    job = enter(home, *files)
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    finished = home.read(job)[0][-1].data
    del finished["kind"]
    assert finished == {"added": 1, "updated": 0, "unchanged": 1, "empty": 1, "failed": 2}
    seen = Views(home).job(job)
    assert (seen.phase, seen.done, seen.files) == ("completed", 5, 5)
    assert [Path(path).name for path, _, _ in seen.failures] == ["fifo.md", "gone.md"]
