"""Contract 05 as its tests ask it: a data home whose engine is a thread, and papers in a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP

from contracts.citations import asking as citations
from contracts.citations import tools as citations_tools
from contracts.citations.asking import Projects
from contracts.core import Core
from contracts.knowledge.shelving import manage_projects
from contracts.settings import Settings
from projections.search import LocalCorpus
from tests.asking_letters import open_asking
from tests.inline_engine import InlineEngine
from tests.paper_files import write_papers

PROJECT = "citeloom/clean-arch"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contracts.citations.ingest.PATIENCE", 60.0)
    monkeypatch.setattr("contracts.citations.ingest.PREPARED_WITHIN", 60.0)
    monkeypatch.setattr("contracts.citations.ingest.INGEST_WITHIN", 60.0)
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
