"""Contract 05, field by field, over a data home whose engine is a thread."""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from fastmcp import Client, FastMCP

from actors.adapters import scans
from actors.adapters.page_lines import Seen
from actors.adapters.scans import Reading
from actors.archive import LocalArchive
from actors.jobs import open_job
from actors.parsing import AnyParser
from contracts import citations, citations_tools
from contracts.citations import Projects
from contracts.cited_passages import trimmed_text
from contracts.core import Core
from contracts.settings import Settings
from contracts.shelving import manage_projects
from events.catalogue import Brief
from projections.search import LocalCorpus
from tests.asking_letters import open_asking
from tests.embedders import open_letters
from tests.inline_engine import InlineEngine
from tests.paper_files import PAGES, paper, write_papers
from tests.pdf_files import Put, make_pdf

pytestmark = pytest.mark.anyio

PROJECT = "citeloom/clean-arch"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.citations_ingest.PATIENCE", 60.0)
    monkeypatch.setattr("contracts.citations_ingest.INGEST_WITHIN", 60.0)
    monkeypatch.setattr(citations, "QUERY_WITHIN", 60.0)
    monkeypatch.setattr(citations, "HYBRID_WITHIN", 60.0)
    monkeypatch.setattr(citations, "INSPECT_WITHIN", 60.0)


@pytest.fixture
def core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(Core, "wake_engine", lambda self: self.home.prepare())
    settings = Settings(home=tmp_path / "home", roots=(tmp_path / "files",), prewarm=False)
    core = Core(settings)
    core.home.prepare()
    return core


@pytest.fixture
def engine(core: Core) -> Iterator[InlineEngine]:
    engine = InlineEngine(core.home)
    yield engine
    engine.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def connect(core: Core) -> Client[Any]:
    mcp: FastMCP[Any] = FastMCP("test", mask_error_details=True)
    citations_tools.declare(mcp, core, asking(core))
    return Client(mcp)


def asking(core: Core) -> Projects:
    return Projects(core, LocalCorpus(core.home, opening=open_asking))


