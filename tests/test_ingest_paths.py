"""What an ingest makes of paths that are no plain files."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.archive import SIZE_LIMIT, LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.core import Core, FolderTooLarge, list_files
from events.errors import PathRefused
from events.home import Home
from tests.embedders import open_letters
from tests.ingested_files import TIDES, core, done, found, ingest, library, make_fifo, outcomes

__all__ = ["core", "library"]


def make_socket(path: Path) -> None:
    place = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(path.parent)  # The name of a socket has 107 characters at most.
    try:
        place.bind(path.name)
    finally:
        os.chdir(here)
        place.close()


def make_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SIZE_LIMIT + 1)


STRANGE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "fifo": (make_fifo, "not a regular file"),
    "socket": (make_socket, "No such device"),
    "folder": (lambda path: path.mkdir(), "not a regular file"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "link to nothing": (lambda path: path.symlink_to("nowhere"), "No such file"),
    "link to itself": (lambda path: path.symlink_to(path), "symbolic links"),
    "missing": (lambda path: None, "No such file"),
    "huge": (make_huge, "larger than 64 MiB"),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_plain_file_fails_with_a_reason_alone_and_without_blocking(
    home: Home, library: Path, kind: str
) -> None:
    make, reason = STRANGE[kind]
    make(library / "strange.md")
    ended = ingest(home, library / "mills.md", library / "strange.md", library / "tides.md")
    bad = ended.pop("strange.md")
    assert (bad["outcome"], bad["code"]) == ("failed", "path_refused")
    assert bad["reason"].startswith("Cannot read strange.md: ")
    assert reason in bad["reason"]
    assert set(outcomes(ended).values()) == {"added"}


def test_a_folder_gives_its_plain_files_in_a_fixed_order(library: Path) -> None:
    for kind, (make, _) in STRANGE.items():
        if kind not in {"missing", "huge"}:
            make(library / kind)
    (library / ".hidden.md").write_text(TIDES)
    (library / "folder" / "deep.md").write_text(TIDES)
    (library / "link.md").symlink_to(library / "tides.md")
    (library / ".git").mkdir()
    (library / ".git" / "config").write_text("x")
    (library / "around").symlink_to(library, target_is_directory=True)
    names = [file.relative_to(library).as_posix() for file in list_files(library, recursive=True)]
    assert names == ["mills.md", "tides.md", "folder/deep.md"]
    flat = [file.name for file in list_files(library, recursive=False)]
    assert flat == ["mills.md", "tides.md"]


@pytest.mark.parametrize(
    "path", ["/dev/zero", "/dev/stdin/x", "/nowhere", "\0", "~nobody-at-all/x"]
)
def test_a_path_that_leads_nowhere_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        list_files(Path(path), recursive=True)


def test_a_folder_with_more_in_it_than_one_job_takes_is_refused(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "many").mkdir()
    for number in range(20):
        (library / "many" / f".{number}").touch()
    monkeypatch.setattr("contracts.core.MOST_ENTRIES", 20)
    with pytest.raises(FolderTooLarge, match="more than 20 entries"):
        list_files(library, recursive=True)
    assert list_files(library, recursive=False), "its top alone is small enough"
    monkeypatch.setattr("contracts.core.MOST_ENTRIES", 1)
    with pytest.raises(FolderTooLarge, match="one after the other"):
        list_files(library, recursive=False)


def test_a_folder_that_may_not_be_read_is_explained(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "shut").mkdir()
    (library / "shut" / "secret.md").write_text(TIDES)
    scandir = os.scandir

    def guarded(folder: int) -> object:
        # Whoever runs the tests may be allowed to read everything.
        if Path(f"/proc/self/fd/{folder}").readlink().name == "shut":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)
    names = [file.relative_to(library).as_posix() for file in list_files(library, recursive=True)]
    assert names == ["mills.md", "tides.md", "shut"], "it is in the report, as what failed"
    with pytest.raises(PathRefused, match="Permission denied"):
        list_files(library / "shut", recursive=True)


def test_a_file_whose_name_is_not_text_fails_alone(core: Core, library: Path) -> None:
    Path(os.fsdecode(os.fsencode(library) + b"/caf\xe9.md")).write_text(TIDES)
    job, _ = core.start_ingest(str(library), "c", recursive=True)
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    ended = outcomes(done(core.home, job))
    assert ended == {"caf\\udce9.md": "failed", "mills.md": "added", "tides.md": "added"}
    assert core.views.job(job).failures


def test_a_file_that_became_a_link_since_it_was_accepted_is_not_followed(
    core: Core, library: Path, tmp_path: Path
) -> None:
    job, _ = core.start_ingest(str(library), "c", recursive=True)
    (tmp_path / "secret.md").write_text("# Secret\n\nSwordfish.\n")
    (library / "tides.md").unlink()
    (library / "tides.md").symlink_to(tmp_path / "secret.md")
    IngestJob(LocalArchive(core.home), AnyParser(), open_letters, job).run()
    assert outcomes(done(core.home, job)) == {"mills.md": "added", "tides.md": "failed"}
    assert "Swordfish" not in str(found(core.home, "Swordfish"))


def test_a_folder_without_files_is_refused_and_nothing_is_recorded(
    core: Core, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(PathRefused, match="no files"):
        core.start_ingest(str(tmp_path / "bare"), "c", recursive=True)
    assert not core.home.path("catalogue").exists()
