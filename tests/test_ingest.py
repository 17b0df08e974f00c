"""Bringing files in: each ends in a way of its own, and none fails its siblings."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.archive import SIZE_LIMIT, LocalArchive
from actors.ingest import IngestJob, document_id
from actors.parsing import AnyParser
from actors.ports import Coverage, Parsed, Parser
from actors.reindex import ReindexJob
from contracts import knowledge, knowledge_terminal
from contracts.core import Core, FolderTooLarge, list_files
from contracts.settings import Settings
from events.catalogue import Entry
from events.codec import digest
from events.errors import EngineDown, ModelUnavailable, PathRefused
from events.home import Home
from events.segment import decode
from projections.views import Views
from tests.asking_letters import open_letters_corpus
from tests.embedders import LettersEmbedder, open_letters
from tests.engines import wait_until
from traces.verify import verify_home

TIDES = "# Tides\n\nTides are caused by the pull of the Moon and the Sun.\n"
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
    monkeypatch.setattr("actors.ingest.FILES_AT_ONCE", 1)
    monkeypatch.setattr("actors.ingest.PORTION", 1)


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


# -- how files end --------------------------------------------------------------------------------


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


# -- what is no plain file ------------------------------------------------------------------------


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


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

    def guarded(path: Path) -> object:
        # Whoever runs the tests may be allowed to read everything.
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    names = [file.relative_to(library).as_posix() for file in list_files(library, recursive=True)]
    assert names == ["mills.md", "tides.md", "shut"], "it is in the report, as what failed"
    with pytest.raises(PathRefused, match="Permission denied"):
        list_files(library / "shut", recursive=True)


@pytest.fixture
def core(home: Home, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: None)
    return Core(Settings(home=home.root))


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


# -- parsers that fail ----------------------------------------------------------------------------


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


# -- the world moves on meanwhile -----------------------------------------------------------------


def embedded(home: Home, job: str) -> bool:
    answered = [r.data["call"] for r in home.read(job)[0] if r.kind == "call_answered"]
    return any(call.startswith("embed.") for call in answered)


@pytest.mark.usefixtures("one_by_one")
def test_cancelled_in_the_middle_it_keeps_what_was_published(home: Home, library: Path) -> None:
    stop = threading.Event()

    def cancel(name: str) -> None:
        if name == "tides.md":
            wait_until(lambda: embedded(home, job))
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


# -- chunks, versions and generations -------------------------------------------------------------

MANY = "\n\n".join(f"## Part {n}\n\nThis is what part {n} says about tide {n}." for n in range(30))


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
    monkeypatch.setattr("actors.sealing.AT_ONCE", 8)
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


# -- another model --------------------------------------------------------------------------------


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
    assert set(outcomes(ingest(home, *files)).values()) == {"updated"}, "of another generation"
    assert set(outcomes(ingest(home, *files)).values()) == {"unchanged"}


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
    told = knowledge_terminal.job(knowledge.job_report(core, job))
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
    monkeypatch.setattr("actors.reindex.FILES_AT_ONCE", 1)
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
