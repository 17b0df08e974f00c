"""Ingest: how files end, what their chunks are, and parsers that fail."""

from pathlib import Path
from typing import Any

import pytest

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.ingest_state import document_id
from actors.ingesting.parsing import AnyParser
from actors.ports import Coverage, Parsed
from contracts.core import list_files
from events.catalogue import Entry
from events.codec import digest
from events.errors import EngineDown
from events.home import Home
from projections.views import Views
from tests.embedders import LettersEmbedder, open_letters
from tests.ingested_files import (
    MANY,
    MILLS,
    TIDES,
    Meddler,
    done,
    enter,
    found,
    ingest,
    library,
    outcomes,
)

__all__ = ["library"]


# -- how files end ---------------------------------------------------------------------------------


def test_new_files_are_added_and_can_be_found(home: Home, library: Path) -> None:
    ended = ingest(home, *list_files(library, recursive=True))
    assert outcomes(ended) == {"mills.md": "added", "tides.md": "added"}
    assert found(home, "Moon")[0].endswith("the Moon and the Sun.")


def test_files_that_did_not_change_are_passed_over(home: Home, library: Path) -> None:
    files = list_files(library, recursive=True)
    ingest(home, *files)
    facts = len(home.read("catalogue")[0])
    assert set(outcomes(ingest(home, *files)).values()) == {"unchanged"}
    assert len(home.read("catalogue")[0]) == facts + 2, "only the job's entry and its end"


def test_a_changed_file_becomes_a_new_version_and_the_old_one_stays_citable(
    home: Home, library: Path
) -> None:
    files, tides = list_files(library, recursive=True), library / "tides.md"
    ingest(home, *files)
    tides.write_text(TIDES.replace("Moon", "Earth's satellite"))
    assert outcomes(ingest(home, *files)) == {"mills.md": "unchanged", "tides.md": "updated"}
    versions = Views(home).versions("c", document_id(str(tides)))
    assert [each.version for each in versions] == [
        digest(TIDES.encode()),
        digest(tides.read_bytes()),
    ]
    assert home.blobs.get_text(versions[0].text) == TIDES
    assert "satellite" in found(home, "pull of the satellite")[0]
    assert not any("Moon" in text for text in found(home, "Moon"))


def test_a_file_that_changes_back_is_an_update_again(home: Home, library: Path) -> None:
    tides = library / "tides.md"
    for text, outcome in ((TIDES, "added"), (MILLS, "updated"), (TIDES, "updated")):
        tides.write_text(text)
        assert outcomes(ingest(home, tides)) == {"tides.md": outcome}


@pytest.mark.parametrize(
    "content", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf"], ids=["0", "blank", "bom"]
)
def test_a_file_with_nothing_in_it_is_empty_and_no_failure(
    home: Home, library: Path, content: bytes
) -> None:
    (library / "nothing.md").write_bytes(content)
    ended = ingest(home, *list_files(library, recursive=True))
    assert outcomes(ended) == {"mills.md": "added", "nothing.md": "empty", "tides.md": "added"}


def test_text_that_is_no_valid_utf_8_is_read_all_the_same(home: Home, library: Path) -> None:
    (library / "old.txt").write_bytes(
        "Die Gezeiten heißen auch Tiden; sie kehren täglich wieder.".encode("latin-1")
    )
    (library / "torn.md").write_bytes(TIDES.encode() + b"The end is torn: \xe2\x82")
    ended = ingest(home, *list_files(library, recursive=True))
    assert set(outcomes(ended).values()) == {"added"}
    assert "täglich" in found(home, "Gezeiten Tiden")[0]


BINARY = {
    "paper.pdf": b"%PDF-1.7\n\xff\xff",
    "archive.zip": b"PK\x03\x04\x14\x00",
    "picture.md": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "zeros.txt": bytes(5000),
    "noise.txt": bytes(range(1, 256)) * 20,
}


@pytest.mark.parametrize("name", BINARY)
def test_what_is_not_text_fails_with_a_reason_and_alone(
    home: Home, library: Path, name: str
) -> None:
    (library / name).write_bytes(BINARY[name])
    ended = ingest(home, *list_files(library, recursive=True))
    bad = ended.pop(name)
    assert (bad["outcome"], bad["code"]) == ("failed", "unreadable")
    assert name in bad["reason"]
    assert set(outcomes(ended).values()) == {"added"}


