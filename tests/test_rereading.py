"""Better readers reach what is held already: by a reindexing, and by bringing the same bytes in again."""

from pathlib import Path
from typing import Any

import pytest

from actors.adapters.feeds import parse_feed
from actors.adapters.images import parse_image
from actors.adapters.pdf.reader import parse_pdf
from actors.archive import LocalArchive
from actors.catalogue_state import evolve
from actors.ingesting import parsing, readers
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.ingesting.readers import VERSIONS, is_outdated, present
from actors.ingesting.reindex import ReindexJob
from actors.ports import Parsed, Parser
from actors.shelves import delete_collection, restore_collection
from contracts import job_reports
from contracts.commands import doctor
from contracts.core import Core
from contracts.knowledge import terminal as knowledge_terminal
from contracts.settings import Settings
from events.base import Blob
from events.catalogue import Entry
from events.errors import EngineDown, Unreadable
from events.home import Home
from projections.corpus_snapshot import keep_fold, open_fold
from projections.views import Views
from tests.audit_homes import ask_here
from tests.embedders import LettersEmbedder, open_letters
from tests.held_readings import BeforeVersions, Better, Counting, corpus, held, reindex, state, text
from tests.ingested_files import TIDES, core, done, found, ingest, library, outcomes
from traces.verify import verify_home

__all__ = ["core", "library"]


# -- readers and their versions --------------------------------------------------------------------


def test_every_reader_has_a_name_and_a_version() -> None:
    readable = {*parsing._BY_SUFFIX.values(), *parsing._IN_ZIP.values()}
    assert readable | {parse_feed, parse_pdf, parse_image} == set(parsing._NAMES)
    assert sorted(parsing._NAMES.values()) == sorted(VERSIONS)


def test_a_text_names_who_read_it() -> None:
    assert AnyParser().parse("a.md", b"# Tides").reader == present("markdown")
    assert AnyParser().parse("a.txt", b"Tides").reader == present("plain")
    assert AnyParser().parse_in("a.html", b"<p>Tides</p>", ("en",)).reader == present("html")


@pytest.mark.parametrize(
    ("reader", "outdated"),
    [
        *[(None, True), ("pdf-1", True), ("pdf-2", False), ("pdf-3", False)],
        *[("a-later-one-7", False), ("pdf-", False), ("", False), ("markdown-0", True)],
    ],
)
def test_only_an_older_version_of_a_known_reader_is_outdated(
    monkeypatch: pytest.MonkeyPatch, reader: str | None, outdated: bool
) -> None:
    monkeypatch.setattr(readers, "VERSIONS", {"pdf": 2, "markdown": 1})
    assert is_outdated(reader) is outdated


# -- reindexing ------------------------------------------------------------------------------------


def test_what_was_read_before_readers_had_versions_is_read_anew_from_the_bytes_that_were_kept(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, library / "tides.md", parser=BeforeVersions())
    before = held(home, "tides.md")
    assert before.reader is None
    (library / "tides.md").unlink()
    job = reindex(home, Better())
    after = held(home, "tides.md")
    assert (after.reader, after.version, after.job) == (
        *(present("markdown"), before.version),
        before.job,
    )
    assert text(home, "tides.md") == TIDES.replace("Moon", "full Moon")
    assert any("full Moon" in each for each in found(home, "Moon"))
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert told == "1 document read anew by newer readers.\n1 document reindexed, 1 chunk."
    again = Counting()
    nothing = knowledge_terminal.job(job_reports.job_report(core, reindex(home, again)))
    assert (again.read, "nothing to do" in nothing) == ([], True)


