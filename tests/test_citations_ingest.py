"""Contract 05: papers come in, once, with their references, also where much is wrong with them."""

import dataclasses
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from actors.adapters import scans
from actors.adapters.bibliography import references
from actors.adapters.page_lines import Seen
from actors.adapters.scans import Reading
from actors.archive import LocalArchive
from actors.ingesting.parsing import AnyParser
from actors.jobs import open_job
from contracts.citations import ingest as citations_ingest
from contracts.citations import preparing as citation_preparing
from contracts.citations.asking import Projects
from contracts.citations.preparing import Preparations
from contracts.core import Core
from contracts.knowledge.shelving import manage_projects
from contracts.settings import Settings
from projections.encoders.opened import open_embedder
from projections.status import JobStatus
from tests import citation_desk
from tests.citation_desk import PROJECT, call, connect, error, ingest
from tests.embedders import open_letters
from tests.inline_engine import InlineEngine
from tests.paper_files import paper
from tests.pdf_files import Put, make_pdf

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project


async def test_an_ingest_answers_with_the_contracts_fields(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        done = await ingest(client, files)
    assert {
        *("chunks_written", "documents_processed", "project", "dense_model", "sparse_model"),
        *("duration_seconds", "warnings", "correlation_id"),
    } <= set(done)
    assert (done["documents_processed"], done["project"]) == (2, PROJECT)
    assert done["chunks_written"] >= 5
    assert done["warnings"] == []
    assert done["dense_model"] == "letters"
    assert done["references"] == {"read": 2, "matched": 2}
    assert done["continues"] is False


async def test_a_second_ingest_writes_nothing(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        before = await call(client, "query_hybrid", project=project, text="turbines")
        facts = len(core.home.read("catalogue")[0])
        again = await ingest(client, files)
        after = await call(client, "query_hybrid", project=project, text="turbines")
    assert again["chunks_written"] == 0
    assert again["documents"]["unchanged"] == 2
    kinds = [record.kind for record in core.home.read("catalogue")[0][facts:]]
    assert "source_published" not in kinds
    assert [each["chunk_id"] for each in before["items"]] == [
        each["chunk_id"] for each in after["items"]
    ]


async def test_references_that_come_later_are_taken_in_without_embedding_again(
    core: Core, files: Path, project: str
) -> None:
    (files / "martin2017.md").unlink()
    listed = (files / "references.json").read_bytes()
    (files / "references.json").unlink()
    async with connect(core) as client:
        first = await ingest(client, files)
        assert first["warnings"] == ["Metadata not found for document 'severn.pdf'"]
        (files / "elsewhere.json").write_bytes(listed)
        second = await ingest(
            client, files / "severn.pdf", references_path=str(files / "elsewhere.json")
        )
        assert second["warnings"] == []
        found = await call(client, "query", project=project, text="kinetic turbines")
    assert {each["citekey"] for each in found["items"]} == {"severn2010"}


async def test_a_list_of_references_is_no_paper_also_where_another_is_named(
    core: Core, files: Path, project: str
) -> None:
    chosen = files / "chosen"
    (files / "references.json").rename(chosen)
    (files / "old.bib").write_text("@book{old, title={Of an older list}}\n")
    (files / "old.ris").write_text("TY  - BOOK\nTI  - Of another list\nER  - \n")
    async with connect(core) as client:
        done = await ingest(client, files, references_path=str(chosen))
        held = await call(client, "query_hybrid", project=project, text="of an older list")
    assert (done["documents_processed"], done["warnings"]) == (2, [])
    assert {each["citekey"] for each in held["items"]} == {"severn2010", "martin2017"}


async def test_options_of_nothing_are_none_and_two_names_are_not_one_option(
    core: Core, files: Path, project: str
) -> None:
    nothing = dict.fromkeys(("ocr_languages", "references_path", "force_rebuild", "tags"))
    twice = {"tag": "tides", "tags": ["energy"]}
    async with connect(core) as client:
        assert (await ingest(client, files, **nothing))["documents_processed"] == 2
        arguments = {"project": project, "source": str(files), "options": twice}
        refused = await error(client, "ingest_from_source", **arguments)
    assert refused["code"] == "BAD_REQUEST"
    assert "zotero_tags is given twice" in refused["message"]


async def test_a_job_that_takes_longer_goes_on_and_is_told(
    core: Core, files: Path, project: str, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 0.2)
    engine.paused.set()
    async with connect(core) as client:
        done = await ingest(client, files)
        assert done["continues"] is True
        assert done["chunks_written"] == 0
        assert done["job_id"] in done["message"]
        seen = await call(client, "inspect_collection", project=project)
        assert seen["unfinished_jobs"] == [done["job_id"]]
        assert (await ingest(client, files))["job_id"] == done["job_id"]
        engine.paused.clear()
        list(core.follow_job(done["job_id"], 60))
        found = await call(client, "query", project=project, text="turbines")
    assert found["count"]


async def test_another_model_is_refused_until_a_rebuild_is_asked_for(
    core: Core, files: Path, project: str, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        core.settings = dataclasses.replace(core.settings, embedder="other")
        refused = await error(client, "ingest_from_source", project=project, source=str(files))
        assert refused["code"] == "EMBEDDING_MISMATCH"
        assert (await call(client, "query", project=project, text="turbines"))["model"] == "letters"
        engine.paused.set()
        monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 0.2)
        done = await ingest(client, files, force_rebuild=True)
        assert done["continues"]
        # The old generation answers until the new one is whole.
        before = await call(client, "query", project=project, text="turbines")
        assert (before["model"], before["count"] > 0) == ("letters", True)
        archive = LocalArchive(core.home)
        for name in core.catalogue.state().unfinished():
            open_job(archive, AnyParser(), open_letters, name).run()
        after = await call(client, "query", project=project, text="turbines")
    assert (after["model"], after["count"]) == ("other", before["count"])


async def test_bad_files_are_warnings_and_the_others_come_in(
    core: Core, files: Path, project: str
) -> None:
    whole = paper("Another paper about tides")
    (files / "cut.pdf").write_bytes(whole[:300])
    (files / "noise.pdf").write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 20)
    (files / "locked.pdf").write_bytes(make_pdf([[Put(72, 700, "Secret.")]], encrypted=True))
    (files / "none.pdf").write_bytes(make_pdf([]))
    script = "app.launchURL('http://127.0.0.1:9')"
    (files / "script.pdf").write_bytes(make_pdf([[Put(72, 700, "Harmless words.")]], script=script))
    (files / "list.bib").write_text("@book{open, title={Never closed")
    async with connect(core) as client:
        done = await ingest(client, files)
    assert done["documents_processed"] == 3
    told = " ".join(done["warnings"])
    for name in ("cut.pdf", "noise.pdf", "locked.pdf", "none.pdf"):
        assert f"'{name}' was not ingested" in told
    assert "encrypted" in told
    assert "Metadata not found for document 'script.pdf'" in told
    assert "'open'" in told


async def test_three_hundred_documents_come_in_as_one_job_with_progress(
    core: Core, files: Path, project: str
) -> None:
    for number in range(300):
        (files / f"note{number}.md").write_text(f"# Note {number}\n\nThe tide of day {number}.\n")
    told: list[tuple[float, float | None]] = []

    async def progress(done: float, of: float | None, message: str | None) -> None:
        told.append((done, of))

    async with connect(core) as client:
        arguments = {"project": project, "source": str(files)}
        reply = await client.call_tool("ingest_from_source", arguments, progress_handler=progress)
    done = reply.structured_content
    assert done
    assert done["documents_processed"] == 302
    assert len(done["warnings"]) == 100
    assert done["warnings_left_off"] == 200
    assert {of for _, of in told} == {302.0}
    assert [done for done, _ in told] == sorted(done for done, _ in told)


async def test_languages_of_scans_stay_with_a_document_and_others_read_it_again(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, ...]] = []

    def reads(image: object, languages: Sequence[str], dpi: float) -> Reading:
        heard.append(tuple(languages))
        return Reading([Seen("Words that are an image.", 100, 100, 400, 130)], "rapidocr")

    monkeypatch.setattr(scans, "engines_for", lambda languages: ("rapidocr",))
    monkeypatch.setattr(scans, "read_page", reads)
    folder = files / "scans"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(make_pdf([[]], image=True))
    async with connect(core) as client:
        await ingest(client, folder)
        await ingest(client, folder)
        assert heard == [()]
        await ingest(client, folder, ocr_languages=["ja"])
        again = await ingest(client, folder, ocr_languages=["ja"])
        assert (heard, again["chunks_written"]) == ([(), ("ja",)], 0)
    [held] = core.catalogue.state().published.values()
    assert held.source.metadata["ocr_languages"] == "ja"
    assert held.source.metadata["ocr_engines"] == "rapidocr: 1"