# -- parsers that fail -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [ValueError("x"), RecursionError(), KeyError("k"), MemoryError()]
)
def test_a_parser_that_breaks_on_a_file_fails_that_file_only(
    home: Home, library: Path, failure: Exception
) -> None:
    def break_down(name: str) -> None:
        if name == "mills.md":
            raise failure

    ended = ingest(home, *list_files(library, recursive=True), parser=Meddler(break_down))
    assert outcomes(ended) == {"mills.md": "failed", "tides.md": "added"}
    assert ended["mills.md"]["code"] == "unreadable"


def test_a_home_that_is_away_for_a_moment_fails_no_file(home: Home, library: Path) -> None:
    class Away(LocalArchive):
        """As a keeper that is being restarted."""

        troubles = 2

        def get(self, content_hash: str) -> bytes:
            if self.troubles and content_hash == digest(MILLS.encode()):
                self.troubles -= 1
                raise EngineDown("home-keeper", "it is being restarted")
            return super().get(content_hash)

    job, archive = enter(home, *list_files(library, recursive=True)), Away(home)
    for _ in range(2):
        with pytest.raises(EngineDown):
            IngestJob(archive, AnyParser(), open_letters, job).run()
    IngestJob(archive, AnyParser(), open_letters, job).run()
    assert set(outcomes(done(home, job)).values()) == {"added"}


# -- chunks, versions and generations --------------------------------------------------------------


def embedding(home: Home, embedder: LettersEmbedder, *files: Path) -> dict[str, dict[str, Any]]:
    job = enter(home, *files)
    IngestJob(LocalArchive(home), AnyParser(), lambda _: embedder, job).run()
    return done(home, job)


def test_a_changed_paragraph_re_embeds_only_its_chunks(home: Home, library: Path) -> None:
    path, embedder = library / "many.md", LettersEmbedder()
    path.write_text("# Many\n\n" + MANY)
    first = embedding(home, embedder, path)["many.md"]
    assert first["embedded"] == first["chunks"] == 30
    path.write_text(path.read_text().replace("part 7 says", "part 7 tells"))
    embedder.embedded.clear()
    second = embedding(home, embedder, path)["many.md"]
    assert (second["outcome"], second["chunks"], second["embedded"]) == ("updated", 30, 1)
    assert embedder.embedded == ["This is what part 7 tells about tide 7."]


def test_chunks_taken_over_are_what_a_fresh_ingest_would_have_made(
    home: Home, library: Path, tmp_path: Path
) -> None:
    path, fresh = library / "many.md", Home(tmp_path / "fresh")
    path.write_text("# Many\n\n" + MANY)
    embedding(home, LettersEmbedder(), path)
    path.write_text(path.read_text().replace("part 7 says", "part 7 tells"))
    embedding(home, LettersEmbedder(), path)
    fresh.prepare()
    embedding(fresh, LettersEmbedder(), path)
    assert segments(home)[-1] == segments(fresh)[-1]


def segments(home: Home) -> list[str]:
    records, _ = home.read("catalogue")
    return [r.data["segment"]["hash"] for r in records if r.kind == "source_published"]


def test_coverage_is_a_fact(home: Home, library: Path) -> None:
    class Scanned(AnyParser):
        def parse(self, name: str, raw: bytes) -> Parsed:
            covered = Coverage(pages=3, empty_pages=(2,), warnings=("Page 2 has no text.",))
            return super().parse(name, raw).model_copy(update={"coverage": covered})

    ended = ingest(home, library / "tides.md", parser=Scanned())["tides.md"]
    assert (ended["pages"], ended["empty_pages"]) == (3, [2])
    assert ended["warnings"] == ["Page 2 has no text."]


def test_progress_is_told_by_chunks(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.ingesting.sealing.AT_ONCE", 8)
    (library / "many.md").write_text("# Many\n\n" + MANY)
    job = enter(home, library / "many.md")
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    steps = [
        (r.data["done"], r.data["of"]) for r in home.read(job)[0] if r.kind == "chunks_embedded"
    ]
    assert steps == [(8, 30), (16, 30), (24, 30), (30, 30)]
    assert Views(home).job(job).chunks == 30


def test_a_document_handed_in_whole_is_known_by_where_it_comes_from(home: Home) -> None:
    archive = LocalArchive(home)
    given = Entry(
        locator="https://example.org/tides",
        content=archive.put(TIDES.encode()),
        name="tides.md",
        title="Given",
        metadata={"year": "1999"},
        tags=("sea",),
    )
    job, _ = archive.catalogue.enter_job("c", [given], tags=("all",))
    IngestJob(archive, AnyParser(), open_letters, job).run()
    (source,) = (r.data for r in home.read("catalogue")[0] if r.kind == "source_published")
    assert (source["locator"], source["title"]) == ("https://example.org/tides", "Given")
    assert source["tags"] == ["all", "sea"]
    assert source["metadata"]["year"] == "1999"
