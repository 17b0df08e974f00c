"""Contract 05: refusals, what projects hold, and the marks that every answer carries."""

import dataclasses
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastmcp import Client, FastMCP

from actors.archive import LocalArchive
from actors.ingesting.ingest import IngestJob
from actors.ingesting.parsing import AnyParser
from actors.shelves import project_collection
from contracts.citations import asking as citations
from contracts.citations import tools as citations_tools
from contracts.citations.asking import Projects
from contracts.core import Core
from contracts.knowledge.shelving import manage_collections, manage_projects
from contracts.settings import Settings
from events.codec import Record
from events.errors import ModelUnavailable
from projections.encoders.model import QueryEmbedding
from projections.search import LocalCorpus
from tests import citation_desk
from tests.asking_letters import AskingLetters
from tests.audit_homes import ask_here
from tests.citation_desk import PROJECT, asking, call, connect, error, ingest
from tests.embedders import Letters, LettersEmbedder
from tests.inline_engine import InlineEngine
from tests.paper_files import paper
from tests.pdf_files import Put, make_pdf

AUDIT = Path(__file__).parent.parent / "traces" / "audit"

pytestmark = pytest.mark.anyio

patient, core, engine = citation_desk.patient, citation_desk.core, citation_desk.engine
files, project = citation_desk.files, citation_desk.project


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


