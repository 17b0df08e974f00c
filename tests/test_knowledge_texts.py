"""Texts that are handed in: each is known by its source and title, and takes nobody else's place."""

from pathlib import Path
from typing import Any

import pytest

from actors.ingesting.ingest_state import document_id
from actors.ingesting.readers import VERSIONS, present
from contracts.core import Core
from contracts.knowledge.ingesting import remove
from events.catalogue import Entry
from events.errors import BadRequest
from tests.inline_engine import InlineEngine
from tests.knowledge_base import call, connect, core, engine, files, refused, said

pytestmark = pytest.mark.anyio
__all__ = ["core", "engine", "files"]

LIGHTHOUSE = "https://ja.wikipedia.org/wiki/灯台"


async def add(client: Any, content: str, source: str, **more: str) -> dict[str, Any]:
    told = {"content": content, "source": source, "collection": "c"} | more
    return await call(client, "augment_knowledge", **told)


async def held(client: Any) -> list[str]:
    about = await call(client, "manage_collections", action="info", collection_name="c")
    return sorted(each["title"] for each in about["collection"]["holds"])


async def contents(client: Any, query: str) -> list[str]:
    found = await call(client, "query_knowledge_base", query=query, collections="c")
    return [each["content"] for each in found["results"]]


def brought_before(core: Core, source: str, title: str | None) -> None:
    """A text as it came in when only its source counted."""
    core.home.prepare()
    entry = Entry(
        locator=source,
        content=core.home.blobs.put(b"The earlier words on eels."),
        name="text.md",
        title=title,
        metadata={"added_by": "augment_knowledge"},
    )
    job, _ = core.catalogue.enter_job("c", [entry])
    assert list(core.follow_job(job, 30))[-1].phase == "completed"


async def test_texts_of_one_source_under_different_titles_are_documents_of_their_own(
    core: Core, engine: InlineEngine
) -> None:
    async with connect(core) as client:
        first = await add(client, "The Pharos stood a hundred metres tall.", LIGHTHOUSE, title="A")
        other = await add(client, "The Tower of Hercules is still lit.", LIGHTHOUSE, title="B")
        bare = await add(client, "Keepers trimmed the wick at night.", LIGHTHOUSE)
        assert [each["added"] for each in (first, other, bare)] == [1, 1, 1]
        found = await contents(client, "hundred metres tall Hercules lit wick night")
    assert len(found) == 3
    assert len(core.catalogue.state().published) == 3


async def test_a_text_of_the_same_source_and_title_is_a_new_version_and_that_is_said(
    core: Core, engine: InlineEngine
) -> None:
    async with connect(core) as client:
        first = await add(client, "Eels are thin.", "notes", title="Eels")
        again = await add(client, "Eels are thin, and long.", "notes", title=" Eels ")
        same = await add(client, "Eels are thin, and long.", "notes", title="Eels")
        shown = await said(
            client,
            "augment_knowledge",
            content="Eels swim far.",
            source="notes",
            collection="c",
            title="Eels",
        )
        found = await contents(client, "eels")
    assert "message" not in first and "another title" in again["message"]
    assert (again["updated"], same["unchanged"]) == (1, 1)
    assert "message" not in same and "another title" in shown
    assert found == ["Eels swim far."]


async def test_a_text_does_not_take_the_place_of_a_file_or_page(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    path = files / "a.md"
    path.write_text("# Otters\n\nThe otter file, long and careful.\n")
    async with connect(core) as client:
        await call(client, "ingest_documents", path=str(path), collection="c")
        for title in ({}, {"title": "Remark"}):
            number, data = await refused(
                client,
                "augment_knowledge",
                content="A remark.",
                source=str(path),
                collection="c",
                **title,
            )
            assert (number, data["code"]) == (-32003, "bad_request")
            assert "as a file" in data["details"] and "source of its own" in data["suggestion"]
        await add(client, "A remark on otters.", str(path), collection="d")
        assert await contents(client, "otter file") == ["The otter file, long and careful."]


async def test_only_pages_come_into_the_collection_of_pages(
    core: Core, engine: InlineEngine, files: Path
) -> None:
    (files / "a.md").write_text("# Otters\n\nOtters swim.\n")
    async with connect(core) as client:
        for tool, arguments in (
            ("augment_knowledge", {"content": "Mine.", "source": "me"}),
            ("ingest_documents", {"path": str(files)}),
        ):
            number, data = await refused(client, tool, collection="websites", **arguments)
            assert (number, data["code"]) == (-32002, "bad_request")
            assert "rag_process_website" in data["suggestion"]
    assert not core.catalogue.state().collections


@pytest.mark.parametrize("title", [None, "Eels"])
async def test_a_text_from_before_titles_counted_stays_the_document_that_it_is(
    core: Core, engine: InlineEngine, title: str | None
) -> None:
    brought_before(core, "notes", title)
    named = {"title": title} if title else {}
    async with connect(core) as client:
        again = await add(client, "The later words on eels.", "notes", **named)
        other = await add(client, "What else there is.", "notes", title="Else")
        third = await add(client, "The last words on eels.", "notes", **named)
    assert (again["updated"], other["added"], third["updated"]) == (1, 1, 1)
    assert again["report"][0]["document_id"] == document_id("notes")
    assert len(core.catalogue.state().published) == 2


async def test_a_text_without_a_title_leaves_one_that_had_a_title_alone(
    core: Core, engine: InlineEngine
) -> None:
    brought_before(core, "notes", "Eels")
    async with connect(core) as client:
        assert (await add(client, "Something without a title.", "notes"))["added"] == 1
        assert await contents(client, "earlier words on eels")
        assert len(await held(client)) == 2


async def test_texts_of_one_source_are_read_anew_each_under_its_own_title(
    core: Core, engine: InlineEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with connect(core) as client:
        await add(client, "# Heads\n\nEels are thin.", "notes.txt", title="Eels")
        await add(client, "# Tails\n\nOtters are quick.", "notes.txt")
        monkeypatch.setitem(VERSIONS, "markdown", VERSIONS["markdown"] + 1)
        job, _ = core.catalogue.enter_reindexing("")
        assert list(core.follow_job(job, 30))[-1].phase == "completed"
        assert await held(client) == ["Eels", "Tails"]
    # By its source's name alone it would be plain text.
    published = core.catalogue.state().published.values()
    assert {each.source.reader for each in published} == {present("markdown")}


async def test_of_several_texts_of_one_source_the_one_is_removed_that_is_named(
    core: Core, engine: InlineEngine
) -> None:
    async with connect(core) as client:
        first = await add(client, "Eels are thin.", "notes", title="Eels")
        await add(client, "Otters are quick.", "notes", title="Otters")
        with pytest.raises(BadRequest, match=r"2 documents came from notes\. .*\(Eels\)"):
            remove(core, "notes", "c")
        remove(core, first["report"][0]["document_id"], "c")
        assert await held(client) == ["Otters"]
        assert remove(core, "notes", "c")["source"] == "notes"