async def test_a_rebuild_with_the_same_model_is_the_projects_own(
    core: Core, files: Path, project: str
) -> None:
    manage_projects(core, "create", "other")
    async with connect(core) as client:
        first = await ingest(client, files)
        arguments = {"project": "other", "source": str(files / "severn.pdf")}
        await call(client, "ingest_from_source", **arguments)
        facts = len(core.home.read("catalogue")[0])
        again = await ingest(client, files, force_rebuild=True)
        found = await call(client, "query", project=project, text="turbines")
    assert again["chunks_written"] == first["chunks_written"]
    assert (again["documents"]["updated"], again["continues"]) == (2, False)
    new = core.home.read("catalogue")[0][facts:]
    published = [record.data["collection"] for record in new if record.kind == "source_published"]
    assert published == [again["collection"]] * 2
    assert not [record for record in new if record.data.get("purpose") == "reindex"]
    assert found["count"]


async def test_a_rebuild_reads_what_an_engine_can_read_by_now(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = files / "scans"
    folder.mkdir()
    (folder / "scan.pdf").write_bytes(make_pdf([[Put(72, 700, "Stamp")], []], image=True))
    monkeypatch.setattr(scans, "engines_for", lambda languages: ())
    async with connect(core) as client:
        await ingest(client, folder)
        monkeypatch.setattr(scans, "engines_for", lambda languages: ("rapidocr",))
        seen = [Seen("Words that are an image.", 100, 100, 400, 130)]
        monkeypatch.setattr(scans, "read_page", lambda *_: Reading(seen, "rapidocr"))
        assert (await ingest(client, folder))["chunks_written"] == 0
        assert (await ingest(client, folder, force_rebuild=True))["chunks_written"]
        coverage = (await call(client, "inspect_collection", project=project))["coverage"]
    assert (coverage["pages_ocr"], coverage["pages_empty"]) == (1, 0)


async def test_a_move_to_another_model_is_told_and_leaves_nothing_to_write(
    core: Core, files: Path, project: str
) -> None:
    manage_projects(core, "create", "other")
    async with connect(core) as client:
        first = await ingest(client, files)
        arguments = {"project": "other", "source": str(files / "severn.pdf")}
        await call(client, "ingest_from_source", **arguments)
        core.settings = dataclasses.replace(core.settings, embedder="other")
        moved = await ingest(client, files, force_rebuild=True)
        assert moved["chunks_written"] >= first["chunks_written"]
        assert (moved["rebuild"]["scope"], moved["rebuild"]["status"]) == ("corpus", "completed")
        again = await ingest(client, files)
        assert (again["chunks_written"], again["documents"]["unchanged"]) == (0, 2)
        for name in (project, "other"):
            found = await call(client, "query", project=name, text="turbines")
            assert (found["model"], found["count"] > 0) == ("other", True)


async def test_who_asks_again_for_another_model_waits_for_the_move_that_is_under_way(
    core: Core, files: Path, project: str, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def under_way() -> list[str]:
        return [each for each in core.catalogue.state().unfinished() if "reindex" in each]

    async with connect(core) as client:
        await ingest(client, files)
        engine.paused.set()
        monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 0.2)
        core.settings = dataclasses.replace(core.settings, embedder="other")
        first = await ingest(client, files, force_rebuild=True)
        again = await ingest(client, files, force_rebuild=True)
        assert under_way() == [first["rebuild"]["job_id"]] == [again["rebuild"]["job_id"]]
        # What would end with another model is no move to this one.
        core.catalogue.enter_reindexing("letters")
        after = await ingest(client, files, force_rebuild=True)
        assert under_way()[2:] == [after["rebuild"]["job_id"]]
        core.catalogue.request_cancel(after["rebuild"]["job_id"], save_partial=False)
        core.catalogue.request_cancel(under_way()[1], save_partial=False)
        last = await ingest(client, files, force_rebuild=True)
    assert last["rebuild"]["job_id"] == first["rebuild"]["job_id"]


async def test_a_move_to_another_model_tells_nothing_of_other_projects(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str | None] = []
    looked: list[str] = []
    look = core.views.job

    def at_work_on_a_secret(job: str) -> JobStatus:
        looked.append(job)
        if job.startswith("reindex-") and looked.count(job) == 1:
            return dataclasses.replace(look(job), phase="running", current_file="secret.pdf")
        return look(job)

    async def progress(done: float, of: float | None, message: str | None) -> None:
        told.append(message)

    async with connect(core) as client:
        await ingest(client, files)
        core.settings = dataclasses.replace(core.settings, embedder="other")
        monkeypatch.setattr(core.views, "job", at_work_on_a_secret)
        arguments = {"project": project, "source": str(files), "options": {"force_rebuild": True}}
        reply = await client.call_tool("ingest_from_source", arguments, progress_handler=progress)
    said = reply.structured_content
    assert said
    assert set(said["rebuild"]) == {"job_id", "scope", "status"}
    assert looked.count(said["rebuild"]["job_id"]) > 1
    assert "secret.pdf" not in told


@pytest.mark.parametrize("name", ["bundled", "Bundled", "letters"])
async def test_a_model_may_be_set_by_what_answers_call_it(
    core: Core, files: Path, project: str, name: str
) -> None:
    async with connect(core) as client:
        first = await ingest(client, files)
        assert first["dense_model"] == "letters"
        core.settings = dataclasses.replace(core.settings, embedder=name)
        again = await ingest(client, files)
        assert (again["chunks_written"], again["documents"]["unchanged"]) == (0, 2)
        anew = await ingest(client, files, force_rebuild=True)
        assert "rebuild" not in anew
        core.settings = dataclasses.replace(core.settings, embedder="other")
        refused = await error(client, "ingest_from_source", project=project, source=str(files))
        assert (
            "embedded with 'bundled', and the embedding model set is 'other'"
            in (refused["message"])
        )


def test_the_bundled_models_are_no_other_models_by_their_own_names(core: Core) -> None:
    names = open_embedder().names
    for name in ("bundled", "", *names, ", ".join(names)):
        core.settings = dataclasses.replace(core.settings, embedder=name)
        assert Projects(core).model_set() == "", name
    core.settings = dataclasses.replace(core.settings, embedder="other")
    assert Projects(core).model_set() == "other"
    assert Settings.from_environment({"RESEARCH_AGENT_EMBEDDER": "bundled"}).embedder == ""
    assert Settings.from_environment({}).embedder is None


@pytest.fixture
def slow_list(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """Lists of references that are read when the event is set, and how often that was begun."""
    go_on, begun = threading.Event(), []
    read = references.read_references

    def slowly(name: str, raw: bytes) -> Any:
        begun.append(name)
        assert go_on.wait(60)
        return read(name, raw)

    monkeypatch.setattr(references, "read_references", slowly)
    monkeypatch.setattr(citations_ingest, "PREPARED_WITHIN", 0.3)
    yield go_on, begun
    go_on.set()


async def until(true: Callable[[], object]) -> None:
    with anyio.fail_after(60):
        while not true():
            await anyio.sleep(0.02)


async def test_an_order_that_takes_long_to_make_goes_on_and_who_asks_again_joins_it(
    core: Core, files: Path, project: str, slow_list: tuple[threading.Event, list[str]]
) -> None:
    go_on, begun = slow_list
    async with connect(core) as client:
        for _ in range(3):
            told = await ingest(client, files)
            assert (told["continues"], told["job_id"], told["status"]) == (True, None, "pending")
            assert (told["chunks_written"], told["documents_processed"]) == (0, 0)
            assert "being prepared" in told["message"]
            assert "Ask again" in told["message"]
            assert {"dense_model", "sparse_model", "warnings", "correlation_id"} <= set(told)
        assert begun == ["references.json"]
        assert not core.catalogue.state().entries
        go_on.set()
        await until(lambda: core.catalogue.state().entries)
        done = await ingest(client, files)
        [job] = core.catalogue.state().entries
        assert done["job_id"] == job
        list(core.follow_job(job, 60))
        # What was told is not told again: the next call looks anew.
        after = await ingest(client, files)
        assert (after["chunks_written"], after["documents"]["unchanged"]) == (0, 2)
        assert len(begun) == 2
        found = await call(client, "query", project=project, text="turbines")
    assert found["count"]


async def test_other_options_are_another_order(
    core: Core, files: Path, project: str, slow_list: tuple[threading.Event, list[str]]
) -> None:
    _, begun = slow_list
    async with connect(core) as client:
        await ingest(client, files)
        await ingest(client, files, ocr_languages=["de"])
        core.settings = dataclasses.replace(core.settings, roots=(files.parent,))
        await ingest(client, files)
    assert len(begun) == 3


async def test_what_goes_wrong_with_an_order_is_told_to_who_asks_again_and_only_once(
    core: Core, files: Path, project: str, slow_list: tuple[threading.Event, list[str]]
) -> None:
    go_on, begun = slow_list
    broken = files / "broken.json"
    broken.write_text("{")
    options = {"references_path": str(broken)}
    async with connect(core) as client:
        assert (await ingest(client, files, **options))["continues"]
        go_on.set()
        await until(lambda: not _being_prepared())
        arguments = {"project": project, "source": str(files), "options": options}
        assert len(begun) == 1
        assert (await error(client, "ingest_from_source", **arguments))["code"] == "UNREADABLE"
        assert len(begun) == 1
        assert (await error(client, "ingest_from_source", **arguments))["code"] == "UNREADABLE"
        assert len(begun) == 2


def _being_prepared() -> list[object]:
    known = citations_ingest._BEING_PREPARED._known.values()
    return [each for each in known if not each.done.is_set()]


def test_what_nobody_asks_for_again_is_looked_up_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    making: Preparations[int] = Preparations()
    go_on = threading.Event()
    numbers = iter(range(9))

    def make() -> int:
        go_on.wait(60)
        return next(numbers)

    held = making.begin("a", make)
    assert making.begin("a", make) is held
    assert making.take("a", held, 0.05) is None
    go_on.set()
    assert held.done.wait(60)
    monkeypatch.setattr(citation_preparing, "KEPT_FOR", -1.0)
    other = making.begin("a", make)
    assert other is not held
    assert making.take("a", other, 60) == 1
    assert not making._known