async def test_a_scan_that_nobody_could_read_is_not_covered_until_it_is_gone_or_read(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.adapters.scans.engines_for", lambda languages: ())
    scan = files / "scan.pdf"
    scan.write_bytes(make_pdf([[], [], []], image=True))
    async with connect(core) as client:

        async def covered() -> dict[str, Any]:
            seen = await call(client, "inspect_collection", project=project)
            return dict(seen["coverage"])

        for _ in range(2):
            await ingest(client, files)
            first = await covered()
        collection = (await call(client, "inspect_collection", project=project))["collection"]
        manage_collections(core, "delete", collection)
        await ingest(client, files / "severn.pdf")
        without = await covered()
        scan.write_bytes(paper("A scan that has its text by now"))
        await ingest(client, files)
        read = await covered()
    assert first == {
        "pages": 6,
        "pages_with_text": 3,
        "pages_ocr": 0,
        "pages_empty": 3,
        "not_covered": [{"source_path": str(scan), "empty_pages": "1-3"}],
    }
    assert (without["pages"], without["not_covered"]) == (3, [])
    assert (read["pages"], read["not_covered"]) == (6, [])


async def test_empty_pages_are_counted_also_where_there_are_too_many_to_name(
    core: Core, files: Path, project: str
) -> None:
    says = [Put(72, 700, "The herons stand in the water until the tide turns.")]
    (files / "gaps.pdf").write_bytes(make_pdf([says if n % 2 else [] for n in range(150)]))
    async with connect(core) as client:
        await ingest(client, files / "gaps.pdf")
        seen = (await call(client, "inspect_collection", project=project))["coverage"]
    assert (seen["pages"], seen["pages_with_text"], seen["pages_empty"]) == (150, 75, 75)
    assert seen["not_covered"][0]["empty_pages"].startswith("1, 3, 5")
    assert seen["not_covered"][0]["empty_pages"].endswith(", …")


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


def test_the_numbers_of_the_contract_are_those_of_the_contract() -> None:
    """Read from the source, because these tests have more patience than callers."""
    source = {
        name: float(number)
        for path in ("asking", "ingest")
        for name, number in re.findall(
            r"^(\w+_WITHIN|DEFAULT_TOP_K) = ([0-9.]+)$",
            (Path(citations.__file__).parent / f"{path}.py").read_text(),
            re.MULTILINE,
        )
    }
    assert source["INGEST_WITHIN"] == 15
    assert source["QUERY_WITHIN"] == 8
    assert source["HYBRID_WITHIN"] == 15
    assert source["INSPECT_WITHIN"] == 5
    assert source["PREPARED_WITHIN"] < source["INGEST_WITHIN"]
    assert source["DEFAULT_TOP_K"] == 6
    unset = Settings.from_environment({})
    assert (unset.top_k_limit, unset.max_chars_per_chunk) == (6, 1_800)


@pytest.mark.parametrize(
    ("tool", "within", "arguments", "advice"),
    [
        ("query", "QUERY_WITHIN", {"text": "x"}, "models and index files are loaded"),
        ("query_hybrid", "HYBRID_WITHIN", {"text": "x"}, "models and index files are loaded"),
        ("inspect_collection", "INSPECT_WITHIN", {}, "smaller sample"),
        ("cite", "HYBRID_WITHIN", {"citekeys": ["x"]}, "fewer of them"),
    ],
)
async def test_a_slow_answer_is_a_timeout(
    core: Core,
    project: str,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    within: str,
    arguments: dict[str, Any],
    advice: str,
) -> None:
    monkeypatch.setattr(citations, within, 0.0)
    async with connect(core) as client:
        refused = await error(client, tool, project=project, **arguments)
    assert refused["code"] == "TIMEOUT"
    assert refused["details"]["timeout_seconds"] == 0.0
    assert refused["details"]["done"] == "Nothing was changed."
    assert advice in refused["details"]["suggestion"]


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


async def test_every_line_that_an_ingest_led_to_is_found_by_its_correlation_id(
    core: Core, files: Path, project: str
) -> None:
    before = len(core.home.read("catalogue")[0])
    async with connect(core) as client:
        done = await ingest(client, files)
        again = await ingest(client, files)
    rows = ask_here(core.home, (AUDIT / "correlations.sql").read_text())
    calls = {(row["stream"], row["seq"]): row["correlation_id"] for row in rows}
    streams = {"catalogue": before, done["job_id"]: 0, again["job_id"]: 0}
    caused = {
        (record.stream, record.seq)
        for name, known in streams.items()
        for record in core.home.read(name)[0][known:]
        if record.kind != "stream_claimed"  # Which writer it is follows from no call.
    }
    kinds = {record.kind for name in streams for record in core.home.read(name)[0]}
    assert {"source_published", "stream_sealed", "file_done"} <= kinds
    assert caused <= set(calls)
    assert {calls[place] for place in caused} == {done["correlation_id"], again["correlation_id"]}
    for said in (done, again):
        held = {place for place in caused if place[0] == said["job_id"]}
        assert {calls[place] for place in held} == {said["correlation_id"]}


@pytest.fixture
def recorded(core: Core) -> tuple[Client[Any], Callable[[], list[Record]]]:
    """A server, and what is in the record of what was asked of it."""
    projects = asking(core)
    mcp: FastMCP[Any] = FastMCP("test", mask_error_details=True)
    citations_tools.declare(mcp, core, projects)

    def lines() -> list[Record]:
        projects.flush()
        return list(core.home.read("queries")[0])

    return Client(mcp), lines


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
async def test_a_refused_question_leaves_one_line_as_an_answered_one_does(
    core: Core, files: Path, project: str, tool: str, recorded: Any
) -> None:
    client, lines = recorded
    async with client:
        await ingest(client, files)
        await call(client, tool, project=project, text="turbines")
        for number, (code, arguments) in enumerate(
            [
                ("INVALID_PROJECT", {"project": "secret-project", "text": "x"}),
                ("BAD_REQUEST", {"project": project, "text": " "}),
                ("BAD_REQUEST", {"project": project, "text": "\ud800" + "y" * 900}),
                ("BAD_REQUEST", {"project": project, "text": "x", "filters": {"colour": "red"}}),
            ],
            2,
        ):
            reply = await client.call_tool(tool, arguments, raise_on_error=False)
            assert reply.structured_content["error"]["code"] == code
            assert len(lines()) == number
            last = lines()[-1]
            assert (last.kind, last.data["code"], last.data["through"]) == (
                *("query_refused", code),
                tool,
            )
            assert last.data["correlation_id"] == reply.structured_content["correlation_id"]
            assert len(last.data["query"]) <= 500
            assert "secret-project" not in str(last.data)


SECRET = "sk-ant-" + "q" * 24
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"text": ["turbines", SECRET]}, ""),
    ({"text": 7}, ""),
    ({}, ""),
    ({"text": "turbines", "top_k": SECRET}, "turbines"),
    ({"text": "turbines", "filters": "x" * 100_000}, "turbines"),
    ({"text": f"turbines {SECRET} {'y' * 100_000}", "top_k": []}, "turbines [redacted] yyy"),
    ({"text": "turbines", SECRET: 1}, "turbines"),
]


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
@pytest.mark.parametrize(("arguments", "kept"), WRONG)
async def test_arguments_of_a_wrong_type_leave_a_line_without_what_they_were(
    core: Core,
    files: Path,
    project: str,
    tool: str,
    arguments: dict[str, Any],
    kept: str,
    recorded: Any,
) -> None:
    client, lines = recorded
    core.home.prepare()
    async with client:
        reply = await client.call_tool(
            tool, {"project": project, **arguments}, raise_on_error=False
        )
    told = reply.structured_content
    [line] = lines()
    assert (line.kind, line.data["code"]) == ("query_refused", "BAD_REQUEST")
    assert told["error"]["code"] == "BAD_REQUEST"
    assert line.data["correlation_id"] == told["correlation_id"]
    assert line.data["through"] == tool and line.data["query"].startswith(kept)
    assert len(line.line) < 2_000 and SECRET.encode() not in line.line