def test_a_newer_reader_leaves_alone_what_others_have_read(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (library / "mills.txt").write_text("A tide mill stores the tide behind a dam.")
    ingest(home, library / "mills.txt", library / "tides.md")
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    reading = Better()
    reindex(home, reading)
    assert reading.read == ["tides.md"]
    assert held(home, "mills.txt").reader == present("plain")


def test_what_comes_out_the_same_keeps_its_version_and_is_not_embedded_again(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, library / "tides.md", parser=BeforeVersions())
    before, known = held(home, "tides.md"), Views(home).sources()
    (cited,) = corpus(home).held.values()
    embedding = LettersEmbedder()
    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    ReindexJob(LocalArchive(home), AnyParser(), lambda _: embedding, job).run()
    after = held(home, "tides.md")
    assert after == before.model_copy(update={"reader": present("markdown")})
    assert embedding.embedded == []
    assert [each.published_at for each in Views(home).sources()] == [known[0].published_at]
    assert len(Views(home).versions("c", before.document)) == 1
    (now,) = corpus(home).held.values()
    assert now == cited
    assert done(home, job)["tides.md"]["outcome"] == "unchanged"
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert told == "1 document read anew by newer readers, 1 of them with the same outcome."


@pytest.mark.parametrize("how", ["at once", "from a snapshot"])
def test_what_comes_out_the_same_with_a_model_that_came_later_keeps_its_version_as_well(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    ingest(home, library / "tides.md")
    reindex(home, AnyParser(), "other letters")
    views = Views(home)
    [known] = views.sources()
    if how == "from a snapshot":
        views.save_snapshot()
    (cited,) = corpus(home).held.values()
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    job = reindex(home, AnyParser(), "other letters")
    assert outcomes(done(home, job)) == {"tides.md": "unchanged"}
    [version] = Views(home).versions("c", known.document)
    assert version.published_at == known.published_at
    (now,) = corpus(home).held.values()
    assert (now, version.segment) == (cited, cited.segment_hash)
    [row] = ask_here(home, "select published_at, ended_at, reader from documents")
    assert (row["ended_at"], row["reader"]) == (None, present("markdown"))
    assert f"{row['published_at']:%Y-%m-%dT%H:%M:%S.%f}Z" == known.published_at


@pytest.mark.parametrize("deleted", [False, True])
@pytest.mark.parametrize("reading", [AnyParser, Better])
def test_everybody_tells_the_same_time_of_what_was_read_anew_with_another_model(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, reading: Any, deleted: bool
) -> None:
    ingest(home, library / "tides.md")
    catalogue = LocalArchive(home).catalogue
    [first] = [each["published_at"] for each in ask_here(home, "from documents")]
    if deleted:
        delete_collection(catalogue, "c")
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    reindex(home, reading(), "other letters")
    if deleted:
        restore_collection(catalogue, "c")
    rows = ask_here(home, "from documents order by seq")
    assert len(rows) == (1 if reading is AnyParser else 2)
    last = rows[-1]["published_at"]
    assert (last == first) is (reading is AnyParser)
    (chunks,) = corpus(home).held.values()
    [source] = Views(home).sources()
    told = f"{last:%Y-%m-%dT%H:%M:%S.%f}Z"
    assert (chunks.published_at, source.published_at) == (told, told)
    assert len(Views(home).versions("c", source.document)) == len(rows)


def test_what_is_said_of_a_document_counts_for_whether_it_came_out_the_same(
    core: Core, home: Home, library: Path
) -> None:
    class Misread(BeforeVersions):
        def parse(self, name: str, raw: bytes) -> Parsed:
            return super().parse(name, raw).model_copy(update={"metadata": {"author": "misread"}})

    ingest(home, library / "mills.md", library / "tides.md", parser=Misread())
    again = ingest(home, library / "mills.md")
    assert outcomes(again) == {"mills.md": "updated"}
    job = reindex(home, AnyParser())
    assert outcomes(done(home, job)) == {"tides.md": "updated"}
    assert held(home, "tides.md").metadata == held(home, "mills.md").metadata == {}
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert "1 document read anew" in told and "same outcome" not in told


@pytest.mark.parametrize("moment", ["before it is published", "after it is published"])
def test_a_reindexing_that_was_killed_while_it_read_anew_goes_on(
    core: Core, home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", 1)
    files = [library / "mills.md", library / "tides.md"]
    ingest(home, *files, parser=BeforeVersions())

    class Dies(LocalArchive):
        lives = 1

        def read_anew(self, *arguments: Any) -> list[bool]:
            if self.lives:
                self.lives -= 1
                return super().read_anew(*arguments)
            if moment == "after it is published":
                super().read_anew(*arguments)
            raise EngineDown("x", "y")

    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    reading = Better()
    with pytest.raises(EngineDown):
        ReindexJob(Dies(home), reading, open_letters, job).run()
    assert verify_home(home.root).faults == []
    assert found(home, "dam") and found(home, "Moon"), "whatever was published is whole"
    ReindexJob(LocalArchive(home), reading, open_letters, job).run()
    assert reading.read == ["mills.md", "tides.md"], "and none was read twice"
    assert "full Moon" in text(home, "tides.md")
    assert {held(home, file.name).reader for file in files} == {present("markdown")}
    assert len(published(home)) == 4, "each document once by each reader"
    report = job_reports.job_report(core, job)
    assert (report["read_anew"], report["unchanged"], report["updated"]) == (2, 1, 1)
    assert outcomes(done(home, job)) == {"mills.md": "unchanged", "tides.md": "updated"}
    assert Views(home).job(job).phase == "completed"
    assert verify_home(home.root).faults == []


def published(home: Home) -> list[dict[str, Any]]:
    return [
        record.data for record in home.read("catalogue")[0] if record.kind == "source_published"
    ]


def test_documents_whose_bytes_are_gone_stay_as_they_are_and_that_is_said(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    before = held(home, "mills.md")
    home.blobs.path(before.original.hash).unlink()
    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    ReindexJob(LocalArchive(home), Better(), open_letters, job).run()
    assert held(home, "mills.md") == before
    assert found(home, "dam")
    assert held(home, "tides.md").reader
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert "1 document read anew" in told
    assert "1 document stays as it is:" in told and "mills.md" in told
    assert done(home, job)["mills.md"]["code"] == "missing_blob"


@pytest.mark.parametrize("model", ["", "other letters"])
def test_what_a_newer_reader_reads_nothing_of_stays_as_it_is(
    core: Core, home: Home, library: Path, model: str
) -> None:
    class Blind(AnyParser):
        def parse(self, name: str, raw: bytes) -> Parsed:
            return super().parse(name, b"" if name == "tides.md" else raw)

    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    before = held(home, "tides.md")
    job = reindex(home, Blind(), model)
    assert held(home, "tides.md") == before
    assert outcomes(done(home, job))["tides.md"] == "empty"
    assert LocalArchive(home).embedder() == model
    assert found(home, "Moon") and found(home, "dam")
    told = knowledge_terminal.job(job_reports.job_report(core, job))
    assert "1 document read anew" in told and "1 document stays as it is:" in told


def test_what_could_be_embedded_with_another_model_and_not_be_read_anew_is_told_of(
    core: Core, home: Home, library: Path
) -> None:
    class GivesUp(Counting):
        def parse(self, name: str, raw: bytes) -> Parsed:
            if len(self.read) == 2:
                raise Unreadable(name, "it ran out")
            return super().parse(name, raw)

    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    job = reindex(home, GivesUp(), "other letters")
    report = job_reports.job_report(core, job)
    assert (report["read_anew"], report["failed"]) == (0, 2)
    assert "2 documents stay as they are:" in knowledge_terminal.job(report)
    assert (report["updated"], report["done"]) == (0, 2), "each document counts once"
    assert sorted(each["outcome"] for each in report["report"]) == ["failed", "failed"]
    [finished] = [r.data for r in home.read(job)[0] if r.kind == "ingest_finished"]
    assert (finished["updated"], finished["failed"]) == (0, 2)
    assert len(state(home).outdated()) == 2


@pytest.mark.parametrize("at_once", [1, 16])
def test_a_document_is_left_alone_only_in_the_collection_where_it_cannot_be_read(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("actors.ingesting.reindex.FILES_AT_ONCE", at_once)
    tides = library / "tides.md"
    ingest(home, tides, parser=BeforeVersions())
    tides.write_text("# Tides\n\nThe Moon and the Sun.\n")
    job, _ = LocalArchive(home).catalogue.enter_job("d", [str(tides)])
    IngestJob(LocalArchive(home), BeforeVersions(), open_letters, job).run()
    home.blobs.path(held(home, "tides.md").original.hash).unlink()
    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    ReindexJob(LocalArchive(home), Better(), open_letters, job).run()
    told = [record.data for record in home.read(job)[0] if record.kind == "file_done"]
    assert {(each["collection"], each["outcome"]) for each in told} == {
        *{("c", "failed"), ("d", "updated")}
    }
    assert held(home, "tides.md", "d").reader and held(home, "tides.md").reader is None
    finished = [record.data for record in home.read(job)[0] if record.kind == "ingest_finished"]
    assert [(each["failed"], each["updated"]) for each in finished] == [(1, 1)]


def test_with_another_model_everything_is_read_anew_and_told_of_once(
    core: Core, home: Home, library: Path
) -> None:
    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    reading, embedding = Better(), LettersEmbedder("other letters")
    job, _ = LocalArchive(home).catalogue.enter_reindexing("other letters")
    ReindexJob(LocalArchive(home), reading, lambda _: embedding, job).run()
    assert LocalArchive(home).embedder() == "other letters"
    assert "full Moon" in text(home, "tides.md")
    assert (len(reading.read), len(embedding.embedded)) == (4, 2), "embedded only before the switch"
    assert state(home).outdated() == []
    report = job_reports.job_report(core, job)
    assert (report["done"], report["updated"], report["read_anew"]) == (2, 2, 2)
    assert any("full Moon" in each for each in found(home, "Moon"))


def test_an_earlier_model_does_not_bring_an_earlier_reading_back(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(home, library / "tides.md")
    reindex(home, AnyParser(), "other letters")
    reindex(home, AnyParser())
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    reindex(home, Better())
    reindex(home, Better(), "other letters")
    (chunks,) = corpus(home).held.values()
    assert "full Moon" in home.blobs.get_text(chunks.text_hash)
    keep_fold(home, corpus(home), home.read("catalogue")[1])
    assert open_fold(home)[0].rebuilt == corpus(home).rebuilt


def test_a_text_that_was_packed_another_way_is_the_same_text(home: Home, library: Path) -> None:
    ingest(home, library / "tides.md")
    reindex(home, AnyParser(), "other letters")
    folded, source = state(home), held(home, "tides.md")
    packed = source.text.model_copy(update={"stored": source.version})
    evolve(folded, source.model_copy(update={"text": packed}), None)
    assert folded.unbuilt(folded.generation) == []


def test_a_newer_reading_counts_at_once_where_chunks_are_cut_another_way_by_now(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(home, library / "tides.md")
    reindex(home, AnyParser(), "other letters")
    monkeypatch.setattr("actors.ingesting.workshop.VERSION", 1 << 20)
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    ingest(home, library / "tides.md", parser=Better())
    (chunks,) = corpus(home).held.values()
    assert "full Moon" in home.blobs.get_text(chunks.text_hash)
    assert state(home).held(chunks.place).source.segment.hash == chunks.segment_hash  # type: ignore[union-attr]
    reading = Better()
    reindex(home, reading, "other letters")
    assert reading.read == [], "it is cut that way already"


def test_documents_of_deleted_collections_are_read_anew_as_well(home: Home, library: Path) -> None:
    ingest(home, library / "tides.md", parser=BeforeVersions())
    catalogue = LocalArchive(home).catalogue
    delete_collection(catalogue, "c")
    reindex(home, Better())
    assert not found(home, "Moon")
    restore_collection(catalogue, "c")
    assert any("full Moon" in each for each in found(home, "Moon"))


# -- what was said of a document when it came in ---------------------------------------------------


def bring(home: Home, parser: Parser, *entries: Entry, tags: tuple[str, ...] = ()) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", list(entries), tags)
    IngestJob(LocalArchive(home), parser, open_letters, job).run()


def kept(home: Home, content: bytes) -> Blob:
    return home.blobs.put(content)


def test_what_the_caller_said_stays_and_what_the_reader_said_is_said_anew(home: Home) -> None:
    class Worse(BeforeVersions):
        def parse(self, name: str, raw: bytes) -> Parsed:
            found = super().parse(name, raw)
            said = {"author": "misread", "empty_pages": "2", "year": "1"}
            return found.model_copy(update={"title": "misread", "metadata": said})

    raw = kept(home, b"---\nauthor: Ada\n---\n\n# Tides\n\nThe Moon pulls.\n")
    told = Entry(locator="a", name="a.md", content=raw, metadata={"year": "1843"}, tags=("x",))
    titled = Entry(locator="b", name="b.md", content=raw, title="Given", tags=("x",))
    bring(home, Worse(), told, titled, tags=("all",))
    assert held(home, "a").title == "misread"
    reindex(home, AnyParser())
    after = held(home, "a")
    assert (after.title, after.tags) == ("Tides", ("all", "x"))
    assert after.metadata == {"author": "Ada", "year": "1843"}
    assert held(home, "b").title == "Given"


def test_a_document_is_read_under_the_name_that_it_came_in_by(home: Home) -> None:
    raw = kept(home, b"<p>The Moon pulls.</p><p>The Sun pulls as well.</p>")
    bring(home, BeforeVersions(), Entry(locator="zotero://a", name="a.html", content=raw))
    reindex(home, AnyParser())
    after = held(home, "zotero://a")
    assert (after.reader, after.media_type) == (present("html"), "text/html")
    reindex(home, AnyParser(), "other letters")
    (chunks,) = corpus(home).held.values()
    assert "<p>" not in home.blobs.get_text(chunks.text_hash)


def test_where_its_order_is_gone_a_document_keeps_what_was_said_of_it(home: Home) -> None:
    raw = kept(home, b"# Tides\n\nThe Moon pulls.\n")
    bring(home, BeforeVersions(), Entry(locator="a.md", content=raw, title="Given", tags=("x",)))
    before = held(home, "a.md")
    order = state(home).entries[before.job].entered
    home.blobs.path(order.manifest.hash).unlink()  # type: ignore[union-attr]
    job, _ = LocalArchive(home).catalogue.enter_reindexing("")
    ReindexJob(LocalArchive(home), Better(), open_letters, job).run()
    after = held(home, "a.md")
    assert (after.title, after.tags, after.reader) == ("Given", ("x",), present("markdown"))


# -- the same bytes again --------------------------------------------------------------------------


def test_unchanged_bytes_are_read_anew_by_a_newer_reader_and_then_no_more(
    home: Home, library: Path
) -> None:
    ingest(home, library / "mills.md", library / "tides.md", parser=BeforeVersions())
    reading = Better()
    again = ingest(home, library / "mills.md", library / "tides.md", parser=reading)
    assert outcomes(again) == {"mills.md": "unchanged", "tides.md": "updated"}
    assert again["mills.md"]["chunks"] == 0
    assert "full Moon" in text(home, "tides.md")
    assert state(home).outdated() == []
    reading.read.clear()
    once_more = ingest(home, library / "mills.md", library / "tides.md", parser=reading)
    assert (set(outcomes(once_more).values()), reading.read) == ({"unchanged"}, [])


def test_an_ingest_leaves_alone_what_a_reader_of_the_same_version_has_read(
    home: Home, library: Path
) -> None:
    ingest(home, library / "tides.md")
    reading = Counting()
    ended = ingest(home, library / "tides.md", parser=reading)
    assert (outcomes(ended), reading.read) == ({"tides.md": "unchanged"}, [])


def test_an_answer_of_an_older_reader_that_a_crash_left_is_noted_as_its(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by = present("markdown")
    job, _ = LocalArchive(home).catalogue.enter_job("c", [str(library / "tides.md")])

    class Dies(LocalArchive):
        def publish(self, *arguments: Any) -> Any:
            raise EngineDown("x", "y")

    with pytest.raises(EngineDown):
        IngestJob(Dies(home), AnyParser(), open_letters, job).run()
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert held(home, "tides.md").reader == read_by
    assert [source.locator for source in state(home).outdated()] == [str(library / "tides.md")]


def test_a_job_that_comes_back_does_not_undo_what_was_read_anew_of_its_documents(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, _ = LocalArchive(home).catalogue.enter_job("c", [str(library / "tides.md")])

    class Dies(LocalArchive):
        def publish(self, *arguments: Any) -> Any:
            super().publish(*arguments)
            raise EngineDown("x", "y")

    with pytest.raises(EngineDown):
        IngestJob(Dies(home), AnyParser(), open_letters, job).run()
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    reindex(home, Better())
    IngestJob(LocalArchive(home), AnyParser(), open_letters, job).run()
    assert "full Moon" in text(home, "tides.md")
    assert (state(home).outdated(), len(published(home))) == ([], 2)
    assert outcomes(done(home, job)) == {"tides.md": "added"}


# -- who wants to know -----------------------------------------------------------------------------


def test_the_doctor_says_how_many_documents_older_readers_have_read(
    home: Home, library: Path
) -> None:
    def said() -> str:
        checks = doctor.examine(Settings(home=home.root))
        (check,) = (each for each in checks if each.what == "documents")
        assert check.good
        return check.found

    ingest(home, library / "mills.md", parser=BeforeVersions())
    ingest(home, library / "tides.md")
    older = "2 in 1 collection, 1 of them read by older readers"
    assert said() == f"{older}; research-agent reindex reads them anew"
    path = home.blobs.path(held(home, "mills.md").original.hash)
    path.rename(path.with_suffix(".gone"))
    assert said().endswith("reads them anew, but 1 whose bytes are gone")
    path.with_suffix(".gone").rename(path)
    reindex(home, AnyParser(), "other letters")
    assert said() == "2 in 1 collection"
    ingest(home, library / "mills.md", parser=BeforeVersions())
    assert said() == "2 in 1 collection", "the same bytes are not read by an older reader"


def test_the_doctor_names_the_model_that_documents_are_to_stay_with(
    home: Home, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(home, library / "mills.md")
    reindex(home, AnyParser(), "other letters")
    monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
    found = [each.found for each in doctor.examine(Settings(home=home.root))]
    assert any(
        "research-agent reindex --model 'other letters' reads them" in each for each in found
    )
