"""A board of pages on loopback, and a core whose jobs are run when a test says so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from contracts.core import Core
from contracts.settings import Settings
from tests.embedders import open_letters
from tests.web_pages import Board, board

TOOL = "rag_process_website"


@pytest.fixture
def site() -> Iterator[Board]:
    with board() as made:
        yield made


@pytest.fixture
def core(tmp_path: Path, site: Board, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    settings = Settings(home=tmp_path / "home", fetch_delay_s=0.0, fetch_allow_hosts=(site.host,))
    return Core(settings)


def run_jobs(core: Core, **options: Any) -> None:
    archive = LocalArchive(core.home)
    for job in archive.catalogue.state().unfinished():
        IngestJob(archive, AnyParser(), open_letters, job, **options).run()


def ends_of(core: Core, job: str) -> list[tuple[str, dict[str, Any]]]:
    return [(record.kind, record.data) for record in core.home.read(job)[0]]