async def test_a_question_that_took_too_long_leaves_one_line_and_not_its_late_answer(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch, recorded: Any
) -> None:
    client, lines = recorded
    answer, answered = Projects._answer, threading.Event()

    def slowly(self: Projects, *arguments: Any) -> Any:
        time.sleep(0.5)
        try:
            return answer(self, *arguments)
        finally:
            answered.set()

    async with client:
        await ingest(client, files)
        monkeypatch.setattr(citations, "QUERY_WITHIN", 0.1)
        monkeypatch.setattr(Projects, "_answer", slowly)
        refused = await error(client, "query", project=project, text="turbines")
        assert answered.wait(30)
    [line] = lines()
    assert (line.kind, line.data["code"]) == ("query_refused", "TIMEOUT")
    assert line.data["correlation_id"] == refused["details"]["correlation_id"]


async def test_refused_questions_are_not_kept_where_answered_ones_are_not(
    core: Core, project: str, recorded: Any
) -> None:
    client, lines = recorded
    core.settings = dataclasses.replace(core.settings, record_queries=False)
    async with client:
        await error(client, "query", project=project, text=" ")
    assert lines() == []


class Unloadable(AskingLetters):
    """A model that opens, and breaks when it is to read a question."""

    def embed_query(self, query: str) -> QueryEmbedding:
        return QueryEmbedding(query, {self.names[0]: lambda _: None})


class LatinOnly(AskingLetters):
    """A model that reads no other letters."""

    def embed_query(self, query: str) -> QueryEmbedding:
        if query.isascii():
            return super().embed_query(query)
        return QueryEmbedding(query, {self.names[0]: lambda _: None})


def no_model(setting: str = "") -> Any:
    raise ModelUnavailable("letters", "its package is not installed")


def other_model(setting: str = "") -> Any:
    return AskingLetters("other")


def served(core: Core, opening: Any) -> Client[Any]:
    mcp: FastMCP[Any] = FastMCP("test", mask_error_details=True)
    projects = Projects(core, LocalCorpus(core.home, opening=opening))
    citations_tools.declare(mcp, core, projects)
    return Client(mcp)


@pytest.mark.parametrize("opening", [no_model, other_model, lambda _: Unloadable()])
async def test_without_a_model_for_the_question_nothing_is_ranked_by_words_alone(
    core: Core, files: Path, project: str, opening: Any
) -> None:
    async with connect(core) as client:
        await ingest(client, files)
    async with served(core, opening) as client:
        dense = await error(client, "query", project=project, text="turbines")
        hybrid = await error(client, "query_hybrid", project=project, text="turbines")
    assert (dense["code"], hybrid["code"]) == ("INDEX_UNAVAILABLE", "HYBRID_NOT_SUPPORTED")
    assert "embedded with letters" in dense["message"]
    assert "embedded with letters" in hybrid["message"]


async def test_a_question_in_letters_that_the_model_does_not_read_is_ranked_by_words(
    core: Core, files: Path, project: str
) -> None:
    (files / "tide.md").write_text("# 潮汐\n\n潮汐発電は海の干満を利用する。\n")
    async with connect(core) as client:
        await ingest(client, files)
    async with served(core, lambda _: LatinOnly()) as client:
        found = await call(client, "query_hybrid", project=project, text="潮汐発電")
        assert found["items"][0]["source_path"].endswith("tide.md")
        assert not found["vectors_compared"]
        dense = await call(client, "query", project=project, text="潮汐発電")
        assert {each["score_scale"] for each in dense["items"]} == {"relevance, 0 to 1"}


async def test_a_project_whose_chunks_have_no_vectors_has_nothing_to_fuse(
    core: Core, files: Path, project: str, engine: InlineEngine
) -> None:
    class Nothing(LettersEmbedder):
        def embed(self, chunks: Any) -> list[Letters]:
            [made] = super().embed(chunks)
            return [dataclasses.replace(made, vectors=np.zeros_like(made.vectors))]

    engine.close()
    (files / "severn.pdf").unlink()
    collection = project_collection(core.catalogue, project)
    job, _ = core.catalogue.enter_job(collection, [str(files / "martin2017.md")])
    IngestJob(LocalArchive(core.home), AnyParser(), lambda _: Nothing(), job).run()
    async with connect(core) as client:
        dense = await error(client, "query", project=project, text="entities")
        hybrid = await error(client, "query_hybrid", project=project, text="entities")
        [listed] = (await call(client, "list_projects"))["projects"]
    assert (dense["code"], hybrid["code"]) == ("INDEX_UNAVAILABLE", "HYBRID_NOT_SUPPORTED")
    assert listed["hybrid_enabled"] is False
