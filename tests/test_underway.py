"""The same files asked for again while their job is under way: one job, as long as it brings in what is there."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.archive import LocalArchive
from actors.catalogue import Catalogue
from actors.ingesting.ingest import FILES_AT_ONCE, IngestJob
from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed
from contracts.core import Core
from contracts.settings import Settings
from events.home import Home
from tests.embedders import open_letters

LAST = FILES_AT_ONCE + 3


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    return Core(Settings(home=tmp_path / "home", prewarm=False))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """More files than a job reads at once."""
    place = tmp_path / "files" / "inner"
    place.mkdir(parents=True)
    for number in range(LAST + 1):
        (place / f"{number:02}.md").write_text(f"# Tide {number}\n\nIt rises {number} metres.\n")
    # A job that begins in the same moment could not tell whether they changed since.
    time.sleep(0.1)
    return place


class Meddling(AnyParser):
    """Lets something happen when the first files are read and the last ones are not."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self._happens: Callable[[], None] | None = happens

    def parse(self, name: str, raw: bytes) -> Parsed:
        happens, self._happens = self._happens, None
        if happens:
            happens()
        return super().parse(name, raw)


def asked_meanwhile(
    core: Core, folder: Path, meddle: Callable[[], object] = lambda: None
) -> tuple[str, str]:
    """The job of a folder, and the job that one is told of who asks for it again while it is under way."""

    def ask() -> str:
        return core.start_ingest(str(folder.parent), "tides", recursive=True)[0]

    told: list[str] = []

    def again() -> None:
        meddle()
        told.append(ask())

    job = ask()
    IngestJob(LocalArchive(core.home), Meddling(again), open_letters, job).run()
    assert core.views.job(job).phase == "completed"
    assert ask() not in (job, *(told if told[0] == job else ())), "it has ended"
    return job, told[0]


def test_a_job_under_way_is_not_doubled(core: Core, folder: Path) -> None:
    job, told = asked_meanwhile(core, folder)
    assert told == job


def test_a_file_that_was_only_touched_makes_no_other_job(core: Core, folder: Path) -> None:
    job, told = asked_meanwhile(core, folder, lambda: os.utime(folder / "00.md"))
    assert told == job


def _renamed(folder: Path) -> None:
    """Another folder takes the place of the first, with files that are as old and as long."""
    other = folder.with_name("other")
    other.mkdir()
    for file in folder.iterdir():
        (other / file.name).write_text(file.read_text().replace("rises", "falls"))
    folder.rename(folder.with_name(".earlier"))
    other.rename(folder)


@pytest.mark.parametrize(
    "meddle",
    [
        lambda folder: (folder / "00.md").write_text("# Tide 0\n\nIt falls 0 metres.\n"),
        lambda folder: (folder / "00.md").write_text("# Tide 0\n\nIt rises no metres at all.\n"),
        lambda folder: (folder / f"{LAST}.md").write_text("# Tide\n\nPerhaps it is being read.\n"),
        lambda folder: (folder / "more.md").write_text("# Tide\n\nOne more.\n"),
        lambda folder: (folder / "00.md").unlink(),
        _renamed,
    ],
    ids=["read", "longer", "unread", "new", "gone", "renamed"],
)
def test_what_has_changed_since_makes_another_job(
    core: Core, folder: Path, meddle: Callable[[Path], object]
) -> None:
    job, told = asked_meanwhile(core, folder, lambda: meddle(folder))
    assert told != job


def test_a_job_that_is_to_be_stopped_is_not_joined(core: Core, folder: Path) -> None:
    def stop() -> None:
        [job] = core.catalogue.state().unfinished()
        core.catalogue.request_cancel(job, save_partial=True)

    job, told = asked_meanwhile(core, folder, stop)
    assert told != job


def test_a_job_whose_record_is_damaged_is_left_to_itself(core: Core, folder: Path) -> None:
    job, _ = core.start_ingest(str(folder), "tides", recursive=True)
    core.home.path(job).write_bytes(b'{"v":1,"stream":"another"}\n')
    assert core.start_ingest(str(folder), "tides", recursive=True)[0] != job


def test_a_job_whose_file_another_one_has_brought_in_otherwise_is_not_joined(
    core: Core, folder: Path
) -> None:
    def bring_in(place: Path) -> None:
        job, _ = core.start_ingest(str(place), "tides", recursive=True)
        IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()

    def tried_out() -> None:
        said = (folder / "00.md").read_text()
        (folder / "00.md").write_text("# Tide 0\n\nIt falls 0 metres.\n")
        bring_in(folder / "00.md")
        (folder / "00.md").write_text(said)

    bring_in(folder.parent)
    (folder / f"{LAST}.md").write_text("# Tide\n\nThe only one that has changed.\n")
    time.sleep(0.1)
    job, told = asked_meanwhile(core, folder, tried_out)
    assert told != job


def test_a_job_that_goes_on_and_is_untold_is_looked_at_once(home: Home) -> None:
    catalogue = Catalogue(home)
    looked_at: list[str] = []

    def join(job: str) -> bool:
        looked_at.append(job)
        return False

    first, _ = catalogue.enter_job("tides", ["a.md"])
    home.path(first).touch()
    assert catalogue.enter_job("tides", ["a.md"], join=join, untold=[first])[0] != first
    assert looked_at == [first]


def test_a_job_of_a_home_that_was_removed_is_no_longer_untold(core: Core, folder: Path) -> None:
    def ask() -> str:
        return core.start_ingest(str(folder.parent), "tides", recursive=True)[0]

    core.untold.add(before := ask())
    shutil.rmtree(core.home.root)
    assert ask() != before
