"""Names of collections and projects: the same to whoever types them, whatever their keyboard makes of the letters."""

from unicodedata import normalize

import pytest

from actors.shelves import create_collection, create_project, link
from contracts.core import Core
from tests.inline_engine import InlineEngine
from tests.knowledge_base import call, connect, core, engine, refused

pytestmark = pytest.mark.anyio
__all__ = ["core", "engine"]

USUAL = "データ"
APART = normalize("NFD", USUAL)


async def test_a_name_may_be_put_together_from_letters_and_marks(
    core: Core, engine: InlineEngine
) -> None:
    assert APART != USUAL
    async with connect(core) as client:
        added = {"content": "潮の話。", "source": "s"}
        first = await call(client, "augment_knowledge", **added, collection=APART)
        again = await call(client, "augment_knowledge", **added, collection=USUAL)
        assert (first["collection"], again["unchanged"]) == (USUAL, 1)
        found = await call(
            client, "query_knowledge_base", query="潮", collections=f"{APART},{USUAL}"
        )
        assert found["searched"]["collections"] == [USUAL]
        about = await call(client, "manage_collections", action="info", collection_name=APART)
        assert about["collection"]["documents"] == 1
        number, data = await refused(
            client, "manage_collections", action="create", collection_name=APART
        )
        assert (number, data["code"]) == (-32002, "already_there")
        for name in (APART, USUAL):
            linked = {"project_name": name, "collections": APART}
            action = "create" if name == APART else "set-defaults"
            reply = await call(client, "manage_projects", action=action, **linked)
        assert (reply["project"]["name"], reply["project"]["defaults"]) == (USUAL, [USUAL])
        object.__setattr__(core.settings, "project", APART)
        assert (await call(client, "query_knowledge_base", query="潮"))["results"]
        listed = await call(client, "manage_projects", action="list")
        assert [each["current"] for each in listed["projects"]] == [True]
        await call(client, "manage_collections", action="delete", collection_name=APART)
        await call(client, "manage_collections", action="restore", collection_name=APART)


async def test_a_name_that_was_made_apart_is_reached_in_either_spelling(
    core: Core, engine: InlineEngine
) -> None:
    core.home.prepare()
    create_collection(core.catalogue, APART)
    create_project(core.catalogue, APART)
    link(core.catalogue, APART, [APART])
    async with connect(core) as client:
        for name in (APART, USUAL):
            told = {"content": f"潮の話、{len(name)}。", "source": name, "collection": name}
            await call(client, "augment_knowledge", **told)
            found = await call(client, "query_knowledge_base", query="潮の話", collections=name)
            assert found["searched"]["collections"] == [APART] and found["results"]
            about = await call(client, "manage_projects", action="info", project_name=name)
            assert about["project"]["collections"] == [APART]
    assert core.catalogue.state().collections == {APART}


async def test_a_name_may_have_a_wide_blank_within(core: Core, engine: InlineEngine) -> None:
    name = "研究\u3000資料"
    async with connect(core) as client:
        await call(client, "augment_knowledge", content="潮の話。", source="s", collection=name)
        found = await call(client, "query_knowledge_base", query="潮の話", collections=name)
        assert found["results"]
        await call(client, "manage_projects", action="create", project_name=name, collections=name)
        for edge in ("\u3000資料", "\u3000", "研\u00a0究", "研\u2028究"):
            number, _ = await refused(
                client, "manage_collections", action="create", collection_name=edge
            )
            assert number == -32002


async def test_a_collection_that_is_only_not_linked_is_told_so(core: Core) -> None:
    async with connect(core) as client:
        for name in ("tides", "moon"):
            await call(client, "manage_collections", action="create", collection_name=name)
        await call(
            client, "manage_projects", action="create", project_name="sea", collections="moon"
        )
        unlink = {"action": "unlink", "project_name": "sea"}
        number, data = await refused(client, "manage_projects", **unlink, collections="tides")
        assert (number, data["code"]) == (-32002, "unknown_collection")
        assert data["details"] == "The collection 'tides' is not linked to the project 'sea'."
        assert data["suggestion"] == "Collections of the project: moon."
        _, data = await refused(client, "manage_projects", **unlink, collections="nope")
        assert data["details"].startswith("There is no collection 'nope'")
