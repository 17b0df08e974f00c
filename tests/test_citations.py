"""Contract 05: refusals, what projects hold, and the marks that every answer carries."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP

from contracts import citations, citations_tools
from contracts.citations import Projects
from contracts.core import Core
from contracts.shelving import manage_projects
from tests import citation_desk
from tests.citation_desk import PROJECT, asking, call, connect, error, ingest
from tests.inline_engine import InlineEngine

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


async def test_a_slow_answer_is_a_timeout(
    core: Core, files: Path, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(citations, "QUERY_WITHIN", 0.0)
    async with connect(core) as client:
        refused = await error(client, "query", project=project, text="x")
    assert refused["code"] == "TIMEOUT"
    assert refused["details"]["timeout_seconds"] == 0.0


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
