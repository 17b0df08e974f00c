"""A small library of files, and what becomes of them in an ingest."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.ports import Parsed, Parser
from contracts.core import Core
from contracts.settings import Settings
from events.catalogue import SegmentRebuilt
from events.home import Home
from tests.asking_letters import open_letters_corpus
from tests.embedders import open_letters
from traces.verify import verify_home

TIDES = "# Tides\n\nTides are caused by the pull of the Moon and the Sun.\n"
MANY = "\n\n".join(f"## Part {n}\n\nThis is what part {n} says about tide {n}." for n in range(30))
MILLS = "# Mills\n\nA tide mill stores the tide behind a dam.\n"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    library = tmp_path / "library"
    library.mkdir()
    (library / "mills.md").write_text(MILLS)
    (library / "tides.md").write_text(TIDES)
    return library


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files go through alone, and not in portions."""
    monkeypatch.setattr("actors.ingesting.ingest.FILES_AT_ONCE", 1)
    monkeypatch.setattr("actors.ingesting.ingest.PORTION", 1)


def enter(home: Home, *files: Path) -> str:
    return LocalArchive(home).catalogue.enter_job("c", [str(file) for file in files])[0]


def ingest(home: Home, *files: Path, parser: Parser | None = None) -> dict[str, dict[str, Any]]:
    """Bring files in; what became of each, by its name."""
    job = enter(home, *files)
    IngestJob(LocalArchive(home), parser or AnyParser(), open_letters, job).run()
    assert verify_home(home.root).faults == []
    return done(home, job)


def done(home: Home, job: str) -> dict[str, dict[str, Any]]:
    records, _ = home.read(job)
    return {Path(r.data["locator"]).name: r.data for r in records if r.kind == "file_done"}


def outcomes(ended: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: data["outcome"] for name, data in ended.items()}


def found(home: Home, query: str) -> list[str]:
    return [each["text"] for each in open_letters_corpus(str(home.root)).search(query, 5)]


class Meddler:
    """The real parser, with something done to the world just before it answers."""

    def __init__(self, meddle: Callable[[str], None]) -> None:
        self._meddle = meddle

    def parse(self, name: str, raw: bytes) -> Parsed:
        self._meddle(name)
        return AnyParser().parse(name, raw)


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.fixture
def core(home: Home, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: None)
    return Core(Settings(home=home.root))


def cut_anew(core: Core, generation: str, chunks: int) -> None:
    """Everything that is held is cut into so many chunks each, in a generation that answers from now on."""
    held = [each.source for each in core.catalogue.state().published.values()]
    core.catalogue.rebuild(
        [
            SegmentRebuilt(
                generation=generation,
                chunks=chunks,
                job="reindex-by-hand",
                **{
                    name: getattr(source, name)
                    for name in ("document", "version", "collection", "text", "segment")
                },
            )
            for source in held
        ]
    )
    assert core.catalogue.switch(generation, "letters", "reindex-by-hand", [])
