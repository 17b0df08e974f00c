"""What was a plain path when it was accepted is not followed through links that were put in its way since."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from actors.archive import LocalArchive, read_file
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.keeper import Keeper, KeeperArchive
from actors.opened import OpenedCorpus
from actors.ports import Archive
from actors.shelves import create_project
from actors.unlinked import open_unlinked
from contracts.allowed_paths import PathOutside
from contracts.citations.asking import Projects
from contracts.citations.orders import Options, order_from
from contracts.core import Core, list_files
from events.errors import PathRefused
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from tests.ingested_files import TIDES, core, done, found, library, outcomes

__all__ = ["core", "library"]

SECRET = "# Secret\n\nThe word is Swordfish.\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that nobody asked to read."""
    folder = tmp_path / "outside"
    (folder / "deeper").mkdir(parents=True)
    for place in (folder, folder / "deeper"):
        (place / "tides.md").write_text(SECRET)
    return folder


def exchange(folder: Path, target: Path) -> None:
    """Put a link in a folder's place."""
    folder.rename(folder.with_name("aside"))
    folder.symlink_to(target, target_is_directory=True)


def open_descriptors() -> set[str]:
    """What this process has open, but for this very look."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.add(f"{each.name} {each.readlink()}")
    return found


def through_a_keeper(core: Core) -> KeeperArchive:
    """The home as an actor on another machine has it."""
    corpus = OpenedCorpus(open_letters_corpus(str(core.home.root)))
    keeper = Keeper(LocalArchive(core.home), corpus)
    return KeeperArchive(lambda method, *arguments: getattr(keeper, method)(*arguments))


@pytest.mark.parametrize("swapped", ["", "deeper"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_folder_that_became_a_link_since_it_was_accepted_is_not_followed(
    core: Core, library: Path, outside: Path, swapped: str, elsewhere: bool
) -> None:
    inner = library / "shelf" / "deeper"
    inner.mkdir(parents=True)
    (inner / "tides.md").write_text(TIDES)
    job, _ = core.start_ingest(str(library / "shelf"), "c", recursive=True)
    exchange(library / "shelf" / swapped, outside / swapped)
    archive: Archive = through_a_keeper(core) if elsewhere else LocalArchive(core.home)
    IngestJob(archive, AnyParser(), open_letters, job).run()
    ended = done(core.home, job)
    assert outcomes(ended) == {"tides.md": "failed"}
    assert "has become a link" in ended["tides.md"]["reason"]
    assert "Swordfish" not in str(found(core.home, "Swordfish"))


def test_a_plain_file_is_read_also_below_a_folder_that_may_only_be_entered(library: Path) -> None:
    library.chmod(0o111)
    try:
        assert read_file(library / "tides.md") == TIDES.encode()
    finally:
        library.chmod(0o755)


def test_a_folder_that_became_a_file_is_said_to_be_none(library: Path) -> None:
    with pytest.raises(PathRefused, match="Not a directory"):
        read_file(library / "tides.md" / "inner.md")


def test_no_descriptor_is_left_open(library: Path, outside: Path) -> None:
    before = open_descriptors()
    (library / "way").symlink_to(outside)
    for _ in range(3):
        read_file(library / "tides.md")
        list_files(library, recursive=True)
        for path in (
            library / "way" / "tides.md",
            library / "none" / "x",
            library / "tides.md" / "x",
        ):
            with pytest.raises(PathRefused):
                read_file(path)
            with pytest.raises(OSError):
                open_unlinked(path, os.O_RDONLY)
    assert open_descriptors() == before


def test_a_path_that_leads_out_of_the_roots_by_now_is_not_listed(
    library: Path, outside: Path
) -> None:
    inner = library / "shelf"
    inner.mkdir()
    exchange(inner, outside)
    with pytest.raises(PathOutside) as refusal:
        list_files(inner, recursive=True, roots=(library,))
    assert "deeper" not in str(refusal.value)


def test_a_folder_that_became_a_link_while_it_was_listed_is_not_looked_into(
    library: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = library / "shelf"
    shelf.mkdir()
    scandir, looks = os.scandir, [0]

    def meddling(folder: int) -> object:
        looks[0] += 1
        if looks[0] == 2:
            exchange(shelf, outside)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", meddling)
    names = [file.relative_to(library).as_posix() for file in list_files(library, recursive=True)]
    assert "shelf/tides.md" not in names


def test_a_list_of_references_that_became_a_link_is_not_read(
    core: Core, library: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "refs.bib").write_text("@book{a, title={A}}")
    (outside / "refs.bib").write_text("@book{swordfish, title={Swordfish}}")
    core.home.prepare()
    create_project(core.catalogue, "p")
    opened = open_unlinked

    def meddling(path: Path, flags: int) -> int:
        (library / "refs.bib").unlink()
        (library / "refs.bib").symlink_to(outside / "refs.bib")
        return opened(path, flags)

    monkeypatch.setattr("contracts.citations.orders.open_unlinked", meddling)
    order = order_from(Projects(core), "p", str(library), Options(), (library,), "call")
    assert order.references == [] and len(order.warnings) == 1