async def call(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    reply = await client.call_tool(tool, arguments)
    assert isinstance(reply.structured_content, dict)
    return reply.structured_content


@pytest.fixture
def project(core: Core, files: Path, engine: InlineEngine) -> str:
    core.home.prepare()
    manage_projects(core, "create", PROJECT)
    write_papers(files)
    return PROJECT


async def error(client: Client[Any], tool: str, **arguments: Any) -> dict[str, Any]:
    reply = await client.call_tool(tool, arguments, raise_on_error=False)
    assert reply.is_error
    said = reply.structured_content
    assert isinstance(said, dict)
    assert set(said["error"]) == {"code", "message", "details"}
    assert said["correlation_id"]
    return dict(said["error"])


async def ingest(client: Client[Any], source: Path | str, **options: Any) -> dict[str, Any]:
    arguments = {"project": PROJECT, "source": str(source), "options": options}
    return await call(client, "ingest_from_source", **arguments)


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


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
async def test_a_query_answers_with_the_contracts_fields(
    core: Core, files: Path, project: str, tool: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        found = await call(client, tool, project=project, text="kinetic turbines need no dam")
    if tool == "query":
        assert found["model"] == "letters"
    else:
        assert found["hybrid_enabled"] is True
        assert found["fusion"] == "RRF"
        assert {"dense_model", "sparse_model"} <= set(found)
    assert found["count"] == len(found["items"]) >= 1
    assert found["correlation_id"]
    assert found["vectors_compared"]
    first = found["items"][0]
    assert first["citekey"] == "severn2010"
    assert first["doi"] == "10.1000/severn.2010"
    assert first["section"] == "Part II: Streams"
    assert first["page_span"] == [2, 2]
    assert isinstance(first["section_path"], list)
    assert first["full_text"] is None
    assert first["links"]["file"].endswith("severn.pdf#page=2")
    assert first["authors"] == ["Müller, Jörg", "Department of Energy"]
    assert first["year"] == 2010
    scores = [each["score"] for each in found["items"]]
    assert scores == sorted(scores, reverse=True)
    assert all(each["score_scale"] for each in found["items"])


async def test_a_section_has_its_path(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        arguments = {"project": project, "text": "entities and value objects"}
        found = await call(client, "query_hybrid", **arguments)
        first = found["items"][0]
        assert first["citekey"] == "martin2017"
        assert (first["section"], first["section_path"]) == (
            "Entities",
            ["Clean Architecture", "Part I"],
        )
        assert first["page_span"] is None
        narrow = await call(
            client, "query_hybrid", **arguments, filters={"section_prefix": "Part II"}
        )
        assert {each["section"] for each in narrow["items"]} <= {
            *("Details", "Part II: Streams", "Part II")
        }


async def test_each_hit_stands_on_its_pages(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        for heading, sentence in PAGES:
            found = await call(
                client, "query_hybrid", project=project, text=sentence, include_full_text=True
            )
            for each in found["items"]:
                if not each["page_span"]:
                    continue
                stored = core.home.blobs.get(each["place"]["version"])
                first, last = each["page_span"]
                pdf = pypdfium2.PdfDocument(stored)
                there = "".join(
                    pdf[number - 1].get_textpage().get_text_bounded()
                    for number in range(first, last + 1)
                )
                pdf.close()
                assert "".join(each["full_text"].split()) in "".join(there.split()), heading


async def test_filters_narrow_and_all_tags_must_be_there(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)

        async def keys(**filters: Any) -> set[str]:
            text = "the database, the turbines and the estuary"
            found = await call(client, "query_hybrid", project=project, text=text, filters=filters)
            return {each["citekey"] for each in found["items"]}

        assert await keys() == {"severn2010", "martin2017"}
        assert await keys(tags=["tides", "energy"]) == {"severn2010"}
        assert await keys(tags=["tides", "architecture"]) == set()
        assert await keys(citekey="martin2017") == {"martin2017"}
        assert await keys(citekey=["nobody"]) == set()
        assert await keys(year=[2015, 2020]) == {"martin2017"}
        assert await keys(year_to=2012) == {"severn2010"}
        assert await keys(project="other", collection="x") == {"severn2010", "martin2017"}
        refused = await error(client, "query", project=project, text="x", filters={"colour": "red"})
        assert refused["code"] == "BAD_REQUEST"


async def test_results_are_capped_and_trimmed(core: Core, files: Path, project: str) -> None:
    settings = dataclasses.replace(
        core.settings, top_k_limit=2, top_k_limits=((PROJECT, 3),), max_chars_per_chunk=100
    )
    core.settings = settings
    async with connect(core) as client:
        await ingest(client, files)
        found = await call(client, "query", project=project, text="the survey", top_k=50)
        assert found["count"] == found["top_k"] == 3
        for each in found["items"]:
            assert len(each["render_text"]) <= 100
            assert not each["trimmed"] or each["render_text"].endswith((".", ","))
        whole = await call(
            client, "query", project=project, text="the survey", include_full_text=True
        )
        assert any(len(each["full_text"]) > 100 for each in whole["items"])


def test_a_passage_is_trimmed_at_the_end_of_a_sentence() -> None:
    text = "One sentence stands here. Another one follows it. " + "And this goes on " * 20
    assert trimmed_text(text, 60) == "One sentence stands here. Another one follows it."
    assert trimmed_text("short", 60) == "short"
    assert 0 < len(trimmed_text("x" * 500, 60)) <= 60


async def test_a_project_that_is_not_there_is_told_with_those_that_are(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        for tool, more in (
            ("query", {"text": "x"}),
            ("query_hybrid", {"text": "x"}),
            ("ingest_from_source", {"source": str(files)}),
            ("inspect_collection", {}),
            ("cite", {"citekeys": ["x"]}),
        ):
            refused = await error(client, tool, project="invalid-project", **more)
            assert refused["code"] == "INVALID_PROJECT"
            assert refused["message"] == (
                "Project 'invalid-project' not found. Available projects: citeloom/clean-arch"
            )


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query", {"project": PROJECT, "text": "x", "top_k": "many"}),
        ("query", {"text": "x"}),
        ("query_hybrid", {"project": PROJECT, "text": "x", "filters": "tags"}),
        ("inspect_collection", {"project": PROJECT, "sample": "all"}),
        ("ingest_from_source", {"project": PROJECT, "source": ["a"]}),
        ("cite", {"project": PROJECT, "citekeys": ["a"], "format": "pdf"}),
    ],
)
async def test_arguments_of_the_wrong_kind_are_refused_in_the_contracts_shape(
    core: Core, project: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with connect(core) as client:
        refused = await error(client, tool, **arguments)
    assert refused["code"] == "BAD_REQUEST"
    assert refused["details"]["correlation_id"]


async def test_a_tool_that_breaks_says_so_in_the_contracts_shape(
    core: Core, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(self: Projects) -> list[str]:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setattr(Projects, "names", breaks)
    async with connect(core) as client:
        refused = await error(client, "list_projects")
    assert refused["code"] == "INTERNAL_ERROR"
    assert "secret" not in json.dumps(refused)


async def test_an_empty_project_is_hybrid_wherever_it_is_asked(core: Core, project: str) -> None:
    async with connect(core) as client:
        found = await call(client, "query_hybrid", project=project, text="turbines")
        [listed] = (await call(client, "list_projects"))["projects"]
    assert found["hybrid_enabled"] is listed["hybrid_enabled"] is True


async def test_a_collection_is_inspected_with_its_coverage(
    core: Core, files: Path, project: str
) -> None:
    async with connect(core) as client:
        empty = await call(client, "inspect_collection", project=project)
        assert (empty["size"], empty["sample_payloads"]) == (0, [])
        await ingest(client, files)
        seen = await call(client, "inspect_collection", project=project, sample=50)
    assert {
        *("project", "collection", "size", "dense_model", "sparse_model", "named_vectors"),
        *("payload_keys", "indexes", "storage", "sample_payloads", "correlation_id"),
    } <= set(seen)
    assert seen["collection"] == "proj-citeloom-clean-arch"
    assert seen["named_vectors"] == ["dense", "sparse"]
    assert seen["indexes"]["fulltext"] == ["chunk_text"]
    assert len(seen["sample_payloads"]) == 5
    assert all(set(each) == set(seen["payload_keys"]) for each in seen["sample_payloads"])
    assert seen["coverage"] == {
        "pages": 3,
        "pages_with_text": 3,
        "pages_ocr": 0,
        "pages_empty": 0,
        "not_covered": [],
    }


async def test_projects_are_listed_also_when_there_are_none(
    core: Core, files: Path, tmp_path: Path, engine: InlineEngine
) -> None:
    async with connect(core) as client:
        assert (await call(client, "list_projects"))["projects"] == []
        manage_projects(core, "create", PROJECT)
        listed = await call(client, "list_projects")
    [one] = listed["projects"]
    assert listed["count"] == 1
    assert {"id", "collection", "dense_model", "sparse_model", "hybrid_enabled"} <= set(one)
    assert (one["id"], one["collection"]) == (PROJECT, "proj-citeloom-clean-arch")


async def test_a_job_that_takes_longer_goes_on_and_is_told(
    core: Core, files: Path, project: str, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contracts.citations_ingest.PATIENCE", 0.2)
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


async def test_a_slow_answer_is_a_timeout(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citations, "QUERY_WITHIN", 0.0)
    async with connect(core) as client:
        refused = await error(client, "query", project=project, text="x")
    assert refused["code"] == "TIMEOUT"
    assert refused["details"]["timeout_seconds"] == 0.0


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
        monkeypatch.setattr("contracts.citations_ingest.PATIENCE", 0.2)
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


async def test_paths_outside_the_roots_are_refused(
    core: Core, files: Path, project: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.bib"
    secret.write_text("@book{a, title={b}}")
    async with connect(core) as client:
        for source, options in ((str(secret), {}), (str(files), {"references_path": str(secret)})):
            refused = await error(
                client, "ingest_from_source", project=project, source=source, options=options
            )
            assert refused["code"] == "PATH_REFUSED"


async def test_a_correlation_id_is_in_the_answer_and_in_the_record(
    core: Core, files: Path, project: str
) -> None:
    projects = asking(core)
    mcp: FastMCP[Any] = FastMCP("test")
    citations_tools.declare(mcp, core, projects)
    async with Client(mcp) as client:
        done = await ingest(client, files)
        asked = await call(client, "query", project=project, text="turbines")
    causes = {
        record.kind: record.cause for record in core.home.read("catalogue")[0] if record.cause
    }
    assert causes["job_entered"] == done["correlation_id"]
    projects.flush()
    [answered] = core.home.read("queries")[0]
    assert answered.data["correlation_id"] == asked["correlation_id"]


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


# -- citing ----------------------------------------------------------------------------------------


async def test_references_are_cited_in_any_style(core: Core, files: Path, project: str) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        apa = await call(client, "cite", project=project, citekeys=["martin2017", "severn2010"])
        assert apa["citations"][0]["citation"] == "(Martin, 2017)"
        assert "Clean Architecture" in " ".join(apa["bibliography"])
        ieee = await call(client, "cite", project=project, citekeys=["martin2017"], style="ieee")
        assert ieee["citations"][0]["citation"] == "[1]"
        found = await call(client, "query", project=project, text="kinetic turbines need no dam")
        chunk = found["items"][0]["chunk_id"]
        one = await call(client, "cite", project=project, chunk_ids=[chunk])
        assert one["citations"][0]["citekey"] == "severn2010"
        assert "p. 2" in one["citations"][0]["citation"]
        assert one["citations"][0]["links"]["file"].endswith("#page=2")
        assert (await error(client, "cite", project=project, citekeys=["x"]))["code"] == (
            "UNKNOWN_REFERENCE"
        )
        for style in ("../../etc/passwd", "no-such-style"):
            refused = await error(
                client, "cite", project=project, citekeys=["martin2017"], style=style
            )
            assert refused["code"] == "UNKNOWN_STYLE"


@pytest.mark.parametrize("form", ["csl-json", "bibtex", "ris"])
async def test_references_are_exported(core: Core, files: Path, project: str, form: str) -> None:
    from actors.adapters.references import read_references

    async with connect(core) as client:
        await ingest(client, files)
        said = await call(client, "export_references", project=project, format=form)
    again = read_references("again", said["content"].encode())
    assert {each.citekey for each in again.references} == {"severn2010", "martin2017"}
    assert said["count"] == 2
    if form == "csl-json":
        assert json.loads(said["content"])[0]["id"] in {"severn2010", "martin2017"}


@pytest.mark.parametrize("form", ["csl-json", "bibtex", "ris"])
async def test_what_a_report_cites_is_exported(
    core: Core, files: Path, project: str, form: str
) -> None:
    from actors.adapters.references import read_references

    (files / "loose.md").write_text("# Loose\n\nKinetic turbines are also told of here.\n")
    async with connect(core) as client:
        await ingest(client, files)
        asked = Brief(question="Why do kinetic turbines in the stream need no dam?")
        task, _ = core.start_research(asked)
        refused = await error(client, "export_references", project=project, task_id="task-none")
        assert refused["code"]
        list(core.follow(task, 60))
        said = await call(client, "export_references", project=project, task_id=task, format=form)
    cited = {each["locator"] for each in core.views.result(task).result["citations"]}
    assert str(files / "severn.pdf") in cited
    again = read_references("again", said["content"].encode())
    assert "severn2010" in {each.citekey for each in again.references}
    assert said["citekeys"] == [each.citekey for each in again.references]
    assert set(said["without_reference"]) == cited & {str(files / "loose.md")}


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        ("apa", "(Müller & Department of Energy, 2010)"),
        ("ieee", "[1]"),
        ("nature", "1"),
        ("chicago-author-date", "(Müller and Department of Energy 2010)"),
        ("modern-language-association", "(Müller and Department of Energy)"),
        ("harvard-cite-them-right", "(Müller and Department of Energy, 2010)"),
    ],
)
async def test_a_citation_is_written_as_its_style_has_it(
    core: Core, files: Path, project: str, style: str, citation: str
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
        said = await call(client, "cite", project=project, citekeys=["severn2010"], style=style)
    assert said["citations"][0]["citation"] == citation
    assert "tidal power in the severn estuary" in said["bibliography"][0].casefold()


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
