"""What others do while held documents are read anew: change them, remove them, move the corpus, or die."""

from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.parsing import AnyParser
from actors.ingesting.reindex import ReindexJob
from actors.ports import Parsed
from actors.shelves import remove_document
from events.errors import EngineDown
from events.home import Home
from projections.views import Views
from tests.embedders import open_letters
from tests.held_readings import BeforeVersions, Better, Counting, corpus, held, reindex, state, text
from tests.ingested_files import found, ingest, library
from traces.verify import verify_home

__all__ = ["library"]


class Meddling(Better):
    """Something is done to the world while the newer parser reads."""

    def __init__(self, meddle: Any) -> None:
        super().__init__()
        self._meddle = meddle

    def parse(self, name: str, raw: bytes) -> Parsed:
        if not self.read:
            self._meddle()
        return super().parse(name, raw)


def test_a_version_that_came_in_meanwhile_is_not_put_back(home: Home, library: Path) -> None:
    tides = library / "tides.md"
    ingest(home, tides, parser=BeforeVersions())

    def change() -> None:
        tides.write_text("# Tides\n\nThe Sun pulls as well.\n")
        ingest(home, tides)

    reindex(home, Meddling(change))
    assert "The Sun pulls as well." in text(home, "tides.md")


def test_a_document_that_was_removed_meanwhile_stays_removed(home: Home, library: Path) -> None:
    ingest(home, library / "tides.md", parser=BeforeVersions())
    document = held(home, "tides.md").document

    def remove() -> None:
        remove_document(LocalArchive(home).catalogue, "c", document, None)

    reindex(home, Meddling(remove))
    assert state(home).published == {}
    assert found(home, "Moon") == []


class DiesReading(LocalArchive):
    """The last of what it does is to publish what was read anew, or not even that."""

    def __init__(self, home: Home, *, first: bool = False) -> None:
        super().__init__(home)
        self._first = first

    def read_anew(self, *arguments: Any) -> list[bool]:
        if self._first:
            super().read_anew(*arguments)
        raise EngineDown("x", "y")


@pytest.mark.parametrize(("model", "first"), [("first", False), ("first", True), ("", True)])
def test_who_comes_back_after_others_have_moved_on_leaves_the_corpus_where_it_is(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, model: str, first: bool
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    job, _ = LocalArchive(home).catalogue.enter_reindexing(model)
    with pytest.raises(EngineDown):
        ReindexJob(DiesReading(home, first=first), AnyParser(), open_letters, job).run()
    assert LocalArchive(home).embedder() == model
    reindex(home, AnyParser(), "second")
    reading = Counting()
    ReindexJob(LocalArchive(home), reading, open_letters, job).run()
    assert (LocalArchive(home).embedder(), reading.read) == ("second", [])
    assert Views(home).job(job).phase == "completed"
    assert verify_home(home.root).faults == []


def test_of_two_reindexings_at_once_each_switches_once(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())

    class Overtaken(Counting):
        def parse(self, name: str, raw: bytes) -> Parsed:
            if len(self.read) == 2:
                reindex(home, AnyParser(), "second")
            return super().parse(name, raw)

    reading = Overtaken()
    reindex(home, reading, "first")
    switches = [r.data for r in home.read("catalogue")[0] if r.kind == "generation_switched"]
    assert [each["embedder"] for each in switches] == ["first", "second"]
    assert len(reading.read) == 3, "what it had begun, and no more"
    assert state(home).outdated() == []


def test_a_reindexing_that_was_killed_while_it_read_anew_still_cuts_the_rest_another_way(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    ingest(home, library / "mills.md")
    ingest(home, library / "tides.md", parser=BeforeVersions())
    monkeypatch.setattr("actors.ingesting.workshop.VERSION", 1 << 20)
    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    with pytest.raises(EngineDown):
        ReindexJob(DiesReading(home, first=True), AnyParser(), open_letters, job).run()
    ReindexJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert {each.generation for each in corpus(home).held.values()} == {state(home).generation}
    assert job in state(home).switched
