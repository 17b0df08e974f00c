"""The knowledge base as it stood: what an earlier answer was found in can be asked again."""

from pathlib import Path

import pytest

from contracts.core import Core
from contracts.knowledge.ingesting import remove
from tests.commands import runner
from tests.inline_engine import InlineEngine
from tests.knowledge_base import call, connect, core, engine, files, refused

__all__ = ["core", "engine", "files"]


@pytest.mark.anyio
async def test_an_earlier_answer_is_found_again_by_its_place_in_the_record(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    note = files / "range.md"
    note.write_text("# Range\n\nThe tidal range is seven metres.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(note), collection="tides")
        first = await call(client, "query_knowledge_base", query="tidal range")
        assert first["searched"]["as_of"] is None
        note.write_text("# Range\n\nThe tidal range is eight metres.\n")
        (files / "other.md").write_text("# Other\n\nAnother tidal range.\n")
        await call(client, "ingest_documents", path=str(files), collection="tides")
        now = await call(client, "query_knowledge_base", query="tidal range")
        assert "eight metres" in str(now["results"]) and len(now["results"]) == 2
        place = first["searched"]["record"]
        moment = f"{place['stream']}:{place['seq']}"
        then = await call(client, "query_knowledge_base", query="tidal range", as_of=moment)
        assert then["results"] == first["results"]
        assert then["searched"]["as_of"] == moment
        before = await call(
            client, "query_knowledge_base", query="tidal range", as_of="2001-01-01T00:00:00Z"
        )
        assert before["results"] == []
        advice = before["query_refinement"]
        assert "was there yet as of 2001-01-01T00:00:00Z" in advice["message"]
        assert advice["suggestions"] == [], "none of today's documents can be found then"
        later = await call(client, "query_knowledge_base", query="tidal range", as_of="2999-12-31")
        assert later["results"] == now["results"]


@pytest.mark.anyio
async def test_what_was_deleted_is_gone_from_the_past_as_well(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    for name in ("kept", "gone"):
        (files / f"{name}.md").write_text(f"# Tides\n\nThe {name} tide.\n")
    async with connect(core) as client:
        for name in ("kept", "gone"):
            path = str(files / f"{name}.md")
            await call(client, "ingest_documents", path=path, collection=name)
        held = await call(client, "query_knowledge_base", query="tide")
        await call(client, "manage_collections", action="delete", collection_name="gone")
        moment = f"catalogue:{held['searched']['record']['seq']}"
        found = await call(client, "query_knowledge_base", query="tide", as_of=moment)
    assert len(held["results"]) == 2
    assert [each["source_document"] for each in found["results"]] == ["kept.md"]


@pytest.mark.anyio
async def test_a_document_that_one_collection_lost_is_found_in_the_past_of_the_other(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    note = files / "note.md"
    note.write_text("# Tides\n\nThe tide of both.\n")
    async with connect(core) as client:
        for name in ("a", "b"):
            await call(client, "ingest_documents", path=str(note), collection=name)
        held = await call(client, "query_knowledge_base", query="tide")
        remove(core, str(note), "a")
        moment = f"catalogue:{held['searched']['record']['seq']}"
        found = await call(client, "query_knowledge_base", query="tide", as_of=moment)
    assert [each["source_document"] for each in found["results"]] == ["note.md"]


@pytest.mark.anyio
async def test_a_document_that_was_removed_is_gone_from_the_past_as_well(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    for name in ("kept", "gone"):
        (files / f"{name}.md").write_text(f"# Tides\n\nThe {name} tide.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(files), collection="tides")
        held = await call(client, "query_knowledge_base", query="tide")
        [document] = [s.document for s in core.views.sources() if s.locator.endswith("gone.md")]
        remove(core, document, "tides")
        moment = f"catalogue:{held['searched']['record']['seq']}"
        found = await call(client, "query_knowledge_base", query="tide", as_of=moment)
    assert len(held["results"]) == 2
    assert [each["source_document"] for each in found["results"]] == ["kept.md"]


@pytest.mark.anyio
@pytest.mark.parametrize("moment", ["2001-01-01", "0999-12-31T23:59:59Z", "0001-01-01"])
async def test_before_anything_was_brought_in_there_is_nothing_however_early(
    moment: str, core: Core, engine: InlineEngine, files: Path
) -> None:
    (files / "a.md").write_text("# Tides\n\nThe tide.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(files), collection="tides")
        found = await call(client, "query_knowledge_base", query="tide", as_of=moment)
    assert found["results"] == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    "moment", ["yesterday", "catalogue:x", "queries:3", "", "9" * 400, "0001-01-01T00:00:00+14:00"]
)
async def test_what_is_no_moment_is_refused(
    moment: str, core: Core, engine: InlineEngine, files: Path
) -> None:
    (files / "a.md").write_text("# Tides\n\nThe tide.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(files), collection="tides")
        code, data = await refused(client, "query_knowledge_base", query="tide", as_of=moment)
    assert (code, data["code"]) == (-32004, "bad_request")


def test_a_command_asks_the_past_too(
    core: Core,
    engine: InlineEngine,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(core.home.root))
    run = runner(capsys)
    (files / "a.md").write_text("# Tides\n\nThe tide.\n")
    assert run("ingest", str(files), "--collection", "tides").code == 0
    assert len(run("query", "tide", "--as-of", "2999-12-31", "--json").json["results"]) == 1
    assert run("query", "tide", "--as-of", "2001-01-01", "--json").json["results"] == []
    assert run("query", "tide", "--as-of", "soon").code == 2
